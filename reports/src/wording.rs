//! The words of a verdict, the same in every report: what is lost, and where the fix belongs.

use mcp_compat_model::verdict::{BlastRadius, Fault};

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
