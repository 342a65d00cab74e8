//! From what is pasted to a scenario: every form that a report takes, and what is said of what is missing.

use mcp_compat_author::report::{ReportError, Reported, read};
use mcp_compat_author::template;
use rstest::rstest;

use crate::wire::text;

const TOOL: &str = r#"{"name":"list_users","inputSchema":{"type":"object"},"outputSchema":{"type":"array","items":{"type":"object","required":["id"]}}}"#;
const RESULT: &str = r#"{"structuredContent":[{"id":"u1"}],"content":[{"type":"text","text":"[{\"id\":\"u1\"}]"}]}"#;

fn reported(text: &str) -> Reported {
    read(text, Vec::new()).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

fn call(id: u32) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"list_users","arguments":{{"page":2}}}}}}"#
    )
}

fn answer(id: u32, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

#[rstest]
#[case::definition_and_result(format!("{TOOL}\n{RESULT}"))]
#[case::result_and_definition(format!("{RESULT} {TOOL}"))]
#[case::an_object_of_both(format!(r#"{{"tool":{TOOL},"result":{RESULT}}}"#))]
#[case::answers_of_list_and_call(format!("{}\n{}", answer(1, &format!(r#"{{"tools":[{TOOL}]}}"#)), answer(2, RESULT)))]
#[case::the_list_alone_and_the_result(format!(r#"{{"tools":[{TOOL}]}} {RESULT}"#))]
#[case::a_batch(format!("[{TOOL},{RESULT}]"))]
#[case::an_issue(format!("It fails:\n\n```json\n{TOOL}\n```\n\nreturns\n\n```\n{RESULT}\n```\n"))]
#[case::a_log(format!("[info] <- {}\n[info] <- {}\n", answer(1, &format!(r#"{{"tools":[{TOOL}]}}"#)), answer(2, RESULT)))]
fn a_report_in_any_form_makes_the_same_scenario(#[case] report: String) {
    let draft = reported(&report).draft;
    let text = text(&draft);
    assert_eq!(draft.tools.len(), 1, "{text}");
    assert!(text.contains("since = \"2026-07-28\""), "{text}");
    assert!(text.contains("title = \"`list_users` returns an array\""), "{text}");
    assert!(
        text.contains(
            r#"returns = '''
{"structuredContent": [{"id": "u1"}], "content": [{"type": "text", "text": "[{\"id\":\"u1\"}]"}]}'''"#
        ),
        "{text}"
    );
    assert!(text.contains(r#"control = '''{"structuredContent": [{}], "content": []}'''"#), "{text}");
}

#[test]
fn a_log_of_messages_gives_the_arguments_and_knows_whose_answer_it_is() {
    let list = answer(1, &format!(r#"{{"tools":[{{"name":"other","inputSchema":{{}}}},{TOOL}]}}"#));
    let text = text(&reported(&[list, call(7), answer(7, RESULT)].join("\n")).draft);
    assert!(text.contains("arguments = '''{\"page\": 2}'''"), "{text}");
    assert!(!text.contains("other"), "nobody called it: {text}");
}

#[test]
fn a_value_that_violates_its_schema_is_said_to_mean_nothing_valid() {
    let text = text(&reported(&format!(r#"{TOOL} {{"structuredContent":[{{}}],"content":[]}}"#)).draft);
    assert!(text.contains("\"id\" is a required property (at /0)"), "{text}");
    assert!(text.contains("means = \"invalid\""), "{text}");
    assert!(!text.contains("control"), "it has nothing to show that the result does not: {text}");
}

#[test]
fn an_error_of_json_rpc_and_one_of_the_tool_are_told_apart() {
    let rpc = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}"#;
    let of_rpc = text(&reported(&format!("{TOOL} {} {rpc}", call(7))).draft);
    assert!(of_rpc.contains("error = '''{\"code\": -32602, \"message\": \"no\"}'''"), "{of_rpc}");
    let of_tool = reported(&format!(r#"{TOOL} {{"content":[{{"type":"text","text":"no"}}],"isError":true}}"#));
    assert!(text(&of_tool.draft).contains("title = \"`list_users` fails with a tool error\""));
}

#[test]
fn what_is_missing_stands_in_the_file_as_a_comment_and_is_said() {
    let without_result = reported(TOOL);
    assert!(text(&without_result.draft).contains("# This result is a placeholder"));
    assert!(without_result.guessed.iter().any(|line| line.starts_with("the result of `list_users`")));
    let without_tool = reported(RESULT);
    assert!(text(&without_tool.draft).contains("# The definition of this tool is not known"));
    assert!(without_tool.guessed.iter().any(|line| line.starts_with("the definition of")));
}

#[test]
fn arguments_that_the_tool_requires_and_the_report_does_not_say_are_to_fill_in() {
    let tool = TOOL.replacen(r#""inputSchema":{"#, r#""inputSchema":{"required":["city","unit"],"#, 1);
    assert_ne!(tool, TOOL);
    let missing = |report: &str| -> Vec<String> {
        reported(report).guessed.into_iter().filter(|line| line.starts_with("the arguments of")).collect()
    };
    assert_eq!(missing(&format!("{tool} {RESULT}")), ["the arguments of `list_users`: it requires `city`, `unit`"]);
    let with = |arguments: &str| call(1).replace(r#"{"page":2}"#, arguments);
    let partly = format!("{tool} {} {}", with(r#"{"city":"Bern"}"#), answer(1, RESULT));
    assert_eq!(missing(&partly), ["the arguments of `list_users`: it requires `unit`"]);
    let whole = format!("{tool} {} {}", with(r#"{"city":"Bern","unit":"C"}"#), answer(1, RESULT));
    assert_eq!(missing(&whole), Vec::<String>::new());
}

#[test]
fn the_address_of_the_issue_is_taken_from_its_text_unless_one_is_given() {
    let report = format!("https://github.com/a/b/issues/7\n```json\n{TOOL}\n```");
    assert!(text(&reported(&report).draft).contains("sources = [\"https://github.com/a/b/issues/7\"]"));
    let given = read(&report, vec!["https://example.org/x".to_owned()]).unwrap();
    assert!(text(&given.draft).contains("sources = [\"https://example.org/x\"]"));
}

#[test]
fn several_answers_of_one_tool_become_a_family() {
    let other = RESULT.replace("u1", "u2");
    let report = [TOOL.to_owned(), call(1), answer(1, RESULT), call(2), answer(2, &other)].join("\n");
    assert_eq!(reported(&report).draft.cases.len(), 2);
}

#[test]
fn a_report_that_says_nothing_of_a_tool_is_refused() {
    let mistake = |text: &str| read(text, Vec::new()).unwrap_err();
    assert_eq!(mistake("It does not work."), ReportError::Nothing);
    assert_eq!(mistake("\n{\"a\": 1}"), ReportError::NoTool { line: 2 });
    assert!(mistake("{\"name\": \"a\",\n}").to_string().starts_with("line 2, column 1: "));
}

#[test]
fn the_template_is_right_as_it_is_and_says_what_to_put_where() {
    insta::assert_snapshot!(text(&template(Vec::new())), @r#"
    # A scenario: one thing that a server does, and what a user of any client must get out of it.
    # All keys are explained in scenarios/README.md of mcp-compat.

    # What it is about, in a line.
    title = "`get_answer` returns an object"
    # Why it matters, for readers without context. Say what went wrong, and for whom.
    why = "A server returned this value. The user of every client has to get all of it."
    # Where the case comes from: the issue, or the page of the specification.
    # sources = ["https://…"]
    # The first revision in which a server may do this; without it 2025-06-18.
    # since = "2026-07-28"
    # Where the specification is not clear, the page that should say it:
    # spec = { silent = "https://…" }
    # The least that a user must get, where it is not the usual:
    # expect = { modern = "intact", legacy = "text" }

    [[tool]]
    # The tool's entry in tools/list, pasted as it stands.
    definition = '''
    {"name": "get_answer", "inputSchema": {"type": "object"},
     "outputSchema": {"type": "object", "properties": {"answer": {"type": "integer"}}, "required": ["answer"]}}'''
    # The result of a call, pasted as it stands; a JSON-RPC error is given as error = '''{…}'''.
    returns = '''
    {"structuredContent": {"answer": 42}, "content": [{"type": "text", "text": "{\"answer\": 42}"}]}'''
    # A result that violates the schema: a client that takes this too checks nothing.
    control = '''{"structuredContent": {"answer": "wrong"}, "content": []}'''
    # The arguments of the call, if it has any:
    # arguments = '''{"id": 1}'''
    # What the tool means, where its result shows something else: "invalid", or one of
    # means.value = '''JSON''', means.text = "words", means.tool-error = "words"
    "#);
}

/// A control would never be called by steps that are written down, and a file with such a one does not load.
#[test]
fn calls_with_arguments_of_their_own_make_steps_and_no_control() {
    let called = |id: u32| call(id).replace("\"page\":2", &format!("\"page\":{id}"));
    let exchange = |id: u32| format!("{}\n{}\n", called(id), answer(id, RESULT));
    let list = answer(1, &format!(r#"{{"tools":[{TOOL}]}}"#));
    let draft = reported(&format!("{list}\n{}{}{}", exchange(2), exchange(3), exchange(4))).draft;
    let text = text(&draft);
    mcp_compat_scenario::load("mine/made.toml", &text, &|_| None)
        .unwrap_or_else(|mistakes| panic!("{text}\n{mistakes}"));
    assert!(!draft.steps.is_empty() && !text.contains("\ncontrol ="), "{text}");
    assert!(text_of_one_call().contains("\ncontrol ="));
}

fn text_of_one_call() -> String {
    text(&reported(&format!("{TOOL}\n{RESULT}")).draft)
}

const SAY: &str = r#"{"name":"say","inputSchema":{"type":"object"}}"#;

/// A log of messages, a line each.
fn log(messages: &[&str]) -> String {
    messages.iter().map(|message| format!("[info] {message}\n")).collect()
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;

#[test]
fn plain_tools_are_kept_if_something_around_them_is_not() {
    let said = r#"{"content":[{"type":"text","text":"hi"}]}"#;
    let ask = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"say","arguments":{{}},{META}}}}}"#
    );
    let bare = log(&[&ask, &answer(2, said)]);
    assert!(text(&reported(&bare).draft).contains("without = [\"resultType\"]"));
    let flagged = answer(2, r#"{"content":[{"type":"text","text":"No such file"}],"is_error":true}"#);
    assert!(text(&reported(&format!("{SAY}\n{flagged}")).draft).contains("is_error"));
    let listed = answer(1, &format!(r#"{{"tools":[{SAY}],"ttlMs":null,"_meta":null}}"#));
    let draft = text(&reported(&listed).draft);
    assert!(draft.contains("list = \'\'\'{\"ttlMs\": null, \"_meta\": null}\'\'\'"), "{draft}");
    let opened =
        answer(0, r#"{"protocolVersion":"2026-07-28","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#);
    let draft = text(&reported(&format!("{opened}\n{}", answer(1, &format!(r#"{{"tools":[{SAY}]}}"#)))).draft);
    assert!(draft.contains("to = \"initialize\""), "{draft}");
}

#[test]
fn a_list_that_leads_to_itself_and_an_answer_under_another_id_are_kept() {
    let page = |id: u32| answer(id, &format!(r#"{{"tools":[{SAY}],"nextCursor":"2"}}"#));
    let ask =
        |id: u32, params: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{params}}}"#);
    let endless = log(&[&ask(1, "{}"), &page(1), &ask(2, r#"{"cursor":"2"}"#), &page(2)]);
    let draft = text(&reported(&endless).draft);
    assert!(draft.contains("list = \'\'\'{\"nextCursor\": \"2\"}\'\'\'"), "{draft}");
    // Of one page it is not known where it leads.
    let one = reported(&format!("{}\n{RESULT}", answer(1, &format!(r#"{{"tools":[{TOOL}],"nextCursor":"2"}}"#))));
    assert!(one.left_out.iter().any(|line| line.contains("names a next page (\"2\")")), "{:?}", one.left_out);
    assert!(text(&one.draft).contains("# Not in this file: that the list names a next page"));
    let stray = log(&[&call(7), &answer(99, RESULT)]);
    assert!(text(&reported(&stray).draft).contains("raw = \'\'\'{\"jsonrpc\":\"2.0\",\"id\":99,"));
}

#[test]
fn what_is_usual_all_over_is_refused_with_what_is_missing() {
    let said = answer(2, r#"{"content":[{"type":"text","text":"hi"}]}"#);
    let error = read(&format!("{}\n{said}", answer(1, &format!(r#"{{"tools":[{SAY}]}}"#))), Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "nothing in it is unusual: it has tools without an outputSchema, and results of plain text alone. Add the tool's \
         entry of tools/list as the server sent it, or the message that went wrong"
    );
}
