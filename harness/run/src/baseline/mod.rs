//! The baseline: breaks that are known, kept in the implementer's repository.
//!
//! ```toml
//! [[broken]]                                   # must break, else the entry is stale and the run fails
//! cells = "root-type/array::rmcp@2.*::mock/dual::*"
//! reason = "the client decodes structuredContent into a map"
//! issue = "https://github.com/example/sdk/issues/7"
//! version = "rmcp < 3.0.0"                     # optional: the entry holds for these releases only
//! cause = "client:uncaught:*"                  # optional: the entry holds for breaks with this signature only
//!
//! [[flaky]]                                    # may break, may work
//! cells = "drift/*::*::*::http"
//! reason = "the notification and the answer travel on two streams"
//! ```
//!
//! An entry that can match no cell of the whole matrix, and two entries that contradict each other, are mistakes. An entry
//! with a cause is stale if none of its cells breaks for that cause.

mod id_parts;
mod index;
mod renewal;

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::excerpt::bounded;
use mcp_compat_model::record::{CellRecord, Known, Record};
use mcp_compat_model::signature::Signature;
use mcp_compat_model::stale_entry::StaleEntry;
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::{Cell, CellId, PeerId, ScenarioId};
use serde::Deserialize;

use crate::glob::{BadGlob, Glob, NothingMatches, nothing};
use mcp_compat_model::range::Range;

use id_parts::IdParts;
use index::{Index, Indexed};
pub use renewal::Renewal;

/// Breaks that are known.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    kind: Kind,
    cells: Glob,
    cause: Option<Glob>,
    reason: String,
    issue: Option<String>,
    condition: Option<Condition>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Broken,
    Flaky,
}

/// `rmcp < 3.0.0`: the releases of one peer.
#[derive(Clone, Debug)]
struct Condition {
    peer: String,
    releases: Range,
    text: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    broken: Vec<FileEntry>,
    #[serde(default)]
    flaky: Vec<FileEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileEntry {
    cells: String,
    cause: Option<String>,
    reason: String,
    issue: Option<String>,
    version: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    #[error("the baseline {path} cannot be read as one:\n{error}")]
    Syntax {
        path: String,
        /// Message of the reader, with the line.
        error: String,
    },
    #[error("the baseline has a pattern that cannot be read: {0}")]
    Glob(#[from] BadGlob),
    #[error("version = {0:?} is not a condition on releases: expected a peer and a range, such as \"rmcp < 3.0.0\"")]
    Condition(String),
    #[error(
        "the baseline entry `cells = \"{cells}\"` holds for `version = \"{condition}\"`, and no client or server of its checks is called {peer:?}; they are {others}"
    )]
    Unmet {
        /// The entry's pattern.
        cells: String,
        condition: String,
        peer: String,
        /// The names that it could have.
        others: String,
    },
    #[error("the baseline entry `cells = \"{}\"` matches no check of the matrix{}", .0.pattern, corrected(.0))]
    Nothing(NothingMatches),
    #[error(
        "the baseline contradicts itself: {cell} is broken by `cells = \"{broken}\"` and flaky by `cells = \"{flaky}\"`; keep one of them"
    )]
    Contradiction {
        cell: String,
        /// The pattern that says broken.
        broken: String,
        /// The pattern that says flaky.
        flaky: String,
    },
}

fn corrected(error: &NothingMatches) -> String {
    error.nearest.as_ref().map(|cell| format!("; the nearest is `cells = \"{cell}\"`")).unwrap_or_default()
}

impl Baseline {
    /// Reads a baseline. `path` stands in errors.
    pub fn parse(path: &str, text: &str) -> Result<Self, BaselineError> {
        let file: File = toml::from_str(text)
            .map_err(|error| BaselineError::Syntax { path: path.to_owned(), error: error.to_string() })?;
        let broken = file.broken.into_iter().map(|entry| Entry::new(Kind::Broken, entry));
        let flaky = file.flaky.into_iter().map(|entry| Entry::new(Kind::Flaky, entry));
        Ok(Self { entries: broken.chain(flaky).collect::<Result<_, _>>()? })
    }

