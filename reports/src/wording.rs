//! The words of a verdict, the same in every report: what is lost, and where the fix belongs.

use mcp_compat_model::verdict::{BlastRadius, Fault, Level, Party};

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
