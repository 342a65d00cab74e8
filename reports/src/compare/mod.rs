//! Changes between two runs: pure functions of their records.
//!
//! ```text
//! Record, evidence, scenarios ── Rejudge ──> Record with new verdicts
//! Record, Record ── pairing ──> pairs of cells ── classes ──> Change ── grouping ──> Diff
//! ```
//!
//! - **Judging again**: if two records are of different judges, the evidence of both is judged again first. So a change of
//!   a rule is never reported as a change of a peer.
//! - **Pairing**: scenario, client, server and transport. Scenarios are the same if their content is. Releases are compared
//!   with the same release, and the newest release of a family with the newest one of the other run.
//! - **Classes**: [`Class`] says what each of them means.
//! - **Grouping**: changes of one class and one cause, by the release that moved.
//!
//! `diff(a, a)` is empty, and `diff(b, a)` is the mirror image of `diff(a, b)`.

mod grouping;
mod pairing;
mod rejudge;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use mcp_compat_model::diff::{Change, Class, Diff, Fate, Move, Obstacle, SCHEMA_VERSION, Side, Which};
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::{Fault, Rating};
use mcp_compat_model::{CellId, PeerId, Role, ScenarioId, Transport};

use self::grouping::groups;
use self::pairing::{Partners, Scenarios};

pub use rejudge::{Rejudge, Rejudged, is_judged_by_this};

/// Options of a comparison.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'r> {
    /// Cells of the later run, played once more.
    pub repeat: Option<&'r Record>,
    /// Peers to be compared with each other although they are of different families.
    pub partners: &'r [(Role, PeerId, PeerId)],
}

/// Compares two runs.
///
/// # Errors
/// If they have nothing in common to compare.
pub fn diff(before: &Run<'_>, after: &Run<'_>, options: &Options<'_>) -> Result<Diff, Incomparable> {
    check(before, after)?;
    let comparison = Comparison::new(before, after, options);
    if comparison.scenarios.is_empty() {
        let (before, after) = (before.side(), after.side());
        return Err(Incomparable::OtherCorpus {
            before: before.name,
            after: after.name,
            before_corpus: before.corpus,
            after_corpus: after.corpus,
        });
    }
    let (mut changes, counts) = comparison.of_cells();
    changes.sort_by(|one, other| place(one).cmp(&place(other)));
    let groups = groups(&changes, after.record);
    let same_harness = comparison.same_tool && before.record.judge == after.record.judge;
    let (before, after) = (before.side(), after.side());
    Ok(Diff { schema_version: SCHEMA_VERSION, before, after, same_harness, counts, groups, changes, left_out: 0 })
}

/// Checks that there is something to compare.
fn check(before: &Run<'_>, after: &Run<'_>) -> Result<(), Incomparable> {
    let name = |run: &Run<'_>| run.name.to_owned();
    if let Some(empty) = [before, after].into_iter().find(|run| run.record.cells.is_empty()) {
        return Err(Incomparable::Empty { name: name(empty) });
    }
    match (&before.record.division, &after.record.division) {
        (Some(one), Some(other)) if one.plan == other.plan && one.parts != other.parts => {
            Err(Incomparable::Parts { before: name(before), after: name(after) })
        }
        (_, _) => Ok(()),
    }
}

/// Sort key of a change.
fn place(change: &Change) -> (&ScenarioId, Transport, Option<Peers<'_>>, Option<Peers<'_>>) {
    fn peers(fate: &Option<Fate>) -> Option<Peers<'_>> {
        fate.as_ref().map(|fate| (&fate.client, &fate.server))
    }
    (&change.scenario, change.transport, peers(&change.after), peers(&change.before))
}

/// The client and the server of a cell.
type Peers<'c> = (&'c PeerId, &'c PeerId);

/// Cells by what names them.
type Cells<'r> = BTreeMap<(&'r ScenarioId, &'r PeerId, &'r PeerId, Transport), &'r CellRecord>;

/// Everything that the comparison of two cells depends on.
struct Comparison<'r> {
    before: &'r Run<'r>,
    after: &'r Run<'r>,
    scenarios: Scenarios<'r>,
    clients: Partners<'r>,
    servers: Partners<'r>,
    old: Cells<'r>,
    repeats: Cells<'r>,
    same_tool: bool,
}

