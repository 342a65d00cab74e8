//! A revision that both peers know, and that was not spoken: why not, each reason both ways.

use mcp_compat_judge::missed;
use mcp_compat_model::missed::Because;
use mcp_compat_model::peer_contract::{AnsweredMethod, Reply, ScriptedAnswer};
use mcp_compat_model::record::PeerRecord;
use mcp_compat_model::{Mode, PeerId, Revision, Role};
use rstest::rstest;

use crate::play::Play;

const PROBE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;

fn peer(role: Role, mode: Option<Mode>, revisions: &[Revision]) -> PeerRecord {
    let id = if role == Role::Client { "rmcp@3.9.0" } else { "typescript@2.4.0" };
    PeerRecord {
        id: PeerId::new(id).unwrap(),
        role,
        language: Some("rust".to_owned()),
        revisions: revisions.to_vec(),
        mode,
        about: String::new(),
        isolated: None,
        calls: None,
        recorded: None,
    }
}

/// Why the newest revision of all was missed by a client of that mode and a server, which both know all of them.
fn why(play: &Play, mode: Option<Mode>) -> Option<(Because, Option<String>)> {
    let all = &Revision::ALL;
    of(play, &peer(Role::Client, mode, all), &peer(Role::Server, None, all))
}

fn of(play: &Play, client: &PeerRecord, server: &PeerRecord) -> Option<(Because, Option<String>)> {
    let (scenario, _, transcript, _) = play.parts();
    let missed = missed(&scenario, client, server, play.verdict().negotiated, &transcript)?;
    Some((missed.because, missed.said))
}

/// A client that asks in the modern way first, and goes on in the other.
fn probed(answer: Option<&str>) -> Play {
    let play = Play::at("2025-11-25").opens(PROBE);
    match answer {
        Some(answer) => play.after(PROBE, Role::Server, answer),
        None => play,
    }
}

#[test]
fn who_speaks_the_newest_that_both_know_misses_nothing() {
    assert_eq!(why(&Play::at("2026-07-28"), Some(Mode::Auto)), None);
    let old = peer(Role::Server, None, &[Revision::V2025_06_18, Revision::V2025_11_25]);
    let new = peer(Role::Client, Some(Mode::Legacy), &Revision::ALL);
    assert_eq!(of(&Play::at("2025-11-25"), &new, &old), None);
}

#[test]
fn a_client_that_was_asked_to_is_told_from_one_that_never_asks() {
    let legacy = Play::at("2025-11-25");
    assert_eq!(why(&legacy, Some(Mode::Legacy)), Some((Because::ModeLegacy, None)));
    assert_eq!(why(&legacy, None), Some((Because::NotProbed, None)));
    assert_eq!(why(&legacy, Some(Mode::Auto)), Some((Because::NotProbed, None)));
}

#[rstest]
#[case(None, Because::ProbeUnanswered, None)]
#[case(
    Some(r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Method not found"}}"#),
    Because::ProbeRefused,
    Some("-32601 Method not found")
)]
#[case(
    Some(r#"{"jsonrpc":"2.0","id":0,"result":{"supportedVersions":["2026-07-28","2025-11-25"]}}"#),
    Because::ProbeAnswered,
    Some("2026-07-28, 2025-11-25")
)]
fn what_became_of_the_probe_is_told(
    #[case] answer: Option<&str>,
    #[case] because: Because,
    #[case] said: Option<&str>,
) {
    assert_eq!(why(&probed(answer), Some(Mode::Auto)), Some((because, said.map(str::to_owned))));
}

#[test]
fn a_probe_that_http_refuses_is_told_by_its_status() {
    let error = r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"expect initialize"}}"#;
    let play = probed(Some(error)).over_http().status(error, 422);
    let said = Some("HTTP 422 -32600 expect initialize".to_owned());
    assert_eq!(why(&play, Some(Mode::Auto)), Some((Because::ProbeRefused, said)));
}

#[test]
fn words_of_a_peer_are_bounded() {
    let error = format!(r#"{{"jsonrpc":"2.0","id":0,"error":{{"code":-32601,"message":"{}"}}}}"#, "word ".repeat(99));
    let (_, said) = why(&probed(Some(&error)), Some(Mode::Auto)).unwrap();
    assert_eq!(said.unwrap().chars().count(), 100);
}

#[test]
fn who_named_the_older_revision_in_a_handshake_is_told() {
    let known = [Revision::V2025_06_18, Revision::V2025_11_25];
    let (client, server) = (peer(Role::Client, None, &known), peer(Role::Server, None, &known));
    let of = |play: &Play| of(play, &client, &server).map(|(because, _)| because);
    assert_eq!(of(&Play::at("2025-06-18")), Some(Because::AskedForOlder));
    let named = r#""result":{"protocolVersion":"2025-06-18""#;
    let older = Play::at("2025-11-25").swap(r#""result":{"protocolVersion":"2025-11-25""#, named);
    assert_eq!(of(&older), Some(Because::NamedOlder));
    assert_eq!(of(&Play::at("2025-11-25")), None);
}

#[test]
fn what_the_scenario_has_the_server_name_is_missed_by_nobody() {
    let all = &Revision::ALL;
    let (client, server) = (peer(Role::Client, None, all), peer(Role::Server, None, all));
    let play = Play::at("2025-06-18");
    let (mut scenario, _, transcript, _) = play.parts();
    let missed = |scenario: &_| missed(scenario, &client, &server, Some(Revision::V2025_06_18), &transcript);
    assert!(missed(&scenario).is_some());
    scenario.answers.push(ScriptedAnswer { to: AnsweredMethod::Initialize, page: None, reply: Reply::Hang {} });
    assert_eq!(missed(&scenario), None);
}
