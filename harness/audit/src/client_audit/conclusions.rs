//! From judged cells to conclusions about a client, worst first. Pure functions only.

use std::collections::BTreeMap;

use mcp_compat_judge::rules;
use mcp_compat_model::cause::{Cause, causes};
use mcp_compat_model::client_audit::{BrokenRule, Conclusion, Place};
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::{Fault, Finding, Level, Outcome, Party, Rating};

/// Draws the conclusions from the cells of one client. `unproven`, that some or all of them prove nothing, comes first.
pub(super) fn of(cells: &[CellRecord], unproven: Option<Conclusion>) -> Vec<Conclusion> {
    let mut conclusions: Vec<Conclusion> = causes(cells, Rating::Breaks).iter().map(of_cause).collect();
    conclusions.extend(of_those_apart(cells));
    for (rule, found) in broken_beside(cells) {
        // Only the exit status shows which results a client rejects.
        if unproven.is_some() && rules::find(rule) == Some(&rules::CLIENT_VALIDATES) {
            continue;
        }
        if conclusions.iter().all(|known| known.rule.as_ref().is_none_or(|known| known.id != rule)) {
            conclusions.extend(of_rule(&found));
        }
    }
    // The sort is stable: equal conclusions stay in the order of their causes.
    conclusions.sort_by_key(badness);
    unproven.into_iter().chain(conclusions).collect()
}

/// The client did nothing in these cells that could be judged. The person who runs it has to act.
pub(super) fn of_no_proof(what: String, cells: &[CellRecord]) -> Conclusion {
    Conclusion {
        is_the_clients: true,
        fault: None,
        silent: false,
        what,
        rule: None,
        seen: cells.iter().map(place).collect(),
    }
}

/// Smaller is worse: first what has to be fixed in the client, then silent losses, then the level of the rule.
fn badness(conclusion: &Conclusion) -> (bool, bool, u8) {
    let level = match conclusion.rule.as_ref().map(|rule| rule.level) {
        Some(Level::Must) => 0,
        Some(Level::Should) => 1,
        None => 2,
        Some(Level::May) => 3,
    };
    (!conclusion.is_the_clients, !conclusion.silent, level)
}

fn of_cause(cause: &Cause<'_>) -> Conclusion {
    let cell = cause.example;
    let party = match cell.fault {
        Some(Fault::Client | Fault::Both) => Some(Party::Client),
        Some(Fault::Server) => Some(Party::Server),
        Some(Fault::Spec | Fault::Harness) | None => None,
    };
    Conclusion {
        is_the_clients: matches!(cell.fault, Some(Fault::Client | Fault::Both)),
        fault: cell.fault,
        silent: cause.is_silent(),
        what: cell.reason.clone(),
        rule: cell.findings.iter().filter(|finding| Some(finding.party) == party).min_by_key(strictness).map(rule),
        seen: cause.cells.iter().copied().map(place).collect(),
    }
}

/// The conclusion from the servers with which the client has no revision in common, which is no defect of either.
fn of_those_apart(cells: &[CellRecord]) -> Option<Conclusion> {
    let is_apart = |cell: &&CellRecord| cell.rating == Rating::Skipped && cell.outcome == Outcome::Unreachable;
    let apart: Vec<&CellRecord> = cells.iter().filter(is_apart).collect();
    let first = apart.first()?;
    Some(Conclusion {
        is_the_clients: false,
        fault: Some(Fault::Both),
        silent: false,
        what: first.reason.clone(),
        rule: None,
        seen: apart.iter().copied().map(place).collect(),
    })
}

/// The rules that the client violated in cells that do not break, each with these cells.
fn broken_beside(cells: &[CellRecord]) -> BTreeMap<&str, Vec<(&CellRecord, &Finding)>> {
    let mut found = BTreeMap::<&str, Vec<_>>::new();
    for cell in cells.iter().filter(|cell| cell.rating != Rating::Breaks) {
        for finding in cell.findings.iter().filter(|finding| finding.party == Party::Client) {
            let known = found.entry(finding.rule.as_str()).or_default();
            if known.last().is_none_or(|(last, _): &(&CellRecord, _)| last.id != cell.id) {
                known.push((cell, finding));
            }
        }
    }
    found
}

fn of_rule(found: &[(&CellRecord, &Finding)]) -> Option<Conclusion> {
    let (_, finding) = found.first()?;
    Some(Conclusion {
        is_the_clients: finding.level == Level::Must,
        fault: None,
        silent: false,
        what: finding.detail.clone(),
        rule: Some(rule(finding)),
        seen: found.iter().map(|(cell, _)| place(cell)).collect(),
    })
}

fn strictness(finding: &&Finding) -> u8 {
    match finding.level {
        Level::Must => 0,
        Level::Should => 1,
        Level::May => 2,
    }
}

fn rule(finding: &Finding) -> BrokenRule {
    BrokenRule { id: finding.rule.clone(), level: finding.level, source: finding.source.clone() }
}

fn place(cell: &CellRecord) -> Place {
    Place { scenario: cell.scenario.clone(), server: cell.server.clone() }
}
