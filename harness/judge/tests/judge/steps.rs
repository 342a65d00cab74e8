//! What each step of a session came to.

use mcp_compat_judge::step_outcomes;
use mcp_compat_model::observation::Layer;
use mcp_compat_model::verdict::Outcome;

use crate::play::{Play, called, failed};

fn steps(play: &Play) -> Vec<Option<Outcome>> {
    let (scenario, cell, transcript, observation) = play.parts();
    step_outcomes(&scenario, &cell, &transcript, &observation)
}

const INTACT: Option<Outcome> = Some(Outcome::Intact);

#[test]
fn a_step_has_the_outcome_of_its_call_and_a_list_that_succeeds_is_intact() {
    assert_eq!(steps(&Play::at("2026-07-28")), [INTACT; 3]);
    let lost = Play::at("2026-07-28").sees(called(None, &[], false));
    assert_eq!(steps(&lost), [INTACT, Some(Outcome::Lost), INTACT]);
}

#[test]
fn a_list_that_fails_says_how() {
    for (layer, outcome) in
        [(Layer::Decode, Outcome::Rejected), (Layer::Timeout, Outcome::Hung), (Layer::Connect, Outcome::Unreachable)]
    {
        let play = Play::at("2026-07-28").sees_list(failed(layer, "no"));
        assert_eq!(steps(&play)[0], Some(outcome));
    }
}

#[test]
fn what_the_session_did_not_come_to_has_none() {
    assert_eq!(steps(&Play::at("2026-07-28").sees_only(1)), [INTACT, None, None]);
}