    /// Returns true if an entry may be about cells of a scenario. Most name one, some or a class: so the others need
    /// not be planned to see that each entry matches something.
    pub fn may_name(&self) -> impl Fn(&ScenarioId) -> bool {
        // A star and a question mark may stand for the colons, too.
        let whole = |entry: &Entry| {
            let (scenario, _) = entry.cells.as_str().split_once("::")?;
            Glob::new(scenario).ok().filter(|_| !scenario.contains(['*', '?']))
        };
        let named: Vec<(&str, Option<Glob>)> =
            self.entries.iter().map(|entry| (entry.cells.beginning(), whole(entry))).collect();
        move |scenario| {
            named.iter().any(|(beginning, whole)| match whole {
                Some(whole) => whole.matches(scenario.as_str()),
                None => scenario.as_str().starts_with(beginning),
            })
        }
    }

    /// Holds the entries against the cells of the whole matrix, whichever of them a run plays.
    ///
    /// # Errors
    /// When an entry can match nothing, or two contradict each other.
    pub fn check(&self, matrix: &[Cell]) -> Result<(), BaselineError> {
        let ids: Vec<String> = matrix.iter().map(|cell| cell.id().to_string()).collect();
        let index = matrix.iter().zip(&ids).map(|(cell, id)| (id.as_str(), [&cell.client, &cell.server]));
        let index = Index::new(index);
        for entry in &self.entries {
            // One cell is enough, and most patterns have one near the beginning of those that they are compared with.
            if index.select(&entry.cells).next().is_none() {
                return Err(BaselineError::Nothing(no_cell(&entry.cells, &ids)));
            }
            entry.check_condition(|| index.select(&entry.cells))?;
        }
        self.check_contradictions(&index)
    }

    /// Refuses entries of both kinds for one cell, unless each names a cause and they are not the same.
    fn check_contradictions(&self, index: &Index<'_>) -> Result<(), BaselineError> {
        let of = |kind: Kind| self.entries.iter().filter(move |entry| entry.kind == kind);
        if of(Kind::Broken).next().is_none() {
            return Ok(());
        }
        let mut flaky: BTreeMap<usize, (Indexed<'_>, Vec<&Entry>)> = BTreeMap::new();
        for entry in of(Kind::Flaky) {
            for cell in index.select(&entry.cells).filter(|cell| entry.is_about(cell.peers)) {
                flaky.entry(cell.place).or_insert_with(|| (cell, Vec::new())).1.push(entry);
            }
        }
        let cells: Index<'_> = flaky.values().map(|(cell, _)| *cell).collect();
        let contradicted = |entry: &Entry| -> Vec<Indexed<'_>> {
            cells.select(&entry.cells).filter(|cell| entry.is_about(cell.peers)).collect()
        };
        let both = of(Kind::Broken).flat_map(|entry| contradicted(entry).into_iter().map(move |cell| (cell, entry)));
        let named = both.filter_map(|(cell, broken)| {
            let flaky = flaky[&cell.place].1.iter().find(|flaky| flaky.may_share_cause(broken))?;
            Some((cell.place, cell.id.to_owned(), broken.cells.as_str().to_owned(), flaky.cells.as_str().to_owned()))
        });
        match named.min() {
            None => Ok(()),
            Some((_, cell, broken, flaky)) => Err(BaselineError::Contradiction { cell, broken, flaky }),
        }
    }

    /// Marks the known breaks of a record, and notes the entries that no longer hold. A run that was cut short shows
    /// nothing about an entry: its breaks may be in the cells that were not played.
    pub fn settle(&self, record: &mut Record) {
        if record.complete {
            record.stale.extend(self.settle_cells(&mut record.cells).iter().map(ToString::to_string));
        } else {
            self.mark_cells(&mut record.cells, |_| true);
        }
    }

    /// The entries that hold in any scenario. One that names scenarios of the corpus says nothing about another scenario
    /// with the same id.
    pub fn of_any_scenario(mut self) -> Self {
        self.entries.retain(|entry| entry.cells.as_str().split("::").next() == Some("*"));
        self
    }

