//! Mistakes in what is written: TOML, keys, words, JSON. Each beside the nearly same text that is right.

use insta::assert_snapshot;
use mcp_compat_scenario::{Diagnostics, load, load_all};

use crate::given::{HEAD, PATH, TOOL, accepted, plain, plain_but, refused};

fn mistakes(text: &str) -> Diagnostics {
    load(PATH, text, &|_| None).unwrap_err()
}

#[test]
fn the_file_that_all_others_differ_from_is_right() {
    assert_eq!(accepted(&plain()).len(), 1);
}

#[test]
fn what_is_not_toml_is_shown_at_its_place() {
    assert_snapshot!(refused(&plain_but("why = \"Zero", "why = Zero")), @"");
}

#[test]
fn every_line_that_is_not_toml_is_shown() {
    let text = plain_but("why = ", "why: ").replace("returns = ", "returns ");
    assert_snapshot!(refused(&text), @"");
}

#[test]
fn a_key_that_is_there_twice_does_not_hide_other_mistakes() {
    let text = format!("title = \"Again\"\nsince = \"2025\"\n{}", plain());
    assert_snapshot!(refused(&text), @"");
}

#[test]
fn an_unknown_key_is_told_with_the_nearest_one() {
    assert_snapshot!(refused(&format!("page_size = 2\n{}", plain())), @"");
    accepted(&format!("page-size = 2\n{}", plain()));
}

#[test]
fn an_unknown_key_like_no_other_is_told_with_all() {
    assert_snapshot!(refused(&format!("{}colour = 'red'\n", plain())), @"");
}

#[test]
fn a_key_of_the_file_below_a_header_is_sent_home() {
    assert_snapshot!(refused(&format!("{}since = '2026-07-28'\n", plain())), @"");
    accepted(&format!("since = '2026-07-28'\n{}", plain()));
}

#[test]
fn a_key_of_a_tool_above_its_header_is_sent_home() {
    assert_snapshot!(refused(&format!("does = 'hang'\n{}", plain())), @"");
}

#[test]
fn a_missing_key_is_told_with_an_example() {
    assert_snapshot!(refused(TOOL), @"");
}

#[test]
fn a_value_of_the_wrong_kind_is_told() {
    assert_snapshot!(refused(&plain_but("\"A number at the root\"", "[1]")), @"");
}

#[test]
fn a_revision_without_quotes_is_a_date() {
    assert_snapshot!(refused(&format!("since = 2025-11-25\n{}", plain())), @"");
    accepted(&format!("since = \"2025-11-25\"\n{}", plain()));
}

#[test]
fn an_unknown_revision_is_told_with_those_that_exist() {
    assert_snapshot!(refused(&format!("since = \"2025-11-26\"\n{}", plain())), @"");
}

#[test]
fn an_unknown_outcome_is_told_with_those_that_exist() {
    assert_snapshot!(refused(&format!("expect = {{ modern = \"intakt\" }}\n{}", plain())), @"");
    accepted(&format!("expect = {{ modern = \"intact\" }}\n{}", plain()));
}

#[test]
fn a_source_is_an_address() {
    assert_snapshot!(refused(&plain_but("[\"https://example.org/issues/1\"]", "[\"issue 1\"]")), @"");
    assert_snapshot!(refused(&plain_but("[\"https://example.org/issues/1\"]", "[]")), @"");
}

#[test]
fn a_spec_stance_has_an_address() {
    assert_snapshot!(refused(&format!("spec = \"silent\"\n{}", plain())), @"");
    accepted(&format!("spec = {{ silent = \"https://example.org/spec\" }}\n{}", plain()));
}

#[test]
fn a_page_holds_at_least_one_tool() {
    assert_snapshot!(refused(&format!("page-size = 0\n{}", plain())), @"");
    accepted(&format!("page-size = 1\n{}", plain()));
}

#[test]
fn what_is_not_json_is_shown_at_its_line_and_column() {
    let text = format!(
        "{HEAD}\n[[tool]]\ndefinition = '''\n{{\"name\": \"count\",\n  \"inputSchema\": {{}},}}'''\nreturns = '{{}}'\n"
    );
    assert_snapshot!(refused(&text), @"");
    let mistakes = mistakes(&text);
    assert_eq!(mistakes.line_column(mistakes.iter().next().unwrap()), (8, 21));
}

#[test]
fn json_has_its_place_whatever_ends_the_lines() {
    let text =
        format!("{HEAD}\n[[tool]]\ndefinition = '''\n{{\"é\": 012}}'''\nreturns = '{{}}'\n").replace('\n', "\r\n");
    let mistakes = mistakes(&text);
    assert_eq!(mistakes.line_column(mistakes.iter().next().unwrap()), (7, 7));
}

#[test]
fn json_that_ends_too_early_is_shown_at_its_end() {
    assert_snapshot!(refused(&plain_but("\"content\": []}", "\"content\": [")), @"");
}

#[test]
fn json_in_a_string_with_escapes_is_placed_within_its_text() {
    let text = plain_but("'{\"structuredContent\": 3, \"content\": []}'", r#""{\"structuredContent\": 03}""#);
    assert_snapshot!(refused(&text), @"");
    accepted(&plain_but("'{\"structuredContent\": 3, \"content\": []}'", r#""{\"structuredContent\": 3}""#));
}

#[test]
fn a_result_is_an_object() {
    assert_snapshot!(refused(&plain_but("'{\"structuredContent\": 3, \"content\": []}'", "'[3]'")), @"");
}

#[test]
fn json_is_text_and_not_a_table() {
    assert_snapshot!(refused(&plain_but("'{\"structuredContent\": 3, \"content\": []}'", "{ structuredContent = 3 }")), @"");
}

#[test]
fn a_tool_is_written_with_two_brackets() {
    assert_snapshot!(refused(&plain_but("[[tool]]", "[tool]")), @"");
}

#[test]
fn all_mistakes_come_in_one_go() {
    let text = plain_but("title", "tittle")
        .replace("{\"type\": \"integer\"}", "{\"type\": integer}")
        .replace("returns", "return");
    assert_snapshot!(refused(&text), @"");
}

#[test]
fn the_path_must_be_an_id() {
    let mistakes = load("Root Type/count.toml", &plain(), &|_| None).unwrap_err();
    assert_snapshot!(mistakes.render(false), @"");
}

#[test]
fn no_id_may_be_there_twice() {
    let mistakes = load_all(&[(PATH, plain()), (PATH, plain())], &|_| None).unwrap_err();
    assert_snapshot!(mistakes.render(false), @"");
    let both = load_all(&[(PATH, plain()), ("root-type/a.toml", plain())], &|_| None).unwrap();
    let ids: Vec<_> = both.iter().map(|scenario| scenario.id.as_str()).collect();
    assert_eq!(ids, ["root-type/a", "root-type/count"]);
}

#[test]
fn a_corpus_tells_the_mistakes_of_all_its_files() {
    let files =
        [("a/one.toml", plain_but("title", "titel")), ("a/two.toml", plain()), ("a/three.toml", "tool = 1".to_owned())];
    let mistakes = load_all(&files, &|_| None).unwrap_err();
    let paths: Vec<_> = mistakes.iter().map(|mistake| mistake.path.as_str()).collect();
    assert!(paths.contains(&"a/one.toml") && paths.contains(&"a/three.toml") && !paths.contains(&"a/two.toml"));
}
