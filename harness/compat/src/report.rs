//! Report of a run, for a test to assert on.

use mcp_compat_model::audit::Audit;
use mcp_compat_model::invisible_chars::without_ci_commands;
use mcp_compat_model::record::{CellRecord, Record};

use mcp_compat_reports::failure::{self, Stories};
use mcp_compat_run::baseline::Renewal;

/// Report of a [`Suite`](crate::Suite) or a [`ServerUnderTest`](crate::ServerUnderTest).
#[derive(Clone, Debug)]
pub struct Report {
    record: Record,
    stories: Stories,
    renewal: Option<Renewal>,
    audit: Option<Audit>,
    /// Messages about the tools of a server under test whose results were not seen, with the next step.
    unproven: Vec<String>,
}

impl Report {
    pub(crate) fn new(record: Record, stories: Stories, renewal: Option<Renewal>) -> Self {
        Self { record, stories, renewal, audit: None, unproven: Vec::new() }
    }

    pub(crate) fn with_audit(self, audit: Audit, unproven: Vec<String>) -> Self {
        Self { audit: Some(audit), unproven, ..self }
    }

    /// Returns the record of the run.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Returns the whole report on a server under test: the rules that its tools violate, and the necessary changes.
    #[must_use]
    pub fn audit(&self) -> Option<&Audit> {
        self.audit.as_ref()
    }

    pub(crate) fn renewal(&self) -> Option<&Renewal> {
        self.renewal.as_ref()
    }

    /// Returns the cells that break and are not in the baseline.
    pub fn breaks(&self) -> impl Iterator<Item = &CellRecord> {
        self.record.cells.iter().filter(|cell| cell.is_new_break())
    }

    /// Passes if the baseline lists every break and has no stale entry, and at least one cell was judged. For a server
    /// under test, each tool must have been called.
    ///
    /// # Panics
    /// When there is a new break, with a message that has each distinct cause once and names what breaks for it; when the
    /// baseline has a stale entry; or when no cell was judged, a tool was not called, or the run was not complete.
    #[track_caller]
    pub fn assert_no_breaks(&self) {
        let message = match &self.audit {
            Some(audit) => failure::of_audit(&self.record, &self.stories, audit, &self.unproven),
            None => failure::of_run(&self.record, &self.stories),
        };
        assert!(message.is_empty(), "{}", without_ci_commands(&message));
    }
}
