//! Judging a run anew, by the evidence that a run of the mocks left.

use std::sync::Arc;

use mcp_compat_model::diff::Class;
use mcp_compat_model::record::{Evidence, Record};
use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_reports::compare::{Options, Rejudge, Rejudged, Run, diff};
use mcp_compat_run::events::{Event, Observer};
use mcp_compat_run::in_memory::run_in_memory;
use mcp_compat_run::peer::{ClientPeer, ServerPeer};
use mcp_compat_scenario::{Scenario, corpus};
use tokio_util::sync::CancellationToken;

/// Keeps what happened.
#[derive(Default)]
struct Kept(Vec<Evidence>);

impl Observer for Kept {
    fn notice(&mut self, event: Event<'_>) {
        if let Event::Recorded { evidence, .. } = event {
            self.0.push(evidence.clone());
        }
    }
}

/// A run of a few mocks over a few scenarios, with its evidence.
async fn played() -> (Record, Vec<Evidence>, Vec<Arc<Scenario>>) {
    let scenarios: Vec<Arc<Scenario>> = corpus::load().unwrap().into_iter().map(Arc::new).collect();
    let few: Vec<_> = scenarios.iter().filter(|it| ["root-type", "drift"].contains(&it.id.class())).cloned().collect();
    let pair = |client: &str, server: &str| (ClientPeer::mock(client).unwrap(), ServerPeer::mock(server).unwrap());
    let pairs = [pair("mock/2025-11-25", "mock/dual"), pair("mock/dual", "mock/dual/omit")];
    let mut kept = Kept::default();
    let pairs: Vec<_> = pairs.iter().collect();
    let record = run_in_memory(&few, &pairs, 2, &mut kept, CancellationToken::new()).await.unwrap();
    assert!(record.cells.iter().any(|cell| cell.rating == Rating::Breaks));
    (record, kept.0, scenarios)
}

fn judged_anew(record: &Record, evidence: &[Evidence], scenarios: &[Arc<Scenario>]) -> Rejudged {
    let mut rejudge = Rejudge::new(record.clone(), scenarios.iter().map(AsRef::as_ref));
    evidence.iter().for_each(|evidence| rejudge.see(evidence));
    rejudge.finish()
}

#[tokio::test]
async fn the_same_judge_gives_the_same_verdicts_again() {
    let (record, evidence, scenarios) = played().await;
    let again = judged_anew(&record, &evidence, &scenarios);
    assert_eq!(again.judged_anew, record.cells.len() as u64);
    assert!(again.old_verdicts.is_empty());
    assert_eq!(again.record.cells, record.cells);
}

#[tokio::test]
async fn verdicts_of_an_earlier_judge_are_replaced_and_nothing_is_reported() {
    let (record, evidence, scenarios) = played().await;
    let mut earlier = record.clone();
    earlier.judge = Some("earlier".to_owned());
    for cell in earlier.cells.iter_mut().filter(|cell| cell.rating == Rating::Breaks) {
        (cell.outcome, cell.rating, cell.signature, cell.fault) = (Outcome::Intact, Rating::Works, None, None);
    }
    let compare = |before: &Run<'_>| diff(before, &Run::new("B", &record), &Options::default()).unwrap();
    let not_anew = compare(&Run::new("A", &earlier));
    assert_eq!(not_anew.count(Class::Worse), 0);
    assert!(not_anew.count(Class::NotComparable) > 0);
    let Rejudged { record: anew, judged_anew, old_verdicts } = judged_anew(&earlier, &evidence, &scenarios);
    let run = Run { name: "A", record: &anew, judged_anew, old_verdicts: &old_verdicts };
    assert!(compare(&run).is_empty());
}

#[tokio::test]
async fn a_cell_without_evidence_or_with_another_scenario_keeps_its_verdict() {
    let (record, evidence, scenarios) = played().await;
    let mut earlier = record.clone();
    earlier.judge = Some("earlier".to_owned());
    earlier.scenarios[0].digest = Some("another".to_owned());
    earlier.cells[0].rating = Rating::Degraded;
    let Rejudged { record: anew, judged_anew, old_verdicts } = judged_anew(&earlier, &evidence[3..], &scenarios);
    assert_eq!(judged_anew + old_verdicts.len() as u64, record.cells.len() as u64);
    assert!(old_verdicts.contains(&record.cells[0].id));
    let mut later = record.clone();
    later.scenarios[0].digest = Some("another".to_owned());
    let run = Run { name: "A", record: &anew, judged_anew, old_verdicts: &old_verdicts };
    let diff = diff(&run, &Run::new("B", &later), &Options::default()).unwrap();
    assert_eq!((diff.count(Class::NotComparable), diff.changes.len()), (1, 1));
}
