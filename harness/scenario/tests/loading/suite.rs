//! What a test of the JSON Schema Test Suite becomes, and what is said of a file that is none.

use mcp_compat_json::Json;
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_model::schema_suite::SuiteDraft;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{Era, Revision};
use mcp_compat_scenario::scenario::{Means, Purpose, Scenario};
use mcp_compat_scenario::suite::{SuiteCase, SuiteFile, load};

fn file(draft: SuiteDraft, keyword: &str, text: &str) -> SuiteFile {
    SuiteFile { draft, keyword: keyword.to_owned(), text: text.to_owned() }
}

/// A file with one group of these tests.
fn group(schema: &str, tests: &str) -> String {
    format!(r#"[{{"description": "a group", "schema": {schema}, "tests": [{tests}]}}]"#)
}

fn cases(draft: SuiteDraft, keyword: &str, text: &str) -> Vec<SuiteCase> {
    load(&[file(draft, keyword, text)]).unwrap_or_else(|mistakes| panic!("{text}\n{mistakes}"))
}

/// The scenario of a file with one test.
fn scenario(draft: SuiteDraft, schema: &str, value: &str, valid: bool) -> Scenario {
    let test = format!(r#"{{"description": "a test", "data": {value}, "valid": {valid}}}"#);
    cases(draft, "type", &group(schema, &test))[0].scenario()
}

/// What its tool declares and returns.
fn tool(scenario: &Scenario) -> (String, String) {
    let tool = &scenario.stages[0].tools[0];
    let Reply::Result(result) = &tool.reply else { panic!("{:?}", tool.reply) };
    (tool.definition.clone(), result.get().to_owned())
}

fn refused(text: &str) -> String {
    load(&[file(SuiteDraft::Draft7, "anyOf", text)]).expect_err("this file is wrong").render(false)
}

#[test]
fn a_test_is_named_by_draft_keyword_group_and_its_own_words() {
    let text = r#"[
        {"description": "anyOf", "schema": {}, "tests": [
            {"description": "it's valid", "data": 1, "valid": true},
            {"description": "its valid!", "data": 2, "valid": true}]},
        {"description": "anyOf", "schema": {}, "tests": [{"description": "1", "data": 1, "valid": true}]}]"#;
    let cases = cases(SuiteDraft::Draft202012, "anyOf", text);
    let ids: Vec<_> = cases.iter().map(|case| case.test.scenario.as_str()).collect();
    let expected = [
        "draft2020-12/any-of/any-of[its-valid]",
        "draft2020-12/any-of/any-of[its-valid-2]",
        "draft2020-12/any-of/any-of-2[1]",
    ];
    assert_eq!(ids, expected);
    assert_eq!(cases[2].test.schema, "tests/draft2020-12/anyOf.json#/1/schema");
    assert_eq!((cases[0].test.group.as_str(), cases[0].test.test.as_str()), ("anyOf", "it's valid"));
}

#[test]
fn schema_and_value_go_out_lexeme_for_lexeme() {
    let schema = r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "maximum": 1.50e1}"#;
    let (definition, result) = tool(&scenario(SuiteDraft::Draft202012, schema, r#"{"b": 1.0, "a": "\u0041"}"#, true));
    assert!(
        definition.ends_with(
            r#""outputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","maximum":1.50e1}}"#
        ),
        "{definition}"
    );
    assert_eq!(
        result,
        r#"{"structuredContent":{"b":1.0,"a":"\u0041"},"content":[{"type":"text","text":"{\"b\":1.0,\"a\":\"\\u0041\"}"}]}"#
    );
}

#[test]
fn a_schema_that_does_not_name_its_dialect_gets_that_of_its_folder_and_booleans_become_objects() {
    let sent = |schema: &str| {
        let (definition, _) = tool(&scenario(SuiteDraft::Draft7, schema, "1", true));
        Json::parse(&definition).unwrap().get("outputSchema").unwrap().to_compact()
    };
    let dialect = r#""$schema":"http://json-schema.org/draft-07/schema#""#;
    assert_eq!(sent("{}"), format!("{{{dialect}}}"));
    assert_eq!(sent("true"), format!("{{{dialect}}}"));
    assert_eq!(sent("false"), format!(r#"{{{dialect},"not":{{}}}}"#));
    assert_eq!(sent(r#"{ "items": [false] }"#), format!(r#"{{{dialect},"items":[false]}}"#));
    let named = r#"{"$schema":"http://json-schema.org/draft-06/schema#"}"#;
    assert_eq!(sent(named), named);
}

#[test]
fn what_is_valid_must_arrive_and_what_is_not_must_be_caught() {
    let expected = |valid| {
        let scenario = scenario(SuiteDraft::Draft202012, "{}", "[1]", valid);
        let (_, call) = scenario.calls().find(|(_, call)| call.purpose == Purpose::Subject).unwrap();
        (call.means.clone(), call.expect.in_era(Era::Modern))
    };
    assert_eq!(expected(true), (Means::Value(Json::parse("[1]").unwrap()), Outcome::Intact));
    assert_eq!(expected(false), (Means::Invalid, Outcome::Caught));
}

#[test]
fn whoever_cannot_know_may_refuse_or_take_it() {
    let expected = |valid| {
        let test = format!(r#"{{"description": "a test", "data": 1, "valid": {valid}}}"#);
        let mut case = cases(SuiteDraft::Draft202012, "ref", &group("{}", &test)).remove(0);
        case.test.remote = Some("http://localhost:1234/integer.json".to_owned());
        let scenario = case.scenario();
        let (_, call) = scenario.calls().next().unwrap();
        call.expect.in_era(Era::Modern)
    };
    assert_eq!((expected(true), expected(false)), (Outcome::Rejected, Outcome::Uncaught));
}

#[test]
fn only_objects_with_an_object_at_the_root_of_their_schema_are_of_the_legacy_era() {
    let since = |schema, value| scenario(SuiteDraft::Draft202012, schema, value, true).since;
    assert_eq!(since(r#"{"type": "object"}"#, "{}"), Revision::V2025_06_18);
    assert_eq!(since(r#"{"type": "object"}"#, "[]"), Revision::V2026_07_28);
    assert_eq!(since(r#"{"type": ["object", "null"]}"#, "{}"), Revision::V2026_07_28);
    assert_eq!(since("{}", "{}"), Revision::V2026_07_28);
    assert_eq!(since("true", "{}"), Revision::V2026_07_28);
}

#[test]
fn a_file_that_is_not_json_is_told_with_line_and_column() {
    insta::assert_snapshot!(refused("[\n  {\"description\": \"a group\",}\n]"), @r#"
    error: this file of the suite is not JSON
     --> tests/draft7/anyOf.json:2:29
      |
    2 |   {"description": "a group",}
      |                             ^ a comma must be followed by another item, found '}'
    "#);
}

#[test]
fn every_mistake_of_every_file_is_told() {
    let text = r#"[
  {"description": 1, "schema": [], "tests": {}},
  {"description": "a group", "schema": {}, "tests": [
    {"description": "a test", "data": 1, "valid": "yes"},
    7,
    {"data": 1}
  ]}
]"#;
    insta::assert_snapshot!(refused(text), @r#"
    error: `description` of a group of tests is of another type
     --> tests/draft7/anyOf.json:2:19
      |
    2 |   {"description": 1, "schema": [], "tests": {}},
      |                   ^ expected a string

    error: `schema` is not a schema
     --> tests/draft7/anyOf.json:2:32
      |
    2 |   {"description": 1, "schema": [], "tests": {}},
      |                                ^ expected an object, `true` or `false`

    error: `tests` of a group of tests is of another type
     --> tests/draft7/anyOf.json:2:45
      |
    2 |   {"description": 1, "schema": [], "tests": {}},
      |                                             ^ expected an array

    error: `valid` of a test is of another type
     --> tests/draft7/anyOf.json:4:51
      |
    4 |     {"description": "a test", "data": 1, "valid": "yes"},
      |                                                   ^ expected `true` or `false`

    error: a test must be an object
     --> tests/draft7/anyOf.json:5:5
      |
    5 |     7,
      |     ^ expected an object

    error: a test needs `description`
     --> tests/draft7/anyOf.json:6:5
      |
    6 |     {"data": 1}
      |     ^ it has none

    error: a test needs `valid`
     --> tests/draft7/anyOf.json:6:5
      |
    6 |     {"data": 1}
      |     ^ it has none
    "#);
    insta::assert_snapshot!(refused(" {}"), @r"
    error: this is not a file of the suite
     --> tests/draft7/anyOf.json:1:2
      |
    1 |  {}
      |  ^ expected an array of groups
      |
      = help: a group is an object with `description`, `schema` and `tests`
    ");
    let two = [file(SuiteDraft::Draft7, "anyOf", "{"), file(SuiteDraft::Draft7, "oneOf", "")];
    assert_eq!(load(&two).expect_err("both are wrong").len(), 2);
}

#[test]
fn what_no_tool_can_hold_is_still_sent() {
    let deep = format!("{}{}", "[".repeat(150), "]".repeat(150));
    for value in [r#""\ud800""#, "1e400", r#"{"a":1,"a":2}"#, deep.as_str()] {
        let (_, result) = tool(&scenario(SuiteDraft::Draft202012, "{}", value, true));
        assert!(result.contains(&format!(r#""structuredContent":{value},"#)), "{result}");
    }
}
