//! Whose fault it is, what the cause is called, and the sentence that says so.

use mcp_compat_model::observation::{End, Layer, PeerError};
use mcp_compat_model::verdict::{BlastRadius, Fault, Outcome, Rating};
use mcp_compat_scenario::scenario::{Means, SpecStance};
use rstest::rstest;

use crate::play::{Play, called, failed};

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";
const INVALID: &str = r#"{"structuredContent":{"name":1},"content":[]}"#;

fn refused(play: Play) -> Play {
    play.sees(failed(Layer::Decode, "expected an object"))
}

fn list_refused(play: Play) -> Play {
    let refusal = || failed(Layer::Decode, "invalid literal, expected \"object\"");
    play.sees_list(refusal()).sees(refusal()).sees_bystander(refusal())
}

fn silent() -> SpecStance {
    SpecStance::Silent { source: "https://example.com/page".to_owned() }
}

#[rstest]
#[case::an_array_on_a_session_is_the_servers(refused(Play::array_at(LEGACY)), Fault::Server)]
#[case::refusing_an_array_of_today_is_the_clients(refused(Play::array_at(MODERN)), Fault::Client)]
#[case::a_list_with_an_array_on_a_session(list_refused(Play::array_at(LEGACY)), Fault::Server)]
#[case::a_list_with_an_array_of_today(list_refused(Play::array_at(MODERN)), Fault::Client)]
#[case::handing_on_an_invalid_result(Play::at(MODERN).result(INVALID).means(Means::Invalid), Fault::Client)]
#[case::a_value_changed_by_the_client(Play::at(MODERN).sees(called(Some("{}"), &[], false)), Fault::Client)]
#[case::a_value_changed_by_the_server(
    Play::at(MODERN).swap(r#"{"id":1}"#, r#"{"id":2}"#).sees(called(Some(r#"{"id":2}"#), &[], false)),
    Fault::Server
)]
#[case::a_value_kept_from_the_user(Play::at(MODERN).sees(called(None, &[], false)), Fault::Spec)]
#[case::a_value_that_was_promised_and_not_sent(
    Play::at(MODERN).swap(r#""structuredContent":{"id":1},"#, "").sees(called(None, &["{\"id\":1}"], false)),
    Fault::Server
)]
#[case::what_the_specification_does_not_say(refused(Play::array_at(MODERN)).spec(silent()), Fault::Spec)]
#[case::two_readings(
    refused(Play::array_at(MODERN)).spec(SpecStance::Conflict { source: "https://example.com/sep".to_owned() }),
    Fault::Spec
)]
#[case::both(
    refused(Play::array_at(MODERN).swap(r#""resultType":"complete","structured"#, r#""structured"#)),
    Fault::Both
)]
#[case::an_error_hidden_by_the_client(
    Play::at(MODERN)
        .result(r#"{"content":[{"type":"text","text":"Out of stock"}],"isError":true}"#)
        .means(Means::ToolError("Out of stock".to_owned()))
        .sees(failed(Layer::Validate, "no structured content")),
    Fault::Client
)]
#[case::an_error_hidden_before_there_was_a_rule(
    Play::at("2025-06-18")
        .result(r#"{"content":[{"type":"text","text":"Out of stock"}],"isError":true}"#)
        .means(Means::ToolError("Out of stock".to_owned()))
        .sees(called(None, &["Out of stock"], false)),
    Fault::Client
)]
fn the_party_that_has_to_move(#[case] play: Play, #[case] fault: Fault) {
    let verdict = play.verdict();
    assert_eq!(verdict.fault, Some(fault), "{} {}", verdict.outcome, verdict.reason);
}

#[rstest]
#[case::silent(silent())]
#[case::conflict(SpecStance::Conflict { source: "https://example.com/sep".to_owned() })]
fn what_is_left_open_does_not_excuse_the_must_that_led_to_the_break(#[case] stance: SpecStance) {
    let list = list_refused(Play::array_at(LEGACY)).without("tools/call").without("content\"").spec(stance.clone());
    let verdict = list.verdict();
    assert_eq!(verdict.fault, Some(Fault::Server), "{}", verdict.reason);
    assert!(verdict.signature.unwrap().to_string().contains("output-schema-object-root"));
    // The value was there: the client did not look at it, whatever is wrong with the list.
    let unread = Play::array_at(LEGACY).spec(stance).sees(called(None, &["two users"], false)).verdict();
    assert_eq!((unread.outcome, unread.fault), (Outcome::Prose, Some(Fault::Spec)), "{}", unread.reason);
}

