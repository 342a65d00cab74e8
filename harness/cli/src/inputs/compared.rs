//! Opens two stored runs and judges them by the same rules, so that they can be compared.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mcp_compat_model::CellId;
use mcp_compat_model::diff::Diff;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_reports::compare::{Options, Rejudge, Rejudged, Run, diff, is_judged_by_this};
use mcp_compat_run::history::{OpenedRun, open};

use crate::inputs::corpus;

/// Two runs whose verdicts come from the same version of the judge, as far as their evidence allows.
pub struct Compared {
    before: Opened,
    after: Opened,
}

/// Run, with the origin of its verdicts.
struct Opened {
    name: String,
    record: Record,
    judged_anew: u64,
    old_verdicts: BTreeSet<CellId>,
}

impl Compared {
    /// Opens two runs. If different versions of the judge made their verdicts, the evidence of each is judged by the
    /// present version, with the embedded scenarios, those in `places`, and those that the records were played with.
    ///
    /// # Errors
    /// If one of them cannot be opened, or its evidence or the scenarios cannot be read. If only the scenarios that a
    /// record names cannot be read, `warn` gets a message.
    pub fn open(before: &Path, after: &Path, places: &[PathBuf], warn: &dyn Fn(&str)) -> anyhow::Result<Self> {
        let mut old = open(before)?;
        if is_judged_by_this(&old.record) {
            // These fields are needed only to judge again, and two runs of a fleet use much memory.
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
            let Rejudged { record, judged_anew, old_verdicts } = judged_anew(run, places, warn)?;
            anyhow::Ok(Opened { name, record, judged_anew, old_verdicts })
        };
        Ok(Self { before: opened(before, old)?, after: opened(after, new)? })
    }

    pub const fn after(&self) -> &Record {
        &self.after.record
    }

    pub fn into_after(self) -> Record {
        self.after.record
    }

    /// Compares the runs; `repeat` is a record in which worse cells were played again.
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

/// Judges a run again by the present judge.
fn judged_anew(run: OpenedRun, places: &[PathBuf], warn: &dyn Fn(&str)) -> anyhow::Result<Rejudged> {
    let OpenedRun { record, evidence } = run;
    let scenarios = scenarios(&record, places, warn)?;
    let mut rejudge = Rejudge::new(record, scenarios.iter().map(AsRef::as_ref));
    if let Some(mut evidence) = evidence {
        while let Some(cell) = evidence.next_cell()? {
            rejudge.see(&cell);
        }
    }
    Ok(rejudge.finish())
}

/// Returns the present scenarios that a run may have been played with.
fn scenarios(
    record: &Record,
    places: &[PathBuf],
    warn: &dyn Fn(&str),
) -> anyhow::Result<Vec<std::sync::Arc<mcp_compat_scenario::Scenario>>> {
    if !places.is_empty() {
        return corpus::load(places);
    }
    let named: BTreeSet<PathBuf> =
        record.scenarios.iter().filter_map(|scenario| scenario.read_from.as_ref()).map(PathBuf::from).collect();
    let there: Vec<PathBuf> = named.into_iter().filter(|place| place.exists()).collect();
    corpus::load(&there).or_else(|error| {
        warn(&format!("the scenarios that a run names cannot be read: {error:#}. Name their folder with --scenarios"));
        corpus::load(&[])
    })
}
