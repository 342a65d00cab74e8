//! Records that tests make up.

use mcp_compat_model::diff::{Change, Class, Diff};
use mcp_compat_model::record::{CellRecord, Known, Record, SCHEMA_VERSION, ScenarioRecord};
use mcp_compat_model::verdict::{Fault, Outcome, Rating, Verdict};
use mcp_compat_model::{CellId, Revision, ScenarioId};
use mcp_compat_reports::compare::{Options, Run, diff};

/// A run of these cells, each as `id` and what came of it: `works`, `degraded`, `breaks`, `loud`, `skipped`, `harness`,
/// `known`, `flaky`.
pub(crate) fn record(cells: &[(&str, &str)]) -> Record {
    let cells: Vec<CellRecord> = cells.iter().map(|(id, fate)| cell(id, fate)).collect();
    let mut scenarios: Vec<&ScenarioId> = cells.iter().map(|cell| &cell.scenario).collect();
    scenarios.sort();
    scenarios.dedup();
    Record {
        schema_version: SCHEMA_VERSION,
        tool_version: "0.1.0".to_owned(),
        judge: Some("today".to_owned()),
        platform: None,
        started: "2026-11-21T02:00:00Z".to_owned(),
        duration_us: 7_000_000,
        complete: true,
        division: None,
        corpus: "c0".to_owned(),
        peers: Vec::new(),
        scenarios: scenarios.into_iter().map(scenario).collect(),
        cells,
        left_out: Vec::new(),
        stale: Vec::new(),
    }
}

fn scenario(id: &ScenarioId) -> ScenarioRecord {
    ScenarioRecord {
        id: id.clone(),
        title: String::new(),
        why: String::new(),
        sources: Vec::new(),
        since: Revision::V2025_06_18,
        digest: Some(format!("digest of {id}")),
        read_from: None,
    }
}

fn cell(id: &str, fate: &str) -> CellRecord {
    let (outcome, rating, fault, cause) = match fate {
        "works" => (Outcome::Intact, Rating::Works, None, None),
        "degraded" => {
            let cause = "server:text:tools/call:structured-content-omitted";
            (Outcome::Text, Rating::Degraded, Some(Fault::Server), Some(cause))
        }
        "loud" => {
            let cause = "client:rejected:tools/call:client-returns-value:validate";
            (Outcome::Rejected, Rating::Breaks, Some(Fault::Client), Some(cause))
        }
        "harness" => {
            let cause = "harness:incomplete:session:no-rule";
            (Outcome::Incomplete, Rating::Breaks, Some(Fault::Harness), Some(cause))
        }
        "skipped" => (Outcome::Unsupported, Rating::Skipped, None, None),
        _ => {
            let cause = "client:lost:tools/call:client-returns-value:/items/*";
            (Outcome::Lost, Rating::Breaks, Some(Fault::Client), Some(cause))
        }
    };
    let verdict = Verdict {
        negotiated: None,
        outcome,
        rating,
        silent: outcome == Outcome::Lost,
        vacuous: false,
        blast_radius: None,
        expected: None,
        findings: Vec::new(),
        fault,
        signature: cause.map(|cause| cause.parse().unwrap()),
        reason: format!("it is {fate}"),
    };
    let known = ["known", "flaky"].contains(&fate).then(|| Known {
        reason: "seen before".to_owned(),
        covers: None,
        issue: None,
        flaky: fate == "flaky",
    });
    CellRecord { known, ..CellRecord::new(CellId::parse(id).unwrap(), verdict, 1_000, None) }
}

/// Difference of two runs.
pub(crate) fn compare(before: &Record, after: &Record) -> Diff {
    diff(&Run::new("A", before), &Run::new("B", after), &Options::default()).unwrap()
}

/// The classes of all changes, each with the two cells.
pub(crate) fn told(diff: &Diff) -> Vec<(Class, String)> {
    let ids = |change: &Change| {
        let side = |fate: &Option<mcp_compat_model::diff::Fate>| {
            fate.as_ref().map_or_else(|| "-".to_owned(), |fate| format!("{} {}", fate.client, fate.server))
        };
        format!("{} > {}", side(&change.before), side(&change.after))
    };
    diff.changes.iter().map(|change| (change.class, ids(change))).collect()
}
