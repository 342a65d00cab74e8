//! What was found, for a test to assert on.

use mcp_compat_model::audit::Audit;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::unseen::without_ci_commands;

use mcp_compat_reports::failure::{self, Stories};
use mcp_compat_run::baseline::Renewal;

/// What a [`Suite`](crate::Suite) or a [`ServerUnderTest`](crate::ServerUnderTest) found.
#[derive(Clone, Debug)]
pub struct Report {
    record: Record,
    stories: Stories,
    renewal: Option<Renewal>,
    audit: Option<Audit>,
    /// The tools of a server under test of which nothing was proven: why, and what to do.
    unproven: Vec<String>,
}

impl Report {
    pub(crate) fn new(record: Record, stories: Stories, renewal: Option<Renewal>) -> Self {
        Self { record, stories, renewal, audit: None, unproven: Vec::new() }
    }

    pub(crate) fn with_audit(self, audit: Audit, unproven: Vec<String>) -> Self {
        Self { audit: Some(audit), unproven, ..self }
    }

    /// The record of the run.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The whole report on a server under test: which rules its tools violate, and what to change.
    #[must_use]
    pub fn audit(&self) -> Option<&Audit> {
        self.audit.as_ref()
    }

    pub(crate) fn renewal(&self) -> Option<&Renewal> {
        self.renewal.as_ref()
    }

    /// The cells that break and that no baseline knows of.
    pub fn breaks(&self) -> impl Iterator<Item = &CellRecord> {
        self.record.cells.iter().filter(|cell| cell.is_new_break())
    }

    /// Passes when nothing breaks but what the baseline knows of, the baseline has no stale entry, and something was
    /// proven at all; of a server under test, about each of its tools.
    ///
    /// # Panics
    /// When there is a new break, with each distinct cause told once and each broken tool named; or a stale entry; or when
    /// no cell was judged, a tool was not called, or the run was not played to its end.
    #[track_caller]
    pub fn assert_no_breaks(&self) {
        let broken = self.audit.as_ref().map(|audit| failure::broken_tools(&self.record, audit)).unwrap_or_default();
        let mut told = vec![failure::of_run(&self.record, &self.stories), broken];
        told.extend(self.unproven.iter().cloned());
        told.retain(|text| !text.is_empty());
        let told = told.iter().map(|text| text.trim_end()).collect::<Vec<_>>().join("\n\n");
        assert!(told.is_empty(), "{}", without_ci_commands(&told));
    }
}
