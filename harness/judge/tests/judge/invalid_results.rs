//! Results that were to be invalid: whether there was anything to catch, and who has to fix it where nobody caught it.

use mcp_compat_model::observation::Layer;
use mcp_compat_model::verdict::{Fault, Outcome, Rating};
use mcp_compat_scenario::scenario::{Means, SpecStance};

use crate::play::{Play, called, failed};

const MODERN: &str = "2026-07-28";
const INVALID: &str = r#"{"structuredContent":{"id":"a"},"content":[{"type":"text","text":"{\"id\":\"a\"}"}]}"#;
const NUMBERED: &str = r#"{"type":"object","properties":{"id":{"type":"integer"}}}"#;

fn taken() -> Play {
    let seen = called(Some(r#"{"id":"a"}"#), &[r#"{"id":"a"}"#], false);
    Play::at(MODERN).schema(NUMBERED).result(INVALID).means(Means::Invalid).sees(seen)
}

/// A server that lists a looser schema than the scenario's leaves the client nothing to catch.
#[test]
fn what_conforms_to_the_schema_on_the_wire_needs_no_catching() {
    let verdict = taken().lists_schema(Some(r#"{"type":"object"}"#)).verdict();
    assert_eq!((verdict.outcome, verdict.rating), (Outcome::Unsupported, Rating::Skipped), "{}", verdict.reason);
    assert!(verdict.reason.contains("there was nothing to catch"), "{}", verdict.reason);
    let verdict = taken().verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Uncaught, Some(Fault::Client)), "{}", verdict.reason);
}

/// The value conforms, and the result is wrong in another way.
#[test]
fn a_result_that_is_wrong_beside_its_value_is_the_servers_to_mend() {
    let result = r#"{"structuredContent":{"id":1},"content":[{"type":"text","text":5}]}"#;
    let seen = called(Some(r#"{"id":1}"#), &[], false);
    let play = Play::at(MODERN).schema(NUMBERED).result(result).means(Means::Invalid).sees(seen);
    let verdict = play.verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Uncaught, Some(Fault::Server)), "{}", verdict.reason);
    assert!(!verdict.reason.contains("no rule"), "{}", verdict.reason);
}

/// What the specification leaves open is how a client refuses a result, not whether it validates one.
#[test]
fn whoever_takes_an_invalid_result_did_not_validate_it_whatever_is_left_open() {
    let silent = || SpecStance::Silent { source: "https://modelcontextprotocol.io/specification".to_owned() };
    let verdict = taken().spec(silent()).verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Uncaught, Some(Fault::Client)), "{}", verdict.reason);
    assert!(verdict.signature.unwrap().to_string().contains("client-validates"));
    let refused = taken().spec(silent()).sees(failed(Layer::Validate, "id is no integer")).verdict();
    assert_eq!((refused.outcome, refused.rating), (Outcome::Caught, Rating::Works), "{}", refused.reason);
}

/// A client that never got the schema has nothing to validate with.
#[test]
fn a_client_that_has_not_seen_the_tool_cannot_catch_its_result() {
    let verdict = taken().swap(r#""tools":[{"name":"report""#, r#""tools":[{"name":"first""#).verdict();
    assert_eq!((verdict.outcome, verdict.rating), (Outcome::Unsupported, Rating::Skipped), "{}", verdict.reason);
    assert!(verdict.reason.contains("No result of tools/list has `report`"), "{}", verdict.reason);
}

/// JSON Schema leaves it open whether a validator checks formats, also within a choice.
#[test]
fn a_client_that_refuses_a_value_for_its_format_violates_no_rule() {
    let refused = |value: &str| {
        let schema =
            r#"{"type":"object","properties":{"at":{"anyOf":[{"type":"string","format":"date"},{"type":"null"}]}}}"#;
        let result = format!(r#"{{"structuredContent":{value},"content":[]}}"#);
        Play::at(MODERN).schema(schema).result(&result).sees(failed(Layer::Validate, "not valid")).verdict()
    };
    let verdict = refused(r#"{"at":"soon"}"#);
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Rejected, Some(Fault::Spec)), "{}", verdict.reason);
    assert!(verdict.reason.contains("whether a validator checks formats"), "{}", verdict.reason);
    let verdict = refused(r#"{"at":"2026-11-26"}"#);
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Rejected, Some(Fault::Client)), "{}", verdict.reason);
}
