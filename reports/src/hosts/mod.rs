//! Table of hosts: what the model of each reads of what a server sends.

mod columns;
mod reading;

use mcp_compat_model::PeerId;
use mcp_compat_model::record::{CellRecord, Record};

pub use columns::{KINDS, Kind};
use reading::Reading;

use crate::page::Page;
use crate::style::{Style, Tone};

/// Number of blanks between two columns.
const GAP: usize = 2;

/// Renders the table of a record that has the scenarios of [`KINDS`].
pub fn render(record: &Record, style: Style) -> String {
    let mut page = Page::new(style);
    let hosts = hosts(record);
    page.paragraph("", &advice(record, &hosts));
    let label = KINDS.iter().map(|kind| kind.sent.len()).max().unwrap_or_default();
    let width = hosts.iter().map(|host| name(host).len()).chain([Reading::WIDEST]).max().unwrap_or_default();
    let fitting = style.width.saturating_sub(label) / (width + GAP);
    for part in hosts.chunks(fitting.max(1)) {
        page.blank();
        let names: String = part.iter().map(|host| format!("{:GAP$}{:<width$}", "", name(host))).collect();
        page.line(&page.paint(Tone::Strong, &format!("{:<label$}{names}", "The server sends")));
        for kind in &KINDS {
            let readings = part.iter().map(|host| Reading::of(kind, cell(record, host, kind)));
            let words: String = readings
                .map(|read| format!("{:GAP$}{}", "", page.paint(read.tone(), &format!("{:<width$}", read.word()))))
                .collect();
            page.line(&format!("{:<label$}{words}", kind.sent));
        }
        let revisions = part.iter().map(|host| format!("{:GAP$}{:<width$}", "", revision(record, host)));
        page.line(&page.paint(Tone::Aside, &format!("{:<label$}{}", "revision", revisions.collect::<String>())));
    }
    page.blank();
    for (word, meaning) in Reading::MEANINGS {
        page.toned(Tone::Aside, &format!("{word:<12}"), meaning);
    }
    page.finish()
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

/// The revision that a host spoke in most cells: that of the first kind.
fn revision(record: &Record, host: &PeerId) -> String {
    let spoken = cell(record, host, &KINDS[0]).and_then(|cell| cell.negotiated);
    spoken.map_or_else(|| "none".to_owned(), |revision| revision.to_string())
}
