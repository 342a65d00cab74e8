//! What a failed test says: what was to come, what the user of the client got, why, whose turn it is, and how to see it
//! again.

use std::fmt::Write as _;

use mcp_compat_model::cause::{Cause, causes};
use mcp_compat_model::count::counted;
use mcp_compat_model::record::{CellRecord, Record, ScenarioRecord};
use mcp_compat_model::unseen::neutralised;
use mcp_compat_model::verdict::{BlastRadius, Fault, Finding, Outcome, Party, Rating};

/// How many causes one failure message tells before it only counts the rest.
const TOLD: usize = 12;

/// How many rules one cell names.
const RULES: usize = 4;

/// The message for one cell. `title` is its scenario's.
pub(crate) fn of_cell(cell: &CellRecord, title: &str) -> String {
    let mut text = String::new();
    let silent = if cell.silent { ", silently" } else { "" };
    let _ = writeln!(text, "{} breaks{silent}", cell.id);
    let mut field = |name: &str, value: &str| {
        let _ = writeln!(text, "  {name:9} {}", neutralised(value));
    };
    field("scenario", title);
    if let Some(expected) = cell.expected {
        let best = matches!(expected, Outcome::Intact | Outcome::Told | Outcome::Caught);
        let least = if best { "" } else { " or better" };
        field("expected", &format!("{expected}{least}: {}", expected.meaning()));
    }
    field("outcome", &format!("{}: {}", cell.outcome, cell.outcome.meaning()));
    field("reason", &cell.reason);
    if let Some(radius) = cell.blast_radius {
        field("lost", lost(radius));
    }
    field("revision", cell.negotiated.map_or("none was agreed on", |revision| revision.as_str()));
    for finding in rules(cell).into_iter().take(RULES) {
        field("rule", &rule(cell, finding));
        field("", &finding.source);
    }
    if let Some(fault) = cell.fault {
        field("to move", turn(fault));
    }
    field("again", &again(cell));
    text
}

/// The message for a run: each cause once, then the stale entries of the baseline, then why the run proves nothing.
/// Empty when there is nothing of it.
pub(crate) fn of_run(record: &Record) -> String {
    let new: Vec<CellRecord> = record.cells.iter().filter(|cell| cell.is_new_break()).cloned().collect();
    let causes = causes(&new, Rating::Breaks);
    let mut text = String::new();
    if !causes.is_empty() {
        let _ = writeln!(text, "{}, for {}\n", doing(new.len(), "cell", "break"), counted(causes.len(), "cause"));
    }
    for cause in causes.iter().take(TOLD) {
        let _ = writeln!(text, "{}", of_cause(cause, record));
    }
    if let Some(left) = causes.len().checked_sub(TOLD).filter(|left| *left > 0) {
        let _ = writeln!(text, "and {} more\n", counted(left, "cause"));
    }
    for entry in &record.stale {
        let _ = writeln!(text, "{}\n", of_stale(entry));
    }
    if let Some(unproven) = unproven(record) {
        text.push_str(&unproven);
    }
    text.truncate(text.trim_end().len());
    text
}

/// Why a run that breaks nothing still proves nothing.
fn unproven(record: &Record) -> Option<String> {
    if !record.complete {
        return Some("the run was not played to its end: what is left of it may break".to_owned());
    }
    let skipped = record.cells.iter().all(|cell| cell.rating == Rating::Skipped);
    let first = record.cells.first().filter(|_| skipped)?;
    let cells = counted(record.cells.len(), "cell");
    Some(format!(
        "nothing was judged: {cells} skipped, the first ({}) because: {}",
        first.id,
        neutralised(&first.reason)
    ))
}

/// The message for an entry of the baseline that no longer holds.
pub(crate) fn of_stale(entry: &str) -> String {
    format!("the baseline entry {}; take it out, or make it narrower", neutralised(entry))
}

fn of_cause(cause: &Cause<'_>, record: &Record) -> String {
    let scenario: Option<&ScenarioRecord> =
        record.scenarios.iter().find(|scenario| scenario.id == cause.example.scenario);
    let mut text = of_cell(cause.example, scenario.map_or("", |scenario| &scenario.title));
    let _ = writeln!(text, "            or, on the suite: .scenarios(\"{}\")", cause.example.scenario);
    let mut others = cause.cells.iter().filter(|cell| cell.id != cause.example.id);
    if let Some(first) = others.next() {
        let rest = others.count();
        let further = if rest > 0 { format!(" and {}", counted(rest, "other cell")) } else { String::new() };
        let _ = writeln!(text, "  as well   {}{further}", first.id);
    }
    text
}

/// What was violated, first by whoever has to move: a scenario may well have the other side do wrong on purpose.
fn rules(cell: &CellRecord) -> Vec<&Finding> {
    let to_move = |party: Party| match (cell.fault, party) {
        (Some(Fault::Client | Fault::Both), Party::Client) | (Some(Fault::Server | Fault::Both), Party::Server) => true,
        (Some(Fault::Spec), Party::Spec) => true,
        (Some(_) | None, Party::Client | Party::Server | Party::Spec) => false,
    };
    let mut findings: Vec<&Finding> = cell.findings.iter().collect();
    findings.sort_by_key(|finding| !to_move(finding.party));
    findings
}

/// The rule, and what was wrong unless the reason has said it.
fn rule(cell: &CellRecord, finding: &Finding) -> String {
    let Finding { rule, party, level, detail, .. } = finding;
    let detail = if cell.reason.contains(detail.as_str()) { String::new() } else { format!(": {detail}") };
    format!("{rule} ({level}, broken by the {party}){detail}")
}

const fn lost(radius: BlastRadius) -> &'static str {
    match radius {
        BlastRadius::Call => "this call; the tool is listed, and its neighbours answer",
        BlastRadius::Tool => "this tool; its neighbours answer",
        BlastRadius::Server => "every tool of the server",
        BlastRadius::Session => "the session: nothing can be done with this server",
    }
}

const fn turn(fault: Fault) -> &'static str {
    match fault {
        Fault::Client => "the client",
        Fault::Server => "the server",
        Fault::Both => "client and server",
        Fault::Spec => "the specification; neither peer is wrong",
        Fault::Harness => "mcp-compat; please report it",
    }
}

/// The command that plays a cell again.
fn again(cell: &CellRecord) -> String {
    format!(
        "mcp-compat run --scenario '{}' --client {} --server {} --transport {}",
        cell.scenario, cell.client, cell.server, cell.transport
    )
}

fn doing(number: usize, one: &str, does: &str) -> String {
    format!("{} {does}{}", counted(number, one), if number == 1 { "s" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_with_their_words() {
        assert_eq!([1, 2].map(|number| doing(number, "cell", "break")), ["1 cell breaks", "2 cells break"]);
    }
}
