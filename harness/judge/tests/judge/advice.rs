//! What a reason tells its reader to do: it must free the user, be allowed at the revision, and reach all who are at fault.

use mcp_compat_model::Role;
use mcp_compat_model::observation::{End, Layer, PeerError};
use mcp_compat_model::verdict::{Fault, Outcome, Rating};

use crate::play::{Play, called, failed, json};
use mcp_compat_scenario::scenario::{Means, SpecStance};

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

#[test]
fn no_server_is_told_to_send_what_the_revision_forbids() {
    let refusal = r#"{"content":[{"type":"text","text":"not an object"}],"isError":true}"#;
    let array = || Play::array_at(LEGACY).means(Means::Value(json(r#"[{"id":1}]"#)));
    let error = || called(None, &["not an object"], true);
    let sent = r#"{"structuredContent":[{"id":1}],"content":[{"type":"text","text":"[{\"id\":1}]"}]}"#;
    let verdict = array().lists_schema(None).swap(sent, refusal).sees(error()).verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Rejected, Some(Fault::Server)), "{}", verdict.reason);
    assert!(verdict.reason.contains("2025-11-25 allows only objects as structuredContent"), "{}", verdict.reason);
    assert!(!verdict.reason.contains("send what the tool returned"), "{}", verdict.reason);
    let prose = r#"{"content":[{"type":"text","text":"one user"}]}"#;
    let verdict = array().lists_schema(None).swap(sent, prose).sees(called(None, &["one user"], false)).verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Prose, Some(Fault::Server)), "{}", verdict.reason);
    assert!(verdict.reason.contains("send the value in a text block or inside an object"), "{}", verdict.reason);
    // Where the revision allows every value, the value is to be sent.
    let array = Play::array_at(MODERN).means(Means::Value(json(r#"[{"id":1}]"#))).lists_schema(None);
    let sent = &sent[1..];
    let verdict = array.swap(sent, &prose[1..]).sees(called(None, &["one user"], false)).verdict();
    assert!(verdict.reason.contains("The server omitted structuredContent"), "{}", verdict.reason);
}

#[test]
fn where_both_are_at_fault_both_are_told() {
    let play = Play::array_at(MODERN).sees(failed(Layer::Decode, "expected an object"));
    let verdict = play.swap(r#""resultType":"complete","structured"#, r#""structured"#).verdict();
    assert_eq!(verdict.fault, Some(Fault::Both), "{}", verdict.reason);
    assert!(verdict.reason.contains("To fix in the server:"), "{}", verdict.reason);
    assert!(verdict.reason.contains("To fix in the client:"), "{}", verdict.reason);
}

#[test]
fn the_plain_tool_of_mcp_compat_is_never_named() {
    let broken = [
        Play::at(LEGACY).sees_bystander(failed(Layer::Decode, "no")),
        Play::at(LEGACY).sees_bystander(failed(Layer::Timeout, "5 s")),
        Play::at(LEGACY).sees_bystander(called(None, &["other"], false)),
        Play::at(LEGACY).sees_bystander(called(None, &[], false)),
    ];
    for verdict in broken.iter().map(Play::verdict) {
        assert_eq!(verdict.rating, Rating::Breaks);
        assert!(verdict.reason.contains("the server's other tools"), "{}", verdict.reason);
        let details = verdict.findings.iter().map(|found| found.detail.as_str());
        for text in details.chain([verdict.reason.as_str()]) {
            assert!(!text.contains("mcp_compat_bystander"), "{text}");
        }
    }
}

#[test]
fn a_fetch_is_told_on_every_revision_that_has_schemas() {
    let verdict = Play::at(LEGACY).fetches().verdict();
    assert_eq!((verdict.rating, verdict.fault), (Rating::Breaks, Some(Fault::Client)));
    assert!(verdict.reason.contains("connected to an address only because a schema"), "{}", verdict.reason);
    let found = verdict.findings.iter().find(|found| found.rule == "network-references-not-followed").unwrap();
    assert!(found.detail.contains("/customer.json"), "{}", found.detail);
    assert_eq!(found.messages.len(), 1);
}

#[test]
fn a_key_that_stands_twice_is_the_servers() {
    let twice = r#"{"structuredContent":{"id":1,"id":2},"content":[{"type":"text","text":"two"}]}"#;
    let play = || Play::at(LEGACY).result(twice);
    for seen in [called(Some(r#"{"id":2}"#), &["two"], false), failed(Layer::Decode, "duplicate key")] {
        let verdict = play().sees(seen).verdict();
        assert_eq!(verdict.fault, Some(Fault::Server), "{}", verdict.reason);
        assert!(verdict.signature.unwrap().to_string().contains(":value-keys-unique"));
        assert!(verdict.reason.contains("write each key of an object once"), "{}", verdict.reason);
    }
}

#[test]
fn what_the_judge_cannot_decide_is_not_allowed_by_the_specification() {
    let huge = Play::at(MODERN).result(r#"{"structuredContent":{"id":1e999},"content":[]}"#);
    let verdict = huge.sees(failed(Layer::Validate, "not a number")).verdict();
    assert_eq!(verdict.fault, Some(Fault::Spec), "{}", verdict.reason);
    assert!(verdict.reason.contains("mcp-compat cannot decide whether the value conforms"), "{}", verdict.reason);
    assert!(!verdict.reason.contains("The specification"), "{}", verdict.reason);
}

#[test]
fn a_reference_to_nowhere_is_not_in_doubt() {
    let nowhere = r##"{"type":"object","properties":{"id":{"$ref":"#/$defs/id"}}}"##;
    let verdict = Play::at(MODERN).lists_schema(Some(nowhere)).sees(failed(Layer::Validate, "unresolvable")).verdict();
    assert_eq!(verdict.fault, Some(Fault::Spec), "{}", verdict.reason);
    assert!(verdict.reason.contains("A reference in the outputSchema points to nothing"), "{}", verdict.reason);
}

#[test]
fn bytes_that_no_client_can_read_are_the_servers_whenever_the_client_gives_up() {
    let marked = || {
        Play::at(LEGACY).swap(r#"{"jsonrpc":"2.0","id":3,"result""#, "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":3,\"result\"")
    };
    let gone = || failed(Layer::Connect, "EOF");
    let at_once = marked().sees(gone());
    let later = marked().sees_bystander(gone());
    let waiting = marked().ends(End::TimedOut { waiting_for: Role::Client, what: "an answer".to_owned() });
    for play in [at_once, later, waiting] {
        let verdict = play.verdict();
        assert_eq!(verdict.fault, Some(Fault::Server), "{}", verdict.reason);
        assert!(verdict.reason.contains("byte order mark"), "{}", verdict.reason);
    }
    // Without them it is the client that left.
    let left = Play::at(LEGACY).sees_bystander(gone()).verdict();
    assert_eq!(left.fault, Some(Fault::Client), "{}", left.reason);
}

#[test]
fn a_server_that_named_a_revision_without_a_handshake_refuses_what_it_asked_for() {
    let error = r#""error":{"code":-32602,"message":"no _meta"}"#;
    let result = r#""result":{"structuredContent":{"id":1},"content":[{"type":"text","text":"{\"id\":1}"}]}"#;
    let play = || Play::at(LEGACY).swap(result, error).sees(failed(Layer::Protocol, "no _meta"));
    let verdict = play().swap("2025-11-25", MODERN).verdict();
    assert_eq!(verdict.fault, Some(Fault::Server), "{}", verdict.reason);
    assert!(verdict.reason.contains("The server answered the call of `report` by rmcp@3.9.0"), "{}", verdict.reason);
    assert!(verdict.reason.contains("answer `initialize` with 2025-11-25 or an older"), "{}", verdict.reason);
    let signature = verdict.signature.unwrap().to_string();
    assert!(signature.contains("initialize-names-a-handshake-revision"), "{signature}");
}

/// A revision without structured output defines no structuredContent, so that a client of it never sees one.
#[test]
fn a_value_that_is_sent_only_where_the_revision_has_no_place_for_it_is_the_servers() {
    let bare = r#"{"structuredContent":{"id":1},"content":[]}"#;
    let lost = |revision| Play::at(revision).result(bare).sees(called(None, &[], false)).verdict();
    for revision in ["2024-11-05", "2025-03-26"] {
        let verdict = lost(revision);
        assert_eq!((verdict.outcome, verdict.fault), (Outcome::Lost, Some(Fault::Server)), "{}", verdict.reason);
        assert!(verdict.reason.contains("send the value in a text block"), "{}", verdict.reason);
    }
}

#[test]
fn a_key_that_stands_twice_is_the_servers_in_every_revision() {
    let twice = r#"{"structuredContent":{"id":1,"id":2},"content":[{"type":"text","text":"{\"id\":1,\"id\":2}"}]}"#;
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18"] {
        let play = Play::at(revision).result(twice).means(Means::Value(json(r#"{"id":1,"id":2}"#)));
        let verdict = play.sees(called(Some(r#"{"id":2}"#), &["{\"id\":2}"], false)).verdict();
        assert_eq!(verdict.fault, Some(Fault::Server), "{revision}: {}", verdict.reason);
    }
}

/// What the specification leaves open is not why a list of an older revision is rejected, nor why a value came as text
/// that was only sent as text.
#[test]
fn what_is_left_open_excuses_only_what_it_is_about() {
    let open = || SpecStance::Silent { source: "https://example.test/".to_owned() };
    let rejects = || failed(Layer::Decode, "expected an object");
    let list = |revision| Play::at(revision).spec(open()).since(MODERN).sees_list(rejects()).sees(rejects()).verdict();
    assert_eq!(list(LEGACY).fault, Some(Fault::Client), "{}", list(LEGACY).reason);
    assert_eq!(list(MODERN).fault, Some(Fault::Spec), "{}", list(MODERN).reason);
    let as_text = r#"{"content":[{"type":"text","text":"{\"id\":1}"}]}"#;
    let whole = r#"{"structuredContent":{"id":1},"content":[{"type":"text","text":"{\"id\":1}"}]}"#;
    let text = |sent: &str| {
        let play = Play::at(LEGACY).spec(open()).lists_schema(None).result(whole).swap(&whole[1..], &sent[1..]);
        play.sees(called(None, &[r#"{"id":1}"#], false)).verdict()
    };
    let (without, with) = (text(as_text), text(whole));
    assert_eq!((without.outcome, without.fault), (Outcome::Text, Some(Fault::Server)), "{}", without.reason);
    assert!(without.reason.contains("The server omitted structuredContent"), "{}", without.reason);
    assert_eq!((with.outcome, with.fault), (Outcome::Text, Some(Fault::Spec)), "{}", with.reason);
}

/// No server may send a stray answer, and only the client can take it for the result of a call.
#[test]
fn a_stray_answer_that_a_client_took_for_the_result_is_the_clients() {
    let stray = r#"{"jsonrpc":"2.0","id":"nobody","result":{"structuredContent":{"id":9},"content":[]}}"#;
    let open = SpecStance::Silent { source: "https://example.test/".to_owned() };
    let play = Play::at(LEGACY).spec(open).after(r#""method":"tools/call""#, Role::Server, stray);
    let verdict = play.sees(called(Some(r#"{"id":9}"#), &[], false)).verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Altered, Some(Fault::Client)), "{}", verdict.reason);
    assert_eq!(
        verdict.reason,
        "rmcp@3.9.0 returned the value of another response for `report`. To fix in the client: match every response to its \
         request by the id, and ignore those that match none."
    );
    assert!(verdict.findings.iter().any(|found| found.rule == "response-matches-request"));
}

/// A log line on the server's output may end the session of a client. The line is the server's, whichever call is lost.
#[test]
fn a_line_that_is_no_message_is_the_servers_also_where_a_later_call_is_lost() {
    let lost = || Play::at(LEGACY).sees_bystander(failed(Layer::Connect, "closed"));
    let noisy = lost().after(r#""name":"report","arguments""#, Role::Server, "[info] connected").verdict();
    assert_eq!((noisy.outcome, noisy.fault), (Outcome::Unreachable, Some(Fault::Server)), "{}", noisy.reason);
    assert!(noisy.reason.contains("is not a JSON-RPC message"), "{}", noisy.reason);
    let quiet = lost().verdict();
    assert_eq!(quiet.fault, Some(Fault::Client), "{}", quiet.reason);
    let end = "The result was on the wire. To fix in the client: read it, or report an error and keep the session.";
    assert!(quiet.reason.ends_with(end), "{}", quiet.reason);
}

#[test]
fn a_client_that_waits_after_an_invalid_answer_and_its_server_are_both_at_fault() {
    let waited = || failed(Layer::Timeout, "no answer within 5000 ms");
    let invalid = Play::array_at(LEGACY).lists_schema(None).sees(waited()).verdict();
    assert_eq!((invalid.outcome, invalid.fault), (Outcome::Hung, Some(Fault::Both)), "{}", invalid.reason);
    assert!(invalid.reason.contains("is a JSON array; 2025-11-25 allows only an object"), "{}", invalid.reason);
    let client = "To fix in the client: report an error for an answer that it does not accept.";
    assert!(invalid.reason.ends_with(client), "{}", invalid.reason);
    let valid = Play::at(LEGACY).sees(waited()).verdict();
    assert_eq!((valid.outcome, valid.fault), (Outcome::Hung, Some(Fault::Client)), "{}", valid.reason);

    let timeout = || End::NoSession(timed_out());
    let opened = |name: &str| {
        let opened = Play::at(LEGACY).swap("\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\"", name);
        opened.cut("notifications/initialized").ends(timeout()).verdict()
    };
    let nameless = opened("\"capabilities\":{\"tools\"");
    assert_eq!((nameless.outcome, nameless.fault), (Outcome::Hung, Some(Fault::Both)), "{}", nameless.reason);
    assert!(nameless.reason.contains("names no revision"), "{}", nameless.reason);
    assert!(nameless.reason.ends_with(client), "{}", nameless.reason);
    assert_eq!(opened("\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\"").fault, Some(Fault::Client));
}

#[test]
fn where_a_validation_does_not_end_the_client_is_to_bound_it() {
    let link =
        |n: usize| format!(r##""d{n}":{{"allOf":[{{"$ref":"#/$defs/d{0}"}},{{"$ref":"#/$defs/d{0}"}}]}}"##, n + 1);
    let links: Vec<_> = (0..40).map(link).collect();
    let schema = format!(r##"{{"type":"object","$defs":{{{},"d40":{{}}}},"$ref":"#/$defs/d0"}}"##, links.join(","));
    let verdict = Play::at(MODERN).schema(&schema).sees(failed(Layer::Timeout, "no answer")).verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Hung, Some(Fault::Client)), "{}", verdict.reason);
    assert!(verdict.reason.contains("bound the work of a validation"), "{}", verdict.reason);
}

/// What is no message has no members that could be missing.
#[test]
fn of_a_result_that_is_no_object_only_its_form_is_named() {
    let timeout = End::NoSession(timed_out());
    let words = Play::at(MODERN).swap(r#""id":1,"result":{"#, r#""id":1,"result":"Unknown command","was":{"#);
    let verdict = words.cut("tools/list").ends(timeout).verdict();
    assert_eq!(verdict.fault, Some(Fault::Server), "{}", verdict.reason);
    assert!(verdict.reason.contains("its result is not an object"), "{}", verdict.reason);
    assert!(!verdict.reason.contains("as well"), "{}", verdict.reason);
}

/// As rmcp 0.8.5 with the servers of Java: the session stands, and each call waits behind the GET.
#[test]
fn a_call_that_waits_behind_the_get_is_the_servers() {
    let waited = || failed(Layer::Timeout, "no answer within 5000 ms");
    let opened = || Play::at(LEGACY).over_http().cut("tools/list");
    let waiting = |play: Play| play.sees_list(waited()).sees(waited()).sees_bystander(waited()).verdict();
    let withheld = waiting(opened().gets(None));
    assert_eq!((withheld.outcome, withheld.fault), (Outcome::Hung, Some(Fault::Server)), "{}", withheld.reason);
    assert!(withheld.reason.contains("answer the GET with the headers of a stream at once"), "{}", withheld.reason);
    let served = waiting(opened());
    assert_eq!((served.outcome, served.fault), (Outcome::Hung, Some(Fault::Client)), "{}", served.reason);
}

#[test]
fn a_key_of_meta_is_not_why_a_value_was_refused() {
    let result = r#"{"_meta":{"a b":1},"structuredContent":{"id":1},"content":[]}"#;
    let by = |layer: Layer| Play::at(MODERN).result(result).sees(failed(layer, "no")).verdict();
    let decoding = by(Layer::Decode);
    assert!(decoding.reason.contains("`_meta` has the malformed key"), "{}", decoding.reason);
    let validation = by(Layer::Validate);
    assert_eq!(validation.fault, Some(Fault::Client), "{}", validation.reason);
    assert!(!validation.reason.contains("_meta"), "{}", validation.reason);
}

fn timed_out() -> PeerError {
    PeerError { layer: Layer::Timeout, code: None, message: "no session within 5000 ms".to_owned() }
}

#[test]
fn a_client_that_refuses_an_allowed_result_is_told_which_member() {
    let told = |revision: &str, result: &str| {
        let means = Means::Text(String::new());
        let play = Play::at(revision).lists_schema(None).means(means).result(result);
        let verdict = play.sees(failed(Layer::Decode, "no")).verdict();
        (verdict.signature.unwrap().pointer, verdict.reason)
    };
    let (pointer, reason) = told("2025-03-26", r#"{"content":[]}"#);
    assert_eq!(pointer.as_deref(), Some("/content"), "{reason}");
    assert!(reason.contains("To fix in the client: accept an empty `content`"), "{reason}");
    let (pointer, reason) = told("2025-03-26", r#"{"content":[{"type":"text","text":"a"}],"structuredContent":null}"#);
    assert_eq!(pointer.as_deref(), Some("/structuredContent"), "{reason}");
    assert!(reason.contains("ignore members of results that the negotiated revision does not define"), "{reason}");
    // Nothing in it is unusual: all that can be said is that the result is allowed.
    let (pointer, reason) = told("2025-03-26", r#"{"content":[{"type":"text","text":"a"}]}"#);
    assert_eq!(pointer, None, "{reason}");
    assert!(reason.contains("accept every result that the negotiated revision allows"), "{reason}");
}