#[test]
fn a_result_without_content_is_the_servers_fault_for_who_reads_nothing_else() {
    let bare = || Play::at(LEGACY).result(r#"{"structuredContent":{"id":1}}"#).spec(silent());
    for (seen, outcome) in [(called(None, &[], false), "lost"), (failed(Layer::Decode, "no content"), "rejected")] {
        let verdict = bare().sees(seen).verdict();
        assert_eq!((verdict.outcome.as_str(), verdict.fault), (outcome, Some(Fault::Server)), "{}", verdict.reason);
        assert!(verdict.reason.contains("has no `content`"), "{}", verdict.reason);
    }
}

#[test]
fn every_violation_of_a_schema_is_told_and_the_cause_stays_the_same() {
    let play = |result: &str| {
        let schema = r#"{"properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"},"d":{"type":"string"}}}"#;
        Play::at(MODERN).schema(schema).result(result).means(Means::Invalid).verdict()
    };
    let one = play(r#"{"structuredContent":{"a":1},"content":[]}"#);
    let four = play(r#"{"structuredContent":{"a":1,"b":2,"c":3,"d":4},"content":[]}"#);
    let others = "Other violations: at /b: 2 is not of type \"string\"; at /c: 3 is not of type \"string\"; and 1 more";
    assert!(!one.reason.contains("Other violations"), "{}", one.reason);
    assert!(four.reason.contains(&format!("1 is not of type \"string\". {others}. To fix")), "{}", four.reason);
    let finding = four.findings.iter().find(|found| found.rule == "structured-content-conforms").unwrap();
    assert!(finding.detail.contains("at /a: 1 is not") && finding.detail.ends_with(others), "{}", finding.detail);
    assert_eq!(one.signature, four.signature);
}

#[test]
fn an_invalid_result_that_is_handed_on_is_the_clients_whatever_else_the_server_broke() {
    let play =
        Play::at(MODERN).result(INVALID).means(Means::Invalid).schema(r#"{"properties":{"name":{"type":"string"}}}"#);
    let verdict = play.swap(r#""resultType":"complete","structured"#, r#""structured"#).verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Uncaught, Some(Fault::Client)), "{}", verdict.reason);
    assert_eq!(
        verdict.signature.as_ref().map(ToString::to_string).as_deref(),
        Some("client:uncaught:tools/call:client-validates")
    );
}

#[test]
fn a_value_that_the_client_changed_is_the_clients_whatever_else_the_server_broke() {
    let changed = Play::at(MODERN).sees(called(Some(r#"{"id":2}"#), &[], false));
    let verdict = changed.swap(r#""resultType":"complete","structured"#, r#""structured"#).verdict();
    assert_eq!(
        verdict.signature.as_ref().map(ToString::to_string).as_deref(),
        Some("client:altered:tools/call:no-rule:/id"),
        "{}",
        verdict.reason
    );
}

#[test]
fn a_value_that_cost_a_fetch_is_no_success() {
    let verdict = Play::at(MODERN).fetches().verdict();
    assert_eq!((verdict.outcome, verdict.rating), (Outcome::Intact, Rating::Breaks));
    assert_eq!((verdict.fault, verdict.blast_radius), (Some(Fault::Client), Some(BlastRadius::Call)));
    assert_eq!(
        verdict.signature.as_ref().map(ToString::to_string).as_deref(),
        Some("client:intact:tools/call:references-not-fetched")
    );
    assert_eq!(
        verdict.reason,
        "rmcp@3.9.0 connected to an address only because a schema of the server names it. `/customer.json` was fetched \
         because a schema names it. To fix in the client: do not fetch references of a schema over the network."
    );
    // What breaks by itself keeps its own cause. Before 2026-07-28, it is a rule of JSON Schema.
    assert_eq!(refused(Play::at(MODERN).fetches()).verdict().outcome, Outcome::Rejected);
    let legacy = Play::at(LEGACY).fetches().verdict();
    let signature = legacy.signature.as_ref().map(ToString::to_string);
    assert_eq!(signature.as_deref(), Some("client:intact:tools/call:network-references-not-followed"));
}

#[test]
fn a_schema_that_is_no_object_is_another_cause_than_one_of_another_type() {
    let signature = |schema: &str| {
        let play = list_refused(Play::at(LEGACY).schema(schema)).without("tools/call").without("content\"");
        play.verdict().signature.unwrap().to_string()
    };
    assert!(signature("true").ends_with("output-schema-object-root:decode:/outputSchema"), "{}", signature("true"));
    assert_ne!(signature("true"), signature(r#"{"type":"array"}"#));
}

#[test]
fn what_the_server_left_out_is_told_by_what_the_revision_has() {
    let text = r#"{"content":[{"type":"text","text":"{\"id\":1}"}]}"#;
    let meant = || Means::Value(crate::play::json(r#"{"id":1}"#));
    let reason = Play::at(MODERN).result(text).lists_schema(None).means(meant()).verdict().reason;
    assert!(reason.contains("only as text. The server omitted structuredContent"), "{reason}");
    let null = text.replace(r#"}]}"#, r#","annotations":null}]}"#);
    let beside = Play::at(MODERN).result(&null).lists_schema(None).means(meant()).verdict();
    assert_eq!(
        beside.signature.as_ref().map(ToString::to_string).as_deref(),
        Some("server:text:tools/call:no-rule"),
        "{}",
        beside.reason
    );
    let prose = r#"{"content":[{"type":"text","text":"one"}]}"#;
    let reason = Play::at("2025-03-26").result(prose).lists_schema(None).means(meant()).verdict().reason;
    assert!(reason.contains("returned only text from `report`, and the value cannot be parsed from that text. 2025-03-26 has no structuredContent"), "{reason}");
}

#[test]
fn a_missing_fallback_explains_what_it_leads_to_and_nothing_else() {
    let prose = r#"{"structuredContent":{"id":1},"content":[{"type":"text","text":"one"}]}"#;
    let signature = |seen| Play::at(MODERN).result(prose).sees(seen).verdict().signature.unwrap().to_string();
    assert_eq!(signature(called(None, &["one"], false)), "both:prose:tools/call:text-fallback:/content");
    assert_eq!(signature(called(Some("{}"), &[], false)), "client:altered:tools/call:no-rule:/id");
}

#[test]
fn a_mock_that_breaks_the_protocol_colours_no_peer() {
    let missing = refused(Play::array_at(MODERN)).swap(r#","cacheScope":"private""#, "");
    assert_eq!(missing.clone().verdict().fault, Some(Fault::Client));
    let ours = missing.peers("rmcp@3.9.0", "mock/dual").verdict();
    assert_eq!(ours.fault, Some(Fault::Harness));
    assert!(ours.reason.contains("This is a defect of mcp-compat. To fix in its mock server"), "{}", ours.reason);
}

#[test]
fn a_mock_that_plays_what_the_scenario_gives_it_is_not_broken() {
    let scripted = refused(Play::array_at(MODERN)).list(r#"{"cacheScope":"private"}"#);
    assert_eq!(scripted.peers("rmcp@3.9.0", "mock/dual").verdict().fault, Some(Fault::Client));
    let array = refused(Play::array_at(LEGACY)).peers("rmcp@3.9.0", "mock/dual");
    assert_eq!(array.verdict().fault, Some(Fault::Server));
}

#[test]
fn a_sabotaged_mock_is_a_peer_like_any_other() {
    let missing = list_refused(Play::at(MODERN)).swap(r#","cacheScope":"private""#, "");
    let verdict = missing.peers("rmcp@3.9.0", "sabotaged/no-cache-scope").verdict();
    assert_eq!(verdict.fault, Some(Fault::Server), "{}", verdict.reason);
}

#[test]
fn a_violation_that_has_nothing_to_do_with_the_break_accuses_nobody() {
    // The control's result violates its schema; the subject is refused for no reason.
    let play = refused(Play::array_at(MODERN)).control(INVALID, failed(Layer::Validate, "no"));
    assert_eq!(play.verdict().fault, Some(Fault::Client));
}

#[test]
fn cells_that_break_alike_have_one_signature() {
    let one = refused(Play::array_at(MODERN)).verdict().signature.unwrap().to_string();
    let other = Play::array_at(MODERN)
        .result(r#"{"structuredContent":[{"id":2}],"content":[{"type":"text","text":"[{\"id\":2}]"}]}"#)
        .sees(failed(Layer::Decode, "at port 4711: no"))
        .peers("python@2.1.0", "mock/dual")
        .over_http()
        .verdict();
    assert_eq!(Some(one.clone()), other.signature.map(|signature| signature.to_string()));
    assert_eq!(one, "client:rejected:tools/call:client-takes-any-value:decode:/structuredContent");
    let list = list_refused(Play::array_at(LEGACY)).without("tools/call").without("content\"").verdict();
    let signature = "server:rejected:tools/list:output-schema-object-root:decode:/outputSchema/type";
    assert_eq!(list.signature.as_ref().map(ToString::to_string).as_deref(), Some(signature), "{}", list.reason);
    assert_eq!(Play::at(MODERN).verdict().signature, None);
}

#[test]
fn eras_that_do_not_meet_have_one_signature_whatever_the_scenario_is_about() {
    let error = PeerError { layer: Layer::Connect, code: None, message: "unknown method".to_owned() };
    let refused = r#""id":1,"error":{"code":-32601,"message":"Method not found"},"was""#;
    let play = Play::at(LEGACY).swap(r#""id":1,"result""#, refused).cut("initialized").ends(End::NoSession(error));
    let signature = play.clone().verdict().signature;
    assert_eq!(
        signature.as_ref().map(ToString::to_string).as_deref(),
        Some("both:unreachable:session:no-common-revision")
    );
    assert_eq!(play.spec(silent()).verdict().signature, signature);
}

#[test]
fn the_answer_itself_tells_more_than_the_list() {
    let verdict = refused(Play::array_at(LEGACY)).verdict();
    let signature = "server:rejected:tools/call:structured-content-object:decode:/structuredContent";
    assert_eq!(verdict.signature.as_ref().map(ToString::to_string).as_deref(), Some(signature));
}

#[test]
fn a_value_that_changes_in_another_place_is_another_cause() {
    let signature =
        |seen: &str| Play::at(MODERN).sees(called(Some(seen), &[], false)).verdict().signature.unwrap().to_string();
    assert_eq!(signature(r#"{"id":2}"#), "client:altered:tools/call:no-rule:/id");
    assert_ne!(signature(r#"{"id":2}"#), signature(r#"{"id":1,"more":1}"#));
}

#[test]
fn the_reason_says_who_what_why_and_what_to_do() {
    let list = list_refused(Play::array_at(LEGACY)).without("tools/call").without("content\"").verdict();
    assert_eq!(
        list.reason,
        "rmcp@3.9.0 rejected the response to tools/list (decode error: invalid literal, expected \"object\"), so `report` \
         cannot be called. The outputSchema of `report` has type \"array\" at its root; 2025-11-25 allows only an object. \
         To fix in the server: for clients of revisions up to 2025-11-25, return an object and give its outputSchema `type: object` \
         at its root, or omit the outputSchema and send the value as text."
    );
    let works = Play::at(MODERN).verdict();
    assert_eq!(works.reason, "`report` is `intact` at 2026-07-28, as expected.");
    let altered = Play::at(MODERN).sees(called(Some(r#"{"id":2}"#), &[], false)).verdict();
    assert_eq!(
        altered.reason,
        "rmcp@3.9.0 returned a value that differs from the one that `report` sent (/id is 2, not 1). The right value was on \
         the wire. To fix in the client: return it unchanged."
    );
}

#[test]
fn the_words_of_a_peer_are_bounded_and_harmless() {
    let words = format!("\u{1b}[2J\u{202e}{}\r\nok", "very ".repeat(500));
    let verdict = Play::at(MODERN).sees(failed(Layer::Decode, &words)).verdict();
    assert_eq!(verdict.outcome, Outcome::Rejected);
    assert!(verdict.reason.chars().count() < 500, "{}", verdict.reason);
    assert!(!verdict.reason.chars().any(|c| c.is_control() || c == '\u{202e}'));
    let hostile = r#"{"structuredContent":{"id":1},"content":[{"type":"\u001b[31m\u202e`code`"}]}"#;
    for finding in Play::at(MODERN).result(hostile).verdict().findings {
        assert!(!finding.detail.chars().any(|c| c.is_control() || c == '\u{202e}'), "{}", finding.detail);
    }
}
