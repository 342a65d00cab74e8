//! Changes between two runs. `diff --json` prints a [`Diff`]; the site shows it as "what changed".
//!
//! ```text
//! Record, Record ── mcp_compat_reports::compare::diff ──> Diff: classes, changes, and groups of changes with one cause
//! ```
//!
//! A [`Change`] compares a cell of the later run with its counterpart: the cell of the same scenario and transport with
//! the same releases, or else with the newest releases of the same families. Cells that are the same are only counted.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::named::named;
use crate::record::CellRecord;
use crate::signature::Signature;
use crate::verdict::{BlastRadius, Fault, Outcome, Rating};
use crate::{PeerId, Revision, Role, ScenarioId, Transport};

/// The version of the format of a [`Diff`]. Additions keep it; anything else raises it.
pub const SCHEMA_VERSION: u32 = 1;

/// Name of a cell of the later run.
pub type Name<'d> = (&'d ScenarioId, &'d PeerId, &'d PeerId, Transport);

/// Changes between two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Diff {
    /// [`SCHEMA_VERSION`] at the time of writing.
    pub schema_version: u32,
    /// The earlier run.
    pub before: Side,
    /// The later run.
    pub after: Side,
    /// True if both runs were played by the same version of mcp-compat and judged by the same judge, if need be anew.
    pub same_harness: bool,
    /// Number of comparisons of each class. Classes without any are absent.
    pub counts: BTreeMap<Class, u64>,
    /// Changes with one cause: the worst class first, then the one with the most changes.
    pub groups: Vec<Group>,
    /// Every comparison whose class is not `same`, in the order of the cells.
    pub changes: Vec<Change>,
    /// Number of changes that are not listed here. The counts have them.
    #[serde(default, skip_serializing_if = "is_none")]
    pub left_out: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(number: &u64) -> bool {
    *number == 0
}

impl Diff {
    /// Number of comparisons of a class.
    #[must_use]
    pub fn count(&self, class: Class) -> u64 {
        self.counts.get(&class).copied().unwrap_or_default()
    }

    /// The class of each cell of the later run that is not the same. Where a cell is compared with two, the worse one counts.
    #[must_use]
    pub fn classes(&self) -> BTreeMap<Name<'_>, Class> {
        let mut classes = BTreeMap::new();
        for change in &self.changes {
            let Some(fate) = &change.after else { continue };
            let name = (&change.scenario, &fate.client, &fate.server, change.transport);
            classes
                .entry(name)
                .and_modify(|class: &mut Class| *class = change.class.min(*class))
                .or_insert(change.class);
        }
        classes
    }

    /// The same with at most so many changes, and only those of the classes that are `told`. The counts stay whole, and a group
    /// is left out with the last of its changes.
    #[must_use]
    pub fn shortened(&self, most: usize, told: impl Fn(Class) -> bool) -> Self {
        let kept: Vec<usize> =
            (0..self.changes.len()).filter(|place| told(self.changes[*place].class)).take(most).collect();
        let places: BTreeMap<u32, u32> =
            kept.iter().zip(0..).filter_map(|(old, new)| Some((u32::try_from(*old).ok()?, new))).collect();
        let groups = self.groups.iter().filter_map(|group| {
            let changes: Vec<u32> = group.changes.iter().filter_map(|place| places.get(place).copied()).collect();
            let example = places.get(&group.example).or(changes.first()).copied()?;
            Some(Group { changes, example, ..group.clone() })
        });
        Self {
            changes: kept.iter().map(|place| self.changes[*place].clone()).collect(),
            groups: groups.collect(),
            left_out: (self.changes.len() - kept.len()) as u64,
            schema_version: self.schema_version,
            before: self.before.clone(),
            after: self.after.clone(),
            same_harness: self.same_harness,
            counts: self.counts.clone(),
        }
    }

    /// Returns true if nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns true if something is worse that no baseline knows of.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.changes.iter().any(Change::is_news)
    }

    /// Returns true if something is a regression.
    #[must_use]
    pub fn has_regression(&self) -> bool {
        self.changes.iter().any(|change| change.regression)
    }

    /// Number of cells that were compared: those that both runs have a counterpart of.
    #[must_use]
    pub fn compared(&self) -> u64 {
        let classes = [Class::Worse, Class::Better, Class::Changed, Class::Same, Class::Flaky, Class::Spurious];
        classes.into_iter().map(|class| self.count(class)).sum()
    }
}

