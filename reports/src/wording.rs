//! Words of a verdict, the same in every report: the loss, the party responsible for the fix, and the evidence of
//! mocks.

use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::{CellRecord, Record, Recorded};
use mcp_compat_model::signature::Place;
use mcp_compat_model::triangle::{Testimony, Witness};
use mcp_compat_model::verdict::{BlastRadius, Fault, Finding, Level, Outcome, Party};
use mcp_compat_model::{Cell, CellId, PeerId, Role};

/// Negotiated revision. Without a session, the revision that the client asked for was not agreed.
pub fn negotiated(cell: &CellRecord) -> String {
    match (cell.negotiated, cell.outcome) {
        (None, _) => "no revision".to_owned(),
        (Some(revision), Outcome::Unreachable) if !is_session_open(cell) => {
            format!("no revision; the client asked for {revision}")
        }
        (Some(revision), _) => revision.to_string(),
    }
}

/// Origin of a recorded peer, in words: `recorded 2026-11-29 with mcp-compat 0.1.0 on linux x86_64`.
pub fn recorded(recorded: &Recorded) -> String {
    let Recorded { started, tool_version, platform } = recorded;
    let day = started.split('T').next().unwrap_or_default();
    let platform = platform.as_deref().map(|platform| format!(" on {platform}")).unwrap_or_default();
    neutralised(&format!("recorded {day} with mcp-compat {tool_version}{platform}"))
}

/// Sentence about a run that ended before all checks were done, without its full stop.
pub fn ended_early(record: &Record) -> String {
    let played = record.cells.len() as u64;
    match record.unplayed() {
        0 => "the run ended before every check had a verdict".to_owned(),
        missing => {
            let all = counted(usize::try_from(played + missing).unwrap_or(usize::MAX), "check");
            format!("the run ended before {} of {all} had a verdict", thousands(missing))
        }
    }
}

/// Returns true if a cell broke at a request of a session, not before there was one.
fn is_session_open(cell: &CellRecord) -> bool {
    cell.signature.as_ref().is_some_and(|signature| signature.place != Place::Session)
}

/// Outcome as people read it. The outcomes of an error say what the user of the client sees of it.
pub const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Told => "error shown",
        Outcome::Masked => "wrong error",
        Outcome::Swallowed => "error hidden",
        Outcome::Intact
        | Outcome::Wrapped
        | Outcome::Text
        | Outcome::Prose
        | Outcome::Rejected
        | Outcome::Altered
        | Outcome::Lost
        | Outcome::Caught
        | Outcome::Uncaught
        | Outcome::Unreachable
        | Outcome::Hung
        | Outcome::Crashed
        | Outcome::Incomplete
        | Outcome::Unsupported => outcome.as_str(),
    }
}

/// Name of a loss, in a word or two.
pub const fn lost(radius: BlastRadius) -> &'static str {
    match radius {
        BlastRadius::Call => "the call",
        BlastRadius::Tool => "the tool",
        BlastRadius::Server => "all tools",
        BlastRadius::Session => "the session",
    }
}

/// Loss of a cell for the user of the client, in a word or two.
pub fn lost_by_user(cell: &CellRecord) -> &'static str {
    match (cell.outcome, cell.blast_radius) {
        (Outcome::Uncaught, _) => "the check",
        (_, Some(BlastRadius::Session)) => "session",
        (_, Some(radius @ (BlastRadius::Server | BlastRadius::Tool))) => lost(radius),
        (Outcome::Told | Outcome::Masked | Outcome::Swallowed, _) => "the error",
        (_, Some(BlastRadius::Call) | None) => "the value",
    }
}

/// Loss and what still works, in a sentence.
pub const fn lost_and_left(radius: BlastRadius) -> &'static str {
    match radius {
        BlastRadius::Call => "the value (tool and server still usable)",
        BlastRadius::Tool => "the tool (other tools still usable)",
        BlastRadius::Server => "all tools of the server",
        BlastRadius::Session => "the session; the client cannot use this server",
    }
}

/// Party responsible for the fix, in a word or two.
pub const fn to_fix(fault: Fault) -> &'static str {
    match fault {
        Fault::Client => "client",
        Fault::Server => "server",
        Fault::Both => "both",
        Fault::Spec => "unclear in the spec",
        Fault::Harness => "mcp-compat",
    }
}

