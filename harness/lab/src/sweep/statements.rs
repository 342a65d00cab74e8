//! From the cells of the releases that were played to ranges of releases.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::record::CellRecord;
use mcp_compat_model::support::{Statement, SupportRange};
use mcp_compat_model::verdict::{BlastRadius, Outcome, Rating};
use mcp_compat_model::version::Version;
use mcp_compat_model::{Mode, PeerId, Role, ScenarioId, Transport};

/// Part that a release played: a scenario in a role and a mode.
pub(super) type Key = (ScenarioId, Role, Option<Mode>);

/// Outcome, as far as two releases are compared by it.
pub(super) type Result = (Rating, Outcome, Option<BlastRadius>, bool);

/// The results of one release.
pub(super) fn results(cells: &[CellRecord]) -> BTreeMap<Key, Result> {
    cells.iter().map(|cell| (key(cell), result(cell))).collect()
}

/// The statements about a family. `releases` are its releases, oldest first; `played` has the cells of some of them, by
/// their places, and `aside` those that could not be played.
pub(super) fn statements(
    family: &str,
    releases: &[Version],
    played: &BTreeMap<usize, Vec<CellRecord>>,
    aside: &BTreeSet<usize>,
) -> Vec<Statement> {
    type Tracks<'c> = BTreeMap<Option<Mode>, BTreeMap<usize, &'c CellRecord>>;
    let mut found = BTreeMap::<(ScenarioId, Role), (Transport, Tracks<'_>)>::new();
    for (place, cells) in played {
        for cell in cells {
            let (scenario, role, mode) = key(cell);
            let (_, tracks) = found.entry((scenario, role)).or_insert_with(|| (cell.transport, Tracks::new()));
            tracks.entry(mode).or_default().insert(*place, cell);
        }
    }
    let ranges = |tracks: &Tracks<'_>| {
        let of_track = |(mode, cells): (&Option<Mode>, &BTreeMap<usize, &CellRecord>)| {
            ranges(releases, *mode, cells, played, aside)
        };
        tracks.iter().flat_map(of_track).collect()
    };
    let statement = |((scenario, role), (transport, tracks)): ((ScenarioId, Role), (Transport, Tracks<'_>))| {
        Statement { scenario, family: family.to_owned(), role, transport, ranges: ranges(&tracks) }
    };
    found.into_iter().map(statement).collect()
}

/// The ranges of one mode.
fn ranges(
    releases: &[Version],
    mode: Option<Mode>,
    cells: &BTreeMap<usize, &CellRecord>,
    played: &BTreeMap<usize, Vec<CellRecord>>,
    aside: &BTreeSet<usize>,
) -> Vec<SupportRange> {
    let mut ranges: Vec<(SupportRange, usize)> = Vec::new();
    for (place, cell) in cells {
        let Some(version) = releases.get(*place) else { continue };
        let open = match ranges.last_mut() {
            // A release between the two that was played and has no such cell ends the range.
            Some((range, last)) if played.range(*last + 1..*place).next().is_none() => {
                Some((range, last)).filter(|(range, _)| same(range, cell))
            }
            Some(_) | None => None,
        };
        let Some((range, last)) = open else {
            ranges.push((first(version, mode, cell), *place));
            continue;
        };
        range.inferred += (*last + 1..*place).filter(|between| !aside.contains(between)).count();
        range.played += 1;
        range.to = version.clone();
        range.revisions.extend(cell.negotiated.filter(|revision| !range.revisions.contains(revision)));
        range.revisions.sort_unstable();
        *last = *place;
    }
    ranges.into_iter().map(|(range, _)| range).collect()
}

fn first(version: &Version, mode: Option<Mode>, cell: &CellRecord) -> SupportRange {
    let (rating, outcome, lost, silent) = result(cell);
    let revisions = cell.negotiated.into_iter().collect();
    let (from, to) = (version.clone(), version.clone());
    SupportRange { from, to, mode, rating, outcome, lost, silent, revisions, played: 1, inferred: 0 }
}

fn same(range: &SupportRange, cell: &CellRecord) -> bool {
    (range.rating, range.outcome, range.lost, range.silent) == result(cell)
}

fn key(cell: &CellRecord) -> Key {
    let is_release = |peer: &PeerId| peer.release().is_some();
    let (role, peer) =
        if is_release(&cell.client) { (Role::Client, &cell.client) } else { (Role::Server, &cell.server) };
    (cell.scenario.clone(), role, peer.mode())
}

fn result(cell: &CellRecord) -> Result {
    let lost = if cell.rating == Rating::Breaks { cell.blast_radius } else { None };
    (cell.rating, cell.outcome, lost, cell.silent)
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::Revision;
    use mcp_compat_model::cell::CellId;
    use mcp_compat_model::verdict::Verdict;

    use super::*;

    fn cell(peer: &str, rating: Rating, negotiated: Revision) -> CellRecord {
        let cell = CellId::parse(&format!("x/one::{peer}::mock/dual::stdio")).unwrap();
        let verdict = Verdict {
            negotiated: Some(negotiated),
            outcome: if rating == Rating::Breaks { Outcome::Rejected } else { Outcome::Intact },
            rating,
            silent: false,
            vacuous: false,
            blast_radius: Some(BlastRadius::Call),
            expected: None,
            findings: Vec::new(),
            fault: None,
            signature: None,
            reason: String::new(),
        };
        CellRecord::new(cell, verdict, 0, None)
    }

    /// `from-to rating played+inferred` of each range.
    fn texts(releases: &[&str], played: &[(usize, &str, Rating)], aside: &[usize]) -> Vec<String> {
        let releases: Vec<Version> = releases.iter().map(|text| Version::parse(text).unwrap()).collect();
        let mut cells = BTreeMap::<usize, Vec<CellRecord>>::new();
        for (place, peer, rating) in played {
            let revision = if *place < 2 { Revision::V2025_06_18 } else { Revision::V2025_11_25 };
            let of_release = cells.entry(*place).or_default();
            of_release.extend((!peer.is_empty()).then(|| cell(peer, *rating, revision)));
        }
        let found = statements("sdk", &releases, &cells, &aside.iter().copied().collect());
        let ranges = found.iter().flat_map(|statement| &statement.ranges);
        let texts = |range: &SupportRange| {
            let mode = range.mode.map(|mode| format!("+{mode}")).unwrap_or_default();
            let revisions = range.revisions.len();
            let SupportRange { from, to, rating, played, inferred, .. } = range;
            format!("{from}-{to}{mode} {rating:?} {played}+{inferred} {revisions}")
        };
        ranges.map(texts).collect()
    }

    const RELEASES: [&str; 6] = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0", "2.1.0"];

    #[test]
    fn releases_between_two_that_fare_alike_are_inferred_and_others_are_unknown() {
        use Rating::{Breaks, Works};
        let played = [(0, "sdk@1.0.0", Breaks), (3, "sdk@1.3.0", Breaks), (5, "sdk@2.1.0", Works)];
        assert_eq!(texts(&RELEASES, &played, &[]), ["1.0.0-1.3.0 Breaks 2+2 2", "2.1.0-2.1.0 Works 1+0 1"]);
        assert_eq!(texts(&RELEASES, &played[..2], &[1]), ["1.0.0-1.3.0 Breaks 2+1 2"], "one cannot be played");
    }

    #[test]
    fn a_mode_has_ranges_of_its_own() {
        use Rating::{Breaks, Works};
        let played = [
            (3, "sdk@1.3.0", Breaks),
            (4, "sdk@2.0.0+legacy", Breaks),
            (4, "sdk@2.0.0+auto", Works),
            (5, "sdk@2.1.0+legacy", Breaks),
            (5, "sdk@2.1.0+auto", Works),
        ];
        let ranges = ["1.3.0-1.3.0 Breaks 1+0 1", "2.0.0-2.1.0+legacy Breaks 2+0 1", "2.0.0-2.1.0+auto Works 2+0 1"];
        assert_eq!(texts(&RELEASES, &played, &[]), ranges);
    }

    #[test]
    fn nothing_is_inferred_across_a_release_that_has_no_result() {
        let played = [(0, "sdk@1.0.0", Rating::Works), (1, "", Rating::Works), (3, "sdk@1.3.0", Rating::Works)];
        assert_eq!(texts(&RELEASES, &played, &[]), ["1.0.0-1.0.0 Works 1+0 1", "1.3.0-1.3.0 Works 1+0 1"]);
    }
}
