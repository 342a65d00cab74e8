//! One of the two runs, with what is known of its verdicts.

use std::collections::BTreeSet;

use mcp_compat_model::CellId;
use mcp_compat_model::diff::Side;
use mcp_compat_model::record::Record;

/// One of the two runs.
#[derive(Clone, Copy, Debug)]
pub struct Run<'r> {
    /// What the user calls it.
    pub name: &'r str,
    /// Its record, with the verdicts to compare.
    pub record: &'r Record,
    /// How many of its cells were judged anew.
    pub judged_anew: u64,
    /// The cells whose verdicts are of another judge than the record says, because they could not be judged anew.
    pub old_verdicts: &'r BTreeSet<CellId>,
}

/// No cells.
static NONE: BTreeSet<CellId> = BTreeSet::new();

impl<'r> Run<'r> {
    /// A run with the verdicts that its record has.
    #[must_use]
    pub const fn new(name: &'r str, record: &'r Record) -> Self {
        Self { name, record, judged_anew: 0, old_verdicts: &NONE }
    }

    pub(crate) fn side(&self) -> Side {
        let Self { name, record, judged_anew, .. } = *self;
        Side {
            name: name.to_owned(),
            started: record.started.clone(),
            tool_version: record.tool_version.clone(),
            judge: record.judge.clone(),
            corpus: record.corpus.clone(),
            complete: record.complete,
            cells: record.cells.len() as u64,
            judged_anew,
        }
    }
}
