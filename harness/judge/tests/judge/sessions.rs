//! Sessions that never came about or ended early, and which revision was spoken in those that did.

use mcp_compat_judge::judge;
use mcp_compat_model::observation::{End, Layer, Observation, PeerError};
use mcp_compat_model::peer_contract::{AnsweredMethod, Reply, ScriptedAnswer};
use mcp_compat_model::transcript::{Entry, Event, Head, Raw, Start};
use mcp_compat_model::verdict::{BlastRadius, Fault, Outcome, Rating, Verdict};
use mcp_compat_model::{Revision, Role};
use rstest::rstest;

use crate::play::{Play, failed};

fn error(layer: Layer, message: &str) -> PeerError {
    PeerError { layer, code: None, message: message.to_owned() }
}

fn no_session(play: Play) -> Play {
    play.ends(End::NoSession(error(Layer::Connect, "unsupported protocol version")))
}

#[rstest]
#[case("2024-11-05", Revision::V2024_11_05)]
#[case("2025-03-26", Revision::V2025_03_26)]
#[case("2025-06-18", Revision::V2025_06_18)]
#[case("2025-11-25", Revision::V2025_11_25)]
#[case("2026-07-28", Revision::V2026_07_28)]
fn the_revision_is_read_off_the_wire(#[case] spoken: &str, #[case] revision: Revision) {
    assert_eq!(Play::at(spoken).verdict().negotiated, Some(revision));
}

