//! The compatibility matrix of SEP-2106 comes out of a run as the SEP states it
//! (<https://modelcontextprotocol.io/seps/2106-json-schema-2020-12#compatibility-matrix>).

use mcp_compat_model::verdict::{BlastRadius, Fault, Outcome, Rating};
use mcp_compat_model::{Revision, Transport};

use crate::support::{play, request};

const NEW_CLIENT: &str = "mock/dual+auto";
const OLD_CLIENT: &str = "mock/2025-11-25";
const NEW_SERVER: &str = "mock/dual";
const OLD_SERVER: &str = "mock/2025-11-25";

#[tokio::test]
async fn an_object_passes_in_every_combination() {
    let scenario = "root-type/object";
    let played = play(request(&[scenario], &[NEW_CLIENT, OLD_CLIENT], &[NEW_SERVER, OLD_SERVER])).await;
    assert_eq!(played.record.cells.len(), 4 * Transport::ALL.len());
    for cell in &played.record.cells {
        assert_eq!((cell.outcome, cell.rating), (Outcome::Intact, Rating::Works), "{}: {}", cell.id, cell.reason);
    }
}

#[tokio::test]
async fn an_array_passes_between_new_peers() {
    let played = play(request(&["root-type/array"], &[NEW_CLIENT], &[NEW_SERVER])).await;
    for cell in &played.record.cells {
        assert_eq!(cell.negotiated, Some(Revision::V2026_07_28));
        assert_eq!((cell.outcome, cell.rating), (Outcome::Intact, Rating::Works), "{}: {}", cell.id, cell.reason);
    }
}

#[tokio::test]
async fn an_array_from_a_new_server_breaks_an_old_client_and_takes_every_tool_with_it() {
    let played = play(request(&["root-type/array"], &[OLD_CLIENT], &[NEW_SERVER])).await;
    for cell in &played.record.cells {
        assert_eq!((cell.outcome, cell.rating), (Outcome::Rejected, Rating::Breaks), "{}: {}", cell.id, cell.reason);
        assert_eq!(cell.blast_radius, Some(BlastRadius::Server), "{}", cell.id);
        assert_eq!(cell.fault, Some(Fault::Server), "{}: {}", cell.id, cell.reason);
    }
}

#[tokio::test]
async fn the_text_fallback_saves_the_array_for_an_old_client_once_the_server_adapts() {
    let played = play(request(&["root-type/array"], &[OLD_CLIENT], &["mock/dual/omit"])).await;
    for cell in &played.record.cells {
        assert_eq!((cell.outcome, cell.rating), (Outcome::Text, Rating::Works), "{}: {}", cell.id, cell.reason);
    }
}

#[tokio::test]
async fn an_old_server_has_no_array_to_send() {
    let refused = request(&["root-type/array"], &[NEW_CLIENT, OLD_CLIENT], &[OLD_SERVER]);
    let fleet = mcp_compat_run::peer_set::PeerSet::mocks();
    let error = refused.prepare(&fleet, &crate::support::corpus(), None).unwrap_err().to_string();
    assert!(error.contains("needs a server of 2026-07-28 or later"), "{error}");
}
