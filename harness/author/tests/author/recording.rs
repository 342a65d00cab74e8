//! From traffic to a scenario: what is taken, in which form, and what is left out and said to be.

use mcp_compat_author::recording::{CALLS, Uncalled, read};
use mcp_compat_model::Role;
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_model::transcript::Event;
use mcp_compat_scenario::scenario::Step;

use crate::wire::{answer, ask, call, client, file, handshake, list, recorded, scenarios, server, transcript};

const COUNT: &str = r#"{"name":"count","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}"#;
const SAY: &str = r#"{"name":"say","inputSchema":{"type":"object"}}"#;
const THREE: &str = r#"{"structuredContent":{"count":3},"content":[]}"#;
const FOUR: &str = r#"{"structuredContent":{"count":4},"content":[]}"#;

#[test]
fn a_call_becomes_a_tool_with_its_result_as_they_were_spelt() {
    let tool =
        r#"{ "name":"count", "outputSchema":{"type":"object"}, "x":1.0, "x":1e2, "inputSchema":{"type":"object"}}"#;
    let result = r#"{"content":[],"structuredContent":{"b":1.50,"a":"\u00e9"},"resultType":"complete"}"#;
    let file = file(&recorded([handshake(), list(1, &[SAY, tool]), call(2, "count", "{}", result)]));
    insta::assert_snapshot!(file.text, @r#"
    # Recorded from real traffic, on a session of revision 2025-11-25.

    title = "`count` returns an object"
    # Why it matters, for readers without context. Say what went wrong, and for whom.
    why = "A server returned this value. The user of every client has to get all of it."
    # Where the case comes from: the issue, or the page of the specification.
    # sources = ["https://…"]

    [[tool]]
    definition = '''
    {"name": "count", "outputSchema": {"type": "object"}, "x": 1.0, "x": 1e2,
     "inputSchema": {"type": "object"}}'''
    returns = '''{"content": [], "structuredContent": {"b": 1.50, "a": "\u00e9"}}'''
    "#);
}

#[test]
fn calls_with_other_arguments_and_the_same_answer_become_steps() {
    let calls = [call(2, "count", r#"{"of":"a"}"#, THREE), call(3, "count", r#"{"of":"b"}"#, THREE)];
    let file = file(&recorded([list(1, &[COUNT])].into_iter().chain(calls)));
    assert!(file.text.contains("call = \"count\"\narguments = '''{\"of\": \"b\"}'''"), "{}", file.text);
    let steps = &scenarios(&file)[0].steps;
    assert!(matches!(&steps[..], [Step::List, Step::Call(_), Step::Call(_), Step::Call(_)]), "the last: the bystander");
}

#[test]
fn one_tool_with_several_answers_becomes_a_family_without_repetitions() {
    let answers = [THREE, FOUR, THREE].into_iter().enumerate();
    let calls = answers.map(|(at, result)| call(u32::try_from(at).unwrap() + 2, "count", "{}", result));
    let file = file(&recorded([list(1, &[COUNT])].into_iter().chain(calls)));
    let ids: Vec<_> = scenarios(&file).iter().map(|scenario| scenario.id.to_string()).collect();
    assert_eq!(ids, ["bug[call-1]", "bug[call-2]"]);
    assert_eq!(file.text.matches("definition").count(), 1);
}

#[test]
fn tools_of_which_one_answers_in_several_ways_become_a_family_of_tools() {
    let failed = r#"{"content":[{"type":"text","text":"a"}],"isError":true}"#;
    let calls = [call(2, "count", "{}", THREE), call(3, "say", "{}", failed), call(4, "count", "{}", FOUR)];
    let file = file(&recorded([list(1, &[COUNT, SAY])].into_iter().chain(calls)));
    assert_eq!(scenarios(&file).len(), 3);
    assert_eq!(file.text.matches("[[case.tool]]").count(), 3);
}

#[test]
fn plain_content_that_would_prove_nothing_by_itself_is_left_out_of_a_family_and_said_to_be() {
    let said = r#"{"content":[{"type":"text","text":"a"}]}"#;
    let failed = r#"{"content":[{"type":"text","text":"a"}],"isError":true}"#;
    let counted = [call(2, "count", "{}", THREE), call(3, "say", "{}", said), call(4, "count", "{}", FOUR)];
    let some = recorded([list(1, &[COUNT, SAY])].into_iter().chain(counted.clone()));
    assert_eq!((scenarios(&file(&some)).len(), some.calls, some.omitted), (2, 3, 1));
    assert_eq!(some.left_out, ["the call of `say`: its result is plain content, which proves nothing by itself"]);
    let more = [call(5, "say", r#"{"at":5}"#, said), call(6, "say", r#"{"at":6}"#, failed)];
    let most = recorded([list(1, &[COUNT, SAY])].into_iter().chain(counted).chain(more));
    assert_eq!((scenarios(&file(&most)).len(), most.calls, most.omitted), (3, 5, 2));
    assert_eq!(
        most.left_out,
        ["2 of the 3 calls of `say`: their results are plain content, which proves nothing by itself"]
    );
}

fn after_a_change(news: Option<(Role, Event)>) -> String {
    let changed = COUNT.replace(r#""outputSchema":{"type":"object"}"#, r#""outputSchema":{"required":["total"]}"#);
    let before = [list(1, &[COUNT]), call(2, "count", "{}", THREE), news.into_iter().collect()];
    let after = [call(3, "count", "{}", FOUR), list(4, &[&changed]), call(5, "count", "{}", FOUR)];
    file(&recorded(before.into_iter().chain(after))).text
}

/// The steps of a file, a word each.
fn steps(text: &str) -> Vec<&str> {
    let keys = ["list = true", "call = ", "evolve = \"notify\"", "evolve = \"silent\""];
    text.lines().filter_map(|line| keys.into_iter().find(|key| line.starts_with(key))).collect()
}

#[test]
fn a_change_that_is_told_comes_where_it_was_told() {
    let news = server(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    let text = after_a_change(Some(news));
    let expected = ["list = true", "call = ", "evolve = \"notify\"", "call = ", "list = true", "call = "];
    assert_eq!(steps(&text), expected, "{text}");
}

#[test]
fn a_change_that_nobody_told_comes_where_it_was_seen_and_an_answer_that_changes_is_one_too() {
    let text = after_a_change(None);
    let untold = "evolve = \"silent\"";
    assert_eq!(steps(&text), ["list = true", "call = ", untold, "call = ", untold, "list = true", "call = "], "{text}");
}

#[test]
fn a_tool_that_is_gone_is_called_for_its_error() {
    let gone = vec![
        ask(4, "count", "{}"),
        server(r#"{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"no tool count"}}"#),
    ];
    let parts = [list(1, &[COUNT]), call(2, "count", "{}", THREE), list(3, &[SAY]), gone];
    let text = file(&recorded(parts)).text;
    assert!(text.contains("tool = []"), "{text}");
    assert!(text.contains("means.tool-error = \"count\""), "{text}");
}

fn answered_with(events: Vec<(Role, Event)>) -> Reply {
    let parts = [list(1, &[SAY]), vec![ask(2, "say", "{}")], events];
    let scenario = scenarios(&file(&recorded(parts))).remove(0);
    scenario.stages[0].tools[0].reply.clone()
}

#[test]
fn errors_stay_errors_and_what_is_no_message_stays_as_it_is() {
    let decoded = |reply| {
        let Reply::Raw(raw) = reply else { panic!("{reply:?}") };
        String::from_utf8_lossy(&mcp_compat_model::transcript::Raw::Base64(raw).to_bytes()).into_owned()
    };
    let error = answered_with(vec![server(r#"{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"out"}}"#)]);
    assert!(matches!(error, Reply::Error(error) if error.get() == r#"{"code":-1,"message":"out"}"#));
    let broken = answered_with(vec![server(r#"{"jsonrpc":"2.0", "id": 2,"error":"out"}"#)]);
    assert_eq!(decoded(broken), r#"{"jsonrpc":"2.0", "id": {{id}},"error":"out"}"#);
    assert_eq!(decoded(answered_with(vec![server("Traceback:")])), "Traceback:");
    assert_eq!(decoded(answered_with(vec![server(b"\xff{}")])), "\u{fffd}{}");
}

#[test]
fn a_server_that_does_not_answer_hangs_and_one_that_goes_exits() {
    let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
    assert!(matches!(answered_with(vec![client(cancelled)]), Reply::Hang {}));
    assert!(matches!(answered_with(vec![(Role::Server, Event::Closed {})]), Reply::Exit { .. }));
}

#[test]
fn a_call_that_was_still_open_at_the_end_is_left_out_and_said_to_be() {
    let parts = [
        list(1, &[COUNT]),
        call(2, "count", "{}", THREE),
        vec![ask(3, "count", "{}"), (Role::Client, Event::Closed {})],
    ];
    let recorded = recorded(parts);
    assert_eq!(recorded.calls, 1);
    assert_eq!(recorded.left_out, ["a call of `count`: it was not answered before the recording ended"]);
}

#[test]
fn pages_are_put_together_and_stay_pages_where_more_than_one_tool_was_called() {
    let page = |id: u32, params: &str, tools: &str, next: &str| {
        vec![
            client(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{params}}}"#)),
            server(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{tools}]{next}}}}}"#)),
        ]
    };
    let pages = || [page(1, "{}", COUNT, r#","nextCursor":"x""#), page(2, r#"{"cursor":"x"}"#, SAY, "")].concat();
    let say = call(3, "say", "{}", r#"{"content":[{"type":"text","text":"a"}]}"#);
    let both = file(&recorded([pages(), say.clone(), call(4, "count", "{}", THREE)]));
    assert!(both.text.contains("page-size = 1"), "{}", both.text);
    let one = recorded([pages(), say]);
    assert!(!file(&one).text.contains("page-size"));
    assert!(one.left_out[0].contains("pages"), "{:?}", one.left_out);
}

#[test]
fn members_of_the_list_are_kept_where_they_say_something() {
    let listed = |members: &str| {
        let result = format!(r#"{{"tools":[{SAY}],{members}}}"#);
        let list = vec![client(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#), answer(1, &result)];
        file(&recorded([list, call(2, "say", "{}", r#"{"content":[{"type":"text","text":"a"}]}"#)])).text
    };
    assert!(listed(r#""ttlMs":60000,"resultType":"complete""#).contains("list = '''{\"ttlMs\": 60000}'''"));
    assert!(!listed(r#""ttlMs":0,"cacheScope":"private","_meta":{}"#).contains("list ="));
}

#[test]
fn without_a_list_the_definition_is_to_be_filled_in() {
    let text = file(&recorded([call(2, "count", "{}", THREE)])).text;
    assert!(text.contains("# The definition of this tool is not known"), "{text}");
}

#[test]
fn without_a_call_there_is_no_draft_unless_uncalled_tools_are_wanted() {
    let traffic = || transcript([handshake(), list(1, &[COUNT])].concat());
    let recorded = read(&traffic(), Uncalled::Omitted, &[]);
    assert!(recorded.draft.is_none());
    assert_eq!((recorded.calls, recorded.listed), (0, vec!["count".to_owned()]));
    let made_up = file(&read(&traffic(), Uncalled::Placeholder, &[])).text;
    assert!(made_up.contains("# This result is a placeholder"), "{made_up}");
}

#[test]
fn tools_that_every_server_of_ours_has_are_passed_over() {
    let ours = r#"{"name":"mcp_compat_bystander","inputSchema":{"type":"object"}}"#;
    let parts = [list(1, &[COUNT, ours]), call(2, "mcp_compat_bystander", "{}", THREE), call(3, "count", "{}", THREE)];
    assert!(!file(&recorded(parts)).text.contains("bystander"));
}

#[test]
fn a_recording_takes_no_more_calls_than_a_scenario_is_made_of() {
    let calls = (0..CALLS + 5).map(|at| call(u32::try_from(at).unwrap() + 2, "count", "{}", THREE));
    let recorded = recorded([list(1, &[COUNT])].into_iter().chain(calls));
    assert_eq!(recorded.calls, CALLS);
    assert_eq!(recorded.left_out, ["every call after the first 200"]);
}

/// A request of 2026-07-28.
fn modern(id: u32, method: &str, params: &str) -> (Role, Event) {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
    client(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}{meta}}}}}"#))
}

#[test]
fn what_a_server_left_out_is_left_out() {
    let list = answer(1, &format!(r#"{{"tools":[{SAY}],"resultType":"complete","ttlMs":0}}"#));
    let said = r#"{"content":[{"type":"text","text":"3 rows"}]}"#;
    let call = vec![modern(2, "tools/call", r#""name":"say","arguments":{},"#), answer(2, said)];
    let file = file(&recorded([vec![modern(1, "tools/list", ""), list], call]));
    assert!(file.text.contains("list-without = [\"cacheScope\"]"), "{}", file.text);
    let [scenario] = &scenarios(&file)[..] else { panic!("{}", file.text) };
    assert_eq!(scenario.stages[0].tools[0].without, ["resultType"], "{}", file.text);
    // A session with a handshake needs none.
    let older = recorded([handshake(), super::wire::list(1, &[SAY]), super::wire::call(2, "say", "{}", said)]);
    assert!(!self::file(&older).text.contains("without ="));
}

#[test]
fn a_session_that_begins_with_a_null_is_kept_so() {
    let result =
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"},"_meta":null}"#;
    let initialize =
        client(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#);
    let list = answer(1, &format!(r#"{{"tools":[{COUNT}],"_meta":null}}"#));
    let listed = vec![client(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#), list];
    let file = file(&recorded([vec![initialize, answer(0, result)], listed, call(2, "count", "{}", THREE)]));
    assert!(file.text.contains("list = \'\'\'{\"_meta\": null}\'\'\'"), "{}", file.text);
    assert!(file.text.contains("[[answer]]\nto = \"initialize\"\n"), "{}", file.text);
}

#[test]
fn a_page_that_names_itself_does_so_in_the_file() {
    let page = |id: u32, cursor: &str| {
        let params = if cursor.is_empty() { String::new() } else { format!(r#","params":{{"cursor":"{cursor}"}}"#) };
        let ask = client(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"{params}}}"#));
        vec![ask, answer(id, &format!(r#"{{"tools":[{COUNT}],"nextCursor":"2"}}"#))]
    };
    let parts = [handshake(), page(1, ""), page(2, "2"), page(3, "2"), call(4, "count", "{}", THREE)];
    let file = file(&recorded(parts));
    assert!(file.text.contains("list = \'\'\'{\"nextCursor\": \"2\"}\'\'\'"), "{}", file.text);
    assert!(!file.text.contains("page-size"), "{}", file.text);
}

#[test]
fn an_answer_under_another_id_keeps_that_id() {
    let other = server(format!(r#"{{"jsonrpc":"2.0","id":99,"result":{THREE}}}"#));
    let file = file(&recorded([handshake(), list(1, &[COUNT]), vec![ask(2, "count", r#"{"id":99}"#), other]]));
    assert!(file.text.contains("answers under another id"), "{}", file.text);
    assert!(file.text.contains("raw = \'\'\'{\"jsonrpc\":\"2.0\",\"id\":99,"), "{}", file.text);
    assert!(file.text.contains("means.value = \'\'\'{\"count\": 3}\'\'\'"), "{}", file.text);
    // Without an id it answers nobody, and stays without one.
    let nobody = server(format!(r#"{{"jsonrpc":"2.0","id":null,"result":{THREE}}}"#));
    let file = self::file(&recorded([handshake(), list(1, &[COUNT]), vec![ask(2, "count", "{}"), nobody]]));
    assert!(file.text.contains(r#"raw = '''{"jsonrpc":"2.0","id":null,"#), "{}", file.text);
    // An id that became a text is that of whoever asks.
    let text = server(format!(r#"{{"jsonrpc":"2.0","id":"2","result":{THREE}}}"#));
    let file = self::file(&recorded([handshake(), list(1, &[COUNT]), vec![ask(2, "count", "{}"), text]]));
    assert!(file.text.contains(r#""id":"{{id}}""#), "{}", file.text);
}
