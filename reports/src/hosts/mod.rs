//! Table of hosts: what the model of each reads of what a server sends.

mod columns;
mod of_server;
mod offers;
mod probe;
mod reading;

use std::collections::BTreeSet;

use mcp_compat_json::Json;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::observation::{CallResult, Seen};
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::{PeerId, Revision};

pub use columns::{KINDS, Kind};
pub(crate) use of_server::{of_server, of_server_in_markdown};
pub use offers::Offers;
pub use probe::{MeasuredHost, Served};
pub(crate) use reading::Reading;
use textwrap::core::display_width;

use crate::page::Page;
use crate::style::{Style, Tone};

/// Number of blanks between two columns.
const GAP: usize = 2;

/// Label of the last row of a table.
const REVISION: &str = "revision";

/// Readings of the models of hosts, for each kind.
pub(crate) struct HostTable<'r> {
    pub(crate) hosts: Vec<&'r PeerId>,
    pub(crate) rows: Vec<Row<'r>>,
    /// The revisions that the hosts spoke. A host speaks the same in most cells: that of the first kind stands for them.
    pub(crate) revisions: Vec<String>,
}

/// A kind, with a cell for each host.
pub(crate) struct Row<'r> {
    pub(crate) kind: &'static Kind,
    pub(crate) cells: Vec<(Reading, Option<&'r CellRecord>)>,
}

impl<'r> HostTable<'r> {
    /// The table of a record that has the scenarios of [`KINDS`], for the hosts of it that are wanted.
    pub(crate) fn of(record: &'r Record, offers: &Offers, is_wanted: impl Fn(&PeerId) -> bool) -> Self {
        let mut hosts: Vec<&PeerId> = record.cells.iter().map(|cell| &cell.client).filter(|id| is_wanted(id)).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let cell = |host: &PeerId, kind: &Kind| {
            record.cells.iter().find(|cell| cell.client == *host && cell.scenario.as_str() == kind.scenario)
        };
        let cells = |kind: &Kind| {
            let cells = hosts.iter().map(|host| cell(host, kind));
            cells.map(|cell| (Reading::of(kind, cell, offers), cell)).collect()
        };
        let rows: Vec<Row<'_>> = KINDS.iter().map(|kind| Row { kind, cells: cells(kind) }).collect();
        let revisions = hosts.iter().map(|host| revision(cell(host, &KINDS[0]).and_then(|cell| cell.negotiated)));
        let revisions = revisions.collect();
        Self { hosts, rows, revisions }
    }

    /// A sentence for the authors of servers.
    pub(crate) fn advice(&self) -> String {
        let count = |kind: &Kind, is: fn(Reading) -> bool| {
            let row = self.rows.iter().find(|row| row.kind == kind);
            row.map_or(0, |row| row.cells.iter().filter(|(read, _)| is(*read)).count())
        };
        let [mirror, prose, alone] = &columns::ADVISED;
        format!(
            "Return each value twice, as structuredContent and as JSON text: the models of {} of {} hosts then read it. A \
             value alone does not reach those of {}, and other text takes the place of the value for those of {}.",
            count(mirror, |read| read == Reading::Value),
            self.hosts.len(),
            count(alone, |read| read != Reading::Value && read != Reading::Untested),
            count(prose, |read| read == Reading::Text),
        )
    }
}

/// Renders the table of a record that has the scenarios of [`KINDS`], and one of the hosts that users measured.
pub fn render(record: &Record, offers: &Offers, measured: &[MeasuredHost], style: Style) -> String {
    let mut page = Page::new(style);
    let read = HostTable::of(record, offers, |_| true);
    if read.hosts.is_empty() {
        page.line("No check was finished, so there is no table.");
        return page.finish();
    }
    page.paragraph("", &read.advice());
    let names: Vec<&str> = read.hosts.iter().map(|host| name(host)).collect();
    let rows =
        read.rows.iter().map(|row| (row.kind.sent.to_owned(), row.cells.iter().map(|(read, _)| *read).collect()));
    let rows: Vec<(String, Vec<Reading>)> = rows.collect();
    table(&mut page, "The server sends", &names, &rows, &read.revisions);
    if !measured.is_empty() {
        page.blank();
        page.paragraph("", "As users measured them, with `mcp-compat probe`:");
        add_measured(&mut page, measured);
    }
    page.blank();
    let measured = KINDS.iter().flat_map(|kind| measured.iter().map(|host| host.reading(kind)));
    let used: BTreeSet<&str> =
        rows.iter().flat_map(|(_, readings)| readings).copied().chain(measured).map(Reading::word).collect();
    meanings(&mut page, |word| used.contains(word));
    page.finish()
}

