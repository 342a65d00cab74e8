//! Shards that are merged are the whole again, however they are ordered and grouped; what is no part of it is refused.

use mcp_compat_judge::triangulate;
use mcp_compat_model::record::{PeerRecord, SCHEMA_VERSION};
use mcp_compat_model::verdict::{Fault, Outcome, Rating, Verdict};
use mcp_compat_model::{CellId, PeerId, Revision, Role};
use proptest::prelude::*;

use super::*;
use crate::plan::{Plan, Shard};

const CLIENTS: [&str; 2] = ["ardent@1.0.0", "mock/dual+auto"];
const SERVERS: [&str; 2] = ["brisk@2.0.0", "mock/dual"];

fn peers() -> Vec<PeerRecord> {
    let peer = |role| {
        move |id: &&str| PeerRecord {
            id: PeerId::new(*id).unwrap(),
            role,
            language: (!id.starts_with("mock/")).then(|| "rust".to_owned()),
            revisions: Revision::ALL.to_vec(),
            mode: None,
            about: String::new(),
            isolated: None,
            calls: None,
            recorded: None,
        }
    };
    CLIENTS.iter().map(peer(Role::Client)).chain(SERVERS.iter().map(peer(Role::Server))).collect()
}

/// A plan of so many cells: every pair plays each scenario.
fn plan(cells: usize) -> Plan {
    let pairs = CLIENTS.iter().flat_map(|client| SERVERS.iter().map(move |server| (client, server)));
    let all = pairs.flat_map(|(client, server)| {
        (0..10).map(move |number| CellId::parse(&format!("a/s{number}::{client}::{server}::http")).unwrap())
    });
    let mut all: Vec<Cell> = all.collect();
    all.sort();
    all.truncate(cells);
    let left_out = vec![
        NotPlayedCells { reason: "too heavy".to_owned(), cells: 2 },
        NotPlayedCells { reason: "a".to_owned(), cells: 1 },
    ];
    let mut plan = Plan { cells: all, left_out, division: None };
    plan.left_out.sort_by(|one, other| one.reason.cmp(&other.reason));
    plan
}

/// Makes the outcome of a cell: the client refuses all of every second scenario.
fn played(cell: Cell, number: usize) -> CellRecord {
    let breaks = cell.client.as_str() == CLIENTS[0] && cell.scenario.as_str().ends_with(['1', '3', '5', '7', '9']);
    let fault = breaks.then_some(if cell.server.is_mock() { Fault::Client } else { Fault::Spec });
    let verdict = Verdict {
        negotiated: Some(Revision::V2025_11_25),
        outcome: if breaks { Outcome::Rejected } else { Outcome::Intact },
        rating: if breaks { Rating::Breaks } else { Rating::Works },
        silent: false,
        vacuous: false,
        blast_radius: None,
        expected: Some(Outcome::Intact),
        findings: Vec::new(),
        fault,
        signature: fault.map(|fault| format!("{fault}:rejected:tools/call:no-rule:decode").parse().unwrap()),
        reason: "as it is".to_owned(),
    };
    CellRecord::new(cell, verdict, 5, Some(number as u64))
}

fn run(plan: Plan, started: &str, duration_us: u64) -> Record {
    let cells: Vec<CellRecord> =
        plan.cells.into_iter().enumerate().map(|(number, cell)| played(cell, number)).collect();
    let mut record = Record {
        schema_version: SCHEMA_VERSION,
        tool_version: "0.1.0".to_owned(),
        judge: None,
        platform: None,
        started: started.to_owned(),
        duration_us,
        complete: true,
        division: plan.division,
        corpus: "c0ffee".to_owned(),
        peers: peers(),
        scenarios: Vec::new(),
        cells,
        left_out: plan.left_out,
        stale: Vec::new(),
    };
    triangulate(&mut record);
    record
}

fn whole(cells: usize) -> Record {
    run(plan(cells), "2026-11-21T02:00:00Z", 90)
}

/// The record of one shard, begun the later the higher its number, and the quicker.
pub(super) fn shard(cells: usize, index: u16, of: u16) -> Part {
    let started = format!("2026-11-21T02:00:{:02}Z", index - 1);
    let record = run(plan(cells).part(Shard { index, of }), &started, 91 - u64::from(index));
    Part { name: format!("shard-{index}"), record }
}

pub(super) fn shards(cells: usize, of: u16) -> Vec<Part> {
    (1..=of).map(|index| shard(cells, index, of)).collect()
}

fn part(merged: Merged) -> Part {
    Part { name: "some".to_owned(), record: merged.record }
}

