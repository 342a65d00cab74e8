//! Reasons why an audit of a server cannot be made.

use mcp_compat_mocks::server::UnknownServer;
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::glob::{BadGlob, SelectError};

use crate::probe::ProbeError;

/// Reason why there is no audit. A defect of the server is not an error: the audit reports it.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    #[error(transparent)]
    Probe(#[from] ProbeError),
    #[error(transparent)]
    Select(#[from] SelectError),
    #[error("`{tool}` is marked destructive. mcp-compat never calls such tools: remove it from the calls")]
    Destructive { tool: String },
    #[error(
        "`{tool}` is named more than once among the calls, with different arguments: each tool is called in one way"
    )]
    CalledInTwoWays { tool: String },
    #[error("the arguments given for `{tool}` cannot be used: {problem}")]
    Arguments { tool: String, problem: String },
    #[error("no real client can be played: {0}")]
    NoRealClient(String),
    #[error(transparent)]
    StandIn(#[from] UnknownServer),
    #[error("the audit was interrupted before the tools were listed")]
    Interrupted,
    #[error(transparent)]
    Host(#[from] HarnessError),
}

impl From<BadGlob> for AuditError {
    fn from(bad: BadGlob) -> Self {
        SelectError::from(bad).into()
    }
}