/// Party that did not follow a rule, in a few words.
pub const fn broken_by(level: Level, party: Party) -> &'static str {
    match (level, party) {
        (_, Party::Spec) => "the specification is ambiguous",
        (Level::May, Party::Client) => "not followed by the client, which is allowed",
        (Level::May, Party::Server) => "not followed by the server, which is allowed",
        (Level::Must | Level::Should, Party::Client) => "broken by the client",
        (Level::Must | Level::Should, Party::Server) => "broken by the server",
    }
}

/// Returns whether a finding violates its rule. A rule of level MAY cannot be violated.
pub fn is_violation(finding: &Finding) -> bool {
    finding.level != Level::May
}

/// Relation of a message to a finding that refers to it: a message violates only a rule of its sender.
pub fn of_message(finding: &Finding, from: Role) -> Relation {
    let is_sender = match finding.party {
        Party::Client => from == Role::Client,
        Party::Server => from == Role::Server,
        Party::Spec => false,
    };
    if is_sender && is_violation(finding) { Relation::Violates } else { Relation::Concerns }
}

/// Relation of a message to a rule, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// The message violates the rule.
    Violates,
    /// The message is evidence of the finding: the other party rejected it, or the rule allows it.
    Concerns,
}

impl Relation {
    /// Verb of the relation.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Violates => "violates",
            Self::Concerns => "concerns",
        }
    }
}

/// Party responsible for the fix of a cell, with a note on the evidence of mocks.
pub fn to_fix_of(cell: &CellRecord) -> Option<String> {
    let to_fix = to_fix(cell.fault?);
    Some(match &cell.triangle {
        Some(triangle) if triangle.tells() => format!("to fix: {to_fix} (mocks confirm it)"),
        Some(triangle) if triangle.only_together() => format!("to fix: {to_fix} (breaks only together)"),
        Some(_) | None => format!("to fix: {to_fix}"),
    })
}

/// Results of both peers of a cell with mocks; `None` if neither was played with one.
pub fn with_mocks(cell: &CellRecord) -> Option<String> {
    let triangle = cell.triangle.as_ref()?;
    let mut results = Vec::new();
    if let Some(witness) = &triangle.client {
        results.push(format!("{} with {}: {}", cell.client, mock(witness, |mock| mock.server), testimony(witness)));
    }
    if let Some(witness) = &triangle.server {
        results.push(format!("{} with {}: {}", cell.server, mock(witness, |mock| mock.client), testimony(witness)));
    }
    if results.is_empty() {
        return None;
    }
    let mut text = results.join("; ");
    if cell.fault != Some(triangle.alone) {
        text.push_str(&format!("; judged by this check alone, to fix: {}", to_fix(triangle.alone)));
    }
    Some(text)
}

/// Name of the mock in the cell of a witness.
fn mock(witness: &Witness, of: impl Fn(Cell) -> PeerId) -> String {
    CellId::parse(witness.cell.as_str()).map_or_else(|_| "a mock".to_owned(), |cell| of(cell).to_string())
}

fn testimony(witness: &Witness) -> String {
    match witness.says {
        Testimony::Guilty => format!("also {}, by its own fault", outcome(witness.outcome)),
        Testimony::Clear => "works".to_owned(),
        Testimony::Unclear => format!("{}, which shows nothing about it", outcome(witness.outcome)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_violates_only_what_binds_its_sender() {
        let finding = |party, level| Finding {
            rule: "a-rule".to_owned(),
            level,
            party,
            revision: None,
            source: String::new(),
            detail: String::new(),
            tool: None,
            messages: vec![0],
        };
        let of_server = finding(Party::Server, Level::Must);
        assert_eq!(of_message(&of_server, Role::Server), Relation::Violates);
        assert_eq!(of_message(&of_server, Role::Client), Relation::Concerns);
        let of_client = finding(Party::Client, Level::Should);
        assert_eq!(of_message(&of_client, Role::Server), Relation::Concerns);
        assert_eq!(of_message(&of_client, Role::Client), Relation::Violates);
        assert_eq!(of_message(&finding(Party::Server, Level::May), Role::Server), Relation::Concerns);
        assert_eq!(of_message(&finding(Party::Spec, Level::Must), Role::Server), Relation::Concerns);
    }
}
