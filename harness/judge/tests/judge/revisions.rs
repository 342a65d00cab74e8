//! Sessions that are lost over the revision: what the client names, and what it does with the revision that the server names.

use mcp_compat_judge::judge;
use mcp_compat_model::Role;
use mcp_compat_model::observation::{End, Layer, PeerError};
use mcp_compat_model::transcript::{Entry, Event, Head, Start};
use mcp_compat_model::verdict::{Fault, Verdict};

use crate::play::{Play, failed};

fn error(layer: Layer, message: &str) -> PeerError {
    PeerError { layer, code: None, message: message.to_owned() }
}

/// A client that names the wrong revision in its GET is refused, gives its session up and opens another. What it does
/// wrong after that is not why it lost the first.
#[test]
fn what_lost_the_first_session_is_the_cause_and_not_what_follows() {
    let handshake = |id: u32| {
        let asks = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"2025-11-25"}}}}"#
        );
        let named = r#""protocolVersion":"2025-11-25","capabilities":{"tools":{}}"#;
        (asks, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{{named}}}}}"#))
    };
    let (asks, named) = handshake(90);
    let play = Play::at("2025-11-25").over_http();
    let play = play.header("tools/list", "mcp-protocol-version", Some("2025-06-18"));
    let play =
        play.after(r#""method":"tools/list""#, Role::Client, &asks).after(r#""id":90,"method""#, Role::Server, &named);
    let verdict = play.sees(failed(Layer::Protocol, "session terminated")).verdict();
    let signature = verdict.signature.as_ref().map(ToString::to_string);
    assert_eq!(
        signature.as_deref(),
        Some("client:unreachable:session:http-version-is-negotiated"),
        "{}",
        verdict.reason
    );
}

/// A client asks for its stream with a revision that was not negotiated, is refused, and gives the session up: before or
/// after it says that it is initialized, whichever comes first.
#[test]
fn a_session_that_ends_at_a_refused_stream_ends_by_the_header_of_the_get() {
    let lost = |play: Play| {
        let play = play.over_http().gets_as("2025-06-18").gets(Some(400));
        play.ends(End::NoSession(error(Layer::Connect, "session terminated"))).verdict()
    };
    let why = |verdict: &Verdict| verdict.signature.as_ref().map(ToString::to_string);
    let header = Some("client:unreachable:session:http-version-is-negotiated".to_owned());
    for cut in ["notifications/initialized", "tools/list"] {
        let verdict = lost(Play::at("2025-11-25").cut(cut));
        assert_eq!((why(&verdict), verdict.fault), (header.clone(), Some(Fault::Client)), "{}", verdict.reason);
        assert!(!verdict.reason.contains("share no protocol revision"), "{}", verdict.reason);
    }
    // A server that offers no stream says so with 405, and that ends no session.
    let other = Play::at("2025-11-25").cut("notifications/initialized").over_http().gets_as("2025-06-18");
    let other = other.ends(End::NoSession(error(Layer::Connect, "session terminated"))).verdict();
    assert_eq!(why(&other).as_deref(), Some("client:unreachable:session:revision-declined"), "{}", other.reason);
}

