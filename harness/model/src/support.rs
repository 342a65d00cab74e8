//! Support data: which releases of an SDK work with a scenario, degrade or break.
//!
//! ```text
//! sweep FAMILY ── plays releases ──> Sweep: which releases, when, with what      (one a family)
//!                                    Statement: the ranges of releases           (one a scenario, family and role)
//! ```
//!
//! A range begins and ends with a release that was played. A release within it that was not played is inferred: the played
//! releases on both sides had the same result. A release between two ranges was not played, and nothing is known of it.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell::{ScenarioId, Transport};
use crate::data_file::{self, NotData, lines};
use crate::peer::{Mode, PeerId, Role};
use crate::record::Recorded;
use crate::revision::Revision;
use crate::verdict::{BlastRadius, Outcome, Rating};
use crate::version::Version;

/// The version of the format. Additions keep it; anything else raises it.
pub const SCHEMA_VERSION: u32 = 1;

/// The support data of several families of SDKs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Support {
    /// [`SCHEMA_VERSION`] at the time of writing.
    pub schema_version: u32,
    /// Measurement of each family, by name.
    pub sweeps: Vec<Sweep>,
    /// Statements, by scenario, family and role.
    pub statements: Vec<Statement>,
}

/// Measurement of the releases of one family.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sweep {
    /// The family, such as `typescript`.
    pub family: String,
    /// True if it is a host: what its model reads is judged.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_host: bool,
    /// The day on which the sweep ended, such as `2026-11-23`.
    pub date: String,
    /// The version of mcp-compat that played.
    pub tool_version: String,
    /// The digest of the corpus that the scenarios are from.
    pub corpus: String,
    /// The server that the clients of the releases played with.
    pub server: PeerId,
    /// The client that the servers of the releases played with.
    pub client: PeerId,
    /// The releases that the registry lists and an adapter serves, oldest first. Pre-releases are omitted.
    pub releases: Vec<Version>,
    /// Releases that were played, oldest first.
    pub played: Vec<Version>,
    /// Releases that could not be played, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<NotPlayed>,
    /// Releases that were played later than the others, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<AddedRelease>,
    /// Releases that were not played, but recorded on another machine, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recorded: Vec<RecordedRelease>,
}

/// A release that was recorded on another machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedRelease {
    /// The release.
    pub release: Version,
    /// Origin of its messages.
    #[serde(flatten)]
    pub recorded: Recorded,
}

/// A release that was played later than the others of its family.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AddedRelease {
    /// The release.
    pub release: Version,
    /// The day, such as `2026-11-29`.
    pub date: String,
    /// The version of mcp-compat that played.
    pub tool_version: String,
    /// The digest of the corpus that the scenarios are from.
    pub corpus: String,
}

/// A release that could not be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotPlayed {
    /// The release.
    pub release: Version,
    /// The reason.
    pub reason: String,
}

/// Behaviour of the releases of a family with a scenario in one role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Statement {
    /// The scenario.
    pub scenario: ScenarioId,
    /// The family.
    pub family: String,
    /// The role that its releases played.
    pub role: Role,
    /// Transport of the messages.
    pub transport: Transport,
    /// The ranges of releases: those without a choice of negotiation first, then by mode, oldest first.
    pub ranges: Vec<SupportRange>,
}

/// Neighbouring releases that fare alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SupportRange {
    /// The oldest release; it was played.
    pub from: Version,
    /// The newest release; it was played.
    pub to: Version,
    /// Negotiation mode of the releases, if they let their user choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Their rating.
    pub rating: Rating,
    /// The outcome for what the tool meant.
    pub outcome: Outcome,
    /// The loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<BlastRadius>,
    /// True if a break is silent: the user gets no error.
    #[serde(default, skip_serializing_if = "is_false")]
    pub silent: bool,
    /// The revisions that were negotiated, oldest first. Empty if no session was opened.
    pub revisions: Vec<Revision>,
    /// Number of releases that were played. [`Sweep::played`] names them.
    pub played: usize,
    /// Number of releases that were not played and are inferred. They are the others of [`Sweep::releases`].
    pub inferred: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn is_false(value: &bool) -> bool {
    !*value
}

