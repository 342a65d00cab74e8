//! The baseline: known breaks pass, a new break fails, a stale entry fails, and mistakes are told.

use mcp_compat::baseline::BaselineError;
use mcp_compat::{Baseline, Fleet};
use mcp_compat_model::Transport;
use mcp_compat_model::record::Record;

use crate::support::{corpus, play, request};

const BROKEN: &str = "root-type/array::mock/2025-11-25::mock/dual::memory";

async fn record() -> Record {
    let mut asked = request(&["root-type/array", "root-type/object"], &["mock/2025-11-25"], &["mock/dual"]);
    asked.transports = vec![Transport::Memory];
    play(asked).await.record
}

fn baseline(entries: &str) -> Baseline {
    Baseline::parse("known.toml", entries).unwrap()
}

#[tokio::test]
async fn a_known_break_passes_and_a_new_one_does_not() {
    let mut known = record().await;
    assert_eq!(known.cells.iter().filter(|cell| cell.is_new_break()).count(), 1);
    baseline(&format!("[[broken]]\ncells = \"{BROKEN}\"\nreason = \"strict\"\nissue = \"https://example.test/1\"\n"))
        .settle(&mut known);
    assert!(!known.cells.iter().any(|cell| cell.is_new_break()));
    assert_eq!(known.stale, Vec::<String>::new());
}

#[tokio::test]
async fn an_entry_for_a_cell_that_works_is_stale() {
    let mut settled = record().await;
    baseline("[[broken]]\ncells = \"root-type/*::mock/2025-11-25::*::*\"\nreason = \"strict\"\n").settle(&mut settled);
    assert_eq!(
        settled.stale,
        [
            "`cells = \"root-type/*::mock/2025-11-25::*::*\"` is stale: root-type/object::mock/2025-11-25::mock/dual::memory no longer breaks"
        ]
    );
}

#[tokio::test]
async fn a_flaky_cell_may_do_either() {
    let mut settled = record().await;
    baseline("[[flaky]]\ncells = \"root-type/*\"\nreason = \"sometimes\"\n").settle(&mut settled);
    assert_eq!(settled.stale, Vec::<String>::new());
    assert!(!settled.cells.iter().any(|cell| cell.is_new_break()));
}

#[tokio::test]
async fn an_entry_for_other_releases_does_not_hold() {
    let mut settled = record().await;
    let entry = format!("[[broken]]\ncells = \"{BROKEN}\"\nreason = \"strict\"\nversion = \"rmcp < 3.0.0\"\n");
    baseline(&entry).settle(&mut settled);
    assert_eq!(settled.cells.iter().filter(|cell| cell.is_new_break()).count(), 1);
}

#[test]
fn an_entry_that_matches_nothing_is_told_with_the_nearest_cell() {
    let whole = request(&[], &[], &[]);
    let entry =
        baseline("[[broken]]\ncells = \"root-type/arrray::mock/2025-11-25::mock/dual::memory\"\nreason = \"r\"\n");
    let error = whole.prepare(&Fleet::mocks(), &corpus(), Some(&entry)).unwrap_err().to_string();
    assert!(error.contains("matches no cell") && error.contains(BROKEN), "{error}");
}

#[test]
fn entries_that_contradict_each_other_are_told() {
    let entries = format!(
        "[[broken]]\ncells = \"{BROKEN}\"\nreason = \"r\"\n[[flaky]]\ncells = \"root-type/*\"\nreason = \"r\"\n"
    );
    let error =
        request(&[], &[], &[]).prepare(&Fleet::mocks(), &corpus(), Some(&baseline(&entries))).unwrap_err().to_string();
    assert!(error.contains("contradicts itself") && error.contains("keep one of them"), "{error}");
}

#[test]
fn a_condition_on_a_peer_that_the_cells_do_not_have_is_told() {
    let whole = request(&[], &[], &[]);
    let entry = baseline(&format!("[[broken]]\ncells = \"{BROKEN}\"\nreason = \"r\"\nversion = \"rmpc < 3.0.0\"\n"));
    let error = whole.prepare(&Fleet::mocks(), &corpus(), Some(&entry)).unwrap_err().to_string();
    assert!(error.contains("rmpc < 3.0.0") && error.contains("mocks, which have no releases"), "{error}");
}

#[test]
fn mistakes_in_the_file_are_told_with_their_place() {
    let error = Baseline::parse("known.toml", "[[broken]]\ncell = \"*\"\n").unwrap_err().to_string();
    assert!(error.contains("known.toml") && error.contains("line 2") && error.contains("`cell`"), "{error}");
    let condition = "[[broken]]\ncells = \"*\"\nreason = \"r\"\nversion = \"newer\"\n";
    assert!(matches!(Baseline::parse("known.toml", condition), Err(BaselineError::Condition(_))));
}
