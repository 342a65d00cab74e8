//! Mistakes in what is written: TOML, keys, words, JSON. Each beside the nearly same text that is right.

use insta::assert_snapshot;
use mcp_compat_scenario::{Diagnostics, load, load_all};

use crate::given::{HEAD, PATH, TOOL, accepted, plain, plain_but, refused};

fn mistakes(text: &str) -> Diagnostics {
    load(PATH, text, &|_| None).expect_err("this file is wrong")
}

#[test]
fn the_file_that_all_others_differ_from_is_right() {
    assert_eq!(accepted(&plain()).len(), 1);
}

#[test]
fn what_is_not_toml_is_shown_at_its_place() {
    assert_snapshot!(refused(&plain_but("why = \"Zero", "why = Zero")), @r#"
    error: this is not TOML
     --> root-type/count.toml:2:7
      |
    2 | why = Zero is easily taken for nothing."
      |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ string values must be quoted, expected literal string
    "#);
}

#[test]
fn every_line_that_is_not_toml_is_shown() {
    let text = plain_but("why = ", "why: ").replace("returns = ", "returns ");
    assert_snapshot!(refused(&text), @r#"
    error: this is not TOML
     --> root-type/count.toml:2:4
      |
    2 | why: "Zero is easily taken for nothing."
      |    ^ invalid unquoted key, expected letters, numbers, `-`, `_`

    error: this is not TOML
     --> root-type/count.toml:7:9
      |
    7 | returns '{"structuredContent": 3, "content": []}'
      |         ^ key with no value, expected `=`
    "#);
}

#[test]
fn a_key_that_is_there_twice_does_not_hide_other_mistakes() {
    let text = format!("title = \"Again\"\nsince = \"2025\"\n{}", plain());
    assert_snapshot!(refused(&text), @r#"
    error: `2025` is not a revision of the specification
     --> root-type/count.toml:2:9
      |
    2 | since = "2025"
      |         ^^^^^^ expected `2024-11-05`, `2025-03-26`, `2025-06-18`, `2025-11-25` or `2026-07-28`

    error: this key is there twice
     --> root-type/count.toml:3:1
      |
    3 | title = "A number at the root"
      | ^^^^^ duplicate key
    "#);
}

#[test]
fn an_unknown_key_is_told_with_the_nearest_one() {
    assert_snapshot!(refused(&format!("page_size = 2\n{}", plain())), @r#"
    error: unknown key `page_size`
     --> root-type/count.toml:1:1
      |
    1 | page_size = 2
      | ^^^^^^^^^ not a key of a scenario file
      |
      = help: the nearest key is `page-size`
    "#);
    accepted(&format!("page-size = 2\n{}", plain()));
}

#[test]
fn an_unknown_key_like_no_other_is_told_with_all() {
    assert_snapshot!(refused(&format!("{}colour = 'red'\n", plain())), @r#"
    error: unknown key `colour`
     --> root-type/count.toml:8:1
      |
    8 | colour = 'red'
      | ^^^^^^ not a key of a tool
      |
      = help: the keys of a tool are `definition`, `arguments`, `returns`, `error`, `raw`, `raw-file`, `does`, `without`, `before`, `answers-after`, `means`, `control`, `also-expect` and `expect`
    "#);
}

#[test]
fn a_key_of_the_file_below_a_header_is_sent_home() {
    assert_snapshot!(refused(&format!("{}since = '2026-07-28'\n", plain())), @r#"
    error: unknown key `since`
     --> root-type/count.toml:8:1
      |
    8 | since = '2026-07-28'
      | ^^^^^ not a key of a tool
      |
      = help: `since` is written at the top of the file, before the first `[[tool]]`
    "#);
    accepted(&format!("since = '2026-07-28'\n{}", plain()));
}

#[test]
fn a_key_of_a_tool_above_its_header_is_sent_home() {
    assert_snapshot!(refused(&format!("does = 'hang'\n{}", plain())), @r#"
    error: unknown key `does`
     --> root-type/count.toml:1:1
      |
    1 | does = 'hang'
      | ^^^^ not a key of a scenario file
      |
      = help: `does` is written in a `[[tool]]`
    "#);
}

#[test]
fn a_missing_key_is_told_with_an_example() {
    assert_snapshot!(refused(TOOL), @r#"
    error: a scenario file needs `title`
     --> root-type/count.toml:1:1
      |
    1 |
      | ^ `title` is missing here
      |
      = help: for example: `title = "An array at the root of structuredContent"`

    error: a scenario file needs `why`
     --> root-type/count.toml:1:1
      |
    1 |
      | ^ `why` is missing here
      |
      = help: for example: `why = "Clients typed to the earlier wire format expect an object."`
    "#);
}

#[test]
fn a_value_of_the_wrong_kind_is_told() {
    assert_snapshot!(refused(&plain_but("\"A number at the root\"", "[1]")), @r#"
    error: `title` must be text in quotes
     --> root-type/count.toml:1:9
      |
    1 | title = [1]
      |         ^^^ expected text in quotes, found an array
    "#);
}

#[test]
fn a_revision_without_quotes_is_a_date() {
    assert_snapshot!(refused(&format!("since = 2025-11-25\n{}", plain())), @r#"
    error: `since` must be text in quotes
     --> root-type/count.toml:1:9
      |
    1 | since = 2025-11-25
      |         ^^^^^^^^^^ expected text in quotes, found a date
      |
      = help: put it in quotes: `"2025-11-25"`
    "#);
    accepted(&format!("since = \"2025-11-25\"\n{}", plain()));
}

#[test]
fn an_unknown_revision_is_told_with_those_that_exist() {
    assert_snapshot!(refused(&format!("since = \"2025-11-26\"\n{}", plain())), @r#"
    error: `2025-11-26` is not a revision of the specification
     --> root-type/count.toml:1:9
      |
    1 | since = "2025-11-26"
      |         ^^^^^^^^^^^^ expected `2024-11-05`, `2025-03-26`, `2025-06-18`, `2025-11-25` or `2026-07-28`
      |
      = help: the nearest is `2025-11-25`
    "#);
}

#[test]
fn an_unknown_outcome_is_told_with_those_that_exist() {
    assert_snapshot!(refused(&format!("expect = {{ modern = \"intakt\" }}\n{}", plain())), @r#"
    error: `intakt` is not an outcome to ask for
     --> root-type/count.toml:1:21
      |
    1 | expect = { modern = "intakt" }
      |                     ^^^^^^^^ expected `intact`, `wrapped`, `text`, `prose`, `rejected`, `altered`, `lost`, `told`, `masked`, `swallowed`, `caught`, `uncaught`, `hung`, `crashed` or `unreachable`
      |
      = help: the nearest is `intact`
    "#);
    accepted(&format!("expect = {{ modern = \"intact\" }}\n{}", plain()));
}

#[test]
fn a_source_is_an_address() {
    assert_snapshot!(refused(&plain_but("[\"https://example.org/issues/1\"]", "[\"issue 1\"]")), @r#"
    error: `issue 1` is not an address
     --> root-type/count.toml:3:12
      |
    3 | sources = ["issue 1"]
      |            ^^^^^^^^^ expected text that begins with `https://`
    "#);
    assert_snapshot!(refused(&plain_but("[\"https://example.org/issues/1\"]", "[]")), @r#"
    error: `sources` is empty
     --> root-type/count.toml:3:11
      |
    3 | sources = []
      |           ^^ expected at least one address
    "#);
}

#[test]
fn a_spec_stance_has_an_address() {
    assert_snapshot!(refused(&format!("spec = \"silent\"\n{}", plain())), @r#"
    error: `spec` must be a table with `silent` or `conflict`
     --> root-type/count.toml:1:8
      |
    1 | spec = "silent"
      |        ^^^^^^^^ expected a table with `silent` or `conflict`, found text
      |
      = help: for example: `spec = { silent = "https://modelcontextprotocol.io/…" }`
    "#);
    accepted(&format!("spec = {{ silent = \"https://example.org/spec\" }}\n{}", plain()));
}

#[test]
fn a_page_holds_at_least_one_tool() {
    assert_snapshot!(refused(&format!("page-size = 0\n{}", plain())), @r#"
    error: `page-size` must be a whole number from 1
     --> root-type/count.toml:1:13
      |
    1 | page-size = 0
      |             ^ expected a whole number from 1 that 32 bits hold
    "#);
    accepted(&format!("page-size = 1\n{}", plain()));
}

#[test]
fn what_is_not_json_is_shown_at_its_line_and_column() {
    let text = format!(
        "{HEAD}\n[[tool]]\ndefinition = '''\n{{\"name\": \"count\",\n  \"inputSchema\": {{}},}}'''\nreturns = '{{}}'\n"
    );
    assert_snapshot!(refused(&text), @r#"
    error: `definition` is not JSON
     --> root-type/count.toml:8:21
      |
    8 |   "inputSchema": {},}'''
      |                     ^ a comma must be followed by another item, found '}'
    "#);
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
    assert_snapshot!(refused(&plain_but("\"content\": []}", "\"content\": [")), @r#"
    error: `returns` is not JSON
     --> root-type/count.toml:7:49
      |
    7 | returns = '{"structuredContent": 3, "content": ['
      |                                                 ^ the text ends before its value does
    "#);
}

#[test]
fn json_in_a_string_with_escapes_is_placed_within_its_text() {
    let text = plain_but("'{\"structuredContent\": 3, \"content\": []}'", r#""{\"structuredContent\": 03}""#);
    assert_snapshot!(refused(&text), @r#"
    error: `returns` is not JSON
     --> root-type/count.toml:7:11
      |
    7 | returns = "{\"structuredContent\": 03}"
      |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a number must not begin with superfluous zeros (line 1, column 23 of the text)
      |
      = help: write JSON between `'''` and `'''`, where nothing has to be escaped for TOML
    "#);
    accepted(&plain_but("'{\"structuredContent\": 3, \"content\": []}'", r#""{\"structuredContent\": 3}""#));
}

#[test]
fn a_result_is_an_object() {
    assert_snapshot!(refused(&plain_but("'{\"structuredContent\": 3, \"content\": []}'", "'[3]'")), @r#"
    error: `returns` must be a JSON object
     --> root-type/count.toml:7:11
      |
    7 | returns = '[3]'
      |           ^^^^^ expected a JSON object, found an array
    "#);
}

#[test]
fn json_is_text_and_not_a_table() {
    assert_snapshot!(refused(&plain_but("'{\"structuredContent\": 3, \"content\": []}'", "{ structuredContent = 3 }")), @r#"
    error: `returns` must be JSON text in quotes
     --> root-type/count.toml:7:11
      |
    7 | returns = { structuredContent = 3 }
      |           ^^^^^^^^^^^^^^^^^^^^^^^^^ expected JSON text in quotes, found a table
      |
      = help: for example: `returns = '''{}'''`
    "#);
}

#[test]
fn a_tool_is_written_with_two_brackets() {
    assert_snapshot!(refused(&plain_but("[[tool]]", "[tool]")), @r#"
    error: `tool` must be an array
     --> root-type/count.toml:5:1
      |
    5 | [tool]
      | ^^^^^^ expected an array, found a table
      |
      = help: each one begins with `[[tool]]`
    "#);
}

#[test]
fn all_mistakes_come_in_one_go() {
    let text = plain_but("title", "tittle")
        .replace("{\"type\": \"integer\"}", "{\"type\": integer}")
        .replace("returns", "return");
    assert_snapshot!(refused(&text), @r#"
    error: unknown key `tittle`
     --> root-type/count.toml:1:1
      |
    1 | tittle = "A number at the root"
      | ^^^^^^ not a key of a scenario file
      |
      = help: the nearest key is `title`

    error: `definition` is not JSON
     --> root-type/count.toml:6:77
      |
    6 | definition = '{"name": "count", "inputSchema": {}, "outputSchema": {"type": integer}}'
      |                                                                             ^ the only words in JSON are `true`, `false` and `null`; NaN and Infinity are no JSON numbers

    error: unknown key `return`
     --> root-type/count.toml:7:1
      |
    7 | return = '{"structuredContent": 3, "content": []}'
      | ^^^^^^ not a key of a tool
      |
      = help: the nearest key is `returns`
    "#);
}

#[test]
fn the_path_must_be_an_id() {
    let mistakes = load("Root Type/count.toml", &plain(), &|_| None).unwrap_err();
    assert_snapshot!(mistakes.render(false), @r#"
    error: the path of this file cannot be the id of a scenario
     --> Root Type/count.toml:1:1
      |
    1 | title = "A number at the root"
      | ^
      |
      = help: a path has lower-case words of letters, digits and hyphens, such as `root-type/array.toml`
    "#);
}

#[test]
fn no_id_may_be_there_twice() {
    let mistakes = load_all(&[(PATH, plain()), (PATH, plain())], &|_| None).unwrap_err();
    assert_snapshot!(mistakes.render(false), @r#"
    error: there are two scenarios `root-type/count`
     --> root-type/count.toml:1:1
      |
    1 | title = "A number at the root"
      | ^
      |
      = help: the id is the path of the file: two of the files have the same one
    "#);
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
