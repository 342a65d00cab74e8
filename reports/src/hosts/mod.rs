//! Table of hosts: what the model of each reads of what a server sends.

mod columns;
mod of_server;
mod reading;

use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::{PeerId, Revision};

pub use columns::{KINDS, Kind};
pub(crate) use of_server::{of_server, of_server_in_markdown};
use reading::Reading;
use textwrap::core::display_width;

use crate::page::Page;
use crate::style::{Style, Tone};

/// Number of blanks between two columns.
const GAP: usize = 2;

/// Renders the table of a record that has the scenarios of [`KINDS`].
pub fn render(record: &Record, style: Style) -> String {
    let mut page = Page::new(style);
    let hosts = hosts(record);
    page.paragraph("", &advice(record, &hosts));
    let names: Vec<&str> = hosts.iter().map(|host| name(host)).collect();
    let rows: Vec<(String, Vec<Reading>)> = KINDS
        .iter()
        .map(|kind| {
            let readings = hosts.iter().map(|host| Reading::of(kind, cell(record, host, kind)));
            (kind.sent.to_owned(), readings.collect())
        })
        .collect();
    // A host speaks the same in most cells: that of the first kind stands for them.
    let spoken = |host: &PeerId| cell(record, host, &KINDS[0]).and_then(|cell| cell.negotiated);
    let revisions: Vec<String> = hosts.iter().map(|host| revision(spoken(host))).collect();
    table(&mut page, "The server sends", &names, &rows, &revisions);
    page.blank();
    meanings(&mut page, |_| true);
    page.finish()
}

/// Adds a table with a column for each host, in parts that fit the page. `revisions` has those of the hosts.
fn table(page: &mut Page, label: &str, names: &[&str], rows: &[(String, Vec<Reading>)], revisions: &[String]) {
    let first = rows.iter().map(|(row, _)| display_width(row)).chain([label.len()]).max().unwrap_or_default();
    let width = names.iter().map(|name| name.len()).chain([Reading::WIDEST]).max().unwrap_or_default();
    let fitting = page.width().saturating_sub(first) / (width + GAP);
    let column = |text: &str| format!("{:GAP$}{text:<width$}", "");
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
        page.line(&page.paint(Tone::Aside, &format!("revision{}{spoken}", blanks("revision"))));
    }
}

/// Adds what the words of a table mean, those that are used.
fn meanings(page: &mut Page, is_used: impl Fn(Reading) -> bool) {
    for (reading, meaning) in Reading::MEANINGS.into_iter().filter(|(reading, _)| is_used(*reading)) {
        page.toned(Tone::Aside, &format!("{:<12}", reading.word()), meaning);
    }
}

/// A sentence for the authors of servers.
fn advice(record: &Record, hosts: &[&PeerId]) -> String {
    let count = |kind: &Kind, is: fn(Reading) -> bool| {
        hosts.iter().filter(|host| is(Reading::of(kind, cell(record, host, kind)))).count()
    };
    let [mirror, prose, alone] = &columns::ADVISED;
    let all = hosts.len();
    format!(
        "Return each value twice, as structuredContent and as JSON text: the models of {} of {all} hosts then read it. A \
         value alone does not reach those of {}, and other text takes the place of the value for those of {}.",
        count(mirror, |read| read == Reading::Value),
        count(alone, |read| read != Reading::Value && read != Reading::Untested),
        count(prose, |read| read == Reading::Text),
    )
}

fn hosts(record: &Record) -> Vec<&PeerId> {
    let mut hosts: Vec<&PeerId> = record.cells.iter().map(|cell| &cell.client).collect();
    hosts.sort_unstable();
    hosts.dedup();
    hosts
}

/// The name of a host without its release, which the table has no place for.
fn name(host: &PeerId) -> &str {
    host.release().map_or(host.as_str(), |(family, _)| family)
}

fn cell<'r>(record: &'r Record, host: &PeerId, kind: &Kind) -> Option<&'r CellRecord> {
    record.cells.iter().find(|cell| cell.client == *host && cell.scenario.as_str() == kind.scenario)
}

fn revision(negotiated: Option<Revision>) -> String {
    negotiated.map_or_else(|| "none".to_owned(), |revision| revision.to_string())
}