#[test]
fn the_server_names_the_revision_of_a_handshake() {
    let older = Play::at("2025-11-25")
        .swap(r#""result":{"protocolVersion":"2025-11-25""#, r#""result":{"protocolVersion":"2025-06-18""#);
    assert_eq!(older.verdict().negotiated, Some(Revision::V2025_06_18));
}

#[test]
fn a_handshake_that_the_client_does_not_go_on_with_negotiates_nothing() {
    let left = no_session(Play::at("2025-11-25").cut("notifications/initialized"));
    assert_eq!(left.verdict().negotiated, None);
}

#[test]
fn a_client_that_probes_and_falls_back_speaks_what_it_fell_back_to() {
    let probe = r#"{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let refusal = r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Method not found"}}"#;
    let play = Play::at("2025-11-25").after("initialized", Role::Client, probe).after(probe, Role::Server, refusal);
    assert_eq!(play.verdict().negotiated, Some(Revision::V2025_11_25));
    assert_eq!(play.violated(), [""; 0]);
}

#[test]
fn a_modern_client_is_bound_by_the_revision_that_it_names_also_where_no_session_opens() {
    let refused = r#""id":1,"error":{"code":-32020,"message":"Header mismatch"},"was""#;
    let play = || no_session(Play::at("2026-07-28").over_http().swap(r#""id":1,"result""#, refused).cut("tools/list"));
    let verdict = play().header("server/discover", "mcp-method", None).verdict();
    assert_eq!((verdict.negotiated, verdict.fault), (None, Some(Fault::Client)), "{}", verdict.reason);
    assert!(verdict.signature.unwrap().to_string().contains("http-request-headers"));
    assert!(play().verdict().findings.iter().all(|finding| finding.rule != "http-request-headers"));
}

#[test]
fn eras_that_do_not_meet_are_nobodys_and_both_peers_fault() {
    let refused = r#""id":1,"error":{"code":-32601,"message":"Method not found"},"was""#;
    for play in [
        no_session(Play::at("2025-11-25").swap(r#""id":1,"result""#, refused).cut("notifications/initialized")),
        no_session(Play::at("2026-07-28").swap(r#""id":1,"result""#, refused).cut("tools/list")),
    ] {
        let verdict = play.verdict();
        assert_eq!((verdict.outcome, verdict.rating), (Outcome::Unreachable, Rating::Breaks));
        assert_eq!((verdict.fault, verdict.blast_radius), (Some(Fault::Both), Some(BlastRadius::Session)));
    }
}

#[test]
fn a_legacy_server_may_be_silent_to_a_modern_client() {
    let silent = Play::at("2026-07-28").cut(r#""id":1,"result""#).ends(End::NoSession(error(Layer::Timeout, "5 s")));
    let verdict = silent.verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Unreachable, Some(Fault::Both)));
}

#[rstest]
#[case::a_handshake(Play::at("2025-11-25").cut("notifications/initialized"), "The client opens with `initialize`")]
#[case::no_handshake(Play::at("2026-07-28").cut("tools/list"), "The client sends requests without a handshake")]
fn the_reason_names_the_era_that_the_server_does_not_serve(#[case] play: Play, #[case] opens: &str) {
    let refused = r#""id":1,"error":{"code":-32601,"message":"Method not found"},"was""#;
    let verdict = no_session(play.swap(r#""id":1,"result""#, refused)).verdict();
    assert!(verdict.reason.contains(opens), "{}", verdict.reason);
}

#[test]
fn a_session_that_the_client_takes_up_and_gives_up_is_its_own_to_explain() {
    let given_up = no_session(Play::at("2025-11-25").cut("tools/list")).verdict();
    assert_eq!(
        given_up.signature.as_ref().map(ToString::to_string).as_deref(),
        Some("client:unreachable:session:broken-off"),
        "{}",
        given_up.reason
    );
    let declined = no_session(Play::at("2025-11-25").cut("notifications/initialized")).verdict();
    assert_eq!(
        declined.signature.as_ref().map(ToString::to_string).as_deref(),
        Some("client:unreachable:session:revision-declined")
    );
}

#[test]
fn who_opens_session_after_session_while_its_steps_fail_has_none() {
    let initialize = r#"{"jsonrpc":"2.0","id":90,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let initialized =
        r#"{"jsonrpc":"2.0","id":90,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}"#;
    let reopened = || {
        let play = Play::at("2025-11-25").after("notifications/initialized", Role::Client, initialize);
        play.after(r#""id":90,"method""#, Role::Server, initialized)
    };
    let lost = || failed(Layer::Protocol, "session terminated");
    let verdict = reopened().over_http().sees(lost()).verdict();
    assert_eq!(
        verdict.signature.as_ref().map(ToString::to_string).as_deref(),
        Some("client:unreachable:session:no-rule"),
        "{}",
        verdict.reason
    );
    assert!(verdict.reason.contains("opened 2 sessions"), "{}", verdict.reason);
    let verdict = reopened().over_http().gets_as("2025-06-18").sees(lost()).verdict();
    let why = Some("client:unreachable:session:http-version-is-negotiated");
    assert_eq!(verdict.signature.as_ref().map(ToString::to_string).as_deref(), why, "{}", verdict.reason);
    // Over stdio a client may start its server twice, and what it refuses is not lost.
    assert_ne!(reopened().sees(lost()).verdict().outcome, Outcome::Unreachable);
    let refused = reopened().over_http().sees(failed(Layer::Validate, "not an object")).verdict();
    assert_eq!(refused.outcome, Outcome::Rejected);
    // Where the steps come to something, nobody has to ask how often.
    assert_eq!(reopened().verdict().outcome, Outcome::Intact);
}

#[test]
fn a_probe_that_is_answered_by_the_end_of_the_stream_is_for_both_to_mend() {
    let cut_off =
        |client| no_session(Play::at("2026-07-28").cut(r#""id":1,"result""#).peers(client, "rmcp@1.8.0")).verdict();
    let verdict = cut_off("rmcp@3.9.0+auto");
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Unreachable, Some(Fault::Both)));
    assert_eq!(
        verdict.signature.as_ref().map(ToString::to_string).as_deref(),
        Some("both:unreachable:session:probe-unanswered")
    );
    assert!(verdict.reason.contains("go on with `initialize`"), "{}", verdict.reason);
    assert!(!verdict.reason.contains("in common"), "{}", verdict.reason);
    // Who speaks one era only has nothing to fall back to. What the server speaks is not on the wire: only its silence.
    let verdict = cut_off("rmcp@3.9.0+modern");
    assert_eq!(
        verdict.signature.as_ref().map(ToString::to_string).as_deref(),
        Some("both:unreachable:session:probe-unanswered")
    );
    for said in [
        "rmcp@1.8.0 did not answer `server/discover` of rmcp@3.9.0+modern, so no session was opened",
        "To fix in the server: answer a request that it does not know with an error.",
        "support a revision that the other speaks",
    ] {
        assert!(verdict.reason.contains(said), "{said}: {}", verdict.reason);
    }
    assert!(!verdict.reason.contains("share no protocol revision"), "{}", verdict.reason);
    // A refusal is an answer, and shows that the server does not serve the era.
    let refused = r#""id":1,"error":{"code":-32601,"message":"Method not found"},"was""#;
    let refused = Play::at("2026-07-28").cut("tools/list").swap(r#""id":1,"result""#, refused);
    let refused = no_session(refused.peers("rmcp@3.9.0+modern", "rmcp@1.8.0"));
    assert!(refused.verdict().reason.contains("share no protocol revision"), "{}", refused.verdict().reason);
    // What a scenario makes the server answer is not all that the server speaks.
    let (mut scenario, cell, transcript, observation) = refused.parts();
    scenario.answers.push(ScriptedAnswer { to: AnsweredMethod::Discover, page: None, reply: Reply::Hang {} });
    let scripted = judge(&scenario, &cell, &transcript, &observation);
    assert!(scripted.reason.contains("agreed on no protocol revision"), "{}", scripted.reason);
}

#[test]
fn a_server_that_ends_at_the_probe_has_not_crashed() {
    let end =
        || End::Crashed { who: Role::Server, how: "exit status 0; its log ends with: expected initialize".to_owned() };
    let unanswered = || Play::at("2026-07-28").cut(r#""id":1,"result""#).ends(end());
    let verdict = unanswered().peers("rmcp@3.9.0+auto", "rmcp@1.8.0").verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Unreachable, Some(Fault::Both)), "{}", verdict.reason);
    assert_eq!(
        verdict.signature.as_ref().map(ToString::to_string).as_deref(),
        Some("both:unreachable:session:probe-unanswered")
    );
    assert!(verdict.reason.contains("expected initialize"), "{}", verdict.reason);
    // One of ours has no such excuse, nor has a server that had answered.
    let ours = unanswered().peers("rmcp@3.9.0+auto", "mock/dual").verdict();
    assert_eq!((ours.outcome, ours.fault), (Outcome::Crashed, Some(Fault::Harness)));
    let later = Play::at("2026-07-28").ends(end()).peers("rmcp@3.9.0+auto", "rmcp@1.8.0").verdict();
    assert_eq!((later.outcome, later.fault), (Outcome::Crashed, Some(Fault::Server)));
}

#[test]
fn a_client_that_waits_for_its_stream_is_kept_waiting_by_the_server() {
    let timeout = || End::NoSession(error(Layer::Timeout, "no answer within 5000 ms"));
    let opening = || Play::at("2025-11-25").over_http().cut("tools/list").ends(timeout());
    let withheld = opening().gets(None).verdict();
    assert_eq!((withheld.outcome, withheld.fault), (Outcome::Hung, Some(Fault::Server)), "{}", withheld.reason);
    assert!(withheld.reason.contains("the GET for its stream"), "{}", withheld.reason);
    for status in [200, 405] {
        let given = opening().gets(Some(status)).verdict();
        assert_eq!((given.outcome, given.fault), (Outcome::Hung, Some(Fault::Client)), "{}", given.reason);
    }
    // Some servers send the head when the client has given up and the session is closed.
    let late = opening().gets_late(200, 5_030_000).verdict();
    assert_eq!(late.signature.unwrap().to_string(), "server:hung:session:stream-withheld", "{}", late.reason);
    let slow = opening().gets_late(200, 400_000).verdict();
    assert_eq!(slow.fault, Some(Fault::Client), "{}", slow.reason);
}

const WITHHELD: &str = "server:hung:session:stream-withheld";
const LIST: &str = "client:hung:tools/list:no-rule:timeout";
const GONE: (u16, &str) = (404, "no such session");
const LISTED: (u16, &str) = (200, r#"{"jsonrpc":"2.0","id":"late","result":{"tools":[]}}"#);

/// A client that opens a session and a stream, and asks for the list at some time. It gives up all its steps.
#[rstest]
#[case::it_asks_for_nothing(20_000_000, None, WITHHELD)]
#[case::it_asks_when_it_gave_up(20_000_000, Some((20_000_100, GONE)), WITHHELD)]
#[case::it_goes_on_when_the_head_comes(1_500_000, Some((1_500_100, LISTED)), LIST)]
#[case::it_does_not_wait_for_the_head(20_000_000, Some((100, LISTED)), LIST)]
#[case::the_head_comes_in_time(400_000, Some((20_000_000, GONE)), LIST)]
fn a_stream_is_withheld_from_a_client_that_waits_for_it(
    #[case] head: u64,
    #[case] asks: Option<(u64, (u16, &str))>,
    #[case] signature: &str,
) {
    let play = Play::at("2025-11-25").over_http().cut("tools/list").gets_late(200, head);
    let (scenario, cell, mut transcript, mut observation) = play.parts();
    observation.steps.fill(failed(Layer::Timeout, "no answer within 5000 ms"));
    let mut send = |at_us: u64, from: Role, start: Start, text: &str| {
        let http = Some(Head { exchange: 1001, start, headers: Vec::new() });
        let event = Event::Message { raw: Raw::Text(text.to_owned()), http };
        let seq = u32::try_from(transcript.entries.len()).unwrap();
        transcript.entries.push(Entry { seq, at_us, from, event });
    };
    if let Some((at, (status, answer))) = asks {
        let request = r#"{"jsonrpc":"2.0","id":"late","method":"tools/list","params":{}}"#;
        send(at, Role::Client, Start::Request { method: "POST".to_owned() }, request);
        send(at, Role::Server, Start::Response { status }, answer);
    }
    let verdict = judge(&scenario, &cell, &transcript, &observation);
    assert_eq!(verdict.signature.unwrap().to_string(), signature, "{}", verdict.reason);
    // The same of a client that reports no step at all.
    let end = End::TimedOut { waiting_for: Role::Client, what: "the session".to_owned() };
    let verdict = judge(&scenario, &cell, &transcript, &Observation { steps: Vec::new(), end, ..observation });
    assert_eq!(verdict.fault == Some(Fault::Server), signature == WITHHELD, "{}", verdict.reason);
}

#[test]
fn a_client_of_both_eras_that_takes_a_legacy_refusal_for_the_end_is_at_fault() {
    let refused = r#""id":1,"error":{"code":-32601,"message":"Method not found"},"was""#;
    let play = Play::at("2026-07-28").swap(r#""id":1,"result""#, refused).cut("tools/list");
    let verdict = no_session(play.peers("rmcp@3.9.0+auto", "rmcp@1.8.0")).verdict();
    assert_eq!(verdict.fault, Some(Fault::Client), "{}", verdict.reason);
    assert_eq!(
        verdict.signature.as_ref().map(ToString::to_string).as_deref(),
        Some("client:unreachable:session:no-fallback")
    );
}

#[test]
fn the_reason_names_what_each_side_offered() {
    let older = r#""result":{"protocolVersion":"2024-11-05""#;
    let play = Play::at("2025-11-25")
        .swap(r#""result":{"protocolVersion":"2025-11-25""#, older)
        .cut("notifications/initialized");
    let verdict = no_session(play).verdict();
    assert_eq!(verdict.fault, Some(Fault::Both));
    assert!(
        verdict.reason.contains("rmcp@3.9.0 offered 2025-11-25; typescript@2.4.0 named 2024-11-05"),
        "{}",
        verdict.reason
    );
}

#[test]
fn who_refuses_the_revision_that_it_asked_for_is_at_fault() {
    let verdict = no_session(Play::at("2025-11-25").cut("notifications/initialized")).verdict();
    assert_eq!(verdict.fault, Some(Fault::Client));
}

#[test]
fn who_breaks_the_protocol_while_opening_is_at_fault() {
    let play = Play::at("2025-11-25").after("initialize", Role::Server, "Server started!").cut(r#""id":1,"result""#);
    let verdict = no_session(play).verdict();
    assert_eq!(verdict.fault, Some(Fault::Server));
    assert!(verdict.reason.contains("not a JSON-RPC message"), "{}", verdict.reason);
}

#[test]
fn who_never_asks_for_a_session_is_at_fault() {
    assert_eq!(no_session(Play::at("2025-11-25").cut("initialize")).verdict().fault, Some(Fault::Client));
}

#[rstest]
#[case::unsupported(End::Unsupported { by: Role::Client, reason: "no drift".to_owned() }, Outcome::Unsupported, None)]
#[case::crashed(End::Crashed { who: Role::Client, how: "signal 11".to_owned() }, Outcome::Crashed, Some(Fault::Client))]
#[case::not_started(
    End::NotStarted { who: Role::Server, why: "no such file".to_owned() },
    Outcome::Unreachable,
    Some(Fault::Server)
)]
#[case::hung(
    End::TimedOut { waiting_for: Role::Client, what: "step 2".to_owned() },
    Outcome::Hung,
    Some(Fault::Client)
)]
#[case::harness(End::HarnessFailed { why: "no memory".to_owned() }, Outcome::Incomplete, Some(Fault::Harness))]
fn an_ending_names_its_peer(#[case] end: End, #[case] outcome: Outcome, #[case] fault: Option<Fault>) {
    let verdict = Play::at("2026-07-28").ends(end).verdict();
    assert_eq!((verdict.outcome, verdict.fault), (outcome, fault));
    let radius = fault.map(|_| BlastRadius::Session);
    assert_eq!(verdict.blast_radius, radius);
    assert_eq!(verdict.rating == Rating::Skipped, outcome == Outcome::Unsupported);
}

#[test]
fn a_client_that_waits_for_an_answer_is_not_at_fault_for_waiting() {
    let end = End::TimedOut { waiting_for: Role::Client, what: "step 2".to_owned() };
    let verdict = Play::at("2026-07-28").without("structuredContent").ends(end).verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Hung, Some(Fault::Server)));
    let answered = Play::at("2026-07-28").sees(failed(Layer::Timeout, "5 s")).verdict();
    assert_eq!((answered.outcome, answered.fault), (Outcome::Hung, Some(Fault::Client)));
}

/// Array content is broken on a legacy session by the server's result, which the scenario has.
#[rstest]
#[case(
    Role::Client,
    "The client gave no usable answer: signal 9. To fix in the client: run until the end of the session, and give an \
     answer that can be read."
)]
#[case(
    Role::Server,
    "The server ended: signal 9. To fix in the server: keep running until the client ends the session. Its log may say why it ended."
)]
fn what_the_scenario_has_is_not_why_a_peer_is_gone(#[case] who: Role, #[case] reason: &str) {
    let end = End::Crashed { who, how: "signal 9".to_owned() };
    let verdict = Play::array_at("2025-11-25").ends(end).peers("rmcp@3.9.0", "rmcp@1.8.0").verdict();
    assert!(verdict.findings.iter().any(|finding| finding.rule == "structured-content-object"), "{verdict:#?}");
    assert_eq!(verdict.reason, reason);
}

#[test]
fn how_a_server_that_is_gone_broke_the_protocol_is_told_and_not_against_its_client() {
    let half = r#"{"jsonrpc":"2.0","id":"#;
    let ended = |who| {
        let end = End::Crashed { who, how: "signal 9".to_owned() };
        let play = Play::at("2025-11-25").after("initialized", Role::Server, half).ends(end);
        play.peers("rmcp@3.9.0", "rmcp@1.8.0").verdict().reason
    };
    assert!(ended(Role::Server).contains("To fix in the server: send only well-formed"), "{}", ended(Role::Server));
    assert!(!ended(Role::Client).contains("To fix in the server"), "{}", ended(Role::Client));
}

#[test]
fn a_mock_that_crashes_is_the_harness_fault() {
    let end = End::Crashed { who: Role::Server, how: "exit status 101".to_owned() };
    let play = Play::at("2026-07-28").ends(end).peers("rmcp@3.9.0", "mock/dual");
    assert_eq!(play.verdict().fault, Some(Fault::Harness));
}

#[test]
fn a_server_that_says_it_has_no_tools_is_unsupported_and_one_that_refuses_them_otherwise_is_not() {
    let refused = |code: &str| {
        let error = format!(r#""error":{{"code":{code},"message":"no"}},"was":{{"resultType":"complete","tools""#);
        Play::at("2026-07-28")
            .swap(r#""result":{"resultType":"complete","tools""#, &error)
            .sees_list(failed(Layer::Protocol, "no"))
            .without("\"tools/call\"")
            .without("\"content\"")
            .sees(failed(Layer::Protocol, "no"))
            .sees_bystander(failed(Layer::Protocol, "no"))
            .verdict()
    };
    assert_eq!((refused("-32601").outcome, refused("-32601").rating), (Outcome::Unsupported, Rating::Skipped));
    assert_eq!((refused("-32603").outcome, refused("-32603").rating), (Outcome::Rejected, Rating::Breaks));
}

#[test]
fn what_was_left_unanswered_is_the_cause() {
    let timeout = || End::NoSession(error(Layer::Timeout, "no session within 5000 ms"));
    let unanswered = Play::at("2025-11-25").cut(r#""id":1,"result""#).ends(timeout()).verdict();
    let withheld = Play::at("2025-11-25").over_http().cut("tools/list").ends(timeout()).gets(None).verdict();
    let signature = |verdict: &Verdict| verdict.signature.as_ref().unwrap().to_string();
    assert_eq!(signature(&unanswered), "server:hung:session:request-unanswered");
    assert_eq!(signature(&withheld), "server:hung:session:stream-withheld");
    assert!(unanswered.reason.contains("`initialize` unanswered: no session within 5000 ms"), "{}", unanswered.reason);
    assert!(unanswered.reason.contains("--timeout"), "a slow start is no silence: {}", unanswered.reason);
    assert!(withheld.reason.contains("answer the GET with the headers of a stream at once"), "{}", withheld.reason);
}

#[test]
fn a_client_that_waits_after_a_refusal_of_initialize_is_at_fault_for_that() {
    let timeout = || End::NoSession(error(Layer::Timeout, "no answer within 5000 ms"));
    let refusal = r#""id":1,"error":{"code":-32602,"message":"Unsupported protocol version"},"was""#;
    let refused = Play::at("2025-11-25").swap(r#""id":1,"result""#, refusal).cut("notifications/initialized");
    let waited = refused.clone().ends(timeout()).verdict();
    assert_eq!(waited.signature.as_ref().unwrap().to_string(), "client:hung:session:refusal-ignored");
    assert_eq!(
        waited.reason,
        "The server answered `initialize` with an error (-32602: Unsupported protocol version), and rmcp@3.9.0 went on \
         waiting: no answer within 5000 ms. To fix in the client: report an error answer to `initialize` as an error, \
         and do not wait for another answer."
    );
    let reported = refused.ends(End::NoSession(error(Layer::Connect, "Unsupported protocol version"))).verdict();
    assert_eq!(reported.outcome, Outcome::Unreachable);
    assert!(!reported.reason.contains("went on waiting"), "{}", reported.reason);
}

/// A server that needs longer to start than the client waits has refused nothing.
#[test]
fn a_server_that_answers_in_neither_era_is_silent_and_has_not_refused() {
    let initialize = r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let silent = Play::at("2026-07-28").peers("mock/dual+auto", "rmcp@1.8.0");
    let silent = silent.after(r#""method":"server/discover""#, Role::Client, initialize).cut(r#""id":1,"result""#);
    let verdict = silent.ends(End::NoSession(error(Layer::Timeout, "no session within 5000 ms"))).verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Hung, Some(Fault::Server)), "{}", verdict.reason);
    assert!(verdict.reason.contains("`server/discover` and `initialize` unanswered"), "{}", verdict.reason);
    assert!(!verdict.reason.contains("refused"), "{}", verdict.reason);
}

/// A server that nobody has sent anything has left nothing unanswered: its adapter has.
#[test]
fn where_the_adapter_does_not_answer_the_adapter_is_to_be_fixed() {
    let end =
        || End::TimedOut { waiting_for: Role::Server, what: "its adapter did not take up the scenario".to_owned() };
    let unasked = Play::at("2025-11-25").cut(r#""method":"initialize""#).ends(end()).verdict();
    assert_eq!((unasked.outcome, unasked.fault), (Outcome::Hung, Some(Fault::Server)), "{}", unasked.reason);
    assert!(unasked.reason.contains("To fix in its adapter: take up every scenario"), "{}", unasked.reason);
    assert!(!unasked.reason.contains("did not answer the request"), "{}", unasked.reason);
    let asked = Play::at("2025-11-25").cut(r#""id":1,"result""#).ends(end()).verdict();
    assert_eq!((asked.outcome, asked.fault), (Outcome::Hung, Some(Fault::Server)), "{}", asked.reason);
}

/// A client of the modern era may ask for the list at once. A server that fails at it serves the era.
#[test]
fn a_list_that_the_server_fails_at_is_no_lost_session() {
    let verdict = |code: i32, message: &'static str| {
        let error = format!(r#""id":2,"error":{{"code":{code},"message":"{message}"}},"was""#);
        let play = Play::at("2026-07-28").without(r#""id":1,"#).swap(r#""id":2,"result""#, &error).cut("tools/call");
        let lost = || failed(Layer::Protocol, message);
        play.sees_list(lost()).sees(lost()).sees_bystander(lost()).peers("python@2.3.0+modern", "go@1.8.0").verdict()
    };
    let failed = verdict(-32603, "The list is lost");
    assert_eq!((failed.outcome, failed.fault), (Outcome::Rejected, Some(Fault::Server)), "{}", failed.reason);
    assert!(failed.reason.contains("tools/list"), "{}", failed.reason);
    for (code, message) in [(-32601, "Method not found"), (-32603, "Server not initialized")] {
        assert_eq!(verdict(code, message).outcome, Outcome::Unreachable, "{message}");
    }
}

/// A client that went on at the revision of the server shares it, whatever its headers name.
#[test]
fn a_session_that_a_header_ends_is_no_lack_of_a_revision() {
    const OTHER: &str = r#""params":{"protocolVersion":"2024-10-07""#;
    let verdict = |cut: &str| {
        let play = Play::at("2025-11-25").swap(r#""params":{"protocolVersion":"2025-11-25""#, OTHER);
        no_session(play.cut(cut)).peers("mock/2025-06-18", "mock/2025-11-25").verdict()
    };
    let went_on = verdict("tools/list");
    assert_eq!(went_on.rating, Rating::Breaks, "{}", went_on.reason);
    assert!(!went_on.reason.contains("share no protocol revision"), "{}", went_on.reason);
    let left = verdict("notifications/initialized");
    assert!(left.reason.contains("share no protocol revision"), "{}", left.reason);
}
