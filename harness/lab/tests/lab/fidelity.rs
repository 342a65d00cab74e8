//! Profiles against peers that are what they stand in for, or are not.

use mcp_compat_lab::fidelity::{Contest, Disagreement, Request, differential, fidelity, pair};
use mcp_compat_lab::generated::pairs;
use mcp_compat_model::Transport;
use mcp_compat_model::fidelity::Side;
use mcp_compat_run::peer::{ClientPeer, Peer, ServerPeer};
use mcp_compat_run::programs::Programs;
use mcp_compat_run::timeouts::Timeouts;
use tokio_util::sync::CancellationToken;

use crate::support::corpus;

/// A comparison of a profile and a client over stdio, with no scenarios yet.
fn comparison(profile: &str, real: &str) -> Request {
    let client = |id| Peer::from(ClientPeer::mock(id).unwrap());
    let server = Peer::from(ServerPeer::mock("mock/dual").unwrap());
    Request {
        contests: vec![Contest::new(&client(profile), &client(real), &[server]).unwrap()],
        corpus: Vec::new(),
        transports: vec![Transport::Stdio],
        timeouts: Timeouts::default(),
        jobs: 4,
        programs: Programs::None,
        logs: None,
    }
}

/// The fidelity of a profile and a client in the scenarios that begin so.
async fn side(profile: &str, real: &str, scenarios: &str) -> Side {
    let corpus = corpus().into_iter().filter(|scenario| scenario.id.as_str().starts_with(scenarios)).collect();
    let request = Request { corpus, ..comparison(profile, real) };
    let stop = CancellationToken::new();
    let mut found = fidelity(&request, &mut |_: mcp_compat_run::events::Event<'_>| {}, stop).await.unwrap();
    assert!(found.complete);
    found.sides.remove(0)
}

#[tokio::test]
async fn the_step_is_named_at_which_a_profile_and_a_peer_part() {
    let side = side("profile/rmcp@3+auto", "mock/dual/skip+auto", "number/large-integer").await;
    assert_eq!((side.cells, side.cells - side.equal), (5, 2), "{side:#?}");
    let difference = &side.differences[0];
    assert_eq!(difference.scenario.as_str(), "number/large-integer[beyond-unsigned]");
    let step = difference.step.as_ref().unwrap();
    assert_eq!((step.number, step.what.as_str()), (2, "call get_account_id"));
    assert_eq!(difference.profile.outcome.as_str(), "altered");
    assert_eq!(difference.real.outcome.as_str(), "intact");
}

#[tokio::test]
async fn what_parts_from_an_honest_mock_is_counted_and_so_is_where_the_profile_follows() {
    let same = side("profile/rmcp@3+auto", "profile/rmcp@3+auto", "number/large").await;
    assert_eq!((same.equal, same.followed), (same.cells, same.deviating));
    assert!(same.deviating > 0);
    let honest = side("profile/rmcp@3+auto", "mock/dual+auto", "number/large").await;
    assert_eq!((honest.deviating, honest.followed), (0, 0), "it is the honest mock");
    assert!(honest.equal < honest.cells);
}

/// What a profile and a client treat differently among the pairs of a seed.
async fn disagreements(profile: &str, real: &str) -> Vec<Disagreement> {
    let stop = CancellationToken::new();
    let observer = &mut |_: mcp_compat_run::events::Event<'_>| {};
    let (found, disagreements) = differential(comparison(profile, real), &pairs(1, 60), observer, stop).await.unwrap();
    assert_eq!(found.total().0, 60);
    disagreements
}

#[tokio::test]
async fn a_difference_between_generated_pairs_is_reduced_to_what_makes_it() {
    let found = disagreements("profile/rmcp@3+legacy", "mock/dual+legacy").await;
    assert!(!found.is_empty());
    // rmcp does not validate, so it accepts what the mock rejects. Nothing else is left in the pair.
    for Disagreement { pair, kind } in found {
        assert!(pair.schema.to_string().len() < 120, "{} {} by {}", kind.emulated, pair.value, pair.schema);
    }
    assert_eq!(disagreements("profile/rmcp@3+legacy", "profile/rmcp@3+legacy").await, []);
}

#[test]
fn peers_are_paired_by_role_and_mode() {
    let client = |id| Peer::from(ClientPeer::mock(id).unwrap());
    let profiles = [client("profile/rmcp@3+auto"), client("profile/rmcp@3+legacy")];
    let reals = [client("mock/dual+legacy"), client("mock/dual+modern"), ServerPeer::mock("mock/dual").unwrap().into()];
    let pairs = pair(&profiles, &reals);
    let ids: Vec<_> = pairs.iter().map(|(one, other)| (one.id().as_str(), other.id().as_str())).collect();
    assert_eq!(ids, [("profile/rmcp@3+legacy", "mock/dual+legacy")]);
}
