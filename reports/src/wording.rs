//! The words of a verdict, the same in every report: what is lost, and where the fix belongs.

use mcp_compat_model::Role;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::{BlastRadius, Fault, Finding, Level, Outcome, Party};

/// The revision that was spoken. Where no session was opened, one that the client asked for was not agreed.
#[must_use]
pub fn negotiated(cell: &CellRecord) -> String {
    match (cell.negotiated, cell.outcome) {
        (None, _) => "no revision".to_owned(),
        (Some(revision), Outcome::Unreachable) => format!("no revision; the client asked for {revision}"),
        (Some(revision), _) => revision.to_string(),
    }
}

/// What is lost, in a word or two.
#[must_use]
pub const fn lost(radius: BlastRadius) -> &'static str {
    match radius {
        BlastRadius::Call => "call",
        BlastRadius::Tool => "tool",
        BlastRadius::Server => "all tools",
        BlastRadius::Session => "session",
    }
}

/// What is lost and what is left, in a sentence.
#[must_use]
pub const fn lost_and_left(radius: BlastRadius) -> &'static str {
    match radius {
        BlastRadius::Call => "this call; the tool is listed, and the other tools answer",
        BlastRadius::Tool => "this tool; the other tools answer",
        BlastRadius::Server => "all tools of the server",
        BlastRadius::Session => "the session; the client cannot use this server",
    }
}

/// Where the fix belongs, in a word or two.
#[must_use]
pub const fn to_fix(fault: Fault) -> &'static str {
    match fault {
        Fault::Client => "client",
        Fault::Server => "server",
        Fault::Both => "both",
        Fault::Spec => "unclear in the spec",
        Fault::Harness => "mcp-compat",
    }
}

/// Who did not do what a rule says, in a few words.
#[must_use]
pub const fn broken_by(level: Level, party: Party) -> &'static str {
    match (level, party) {
        (_, Party::Spec) => "the specification is ambiguous",
        (Level::May, Party::Client) => "not followed by the client, which is allowed",
        (Level::May, Party::Server) => "not followed by the server, which is allowed",
        (Level::Must | Level::Should, Party::Client) => "broken by the client",
        (Level::Must | Level::Should, Party::Server) => "broken by the server",
    }
}

/// Returns whether a finding violates its rule: what a rule says that a party may do can be left undone.
#[must_use]
pub fn is_violation(finding: &Finding) -> bool {
    finding.level != Level::May
}

/// What a message is to a finding that it shows: a message violates only a rule of its sender.
#[must_use]
pub fn of_message(finding: &Finding, from: Role) -> Relation {
    let is_sender = match finding.party {
        Party::Client => from == Role::Client,
        Party::Server => from == Role::Server,
        Party::Spec => false,
    };
    if is_sender && is_violation(finding) { Relation::Violates } else { Relation::Concerns }
}

/// What a message is to a rule, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// It violates the rule.
    Violates,
    /// It shows what the finding is about: the message that the other party did not take, or what a rule allows.
    Concerns,
}

impl Relation {
    /// The verb.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Violates => "violates",
            Self::Concerns => "concerns",
        }
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