impl<'r> Comparison<'r> {
    fn new(before: &'r Run<'r>, after: &'r Run<'r>, options: &Options<'r>) -> Self {
        let (old, new) = (&before.record.cells, &after.record.cells);
        let given: Vec<_> = options.partners.iter().map(|(role, base, head)| (*role, base, head)).collect();
        let repeats = options.repeat.map(|repeat| repeat.cells.as_slice()).unwrap_or_default();
        Self {
            before,
            after,
            scenarios: Scenarios::of(before.record, after.record),
            clients: Partners::of(Role::Client, old, new, &given),
            servers: Partners::of(Role::Server, old, new, &given),
            old: by_name(old),
            repeats: by_name(repeats),
            same_tool: before.record.tool_version == after.record.tool_version,
        }
    }

    /// Compares every cell of both runs with its counterparts. Returns the cells that changed, and the number of cells
    /// of each class.
    fn of_cells(&self) -> (Vec<Change>, BTreeMap<Class, u64>) {
        let mut changes = Vec::new();
        let mut counts = BTreeMap::<Class, u64>::new();
        let mut matched = HashSet::new();
        let mut add = |change: Change| {
            *counts.entry(change.class).or_default() += 1;
            // Unchanged cells are only counted.
            if change.class != Class::Same {
                changes.push(change);
            }
        };
        for cell in &self.after.record.cells {
            let counterparts = self.counterparts(cell);
            if counterparts.is_empty() {
                add(self.alone(cell, Which::After));
            }
            for counterpart in counterparts {
                matched.insert(&counterpart.id);
                add(self.pair(counterpart, cell));
            }
        }
        let gone = self.before.record.cells.iter().filter(|cell| !matched.contains(&cell.id));
        gone.for_each(|cell| add(self.alone(cell, Which::Before)));
        (changes, counts)
    }

    /// The cells of the earlier run that a cell of the later one is compared with.
    fn counterparts(&self, cell: &CellRecord) -> Vec<&'r CellRecord> {
        let Some(scenario) = self.scenarios.before(&cell.scenario) else { return Vec::new() };
        let mut found = Vec::new();
        for client in self.clients.before(&cell.client) {
            let servers = self.servers.before(&cell.server);
            found.extend(servers.filter_map(|server| self.old.get(&(scenario, client, server, cell.transport))));
        }
        found
    }

    fn pair(&self, before: &CellRecord, after: &CellRecord) -> Change {
        let name = (&after.scenario, &after.client, &after.server, after.transport);
        let repeat = self.repeats.get(&name).map(|cell| Fate::from(*cell));
        let (old, new) = (Fate::from(before), Fate::from(after));
        let moves = moves(&old, &new);
        let (old_judge, new_judge) = (self.before.record.judge.as_ref(), self.after.record.judge.as_ref());
        let is_old = self.before.old_verdicts.contains(&before.id) || self.after.old_verdicts.contains(&after.id);
        let pair = Pair {
            before: &old,
            after: &new,
            repeat: repeat.as_ref(),
            has_moved: !moves.is_empty(),
            is_rewritten: self.scenarios.is_rewritten(&after.scenario),
            same_tool: self.same_tool,
            same_judge: !is_old && old_judge == new_judge,
        };
        let (class, obstacle) = class(&pair);
        let reproduced = repeat.as_ref().map(|repeat| repeat.is_like(&new));
        let regression =
            class == Class::Worse && reproduced == Some(true) && self.same_tool && pair.same_judge && !new.known;
        Change {
            class,
            scenario: after.scenario.clone(),
            transport: after.transport,
            before: Some(old),
            after: Some(new),
            moves,
            peers: Vec::new(),
            obstacles: obstacle.into_iter().collect(),
            reproduced,
            regression,
        }
    }

    /// Change for a cell that only one run has.
    fn alone(&self, cell: &CellRecord, of: Which) -> Change {
        let (known, client, server) = match of {
            Which::After => (
                self.scenarios.before(&cell.scenario).is_some(),
                self.clients.has_before(&cell.client),
                self.servers.has_before(&cell.server),
            ),
            Which::Before => (
                self.scenarios.after(&cell.scenario).is_some(),
                self.clients.has_after(&cell.client),
                self.servers.has_after(&cell.server),
            ),
        };
        let class = match (of, known, client && server) {
            (Which::After, false, _) => Class::New,
            (Which::Before, false, _) => Class::Gone,
            (Which::After, true, false) => Class::PeerAdded,
            (Which::Before, true, false) => Class::PeerGone,
            (_, true, true) => Class::NotComparable,
        };
        let other = match of {
            Which::Before => Which::After,
            Which::After => Which::Before,
        };
        let unmatched = [(&cell.client, client), (&cell.server, server)].into_iter().filter(|(_, is_known)| !is_known);
        let is_of_peers = matches!(class, Class::PeerAdded | Class::PeerGone);
        let peers = unmatched.filter(|_| is_of_peers).map(|(peer, _)| peer.clone()).collect();
        let fate = Some(Fate::from(cell));
        let (before, after) = if of == Which::Before { (fate, None) } else { (None, fate) };
        let obstacles =
            if class == Class::NotComparable { vec![Obstacle::NotPlayed { by: other }] } else { Vec::new() };
        Change {
            class,
            scenario: cell.scenario.clone(),
            transport: cell.transport,
            before,
            after,
            moves: Vec::new(),
            peers,
            obstacles,
            reproduced: None,
            regression: false,
        }
    }
}

