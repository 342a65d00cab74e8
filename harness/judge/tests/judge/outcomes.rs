//! What a cell is called, and how it is rated: from the session to outcome, rating, silence and vacuity.

use mcp_compat_json::Json;
use mcp_compat_model::Role;
use mcp_compat_model::observation::{Layer, Seen};
use mcp_compat_model::peer_contract::{BYSTANDER_TOOL, Reply};
use mcp_compat_model::verdict::{BlastRadius, Outcome, Rating};
use mcp_compat_scenario::scenario::{Expect, Means};
use rstest::rstest;

use crate::left_out::listed;
use crate::play::{Play, called, failed};

fn judged(play: &Play) -> (Outcome, Rating) {
    let verdict = play.verdict();
    (verdict.outcome, verdict.rating)
}

const INVALID: &str = r#"{"structuredContent":{"name":1},"content":[]}"#;

#[rstest]
#[case::a_value_that_arrives(Play::at("2026-07-28"), Outcome::Intact, Rating::Works)]
#[case::an_array_on_stateless_requests(Play::array_at("2026-07-28"), Outcome::Intact, Rating::Works)]
#[case::an_array_as_text_on_a_session(
    Play::array_at("2025-11-25").sees(called(None, &["[{\"id\":1}]"], false)),
    Outcome::Text,
    Rating::Works
)]
#[case::an_array_as_text_where_more_is_expected(
    Play::array_at("2026-07-28").sees(called(None, &["[{\"id\":1}]"], false)),
    Outcome::Text,
    Rating::Degraded
)]
#[case::a_wrapped_array(
    Play::array_at("2026-07-28").sees(called(Some(r#"{"result":[{"id":1}]}"#), &[], false)),
    Outcome::Wrapped,
    Rating::Degraded
)]
#[case::prose(Play::at("2026-07-28").sees(called(None, &["one"], false)), Outcome::Prose, Rating::Breaks)]
#[case::an_error(Play::at("2026-07-28").sees(failed(Layer::Decode, "no")), Outcome::Rejected, Rating::Breaks)]
#[case::another_value(
    Play::at("2026-07-28").sees(called(Some(r#"{"id":2}"#), &[], false)),
    Outcome::Altered,
    Rating::Breaks
)]
#[case::nothing(Play::at("2026-07-28").sees(called(None, &[], false)), Outcome::Lost, Rating::Breaks)]
#[case::an_invalid_result_caught(
    Play::at("2026-07-28").result(INVALID).means(Means::Invalid).sees(failed(Layer::Validate, "no id")),
    Outcome::Caught,
    Rating::Works
)]
#[case::an_invalid_result_handed_on(
    Play::at("2026-07-28").result(INVALID).means(Means::Invalid),
    Outcome::Uncaught,
    Rating::Breaks
)]
#[case::a_value_told_as_text_before_there_was_structured_output(
    Play::at("2025-03-26").sees(called(None, &["{\"id\":1}"], false)),
    Outcome::Text,
    Rating::Works
)]
#[case::an_invalid_result_before_there_were_schemas(
    Play::at("2025-03-26").result(INVALID).means(Means::Invalid),
    Outcome::Unsupported,
    Rating::Skipped
)]
#[case::an_invalid_result_whose_schema_the_server_left_out(
    Play::at("2025-11-25").result(INVALID).means(Means::Invalid).lists_schema(None),
    Outcome::Unsupported,
    Rating::Skipped
)]
#[case::a_refusal_where_that_is_expected(
    Play::at("2026-07-28").sees(failed(Layer::Validate, "no")).expect(Expect::both(Outcome::Rejected)),
    Outcome::Rejected,
    Rating::Works
)]
fn a_call(#[case] play: Play, #[case] outcome: Outcome, #[case] rating: Rating) {
    assert_eq!(judged(&play), (outcome, rating), "{}", play.verdict().reason);
}

#[test]
fn what_nobody_is_told_of_is_silent_and_only_when_it_breaks() {
    let silent = |play: Play| play.verdict().silent;
    assert!(silent(Play::at("2026-07-28").sees(called(Some("{}"), &[], false))));
    assert!(silent(Play::at("2026-07-28").sees(called(None, &[], false))));
    assert!(!silent(Play::at("2026-07-28").sees(failed(Layer::Decode, "no"))));
    assert!(!silent(Play::at("2026-07-28")));
    let expected = Expect::both(Outcome::Lost);
    assert!(!silent(Play::at("2026-07-28").sees(called(None, &[], false)).expect(expected)));
}

