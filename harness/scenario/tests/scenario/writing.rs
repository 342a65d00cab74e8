//! What is written down as a file, and that it comes back as it was.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_compat_json::{Json, minify};
use mcp_compat_model::Revision;
use mcp_compat_model::peer_contract::{AnsweredMethod, Reply};
use mcp_compat_model::verdict::Outcome;
use mcp_compat_scenario::scenario::{AlsoExpect, Expect, Means, SpecStance, Step};
use mcp_compat_scenario::write::{
    Answer, Draft, DraftAnswer, DraftCall, DraftCase, DraftChanges, DraftStep, DraftTool, Noted, Written,
};
use mcp_compat_scenario::{Scenario, load};
use proptest::prelude::*;

use crate::properties::json;

fn draft() -> Draft {
    let mut draft = Draft::new("A title", "A reason.");
    draft.sources = vec!["https://example.org/issues/1".to_owned()].into();
    draft
}

fn read(written: &Written) -> Scenario {
    let beside = |path: &str| written.beside.iter().find(|file| file.name == path).map(|file| file.bytes.clone());
    let scenarios = load("bug.toml", &written.text, &beside);
    let scenarios = scenarios.unwrap_or_else(|mistakes| panic!("{}\n{mistakes}", written.text));
    <[Scenario; 1]>::try_from(scenarios).map(|[scenario]| scenario).expect("one scenario")
}