named! {
    /// Class of the comparison of a cell with its counterpart in the earlier run.
    pub enum Class {
        /// The rating is worse.
        Worse = "worse",
        /// The rating is better.
        Better = "better",
        /// The rating is the same, but the outcome, the fault, the cause or the damage is another one.
        Changed = "changed",
        /// Nothing that matters changed.
        Same = "same",
        /// The earlier run did not have the scenario. Never a regression.
        New = "new",
        /// The later run does not have the scenario.
        Gone = "gone",
        /// A peer of the cell is new.
        PeerAdded = "peer-added",
        /// A peer of the cell is gone.
        PeerGone = "peer-gone",
        /// The two cannot be compared: the scenario or mcp-compat changed, or one run did not play the cell.
        NotComparable = "not-comparable",
        /// A repeat came out differently, or the cell is known to be flaky.
        Flaky = "flaky",
        /// mcp-compat or the set-up failed on one side.
        Spurious = "spurious",
    }
}

impl Class {
    /// Returns true if both runs have the cell, and its verdict is another one: worse, better or changed.
    #[must_use]
    pub const fn is_change(self) -> bool {
        matches!(self, Self::Worse | Self::Better | Self::Changed)
    }
}

/// One cell, compared with its counterpart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Class of the comparison.
    pub class: Class,
    /// The scenario.
    pub scenario: ScenarioId,
    /// Transport of the messages.
    pub transport: Transport,
    /// The cell of the earlier run.
    pub before: Option<Fate>,
    /// The cell of the later run.
    pub after: Option<Fate>,
    /// The peers that are another release than before: at most one of each role.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Move>,
    /// The peers that are new or gone; for the classes `peer-added` and `peer-gone`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub peers: Vec<PeerId>,
    /// Obstacles to a comparison.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obstacles: Vec<Obstacle>,
    /// True if an immediate repeat of the later cell came out the same; absent if it was not repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reproduced: Option<bool>,
    /// True if it is worse, was reproduced, has the same harness and scenario on both sides, and is not known.
    pub regression: bool,
}

/// Result of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fate {
    /// The client.
    pub client: PeerId,
    /// The server.
    pub server: PeerId,
    /// The revision that the two spoke.
    pub negotiated: Option<Revision>,
    /// The outcome for what the tool meant.
    pub outcome: Outcome,
    /// Its rating against what is expected.
    pub rating: Rating,
    /// True if the user gets no error.
    pub silent: bool,
    /// The damage.
    pub blast_radius: Option<BlastRadius>,
    /// The party responsible for the fix.
    pub fault: Option<Fault>,
    /// The cause in short.
    pub cause: Option<Signature>,
    /// The reason, in a sentence.
    pub reason: String,
    /// True if a baseline knows the break.
    pub known: bool,
    /// True if a baseline says that it comes and goes.
    pub flaky: bool,
}

/// A peer that is another release than before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Move {
    /// The side that it plays.
    pub role: Role,
    /// The release of the earlier run.
    pub before: PeerId,
    /// The release of the later run.
    pub after: PeerId,
}

/// Reason why two cells cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "what")]
pub enum Obstacle {
    /// The scenario is another one under the same name.
    Scenario {},
    /// The peers are the same and mcp-compat is not, so that the difference may be its own.
    Harness {},
    /// The verdicts are of different judges, and one of them cannot be given anew.
    Judge {},
    /// One of the runs did not play the cell, although it has the scenario and both peers.
    NotPlayed {
        /// The run.
        by: Which,
    },
}

/// One of the two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// The earlier one.
    Before,
    /// The later one.
    After,
}