impl Default for Support {
    fn default() -> Self {
        Self { schema_version: SCHEMA_VERSION, sweeps: Vec::new(), statements: Vec::new() }
    }
}

impl Support {
    /// Reads support data.
    ///
    /// # Errors
    /// When the text is something else, or of a newer format.
    pub fn parse(text: &str) -> Result<Self, NotData> {
        data_file::parse(text, SCHEMA_VERSION)
    }

    /// The text of a file: one line for each sweep and each statement, so that a difference of two files can be read.
    ///
    /// # Errors
    /// Never for data of this form: serde reports what cannot be JSON.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let (version, sweeps, statements) = (self.schema_version, lines(&self.sweeps)?, lines(&self.statements)?);
        Ok(format!(
            "{{\"schema_version\":{version},\n\"sweeps\":[\n{sweeps}\n],\n\"statements\":[\n{statements}\n]}}\n"
        ))
    }

    /// Puts a sweep and what it found in the place of what is known of its family.
    pub fn replace(&mut self, sweep: Sweep, statements: Vec<Statement>) {
        self.sweeps.retain(|other| other.family != sweep.family);
        self.statements.retain(|other| other.family != sweep.family);
        self.sweeps.push(sweep);
        self.statements.extend(statements);
        self.sweeps.sort_by(|one, other| one.family.cmp(&other.family));
        self.statements.sort_by(|one, other| one.key().cmp(&other.key()));
    }

    /// Adds what a sweep found of releases that are newer than those that its family played before. A family that is not known
    /// yet is added as a whole.
    pub fn extend(&mut self, sweep: Sweep, statements: Vec<Statement>) {
        let Some(known) = self.sweeps.iter_mut().find(|known| known.family == sweep.family) else {
            return self.replace(sweep, statements);
        };
        let played_before = known.played.last().cloned();
        let played: Vec<Version> = known.played.iter().chain(&sweep.played).cloned().collect();
        known.left_out.extend(sweep.left_out);
        known.added.extend(sweep.played.into_iter().map(|release| AddedRelease {
            release,
            date: sweep.date.clone(),
            tool_version: sweep.tool_version.clone(),
            corpus: sweep.corpus.clone(),
        }));
        (known.played, known.releases) = (played, sweep.releases);
        let is_between = |release: &&Version, from: &Version, to: &Version| *release > from && *release < to;
        for found in statements {
            let Some(statement) = self.statements.iter_mut().find(|statement| statement.key() == found.key()) else {
                self.statements.push(found);
                continue;
            };
            for range in found.ranges {
                let of_mode = |known: &SupportRange| known.mode == range.mode;
                let place = statement.ranges.iter().rposition(of_mode);
                let last = place.map(|place| &mut statement.ranges[place]);
                match last.filter(|last| Some(&last.to) == played_before.as_ref() && last.fares_as(&range)) {
                    Some(last) => {
                        let left_out = |release: &Version| known.left_out.iter().any(|it| it.release == *release);
                        let between = known.releases.iter().filter(|it| is_between(it, &last.to, &range.from));
                        last.inferred += between.filter(|release| !left_out(release)).count() + range.inferred;
                        last.played += range.played;
                        last.to = range.to;
                        last.revisions.extend(range.revisions);
                        last.revisions.sort_unstable();
                        last.revisions.dedup();
                    }
                    None => statement.ranges.insert(place.map_or(statement.ranges.len(), |place| place + 1), range),
                }
            }
        }
        self.statements.sort_by(|one, other| one.key().cmp(&other.key()));
    }

    /// The scenarios that there are statements about, in order.
    #[must_use]
    pub fn scenarios(&self) -> BTreeSet<&ScenarioId> {
        self.statements.iter().map(|statement| &statement.scenario).collect()
    }

    /// The statements about a scenario, in order.
    pub fn of_scenario<'s>(&'s self, scenario: &'s str) -> impl Iterator<Item = &'s Statement> {
        self.statements.iter().filter(move |statement| statement.scenario.as_str() == scenario)
    }

    /// Measurement of a family.
    #[must_use]
    pub fn sweep(&self, family: &str) -> Option<&Sweep> {
        self.sweeps.iter().find(|sweep| sweep.family == family)
    }
}