#[test]
fn a_client_that_takes_the_control_is_vacuous() {
    let taken = called(Some(r#"{"name":1}"#), &[], false);
    let caught = failed(Layer::Validate, "no id");
    let play = |seen: &Seen| Play::at("2026-07-28").control(INVALID, seen.clone());
    let verdict = play(&taken).verdict();
    assert_eq!((verdict.vacuous, verdict.rating), (true, Rating::Works));
    assert!(
        verdict.reason.contains("Vacuous: the client also accepted a result that violates the schema"),
        "{}",
        verdict.reason
    );
    assert!(!play(&caught).verdict().vacuous);
    // Who gets nothing through has not shown that it takes everything.
    assert!(!play(&taken).sees(failed(Layer::Decode, "no")).verdict().vacuous);
    // Without a schema there is nothing to validate by.
    assert!(!play(&taken).lists_schema(None).verdict().vacuous);
    assert!(!Play::at("2025-03-26").control(INVALID, taken).verdict().vacuous);
}

#[rstest]
#[case::no_call_on_the_wire(Play::at("2026-07-28").without(r#""name":"report","arguments""#).without("structuredContent"))]
#[case::no_answer_on_the_wire(Play::at("2026-07-28").without("structuredContent"))]
#[case::another_value_on_the_wire(Play::at("2026-07-28").swap(r#"{"id":1}"#, r#"{"id":2}"#).swap(r#"{\"id\":1}"#, "2"))]
#[case::no_revision_on_the_wire(Play::at("2025-11-25").cut("initialize"))]
#[case::a_text_that_is_not_on_the_wire(
    Play::at("2026-07-28").means(Means::Text("hi".to_owned())).sees(called(None, &["hi"], false))
)]
#[case::a_tool_error_that_is_not_on_the_wire(
    Play::at("2026-07-28").means(Means::ToolError("no".to_owned())).sees(called(None, &["no"], true))
)]
#[case::fewer_observations_than_steps(Play::at("2026-07-28").sees_only(2))]
fn green_needs_proof(#[case] play: Play) {
    assert_eq!(judged(&play), (Outcome::Incomplete, Rating::Breaks), "{}", play.verdict().reason);
}

