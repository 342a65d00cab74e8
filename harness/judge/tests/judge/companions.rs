//! What must come besides: blocks beside a value, the structured part of an error, values that are fed on.

use mcp_compat_judge::judge;
use mcp_compat_model::observation::{CallResult, Layer, Seen};
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_model::verdict::{Fault, Outcome, Rating, Verdict};
use mcp_compat_model::{Revision, Role};
use mcp_compat_scenario::scenario::{AlsoExpect, Call, Expect, Means, Purpose, Scenario, Step, Tool};

use crate::play::{Play, failed, json};

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";
const IMAGE: &str = r#"{"type":"image","mimeType":"image/gif","data":"R0lG"}"#;
const TEXT: &str = r#"{"type":"text","text":"{\"id\":1}"}"#;

fn seen(structured: Option<&str>, content: &[&str], is_error: bool) -> Seen {
    let content = content.iter().map(|block| json(block)).collect();
    Seen::Called(CallResult { structured: structured.map(json), content, is_error })
}

fn blocks(blocks: &[&str]) -> AlsoExpect {
    AlsoExpect { blocks: blocks.iter().map(|block| json(block)).collect(), value: None }
}

/// A value beside an image, and what the user sees of the two.
fn screenshot(revision: &str, user: Seen) -> Verdict {
    let result = format!(r#"{{"structuredContent":{{"id":1}},"content":[{TEXT},{IMAGE}]}}"#);
    Play::at(revision).result(&result).also(blocks(&[IMAGE])).sees(user).verdict()
}

#[test]
fn a_value_without_the_block_beside_it_is_lost() {
    let verdict = screenshot(MODERN, seen(Some(r#"{"id":1}"#), &[TEXT], false));
    assert_eq!((verdict.outcome, verdict.rating, verdict.silent), (Outcome::Lost, Rating::Breaks, true));
    assert!(verdict.reason.contains("without the content block {\"type\":\"image\""), "{}", verdict.reason);
    assert_eq!(verdict.fault, Some(Fault::Spec), "{}", verdict.reason);
    let open = "This is allowed by the specification.";
    assert!(verdict.reason.ends_with(open), "{}", verdict.reason);
    assert!(verdict.signature.unwrap().to_string().ends_with(":/content/image"));
}

#[test]
fn a_value_with_the_block_beside_it_is_intact() {
    let verdict = screenshot(MODERN, seen(Some(r#"{"id":1}"#), &[TEXT, IMAGE], false));
    assert_eq!((verdict.outcome, verdict.rating), (Outcome::Intact, Rating::Works));
    let text = screenshot(MODERN, seen(None, &[TEXT, IMAGE], false));
    assert_eq!(text.outcome, Outcome::Text);
}

#[test]
fn what_an_api_adds_to_a_block_is_no_loss() {
    let adorned = r#"{"type":"image","data":"R0lG","annotations":null,"mimeType":"image/gif"}"#;
    assert_eq!(screenshot(LEGACY, seen(Some(r#"{"id":1}"#), &[adorned], false)).outcome, Outcome::Intact);
    let changed = r#"{"type":"image","data":"R0lG","mimeType":"image/png"}"#;
    assert_eq!(screenshot(LEGACY, seen(Some(r#"{"id":1}"#), &[changed], false)).outcome, Outcome::Lost);
}

/// A block that came without one of its members is not gone.
#[test]
fn a_block_that_came_changed_is_named_with_the_member_that_it_lacks() {
    let stale = r#"{"type":"text","text":"P0301","annotations":{"priority":1,"lastModified":"2026-01-02T03:04:05Z"}}"#;
    let came = r#"{"type":"text","text":"P0301","annotations":{"priority":1}}"#;
    let result = format!(r#"{{"structuredContent":{{"id":1}},"content":[{stale}]}}"#);
    let play = |content: &[&str]| {
        let user = seen(Some(r#"{"id":1}"#), content, false);
        Play::at(MODERN).result(&result).also(blocks(&[stale])).sees(user).verdict()
    };
    let verdict = play(&[came]);
    assert_eq!(verdict.outcome, Outcome::Lost);
    let said = "without `/annotations/lastModified` of a content block of the type `text`";
    assert!(verdict.reason.contains(said), "{}", verdict.reason);
    assert_eq!(verdict.fault, Some(Fault::Client), "{}", verdict.reason);
    assert_eq!(play(&[]).fault, Some(Fault::Spec), "no rule says that a client returns every block");
    assert!(play(&[]).reason.contains("without the content block"), "{}", play(&[]).reason);
}

#[test]
fn two_blocks_alike_are_two() {
    let result = format!(r#"{{"structuredContent":{{"id":1}},"content":[{IMAGE},{IMAGE}]}}"#);
    let twice = |content: &[&str]| {
        let user = seen(Some(r#"{"id":1}"#), content, false);
        Play::at(MODERN).result(&result).also(blocks(&[IMAGE, IMAGE])).sees(user).verdict().outcome
    };
    assert_eq!((twice(&[IMAGE, IMAGE]), twice(&[IMAGE])), (Outcome::Intact, Outcome::Lost));
}

#[test]
fn a_block_that_the_server_did_not_send_is_its_fault() {
    let without = Play::at(MODERN).also(blocks(&[IMAGE])).verdict();
    assert_eq!((without.outcome, without.fault), (Outcome::Lost, Some(Fault::Server)));
    assert!(without.reason.contains("not on the wire"), "{}", without.reason);
}

#[test]
fn a_block_that_only_the_user_saw_proves_nothing() {
    let made_up = Play::at(MODERN).also(blocks(&[IMAGE])).sees(seen(Some(r#"{"id":1}"#), &[IMAGE], false));
    assert_eq!(made_up.verdict().outcome, Outcome::Incomplete);
}

#[test]
fn a_missing_fallback_does_not_explain_a_missing_block() {
    let result = format!(r#"{{"structuredContent":{{"id":1}},"content":[{IMAGE}]}}"#);
    let play = Play::at(MODERN).result(&result).also(blocks(&[IMAGE])).sees(seen(Some(r#"{"id":1}"#), &[], false));
    let verdict = play.verdict();
    assert!(verdict.findings.iter().any(|finding| finding.rule == "text-fallback"));
    assert_eq!(verdict.fault, Some(Fault::Spec), "{}", verdict.reason);
}

#[test]
fn a_revision_is_not_asked_for_blocks_and_parts_that_it_does_not_have() {
    let audio = r#"{"type":"audio","data":"","mimeType":"audio/wav"}"#;
    let plain = |revision| {
        let result = format!(r#"{{"content":[{{"type":"text","text":"hi"}},{audio}]}}"#);
        let user = seen(None, &[r#"{"type":"text","text":"hi"}"#], false);
        let means = Means::Text("hi".to_owned());
        Play::at(revision).no_schema().result(&result).means(means).also(blocks(&[audio])).sees(user).verdict().outcome
    };
    assert_eq!((plain("2024-11-05"), plain("2025-03-26")), (Outcome::Intact, Outcome::Lost));
}

/// A tool error with a code beside its words.
fn limited(revision: &str, user: Seen) -> Verdict {
    let result =
        r#"{"structuredContent":{"code":"LIMIT"},"content":[{"type":"text","text":"Too many"}],"isError":true}"#;
    let also = AlsoExpect { blocks: Vec::new(), value: Some(json(r#"{"code":"LIMIT"}"#)) };
    Play::at(revision)
        .no_schema()
        .result(result)
        .means(Means::ToolError("Too many".to_owned()))
        .also(also)
        .sees(user)
        .verdict()
}

const WORDS: &str = r#"{"type":"text","text":"Too many"}"#;

#[test]
fn a_tool_error_without_its_structured_part_is_masked() {
    let verdict = limited(LEGACY, seen(None, &[WORDS], true));
    assert_eq!((verdict.outcome, verdict.silent, verdict.fault), (Outcome::Masked, false, Some(Fault::Client)));
    assert!(verdict.reason.contains("without the structured part {\"code\":\"LIMIT\"}"), "{}", verdict.reason);
    // Its words did reach the user.
    assert!(!verdict.findings.iter().any(|finding| finding.rule == "client-tells-tool-errors"));
    assert_eq!(limited(MODERN, failed(Layer::Tool, "failed: Too many")).outcome, Outcome::Masked);
}

#[test]
fn a_tool_error_with_its_structured_part_is_told() {
    let whole = seen(Some(r#"{"code":"LIMIT","retry":null}"#), &[WORDS], true);
    assert_eq!(limited(LEGACY, whole).outcome, Outcome::Told);
    assert_eq!(limited("2025-03-26", seen(None, &[WORDS], true)).outcome, Outcome::Told);
}

const FOLLOW: &str = r#""name":"follow","arguments""#;

/// A second call whose argument comes from the value of the first, with what the client sent for it and what the user
/// saw of the first.
fn fed(arguments: &str, first: Option<Seen>) -> Verdict {
    let sent = r#"{"structuredContent":{"id":9007199254740993},"content":[]}"#;
    let request = format!(r#"{{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{{{FOLLOW}:{arguments}}}}}"#);
    let answer = r#"{"jsonrpc":"2.0","id":70,"result":{"content":[{"type":"text","text":"done"}]}}"#;
    let mut play = Play::at(LEGACY)
        .result(sent)
        .expect(Expect::both(Outcome::Rejected))
        .after(r#""id":3,"result""#, Role::Client, &request)
        .after(&request, Role::Server, answer);
    if let Some(first) = first {
        play = play.sees(first);
    }
    let (mut scenario, cell, transcript, mut observation) = play.parts();
    with_follow(&mut scenario);
    observation.steps.insert(2, seen(None, &[r#"{"type":"text","text":"done"}"#], false));
    judge(&scenario, &cell, &transcript, &observation)
}

fn with_follow(scenario: &mut Scenario) {
    let reply = Reply::Result(serde_json::from_str(r#"{"content":[{"type":"text","text":"done"}]}"#).unwrap());
    scenario.stages[0].tools.push(Tool::new("follow", r#"{"name":"follow","inputSchema":{"type":"object"}}"#, reply));
    let means = Means::Text("done".to_owned());
    let mut call = Call::new("follow", Purpose::Subject, means, Expect::both(Outcome::Intact));
    call.args_from.insert("/user/id".to_owned(), "/id".to_owned());
    scenario.steps.insert(2, Step::Call(call));
}

#[test]
fn a_value_that_is_fed_on_as_it_came_is_right() {
    let verdict = fed(r#"{"user":{"id":9007199254740993}}"#, None);
    assert_eq!(verdict.rating, Rating::Works, "{}", verdict.reason);
}

#[test]
fn a_value_that_is_fed_on_as_another_is_altered_and_nobody_elses_fault() {
    let verdict = fed(r#"{"user":{"id":9007199254740992}}"#, None);
    assert_eq!((verdict.outcome, verdict.fault, verdict.silent), (Outcome::Altered, Some(Fault::Client), true));
    for lexeme in ["with 9007199254740992 as `/user/id`", "had sent 9007199254740993"] {
        assert!(verdict.reason.contains(lexeme), "{}", verdict.reason);
    }
    assert!(verdict.signature.unwrap().to_string().ends_with(":/arguments/user/id"));
}

#[test]
fn a_value_that_is_not_fed_on_is_lost() {
    let verdict = fed(r#"{"user":{}}"#, None);
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Lost, Some(Fault::Client)));
    assert!(verdict.reason.contains("called `follow` without `/user/id`"), "{}", verdict.reason);
}

#[test]
fn who_was_refused_the_first_value_has_none_to_feed() {
    let verdict = fed("{}", Some(failed(Layer::Validate, "no")));
    assert_eq!(verdict.outcome, Outcome::Rejected, "{}", verdict.reason);
    assert_eq!(verdict.rating, Rating::Works);
}

/// Two calls of one tool in flight, answered in this order, each user seeing this.
fn at_once(answers: [u32; 2], users: [&str; 2]) -> Verdict {
    let text = |id: u32| format!(r#"{{"type":"text","text":"{{\"id\":{id}}}"}}"#);
    let result = |id: u32| format!(r#"{{"structuredContent":{{"id":{id}}},"content":[{}]}}"#, text(id));
    let request = |id: u32| {
        format!(
            r#"{{"jsonrpc":"2.0","id":7{id},"method":"tools/call","params":{{"name":"report","arguments":{{"n":{id}}}}}}}"#
        )
    };
    let answer = |id: u32| format!(r#"{{"jsonrpc":"2.0","id":7{id},"result":{}}}"#, result(id));
    // The second is sent first: which is which is told by the arguments.
    let play = Play::at(LEGACY)
        .without(r#""id":3,"#)
        .after(r#""id":2,"result""#, Role::Client, &request(2))
        .after(&request(2), Role::Client, &request(1))
        .after(&request(1), Role::Server, &answer(answers[0]))
        .after(&answer(answers[0]), Role::Server, &answer(answers[1]));
    let (mut scenario, cell, transcript, mut observation) = play.parts();
    let call = |id: u32, concurrent: bool| {
        let means = Means::Value(json(&format!(r#"{{"id":{id}}}"#)));
        let call = Call::new("report", Purpose::Subject, means, Expect::both(Outcome::Intact));
        Step::Call(Call { arguments: format!(r#"{{"n":{id}}}"#), concurrent, ..call })
    };
    scenario.since = Revision::V2025_06_18;
    scenario.steps.splice(1..2, [call(1, false), call(2, true)]);
    let user = |value: &str| seen(Some(value), &[], false);
    observation.steps.splice(1..2, users.map(user));
    judge(&scenario, &cell, &transcript, &observation)
}

#[test]
fn calls_in_flight_together_are_told_apart_by_their_ids() {
    for answers in [[1, 2], [2, 1]] {
        let verdict = at_once(answers, [r#"{"id":1}"#, r#"{"id":2}"#]);
        assert_eq!((verdict.outcome, verdict.rating), (Outcome::Intact, Rating::Works), "{}", verdict.reason);
        assert!(verdict.findings.is_empty(), "{:?}", verdict.findings);
    }
}

#[test]
fn a_client_that_mixes_up_calls_in_flight_alters_both() {
    let verdict = at_once([2, 1], [r#"{"id":2}"#, r#"{"id":1}"#]);
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Altered, Some(Fault::Client)), "{}", verdict.reason);
}
