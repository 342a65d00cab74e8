//! A folder that keeps the runs of months.
//!
//! ```text
//! DIR/runs/2026-11-22T030000Z.mcpc.gz    a run, named by the time at which it began
//! DIR/evidence/<sha256>.gz               what happened in the cells of a run that break, for the newest runs
//! ```

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use mcp_compat_drive::files::{atomic_file, input_file};
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::history::compact::{CompactError, Head, Summary, encode, hex, kept, read_head};
use crate::history::evidence;
use crate::history::keep::{Age, Retention, superfluous};
use crate::history::open::{ENDING, OpenError, OpenedRun, open, read_compact};

/// The folder of runs in a history.
const RUNS: &str = "runs";

/// Number of seconds of a day.
const DAY: i64 = 86_400;

/// A folder that keeps runs.
#[derive(Clone, Debug)]
pub struct History {
    folder: PathBuf,
}

/// A run of a history, as a list of them has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Entry {
    /// Its name: the time at which it began, such as `2026-11-22T030000Z`.
    pub name: String,
    /// Sums of the run.
    #[serde(flatten)]
    pub summary: Summary,
    /// True if a verdict differs from the run before. Absent for the first run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<bool>,
    /// True if the evidence of its breaks is there.
    pub has_evidence: bool,
    /// Size of its file, in bytes.
    pub bytes: u64,
    /// The name of its evidence.
    #[serde(skip)]
    evidence: Option<String>,
    #[serde(skip)]
    day: i64,
}

/// Options for adding a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Adding {
    /// Accept a run that played another corpus than the run before it.
    pub new_corpus: bool,
    /// Do not keep the evidence of its breaks.
    pub without_evidence: bool,
}

/// Result of adding a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    /// The history has it now.
    New {
        path: PathBuf,
        /// Size of the file, in bytes.
        bytes: u64,
        /// Size of its evidence, in bytes, if that is kept.
        evidence: Option<u64>,
    },
    /// The history had it before.
    Known { path: PathBuf },
}

/// Files that pruning removes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub runs: Vec<PathBuf>,
    pub evidence: Vec<PathBuf>,
}

/// Reason why a history cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("cannot add {}: {error}", .run.display())]
    Compact { run: PathBuf, error: CompactError },
    #[error("cannot add {}: it has not all shards of its run. Join them all with `mcp-compat report --merge` and add the whole", .run.display())]
    Shard { run: PathBuf },
    #[error("cannot add {}: it has no checks. Add a run in which something was tested", .run.display())]
    Empty { run: PathBuf },
    #[error("cannot add {}: it began at {started:?}, which is not a time such as 2026-11-22T03:00:00Z", .run.display())]
    Time {
        run: PathBuf,
        /// The time, as the run states it.
        started: String,
    },
    #[error(
        "adding {}: the history has another run that began at the same time, {}. Remove one of them, or choose another history",
        .run.display(), .other.display()
    )]
    SameTime {
        run: PathBuf,
        /// The file of the other one.
        other: PathBuf,
    },
    #[error(
        "adding {}: it has the scenarios {corpus}, and the run {other} of the history has {other_corpus}. If the scenarios have changed, add --new-corpus",
        .run.display()
    )]
    OtherCorpus {
        run: PathBuf,
        corpus: String,
        /// The name of the run before it.
        other: String,
        other_corpus: String,
    },
    #[error("{} is not a history: it has no folder `runs`. `mcp-compat history add RUN --into DIR` makes one", .path.display())]
    None { path: PathBuf },
    #[error("cannot read the history: {} has the run of {name}; rename or remove it", .path.display())]
    Misnamed {
        path: PathBuf,
        /// The name that it should have.
        name: String,
    },
    #[error("cannot read the history {}: {error}", .path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        error: io::Error,
    },
    #[error("cannot write the history {}: {error}. The history is as it was", .path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        error: io::Error,
    },
    #[error("cannot remove {}: {error}", .path.display())]
    Remove { path: PathBuf, error: io::Error },
}

