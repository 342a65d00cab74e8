//! The JSON Schema Test Suite, played: an excerpt in its format always, the suite itself where there is a checkout.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mcp_compat_model::Transport;
use mcp_compat_model::record::Record;
use mcp_compat_model::schema_suite::{SuiteDraft, SuiteTest};
use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::plan::Coverage;
use mcp_compat_run::run::run;
use mcp_compat_selfcheck::schema_suite::{SchemaSuite, SchemaSuiteError};
use mcp_compat_selfcheck::schemas::validator;
use mcp_compat_store::Store;
use tokio_util::sync::CancellationToken;

use crate::support::request;

/// The variable that names a checkout of the suite.
const CHECKOUT: &str = "MCP_COMPAT_SCHEMA_SUITE";

fn excerpt() -> SchemaSuite {
    SchemaSuite::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schema-suite")).unwrap()
}

/// The record of the suite with these clients.
async fn played(suite: &SchemaSuite, clients: &[&str]) -> Record {
    let mut fleet = PeerSet::mocks();
    fleet.extend(PeerSet::sabotaged().clients);
    let mut asked = request(&[], clients, &["mock/dual"]);
    asked.coverage = Coverage::Once;
    let run_it = asked.prepare(&fleet, suite.scenarios(), None).unwrap();
    let mut record = run(run_it, &mut [], CancellationToken::new()).await.unwrap();
    suite.note(&mut record);
    record
}

/// The outcome of each test, by its scenario.
fn outcomes(record: &Record) -> BTreeMap<&str, Outcome> {
    record.cells.iter().map(|cell| (cell.scenario.as_str(), cell.outcome)).collect()
}

#[tokio::test]
async fn an_honest_client_agrees_with_every_test() {
    let suite = excerpt();
    let record = played(&suite, &["mock/dual+auto"]).await;
    assert_eq!(record.cells.len(), suite.tests().len(), "one cell a test");
    assert!(record.cells.iter().all(|cell| cell.transport == Transport::Memory));
    for (cell, test) in record.cells.iter().zip(suite.tests()) {
        let expected = match (&test.remote, test.valid) {
            (None, true) => Outcome::Intact,
            (None, false) => Outcome::Caught,
            (Some(_), true) => Outcome::Rejected,
            (Some(_), false) => Outcome::Caught,
        };
        assert_eq!((cell.outcome, cell.rating), (expected, Rating::Works), "{}: {}", cell.id, cell.reason);
    }
}

#[tokio::test]
async fn a_client_that_reads_everything_as_draft_07_is_too_lax_and_too_strict() {
    let record = played(&excerpt(), &["sabotaged/draft-07-only"]).await;
    let outcomes = outcomes(&record);
    assert_eq!(outcomes["draft2020-12/prefix-items/a-pair-and-more[out-of-order]"], Outcome::Uncaught);
    assert_eq!(outcomes["draft2020-12/prefix-items/a-pair[in-order]"], Outcome::Rejected);
    assert_eq!(outcomes["draft2020-12/any-of/any-of-with-a-number-and-a-short-word[neither]"], Outcome::Caught);
}

#[tokio::test]
async fn a_client_that_does_not_validate_takes_everything() {
    let record = played(&excerpt(), &["sabotaged/skips-validation"]).await;
    for cell in &record.cells {
        assert!(matches!(cell.outcome, Outcome::Intact | Outcome::Uncaught), "{}: {}", cell.id, cell.outcome);
    }
    assert!(record.cells.iter().any(|cell| cell.outcome == Outcome::Uncaught && cell.silent));
}

#[tokio::test]
async fn a_legacy_client_plays_what_its_revision_knows() {
    let record = played(&excerpt(), &["mock/2025-11-25"]).await;
    let outcomes = outcomes(&record);
    let expected = [
        ("draft2020-12/any-of/any-of-beside-a-property[has-none]", Outcome::Caught),
        ("draft2020-12/any-of/any-of-beside-a-property[has-one]", Outcome::Intact),
    ];
    assert_eq!(outcomes, BTreeMap::from(expected));
    assert_eq!(record.left_out[0].reason, "the scenario needs a client of 2026-07-28 or later");
}

