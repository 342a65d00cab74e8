//! Reasons why an audit of a server cannot be made.

use mcp_compat_mocks::server::UnknownServer;
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::glob::{BadGlob, SelectError};

use crate::probe::ProbeError;

/// Reason why there is no audit. A defect of the server is not an error: the audit reports it.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The server could not be probed.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A glob is not valid, or selects nothing.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// The user asked to call a tool that is marked destructive.
    #[error("`{tool}` is marked destructive. mcp-compat never calls such tools: remove it from the calls")]
    Destructive {
        /// The tool.
        tool: String,
    },
    /// A tool is to be called in two ways.
    #[error(
        "`{tool}` is named more than once among the calls, with different arguments: each tool is called in one way"
    )]
    CalledInTwoWays {
        /// The tool.
        tool: String,
    },
    /// The arguments of a call cannot be used.
    #[error("the arguments given for `{tool}` cannot be used: {problem}")]
    Arguments {
        /// The tool.
        tool: String,
        /// Problem of the arguments.
        problem: String,
    },
    /// Real clients were asked for, and none of them can be played.
    #[error("no real client can be played: {0}")]
    NoRealClient(String),
    /// There is no mock that could stand in for the server.
    #[error(transparent)]
    StandIn(#[from] UnknownServer),
    /// The user ended the audit before the tools were listed.
    #[error("the audit was interrupted before the tools were listed")]
    Interrupted,
    /// The harness failed.
    #[error(transparent)]
    Host(#[from] HarnessError),
}

impl From<BadGlob> for AuditError {
    fn from(bad: BadGlob) -> Self {
        SelectError::from(bad).into()
    }
}