impl History {
    /// The history in a folder, which need not be there.
    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Its runs, the oldest first. Only their heads are read.
    ///
    /// # Errors
    /// If there is no history, or a file of it is not a run, is of a later format, or has another name than its run.
    pub fn entries(&self) -> Result<Vec<Entry>, HistoryError> {
        let runs = self.folder.join(RUNS);
        if !runs.is_dir() {
            return Err(HistoryError::None { path: self.folder.clone() });
        }
        let mut entries = Vec::new();
        for file in names(&runs)? {
            if let Some(name) = file.strip_suffix(ENDING) {
                entries.push(self.entry(name)?);
            }
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        for place in (1..entries.len()).rev() {
            entries[place].changed = Some(entries[place].summary.verdicts != entries[place - 1].summary.verdicts);
        }
        Ok(entries)
    }

    fn entry(&self, name: &str) -> Result<Entry, HistoryError> {
        let path = self.path_of(name);
        let unreadable = |error| HistoryError::Read { path: path.clone(), error };
        let file = input_file::open(&path).map_err(unreadable)?;
        let bytes = file.metadata().map_err(unreadable)?.len();
        let Head { summary, evidence, .. } =
            read_head(file).map_err(|error| OpenError::Compact { path: path.clone(), error })?;
        let began = named(&summary.started).filter(|(begun, _)| begun == name);
        let Some((name, day)) = began else { return Err(HistoryError::Misnamed { path, name: summary.started }) };
        let has_evidence = evidence.as_deref().is_some_and(|digest| self.evidence(digest).is_file());
        Ok(Entry { name, summary, changed: None, has_evidence, bytes, evidence, day })
    }

    fn path_of(&self, name: &str) -> PathBuf {
        self.folder.join(RUNS).join(format!("{name}{ENDING}"))
    }

    fn evidence(&self, digest: &str) -> PathBuf {
        self.folder.join(evidence::FOLDER).join(evidence::file_name(digest))
    }

    /// Adds a run: its folder, its `run.json`, or a compact run. A run that is there already changes nothing.
    ///
    /// # Errors
    /// If the run cannot be read, is a shard, has no cells, or may not be in this history, or if that cannot be read or written. Then
    /// the history is as it was.
    pub fn add(&self, run: &Path, how: Adding) -> Result<Added, HistoryError> {
        let OpenedRun { record, evidence: transcripts } = open(run)?;
        if record.division.as_ref().is_some_and(|division| division.missing().next().is_some()) {
            return Err(HistoryError::Shard { run: run.to_owned() });
        }
        if record.cells.is_empty() {
            return Err(HistoryError::Empty { run: run.to_owned() });
        }
        let time = || HistoryError::Time { run: run.to_owned(), started: record.started.clone() };
        let (name, _) = named(&record.started).ok_or_else(time)?;
        let path = self.path_of(&name);
        if path.exists() {
            let (_, known) = read_compact(&path)?;
            return if known == kept(&record) {
                Ok(Added::Known { path })
            } else {
                Err(HistoryError::SameTime { run: run.to_owned(), other: path })
            };
        }
        if !how.new_corpus {
            self.check_corpus(run, &name, &record.corpus)?;
        }
        let transcripts = if how.without_evidence { None } else { transcripts };
        let proof = transcripts.map(|mut transcripts| evidence::of_breaks(&record, &mut transcripts)).transpose();
        let proof = proof.map_err(OpenError::Record)?;
        let digest = proof.as_ref().map(|bytes| hex(&Sha256::digest(bytes)));
        let bytes = encode(&record, digest.as_deref());
        let bytes = bytes.map_err(|error| HistoryError::Compact { run: run.to_owned(), error })?;
        let of_evidence = digest.zip(proof).map(|(digest, proof)| (self.evidence(&digest), proof));
        // The run comes last: what refers to the evidence is there only if that is.
        let is_new =
            of_evidence.as_ref().map_or(Ok(false), |(path, proof)| create(path, proof, atomic_file::create_private))?;
        if let Err(error) = create(&path, &bytes, atomic_file::create) {
            if let (true, Some((path, _))) = (is_new, &of_evidence) {
                let _ = fs::remove_file(path);
            }
            return Err(error);
        }
        let size = |bytes: &[u8]| bytes.len() as u64;
        Ok(Added::New { path, bytes: size(&bytes), evidence: of_evidence.map(|(_, proof)| size(&proof)) })
    }

    /// Compares the corpus of a run with that of the run before it, or after it if it is the first.
    fn check_corpus(&self, run: &Path, name: &str, corpus: &str) -> Result<(), HistoryError> {
        let entries = match self.entries() {
            Err(HistoryError::None { .. }) => return Ok(()),
            entries => entries?,
        };
        let before = entries.iter().rfind(|entry| entry.name.as_str() < name).or(entries.first());
        match before {
            Some(other) if other.summary.corpus != corpus => Err(HistoryError::OtherCorpus {
                run: run.to_owned(),
                corpus: corpus.to_owned(),
                other: other.name.clone(),
                other_corpus: other.summary.corpus.clone(),
            }),
            Some(_) | None => Ok(()),
        }
    }

    /// Lists the files that pruning would remove. Nothing is removed.
    pub fn superfluous(&self, retention: Retention) -> Result<Pruned, HistoryError> {
        let entries = self.entries()?;
        let ages: Vec<Age> =
            entries.iter().map(|entry| Age { day: entry.day, changed: entry.changed.unwrap_or(true) }).collect();
        let gone = superfluous(&ages, retention.days);
        let stay: Vec<&Entry> =
            entries.iter().enumerate().filter(|(place, _)| !gone.contains(place)).map(|(_, entry)| entry).collect();
        let newest = stay.iter().rev().take(retention.evidence);
        let named: BTreeSet<String> =
            newest.filter_map(|entry| entry.evidence.as_deref().map(evidence::file_name)).collect();
        let folder = self.folder.join(evidence::FOLDER);
        let files = if folder.is_dir() { names(&folder)? } else { BTreeSet::new() };
        let unnamed = files.iter().filter(|file| evidence::is_file_name(file) && !named.contains(*file));
        Ok(Pruned {
            runs: gone.into_iter().map(|place| self.path_of(&entries[place].name)).collect(),
            evidence: unnamed.map(|file| folder.join(file)).collect(),
        })
    }

    /// Removes the files that [`Self::superfluous`] lists.
    ///
    /// # Errors
    /// As those of [`Self::entries`], or if a file cannot be removed. The rest is there, and pruning again goes on.
    pub fn prune(&self, retention: Retention) -> Result<Pruned, HistoryError> {
        let pruned = self.superfluous(retention)?;
        for path in pruned.evidence.iter().chain(&pruned.runs) {
            fs::remove_file(path).map_err(|error| HistoryError::Remove { path: path.clone(), error })?;
        }
        Ok(pruned)
    }
}

/// Writes a file completely or not at all. False if there is one of this name.
fn create<'b>(
    path: &Path,
    bytes: &'b [u8],
    write_new: fn(&Path, &'b [u8]) -> io::Result<()>,
) -> Result<bool, HistoryError> {
    let write = || {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        match write_new(path, bytes) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            written => written.map(|()| true),
        }
    };
    write().map_err(|error: io::Error| HistoryError::Write { path: path.to_owned(), error })
}

/// Returns the names of the files in a folder, except those that are not valid Unicode.
fn names(folder: &Path) -> Result<BTreeSet<String>, HistoryError> {
    let read = || {
        let entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
        Ok(entries.into_iter().filter_map(|entry| entry.file_name().into_string().ok()).collect())
    };
    read().map_err(|error| HistoryError::Read { path: folder.to_owned(), error })
}

/// Returns the name of a run that began at a time, and the day.
fn named(started: &str) -> Option<(String, i64)> {
    let began: Timestamp = started.parse().ok()?;
    Some((began.strftime("%Y-%m-%dT%H%M%SZ").to_string(), began.as_second().div_euclid(DAY)))
}
