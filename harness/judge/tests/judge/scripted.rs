//! What a scenario itself puts on the wire. It is the server's violation, and never a defect of the mock that plays it;
//! and what no revision has a place for is nobody's.

use mcp_compat_judge::judge;
use mcp_compat_model::Role;
use mcp_compat_model::observation::Layer;
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_model::transcript::{Event, Raw};
use mcp_compat_model::verdict::{Fault, Outcome, Rating, Verdict};
use mcp_compat_scenario::scenario::{Expect, Means, SpecStance};
use rstest::rstest;

use crate::play::{Play, called, failed, json};

const MODERN: &str = "2026-07-28";
const CALL: &str = r#""name":"report","arguments""#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","id":3,"result""#;
const STRAY: &str = r#"{"jsonrpc":"2.0","id":"nobody","result":{"content":[]}}"#;

fn mocked(play: Play) -> Play {
    play.peers("rmcp@3.9.0", "mock/dual")
}

fn raw() -> Reply {
    Reply::Raw("bm90IGpzb24=".to_owned())
}

fn rules(verdict: &Verdict) -> Vec<&str> {
    verdict.findings.iter().map(|finding| finding.rule.as_str()).collect()
}

/// A message of the server's that begins with a byte order mark.
fn marked() -> Play {
    let play = mocked(Play::at(MODERN)).means(Means::Value(json(r#"{"id":1}"#))).reply(raw());
    play.expect(Expect::both(Outcome::Rejected)).swap(ANSWER, &format!("\u{feff}{ANSWER}"))
}

/// An error that lacks what its code asks for, whose words the client loses.
fn refused_version(reply: Reply) -> Verdict {
    let error = r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32022,"message":"no longer"},"was""#;
    let play = mocked(Play::at(MODERN)).means(Means::ToolError("no longer".to_owned())).swap(ANSWER, error);
    play.reply(reply).sees(failed(Layer::Protocol, "another word")).verdict()
}

#[test]
fn an_error_that_is_scripted_is_as_its_code_has_it_or_not() {
    let error = serde_json::value::to_raw_value(&serde_json::json!({"code": -32022, "message": "no longer"})).unwrap();
    let scripted = refused_version(Reply::Error(error));
    assert_eq!((scripted.outcome, scripted.fault), (Outcome::Masked, Some(Fault::Server)), "{}", scripted.reason);
    let result = serde_json::value::to_raw_value(&serde_json::json!({"content": [], "isError": true})).unwrap();
    let unscripted = refused_version(Reply::Result(result));
    assert_eq!(unscripted.fault, Some(Fault::Harness), "{}", unscripted.reason);
}

#[test]
fn a_value_behind_a_byte_order_mark_is_on_the_wire() {
    let verdict = marked().verdict();
    assert_eq!((verdict.outcome, verdict.rating), (Outcome::Intact, Rating::Works), "{}", verdict.reason);
    assert_eq!(rules(&verdict), ["server-speaks-json-rpc"]);
    assert!(verdict.findings[0].detail.contains("byte order mark"), "{}", verdict.findings[0].detail);
    assert_eq!(Play::at(MODERN).violated(), [""; 0]);
}

#[rstest]
#[case::a_banner("Listening on port 3000", true)]
#[case::a_log_line_with_a_time("[2026-11-29T08:00:00Z] [INFO] ready", true)]
#[case::a_truncated_list(r#"[ {"jsonrpc":"2.0","method":"#, false)]
#[case::a_truncated_message(r#"{"jsonrpc":"2.0","method":"#, false)]
#[case::a_message_without_a_version(r#"{"method":"notifications/message"}"#, false)]
fn a_line_on_standard_output_is_told_from_a_message_that_is_wrong(#[case] line: &str, #[case] is_printed: bool) {
    let detail = |play: Play| {
        let mut findings = play.after("tools/list", Role::Server, line).verdict().findings.into_iter();
        findings.find(|finding| finding.rule == "server-speaks-json-rpc").unwrap().detail
    };
    let printed = "printed a line to standard output";
    assert_eq!(detail(Play::at(MODERN)).contains(printed), is_printed);
    assert!(!detail(Play::at(MODERN).over_http()).contains(printed), "HTTP has no standard output");
}

#[test]
fn a_value_that_is_not_behind_the_byte_order_mark_proves_nothing() {
    let other = marked().swap(r#"{"id":1}"#, r#"{"id":2}"#).swap(r#"{\"id\":1}"#, "2").verdict();
    assert_eq!((other.outcome, other.rating), (Outcome::Incomplete, Rating::Breaks), "{}", other.reason);
}

#[rstest]
#[case::waits(Layer::Timeout, Outcome::Hung)]
#[case::ends(Layer::Connect, Outcome::Unreachable)]
fn who_stumbles_over_a_byte_order_mark_stumbles_over_the_server(#[case] layer: Layer, #[case] outcome: Outcome) {
    let verdict = marked().sees(failed(layer, "5 s")).verdict();
    assert_eq!((verdict.outcome, verdict.fault), (outcome, Some(Fault::Server)), "{}", verdict.reason);
    assert!(verdict.signature.unwrap().to_string().contains("server-speaks-json-rpc"));
    let unmarked = marked().swap("\u{feff}", "").sees(failed(layer, "5 s")).peers("rmcp@3.9.0", "go@1.6.0").verdict();
    assert_eq!((unmarked.outcome, unmarked.fault), (outcome, Some(Fault::Client)), "{}", unmarked.reason);
}

/// Bytes that are no message in place of the answer.
fn garbled() -> Play {
    let play = mocked(Play::at(MODERN)).means(Means::Invalid).without("structuredContent");
    play.after(CALL, Role::Server, "not json")
}

#[test]
fn who_waits_for_what_the_scenario_garbled_waits_for_the_server() {
    let verdict = garbled().reply(raw()).sees(failed(Layer::Timeout, "5 s")).verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Hung, Some(Fault::Server)), "{}", verdict.reason);
    assert!(!verdict.reason.contains("our own mock"), "{}", verdict.reason);
    let unscripted = garbled().sees(failed(Layer::Timeout, "5 s")).verdict();
    assert_eq!(unscripted.fault, Some(Fault::Harness), "{}", unscripted.reason);
}

/// An answer to nobody's request before the result.
fn foreign(scripted: bool) -> Verdict {
    let play = mocked(Play::at(MODERN)).over_http().after(CALL, Role::Server, STRAY);
    let (mut scenario, cell, transcript, observation) = play.sees(failed(Layer::Timeout, "5 s")).parts();
    if scripted {
        scenario.stages[0].tools[0].before = vec![STRAY.to_owned()];
    }
    judge(&scenario, &cell, &transcript, &observation)
}

#[test]
fn an_answer_to_nobody_that_the_scenario_sends_is_the_servers() {
    let verdict = foreign(true);
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Hung, Some(Fault::Server)), "{}", verdict.reason);
    assert_eq!(
        verdict.signature.as_ref().map(ToString::to_string).as_deref(),
        Some("server:hung:tools/call:response-matches-request:timeout")
    );
    assert_eq!(foreign(false).fault, Some(Fault::Harness));
}

