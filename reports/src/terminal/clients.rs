//! Table of clients: what works, what each loses, and who has to fix it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::Role;
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::record::{CellRecord, PeerRecord, Record};
use mcp_compat_model::verdict::{BlastRadius, Fault, Rating};

use crate::page::Page;
use crate::sdk::SdkName;
use crate::style::Tone;
use crate::wording;

/// Number of rows, beyond which those that lose least are left out.
const ROWS: usize = 10;

/// Width of the columns of numbers.
const COLUMN: usize = 10;

/// Width of the first column of losses, whose head says so.
const FIRST_LOSS: usize = 17;

/// Numbers of checks of one client.
#[derive(Default)]
struct Counts {
    works: usize,
    /// Checks that pass and prove nothing, because the client accepts anything.
    unproven: usize,
    /// Checks that lose the session or all tools.
    all_tools: usize,
    /// Checks that lose a tool or a call.
    a_call: usize,
    /// Breaks in which the user gets no error.
    silent: usize,
}

impl Counts {
    fn add(&mut self, cell: &CellRecord) {
        match cell.rating {
            Rating::Works if cell.vacuous => self.unproven += 1,
            Rating::Works => self.works += 1,
            Rating::Degraded | Rating::Skipped => {}
            Rating::Breaks => {
                match cell.blast_radius {
                    Some(BlastRadius::Session | BlastRadius::Server) => self.all_tools += 1,
                    Some(BlastRadius::Tool | BlastRadius::Call) | None => self.a_call += 1,
                }
                self.silent += usize::from(cell.silent);
            }
        }
    }

    const fn lost(&self) -> (usize, usize) {
        (self.all_tools, self.a_call)
    }
}

/// Writes the table. Mocks are left out if an SDK or a client of the user was tested.
pub(super) fn write(page: &mut Page, record: &Record) {
    let cells = &record.cells;
    let is_recorded = |peer: &&PeerRecord| peer.role == Role::Client && peer.recorded.is_some();
    let recorded: BTreeSet<SdkName> =
        record.peers.iter().filter(is_recorded).map(|peer| SdkName::of(&peer.id)).collect();
    let mut counts = BTreeMap::<SdkName, Counts>::new();
    let is_mocked = cells.iter().all(|cell| cell.client.is_mock());
    for cell in cells.iter().filter(|cell| is_mocked || !cell.client.is_mock()) {
        counts.entry(SdkName::of(&cell.client)).or_default().add(cell);
    }
    let breaks = cells.iter().filter(|cell| is_mocked || !cell.client.is_mock());
    let fix = to_fix(breaks.filter(|cell| cell.rating == Rating::Breaks));
    let mut rows: Vec<_> = counts.into_iter().collect();
    let more = rows.len().saturating_sub(ROWS);
    if more > 1 {
        rows.sort_by_key(|(_, counts)| Reverse(counts.lost()));
        rows.truncate(ROWS);
        rows.sort_by(|(one, _), (other, _)| one.cmp(other));
    }
    let has_unproven = rows.iter().any(|(_, counts)| counts.unproven > 0);
    let labels: Vec<String> = rows
        .iter()
        .map(|(name, _)| format!("{name}{}", if recorded.contains(name) { " (recorded)" } else { "" }))
        .collect();
    let width = labels.iter().map(String::len).max().unwrap_or(0).max("client".len());
    let unproven = if has_unproven { format!("{:>COLUMN$}", "unproven") } else { String::new() };
    let head = format!(
        "  {:width$}{:>COLUMN$}{unproven}{:>FIRST_LOSS$}{:>COLUMN$}{:>COLUMN$}",
        "client", "works", "lost: all tools", "a call", "silently"
    );
    page.line(&page.paint(Tone::Aside, &head));
    for ((_, counts), label) in rows.iter().zip(&labels) {
        let number = |number: usize, column: usize, tone: Option<Tone>| {
            let text = if number == 0 { "-".to_owned() } else { thousands(number as u64) };
            let text = format!("{text:>column$}");
            tone.filter(|_| number > 0).map_or_else(|| text.clone(), |tone| page.paint(tone, &text))
        };
        let unproven = if has_unproven { number(counts.unproven, COLUMN, None) } else { String::new() };
        let line = format!(
            "  {label:width$}{}{unproven}{}{}{}",
            number(counts.works, COLUMN, None),
            number(counts.all_tools, FIRST_LOSS, Some(Tone::Bad)),
            number(counts.a_call, COLUMN, None),
            number(counts.silent, COLUMN, Some(Tone::Warning)),
        );
        page.line(&line);
    }
    if more > 1 {
        let words = format!("and {} that lose less: mcp-compat report --matrix", counted(more, "client"));
        page.toned(Tone::Aside, "  ", &words);
    }
    if let Some(fix) = fix {
        page.toned(Tone::Aside, "  ", &fix);
    }
}

/// The parties that have to fix something, with the number of breaks: `to fix: server 512, client 300`.
fn to_fix<'c>(breaks: impl Iterator<Item = &'c CellRecord>) -> Option<String> {
    let mut faults: Vec<(Fault, usize)> = Vec::new();
    for fault in breaks.filter_map(|cell| cell.fault) {
        match faults.iter_mut().find(|(known, _)| *known == fault) {
            Some((_, many)) => *many += 1,
            None => faults.push((fault, 1)),
        }
    }
    faults.sort_by_key(|(_, many)| Reverse(*many));
    let parts: Vec<String> =
        faults.iter().map(|(fault, many)| format!("{} {}", wording::to_fix(*fault), thousands(*many as u64))).collect();
    (!parts.is_empty()).then(|| format!("to fix: {}", parts.join(", ")))
}