/// Renders the table of hosts that users measured.
pub fn render_measured(measured: &[MeasuredHost], style: Style) -> String {
    let mut page = Page::new(style);
    add_measured(&mut page, measured);
    page.finish()
}

fn add_measured(page: &mut Page, measured: &[MeasuredHost]) {
    let names: Vec<String> =
        measured.iter().map(|host| neutralised(&format!("{} {}", host.host, host.version))).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let seen = |kind: &&Kind| measured.iter().any(|host| host.reading(kind) != Reading::Untested);
    let rows: Vec<(String, Vec<Reading>)> = KINDS
        .iter()
        .filter(seen)
        .map(|kind| (kind.sent.to_owned(), measured.iter().map(|host| host.reading(kind)).collect()))
        .collect();
    let revisions = measured.iter().map(|host| host.revision.as_deref().map_or_else(|| "-".to_owned(), neutralised));
    table(page, "The server sends", &names, &rows, &revisions.collect::<Vec<_>>());
}

/// Adds a table with a column for each host, in parts that fit the page. `revisions` has those of the hosts.
fn table(page: &mut Page, label: &str, names: &[&str], rows: &[(String, Vec<Reading>)], revisions: &[String]) {
    let first = rows.iter().map(|(row, _)| display_width(row)).chain([label.len()]).max().unwrap_or_default();
    let width = names.iter().map(|name| display_width(name)).chain([Reading::WIDEST]).max().unwrap_or_default();
    let fitting = page.width().saturating_sub(first) / (width + GAP);
    let column = |text: &str| format!("{:GAP$}{text}{}", "", " ".repeat(width.saturating_sub(display_width(text))));
    let blanks = |row: &str| " ".repeat(first.saturating_sub(display_width(row)));
    for from in (0..names.len()).step_by(fitting.max(1)) {
        let part = |length: usize| from..(from + fitting.max(1)).min(length);
        page.blank();
        let heads: String = names[part(names.len())].iter().map(|name| column(name)).collect();
        page.line(&page.paint(Tone::Strong, &format!("{label}{}{heads}", blanks(label))));
        for (row, readings) in rows {
            let words = readings[part(readings.len())].iter();
            let words: String = words.map(|read| page.paint(read.tone(), &column(read.word()))).collect();
            page.line(&format!("{row}{}{words}", blanks(row)));
        }
        let spoken: String = revisions[part(revisions.len())].iter().map(|revision| column(revision)).collect();
        page.line(&page.paint(Tone::Aside, &format!("{REVISION}{}{spoken}", blanks(REVISION))));
    }
}

/// Adds what the words of a table mean, those that are used.
fn meanings(page: &mut Page, is_used: impl Fn(&str) -> bool) {
    for (reading, meaning) in Reading::MEANINGS.into_iter().filter(|(reading, _)| is_used(reading.word())) {
        page.toned(Tone::Aside, &format!("{:<12}", reading.word()), meaning);
    }
}

/// The name of a host without its release, which the table has no place for.
fn name(host: &PeerId) -> &str {
    host.release().map_or(host.as_str(), |(family, _)| family)
}

fn revision(negotiated: Option<Revision>) -> String {
    negotiated.map_or_else(|| "none".to_owned(), |revision| revision.to_string())
}

/// The text that a model reads of a result.
pub fn read(seen: &Seen) -> String {
    match seen {
        Seen::Called(CallResult { structured: Some(value), .. }) => value.to_compact(),
        Seen::Called(CallResult { content, .. }) => {
            let text = |block: &Json| {
                block.get("text").and_then(Json::as_str).map_or_else(|| block.to_compact(), ToOwned::to_owned)
            };
            content.iter().map(text).collect::<Vec<_>>().join(" ")
        }
        Seen::Failed(error) => error.message.clone(),
        Seen::Listed { .. } | Seen::Evolved { .. } | Seen::NotReported {} => String::new(),
    }
}
