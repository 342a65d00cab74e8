//! The table of eras comes out of a run as the versioning page states it
//! (<https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#compatibility-matrix>).

use std::collections::BTreeSet;

use mcp_compat_model::missed::Because;
use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_model::{Era, Revision, Transport};

use crate::support::{Played, play, request};

const SCENARIO: &str = "root-type/object";
const MODERN: &str = "mock/2026-07-28";
const LEGACY: &str = "mock/2025-11-25";
const DUAL_CLIENT: &str = "mock/dual+auto";
const DUAL_SERVER: &str = "mock/dual";

/// Plays a pair over every transport that the plan gives it.
async fn pair(client: &str, server: &str) -> Played {
    play(request(&[SCENARIO], &[client], &[server])).await
}

async fn works(client: &str, server: &str, era: Era) {
    let played = pair(client, server).await;
    assert_eq!(played.record.cells.len(), Transport::ALL.len());
    for cell in &played.record.cells {
        assert_eq!(cell.outcome, Outcome::Intact, "{}: {}", cell.id, cell.reason);
        assert_eq!(cell.negotiated.map(Revision::era), Some(era), "{}", cell.id);
    }
}

/// Two mocks that share no revision open no session, and that is no break of the scenario.
async fn opens_no_session(client: &str, server: &str) {
    for transport in Transport::ALL {
        let mut asked = request(&[SCENARIO], &[client], &[server]);
        asked.transports = vec![transport];
        let played = play(asked).await;
        let (cell, _) = played.only();
        assert_eq!(cell.outcome, Outcome::Unreachable, "{}: {}", cell.id, cell.reason);
        assert_eq!((cell.rating, cell.blast_radius), (Rating::Skipped, None), "{}", cell.id);
        assert_eq!(cell.negotiated, None, "{}", cell.id);
    }
}

#[tokio::test]
async fn modern_meets_modern() {
    works(MODERN, MODERN, Era::Modern).await;
}

#[tokio::test]
async fn a_modern_client_opens_no_session_with_a_legacy_server() {
    opens_no_session(MODERN, LEGACY).await;
}

#[tokio::test]
async fn a_dual_client_stays_modern_with_a_modern_server() {
    works(DUAL_CLIENT, MODERN, Era::Modern).await;
}

#[tokio::test]
async fn a_dual_client_falls_back_for_a_legacy_server() {
    works(DUAL_CLIENT, LEGACY, Era::Legacy).await;
}

#[tokio::test]
async fn a_legacy_client_opens_no_session_with_a_modern_server() {
    opens_no_session(LEGACY, MODERN).await;
}

#[tokio::test]
async fn a_legacy_client_meets_a_dual_server() {
    works(LEGACY, DUAL_SERVER, Era::Legacy).await;
}

#[tokio::test]
async fn legacy_meets_legacy() {
    works(LEGACY, LEGACY, Era::Legacy).await;
}

#[tokio::test]
async fn a_pair_that_could_have_spoken_a_newer_revision_says_why_it_did_not() {
    let because = async |client: &str, server: &str| {
        let played = pair(client, server).await;
        let all = played.record.cells.iter().map(|cell| cell.missed.as_ref().map(|missed| missed.because));
        let all: BTreeSet<Option<Because>> = all.collect();
        assert_eq!(all.len(), 1, "the same over every transport: {all:?}");
        all.into_iter().next().flatten()
    };
    assert_eq!(because("mock/dual+legacy", DUAL_SERVER).await, Some(Because::ModeLegacy));
    assert_eq!(because(DUAL_CLIENT, DUAL_SERVER).await, None);
    assert_eq!(because("mock/dual+legacy", LEGACY).await, None);
}