proptest! {
    #[test]
    fn all_shards_in_any_order_are_the_whole(
        cells in 0..40_usize,
        (of, order) in (1..6_u16).prop_flat_map(|of| (Just(of), Just((0..usize::from(of)).collect::<Vec<_>>()).prop_shuffle())),
    ) {
        let all = shards(cells, of);
        let parts: Vec<Part> = order.iter().map(|place| all[*place].clone()).collect();
        let merged = merge(&parts).unwrap();
        prop_assert_eq!(&merged.record, &whole(cells));
        prop_assert_eq!(&merged.missing, &Missing::default());
        for (cell, source) in merged.record.cells.iter().zip(&merged.sources) {
            prop_assert_eq!(&parts[source.part].record.cells[source.line].id, &cell.id);
        }
    }

    #[test]
    fn merging_some_first_comes_to_the_same(cells in 0..40_usize, of in 2..6_u16, first in 1..5_usize) {
        let mut parts = shards(cells, of);
        let rest = parts.split_off(first.min(parts.len() - 1));
        let some = merge(&parts).unwrap();
        prop_assert_eq!(some.record.division.as_ref().map(|division| division.parts.len()), Some(parts.len()));
        let both: Vec<Part> = [part(some)].into_iter().chain(rest).collect();
        prop_assert_eq!(merge(&both).unwrap().record, whole(cells));
    }

    #[test]
    fn what_is_not_there_is_counted(cells in 0..40_usize, of in 2..6_u16, gone in 0..5_usize, lost in 0..3_usize) {
        let mut parts = shards(cells, of);
        let gone = parts.remove(gone % usize::from(of));
        let left = &mut parts[0].record;
        let lost = lost.min(left.cells.len());
        left.cells.truncate(left.cells.len() - lost);
        let merged = merge(&parts).unwrap();
        prop_assert_eq!(merged.missing.cells, lost as u64);
        prop_assert_eq!(merged.missing.parts.len(), 1);
        prop_assert_eq!(merged.missing.parts[0].1, gone.record.cells.len() as u64);
        prop_assert_eq!(merged.record.complete, lost == 0 && gone.record.cells.is_empty());
        let left: u64 = merged.record.left_out.iter().map(|left| left.cells).sum();
        prop_assert_eq!(left + merged.record.cells.len() as u64, cells as u64 + 3, "the lost cells are among those left out");
    }
}

#[test]
fn a_fault_is_settled_by_cells_of_another_shard() {
    let parts = shards(40, 3);
    let settled = |record: &Record| record.cells.iter().filter(|cell| cell.fault == Some(Fault::Client)).count();
    let alone: usize = parts.iter().map(|part| settled(&part.record)).sum();
    let merged = merge(&parts).unwrap().record;
    assert!(settled(&merged) > alone, "{} of {alone}", settled(&merged));
    assert_eq!(settled(&merged), settled(&whole(40)));
}

#[test]
fn the_run_began_with_its_first_part_and_took_as_long_as_its_longest() {
    let merged = merge(&shards(8, 4)).unwrap().record;
    assert_eq!((merged.started.as_str(), merged.duration_us), ("2026-11-21T02:00:00Z", 90));
}

#[test]
fn a_cell_that_two_records_have_is_taken_from_the_first() {
    let mut again = shard(8, 1, 2);
    again.record.cells.iter_mut().for_each(|cell| cell.duration_us = 99);
    let merged = merge(&[shard(8, 1, 2), again.clone(), shard(8, 2, 2)]).unwrap();
    assert_eq!(merged.record, whole(8));
    assert!(merged.sources.iter().all(|source| source.part != 1));
    again.record.cells[2].outcome = Outcome::Altered;
    let error = merge(&[shard(8, 1, 2), again]).unwrap_err();
    assert!(
        matches!(&error, MergeError::Disagree { other: (name, Outcome::Altered), .. } if name == "shard-1"),
        "{error}"
    );
}

/// Merges a shard with another one that a change makes unfit, and gives what is said of it.
fn refused(change: impl FnOnce(&mut Record)) -> String {
    let mut other = shard(8, 2, 2);
    change(&mut other.record);
    merge(&[shard(8, 1, 2), other]).unwrap_err().to_string()
}

#[test]
fn what_is_no_part_of_the_run_is_refused_and_says_why() {
    let other_release = |record: &mut Record| record.peers[2].id = PeerId::new("brisk@2.0.1").unwrap();
    let other_shards = |record: &mut Record| *record = shard(8, 1, 3).record;
    let other_plan = |record: &mut Record| *record = shard(9, 2, 2).record;
    let same_size = |record: &mut Record| record.division.as_mut().unwrap().plan = "beef".to_owned();
    for (said, words) in [
        (
            refused(|record| record.corpus = "beef".to_owned()),
            "differ in scenarios: shard-1 has c0ffee, shard-2 has beef",
        ),
        (refused(|record| record.schema_version = 0), "differ in record format: shard-1 has 1, shard-2 has 0"),
        (refused(|record| record.tool_version = "0.2.0".to_owned()), "differ in mcp-compat: shard-1 has 0.1.0"),
        (refused(other_release), "differ in peers: shard-1 has server brisk@2.0.0, shard-2 has server brisk@2.0.1"),
        (refused(|record| drop(record.peers.pop())), "shard-1 has server mock/dual, shard-2 has all of those"),
        (
            refused(|record| record.peers[0].revisions.clear()),
            "shard-1 has client ardent@1.0.0, shard-2 has client ardent",
        ),
        (refused(other_shards), "differ in division: shard-1 has 2 parts, shard-2 has 3 parts"),
        (refused(other_plan), "differ in plan: shard-1 has 8 checks"),
        (refused(same_size), "shard-2 has 8 checks, plan beef"),
        (refused(|record| record.division = None), "cannot merge shard-2: the record is not marked as a shard"),
        (refused(|record| record.division.as_mut().unwrap().parts = vec![3]), "names itself the parts [3] of 2"),
        (refused(|record| record.division.as_mut().unwrap().of = 0), "names itself the parts [2] of 0"),
        (
            refused(|record| record.division.as_mut().unwrap().cells = 1),
            "it has 4 checks, and its part of the plan has 0",
        ),
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(merge(&[]).unwrap_err(), MergeError::Nothing);
}

#[test]
fn what_no_longer_holds_is_told_once() {
    let mut parts = shards(8, 2);
    parts[0].record.stale = vec!["one".to_owned(), "both".to_owned()];
    parts[1].record.stale = vec!["both".to_owned(), "other".to_owned()];
    assert_eq!(merge(&parts).unwrap().record.stale, ["one", "both", "other"]);
}