impl Change {
    /// Returns true if it is worse, and no baseline knows of it.
    #[must_use]
    pub fn is_news(&self) -> bool {
        self.class == Class::Worse && !self.after.as_ref().is_some_and(|fate| fate.known)
    }

    /// Result of the cell that shows the change: the later one, or the earlier one where the later one is gone or
    /// works.
    #[must_use]
    pub fn telling(&self) -> Option<&Fate> {
        let (before, after) = (self.before.as_ref(), self.after.as_ref());
        if self.class == Class::Better { before.or(after) } else { after.or(before) }
    }
}

impl Fate {
    /// Returns true if it is the same for the user and for who has to fix it. The place in a schema or value, the
    /// reason and what a baseline says may differ.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let verdict = |fate: &Self| (fate.outcome, fate.rating, fate.fault, fate.blast_radius);
        verdict(self) == verdict(other) && is_one_cause(self.cause.as_ref(), other.cause.as_ref())
    }
}

/// Returns true if two breaks have one cause, wherever in a schema or value it is.
pub(crate) fn is_one_cause(one: Option<&Signature>, other: Option<&Signature>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.is_like(other),
        (one, other) => one == other,
    }
}

impl From<&CellRecord> for Fate {
    fn from(cell: &CellRecord) -> Self {
        Self {
            client: cell.client.clone(),
            server: cell.server.clone(),
            negotiated: cell.negotiated,
            outcome: cell.outcome,
            rating: cell.rating,
            silent: cell.silent,
            blast_radius: cell.blast_radius,
            fault: cell.fault,
            cause: cell.signature.clone(),
            reason: cell.reason.clone(),
            known: cell.known.is_some(),
            flaky: cell.known.as_ref().is_some_and(|known| known.flaky),
        }
    }
}

/// Changes of one class with one cause, by the same releases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// The class of its changes.
    pub class: Class,
    /// The cause of the break: the later one, or for what is better the earlier one. Without its pointer.
    pub cause: Option<Signature>,
    /// The releases that moved, without their modes.
    pub moves: Vec<Move>,
    /// The role of the release that the change is due to: the one that moved. Where both did, the one at fault.
    pub due_to: Option<Role>,
    /// The peers that are new or gone, without their modes; for the classes `peer-added` and `peer-gone`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub peers: Vec<PeerId>,
    /// Obstacles to a comparison; for the class `not-comparable`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obstacles: Vec<Obstacle>,
    /// Its changes: places in the list of all changes, from 0.
    pub changes: Vec<u32>,
    /// The change that stands for all: one that is not known rather than a known one, a silent one rather than a loud one.
    pub example: u32,
    /// Bisection that finds the release between the two that changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bisection: Option<Bisection>,
}

/// The arguments of `mcp-compat peers bisect`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bisection {
    /// The scenario.
    pub scenario: ScenarioId,
    /// The folder or file that the scenario was read from; absent for the embedded corpus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_from: Option<String>,
    /// The side whose releases are tried.
    pub role: Role,
    /// Their family, with the API that the server is written with: `python/typed`.
    pub family: String,
    /// The release with the better outcome, with its mode: `1.25.3`, `2.4.0+auto`.
    pub good: String,
    /// The other one.
    pub bad: String,
    /// With whom they play.
    pub against: PeerId,
    /// Carrier of the messages.
    pub transport: Transport,
}

/// One of the two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// Name given by the user: a folder, a file or a peer.
    pub name: String,
    /// When the run began, RFC 3339, UTC.
    pub started: String,
    /// The version of mcp-compat that ran.
    pub tool_version: String,
    /// The digest of the judge that gave the verdicts, if the record has it.
    pub judge: Option<String>,
    /// The digest of the scenarios that were played.
    pub corpus: String,
    /// True if every planned cell has its verdict.
    pub complete: bool,
    /// Number of its cells.
    pub cells: u64,
    /// Number of cells that were judged anew, with the rules of today.
    pub judged_anew: u64,
}
