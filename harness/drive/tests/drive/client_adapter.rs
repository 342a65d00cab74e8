//! A client adapter may do anything: each job gets its own outcome, and none outlives its deadline.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use mcp_compat_drive::{AdapterFailure, AdapterOptions, ClientAdapter, ContractViolation, Launch, Limits};
use mcp_compat_model::peer_contract::{Deadlines, Job, ServerAddress};
use mcp_compat_model::transcript::StopStage;

use crate::fake::{PATIENCE, SHORT, nobody_left_in, sh, soon};

/// Reads the number of a job.
const READ_ID: &str = r#"read -r line; id=${line#*\"id\":}; id=${id%%,*}"#;

/// Answers a job with no steps.
const ANSWER: &str = r#"printf '{"id":%s,"steps":[]}\n' "$id""#;

fn faithful() -> String {
    format!("while {READ_ID}; [ -n \"$line\" ]; do {ANSWER}; done")
}

fn job(id: u64) -> Job {
    Job {
        id,
        scenario: "test".to_owned(),
        server: ServerAddress::Stdio { command: vec!["true".to_owned()], env: BTreeMap::new() },
        mode: None,
        steps: Vec::new(),
        deadlines: Deadlines { connect_ms: 1000, step_ms: 1000 },
    }
}

async fn spawn_with(launch: Launch, options: AdapterOptions) -> ClientAdapter {
    ClientAdapter::spawn(launch, options).await.unwrap()
}

async fn spawn(script: &str) -> ClientAdapter {
    spawn_with(sh(script), AdapterOptions::default()).await
}

/// A script that does `first` when it is started for the first time, and answers faithfully from then on.
fn only_the_first_time(first: &str, folder: &Path) -> Launch {
    sh(&format!("if mkdir started 2>/dev/null; then {first}; else {}; fi", faithful())).cwd(folder)
}

#[tokio::test]
async fn answers_find_their_jobs_in_any_order_and_carry_the_jobs_own_ids() {
    let script = format!("{READ_ID}; a=$id; {READ_ID}; b=$id; {READ_ID}; {ANSWER}; id=$b; {ANSWER}; id=$a; {ANSWER}");
    let adapter = spawn(&script).await;
    let play = |id| adapter.play(job(id), PATIENCE);
    let (one, two, three) = soon(async { tokio::join!(play(70), play(70), play(5)) }).await;
    assert_eq!([one, two, three].map(|answer| answer.unwrap().id), [70, 70, 5]);
    assert_eq!(adapter.violations(), []);
}

#[tokio::test]
async fn a_process_has_as_many_jobs_at_a_time_as_allowed_and_not_more() {
    // Answers only in pairs: with one job at a time it never does.
    let pairs = sh(&format!("while {READ_ID}; a=$id; {READ_ID}; do {ANSWER}; id=$a; {ANSWER}; done"));
    let two = AdapterOptions { concurrency: 2, ..AdapterOptions::default() };
    let adapter = spawn_with(pairs.clone(), two).await;
    let play = |id| adapter.play(job(id), PATIENCE);
    let (a, b, c, d) = soon(async { tokio::join!(play(1), play(2), play(3), play(4)) }).await;
    assert_eq!([a, b, c, d].map(|answer| answer.unwrap().id), [1, 2, 3, 4]);

    let one = AdapterOptions { concurrency: 1, ..AdapterOptions::default() };
    let adapter = spawn_with(pairs, one).await;
    let play = |id| adapter.play(job(id), SHORT);
    let (a, b) = soon(async { tokio::join!(play(1), play(2)) }).await;
    assert_eq!(
        [a, b].map(Result::unwrap_err),
        [(); 2].map(|()| AdapterFailure::TimedOut { after: SHORT, noise: None })
    );
}

#[tokio::test]
async fn a_death_in_the_middle_of_an_answer_is_told_with_the_log() {
    let adapter = spawn(&format!("{READ_ID}; printf '{{\"id\":0,\"st'; echo out of luck >&2; exit 3")).await;
    let failure = soon(adapter.play(job(1), PATIENCE)).await.unwrap_err();
    let expected =
        AdapterFailure::Died { how: "exit status 3".to_owned(), log_tail: "out of luck\n".to_owned(), in_flight: 1 };
    assert_eq!(failure, expected);
}

