//! Runs of a site: the newest one with its evidence, and those before it. Of these, one is in memory at a time where it is
//! compared with the newest one. Of older ones, only the verdicts are read, of a few at a time.

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

/// A run that is to be shown.
#[derive(Debug)]
struct Wanted {
    /// When it began.
    started: String,
    /// What it played, and how many cells it has: what tells it from others of the same time.
    corpus: String,
    cells: u64,
    /// Where it is.
    path: PathBuf,
    /// The run, while it is in memory.
    opened: Option<Box<OpenedRun>>,
}

/// The runs, by the times at which they began, the newest last.
#[derive(Debug)]
pub struct Runs(Vec<Wanted>);

impl Runs {
    /// The runs in `named`, and those of a history that are not among them.
    ///
    /// # Errors
    /// If one of them cannot be read, two began at the same time, or there is none.
    pub fn find(named: &[PathBuf], history: Option<&Path>) -> anyhow::Result<Self> {
        let mut runs: Vec<Wanted> = Vec::new();
        for path in named {
            let run = open(path)?;
            let (started, corpus, cells) =
                (run.record.started.clone(), run.record.corpus.clone(), run.record.cells.len() as u64);
            // The newest one is needed first, the others one by one.
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
            // The history keeps less of a run than its own folder.
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

    /// Takes the newest run.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn newest(&mut self) -> anyhow::Result<OpenedRun> {
        self.0.pop().context("there is no run")?.open()
    }

    /// Those before it, as they compare with it.
    ///
    /// # Errors
    /// If one of them cannot be read.
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

/// A run of the history in a folder.
fn kept(folder: &Path, Entry { name, summary, .. }: Entry) -> Wanted {
    let path = folder.join("runs").join(format!("{name}{ENDING}"));
    Wanted { started: summary.started, corpus: summary.corpus, cells: summary.cells, path, opened: None }
}

/// What the newest run changed against an earlier one; nothing, where they cannot be compared.
fn changes(before: &Record, after: &Record) -> Option<Diff> {
    let (before, after) = (
        mcp_compat_reports::compare::Run::new("before", before),
        mcp_compat_reports::compare::Run::new("after", after),
    );
    diff(&before, &after, &Options::default()).ok()
}
