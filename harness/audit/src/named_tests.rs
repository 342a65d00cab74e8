//! An audit as tests, compared with what is expected of the server.
//!
//! ```text
//! Audited + AuditStories ── Expected: baseline, calls that fail, tools without a call ──> NamedTests
//! ```

use std::collections::BTreeSet;
use std::path::Path;

use mcp_compat_model::audit::{Audit, CallState, NamedTest};
use mcp_compat_reports::failure::{self, AuditStories, Dialect, ExpectedCalls, Naming};
use mcp_compat_run::baseline::Renewal;
use mcp_compat_run::baseline_file::{BaselineFile, BaselineFileError};
use mcp_compat_run::glob::{BadGlob, Glob};

use crate::server::Audited;

/// Expectations of a server, checked before it is asked.
#[derive(Clone, Debug)]
pub struct Expected {
    dialect: Dialect,
    errors: BTreeSet<String>,
    may_be_uncalled: Vec<Glob>,
    baseline: Option<BaselineFile>,
}

/// An audit with its tests.
#[derive(Clone, Debug)]
pub struct NamedTests {
    /// The audit. Its tests are each tool with each client, each call that was to fail, and each tool of which nothing was
    /// proven.
    pub audit: Audit,
    /// Changes to the baseline, if it was rewritten.
    pub renewal: Option<Renewal>,
}

/// Reason why the expectations cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ExpectedError {
    #[error(transparent)]
    Glob(#[from] BadGlob),
    #[error(transparent)]
    Baseline(#[from] BaselineFileError),
}

impl Expected {
    /// `errors` are the tools whose call is to fail, `uncalled` the globs of those that may stay without a call.
    pub fn new(
        dialect: Dialect,
        errors: impl IntoIterator<Item = String>,
        uncalled: &[String],
        baseline: Option<&Path>,
    ) -> Result<Self, ExpectedError> {
        let may_be_uncalled = uncalled.iter().map(|glob| Glob::new(glob)).collect::<Result<_, _>>()?;
        let baseline = baseline.map(BaselineFile::open).transpose()?;
        Ok(Self { dialect, errors: errors.into_iter().collect(), may_be_uncalled, baseline })
    }

    pub fn baseline(&self) -> Option<&BaselineFile> {
        self.baseline.as_ref()
    }

    /// The tools of which nothing was proven, each with why and what to do.
    pub fn unproven(&self, audit: &Audit) -> Vec<(String, String)> {
        let may_be_uncalled = |tool: &str| self.may_be_uncalled.iter().any(|glob| glob.matches(tool));
        let expected = ExpectedCalls { dialect: self.dialect, may_be_uncalled: &may_be_uncalled, errors: &self.errors };
        failure::unproven_tools(audit, &expected)
    }

    /// The audit as tests. `again` says how a test is run again.
    pub fn tests(
        &self,
        audited: Audited,
        stories: AuditStories,
        again: impl Fn(&NamedTest) -> Vec<String>,
    ) -> Result<NamedTests, BaselineFileError> {
        let Audited { mut audit, mut record, matrix, .. } = audited;
        self.mark_expected(&mut audit);
        let stories = stories.complete(&mut record, &audit);
        let (mut renewal, mut stale) = (None, Vec::new());
        if let Some(file) = &self.baseline {
            if file.renews() {
                renewal = file.settle(&mut record, &matrix)?;
            } else {
                file.baseline().check(&matrix)?;
                stale = file.baseline().settle_cells(&mut record.cells);
            }
        }
        // An audit that was cut short shows nothing about an entry.
        stale.retain(|_| record.complete);
        let naming = Naming { dialect: self.dialect, unproven: self.unproven(&audit), stale: &stale, again: &again };
        audit.tests = failure::named_tests(&audit, record, stories, naming);
        Ok(NamedTests { audit, renewal })
    }

    /// Marks the calls that failed as they were to.
    fn mark_expected(&self, audit: &mut Audit) {
        for tool in audit.tools.iter_mut().filter(|tool| self.errors.contains(&tool.name)) {
            if let CallState::Failed { option, expected, .. } = &mut tool.call {
                (*option, *expected) = (None, true);
            }
        }
    }
}
