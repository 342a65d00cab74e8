//! Reads the runs of a site: the newest one with its evidence, and the earlier ones. The earlier runs that are compared
//! with the newest one are in memory one at a time. For the others, only the verdicts are read, a few runs at a time.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context as _, bail};
use mcp_compat_model::diff::Diff;
use mcp_compat_model::record::Record;
use mcp_compat_model::run_verdicts::RunVerdicts;
use mcp_compat_reports::compare::{Options, diff};
use mcp_compat_reports::site::Earlier;
use mcp_compat_run::history::{ENDING, Entry, History, OpenedRun, open, open_verdicts};

/// Number of runs whose verdicts are read at a time, each on a thread of its own.
const AT_ONCE: usize = 8;

#[derive(Debug)]
struct Wanted {
    /// Time at which it began.
    started: String,
    /// Digest of the scenarios, which with the number of cells identifies a run of the same time.
    corpus: String,
    cells: u64,
    path: PathBuf,
    /// The run, while it is in memory.
    opened: Option<Box<OpenedRun>>,
}

/// Runs, ordered by the time at which they began, the newest last.
#[derive(Debug)]
pub struct Runs(Vec<Wanted>);

impl Runs {
    /// Finds the runs in `named`, and the runs of a history that are not among them.
    pub fn find(named: &[PathBuf], history: Option<&Path>) -> anyhow::Result<Self> {
        let mut runs: Vec<Wanted> = Vec::new();
        for path in named {
            let run = open(path)?;
            let (started, corpus, cells) =
                (run.record.started.clone(), run.record.corpus.clone(), run.record.cells.len() as u64);
            // Only the newest run stays in memory.
            let is_newest = runs.iter().all(|other| other.started < started);
            if is_newest {
                runs.iter_mut().for_each(|other| other.opened = None);
            }
            let opened = is_newest.then(|| Box::new(run));
            runs.push(Wanted { started, corpus, cells, path: path.clone(), opened });
        }
        if let Some(folder) = history {
            let kept: Vec<Wanted> =
                History::at(folder).entries()?.into_iter().map(|entry| kept(folder, entry)).collect();
            // A run in its own folder has more evidence than in the history.
            let is_named = |kept: &Wanted| {
                let same = |named: &Wanted| {
                    (&named.started, &named.corpus, named.cells) == (&kept.started, &kept.corpus, kept.cells)
                };
                runs.iter().any(same)
            };
            let others: Vec<Wanted> = kept.into_iter().filter(|kept| !is_named(kept)).collect();
            runs.extend(others);
        }
        if runs.is_empty() {
            bail!("the history has no run yet: add one with `mcp-compat history add`");
        }
        runs.sort_by(|one, other| one.started.cmp(&other.started));
        for pair in runs.windows(2) {
            let (one, other) = (&pair[0], &pair[1]);
            if one.started == other.started {
                bail!(
                    "{} and {} both began at {:?}, and pages tell runs apart by their times: leave one of them out",
                    one.path.display(),
                    other.path.display(),
                    one.started,
                );
            }
        }
        Ok(Self(runs))
    }

    pub fn newest(&mut self) -> anyhow::Result<OpenedRun> {
        self.0.pop().context("there is no run")?.open()
    }

    /// Compares the earlier runs with the newest one.
    pub fn before(self, newest: &Record) -> anyhow::Result<Earlier<'_>> {
        let mut earlier = Earlier::than(newest);
        let mut runs: Vec<Wanted> = self.0;
        while earlier.wants_record()
            && let Some(wanted) = runs.pop()
        {
            let run = wanted.open()?.record;
            let diff = if earlier.is_empty() { changes(&run, newest) } else { None };
            earlier.add(&run, diff);
        }
        runs.reverse();
        for some in runs.chunks(AT_ONCE) {
            let all: Vec<_> = thread::scope(|scope| {
                let threads: Vec<_> = some.iter().map(|run| scope.spawn(|| run.verdicts())).collect();
                threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
            });
            for verdicts in all {
                earlier.add_verdicts(&verdicts?);
            }
        }
        Ok(earlier)
    }
}

impl Wanted {
    fn open(self) -> anyhow::Result<OpenedRun> {
        match self.opened {
            Some(run) => Ok(*run),
            None => Ok(open(&self.path)?),
        }
    }

    fn verdicts(&self) -> anyhow::Result<RunVerdicts> {
        match &self.opened {
            Some(run) => Ok(RunVerdicts::of(&run.record)),
            None => Ok(open_verdicts(&self.path)?),
        }
    }
}

/// Returns a run of the history in a folder.
fn kept(folder: &Path, Entry { name, summary, .. }: Entry) -> Wanted {
    let path = folder.join("runs").join(format!("{name}{ENDING}"));
    Wanted { started: summary.started, corpus: summary.corpus, cells: summary.cells, path, opened: None }
}

/// Compares the newest run with an earlier one; `None` if they cannot be compared.
fn changes(before: &Record, after: &Record) -> Option<Diff> {
    let (before, after) = (
        mcp_compat_reports::compare::Run::new("before", before),
        mcp_compat_reports::compare::Run::new("after", after),
    );
    diff(&before, &after, &Options::default()).ok()
}
