//! What a scenario has the server do around a call: messages before the answer, other answers to what opens a session
//! or lists the tools, members left out.

use mcp_compat_judge::judge;
use mcp_compat_model::Role;
use mcp_compat_model::observation::{End, Layer, PeerError};
use mcp_compat_model::peer_contract::{AnsweredMethod, Reply, ScriptedAnswer};
use mcp_compat_model::verdict::{BlastRadius, Fault, Outcome, Rating, Verdict};
use mcp_compat_scenario::scenario::Expect;

use crate::play::{Play, called, failed};

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";
const CALL: &str = r#""name":"report","arguments""#;
const MOCKS: (&str, &str) = ("rmcp@3.9.0", "mock/dual");

/// The verdict of a play whose scenario prescribes an answer.
fn answered(play: &Play, to: AnsweredMethod, reply: Reply) -> Verdict {
    let (mut scenario, cell, transcript, observation) = play.parts();
    scenario.answers.push(ScriptedAnswer { to, page: None, reply });
    judge(&scenario, &cell, &transcript, &observation)
}

fn error(text: &str) -> Reply {
    Reply::Error(serde_json::from_str(text).unwrap())
}

fn no_session(layer: Layer) -> End {
    End::NoSession(PeerError { layer, code: None, message: "no session".to_owned() })
}

/// A server that says nothing to `initialize`.
fn mute(end: End) -> Play {
    let expect = Expect { legacy: Outcome::Unreachable, modern: Outcome::Intact };
    Play::at(LEGACY).peers(MOCKS.0, MOCKS.1).expect(expect).cut(r#""id":1,"result""#).ends(end)
}

#[test]
fn an_opening_that_is_never_answered_is_unreachable_as_expected() {
    let verdict = answered(&mute(no_session(Layer::Timeout)), AnsweredMethod::Initialize, Reply::Hang {});
    assert_eq!((verdict.outcome, verdict.rating), (Outcome::Unreachable, Rating::Works), "{}", verdict.reason);
    assert_eq!((verdict.fault, verdict.blast_radius), (None, None));
}

#[test]
fn a_silence_that_nobody_scripted_is_not() {
    let verdict = mute(no_session(Layer::Timeout)).verdict();
    assert_eq!((verdict.outcome, verdict.rating, verdict.fault), (Outcome::Hung, Rating::Breaks, Some(Fault::Harness)));
}

#[test]
fn a_client_that_does_not_end_by_itself_hangs_where_the_server_is_made_to_be_silent() {
    let end = End::TimedOut { waiting_for: Role::Client, what: "the session".to_owned() };
    let verdict = answered(&mute(end), AnsweredMethod::Initialize, Reply::Hang {});
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Hung, Some(Fault::Client)), "{}", verdict.reason);
    assert_eq!(verdict.blast_radius, Some(BlastRadius::Session));
}

#[test]
fn a_server_that_is_made_to_end_at_the_opening_is_unreachable_and_not_crashed() {
    let end = End::Crashed { who: Role::Server, how: "exit status 3".to_owned() };
    let verdict = answered(&mute(end.clone()), AnsweredMethod::Initialize, Reply::Exit { status: 3 });
    assert_eq!((verdict.outcome, verdict.rating), (Outcome::Unreachable, Rating::Works), "{}", verdict.reason);
    let by_itself = mute(end).verdict();
    assert_eq!((by_itself.outcome, by_itself.rating), (Outcome::Crashed, Rating::Breaks));
}

#[test]
fn a_session_where_none_was_expected_works_too() {
    let play = Play::at(LEGACY).expect(Expect::both(Outcome::Unreachable));
    let verdict = answered(&play, AnsweredMethod::Discover, Reply::Hang {});
    assert_eq!((verdict.outcome, verdict.rating), (Outcome::Intact, Rating::Works), "{}", verdict.reason);
}