fn by_name(cells: &[CellRecord]) -> Cells<'_> {
    cells.iter().map(|cell| ((&cell.scenario, &cell.client, &cell.server, cell.transport), cell)).collect()
}

/// Peers that differ between the two cells.
fn moves(before: &Fate, after: &Fate) -> Vec<Move> {
    let sides = [(Role::Client, &before.client, &after.client), (Role::Server, &before.server, &after.server)];
    let moved = sides.into_iter().filter(|(_, before, after)| before != after);
    moved.map(|(role, before, after)| Move { role, before: before.clone(), after: after.clone() }).collect()
}

/// Pair of cells, with the other facts that decide its class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'f> {
    pub(crate) before: &'f Fate,
    pub(crate) after: &'f Fate,
    /// Result of a repeat of the later cell.
    pub(crate) repeat: Option<&'f Fate>,
    /// True if one of the peers differs between the two cells.
    pub(crate) has_moved: bool,
    /// True if the content of the scenario changed.
    pub(crate) is_rewritten: bool,
    /// True if mcp-compat is the same version.
    pub(crate) same_tool: bool,
    /// True if both verdicts are of the same judge.
    pub(crate) same_judge: bool,
}

/// The class, and for cells that cannot be compared the reason.
pub(crate) fn class(pair: &Pair<'_>) -> (Class, Option<Obstacle>) {
    let Pair { before, after, .. } = pair;
    let is_harness = |fate: &Fate| fate.fault == Some(Fault::Harness);
    let differs = |repeat: &Fate| !repeat.is_like(after);
    if pair.is_rewritten {
        (Class::NotComparable, Some(Obstacle::Scenario {}))
    } else if before.is_like(after) {
        (Class::Same, None)
    } else if is_harness(before) || is_harness(after) {
        (Class::Spurious, None)
    } else if !pair.same_judge {
        (Class::NotComparable, Some(Obstacle::Judge {}))
    } else if before.flaky || after.flaky || pair.repeat.is_some_and(differs) {
        (Class::Flaky, None)
    } else if !pair.same_tool && !pair.has_moved {
        (Class::NotComparable, Some(Obstacle::Harness {}))
    } else {
        (moved(before.rating, after.rating), None)
    }
}

/// Class by two ratings. A skipped cell is neither better nor worse.
fn moved(before: Rating, after: Rating) -> Class {
    let rank = |rating: Rating| match rating {
        Rating::Works => Some(0),
        Rating::Degraded => Some(1),
        Rating::Breaks => Some(2),
        Rating::Skipped => None,
    };
    match (rank(before), rank(after)) {
        (Some(before), Some(after)) if after > before => Class::Worse,
        (Some(before), Some(after)) if after < before => Class::Better,
        (_, _) => Class::Changed,
    }
}

/// Run of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Run<'r> {
    /// Name that the user gave it.
    pub name: &'r str,
    /// Its record, with the verdicts to compare.
    pub record: &'r Record,
    /// Number of its cells that were judged again.
    pub judged_anew: u64,
    /// Cells that keep the verdict of an earlier judge, because they could not be judged again.
    pub old_verdicts: &'r BTreeSet<CellId>,
}

/// No cells.
static NONE: BTreeSet<CellId> = BTreeSet::new();

impl<'r> Run<'r> {
    /// A run with the verdicts that its record has.
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

/// Reason why two runs cannot be compared at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Incomparable {
    #[error("{name} has no checks, so there is nothing to compare: repeat it with `mcp-compat run`")]
    Empty { name: String },
    #[error("{before} and {after} are different parts of one run: join them with `mcp-compat report --merge`")]
    Parts {
        /// The earlier run.
        before: String,
        /// The later run.
        after: String,
    },
    #[error(
        "{before} and {after} have no scenario in common (corpus {before_corpus} and {after_corpus}): play both with the \
         same scenarios"
    )]
    OtherCorpus {
        /// The earlier run.
        before: String,
        /// The later run.
        after: String,
        /// The corpus of the earlier run.
        before_corpus: String,
        /// The corpus of the later run.
        after_corpus: String,
    },
}
