//! Two kept runs, opened and judged alike, so that they can be compared.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mcp_compat_model::CellId;
use mcp_compat_model::diff::Diff;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_reports::compare::{Options, Rejudge, Rejudged, Run, diff, is_judged_by_this};
use mcp_compat_run::history::{OpenedRun, open};

use crate::inputs::corpus;

/// Two runs whose verdicts are of the same judge, as far as their evidence allows it.
pub struct Compared {
    before: Opened,
    after: Opened,
}

/// A run, and what is known of its verdicts.
struct Opened {
    name: String,
    record: Record,
    judged_anew: u64,
    old_verdicts: BTreeSet<CellId>,
}

impl Compared {
    /// Opens two runs. Where they are of different judges, the evidence of each is judged by today's judge, with the
    /// embedded scenarios, those in `places`, and those that the records were played with.
    ///
    /// # Errors
    /// If one of them cannot be opened, or its evidence or the scenarios cannot be read. That the scenarios which a record
    /// names cannot be read is only told.
    pub fn open(before: &Path, after: &Path, places: &[PathBuf], tell: &dyn Fn(&str)) -> anyhow::Result<Self> {
        let mut old = open(before)?;
        if is_judged_by_this(&old.record) {
            // It will not be judged again, and nothing else looks at these: two runs of a fleet are large.
            let spare = |cell: &mut CellRecord| (cell.findings, cell.triangle) = (Vec::new(), None);
            old.record.cells.iter_mut().for_each(spare);
        }
        let new = open(after)?;
        let same_judge = old.record.judge.is_some() && old.record.judge == new.record.judge;
        let opened = |path: &Path, run: OpenedRun| {
            let name = path.display().to_string();
            if same_judge || is_judged_by_this(&run.record) {
                return Ok(Opened { name, record: run.record, judged_anew: 0, old_verdicts: BTreeSet::new() });
            }
            let Rejudged { record, judged_anew, old_verdicts } = judged_anew(run, places, tell)?;
            anyhow::Ok(Opened { name, record, judged_anew, old_verdicts })
        };
        Ok(Self { before: opened(before, old)?, after: opened(after, new)? })
    }

    /// The later run.
    pub const fn after(&self) -> &Record {
        &self.after.record
    }

    /// The later run.
    pub fn into_after(self) -> Record {
        self.after.record
    }

    /// What changed.
    ///
    /// # Errors
    /// If the two have nothing in common to compare.
    pub fn diff(&self, repeat: Option<&Record>) -> anyhow::Result<Diff> {
        let options = Options { repeat, ..Options::default() };
        Ok(diff(&self.before.run(), &self.after.run(), &options)?)
    }
}

impl Opened {
    fn run(&self) -> Run<'_> {
        Run { judged_anew: self.judged_anew, old_verdicts: &self.old_verdicts, ..Run::new(&self.name, &self.record) }
    }
}

/// A run with the verdicts of today's judge.
fn judged_anew(run: OpenedRun, places: &[PathBuf], tell: &dyn Fn(&str)) -> anyhow::Result<Rejudged> {
    let OpenedRun { record, evidence } = run;
    let scenarios = scenarios(&record, places, tell)?;
    let mut rejudge = Rejudge::new(record, scenarios.iter().map(AsRef::as_ref));
    if let Some(mut evidence) = evidence {
        while let Some(cell) = evidence.next_cell()? {
            rejudge.see(&cell);
        }
    }
    Ok(rejudge.finish())
}

/// The scenarios of today that a run may have been played with.
fn scenarios(
    record: &Record,
    places: &[PathBuf],
    tell: &dyn Fn(&str),
) -> anyhow::Result<Vec<std::sync::Arc<mcp_compat_scenario::Scenario>>> {
    if !places.is_empty() {
        return corpus::load(places);
    }
    let named: BTreeSet<PathBuf> =
        record.scenarios.iter().filter_map(|scenario| scenario.read_from.as_ref()).map(PathBuf::from).collect();
    let there: Vec<PathBuf> = named.into_iter().filter(|place| place.exists()).collect();
    corpus::load(&there).or_else(|error| {
        tell(&format!("the scenarios that a run names cannot be read: {error:#}. Name their folder with --scenarios"));
        corpus::load(&[])
    })
}