impl SupportRange {
    /// Returns true if another range has the same result and the same loss.
    fn fares_as(&self, other: &Self) -> bool {
        let of = |range: &Self| (range.rating, range.outcome, range.lost, range.silent);
        of(self) == of(other)
    }
}

impl Statement {
    fn key(&self) -> (&ScenarioId, &str, Role) {
        (&self.scenario, &self.family, self.role)
    }

    /// Since which release the SDK takes it, if its releases negotiate in a mode. `None` if none was played so.
    #[must_use]
    pub fn accepted_since(&self, mode: Mode) -> Option<AcceptedSince<'_>> {
        let of_mode = |range: &&SupportRange| range.mode.is_none_or(|of_range| of_range == mode);
        let ranges: Vec<&SupportRange> = self.ranges.iter().filter(of_mode).collect();
        let accepts = |range: &&&SupportRange| matches!(range.rating, Rating::Works | Rating::Degraded);
        let accepted = ranges.iter().rev().take_while(accepts).count();
        Some(match ranges.len() - accepted {
            _ if ranges.is_empty() => return None,
            0 => AcceptedSince::First,
            at => ranges.get(at).map_or(AcceptedSince::NotByNewest, |range| AcceptedSince::Release(&range.from)),
        })
    }
}

/// Since when an SDK takes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcceptedSince<'v> {
    /// Every release that was measured does.
    First,
    /// All do from this one on, and an older one does not.
    Release(&'v Version),
    /// The newest does not.
    NotByNewest,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    fn range(from: &str, to: &str, mode: Option<Mode>, rating: Rating) -> SupportRange {
        let (from, to, outcome) = (version(from), version(to), Outcome::Intact);
        let revisions = vec![Revision::V2025_11_25];
        SupportRange { from, to, mode, rating, outcome, lost: None, silent: false, revisions, played: 2, inferred: 1 }
    }

    fn statement(scenario: &str, family: &str, ranges: Vec<SupportRange>) -> Statement {
        let (scenario, family) = (scenario.parse().unwrap(), family.to_owned());
        Statement { scenario, family, role: Role::Client, transport: Transport::Stdio, ranges }
    }

    fn sweep(family: &str) -> Sweep {
        Sweep {
            family: family.to_owned(),
            date: "2026-11-23".to_owned(),
            tool_version: "0.1.0".to_owned(),
            corpus: "c0ffee".to_owned(),
            server: PeerId::new("mock/dual").unwrap(),
            client: PeerId::new("mock/dual+auto").unwrap(),
            releases: vec![version("1.0.0"), version("1.1.0")],
            played: vec![version("1.0.0")],
            left_out: vec![NotPlayed { release: version("1.1.0"), reason: "no wheel".to_owned() }],
            is_host: false,
            added: Vec::new(),
            recorded: Vec::new(),
        }
    }

    fn support() -> Support {
        let mut support = Support::default();
        let ranges = vec![range("1.0.0", "1.0.0", None, Rating::Breaks)];
        support.replace(sweep("b"), vec![statement("x/one", "b", ranges.clone())]);
        support.replace(sweep("a"), vec![statement("x/two", "a", ranges.clone()), statement("x/one", "a", ranges)]);
        support
    }

    #[test]
    fn a_file_has_a_line_for_each_statement_and_reads_back() {
        let (support, text) = (support(), support().to_text().unwrap());
        assert_eq!(text.lines().count(), 5 + support.sweeps.len() + support.statements.len(), "{text}");
        assert_eq!(Support::parse(&text).unwrap(), support);
        let order: Vec<&str> = support.statements.iter().map(|it| it.family.as_str()).collect();
        assert_eq!(order, ["a", "b", "a"], "by scenario first");
    }

    #[test]
    fn a_new_sweep_replaces_what_is_known_of_its_family_and_of_no_other() {
        let mut support = support();
        support.replace(sweep("a"), Vec::new());
        assert_eq!((support.sweeps.len(), support.statements.len()), (2, 1));
        assert_eq!(support.statements[0].family, "b");
    }

    #[test]
    fn a_newer_release_extends_the_range_that_it_fares_as_and_begins_another() {
        let mut support = Support::default();
        let modes =
            [range("1.0.0", "1.0.0", None, Rating::Breaks), range("1.0.0", "1.0.0", Some(Mode::Auto), Rating::Works)];
        support.replace(sweep("a"), vec![statement("x/one", "a", modes.to_vec())]);
        let newest = |mode| SupportRange { played: 1, inferred: 0, ..range("1.3.0", "1.3.0", mode, Rating::Works) };
        let found = vec![
            statement("x/one", "a", vec![newest(None), newest(Some(Mode::Auto))]),
            statement("x/two", "a", vec![newest(None)]),
        ];
        let releases = ["1.0.0", "1.1.0", "1.2.0", "1.3.0"].map(version).to_vec();
        let later = Sweep {
            date: "2026-11-29".to_owned(),
            releases,
            played: vec![version("1.3.0")],
            left_out: Vec::new(),
            ..sweep("a")
        };
        support.extend(later, found);
        let ranges: Vec<String> = support.statements[0]
            .ranges
            .iter()
            .map(|it| format!("{}-{} {:?} {}+{}", it.from, it.to, it.rating, it.played, it.inferred))
            .collect();
        // 1.1.0 could not be played, and is not inferred.
        assert_eq!(ranges, ["1.0.0-1.0.0 Breaks 2+1", "1.3.0-1.3.0 Works 1+0", "1.0.0-1.3.0 Works 3+2"]);
        assert_eq!(support.statements[1].ranges, [newest(None)]);
        let sweep = support.sweep("a").unwrap();
        assert_eq!((sweep.date.as_str(), sweep.added[0].date.as_str()), ("2026-11-23", "2026-11-29"));
        assert_eq!(sweep.played, [version("1.0.0"), version("1.3.0")]);
    }

    #[test]
    fn other_texts_and_newer_formats_are_refused() {
        assert!(Support::parse("[]").is_err());
        let newer = support().to_text().unwrap().replace("\"schema_version\":1", "\"schema_version\":2");
        let error = Support::parse(&newer).unwrap_err().to_string();
        assert!(error.contains("format version 2") && error.contains("Use a newer"), "{error}");
        let more = support().to_text().unwrap().replace("\"played\":2", "\"played\":2,\"added\":true");
        assert_eq!(Support::parse(&more).unwrap(), support(), "members that are added later are passed over");
    }

    #[test]
    fn a_release_takes_it_since_the_first_one_after_all_that_do_not() {
        use AcceptedSince::{First, NotByNewest, Release};
        use Rating::{Breaks, Degraded, Works};
        let old = range("1.0.0", "1.9.0", None, Breaks);
        let new = |mode, rating| range("2.0.0", "2.4.0", Some(mode), rating);
        let of = |ranges: &[SupportRange]| statement("x/one", "a", ranges.to_vec());
        let second = version("2.0.0");
        for rating in [Works, Degraded] {
            let both = of(&[old.clone(), new(Mode::Auto, rating), new(Mode::Legacy, Breaks)]);
            assert_eq!(both.accepted_since(Mode::Auto), Some(Release(&second)));
            assert_eq!(both.accepted_since(Mode::Legacy), Some(NotByNewest), "the mode matters");
            assert_eq!(of(&[new(Mode::Auto, rating)]).accepted_since(Mode::Auto), Some(First));
        }
        assert_eq!(of(&[old, new(Mode::Auto, Breaks)]).accepted_since(Mode::Auto), Some(NotByNewest));
        assert_eq!(of(&[new(Mode::Modern, Works)]).accepted_since(Mode::Auto), None, "nobody played it");
    }
}