#[test]
fn an_answer_under_another_id_is_proof_if_it_has_the_value() {
    let answered = |value: &str| {
        let stray =
            format!(r#"{{"jsonrpc":"2.0","id":77,"result":{{"structuredContent":{{"id":{value}}},"content":[]}}}}"#);
        let unanswered = Play::at("2026-07-28").without("structuredContent");
        unanswered.after(r#""name":"report","arguments""#, Role::Server, &stray)
    };
    let verdict = answered("1").verdict();
    assert_eq!((verdict.outcome, verdict.rating), (Outcome::Intact, Rating::Works), "{}", verdict.reason);
    assert!(verdict.findings.iter().any(|found| found.rule == "response-matches-request"), "{:?}", verdict.findings);
    assert_eq!(judged(&answered("2")), (Outcome::Incomplete, Rating::Breaks), "another value");
}

#[test]
fn a_server_that_refuses_its_own_result_has_caught_it() {
    let invalid = || {
        let result = r#"{"structuredContent":{"name":1},"content":[]}"#;
        Play::at("2026-07-28").result(result).means(Means::Invalid).sees(called(None, &["no"], true))
    };
    let refusal = r#""content":[{"type":"text","text":"no"}],"isError":true"#;
    let refused = invalid().swap(r#""structuredContent":{"name":1},"content":[]"#, refusal);
    assert_eq!(judged(&refused), (Outcome::Caught, Rating::Works), "{}", refused.verdict().reason);
    let handed_on = invalid().sees(called(Some(r#"{"name":1}"#), &[], false));
    assert_eq!(judged(&handed_on), (Outcome::Uncaught, Rating::Breaks), "{}", handed_on.verdict().reason);
}

#[test]
fn what_an_adapting_server_sent_is_proof_of_what_arrived() {
    // The server keeps an array from older clients, and tells it as text.
    let text = r#"{"content":[{"type":"text","text":"[{\"id\":1}]"}]}"#;
    let play = Play::array_at("2025-11-25")
        .result(text)
        .lists_schema(None)
        .means(Means::Value(Json::parse(r#"[{"id":1}]"#).unwrap()))
        .peers("rmcp@3.9.0", "mock/dual/omit");
    assert_eq!(judged(&play), (Outcome::Text, Rating::Works));
    assert_eq!(play.violated(), [""; 0]);
}

#[test]
fn a_tool_that_never_answers_is_caught_by_who_stops_waiting() {
    let hangs = Play::at("2026-07-28").reply(Reply::Hang {}).means(Means::Invalid).without("structuredContent");
    assert_eq!(judged(&hangs.clone().sees(failed(Layer::Timeout, "5 s"))), (Outcome::Caught, Rating::Works));
    let answered = Play::at("2026-07-28").result(INVALID).means(Means::Invalid);
    assert_eq!(judged(&answered.sees(failed(Layer::Timeout, "5 s"))), (Outcome::Hung, Rating::Breaks));
}

#[test]
fn garbage_in_place_of_an_answer_is_caught_by_who_refuses_it() {
    let garbage = || {
        Play::at("2026-07-28")
            .reply(Reply::Raw("bm90IGpzb24=".to_owned()))
            .means(Means::Invalid)
            .without("structuredContent")
            .after(r#""name":"report","arguments""#, Role::Server, "not json")
    };
    assert_eq!(judged(&garbage().sees(failed(Layer::Decode, "no"))), (Outcome::Caught, Rating::Works));
    assert_eq!(judged(&garbage().sees(called(None, &[], false))), (Outcome::Uncaught, Rating::Breaks));
}

#[rstest]
#[case::one_call(Play::at("2026-07-28").sees(failed(Layer::Decode, "no")), Some(BlastRadius::Call))]
#[case::a_tool_that_is_not_listed(
    Play::at("2026-07-28").sees(failed(Layer::Protocol, "unknown")).sees_list(listed(&[BYSTANDER_TOOL])),
    Some(BlastRadius::Tool)
)]
#[case::no_tool_that_is_listed(
    Play::at("2026-07-28").sees(failed(Layer::Protocol, "unknown")).sees_list(listed(&[])),
    Some(BlastRadius::Server)
)]
#[case::the_connection_with_a_call(
    Play::at("2026-07-28").sees(failed(Layer::Decode, "no")).sees_bystander(failed(Layer::Connect, "closed")),
    Some(BlastRadius::Session)
)]
#[case::the_plain_tool_too(
    Play::at("2026-07-28").sees(failed(Layer::Decode, "no")).sees_bystander(failed(Layer::Decode, "no")),
    Some(BlastRadius::Server)
)]
#[case::the_list(
    Play::at("2026-07-28").sees(failed(Layer::Decode, "no")).sees_list(failed(Layer::Decode, "no")),
    Some(BlastRadius::Server)
)]
#[case::no_damage(Play::at("2026-07-28"), None)]
fn the_damage_goes_as_far_as_the_bystander_shows(#[case] play: Play, #[case] radius: Option<BlastRadius>) {
    assert_eq!(play.verdict().blast_radius, radius);
}

#[test]
fn collateral_damage_is_never_green() {
    // The tool itself is refused as it should be, and takes all the others with it.
    let refused = || failed(Layer::Decode, "no such type");
    let play =
        Play::at("2026-07-28").schema(r#"{"type":"strnig"}"#).sees(refused()).expect(Expect::both(Outcome::Rejected));
    assert_eq!(judged(&play), (Outcome::Rejected, Rating::Works));
    let verdict = play.clone().sees_list(refused()).sees_bystander(refused()).verdict();
    assert_eq!((verdict.outcome, verdict.rating), (Outcome::Rejected, Rating::Breaks));
    assert_eq!(verdict.blast_radius, Some(BlastRadius::Server));
    let verdict = play.sees_bystander(called(None, &[], false)).verdict();
    assert_eq!((verdict.outcome, verdict.rating, verdict.silent), (Outcome::Lost, Rating::Breaks, true));
}

#[test]
fn after_a_change_the_call_is_judged_by_the_new_list() {
    let play = Play::at("2025-11-25").evolves(true);
    assert_eq!(judged(&play), (Outcome::Intact, Rating::Works), "{}", play.verdict().reason);
}

#[test]
fn a_call_that_is_never_answered_as_scripted_needs_no_answer_on_the_wire() {
    let hangs = Play::at("2026-07-28").reply(Reply::Hang {}).without("structuredContent");
    let waits = hangs.sees(failed(Layer::Timeout, "no answer within 5000 ms")).expect(Expect::both(Outcome::Hung));
    assert_eq!(judged(&waits), (Outcome::Hung, Rating::Works), "{}", waits.verdict().reason);
}
