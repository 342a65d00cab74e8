//! Properties of any two runs.

use mcp_compat_model::diff::{Change, Class, Move, Obstacle, Which};
use mcp_compat_model::record::Record;
use proptest::prelude::*;
use proptest::sample::select;

use crate::compare::records::{compare, record};

const CLIENTS: [&str; 6] = ["mock/dual", "ts@1.0.0", "ts@1.1.0", "ts@2.0.0+auto", "ts@2.0.0+legacy", "mine"];
const SERVERS: [&str; 4] = ["mock/dual", "py@1.0.0", "py@1.2.0", "py@1.2.0/typed"];
const FATES: [&str; 8] = ["works", "degraded", "breaks", "loud", "skipped", "harness", "known", "flaky"];

fn any_record() -> impl Strategy<Value = Record> {
    let cell = (0..3_usize, select(CLIENTS.to_vec()), select(SERVERS.to_vec()), any::<bool>(), select(FATES.to_vec()));
    let cells = prop::collection::btree_map(
        cell.clone().prop_map(|(scenario, client, server, http, _)| {
            format!(
                "a/{}::{client}::{server}::{}",
                ["one", "two", "three"][scenario],
                if http { "http" } else { "stdio" }
            )
        }),
        cell.prop_map(|(.., fate)| fate),
        1..25,
    );
    let rewritten = prop::collection::vec(prop::bool::weighted(0.2), 3);
    (cells, rewritten, prop::bool::weighted(0.2), prop::bool::weighted(0.2)).prop_map(
        |(cells, rewritten, tool, judge)| {
            let cells: Vec<(&str, &str)> = cells.iter().map(|(id, fate)| (id.as_str(), *fate)).collect();
            let mut record = record(&cells);
            for (scenario, is_rewritten) in record.scenarios.iter_mut().zip(rewritten) {
                if is_rewritten {
                    scenario.digest = Some("another".to_owned());
                }
            }
            if tool {
                record.tool_version = "0.2.0".to_owned();
            }
            if judge {
                record.judge = Some("another".to_owned());
            }
            record
        },
    )
}

/// The class with the runs exchanged.
fn mirror_image(class: Class) -> Class {
    match class {
        Class::Worse => Class::Better,
        Class::Better => Class::Worse,
        Class::New => Class::Gone,
        Class::Gone => Class::New,
        Class::PeerAdded => Class::PeerGone,
        Class::PeerGone => Class::PeerAdded,
        Class::Changed | Class::Same | Class::NotComparable | Class::Flaky | Class::Spurious => class,
    }
}

/// A change with the runs exchanged.
fn mirrored(change: &Change) -> Change {
    let moved = |moved: &Move| Move { role: moved.role, before: moved.after.clone(), after: moved.before.clone() };
    let obstacle = |obstacle: &Obstacle| match obstacle {
        Obstacle::NotPlayed { by: Which::Before } => Obstacle::NotPlayed { by: Which::After },
        Obstacle::NotPlayed { by: Which::After } => Obstacle::NotPlayed { by: Which::Before },
        other @ (Obstacle::Scenario {} | Obstacle::Harness {} | Obstacle::Judge {}) => other.clone(),
    };
    Change {
        class: mirror_image(change.class),
        before: change.after.clone(),
        after: change.before.clone(),
        moves: change.moves.iter().map(moved).collect(),
        obstacles: change.obstacles.iter().map(obstacle).collect(),
        ..change.clone()
    }
}

fn sorted(mut changes: Vec<String>) -> Vec<String> {
    changes.sort();
    changes
}

proptest! {
    #[test]
    fn a_run_does_not_differ_from_itself(record in any_record()) {
        let diff = compare(&record, &record);
        prop_assert!(diff.is_empty() && diff.groups.is_empty() && diff.same_harness);
        prop_assert!(diff.compared() >= record.cells.len() as u64);
    }

    #[test]
    fn the_other_way_round_is_the_mirror_image(before in any_record(), after in any_record()) {
        let shared = before.scenarios.iter().any(|one| after.scenarios.iter().any(|other| {
            one.id == other.id || (one.digest == other.digest)
        }));
        prop_assume!(shared);
        let unmixed = |record: &Record| record.scenarios.iter().filter(|it| it.digest.as_deref() == Some("another")).count() <= 1;
        prop_assume!(unmixed(&before) && unmixed(&after));
        let (there, back) = (compare(&before, &after), compare(&after, &before));
        let renamed = |change: &Change| (change.class, format!("{:?}", Change { scenario: "x".parse().unwrap(), ..change.clone() }));
        let image: Vec<String> = there.changes.iter().map(mirrored).map(|change| renamed(&change).1).collect();
        let found: Vec<String> = back.changes.iter().map(|change| renamed(change).1).collect();
        prop_assert_eq!(sorted(image), sorted(found));
        let counts = there.counts.iter().map(|(class, count)| (mirror_image(*class), *count)).collect();
        prop_assert_eq!(&back.counts, &counts);
    }

    #[test]
    fn every_cell_of_both_runs_is_compared_or_reported(before in any_record(), after in any_record()) {
        prop_assume!(before.scenarios.iter().any(|one| after.scenarios.iter().any(|other| one.id == other.id)));
        let diff = compare(&before, &after);
        let grouped: usize = diff.groups.iter().map(|group| group.changes.len()).sum();
        prop_assert_eq!(grouped, diff.changes.len());
        prop_assert!(diff.counts.values().sum::<u64>() >= before.cells.len().max(after.cells.len()) as u64);
    }
}