    /// Marks the known breaks among those cells to which the entries apply, whatever else the entries say.
    pub fn mark_cells(&self, cells: &mut [CellRecord], applies_to: impl Fn(&CellRecord) -> bool) {
        let breaking = Index::of(cells, |cell| breaks(cell) && applies_to(cell));
        let met_by: Vec<Vec<usize>> = self.entries.iter().map(|entry| entry.met_by(cells, &breaking)).collect();
        for (entry, places) in self.entries.iter().zip(met_by) {
            for place in places {
                cells[place].known = Some(entry.known());
            }
        }
    }

    /// Marks the known breaks among cells, and returns the entries that no longer hold.
    pub fn settle_cells(&self, cells: &mut [CellRecord]) -> Vec<StaleEntry> {
        let (breaking, all) = (Index::of(cells, breaks), Index::of(cells, |_| true));
        let stale = self.entries.iter().filter_map(|entry| entry.stale(cells, &breaking, &all)).collect();
        self.mark_cells(cells, |_| true);
        stale
    }
}

/// Message for a pattern that selects none of these cells, with the nearest that there is.
fn no_cell(pattern: &Glob, ids: &[String]) -> NothingMatches {
    let known = || ids.iter().map(String::as_str);
    match IdParts::of(known()).and_then(|parts| parts.nearest(pattern)) {
        Some(nearest) => NothingMatches {
            kind: "check",
            pattern: pattern.as_str().to_owned(),
            nearest,
            known: Vec::new(),
            family: None,
        },
        None => nothing("check", pattern.as_str(), known()),
    }
}

fn breaks(cell: &CellRecord) -> bool {
    cell.rating == Rating::Breaks
}

impl Entry {
    fn new(kind: Kind, entry: FileEntry) -> Result<Self, BaselineError> {
        Ok(Self {
            kind,
            cells: Glob::new(&entry.cells)?,
            cause: entry.cause.as_deref().map(Glob::new).transpose()?,
            reason: entry.reason,
            issue: entry.issue,
            condition: entry.version.as_deref().map(Condition::parse).transpose()?,
        })
    }

    /// Refuses a condition on a peer that is in none of its cells: it would never hold.
    fn check_condition<'c, C: Iterator<Item = Indexed<'c>>>(&self, cells: impl Fn() -> C) -> Result<(), BaselineError> {
        let Some(condition) = &self.condition else { return Ok(()) };
        let released = || cells().flat_map(|cell| cell.peers).filter_map(|peer| Some(peer.release()?.0));
        if released().any(|peer| peer == condition.peer) {
            return Ok(());
        }
        let released: BTreeSet<&str> = released().collect();
        let others = if released.is_empty() {
            "mocks, which have no releases".to_owned()
        } else {
            released.into_iter().collect::<Vec<_>>().join(", ")
        };
        let (cells, condition, peer) = (self.cells.as_str().to_owned(), condition.text.clone(), condition.peer.clone());
        Err(BaselineError::Unmet { cells, condition, peer, others })
    }

    /// Returns true unless the causes of both are known to be others.
    fn may_share_cause(&self, other: &Self) -> bool {
        let (Some(own), Some(others)) = (&self.cause, &other.cause) else { return true };
        own.matches(others.as_str()) || others.matches(own.as_str())
    }

    /// Returns true if it holds for a cell of these peers that its pattern selects.
    fn is_about(&self, peers: [&PeerId; 2]) -> bool {
        self.condition.as_ref().is_none_or(|condition| peers.into_iter().any(|peer| condition.holds(peer)))
    }

    /// The places of the cells that it is about.
    fn places(&self, index: &Index<'_>) -> Vec<usize> {
        let selected = index.selected_by(&self.cells).into_iter();
        selected.filter(|cell| self.is_about(cell.peers)).map(|cell| cell.place).collect()
    }

    /// The places of the cells that break as the entry says, of those that break.
    fn met_by(&self, cells: &[CellRecord], breaking: &Index<'_>) -> Vec<usize> {
        let places = self.places(breaking).into_iter();
        places.filter(|place| self.explains(&cells[*place])).collect()
    }