#[tokio::test]
async fn what_needs_something_fetched_is_known_by_its_address_and_breaks_nobody() {
    let suite = excerpt();
    let remote: Vec<&SuiteTest> = suite.tests().iter().filter(|test| test.remote.is_some()).collect();
    assert_eq!(remote.len(), 2, "{remote:#?}");
    assert!(remote.iter().all(|test| test.group == "a reference to another document"));
    assert_eq!(remote[0].remote.as_deref(), Some("http://localhost:1234/draft2020-12/integer.json"));
    for client in ["mock/dual+auto", "sabotaged/permissive-schemas"] {
        let record = played(&suite, &[client]).await;
        let broken: Vec<_> = record.cells.iter().filter(|cell| cell.rating == Rating::Breaks).collect();
        assert!(broken.is_empty(), "{broken:#?}");
    }
}

#[tokio::test]
async fn a_record_of_the_suite_is_valid_and_says_what_was_played() {
    let mut record = played(&excerpt(), &["mock/dual+auto"]).await;
    let schema = validator("record");
    assert_eq!(schema.validate(&serde_json::to_value(&record).unwrap()), Ok(()));
    let kept = tempfile::tempdir().unwrap();
    Store::open(kept.path()).unwrap().close(&record).unwrap();
    assert_eq!(mcp_compat_store::read_record(kept.path()).unwrap(), record);

    record.cells.truncate(1);
    excerpt().note(&mut record);
    let noted = record.schema_suite.unwrap();
    assert_eq!(noted.tests.len(), 1, "only what was played");
    assert!(noted.folder.ends_with("schema-suite"), "{}", noted.folder);
}

#[test]
fn a_folder_that_is_something_else_is_told_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let refused = || SchemaSuite::read(folder.path()).unwrap_err();
    assert!(matches!(refused(), SchemaSuiteError::NotTheSuite(_)));
    std::fs::create_dir_all(folder.path().join("tests/draft7")).unwrap();
    assert!(matches!(refused(), SchemaSuiteError::NotTheSuite(_)), "a draft without a file");
    std::fs::write(folder.path().join("tests/draft7/type.json"), "[]").unwrap();
    assert!(matches!(refused(), SchemaSuiteError::NotTheSuite(_)), "a file without a test");
    std::fs::write(folder.path().join("tests/draft7/type.json"), b"\xff").unwrap();
    assert!(matches!(refused(), SchemaSuiteError::Read { .. }));
    std::fs::write(folder.path().join("tests/draft7/type.json"), "[1]").unwrap();
    let SchemaSuiteError::Mistakes { mistakes, .. } = refused() else { panic!("a number is no group") };
    assert!(mistakes.to_string().contains("tests/draft7/type.json:1:2"), "{mistakes}");
}

/// The checkout that the environment names.
#[expect(clippy::print_stdout, reason = "a test that is skipped says why")]
fn checkout() -> Option<PathBuf> {
    let named = std::env::var_os(CHECKOUT).map(PathBuf::from);
    if named.is_none() {
        println!("skipped: {CHECKOUT} names no checkout of the JSON Schema Test Suite");
    }
    named
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_suite_itself_the_harness_and_the_honest_mock_agree() {
    let Some(checkout) = checkout() else { return };
    let suite = SchemaSuite::read(&checkout).unwrap();
    let of = |draft| suite.tests().iter().filter(|test| test.draft == draft).count();
    assert!(of(SuiteDraft::Draft202012) >= 1_299, "the suite only grows");
    assert!(of(SuiteDraft::Draft7) >= 900);
    for test in suite.tests() {
        assert_eq!(test.dissent, None, "our own validator: {}", test.scenario);
        let outside = test.remote.as_deref().is_none_or(|address| address.starts_with("http://localhost:1234/"));
        assert!(outside, "{}: {:?} is where the suite serves its remotes", test.scenario, test.remote);
    }
    let record = played(&suite, &["mock/dual+auto"]).await;
    assert_eq!(record.cells.len(), suite.tests().len());
    let broken: Vec<_> = record.cells.iter().filter(|cell| cell.rating != Rating::Works).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}
