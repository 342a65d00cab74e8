//! What each key does: a file with all of them, and the defaults where they are missing.

use std::collections::BTreeMap;

use mcp_compat_json::Json;
use mcp_compat_model::Revision;
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_scenario::scenario::{Expect, Means, Purpose, SpecStance, Step};
use mcp_compat_scenario::{Scenario, schema};

use crate::given::{HEAD, PATH, accepted, only, plain, plain_but};

const FULL: &str = include_str!("full.toml");

fn full() -> Scenario {
    accepted(FULL).swap_remove(0)
}

fn json(text: &str) -> Json {
    Json::parse(text).expect("JSON")
}

/// What the first call of a scenario means, and what must come of it.
fn first_call(scenario: &Scenario) -> (Means, Expect) {
    let (_, call) = scenario.calls().next().expect("a call");
    (call.means.clone(), call.expect)
}

/// The file with another answer of its tool.
fn answering(answer: &str) -> Scenario {
    only(&plain_but("returns = '{\"structuredContent\": 3, \"content\": []}'", answer))
}

#[test]
fn the_full_example_has_every_key_of_the_schema() {
    let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
    let example: toml::Table = FULL.parse().unwrap();
    let mut written: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut note = |what, table: &toml::Table| written.entry(what).or_default().extend(table.keys().cloned());
    let tables = |table: &toml::Table, key: &str| -> Vec<toml::Table> {
        let elements = table.get(key).and_then(toml::Value::as_array).cloned().unwrap_or_default();
        elements.into_iter().map(|element| element.try_into().unwrap()).collect()
    };
    note("File", &example);
    for part in tables(&example, "case").iter().chain([&example]) {
        tables(part, "tool").iter().for_each(|tool| note("Tool", tool));
        tables(part, "answer").iter().for_each(|answer| note("Answer", answer));
        for step in tables(part, "step") {
            note("Step", &step);
            tables(&step, "tool").iter().for_each(|tool| note("Tool", tool));
        }
    }
    let properties = |schema: &serde_json::Value| -> Vec<String> {
        schema["properties"].as_object().unwrap().keys().cloned().collect()
    };
    let known = [
        ("File", properties(&schema)),
        ("Tool", properties(&schema["$defs"]["Tool"])),
        ("Step", properties(&schema["$defs"]["Step"])),
        ("Answer", vec!["to".to_owned(), "page".to_owned()]),
    ];
    for (what, keys) in known {
        assert!(!keys.is_empty());
        for key in keys {
            assert!(written[what].contains(&key), "{what} has no example of `{key}`");
        }
    }
}