    /// Returns the cells that no longer break as the entry says; `None` if it holds.
    fn stale(&self, cells: &[CellRecord], breaking: &Index<'_>, all: &Index<'_>) -> Option<StaleEntry> {
        let still = self.met_by(cells, breaking).len();
        if self.kind == Kind::Flaky || (self.cause.is_some() && still > 0) {
            return None;
        }
        // What breaks for another cause no longer breaks as the entry says.
        let is_gone = |cell: &&CellRecord| match cell.rating {
            Rating::Works | Rating::Degraded => true,
            Rating::Breaks => self.cause.is_some(),
            Rating::Skipped => false,
        };
        let places = self.places(all).into_iter();
        let gone: Vec<CellId> = places.map(|place| &cells[place]).filter(is_gone).map(|cell| cell.id.clone()).collect();
        let cause = self.cause.as_ref().map(|cause| cause.as_str().to_owned());
        let cells = self.cells.as_str().to_owned();
        (!gone.is_empty()).then_some(StaleEntry { cells, cause, gone, still })
    }

    fn explains(&self, cell: &CellRecord) -> bool {
        let Some(cause) = &self.cause else { return true };
        let signed = |signature: &Signature| {
            cause.matches(&signature.to_string()) || cause.matches(&signature.without_pointer().to_string())
        };
        cell.signature.as_ref().is_some_and(signed)
    }

    fn known(&self) -> Known {
        Known {
            reason: self.reason.clone(),
            covers: Some(self.covers()),
            issue: self.issue.clone(),
            flaky: self.kind == Kind::Flaky,
        }
    }

    /// The patterns of the entry.
    fn covers(&self) -> String {
        let cause =
            self.cause.as_ref().map(|cause| format!(" with the cause `{}`", cause.as_str())).unwrap_or_default();
        let version = self.condition.as_ref().map(|condition| format!(", {}", condition.text)).unwrap_or_default();
        format!("`{}`{cause}{version}", bounded(self.cells.as_str(), 200))
    }
}

impl Condition {
    fn parse(text: &str) -> Result<Self, BaselineError> {
        let parse = || {
            let (peer, releases) = text.trim().split_once(' ')?;
            Some(Self { peer: peer.to_owned(), releases: Range::parse(releases).ok()?, text: text.to_owned() })
        };
        parse().ok_or_else(|| BaselineError::Condition(text.to_owned()))
    }

    fn holds(&self, peer: &PeerId) -> bool {
        let release = || {
            let (name, version) = peer.release()?;
            Some(name == self.peer && self.releases.contains(version))
        };
        release().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_says_which_cells_its_entry_covers() {
        let text = "[[broken]]\ncells = \"a/*::x@*::*::*\"\ncause = \"client:*\"\nversion = \"x < 2.0.0\"\nreason = \"\"\n\
                    [[flaky]]\ncells = \"b::*::*::*\"\nreason = \"\"\n";
        let baseline = Baseline::parse("known.toml", text).unwrap();
        let covers: Vec<Option<String>> = baseline.entries.iter().map(|entry| entry.known().covers).collect();
        let told = ["`a/*::x@*::*::*` with the cause `client:*`, x < 2.0.0", "`b::*::*::*`"];
        assert_eq!(covers, told.map(|covers| Some(covers.to_owned())));
    }

    #[test]
    fn it_may_name_the_scenarios_that_a_pattern_begins_with() {
        let named = |cells: &str| {
            let text = format!("[[broken]]\ncells = \"{cells}\"\nreason = \"\"\n");
            let baseline = Baseline::parse("known.toml", &text).unwrap();
            let ids = ["a/b", "a/b[x]", "a/c", "b/a"];
            ids.into_iter().filter(|id| baseline.may_name()(&ScenarioId::new(*id).unwrap())).collect::<Vec<_>>()
        };
        assert_eq!(named("a/b::*"), ["a/b"]);
        assert_eq!(named("a/b[x]::x::y::http"), ["a/b[x]"]);
        assert_eq!(named("a/b*::*"), ["a/b", "a/b[x]"]);
        assert_eq!(named("a/*::*"), ["a/b", "a/b[x]", "a/c"]);
        assert_eq!(named("{a/b,b/a}::*"), ["a/b", "b/a"]);
        assert_eq!(named("{a,b}/*"), ["a/b", "a/b[x]", "a/c", "b/a"], "nothing is known of what it begins with");
        assert_eq!(named("{a/b::x,b/a}::*"), named("*"), "nor of braces with colons in them");
        assert_eq!(named("*"), named("{a,b}/*"));
    }
}
