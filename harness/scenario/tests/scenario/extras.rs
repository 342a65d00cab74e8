//! Scripted answers to requests other than calls, `also-expect`, and links between calls.

use insta::assert_snapshot;
use mcp_compat_json::Json;
use mcp_compat_model::peer_contract::{AnsweredMethod, JobStep, Reply};
use mcp_compat_model::verdict::Outcome;
use mcp_compat_scenario::scenario::{Call, Step};

use crate::given::{HEAD, accepted, only, plain, plain_but, refused};

/// The file, with more below its tool.
fn with(more: &str) -> String {
    format!("{}{more}\n", plain())
}

/// The file, with more at its top.
fn headed(more: &str) -> String {
    format!("{more}\n{}", plain())
}

fn calls(text: &str) -> Vec<Call> {
    only(text).calls().map(|(_, call)| call.clone()).collect()
}

/// Two calls, the second with more to it.
fn two_calls(more: &str) -> String {
    with(&format!("[[step]]\ncall = \"count\"\n\n[[step]]\ncall = \"count\"\n{more}"))
}

#[test]
fn parts_stand_for_long_text() {
    let text = format!(
        "{HEAD}\n[part.deep]\nrepeat = '['\ntimes = 3\n\n[part.end]\nrepeat = ']'\ntimes = 3\n\n[part.wide]\n\
         repeat = '\"p{{{{n}}}}\": {{{{next}}}}'\ntimes = 2\nbetween = ','\n\n[[tool]]\ndefinition = '{{\"name\": \"t\"}}'\n\
         returns = '{{\"structuredContent\": {{\"a\": {{{{deep}}}}{{{{end}}}}, {{{{wide}}}}}}}}'\n"
    );
    let scenario = only(&text);
    let Reply::Result(result) = &scenario.stages[0].tools[0].reply else { panic!("a result") };
    assert_eq!(result.get(), r#"{"structuredContent":{"a":[[[]]],"p0":1,"p1":2}}"#);
}

#[test]
fn a_part_is_used_and_has_a_name_of_its_own() {
    assert_snapshot!(refused(&with("[part.deep]\nrepeat = '['\ntimes = 3\n")), @r#"
    error: the part `deep` is not used
     --> root-type/count.toml:8:7
      |
    8 | [part.deep]
      |       ^^^^ no JSON and no raw text in this file contains `{{deep}}`
    "#);
    assert_snapshot!(refused(&with("[part.id]\nrepeat = '['\ntimes = 3\n")), @r#"
    error: a part cannot have the name `id`
     --> root-type/count.toml:8:7
      |
    8 | [part.id]
      |       ^^ expected a word of lower-case letters, digits and hyphens that has no other meaning
    "#);
    assert_snapshot!(refused(&with("[part.deep]\nrepeat = '['\n")), @r#"
    error: a part needs `times`
     --> root-type/count.toml:8:1
      |
    8 | [part.deep]
      | ^^^^^^^^^^^ `times` is missing here
      |
      = help: for example: `times = 200`
    "#);
}

#[test]
fn a_part_is_never_longer_than_anybody_sends() {
    assert_snapshot!(refused(&with("[part.deep]\nrepeat = '0123456789'\ntimes = 4_000_000_000\n")), @r#"
    error: the part `deep` becomes too long
     --> root-type/count.toml:8:7
      |
    8 | [part.deep]
      |       ^^^^ expected at most 16 MiB with everything put in
    "#);
}

#[test]
fn what_is_not_json_with_its_parts_put_in_is_told_by_its_own_line() {
    let text = plain_but("\"content\": []", "\"content\": [{{open}}]");
    assert_snapshot!(refused(&format!("{text}\n[part.open]\nrepeat = '['\ntimes = 2\n")), @r#"
    error: `returns` is not JSON
     --> root-type/count.toml:7:11
      |
    7 | returns = '{"structuredContent": 3, "content": [{{open}}]}'
      |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ expected `,` or `]`, found '}' (line 1, column 41 of the text)
      |
      = help: the text is what stands here with its parts put in
    "#);
}

#[test]
fn other_requests_are_answered_as_written() {
    let answers = only(&with(
        "[[answer]]\nto = \"server/discover\"\nraw = 'no JSON'\n\n[[answer]]\nto = \"tools/list\"\npage = 2\ndoes = \"exit\"",
    ))
    .answers;
    let scripted: Vec<_> = answers.iter().map(|answer| (answer.to, answer.page)).collect();
    assert_eq!(scripted, [(AnsweredMethod::Discover, None), (AnsweredMethod::ListTools, Some(2))]);
    assert!(matches!((&answers[0].reply, &answers[1].reply), (Reply::Raw(_), Reply::Exit { .. })));
    assert!(only(&plain()).answers.is_empty());
}

#[test]
fn an_answer_is_to_one_request_in_one_way() {
    assert_snapshot!(refused(&with("[[answer]]\nto = \"server/discovery\"\ndoes = \"hang\"")), @r#"
    error: `server/discovery` is not a request whose answer can be written
     --> root-type/count.toml:9:6
      |
    9 | to = "server/discovery"
      |      ^^^^^^^^^^^^^^^^^^ expected `initialize`, `server/discover` or `tools/list`
      |
      = help: the nearest is `server/discover`
    "#);
    assert_snapshot!(refused(&with("[[answer]]\nto = \"initialize\"")), @r#"
    error: an `[[answer]]` needs an answer
     --> root-type/count.toml:8:1
      |
    8 | [[answer]]
      | ^^^^^^^^^^ expected `returns`, `error`, `raw`, `raw-file` or `does`
      |
      = help: for example: `returns = '''{"content": []}'''`
    "#);
    assert_snapshot!(refused(&with("[[answer]]\nto = \"initialize\"\nraw = ''\ndoes = \"hang\"")), @r#"
    error: an `[[answer]]` answers in one way
      --> root-type/count.toml:11:1
       |
    10 | raw = ''
       | --- either `raw`
    11 | does = "hang"
       | ^^^^ or `does`
    "#);
    assert_snapshot!(refused(&with("[[answer]]\nto = \"initialize\"\npage = 1\ndoes = \"hang\"")), @r#"
    error: `initialize` has no pages
      --> root-type/count.toml:10:1
       |
    10 | page = 1
       | ^^^^ only `tools/list` has
    "#);
}

#[test]
fn no_session_can_be_expected_where_its_opening_is_answered_as_written() {
    let refusing = "[[answer]]\nto = \"initialize\"\nerror = '{\"code\": -32602, \"message\": \"no\"}'";
    let text = format!("expect = \"unreachable\"\n{}{refusing}\n", plain());
    assert_eq!(calls(&text)[0].expect.legacy, Outcome::Unreachable);
    assert_snapshot!(refused(&headed("expect = \"unreachable\"")), @r#"
    error: `unreachable` is not an outcome of a value
     --> root-type/count.toml:1:10
      |
    1 | expect = "unreachable"
      |          ^^^^^^^^^^^^^ expected `intact`, `wrapped`, `text`, `prose`, `rejected`, `altered` or `lost`
    ...
    6 | [[tool]]
      | -------- this means a value
    "#);
}

#[test]
fn a_tool_has_messages_before_its_answer_and_members_that_it_goes_without() {
    let scenario =
        only(&headed("list-without = [\"ttlMs\"]").replace(
            "returns =",
            "before = ['Starting', '{\"method\": \"x\"}']\nwithout = [\"resultType\"]\nreturns =",
        ));
    let script = scenario.script();
    let tool = &script.stages[0].tools[0];
    assert_eq!(tool.before, ["Starting", r#"{"method": "x"}"#]);
    assert_eq!((&tool.without, &script.list_without), (&vec!["resultType".to_owned()], &vec!["ttlMs".to_owned()]));
}

#[test]
fn what_goes_before_an_answer_is_a_line_each() {
    let before = |elements: &str| plain_but("returns =", &format!("before = [{elements}]\nreturns ="));
    assert_eq!(only(&before("'one', 'two'")).script().stages[0].tools[0].before, ["one", "two"]);
    assert_snapshot!(refused(&before("'one', \"two\\nthree\"")), @r#"
    error: a line break in `before` makes two lines of one
     --> root-type/count.toml:7:18
      |
    7 | before = ['one', "two\nthree"]
      |                  ^^^^^^^^^^^^ expected a message, or a line that is not a message, on a single line
      |
      = help: write each line as an element of its own
    "#);
    let part = "\n[part.lines]\nrepeat = 'x'\ntimes = 2\nbetween = \"\\n\"\n";
    assert_snapshot!(refused(&format!("{}{part}", before("'{{lines}}'"))), @r"
    error: a line break in `before` makes two lines of one
     --> root-type/count.toml:7:11
      |
    7 | before = ['{{lines}}']
      |           ^^^^^^^^^^^ expected a message, or a line that is not a message, on a single line
      |
      = help: write each line as an element of its own
    ");
}

#[test]
fn a_tool_waits_for_another_one_that_is_there() {
    let other = "\n[[tool]]\ndefinition = '{\"name\": \"other\"}'\nreturns = '{\"structuredContent\": {}}'\n";
    let waiting = |name: &str| plain_but("returns =", &format!("answers-after = \"{name}\"\nreturns ="));
    let scenario = only(&format!("{}{other}", waiting("other")));
    assert_eq!(scenario.script().stages[0].tools[0].answers_after.as_deref(), Some("other"));
    assert_snapshot!(refused(&format!("{}{other}", waiting("othr"))), @r#"
    error: `count` would never answer
     --> root-type/count.toml:7:17
      |
    7 | answers-after = "othr"
      |                 ^^^^^^ no other tool is named `othr`
      |
      = help: the nearest tool is `other`
    "#);
    assert_snapshot!(refused(&waiting("count")), @r#"
    error: `count` would never answer
     --> root-type/count.toml:7:17
      |
    7 | answers-after = "count"
      |                 ^^^^^^^ no other tool is named `count`
    "#);
}

#[test]
fn what_must_come_besides_is_said_of_the_tool_or_of_the_step() {
    let image = r#"[{"type": "image", "mimeType": "image/gif", "data": "R0lG"}]"#;
    let tool = plain_but("returns =", &format!("also-expect.blocks = '{image}'\nreturns ="))
        .replace(r#""content": []"#, &format!(r#""content": {image}"#));
    assert_eq!(calls(&tool)[0].also_expect.blocks, Json::parse(image).unwrap().as_array().unwrap());
    let step = format!("{tool}\n[[step]]\ncall = \"count\"\nalso-expect.value = '3.0'\n");
    let also = &calls(&step)[0].also_expect;
    assert_eq!((also.blocks.len(), &also.value), (0, &Some(Json::parse("3").unwrap())));
    assert!(calls(&plain())[0].also_expect.is_empty());
}

#[test]
fn content_blocks_are_an_array_of_objects() {
    let with_blocks = |blocks: &str| plain_but("returns =", &format!("also-expect.blocks = '{blocks}'\nreturns ="));
    assert_snapshot!(refused(&with_blocks("{}")), @r#"
    error: `blocks` must be content blocks
     --> root-type/count.toml:7:22
      |
    7 | also-expect.blocks = '{}'
      |                      ^^^^ expected a JSON array of objects, with at least one in it
      |
      = help: for example: `[{"type": "image", "mimeType": "image/gif", "data": "R0lG"}]`
    "#);
    assert_snapshot!(refused(&with_blocks("[]")), @r#"
    error: `blocks` must be content blocks
     --> root-type/count.toml:7:22
      |
    7 | also-expect.blocks = '[]'
      |                      ^^^^ expected a JSON array of objects, with at least one in it
      |
      = help: for example: `[{"type": "image", "mimeType": "image/gif", "data": "R0lG"}]`
    "#);
    assert_snapshot!(refused(&plain_but("returns =", "also-expect = {}\nreturns =")), @r#"
    error: `also-expect` says nothing
     --> root-type/count.toml:7:1
      |
    7 | also-expect = {}
      | ^^^^^^^^^^^ expected `blocks`, `value` or both
      |
      = help: the forms are `also-expect.blocks = 'JSON array'` and `also-expect.value = 'JSON'`
    "#);
}

#[test]
fn two_calls_can_be_sent_at_once() {
    let scenario = only(&two_calls("concurrent = true"));
    let at_once = |step: &JobStep| matches!(step, JobStep::Call { at_once: true, .. });
    assert_eq!(scenario.job_steps().iter().map(at_once).collect::<Vec<_>>(), [false, true, false]);
    let alone = "[[step]]\nlist = true\n\n[[step]]\ncall = \"count\"\nconcurrent = true";
    assert_snapshot!(refused(&with(alone)), @r#"
    error: `concurrent` needs a call right before it
      --> root-type/count.toml:13:1
       |
    13 | concurrent = true
       | ^^^^^^^^^^ the step before this one is not a `call`
    "#);
}

#[test]
fn a_call_is_fed_from_the_value_of_the_one_before() {
    let scenario = only(&two_calls("args-from.\"/id\" = \"\""));
    let Some(Step::Call(call)) = scenario.steps.get(1) else { panic!("a call") };
    assert_eq!(
        call.args_from.iter().map(|(into, from)| (into.as_str(), from.as_str())).collect::<Vec<_>>(),
        [("/id", "")]
    );
}

#[test]
fn what_feeds_a_call_is_there() {
    assert_snapshot!(refused(&two_calls("args-from.\"/id\" = \"/id\"")), @r#"
    error: the value of the call before has nothing at `/id`
      --> root-type/count.toml:13:19
       |
    13 | args-from."/id" = "/id"
       |                   ^^^^^ no such member or element
    "#);
    assert_snapshot!(refused(&two_calls("args-from.id = \"\"")), @r#"
    error: `id` is not a JSON Pointer to a member
      --> root-type/count.toml:13:11
       |
    13 | args-from.id = ""
       |           ^^ expected text that begins with `/`
       |
       = help: for example: `args-from."/id" = "/users/0/id"`
    "#);
    assert_snapshot!(refused(&with("[[step]]\ncall = \"count\"\nargs-from.\"/id\" = \"\"")), @r#"
    error: `args-from` needs a call that returns a value before it
      --> root-type/count.toml:10:1
       |
    10 | args-from."/id" = ""
       | ^^^^^^^^^ no call before this one returns a value
    "#);
    assert_snapshot!(refused(&two_calls("concurrent = true\nargs-from.\"/id\" = \"\"")), @r#"
    error: a call cannot have both `concurrent` and `args-from`
      --> root-type/count.toml:14:1
       |
    13 | concurrent = true
       | ---------- the call is sent without waiting for that value
    14 | args-from."/id" = ""
       | ^^^^^^^^^ the value of the call before is not known yet
    "#);
}

#[test]
fn whatever_links_calls_goes_with_a_call() {
    assert_snapshot!(refused(&with("[[step]]\nlist = true\nconcurrent = true\nargs-from.\"/a\" = \"\"")), @r#"
    error: `concurrent` goes with `call`
      --> root-type/count.toml:10:1
       |
    10 | concurrent = true
       | ^^^^^^^^^^ this step has no `call`

    error: `args-from` goes with `call`
      --> root-type/count.toml:11:1
       |
    11 | args-from."/a" = ""
       | ^^^^^^^^^ this step has no `call`
    "#);
    accepted(&two_calls(""));
}

/// Keys of earlier drafts of the format. Their new names are in the message.
#[test]
fn an_old_key_is_answered_with_its_new_name() {
    let call = "[[step]]\ncall = \"count\"";
    let rows = [
        (plain_but("returns =", "also.value = '1'\nreturns ="), "`also` is now called `also-expect`"),
        (with(&format!("{call}\nalso.value = '1'")), "`also` is now called `also-expect`"),
        (two_calls("at-once = true"), "`at-once` is now called `concurrent`"),
        (two_calls("feed.\"/id\" = \"\""), "`feed` is now called `args-from`"),
        (with("[[step]]\nevolve = \"told\"\ntool = []"), "`told` is now called `notify`"),
        (with("[[step]]\nevolve = \"untold\"\ntool = []"), "`untold` is now called `silent`"),
    ];
    for (text, help) in rows {
        let refused = refused(&text);
        assert!(refused.contains(help) && refused.matches("error: ").count() == 1, "{refused}");
    }
}
