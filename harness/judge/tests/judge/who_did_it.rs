//! Who is the subject of a reason: the party that did it, as the wire shows.

use mcp_compat_model::observation::{End, Layer, PeerError};
use mcp_compat_model::verdict::{Fault, Outcome, Rating};
use mcp_compat_scenario::scenario::{Means, SpecStance};
use rstest::rstest;

use crate::play::{Play, called, failed, json};

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";
const OBJECT: &str = r#""structuredContent":{"id":1}"#;

#[test]
fn a_list_that_the_server_refused_is_not_rejected_by_the_client() {
    let listed = r#""result":{"resultType":"complete","tools""#;
    let error = r#""error":{"code":-32603,"message":"no"},"was":{"resultType":"complete","tools""#;
    let no = || failed(Layer::Protocol, "no");
    let refused = Play::at(MODERN).swap(listed, error).sees_list(no()).verdict();
    assert!(
        refused.reason.starts_with("The server answered tools/list of rmcp@3.9.0 with an error"),
        "{}",
        refused.reason
    );
    assert!(refused.reason.contains("The request tools/list was answered with error -32603"), "{}", refused.reason);
    let rejected = Play::at(MODERN).sees_list(failed(Layer::Decode, "no")).verdict();
    assert!(rejected.reason.starts_with("rmcp@3.9.0 rejected the response to tools/list"), "{}", rejected.reason);
}

