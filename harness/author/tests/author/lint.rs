//! Tests of what `lint` finds in scenarios that load, each both ways: the mistake is found, and what is meant so is
//! left alone.

use std::collections::BTreeSet;

use mcp_compat_author::lint::lint;
use mcp_compat_model::ScenarioId;
use mcp_compat_scenario::{Diagnostics, Placed, load_placed};
use tokio_util::sync::CancellationToken;

/// A scenario about an object, with nothing wrong.
const SOUND: &str = r#"
title = "An object with a count"
why = "The plainest structured output there is."
sources = ["https://example.org/tools"]

[[tool]]
definition = '{"name": "count", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}}'
returns = '{"structuredContent": {"n": 3}, "content": [{"type": "text", "text": "{\"n\": 3}"}]}'
control = '{"structuredContent": {"n": "3"}, "content": []}'
"#;

fn placed(path: &str, text: &str) -> Vec<Placed> {
    load_placed(path, text, &|_| None).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

fn lint_all(set: &[Placed], taken: &[&str]) -> Diagnostics {
    let taken: BTreeSet<ScenarioId> = taken.iter().map(|id| id.parse().unwrap()).collect();
    let stop = CancellationToken::new();
    tokio::runtime::Runtime::new().unwrap().block_on(lint(set, &taken, stop)).unwrap()
}

/// Returns what is found in one file, as it is shown.
fn found(text: &str) -> String {
    lint_all(&placed("mine/count.toml", text), &[]).render(false)
}

/// The sound scenario with one thing changed.
fn changed(from: &str, to: &str) -> String {
    assert!(SOUND.contains(from), "{from}");
    found(&SOUND.replace(from, to))
}

#[test]
fn a_sound_scenario_has_no_mistakes() {
    assert_eq!(found(SOUND), "");
}

#[test]
fn a_value_that_its_schema_refuses_is_shown_with_the_place_in_it() {
    insta::assert_snapshot!(changed(r#"{"structuredContent": {"n": 3}"#, r#"{"structuredContent": {"n": 3.5}"#), @r#"
    error: the schema of `count` rejects the value that it means to return
     --> mine/count.toml:8:1
      |
    7 | definition = '{"name": "count", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "required": ["n"], "properties"...
      | ---------- by its `outputSchema`
    8 | returns = '{"structuredContent": {"n": 3.5}, "content": [{"type": "text", "text": "{\"n\": 3}"}]}'
      | ^^^^^^^ at `/n`: 3.5 is not of type "integer"
      |
      = help: fix one of the two; or, if the value is to be rejected, write `means = "invalid"`
    "#);
    let text = SOUND.replace(r#"{"structuredContent": {"n": 3}"#, r#"{"structuredContent": {"n": 3.5}"#);
    let refused = found(&text.replace("control =", "expect = \"rejected\"\ncontrol ="));
    assert_eq!(refused, "", "a scenario may be about the refusal");
}

#[test]
fn a_value_by_a_schema_that_nobody_can_use_is_left_alone() {
    let text = SOUND.replace(r#""outputSchema": {"type": "object""#, r##""outputSchema": {"$ref": "#/nowhere""##);
    let text =
        text.replace("control = '{\"structuredContent\": {\"n\": \"3\"}, \"content\": []}'", "expect = \"rejected\"");
    assert_eq!(found(&text), "");
}

#[test]
fn a_result_that_is_said_to_be_invalid_must_be() {
    let invalid = |returns: &str| {
        let head = SOUND.split("returns").next().unwrap();
        found(&format!("{head}returns = '{returns}'\nmeans = \"invalid\"\n"))
    };
    insta::assert_snapshot!(invalid(r#"{"structuredContent": {"n": 3}, "content": []}"#), @r#"
    error: the result of `count` satisfies its schema, so it is not invalid
     --> mine/count.toml:9:1
      |
    8 | returns = '{"structuredContent": {"n": 3}, "content": []}'
      | ------- this one conforms
    9 | means = "invalid"
      | ^^^^^ expected a result that violates the `outputSchema`
    "#);
    assert_eq!(invalid(r#"{"structuredContent": {"n": "3"}, "content": []}"#), "");
    assert_eq!(invalid(r#"{"structuredContent": {"n": 3}, "content": null}"#), "", "something else is wrong with it");
    assert_eq!(invalid(r#"{"content": [{"type": "text", "text": "3"}]}"#), "", "the value is missing");
}

#[test]
fn a_control_that_conforms_cannot_be_caught() {
    insta::assert_snapshot!(changed(r#"{"n": "3"}"#, r#"{"n": 4}"#), @r#"
    error: the control `count_control` satisfies the schema, so nobody can catch it
     --> mine/count.toml:9:1
      |
    9 | control = '{"structuredContent": {"n": 4}, "content": []}'
      | ^^^^^^^ expected a result that violates the `outputSchema`
    "#);
}

#[test]
fn what_is_meant_must_be_in_the_answer() {
    let value = SOUND.replace("control =", "means.value = '4'\ncontrol =");
    let told = found(&value);
    assert!(told.contains("does not contain its `means.value`"), "{told}");
    assert!(!told.contains("no mock gets"), "one mistake is told once: {told}");
    assert_eq!(changed("control =", "means.value = '{\"n\": 3.0}'\ncontrol ="), "");
    let head = SOUND.split("returns").next().unwrap();
    let error = |words: &str, answer: &str| found(&format!("{head}{answer}\nmeans.tool-error = \"{words}\"\n"));
    let result = "returns = '{\"content\": [{\"type\": \"text\", \"text\": \"Out of stock\"}], \"isError\": true}'";
    assert_eq!(error("stock", result), "");
    assert!(error("Sold out", result).contains("nowhere in the answer as an error"));
    let raised = "error = '{\"code\": -32000, \"message\": \"Out of stock\"}'";
    assert_eq!(error("stock", raised), "");
    assert!(error("Sold out", raised).contains("nowhere in the answer as an error"));
}

#[test]
fn a_server_that_keeps_its_error_to_itself_is_a_subject() {
    let file = |answer: &str| {
        format!(
            "title = \"A failure without a flag\"\nwhy = \"A program takes the failure for a success.\"\n\
             sources = [\"https://example.org/1\"]\n\n[[tool]]\n\
             definition = '{{\"name\": \"read\", \"inputSchema\": {{\"type\": \"object\"}}}}'\n\
             returns = '{answer}'\nmeans.tool-error = \"No such file\"\n"
        )
    };
    let said = r#"{"content": [{"type": "text", "text": "No such file"}], "is_error": true}"#;
    assert_eq!(found(&file(said)), "");
    assert_eq!(found(&file(r#"{"content": [{"type": "text", "text": "Error: No such file"}]}"#)), "");
    assert!(found(&file(r#"{"content": [{"type": "text", "text": "ok"}]}"#)).contains("does not contain its"));
}

#[test]
fn a_server_that_answers_under_another_id_is_a_subject() {
    let raw = r#"{"jsonrpc": "2.0", "id": 0, "result": {"content": [{"type": "text", "text": "done"}]}}"#;
    let file = format!(
        "title = \"A result with the id 0\"\nwhy = \"The client waits for an answer that never comes.\"\n\
         sources = [\"https://example.org/1\"]\n\n[[tool]]\n\
         definition = '{{\"name\": \"do\", \"inputSchema\": {{\"type\": \"object\"}}}}'\n\
         raw = '{raw}'\nmeans.text = \"done\"\n"
    );
    assert_eq!(found(&file), "");
}

#[test]
fn an_expectation_that_nobody_meets_is_shown_with_the_best_there_is() {
    let array = |expect: &str| {
        let text = SOUND.replace("sources", "since = \"2026-07-28\"\nsources").replace(
            r#"{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}"#,
            r#"{"type": "integer"}"#,
        );
        let text = text.replace(r#"{"n": 3}"#, "3").replace(r#"{\"n\": 3}"#, "three").replace(r#"{"n": "3"}"#, "\"3\"");
        found(&text.replace("control =", &format!("expect = {expect}\ncontrol =")))
    };
    assert_eq!(array(r#"{ modern = "intact", legacy = "intact" }"#), "", "a lenient client reads it in any era");
    let told = found(&SOUND.replace(r#""structuredContent": {"n": 3}, "#, "").replace(
        "control =",
        "means.value = '{\"n\": 3}'\nexpect = { modern = \"intact\", legacy = \"text\" }\ncontrol =",
    ));
    insta::assert_snapshot!(told, @r#"
    error: no mock gets `intact` from `count` in the modern era
      --> mine/count.toml:10:21
       |
    10 | expect = { modern = "intact", legacy = "text" }
       |                     ^^^^^^^^ the best that there is to get is `text`
       |
       = help: expect no more than `text`, or let the tool answer so that more can be had
    "#);
}

#[test]
fn a_scenario_that_shows_nothing_is_a_mistake_and_one_that_repeats_another_is_a_doubt() {
    let text = "[[tool]]\ndefinition = '{\"name\": \"say\", \"inputSchema\": {\"type\": \"object\"}}'\n\
                returns = '{\"content\": [{\"type\": \"text\", \"text\": \"hello\"}]}'\n";
    let head = SOUND.split("[[tool]]").next().unwrap();
    let told = found(&format!("{head}{text}"));
    assert!(told.starts_with("error: `mine/count` proves nothing"), "{told}");
    let other = SOUND.replace("An object with a count", "Another").replace("The plainest", "Not the plainest");
    let twins = [placed("mine/count.toml", SOUND), placed("mine/other.toml", &other)].concat();
    insta::assert_snapshot!(lint_all(&twins, &[]).render(false), @r#"
    warning: no mock distinguishes `mine/other` from `mine/count`
     --> mine/other.toml:2:9
      |
    2 | title = "Another"
      |         ^^^^^^^^^ both have the same outcome with every pair of mocks
      |
      = help: keep both only if real clients or servers distinguish them
    "#);
    let elsewhere = [placed("mine/count.toml", SOUND), placed("yours/other.toml", &other)].concat();
    assert!(lint_all(&elsewhere, &[]).is_empty(), "classes may well repeat each other");
}

#[test]
fn a_tool_that_never_answers_is_no_long_wait() {
    let text = SOUND.replace("returns", "does = \"hang\"\nmeans.value = '3'\n#");
    assert_eq!(found(&text), "");
}

#[test]
fn an_id_is_taken_once() {
    let twice = [placed("mine/count.toml", SOUND), placed("mine/count.toml", SOUND)].concat();
    assert!(lint_all(&twice, &[]).render(false).contains("another one is in mine/count.toml"));
    let wrong =
        placed("mine/other.toml", &SOUND.replace("\"structuredContent\": {\"n\": 3}", "\"structuredContent\": {}"));
    let second = Placed {
        scenario: mcp_compat_scenario::Scenario { id: twice[0].scenario.id.clone(), ..wrong[0].scenario.clone() },
        ..wrong[0].clone()
    };
    let told = lint_all(&[twice[0].clone(), second], &[]).render(false);
    assert!(told.contains("the schema of `count` rejects"), "what the second one means is checked too: {told}");
    let beside = lint_all(&placed("mine/count.toml", SOUND), &["mine/count"]);
    assert!(beside.render(false).contains("a built-in scenario has that id"));
}

#[test]
fn addresses_and_sentences_are_doubted() {
    let doubt = |from, to, words: &str| {
        let told = changed(from, to);
        assert!(told.starts_with("warning: ") && told.contains(words), "{told}");
    };
    doubt("https://example.org", "http://example.org", "an address that is not `https`");
    doubt("output there is.", "output there is", "does not end with a full stop");
    doubt("sources", "spec = { silent = \"https://example.org\" }\nsources", "names a whole site");
    assert_eq!(changed("sources", "spec = { silent = \"https://example.org/tools\" }\nsources"), "");
}

#[test]
fn of_a_file_that_is_too_large_the_first_scenarios_are_played_by_every_mock_and_the_next_by_few() {
    let idle = "[[tool]]\ndefinition = '{\"name\": \"idle\", \"inputSchema\": {}}'\nreturns = '{\"content\": []}'\n\
                means.text = \"\"\n";
    let head = &SOUND[..SOUND.find("[[tool]]").unwrap()];
    let tools =
        |count: usize| -> String { (0..count).map(|at| idle.replace("\"idle\"", &format!("\"idle{at}\""))).collect() };
    let family = |count| format!("{head}{}[[case]]\ncase = \"a\"\n[[case]]\ncase = \"b\"\n", tools(count));
    let (fewer, none) = ("to play all of it with every mock", "for `lint` to play all of it\n");
    let warned = |text: &str| {
        let told = found(text);
        [fewer, none].map(|warning| told.matches(warning).count())
    };
    assert_eq!(warned(&family(40)), [0, 0]);
    let told = found(&family(60));
    assert_eq!([fewer, none].map(|warning| told.matches(warning).count()), [1, 0], "{told}");
    assert!(told.contains(":248:1"), "the second case: {told}");
    assert_eq!(warned(&format!("{head}{}", tools(200))), [1, 0]);
    assert_eq!(warned(&format!("{head}{}", tools(900))), [0, 1]);
    let text = format!(r#""text": "{}""#, "x".repeat(150 << 10));
    assert_eq!(warned(&SOUND.replace(r#""text": "{\"n\": 3}""#, &text)), [0, 0], "a heavy scenario is played by few");
}

#[test]
fn a_few_answers_of_many_values_take_as_much_as_very_many_tools() {
    let list = SOUND.replace(
        r#""outputSchema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}"#,
        r#""outputSchema": {"type": "array", "items": {"type": "integer"}}"#,
    );
    let (head, control) = list.split_once("returns").unwrap();
    let control =
        control.split_once("control").map(|(_, control)| control.replace(r#"{"n": "3"}"#, r#"["3"]"#)).unwrap();
    let cases = |values: usize, cases: usize| -> String {
        let case = |at: usize| {
            let value = (0..values).map(|value| (value + at).to_string()).collect::<Vec<_>>().join(",");
            let result =
                format!(r#"{{"structuredContent": [{value}], "content": [{{"type": "text", "text": "[{value}]"}}]}}"#);
            format!("[[case]]\ncase = \"c{at}\"\ntitle = \"Case {at}\"\nreturns = '{result}'\n")
        };
        format!("{head}control{control}{}", (0..cases).map(case).collect::<String>())
    };
    let few = "to play all of it with every mock";
    assert_eq!(found(&cases(30, 8)).matches(few).count(), 0);
    assert_eq!(found(&cases(3_000, 8)).matches(few).count(), 1);
}
