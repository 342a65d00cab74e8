//! The text of one cell that breaks.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use mcp_compat_model::PeerId;
use mcp_compat_model::count::counted;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::unseen::neutralised;
use mcp_compat_model::verdict::{Finding, Outcome};

use super::story::{Story, short};
use crate::findings::responsible_first;
use crate::wording;

/// How many rules one cell names.
const RULES: usize = 3;

/// Number of characters of a sentence that are shown.
const SENTENCE: usize = 600;

/// The message for one cell, in under 25 lines.
pub fn of_cell(cell: &CellRecord, story: &Story) -> String {
    let mut text = String::new();
    let silent = if cell.silent { ", silently" } else { "" };
    let _ = writeln!(text, "{} breaks{silent}", cell.id);
    let mut field = |name: &str, value: &str| {
        let _ = writeln!(text, "  {name:9} {}", short(&neutralised(value), SENTENCE));
    };
    field("scenario", &story.title);
    if let Some(meant) = &story.meant {
        field("meant", meant);
    }
    if let Some(expected) = cell.expected {
        let best = matches!(expected, Outcome::Intact | Outcome::Told | Outcome::Caught);
        let least = if best { "" } else { " or better" };
        field("expected", &format!("{expected}{least}: {}", expected.meaning()));
    }
    field("got", &story.got);
    field("outcome", &format!("{}: {}", cell.outcome, cell.outcome.meaning()));
    field("reason", &cell.reason);
    if let Some(radius) = cell.blast_radius {
        field("lost", wording::lost_and_left(radius));
    }
    field("revision", &wording::negotiated(cell));
    if let Some(wire) = &story.wire {
        field("wire", wire);
    }
    let findings = responsible_first(cell);
    for finding in findings.iter().take(RULES) {
        field("rule", &rule(cell, finding));
        field("", &finding.source);
    }
    if let Some(left) = findings.len().checked_sub(RULES).filter(|left| *left > 0) {
        field("", &format!("and {} more", counted(left, "rule")));
    }
    if let Some(fault) = cell.fault {
        field("to fix", wording::to_fix(fault));
    }
    if let Some(change) = &story.change {
        field("change", change);
    }
    for (place, way) in story.again.iter().enumerate() {
        if place == 0 { field("again", way) } else { field("", &format!("or, {way}")) }
    }
    text
}

/// The rule, and what was wrong unless the reason has said it.
fn rule(cell: &CellRecord, finding: &Finding) -> String {
    let Finding { rule, party, level, detail, .. } = finding;
    // In the reason it is a sentence, with a capital.
    let said = detail.get(1..).is_some_and(|rest| cell.reason.contains(rest));
    let detail = if said { String::new() } else { format!(": {detail}") };
    format!("{rule} ({level}, {}){detail}", wording::broken_by(*level, *party))
}

/// The command that plays a cell again; nothing, where one of its peers is known to the test alone.
pub fn command(cell: &CellRecord, local: &BTreeSet<PeerId>) -> Option<String> {
    let is_known = !local.contains(&cell.client) && !local.contains(&cell.server);
    is_known.then(|| {
        format!(
            "mcp-compat run --scenario '{}' --client {} --server {} --transport {}",
            cell.scenario, cell.client, cell.server, cell.transport
        )
    })
}
