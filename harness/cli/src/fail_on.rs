//! Severities at which an audit fails.

use clap::ValueEnum;
use mcp_compat_model::audit::{Audit, Severity, TestResult};
use mcp_compat_model::client_audit::ClientAudit;
use schemars::JsonSchema;
use serde::Deserialize;

/// Lowest severity at which an audit fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// An error, or a tool that most clients lose.
    #[default]
    Error,
    /// A loss by any client, or an error.
    Loss,
    /// A warning.
    Warning,
    /// A note.
    Note,
    /// Nothing.
    Never,
}

impl FailOn {
    /// Returns whether the audit fails if none of the calls that the user asked for returned a result.
    pub const fn wants_proof(self) -> bool {
        !matches!(self, Self::Never)
    }

    /// Returns whether the audit fails.
    pub fn fails(self, audit: &Audit) -> bool {
        let lost = match self {
            Self::Loss => audit.has_loss(),
            Self::Error | Self::Warning | Self::Note => audit.lost_to_most().next().is_some(),
            Self::Never => return false,
        };
        lost || audit.cut_short.is_some() || audit.worst() >= self.least()
    }

    /// Returns whether an audit with tests fails. The tests take the baseline into account, so they decide about the
    /// tools. The findings about the server as a whole are in no test and count by their severity.
    pub fn fails_with_tests(self, audit: &Audit) -> bool {
        let Some(least) = self.least() else { return false };
        let failed = audit.tests.iter().any(|test| test.result == TestResult::Failed);
        failed || audit.cut_short.is_some() || audit.findings.iter().any(|finding| finding.severity >= least)
    }

    /// Returns whether the audit of a client fails.
    pub fn fails_client(self, audit: &ClientAudit) -> bool {
        let Some(least) = self.least() else { return false };
        let is_lost = matches!(self, Self::Loss) && audit.has_loss();
        is_lost || !audit.stale.is_empty() || audit.worst() >= Some(least)
    }

    /// Returns the reason why the audit fails, if it would pass without the option.
    pub fn stricter(self, audit: &Audit) -> Option<String> {
        if Self::default().fails(audit) || !self.fails(audit) {
            return None;
        }
        let option = self.to_possible_value()?;
        let found = match (self, audit.worst()?) {
            (Self::Loss, _) => "a client loses something",
            (_, Severity::Note) => "the worst that it found is a note",
            (_, Severity::Warning) => "the worst that it found is a warning",
            (_, Severity::Error) => "it found an error",
        };
        Some(format!("the audit failed, as --fail-on {} asks: {found}", option.get_name()))
    }

    /// Returns the lowest severity that fails.
    const fn least(self) -> Option<Severity> {
        match self {
            Self::Error | Self::Loss => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Note => Some(Severity::Note),
            Self::Never => None,
        }
    }
}