#[test]
fn refusing_a_call_for_an_answer_to_nobody_before_it_is_the_servers_too() {
    let play = Play::at(MODERN).after(CALL, Role::Server, STRAY).sees(failed(Layer::Protocol, "unknown id"));
    let verdict = play.verdict();
    assert_eq!(verdict.fault, Some(Fault::Server), "{}", verdict.reason);
    let without = Play::at(MODERN).sees(failed(Layer::Protocol, "unknown id")).verdict();
    assert_eq!(without.fault, Some(Fault::Client), "{}", without.reason);
}

fn of_type(named: &str) -> Play {
    let result = format!(r#"{{"resultType":{named},"content":[{{"type":"text","text":"{{\"id\":1}}"}}]}}"#);
    mocked(Play::at(MODERN)).no_schema().result(&result).means(Means::Invalid)
}

#[rstest]
#[case::null("null")]
#[case::number("1")]
#[case::unknown("\"partial\"")]
fn a_type_that_is_no_string_is_there_and_unknown(#[case] named: &str) {
    let taken = of_type(named).verdict();
    let signature = "client:uncaught:tools/call:client-refuses-unknown-result-type";
    assert_eq!(taken.signature.as_ref().map(ToString::to_string).as_deref(), Some(signature), "{}", taken.reason);
    assert_eq!(rules(&taken), ["result-type-known", "client-refuses-unknown-result-type"]);
    let caught = of_type(named).sees(failed(Layer::Decode, "no such type")).verdict();
    assert_eq!((caught.outcome, caught.rating), (Outcome::Caught, Rating::Works), "{}", caught.reason);
}

#[test]
fn a_type_that_is_not_there_is_the_mocks_own_doing() {
    let absent = of_type("null").swap(r#""resultType":null,"#, "").means(Means::Text(r#"{"id":1}"#.to_owned()));
    let verdict = absent.sees(failed(Layer::Decode, "no type")).verdict();
    assert_eq!(verdict.fault, Some(Fault::Harness), "{}", verdict.reason);
    assert!(rules(&verdict).contains(&"result-type-present"));
}

/// A handshake in which the server names that revision, and the client goes on.
fn named(revision: &str) -> Play {
    let ours = r#""result":{"protocolVersion":"2025-11-25""#;
    let play = Play::at("2025-11-25").expect(Expect::both(Outcome::Unreachable));
    play.swap(ours, &format!(r#""result":{{"protocolVersion":"{revision}""#))
}

#[test]
fn results_of_a_session_at_no_revision_are_the_clients_fault() {
    let verdict = mocked(named("1999-12-31")).verdict();
    assert_eq!((verdict.outcome, verdict.rating), (Outcome::Uncaught, Rating::Breaks), "{}", verdict.reason);
    let signature = "client:uncaught:session:client-leaves-unknown-revision";
    assert_eq!(
        (verdict.fault, verdict.signature.as_ref().map(ToString::to_string).as_deref()),
        (Some(Fault::Client), Some(signature))
    );
    assert!(verdict.reason.contains("continued with the revision `1999-12-31`"), "{}", verdict.reason);
}

#[test]
fn results_after_a_refused_handshake_are_the_clients_fault() {
    let (answer, refusal) = (r#""result":{"protocolVersion":"2025-11-25""#, r#""error":{"code":-32602,"message":"no""#);
    let play = Play::at("2025-11-25").expect(Expect::both(Outcome::Unreachable)).swap(answer, refusal);
    let verdict = mocked(play).verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Uncaught, Some(Fault::Client)), "{}", verdict.reason);
    assert!(verdict.reason.contains("though the server refused `initialize`"), "{}", verdict.reason);
}

#[test]
fn results_without_any_handshake_are_still_no_proof() {
    let verdict = Play::at("2025-11-25").cut("initialize").verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Incomplete, Some(Fault::Harness)), "{}", verdict.reason);
    assert_eq!(named("2025-06-18").verdict().outcome, Outcome::Intact);
}

/// A tool that says why it failed in its structured value alone.
fn failing(revision: &str) -> Play {
    let result = r#"{"structuredContent":{"code":"RATE_LIMITED"},"content":[],"isError":true}"#;
    Play::at(revision).no_schema().result(result).means(Means::ToolError("RATE_LIMITED".to_owned()))
}

#[rstest]
#[case::before_structured_content("2024-11-05", Outcome::Unsupported, None)]
#[case::right_before_it("2025-03-26", Outcome::Unsupported, None)]
#[case::with_it("2025-06-18", Outcome::Masked, Some(Fault::Client))]
#[case::today(MODERN, Outcome::Masked, Some(Fault::Client))]
fn words_for_which_a_revision_has_no_place_are_nobodys_fault(
    #[case] revision: &str,
    #[case] outcome: Outcome,
    #[case] fault: Option<Fault>,
) {
    let verdict = failing(revision).sees(called(None, &[], true)).verdict();
    assert_eq!((verdict.outcome, verdict.fault), (outcome, fault), "{}", verdict.reason);
}

#[test]
fn that_a_tool_failed_can_be_told_at_every_revision() {
    let swallowed = failing("2024-11-05").sees(called(None, &[], false)).verdict();
    assert_eq!((swallowed.outcome, swallowed.fault), (Outcome::Swallowed, Some(Fault::Client)), "{}", swallowed.reason);
    let in_text = Play::at("2024-11-05")
        .result(r#"{"content":[{"type":"text","text":"RATE_LIMITED"}],"isError":true}"#)
        .means(Means::ToolError("RATE_LIMITED".to_owned()));
    let masked = in_text.sees(called(None, &[], true)).verdict();
    assert_eq!((masked.outcome, masked.fault), (Outcome::Masked, Some(Fault::Client)), "{}", masked.reason);
}

#[test]
fn words_that_the_server_left_out_are_not_for_the_client_to_tell() {
    let left_out = failing(MODERN).swap(r#""structuredContent":{"code":"RATE_LIMITED"},"#, "");
    let verdict = left_out.sees(called(None, &[], true)).verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Masked, Some(Fault::Server)), "{}", verdict.reason);
    assert_eq!(rules(&verdict), [""; 0]);
    assert!(
        verdict.reason.contains("The error on the wire is not the one that the tool returned"),
        "{}",
        verdict.reason
    );
}

#[test]
fn a_conforming_array_refused_by_its_schema_was_validated_wrongly() {
    let rule = |play: Play, layer| {
        let verdict = play.sees(failed(layer, "no")).verdict();
        verdict.signature.unwrap().to_string().split(':').nth(3).unwrap().to_owned()
    };
    assert_eq!(rule(Play::array_at(MODERN), Layer::Validate), "client-takes-conforming-result");
    assert_eq!(rule(Play::array_at(MODERN), Layer::Decode), "client-takes-any-value");
    // Without a schema there is nothing but the type to refuse it for.
    assert_eq!(rule(Play::array_at(MODERN).no_schema(), Layer::Validate), "client-takes-any-value");
    let silent = SpecStance::Silent { source: "https://example.com/page".to_owned() };
    let open = Play::array_at(MODERN).spec(silent).sees(failed(Layer::Validate, "no")).verdict();
    assert_eq!(open.fault, Some(Fault::Spec), "{}", open.reason);
}

/// A session in which that stands in the place of the server's last message, after a line that is no message if `noise`.
fn unread(start: &str, noise: bool) -> Verdict {
    let play = Play::at(MODERN);
    let play = if noise { play.after(CALL, Role::Server, "not JSON") } else { play };
    let (scenario, cell, mut transcript, mut observation) = play.parts();
    observation.steps.fill(failed(Layer::Timeout, "no answer within 5000 ms"));
    let last = transcript.entries.iter_mut().rfind(|entry| entry.from == Role::Server).unwrap();
    last.event = Event::Overflow { limit: 1 << 20, start: Raw::Text(start.to_owned()) };
    judge(&scenario, &cell, &transcript, &observation)
}

#[rstest]
#[case::one_message("{", false, "A message of the server is longer than 1 MB")]
#[case::one_message_after_a_log_line("{", true, "A message of the server is longer than 1 MB")]
#[case::all_together("", false, "The messages of the server have more than 1 MB together")]
fn what_was_not_read_is_nobodys_violation(#[case] start: &str, #[case] noise: bool, #[case] told: &str) {
    let verdict = unread(start, noise);
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Incomplete, Some(Fault::Harness)), "{}", verdict.reason);
    assert!(verdict.reason.contains(&format!("{told}. mcp-compat did not read all of that")), "{}", verdict.reason);
    assert_eq!(rules(&verdict).len(), usize::from(noise));
}

#[test]
fn a_flood_of_what_is_no_message_is_a_violation() {
    let verdict = unread("", true);
    assert_ne!(verdict.fault, Some(Fault::Harness), "{}", verdict.reason);
    assert_eq!(rules(&verdict), ["server-speaks-json-rpc"]);
}
