//! Same inputs, same record, but for times; and judging what was saved gives the same verdict again.

use std::time::Duration;

use mcp_compat_judge::Judge;
use mcp_compat_model::Transport;
use mcp_compat_model::record::{Evidence, Record};
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::plan::Coverage;

use crate::support::{corpus, mocks_and, play, play_with, request};

fn without_times(mut record: Record) -> Record {
    record.duration_us = 0;
    for cell in &mut record.cells {
        cell.duration_us = 0;
    }
    record
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_runs_give_one_record() {
    let asked = || {
        let mut asked =
            request(&["root-type/*", "drift/*", "ref/*"], &["mock/dual+auto", "mock/2025-11-25"], &["mock/dual"]);
        asked.transports = vec![Transport::Memory, Transport::Http];
        asked.jobs = Some(8);
        asked
    };
    let (first, second) = (play(asked()).await, play(asked()).await);
    let (first, second) = (without_times(first.record), without_times(second.record));
    for (one, other) in first.cells.iter().zip(&second.cells) {
        assert_eq!(one, other);
    }
    assert_eq!(first, second);
}

#[tokio::test]
async fn profiles_do_the_same_each_time() {
    let clients = PeerSet::profiles().clients;
    assert!(!clients.is_empty());
    let asked = || {
        let mut asked = request(&["number/*", "bytes/*", "dialect/*"], &["profile/*"], &["mock/dual"]);
        asked.transports = vec![Transport::Memory];
        asked.coverage = Coverage::Everything;
        // Some of them wait in vain, and a busy machine is no reason to hang.
        asked.step_timeout = Some(Duration::from_secs(4));
        asked
    };
    let fleet = mocks_and(clients);
    let (first, second) =
        (play_with(fleet.clone(), &corpus(), asked()).await, play_with(fleet, &corpus(), asked()).await);
    let (first, second) = (without_times(first.record), without_times(second.record));
    for (one, other) in first.cells.iter().zip(&second.cells) {
        assert_eq!(one, other);
    }
    assert_eq!(first, second);
}

#[tokio::test]
async fn a_saved_cell_is_judged_the_same_again() {
    let corpus = corpus();
    let mut asked = request(&[], &["mock/dual+auto", "mock/2025-11-25"], &["mock/dual"]);
    asked.transports = vec![Transport::Memory];
    let played = play(asked).await;
    let judge = Judge::new();
    let pairs = played.record.cells.iter().zip(&played.evidence);
    // What was too long to be kept whole cannot be judged again, and says so.
    let (short, whole): (Vec<_>, Vec<_>) = pairs.partition(|(_, evidence)| evidence.shortened);
    assert!(!short.is_empty() && short.len() < 20, "{} were shortened", short.len());
    for (cell, evidence) in whole {
        let saved = serde_json::to_string(evidence).unwrap();
        let read: Evidence = serde_json::from_str(&saved).unwrap();
        let scenario = corpus.iter().find(|scenario| scenario.id == cell.scenario).unwrap();
        let verdict = judge.judge(scenario, &read.cell, &read.transcript, &read.observation);
        assert_eq!((verdict.outcome, verdict.rating, &verdict.reason), (cell.outcome, cell.rating, &cell.reason));
        assert_eq!(verdict.findings, cell.findings, "{}", cell.id);
    }
}