/// A client that leaves when the server names a revision that it does not speak: its GET is not the reason.
#[test]
fn the_header_of_a_get_is_not_why_the_revisions_do_not_meet() {
    let end = || End::NoSession(error(Layer::Connect, "Unsupported protocol version"));
    let play = |cut: &str| {
        let play = Play::at("2025-11-25")
            .swap(r#""params":{"protocolVersion":"2025-11-25""#, r#""params":{"protocolVersion":"2025-06-18""#);
        play.cut(cut).over_http().gets_as("2025-06-18").gets(Some(400)).ends(end()).verdict()
    };
    let signature = |verdict: &Verdict| verdict.signature.as_ref().unwrap().to_string();
    let left = play("notifications/initialized");
    assert_eq!(signature(&left), "both:unreachable:session:no-common-revision", "{}", left.reason);
    // One that goes on has agreed to the revision, and has to name it.
    let agreed = play("tools/list");
    assert_eq!(signature(&agreed), "client:unreachable:session:http-version-is-negotiated", "{}", agreed.reason);
    assert!(agreed.reason.contains("The session did not last"), "{}", agreed.reason);
}

/// A client that leaves in the midst of the answer to `initialize` does not show what the server speaks.
#[test]
fn an_answer_that_had_begun_is_the_clients_to_read() {
    let play = Play::at("2025-11-25").over_http().cut(r#""id":1,"result""#);
    let play = play.ends(End::NoSession(error(Layer::Connect, "Invalid SSE response. Line: retry: 3000")));
    let verdict = |status: u16| {
        let (scenario, cell, mut transcript, observation) = play.parts();
        let exchange = transcript.entries.iter().find_map(|entry| Some(entry.event.head()?.exchange)).unwrap();
        let http = Head { exchange, start: Start::Response { status }, headers: Vec::new() };
        let seq = u32::try_from(transcript.entries.len()).unwrap();
        transcript.entries.push(Entry { seq, at_us: 0, from: Role::Server, event: Event::Head { http } });
        judge(&scenario, &cell, &transcript, &observation)
    };
    let begun = verdict(200);
    assert_eq!(
        begun.signature.unwrap().to_string(),
        "client:unreachable:session:revision-declined",
        "{}",
        begun.reason
    );
    assert!(!begun.reason.contains("share no protocol revision"), "{}", begun.reason);
    let refused = verdict(400);
    assert_eq!(
        refused.signature.unwrap().to_string(),
        "both:unreachable:session:no-common-revision",
        "{}",
        refused.reason
    );
}

/// A null in the result of `initialize` is why a client leaves, unless it took the result, or is offered a revision that it
/// did not ask for and that is newer.
#[test]
fn a_null_in_the_opening_is_why_a_client_leaves_where_it_was_read() {
    let lost = |member: &str, named: &str, cut: &str| {
        let play = Play::at(named)
            .swap(&format!(r#""params":{{"protocolVersion":"{named}""#), r#""params":{"protocolVersion":"2025-06-18""#);
        let play = play.swap(r#""serverInfo":{"#, &format!(r#"{member},"serverInfo":{{"#)).cut(cut);
        let verdict = play.ends(End::NoSession(error(Layer::Connect, "expected a string"))).verdict();
        (verdict.signature.unwrap().to_string(), verdict.fault, verdict.reason)
    };
    let initialized = "notifications/initialized";
    let null = r#""instructions":null"#;
    for named in ["2025-03-26", "2025-06-18"] {
        let (signature, fault, reason) = lost(null, named, initialized);
        assert_eq!(signature, "server:unreachable:session:initialize-members:/instructions", "{reason}");
        assert_eq!(fault, Some(Fault::Server));
    }
    let (signature, _, reason) = lost(null, "2025-11-25", initialized);
    assert_eq!(signature, "both:unreachable:session:no-common-revision", "{reason}");
    let (signature, _, reason) = lost(null, "2025-06-18", "tools/list");
    assert_eq!(signature, "client:unreachable:session:broken-off", "{reason}");
    // The client may have decoded the result by a later revision, or not speak the one that was named.
    let (signature, fault, reason) = lost(r#""capabilities":{"completions":null}"#, "2024-11-05", initialized);
    assert_eq!((signature.as_str(), fault), ("both:unreachable:session:no-common-revision", Some(Fault::Both)));
    let member = "`capabilities.completions` of the result of `initialize` is null, and 2024-11-05 does not define it.";
    assert!(reason.contains(member), "{reason}");
    let (signature, fault, reason) = lost(r#""capabilities":{"extensions":null}"#, "2025-06-18", initialized);
    assert_eq!((signature.as_str(), fault), ("client:unreachable:session:revision-declined", Some(Fault::Client)));
    assert!(reason.contains("ignore members that the negotiated revision does not define"), "{reason}");
    let (_, _, reason) = lost(r#""instructions":"""#, "2024-11-05", initialized);
    assert!(!reason.contains("does not define"), "{reason}");
}