#[test]
fn a_draft_reads_as_if_a_person_had_written_it() {
    let mut draft = draft();
    draft.schema = Some("../scenario.schema.json".to_owned());
    draft.heading = "Two lines\nof comment".to_owned();
    draft.why = Noted::with("Say \"why\".", "Why does it matter?");
    draft.since = Some(Revision::V2026_07_28.into());
    draft.sources.value.push(format!("https://example.org/{}", "long/".repeat(12)));
    draft.spec = Some(SpecStance::Silent { source: "https://example.org/spec".to_owned() });
    draft.expect = Some(Expect { modern: Outcome::Intact, legacy: Outcome::Text }.into());
    draft.page_size = Some(1);
    draft.list = Some("{\"ttlMs\":60000}".to_owned());
    let mut tool = DraftTool::new(
        "{\"name\":\"list_users\",\"inputSchema\":{\"type\":\"object\"},\"outputSchema\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"id\"]}}}",
        Answer::Returns("{\"structuredContent\":[{\"id\":\"u1\"}],\"content\":[]}".to_owned()),
    );
    tool.arguments = Some("{\"limit\": 1.0}".to_owned().into());
    tool.means = Some(Noted::with(Means::Value(Json::parse("[]").unwrap()), "Said here."));
    tool.control = Some("{\"structuredContent\":[{}],\"content\":[]}".to_owned().into());
    tool.expect = Some(Expect::both(Outcome::Intact).into());
    tool.footing = "The end.".to_owned();
    draft.tools.push(tool);
    draft.steps = vec![
        DraftStep::List,
        DraftStep::Call(DraftCall::new("list_users")),
        DraftStep::Call(DraftCall::new("list_users_control")),
        DraftStep::Evolve { notified: true, tools: Vec::new() },
        DraftStep::Call(DraftCall {
            arguments: Some("{}".to_owned()),
            means: Some(Means::ToolError("gone".to_owned()).into()),
            ..DraftCall::new("list_users")
        }),
    ];
    let written = draft.write("bug");
    insta::assert_snapshot!(written.text, @r##"
    #:schema ../scenario.schema.json
    # Two lines
    # of comment

    title = "A title"
    # Why does it matter?
    why = "Say \"why\"."
    since = "2026-07-28"
    sources = [
      "https://example.org/issues/1",
      "https://example.org/long/long/long/long/long/long/long/long/long/long/long/long/",
    ]
    spec = { silent = "https://example.org/spec" }
    expect = { modern = "intact", legacy = "text" }
    page-size = 1
    list = '''{"ttlMs": 60000}'''

    [[tool]]
    definition = '''
    {"name": "list_users", "inputSchema": {"type": "object"},
     "outputSchema": {"type": "array", "items": {"type": "object", "required": ["id"]}}}'''
    arguments = '''{"limit": 1.0}'''
    returns = '''{"structuredContent": [{"id": "u1"}], "content": []}'''
    # Said here.
    means.value = '''[]'''
    control = '''{"structuredContent": [{}], "content": []}'''
    expect = "intact"
    # The end.

    [[step]]
    list = true

    [[step]]
    call = "list_users"

    [[step]]
    call = "list_users_control"

    [[step]]
    evolve = "notify"
    tool = []

    [[step]]
    call = "list_users"
    arguments = '''{}'''
    means.tool-error = "gone"
    "##);
    assert_eq!(read(&written).steps.len(), 6, "those and the bystander");
}

#[test]
fn what_a_literal_cannot_hold_is_escaped_and_comes_back() {
    for text in ["'''", "''", "\u{7f}", "\"\"\"", "\"\"\"\"", "\\", "a\"", "\u{202e}", "é😀"] {
        let json = format!("{{\"structuredContent\":{0},\"content\":[]}}", Json::from(text).to_compact());
        let mut draft = draft();
        draft.title = text.to_owned().into();
        draft.tools.push(DraftTool::new("{\"name\":\"a\",\"outputSchema\":{}}", Answer::Returns(json.clone())));
        let scenario = read(&draft.write("bug"));
        assert_eq!(scenario.title, text);
        assert!(
            matches!(&scenario.stages[0].tools[0].reply, Reply::Result(result) if result.get() == json),
            "{text:?}"
        );
    }
}

#[test]
fn bytes_come_back_from_the_file_or_from_beside_it() {
    let texts: [&[u8]; 9] = [
        b"{\"id\": {{id}}}",
        b"",
        b"\n",
        b"\n\none\r\ntwo\n",
        b"ends with '",
        b"''' \"\"\" \"",
        b"\"",
        b"\0\t\x1b[31m",
        b"\xef\xbb\xbf{}",
    ];
    for bytes in texts.into_iter().chain([b"\xff\xfe".as_slice()]) {
        let mut draft = draft();
        for name in ["a", "b"] {
            let mut tool = DraftTool::new(format!("{{\"name\":\"{name}\"}}"), Answer::Raw(bytes.to_vec()));
            tool.means = Some(Means::Invalid.into());
            draft.tools.push(tool);
        }
        let written = draft.write("bug");
        assert_eq!(written.beside.is_empty(), std::str::from_utf8(bytes).is_ok());
        for tool in &read(&written).stages[0].tools {
            assert!(matches!(&tool.reply, Reply::Raw(raw) if STANDARD.decode(raw).unwrap() == bytes), "{bytes:?}");
        }
    }
}

#[test]
fn tools_that_do_not_answer_and_errors_come_back() {
    let mut draft = draft();
    for (name, answer) in [("hang", Answer::Hang), ("exit", Answer::Exit)] {
        let mut tool = DraftTool::new(format!("{{\"name\":\"{name}\"}}"), answer);
        tool.means = Some(Means::Text("never".to_owned()).into());
        draft.tools.push(tool);
    }
    let error = Answer::Error("{\"code\": -32603, \"message\": \"out of stock\"}".to_owned());
    draft.tools.push(DraftTool::new("{\"name\":\"error\"}", error));
    let scenario = read(&draft.write("bug"));
    let [hang, exit, error] = &scenario.stages[0].tools[..] else { panic!("three tools") };
    assert!(matches!(hang.reply, Reply::Hang {}));
    assert!(matches!(exit.reply, Reply::Exit { .. }));
    assert!(matches!(&error.reply, Reply::Error(error) if error.get().contains("-32603")));
}

#[test]
fn a_mistake_in_a_draft_is_told_when_it_is_read() {
    let mut draft = draft();
    draft.tools.push(DraftTool::new("{\"name\": \"a\",}", Answer::Returns("{}".to_owned())));
    let mistakes = load("bug.toml", &draft.write("bug").text, &|_| None).expect_err("this is not JSON");
    assert!(mistakes.to_string().contains("a comma must be followed by another item"), "{mistakes}");
}

#[test]
fn comments_stay_comments_whatever_is_in_them() {
    let mut draft = draft();
    draft.heading = format!("{}\r\n\u{1b}[31m\n\n# = '''\0", "word ".repeat(60));
    draft.footing = "[[tool]]".to_owned();
    draft.tools.push(DraftTool::new("{\"name\":\"a\"}", Answer::Returns("{}".to_owned())));
    draft.tools[0].means = Some(Noted::with(Means::Invalid, "]]\ntitle = 3"));
    assert_eq!(read(&draft.write("bug")).stages[0].tools.len(), 1);
}

#[test]
fn a_family_reads_as_if_a_person_had_written_it() {
    let mut draft = draft();
    let mut tool = DraftTool::new("{\"name\":\"count\",\"outputSchema\":{}}", Answer::Hang);
    tool.answer = None;
    draft.tools.push(tool);
    let result = |value: &str| Answer::Returns(format!("{{\"structuredContent\":{value},\"content\":[]}}"));
    draft.cases = vec![
        DraftCase {
            case: Noted::with("zero".to_owned(), "The first call."),
            title: Some("Nothing".to_owned()),
            changes: DraftChanges {
                arguments: Some("{\"limit\":0}".to_owned()),
                answer: Some(result("0").into()),
                means: Some(Means::Invalid.into()),
                expect: Some(Expect::both(Outcome::Uncaught).into()),
            },
            ..DraftCase::default()
        },
        DraftCase {
            case: "other".to_owned().into(),
            tools: vec![DraftTool::new("{\"name\":\"other\"}", result("1"))],
            steps: vec![DraftStep::Call(DraftCall::new("other"))],
            ..DraftCase::default()
        },
    ];
    let written = draft.write("bug");
    insta::assert_snapshot!(written.text, @r#"
    title = "A title"
    why = "A reason."
    sources = ["https://example.org/issues/1"]

    [[tool]]
    definition = '''{"name": "count", "outputSchema": {}}'''

    [[case]]
    # The first call.
    case = "zero"
    title = "Nothing"
    arguments = '''{"limit": 0}'''
    returns = '''{"structuredContent": 0, "content": []}'''
    means = "invalid"
    expect = "uncaught"

    [[case]]
    case = "other"

    [[case.tool]]
    definition = '''{"name": "other"}'''
    returns = '''{"structuredContent": 1, "content": []}'''

    [[case.step]]
    call = "other"
    "#);
    let scenarios = load("bug.toml", &written.text, &|_| None).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let ids: Vec<_> = scenarios.iter().map(|scenario| scenario.id.as_str()).collect();
    assert_eq!(ids, ["bug[zero]", "bug[other]"]);
}

#[test]
fn what_happens_around_a_call_comes_back() {
    let tool = |name: &str| {
        let definition = format!("{{\"name\":\"{name}\",\"inputSchema\":{{\"type\":\"object\"}}}}");
        let result = "{\"structuredContent\":{\"id\":1},\"content\":[{\"type\":\"image\"}]}";
        DraftTool::new(definition, Answer::Returns(result.to_owned()))
    };
    let json = |text: &str| Json::parse(text).unwrap();
    let also = AlsoExpect { blocks: vec![json("{\"type\":\"image\"}")], value: Some(json("{\"id\":1}")) };
    let args_from: BTreeMap<_, _> = [("/a\"b".to_owned(), "/id".to_owned())].into();
    let before = vec!["{{id}}\t\"".to_owned(), "noise".to_owned()];
    let mut draft = draft();
    draft.list_without = vec!["ttlMs".to_owned()];
    draft.answers = vec![
        DraftAnswer { to: AnsweredMethod::Discover, page: None, answer: Answer::Hang },
        DraftAnswer { to: AnsweredMethod::ListTools, page: Some(2), answer: Answer::Raw(b"torn".to_vec()) },
    ];
    draft.tools = vec![tool("one"), tool("two")];
    draft.tools[0].without = vec!["resultType".to_owned()];
    draft.tools[0].before = before.clone();
    draft.tools[0].answers_after = Some("two".to_owned());
    draft.tools[0].also_expect = also.clone();
    draft.steps = vec![
        DraftStep::Call(DraftCall::new("one")),
        DraftStep::Call(DraftCall {
            concurrent: true,
            also_expect: AlsoExpect { value: None, ..also.clone() },
            ..DraftCall::new("two")
        }),
        DraftStep::Call(DraftCall { args_from: args_from.clone(), ..DraftCall::new("two") }),
    ];

    let scenario = read(&draft.write("bug"));
    assert_eq!(scenario.list_without, ["ttlMs"]);
    let [discover, second_page] = &scenario.answers[..] else { panic!("two answers") };
    assert_eq!((discover.to, second_page.to), (AnsweredMethod::Discover, AnsweredMethod::ListTools));
    assert!(matches!((&discover.reply, second_page.page), (Reply::Hang {}, Some(2))));
    let [one, two] = &scenario.stages[0].tools[..] else { panic!("two tools") };
    assert_eq!((&one.before, one.answers_after.as_deref()), (&before, Some("two")));
    assert!(one.without == ["resultType"] && two.without.is_empty());
    let calls: Vec<_> = scenario.calls().map(|(_, call)| call).collect();
    assert_eq!((&calls[0].also_expect, &calls[1].also_expect), (&also, &AlsoExpect { value: None, ..also.clone() }));
    assert_eq!((calls[1].concurrent, &calls[2].args_from), (true, &args_from));
}

proptest! {
    #[test]
    fn whatever_json_is_written_comes_back_lexeme_for_lexeme(
        values in proptest::collection::vec((json(), "[ '\u{7f}é]{0,4}", any::<bool>()), 1..4),
    ) {
        let mut draft = draft();
        draft.steps.push(DraftStep::List);
        let mut written = Vec::new();
        for (index, (value, text, evolves)) in values.into_iter().enumerate() {
            let definition = format!("{{\"{text}\":{value},\"name\":\"t{index}\",\"outputSchema\":{value}}}");
            let returns = format!("{{\"{text}\":[{value},\"{text}\"],\"structuredContent\":{value}}}");
            let arguments = format!("{{\"{text}\":{value}}}");
            let mut tool = DraftTool::new(definition.clone(), Answer::Returns(returns.clone()));
            tool.arguments = Some(arguments.clone().into());
            if evolves {
                draft.steps.push(DraftStep::Evolve { notified: false, tools: vec![tool] });
                draft.steps.push(DraftStep::Call(DraftCall::new(format!("t{index}"))));
            } else {
                draft.tools.push(tool);
            }
            written.push((evolves, [definition, returns, arguments].map(|text| minify(&text).unwrap())));
        }
        if written.iter().all(|(evolves, _)| !evolves) {
            draft.steps.clear();
        }
        let file = draft.write("bug");
        let scenario = read(&file);

        let (later, first): (Vec<_>, Vec<_>) = written.into_iter().partition(|(evolves, _)| *evolves);
        let called = !draft.steps.is_empty();
        let tools: Vec<_> = scenario.stages.iter().flat_map(|stage| &stage.tools).collect();
        let expected: Vec<_> = first.iter().chain(&later).map(|(_, texts)| texts).collect();
        prop_assert_eq!(tools.len(), expected.len());
        for (tool, [definition, returns, _]) in tools.iter().zip(&expected) {
            prop_assert_eq!(&tool.definition, definition);
            prop_assert!(matches!(&tool.reply, Reply::Result(result) if result.get() == returns));
        }
        let subjects = if called { &expected[first.len()..] } else { &expected[..] };
        let calls: Vec<_> = scenario.steps.iter().filter_map(|step| match step {
            Step::Call(call) => Some(&call.arguments),
            Step::List | Step::Evolve { .. } => None,
        }).collect();
        for (call, [_, _, arguments]) in calls.iter().zip(subjects) {
            prop_assert_eq!(*call, arguments);
        }
    }
}