#[test]
fn no_session_where_one_was_expected_breaks() {
    let play = mute(no_session(Layer::Connect)).expect(Expect::both(Outcome::Intact));
    let refused =
        play.after("initialize", Role::Server, r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}"#);
    let verdict = answered(&refused, AnsweredMethod::Initialize, error(r#"{"code":-32602,"message":"no"}"#));
    assert_eq!((verdict.outcome, verdict.rating), (Outcome::Unreachable, Rating::Breaks), "{}", verdict.reason);
    assert!(verdict.fault != Some(Fault::Harness), "{}", verdict.reason);
}

#[test]
fn a_mock_that_answers_as_scripted_is_not_broken() {
    let play = Play::at(LEGACY).peers(MOCKS.0, MOCKS.1).swap(r#""tools":{"listChanged":true}"#, "");
    let play = play.sees(failed(Layer::Decode, "no"));
    let reply = Reply::Result(serde_json::from_str("{}").unwrap());
    assert_eq!(play.verdict().fault, Some(Fault::Harness));
    let verdict = answered(&play, AnsweredMethod::Initialize, reply);
    assert_ne!(verdict.fault, Some(Fault::Harness), "{}", verdict.reason);
    assert!(verdict.findings.iter().any(|finding| finding.rule == "tools-capability-declared"));
}

#[test]
fn a_client_that_goes_by_what_is_declared_need_not_call() {
    let gone = || failed(Layer::Protocol, "the server has no tools");
    let play = Play::at(LEGACY).cut("tools/list").sees_list(gone()).sees(gone()).sees_bystander(gone());
    let play = play.expect(Expect::both(Outcome::Rejected));
    assert_eq!(play.verdict().outcome, Outcome::Incomplete);
    let undeclared = play.swap(r#""tools":{"listChanged":true}"#, "");
    let verdict = answered(&undeclared, AnsweredMethod::Initialize, Reply::Result(serde_json::from_str("{}").unwrap()));
    assert_eq!(verdict.outcome, Outcome::Rejected, "{}", verdict.reason);
}

/// A server that refuses the list, with this code.
fn without_list(code: i64) -> Play {
    let refusal = format!(r#""id":2,"error":{{"code":{code},"message":"no list"}},"was""#);
    let gone = || failed(Layer::Protocol, "no list");
    let play = Play::at(MODERN).peers(MOCKS.0, MOCKS.1).swap(r#""id":2,"result""#, &refusal).sees_list(gone());
    // Without a list the client calls nothing.
    play.cut(CALL).sees(gone()).sees_bystander(gone())
}

#[test]
fn a_list_that_is_refused_by_the_script_is_the_servers_and_no_legal_absence_of_tools() {
    assert_eq!(without_list(-32601).verdict().outcome, Outcome::Unsupported);
    let scripted =
        answered(&without_list(-32601), AnsweredMethod::ListTools, error(r#"{"code":-32601,"message":"no"}"#));
    assert_eq!((scripted.outcome, scripted.fault), (Outcome::Rejected, Some(Fault::Server)), "{}", scripted.reason);
    assert_eq!(scripted.blast_radius, Some(BlastRadius::Server));
}

#[test]
fn only_the_page_that_is_scripted_is() {
    let (mut scenario, cell, transcript, observation) = without_list(-32601).parts();
    let answer = |page| ScriptedAnswer {
        to: AnsweredMethod::ListTools,
        page: Some(page),
        reply: error(r#"{"code":-32601,"message":"no"}"#),
    };
    scenario.answers = vec![answer(2)];
    assert_eq!(judge(&scenario, &cell, &transcript, &observation).outcome, Outcome::Unsupported);
    scenario.answers = vec![answer(1)];
    assert_eq!(judge(&scenario, &cell, &transcript, &observation).outcome, Outcome::Rejected);
}

const NOISE: &str = "listing tools...";

/// A call with a line before its answer.
fn preceded(line: &str) -> Play {
    Play::at(LEGACY).peers(MOCKS.0, MOCKS.1).after(CALL, Role::Server, line)
}

/// The verdict where the scenario has the server send that line.
fn scripted(play: &Play, line: &str) -> Verdict {
    let (mut scenario, cell, transcript, observation) = play.parts();
    scenario.stages[0].tools[0].before.push(line.to_owned());
    judge(&scenario, &cell, &transcript, &observation)
}

#[test]
fn a_client_that_reads_past_noise_works() {
    let verdict = scripted(&preceded(NOISE), NOISE);
    assert_eq!((verdict.outcome, verdict.rating), (Outcome::Intact, Rating::Works), "{}", verdict.reason);
    assert!(verdict.findings.iter().any(|finding| finding.rule == "server-speaks-json-rpc"));
}

#[test]
fn a_client_that_stumbles_over_noise_has_the_server_to_blame() {
    for stumbles in [failed(Layer::Decode, "not JSON"), failed(Layer::Timeout, "5 s"), failed(Layer::Connect, "closed")]
    {
        let verdict = scripted(&preceded(NOISE).sees(stumbles), NOISE);
        assert_eq!(verdict.fault, Some(Fault::Server), "{}", verdict.reason);
        assert!(!verdict.findings.iter().any(|finding| finding.rule == "client-takes-conforming-result"));
    }
}

#[test]
fn noise_that_no_script_asks_for_is_the_mocks_own() {
    let verdict = preceded(NOISE).sees(failed(Layer::Decode, "not JSON")).verdict();
    assert_eq!(verdict.fault, Some(Fault::Harness));
}

#[test]
fn a_client_that_stumbles_over_what_may_come_before_an_answer_has_itself_to_blame() {
    let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}"#;
    let asked = |play: Play| {
        play.swap(r#""params":{"name":"report""#, r#""params":{"_meta":{"progressToken":7},"name":"report""#)
    };
    let verdict = scripted(&asked(preceded(progress).sees(failed(Layer::Decode, "no"))), progress);
    assert_eq!(verdict.fault, Some(Fault::Client), "{}", verdict.reason);
    // Under a token that nobody gave it may not come.
    let verdict = scripted(&preceded(progress).sees(failed(Layer::Decode, "no")), progress);
    assert_eq!(verdict.fault, Some(Fault::Server), "{}", verdict.reason);
}

#[test]
fn a_result_that_the_script_sends_without_a_member_is_the_servers_and_not_the_harnesss() {
    let bare = || {
        let play =
            Play::at(MODERN).peers(MOCKS.0, MOCKS.1).swap(r#""resultType":"complete","structured"#, r#""structured"#);
        play.sees(called(Some(r#"{"id":1}"#), &[], false)).expect(Expect::both(Outcome::Told))
    };
    assert_eq!(bare().verdict().fault, Some(Fault::Harness));
    let (mut scenario, cell, transcript, observation) = bare().parts();
    scenario.stages[0].tools[0].without.push("resultType".to_owned());
    assert_ne!(judge(&scenario, &cell, &transcript, &observation).fault, Some(Fault::Harness));
    let listed = || Play::at(MODERN).peers(MOCKS.0, MOCKS.1).list("{\"cacheScope\":\"public\"}");
    let (mut scenario, cell, transcript, observation) = listed().sees(failed(Layer::Decode, "no")).parts();
    scenario.list = None;
    assert_eq!(judge(&scenario, &cell, &transcript, &observation).fault, Some(Fault::Harness));
    scenario.list_without = vec!["ttlMs".to_owned()];
    assert_ne!(judge(&scenario, &cell, &transcript, &observation).fault, Some(Fault::Harness));
}