#[tokio::test]
async fn an_answer_given_before_death_counts() {
    let adapter = spawn(&format!("{READ_ID}; {ANSWER}; kill -9 $$")).await;
    assert_eq!(soon(adapter.play(job(1), PATIENCE)).await.unwrap().id, 1);
}

#[tokio::test]
async fn the_dead_fail_their_jobs_and_are_replaced_for_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let die = format!("{READ_ID}; {READ_ID}; kill -9 $$");
    let adapter = spawn_with(only_the_first_time(&die, folder.path()), AdapterOptions::default()).await;
    let play = |id| adapter.play(job(id), PATIENCE);
    let (one, two) = soon(async { tokio::join!(play(1), play(2)) }).await;
    for failure in [one.unwrap_err(), two.unwrap_err()] {
        let AdapterFailure::Died { how, in_flight, .. } = failure else { panic!("{failure}") };
        assert_eq!((how.as_str(), in_flight), ("signal 9 (SIGKILL)", 2));
    }
    assert_eq!(soon(play(3)).await.unwrap().id, 3);
}

#[tokio::test]
async fn one_that_hangs_gets_no_further_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let hang = "while read -r line; do :; done; sleep 300";
    let adapter = spawn_with(only_the_first_time(hang, folder.path()), AdapterOptions::default()).await;
    assert_eq!(
        soon(adapter.play(job(1), SHORT)).await.unwrap_err(),
        AdapterFailure::TimedOut { after: SHORT, noise: None }
    );
    assert_eq!(soon(adapter.play(job(2), PATIENCE)).await.unwrap().id, 2);
}

#[tokio::test]
async fn one_that_does_not_even_read_is_bounded_by_the_deadline() {
    let adapter = spawn("exec sleep 300").await;
    let mut job = job(1);
    job.scenario = "x".repeat(1 << 20);
    assert_eq!(
        soon(adapter.play(job, SHORT)).await.unwrap_err(),
        AdapterFailure::TimedOut { after: SHORT, noise: None }
    );
}

#[tokio::test]
async fn status_127_says_unsupported_and_anything_else_does_not() {
    assert_eq!(soon(spawn("exit 127").await.play(job(1), PATIENCE)).await.unwrap_err(), AdapterFailure::Unsupported);
    let failure = soon(spawn("exit 126").await.play(job(1), PATIENCE)).await.unwrap_err();
    assert!(matches!(failure, AdapterFailure::Died { .. }), "{failure}");
}

#[tokio::test]
async fn one_that_never_answers_is_not_started_for_ever() {
    let options = AdapterOptions { failed_starts: 3, ..AdapterOptions::default() };
    let adapter = spawn_with(sh("exit 5"), options).await;
    let mut failures = Vec::new();
    for id in 0..6 {
        failures.push(soon(adapter.play(job(id), PATIENCE)).await.unwrap_err());
    }
    let Some(AdapterFailure::GaveUp { starts: 3, last, .. }) = failures.last() else { panic!("{failures:?}") };
    assert!(last.contains("exit status 5"), "{last}");
}

#[tokio::test]
async fn whatever_is_no_answer_is_remembered_and_harms_nothing() {
    let script = format!(
        "echo starting up; {READ_ID}; {ANSWER}; {ANSWER}; echo '{{\"id\":900,\"steps\":[]}}'; {READ_ID}; {ANSWER}; cat"
    );
    let adapter = spawn(&script).await;
    for id in [1, 2] {
        assert_eq!(soon(adapter.play(job(id), PATIENCE)).await.unwrap().id, id);
    }
    let noise = ContractViolation::Noise { line: "starting up".to_owned() };
    assert_eq!(
        adapter.violations(),
        [noise, ContractViolation::Twice { id: 0 }, ContractViolation::UnknownId { id: 900 }]
    );
}