#[test]
fn the_full_example_is_what_it_says() {
    let scenario = full();
    assert_eq!(scenario.id.as_str(), "root-type/count[steps]");
    assert_eq!((scenario.title.as_str(), scenario.since), ("Everything at once", Revision::V2026_07_28));
    assert_eq!(scenario.sources, ["https://example.org/issues/1", "https://example.org/issues/2"]);
    assert_eq!(scenario.spec, SpecStance::Silent { source: "https://example.org/spec/tools".to_owned() });
    assert_eq!((scenario.is_smoke, scenario.page_size), (true, Some(2)));
    assert_eq!(scenario.list.as_deref(), Some(r#"{"ttlMs":60000,"cacheScope":"private"}"#));
    let names = |stage: usize| -> Vec<&str> { scenario.stages[stage].tools.iter().map(|t| t.name.as_str()).collect() };
    assert_eq!(names(0), ["stock", "stock_control", "deep", "order", "torn", "marked", "stuck"]);
    assert_eq!((names(1), names(2).len()), (vec!["stock"], 0));
    assert_eq!(scenario.stages.iter().map(|stage| stage.notified).collect::<Vec<_>>(), [false, true, false]);
}

#[test]
fn what_goes_over_the_wire_keeps_its_lexemes() {
    let scenario = full();
    assert_eq!(
        scenario.stages[0].tools[0].definition,
        r#"{"name":"stock","inputSchema":{"type":"object"},"outputSchema":{"type":"array","items":{"type":"number"},"maxItems":1e1}}"#
    );
    assert_eq!(
        scenario.stages[0].tools[1].definition,
        r#"{"name":"stock_control","inputSchema":{"type":"object"},"outputSchema":{"type":"array","items":{"type":"number"},"maxItems":1e1}}"#
    );
    let Reply::Result(result) = &scenario.stages[0].tools[0].reply else { panic!("a result") };
    assert_eq!(
        result.get(),
        r#"{"structuredContent":[1.0,12345678901234567890.5],"content":[{"type":"image","mimeType":"image/gif","data":"R0lG"}]}"#
    );
}

#[test]
fn a_tool_answers_with_an_error_with_raw_bytes_or_not_at_all() {
    let replies: Vec<Reply> = full().stages.swap_remove(0).tools.into_iter().map(|tool| tool.reply).collect();
    assert!(matches!(&replies[3], Reply::Error(error) if error.get() == r#"{"code":-32000,"message":"out of stock"}"#));
    // The same bytes in base64, byte order mark and broken UTF-8 included.
    assert!(
        matches!(&replies[4], Reply::Raw(bytes) if bytes == "eyJqc29ucnBjIjogIjIuMCIsICJpZCI6IHt7aWR9fSwgInJlc3VsdCI6IA==")
    );
    assert!(matches!(&replies[5], Reply::Raw(bytes) if bytes == "77u/eyJpZCI6e3tpZH19ff8="));
    assert!(matches!(&replies[6], Reply::Hang {}));
    let exit = answering("does = \"exit\"\nmeans.value = '3'");
    assert!(matches!(exit.stages[0].tools[0].reply, Reply::Exit { status: 1 }));
}

#[test]
fn without_steps_all_is_listed_and_called_once() {
    let scenario = only(&format!(
        "{}control = '{{\"structuredContent\": \"x\"}}'\narguments = '{{\"a\": 1}}'\n\n[[tool]]\ndefinition = '{{\"name\": \"b\"}}'\nerror = '{{\"code\": 1, \"message\": \"no\"}}'\n",
        plain()
    ));
    assert!(matches!(scenario.steps[0], Step::List));
    let calls: Vec<_> = scenario.calls().map(|(_, c)| (c.tool.as_str(), c.purpose, c.arguments.as_str())).collect();
    assert_eq!(
        calls,
        [
            ("count", Purpose::Subject, r#"{"a":1}"#),
            ("count_control", Purpose::Control, r#"{"a":1}"#),
            ("b", Purpose::Subject, "{}"),
            ("mcp_compat_bystander", Purpose::Bystander, "{}"),
        ]
    );
    let (_, control) = scenario.calls().nth(1).unwrap();
    assert_eq!((&control.means, control.expect), (&Means::Invalid, Expect::both(Outcome::Caught)));
}

#[test]
fn a_file_says_no_more_than_it_must() {
    let scenario = only(&plain());
    assert_eq!((scenario.since, scenario.spec), (Revision::V2025_06_18, SpecStance::Clear));
    assert_eq!((scenario.page_size, scenario.list, scenario.id.as_str()), (None, None, &PATH[..PATH.len() - 5]));
}

#[test]
fn a_scenario_of_ones_own_needs_no_source() {
    let text = plain_but("sources = [\"https://example.org/issues/1\"]\n", "");
    assert_eq!(only(&text).sources, [""; 0]);
}

#[test]
fn what_a_tool_means_is_seen_from_its_answer() {
    let shown = |answer: &str| first_call(&answering(answer)).0;
    let text = r#"{"type": "image"}, {"type": "text", "text": "three"}, {"type": "text", "text": "3"}"#;
    assert_eq!(shown("returns = '{\"structuredContent\": null}'"), Means::Value(Json::Null));
    let error_alone = shown("returns = '{\"structuredContent\": 3, \"isError\": true}'");
    assert_eq!(error_alone, Means::ToolError(String::new()), "an error is one whatever it carries");
    let error = shown(&format!("returns = '{{\"structuredContent\": 3, \"isError\": true, \"content\": [{text}]}}'"));
    assert_eq!(error, Means::ToolError("three".to_owned()));
    assert_eq!(shown(&format!("returns = '{{\"content\": [{text}]}}'")), Means::Text("three".to_owned()));
    let failed = format!("returns = '{{\"isError\": true, \"content\": [{text}]}}'");
    assert_eq!(shown(&failed), Means::ToolError("three".to_owned()));
    assert_eq!(shown("error = '{\"code\": 1, \"message\": \"no\"}'"), Means::ToolError("no".to_owned()));
}

#[test]
fn what_a_tool_means_can_be_said() {
    let meaning = |means: &str| first_call(&only(&format!("{}{means}\n", plain()))).0;
    assert_eq!(meaning("means = \"invalid\""), Means::Invalid);
    assert_eq!(meaning("means.value = '4.0'"), Means::Value(json("4")));
    assert_eq!(meaning("means.text = \"four\""), Means::Text("four".to_owned()));
    assert_eq!(meaning("[tool.means]\ntool-error = \"no\""), Means::ToolError("no".to_owned()));
}

#[test]
fn what_must_come_follows_from_what_is_meant() {
    let expected = |answer: &str| first_call(&answering(answer)).1;
    assert_eq!(expected("returns = '{\"structuredContent\": 3}'"), Expect::both(Outcome::Intact));
    assert_eq!(
        expected("returns = '{\"content\": [{\"type\": \"text\", \"text\": \"3\"}]}'"),
        Expect::both(Outcome::Intact)
    );
    assert_eq!(expected("error = '{\"code\": 1, \"message\": \"no\"}'"), Expect::both(Outcome::Told));
    assert_eq!(expected("raw = '{'\nmeans = \"invalid\""), Expect::both(Outcome::Caught));
    assert_eq!(expected("does = \"hang\"\nmeans.value = '3'"), Expect::both(Outcome::Hung));
    assert_eq!(expected("does = \"exit\"\nmeans.value = '3'"), Expect::both(Outcome::Crashed));
}

#[test]
fn a_value_of_the_newest_revision_is_text_to_the_older_ones() {
    let newest = |text: String| first_call(&only(&format!("since = \"2026-07-28\"\n{text}"))).1;
    assert_eq!(newest(plain()), Expect { legacy: Outcome::Text, modern: Outcome::Intact });
    assert_eq!(newest(plain_but("Content\": 3", "Content\": {}")), Expect::both(Outcome::Intact));
    assert_eq!(first_call(&only(&plain())).1, Expect::both(Outcome::Intact));
}

#[test]
fn the_nearest_expectation_counts_for_each_era() {
    let text = format!("expect = {{ modern = \"text\", legacy = \"prose\" }}\n{}expect.legacy = \"lost\"\n", plain());
    assert_eq!(first_call(&only(&text)).1, Expect { legacy: Outcome::Lost, modern: Outcome::Text });
    let step = format!("{text}\n[[step]]\ncall = \"count\"\nexpect.modern = \"wrapped\"\n");
    assert_eq!(first_call(&only(&step)).1, Expect { legacy: Outcome::Lost, modern: Outcome::Wrapped });
}

#[test]
fn multi_line_inline_tables_are_fine() {
    let tool =
        "tool = [{\n  definition = '{\"name\": \"a\"}', # a comment\n  returns = '{\"structuredContent\": {}}',\n}]\n";
    assert_eq!(only(&format!("{HEAD}{tool}")).stages[0].tools[0].name, "a");
}