#[test]
fn a_value_is_wrapped_by_who_wrapped_it() {
    let wrapped = r#"{"result":{"id":1}}"#;
    let expected = Means::Value(json(r#"{"id":1}"#));
    let play = || Play::at(MODERN).no_schema().means(expected.clone()).sees(called(Some(wrapped), &[], false));
    let sent = play().swap(OBJECT, &format!(r#""structuredContent":{wrapped}"#)).verdict();
    assert_eq!((sent.outcome, sent.rating), (Outcome::Wrapped, Rating::Degraded));
    assert!(sent.reason.starts_with("typescript@2.4.0 sent the value of `report` inside an object"), "{}", sent.reason);
    let made = play().verdict();
    assert!(made.reason.starts_with("rmcp@3.9.0 returned the value of `report` inside an object"), "{}", made.reason);
}

#[test]
fn a_value_is_changed_by_who_changed_it() {
    let other = r#""structuredContent":{"id":2}"#;
    let play = || Play::at(MODERN).no_schema().means(Means::Value(json(r#"{"id":1}"#)));
    let seen = || called(Some(r#"{"id":2}"#), &[], false);
    let sent = play().swap(OBJECT, other).sees(seen()).verdict();
    assert_eq!((sent.outcome, sent.fault), (Outcome::Altered, Some(Fault::Server)));
    assert!(sent.reason.starts_with("typescript@2.4.0 sent a structuredContent that differs"), "{}", sent.reason);
    let made = play().sees(seen()).verdict();
    assert_eq!((made.outcome, made.fault), (Outcome::Altered, Some(Fault::Client)));
    assert!(made.reason.starts_with("rmcp@3.9.0 returned a value that differs"), "{}", made.reason);
}

#[test]
fn a_value_that_was_sent_and_not_returned_is_said_to_have_been_sent() {
    let text = r#"{"id":1}"#;
    let verdict = Play::at(MODERN).sees(called(None, &[text], false)).verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Text, Some(Fault::Spec)));
    assert!(verdict.reason.contains("The value was on the wire as structuredContent"), "{}", verdict.reason);
}

/// A client that hangs at what it cannot parse does not work on a validation.
#[rstest]
#[case::a_number_beyond_most_parsers(r#"{"structuredContent":{"id":1e999},"content":[]}"#, None, false)]
#[case::a_pattern_that_takes_for_ever(
    r#"{"structuredContent":{"id":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"},"content":[]}"#,
    Some(r#"{"type":"object","properties":{"id":{"type":"string","pattern":"^(([a-z])+)+\\2$"}}}"#),
    true
)]
fn only_a_validation_without_end_is_to_be_bounded(
    #[case] result: &str,
    #[case] schema: Option<&str>,
    #[case] is_costly: bool,
) {
    let play = Play::at(LEGACY).result(result).sees(failed(Layer::Timeout, "no answer within 5000 ms"));
    let play = schema.map_or(play.clone(), |schema| play.schema(schema));
    let verdict = play.verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Hung, Some(Fault::Client)), "{}", verdict.reason);
    assert_eq!(verdict.reason.contains("bound the work of a validation"), is_costly, "{}", verdict.reason);
    assert_eq!(
        verdict.reason.contains("end the call with its answer or with an error"),
        !is_costly,
        "{}",
        verdict.reason
    );
}

#[test]
fn null_under_a_keyword_of_openapi_is_explained() {
    let schema = |more: &str| format!(r#"{{"type":"object","properties":{{"id":{{"type":"number"{more}}}}}}}"#);
    let null = r#"{"structuredContent":{"id":null},"content":[]}"#;
    let reason = |more: &str| {
        let verdict = Play::at(LEGACY).schema(&schema(more)).result(null).means(Means::Invalid).verdict();
        assert_eq!((verdict.outcome, verdict.fault), (Outcome::Uncaught, Some(Fault::Client)));
        verdict.reason
    };
    assert!(reason(r#","nullable":true"#).contains("`nullable` is a keyword of OpenAPI, which JSON Schema ignores"));
    assert!(!reason(r#","nullable":false"#).contains("OpenAPI"));
    assert!(!reason("").contains("OpenAPI"));
}

/// A server of the other era refuses a request over HTTP; some put an id of their own into the body of the refusal.
#[test]
fn the_id_of_a_refusal_over_http_is_not_why_the_eras_do_not_meet() {
    let end =
        || End::NoSession(PeerError { layer: Layer::Connect, code: None, message: "Missing session ID".to_owned() });
    let play = |id: &str, answer: &str| {
        let was = r#""id":1,"result""#;
        Play::at(MODERN).over_http().swap(was, &format!(r#""id":{id},{answer},"was""#)).cut("tools/list").ends(end())
    };
    let error = r#""error":{"code":-32600,"message":"Missing session ID"}"#;
    let refused = play(r#""server-error""#, error).status("Missing session", 400).verdict();
    assert_eq!(
        refused.signature.unwrap().to_string(),
        "both:unreachable:session:no-common-revision",
        "{}",
        refused.reason
    );
    assert!(refused.findings.iter().any(|found| found.rule == "response-matches-request"));
    // An answer that the client cannot assign does keep it from a session.
    let lost = play(r#""2""#, r#""result":{"supportedVersions":["2026-07-28"],"capabilities":{}}"#).verdict();
    assert!(lost.reason.contains("whose id belongs to no open request"), "{}", lost.reason);
}

/// A client that speaks both eras, and a server that lists only revisions with a handshake.
#[test]
fn a_client_of_both_eras_has_to_use_the_list_that_it_got() {
    let error = PeerError { layer: Layer::Connect, code: None, message: "no compatible version".to_owned() };
    let left = |client| {
        let listed = r#""supportedVersions":["2026-07-28"]"#;
        let play = Play::at(MODERN).swap(listed, r#""supportedVersions":["2025-11-25"]"#);
        play.peers(client, "go@1.8.0").cut("tools/list").ends(End::NoSession(error.clone())).verdict()
    };
    let dual = left("rmcp@3.9.0+auto");
    assert_eq!((dual.outcome, dual.fault), (Outcome::Unreachable, Some(Fault::Client)), "{}", dual.reason);
    assert!(!dual.reason.contains("share no protocol revision"), "{}", dual.reason);
    assert!(dual.reason.contains("lists only revisions that open with `initialize`"), "{}", dual.reason);
    let modern = left("python@2.3.0+modern");
    assert_eq!(modern.fault, Some(Fault::Both), "{}", modern.reason);
    assert!(modern.reason.contains("share no protocol revision"), "{}", modern.reason);
}

/// Where a server refuses a revision that it does not list, what the scenario leaves open is not the cause.
#[test]
fn a_revision_that_is_not_listed_is_why_all_is_refused() {
    let conflict = SpecStance::Conflict { source: "https://example.com/sep".to_owned() };
    let listed = r#""supportedVersions":["2026-07-28"]"#;
    let refusal = r#""error":{"code":-32022,"message":"no","data":{"supported":["2025-11-25"]}},"was":{"resultType":"complete","tools""#;
    let no = || failed(Layer::Protocol, "no");
    let verdict = Play::at(MODERN)
        .swap(listed, r#""supportedVersions":["2025-11-25"]"#)
        .swap(r#""result":{"resultType":"complete","tools""#, refusal)
        .swap(r#""result":{"resultType":"complete","structured"#, &refusal.replace(r#""tools""#, r#""structured"#))
        .spec(conflict)
        .sees_list(no())
        .sees(no())
        .sees_bystander(no())
        .verdict();
    let signature = verdict.signature.unwrap().to_string();
    assert!(signature.contains(":client-speaks-a-listed-revision"), "{signature}: {}", verdict.reason);
    assert_eq!(verdict.fault, Some(Fault::Client));
}

/// An answer to a probe that is no message, with a status that refuses it, leaves nothing open.
#[test]
fn a_refused_probe_is_not_what_a_client_waits_for() {
    let timeout = || End::NoSession(PeerError { layer: Layer::Timeout, code: None, message: "5 s".to_owned() });
    let probe = r#"{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let refusal = r#"{"jsonRpcError":{"code":-32601}}"#;
    let verdict = Play::at(LEGACY)
        .over_http()
        .opens(probe)
        .after(r#""method":"server/discover""#, mcp_compat_model::Role::Server, refusal)
        .status(refusal, 400)
        .cut("notifications/initialized")
        .gets(None)
        .ends(timeout())
        .verdict();
    assert_eq!(verdict.signature.unwrap().to_string(), "server:hung:session:stream-withheld", "{}", verdict.reason);
}

/// A client that goes by the order takes another response for its own.
#[test]
fn a_value_of_another_response_is_told() {
    let stray = r#"{"jsonrpc":"2.0","id":"nobody","result":{"structuredContent":{"id":7},"content":[]}}"#;
    let call = r#""method":"tools/call""#;
    let open = SpecStance::Silent { source: "https://example.com/page".to_owned() };
    let play = Play::at(MODERN).spec(open).after(call, mcp_compat_model::Role::Server, stray);
    let taken = play.clone().sees(called(Some(r#"{"id":7}"#), &[], false)).verdict();
    assert_eq!((taken.outcome, taken.fault), (Outcome::Altered, Some(Fault::Client)), "{}", taken.reason);
    assert!(taken.reason.contains("returned the value of another response for `report`"), "{}", taken.reason);
    let lost = play.sees(failed(Layer::Decode, "no")).verdict();
    assert_eq!(lost.fault, Some(Fault::Server), "{}", lost.reason);
    assert!(!lost.reason.contains("another response"), "{}", lost.reason);
}

/// The words of an error are quoted, in whichever form the server sent it; only a server's error is a protocol error.
#[test]
fn the_words_of_the_servers_error_are_quoted() {
    let invalid = r#"{"content":[{"type":"text","text":"data/discount must be <= 10"}],"isError":true}"#;
    let sent = r#"{"structuredContent":{"id":1},"content":[{"type":"text","text":"{\"id\":1}"}]}"#;
    let play = Play::at(LEGACY).means(Means::Value(json(r#"{"id":1}"#))).swap(sent, invalid);
    let verdict = play.sees(called(None, &["data/discount must be <= 10"], true)).verdict();
    assert!(verdict.reason.contains(r#"with an error ("data/discount must be <= 10")"#), "{}", verdict.reason);
    let own = Play::at(LEGACY).sees(failed(Layer::Protocol, "unsupported content")).verdict();
    assert!(own.reason.contains(r#"(error: "unsupported content")"#), "{}", own.reason);
}

/// The text that both readings are about was returned, so the two readings do not matter.
#[test]
fn a_text_that_was_returned_is_not_ambiguous() {
    let conflict = || SpecStance::Conflict { source: "https://example.com/sep".to_owned() };
    let play = || Play::array_at(MODERN).spec(conflict());
    let text = play().sees(called(None, &[r#"[{"id":1}]"#], false)).verdict();
    assert_eq!((text.outcome, text.fault), (Outcome::Text, Some(Fault::Spec)));
    assert!(!text.reason.contains("ambiguous"), "{}", text.reason);
    let lost = play().sees(called(None, &[], false)).verdict();
    assert!(lost.reason.contains("ambiguous"), "{}", lost.reason);
}

/// What a server of typed functions should send is what the scenario has it send.
#[test]
fn a_value_that_is_sent_inside_an_object_needs_no_other_form() {
    let reply = r#"{"structuredContent":{"result":[]},"content":[]}"#;
    let sent = r#"{"structuredContent":{"id":1},"content":[{"type":"text","text":"{\"id\":1}"}]}"#;
    let error = r#""error":{"code":-32603,"message":"isError must not be null"}"#;
    let play = |reply: &str| {
        let reply = mcp_compat_model::peer_contract::Reply::Result(
            serde_json::value::RawValue::from_string(reply.to_owned()).unwrap(),
        );
        let no = failed(Layer::Protocol, "isError must not be null");
        let play = Play::at(LEGACY).reply(reply).means(Means::Value(json("[]")));
        play.swap(&format!(r#""result":{sent}"#), error).sees(no).verdict()
    };
    let wrapped = play(reply);
    assert!(wrapped.reason.contains("To fix in the server: send what the tool returned"), "{}", wrapped.reason);
    let bare = play(r#"{"structuredContent":[],"content":[]}"#);
    assert!(bare.reason.contains("2025-11-25 allows only objects"), "{}", bare.reason);
}

/// A server that starts slowly answers the probe when the client has taken it for a legacy one.
#[test]
fn a_probe_that_is_answered_late_is_not_a_revision_that_the_client_declined() {
    let initialize = r#"{"jsonrpc":"2.0","id":9,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let refusal = r#"{"jsonrpc":"2.0","id":9,"error":{"code":-32022,"message":"the handshake is not accepted","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}}"#;
    let end = || End::NoSession(PeerError { layer: Layer::Connect, code: None, message: "not accepted".to_owned() });
    let play = || Play::at(MODERN).peers("rmcp@3.9.0+auto", "python@2.3.0").cut("tools/list").ends(end());
    let late = play().after(r#""method":"server/discover""#, mcp_compat_model::Role::Client, initialize);
    let late = late.after(r#""supportedVersions""#, mcp_compat_model::Role::Server, refusal).verdict();
    assert!(late.reason.contains("answered the probe after the client had gone on"), "{}", late.reason);
    assert_eq!(late.fault, Some(Fault::Both));
    let left = play().verdict();
    assert!(left.reason.contains("the client left"), "{}", left.reason);
}

/// A client in Python refuses a pattern that JavaScript allows; the reason names the pattern.
#[test]
fn a_pattern_that_a_client_cannot_read_is_named() {
    let reason = |pattern: &str| {
        let schema = format!(r#"{{"type":"object","properties":{{"id":{{"type":"string","pattern":"{pattern}"}}}}}}"#);
        let play = Play::at(LEGACY).schema(&schema).result(r#"{"structuredContent":{"id":"a"},"content":[]}"#);
        play.sees(failed(Layer::Validate, "no regex")).verdict().reason
    };
    let foreign = reason(r"^\\p{L}+$");
    assert!(foreign.contains(r"whose pattern `^\p{L}+$` is an ECMA-262 regular expression"), "{foreign}");
    assert!(!reason("^[a-z]+$").contains("pattern"));
}

#[test]
fn a_value_that_the_client_dropped_is_to_be_returned_by_it() {
    let prose = r#"{"structuredContent":{"id":1},"content":[{"type":"text","text":"one"}]}"#;
    let dropped = |revision| Play::at(revision).result(prose).sees(called(None, &["one"], false)).verdict();
    let verdict = dropped(LEGACY);
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Prose, Some(Fault::Both)));
    assert!(
        verdict.reason.ends_with(
            "To fix in the server: add a text block with the serialised value. The value was on the wire as \
             structuredContent. To fix in the client: return it."
        ),
        "{}",
        verdict.reason
    );
    // A client of a revision without structured content has nothing but the text.
    assert_ne!(dropped("2025-03-26").fault, Some(Fault::Both));
}