#[tokio::test]
async fn an_answer_that_breaks_the_contract_is_shown() {
    let adapter = spawn(&format!("{READ_ID}; printf '{{\"id\":%s,\"steps\":42}}\\n' $id; cat")).await;
    let failure = soon(adapter.play(job(1), PATIENCE)).await.unwrap_err();
    let AdapterFailure::Garbage { line, problem } = failure else { panic!("{failure}") };
    assert_eq!(line, r#"{"id":0,"steps":42}"#);
    assert!(problem.contains("expected a sequence"), "{problem}");
}

#[tokio::test]
async fn floods_end_the_process() {
    let failure = soon(spawn("yes noise").await.play(job(1), PATIENCE)).await.unwrap_err();
    assert!(matches!(&failure, AdapterFailure::Noise { first, .. } if first == "noise"), "{failure}");

    let options =
        AdapterOptions { limits: Limits { message_bytes: 1000, ..Limits::default() }, ..AdapterOptions::default() };
    let adapter = spawn_with(sh("head -c 100000000 /dev/zero"), options).await;
    let failure = soon(adapter.play(job(1), PATIENCE)).await.unwrap_err();
    assert!(matches!(failure, AdapterFailure::Overflow { limit: 1000, .. }), "{failure}");
}

#[tokio::test]
async fn the_probe_wants_unsupported_and_nothing_else() {
    let honest = format!("{READ_ID}; printf '{{\"id\":%s,\"unsupported\":\"no such step\"}}\\n' $id; cat");
    soon(spawn(&honest).await.probe(PATIENCE)).await.unwrap();
    let failure = soon(spawn(&faithful()).await.probe(PATIENCE)).await.unwrap_err();
    assert!(matches!(failure, AdapterFailure::AcceptsUnknownStep { .. }), "{failure}");
}

#[tokio::test]
async fn the_probe_is_a_job_but_for_its_step() {
    // Sends back what it got, as the reason.
    let echo =
        format!("{READ_ID}; printf '{{\"id\":%s,\"unsupported\":\"x\"}}\\n' $id; printf '%s' \"$line\" > seen; cat");
    let folder = tempfile::tempdir().unwrap();
    let adapter = spawn_with(sh(&echo).cwd(folder.path()), AdapterOptions::default()).await;
    soon(adapter.probe(PATIENCE)).await.unwrap();
    assert_eq!(soon(adapter.stop(PATIENCE)).await, Some(StopStage::InputClosed));
    let seen = std::fs::read_to_string(folder.path().join("seen")).unwrap();
    assert!(serde_json::from_str::<Job>(&seen).is_err());
    let known = seen.replace(r#"{"probe-that-no-adapter-knows":{}}"#, r#"{"list":{}}"#);
    assert_eq!(serde_json::from_str::<Job>(&known).unwrap().steps.len(), 1);
}

#[tokio::test]
async fn stopping_is_gentle_at_first() {
    let gentle = spawn(&faithful()).await;
    assert_eq!(soon(gentle.stop(PATIENCE)).await, Some(StopStage::InputClosed));
    assert_eq!(soon(gentle.stop(PATIENCE)).await, None);
    let stubborn = spawn("exec sleep 300").await;
    assert_eq!(soon(stubborn.stop(SHORT)).await, Some(StopStage::Terminated));
}

#[tokio::test]
async fn a_stop_fails_the_jobs_in_flight_at_once() {
    let adapter = spawn("cat >/dev/null").await;
    let stop = async {
        tokio::task::yield_now().await;
        adapter.stop(PATIENCE).await
    };
    let (played, _) = soon(async { tokio::join!(adapter.play(job(1), Duration::from_secs(3600)), stop) }).await;
    assert_eq!(played.unwrap_err(), AdapterFailure::Stopped);
}

#[tokio::test]
async fn dropping_it_leaves_no_process() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("{READ_ID}; echo $$ > group; sleep 300 & {ANSWER}; trap '' TERM; sleep 300");
    let adapter = spawn_with(sh(&script).cwd(folder.path()), AdapterOptions::default()).await;
    soon(adapter.play(job(1), PATIENCE)).await.unwrap();
    let group = std::fs::read_to_string(folder.path().join("group")).unwrap().trim().parse().unwrap();
    drop(adapter);
    nobody_left_in(group).await;
}
