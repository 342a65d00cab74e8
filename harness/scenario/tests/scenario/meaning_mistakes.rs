//! Mistakes in what is meant: answers, controls, meanings, expectations, names. Each beside what is right.

use insta::assert_snapshot;

use crate::given::{HEAD, accepted, plain, plain_but, refused};

/// The file with another answer of its tool.
fn answering(answer: &str) -> String {
    plain_but("returns = '{\"structuredContent\": 3, \"content\": []}'", answer)
}

#[test]
fn a_scenario_needs_a_tool() {
    assert_snapshot!(refused(HEAD), @r#"
    error: a scenario needs a tool
     --> root-type/count.toml:1:1
      |
    1 | title = "A number at the root"
      | ^ no `[[tool]]` for this scenario
      |
      = help: the smallest one has a `definition` and `returns`
    "#);
}

#[test]
fn a_definition_needs_a_name() {
    assert_snapshot!(refused(&plain_but("\"name\"", "\"title\"")), @r#"
    error: a definition needs the tool's name
     --> root-type/count.toml:6:1
      |
    6 | definition = '{"title": "count", "inputSchema": {}, "outputSchema": {"type": "integer"}}'
      | ^^^^^^^^^^ no member `name` here
      |
      = help: for example: `{"name": "list_users", "inputSchema": {"type": "object"}}`
    "#);
    assert_snapshot!(refused(&plain_but("\"name\": \"count\"", "\"name\": \"count\", \"name\": \"count\"")), @r#"
    error: a definition needs the tool's name
     --> root-type/count.toml:6:1
      |
    6 | definition = '{"name": "count", "name": "count", "inputSchema": {}, "outputSchema": {"type": "integer"}}'
      | ^^^^^^^^^^ it has more than one `name`
      |
      = help: for example: `{"name": "list_users", "inputSchema": {"type": "object"}}`
    "#);
}

#[test]
fn a_name_of_the_harness_is_not_given_away() {
    assert_snapshot!(refused(&plain_but("count", "mcp_compat_bystander")), @r#"
    error: the name `mcp_compat_bystander` is reserved
     --> root-type/count.toml:6:1
      |
    6 | definition = '{"name": "mcp_compat_bystander", "inputSchema": {}, "outputSchema": {"type": "integer"}}'
      | ^^^^^^^^^^ no tool of a scenario may begin with `mcp_compat_`
      |
      = help: `mcp_compat_bystander` is listed beside every tool anyway, `mcp_compat_evolve` where tools change
    "#);
    accepted(&plain_but("\"count\"", "\"mcp_comparison\""));
}

#[test]
fn a_tool_needs_a_definition_and_an_answer() {
    assert_snapshot!(refused(&format!("{HEAD}[[tool]]\narguments = '{{}}'\n")), @r#"
    error: a tool needs an answer
     --> root-type/count.toml:4:1
      |
    4 | [[tool]]
      | ^^^^^^^^ expected `returns`, `error`, `raw`, `raw-file` or `does`
      |
      = help: for example: `returns = '''{"content": []}'''`

    error: a tool needs `definition`
     --> root-type/count.toml:4:1
      |
    4 | [[tool]]
      | ^^^^^^^^ `definition` is missing here
      |
      = help: for example: `definition = '''{"name": "list_users", "inputSchema": {"type": "object"}}'''`
    "#);
}

#[test]
fn a_tool_answers_in_one_way() {
    let text = format!("{}error = '{{\"code\": 1, \"message\": \"no\"}}'\n", plain());
    assert_snapshot!(refused(&text), @r#"
    error: a tool answers in one way
     --> root-type/count.toml:8:1
      |
    7 | returns = '{"structuredContent": 3, "content": []}'
      | ------- either `returns`
    8 | error = '{"code": 1, "message": "no"}'
      | ^^^^^ or `error`
    "#);
    accepted(&answering("error = '{\"code\": 1, \"message\": \"no\"}'"));
}

#[test]
fn an_error_has_a_code_and_a_message() {
    assert_snapshot!(refused(&answering("error = '{\"code\": 1.5, \"message\": \"no\"}'")), @r#"
    error: a JSON-RPC error has a `code` and a `message`
     --> root-type/count.toml:7:9
      |
    7 | error = '{"code": 1.5, "message": "no"}'
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ no `code` that is an integer
      |
      = help: for example: `error = '''{"code": -32603, "message": "out of stock"}'''`
      = help: an answer that breaks JSON-RPC is written with `raw`
    "#);
    assert_snapshot!(refused(&answering("error = '{\"code\": 1}'")), @r#"
    error: a JSON-RPC error has a `code` and a `message`
     --> root-type/count.toml:7:9
      |
    7 | error = '{"code": 1}'
      |         ^^^^^^^^^^^^^ no `message` that is text
      |
      = help: for example: `error = '''{"code": -32603, "message": "out of stock"}'''`
      = help: an answer that breaks JSON-RPC is written with `raw`
    "#);
}

#[test]
fn two_tools_do_not_share_a_name() {
    let second = "\n[[tool]]\ndefinition = '{\"name\": \"count\"}'\nreturns = '{\"structuredContent\": 4}'\n";
    assert_snapshot!(refused(&format!("{}{second}", plain())), @r#"
    error: two tools have the name `count`
     --> root-type/count.toml:9:1
      |
    5 | [[tool]]
      | -------- the first one
    ...
    9 | [[tool]]
      | ^^^^^^^^ expected another name
    "#);
    accepted(&format!("{}{}", plain(), second.replace("count", "count_all")));
}

#[test]
fn a_tool_does_not_take_the_name_of_a_control() {
    let control = "control = '{\"structuredContent\": \"x\"}'\n";
    let second = "\n[[tool]]\ndefinition = '{\"name\": \"count_control\"}'\nreturns = '{\"structuredContent\": 4}'\n";
    assert_snapshot!(refused(&format!("{}{control}{second}", plain())), @r#"
    error: two tools have the name `count_control`
      --> root-type/count.toml:10:1
       |
     8 | control = '{"structuredContent": "x"}'
       | ------- the first one
     9 |
    10 | [[tool]]
       | ^^^^^^^^ expected another name
    "#);
    accepted(&format!("{}{second}", plain()));
}

#[test]
fn a_control_needs_a_schema_to_violate() {
    let control = "control = '{\"structuredContent\": \"three\"}'\n";
    let without_schema = plain_but(", \"outputSchema\": {\"type\": \"integer\"}", "");
    assert_snapshot!(refused(&format!("{without_schema}{control}")), @r#"
    error: a control without a schema to violate
     --> root-type/count.toml:8:1
      |
    6 | definition = '{"name": "count", "inputSchema": {}}'
      | ---------- has no `outputSchema`
    7 | returns = '{"structuredContent": 3, "content": []}'
    8 | control = '{"structuredContent": "three"}'
      | ^^^^^^^ this result cannot be invalid
      |
      = help: give the definition an `outputSchema`, or leave the control out
    "#);
    accepted(&format!("{}{control}", plain()));
}

#[test]
fn what_an_answer_does_not_show_must_be_said() {
    assert_snapshot!(refused(&answering("raw = '{'")), @r#"
    error: what does `count` mean to return?
     --> root-type/count.toml:5:1
      |
    5 | [[tool]]
      | ^^^^^^^^ its answer does not show it
      |
      = help: say it with `means`: `"invalid"`, or `means.value`, `means.text` or `means.tool-error`
    "#);
    accepted(&answering("raw = '{'\nmeans = \"invalid\""));
    assert_snapshot!(refused(&answering("returns = '{\"content\": [{\"type\": \"image\"}]}'")), @r#"
    error: what does `count` mean to return?
     --> root-type/count.toml:5:1
      |
    5 | [[tool]]
      | ^^^^^^^^ its answer does not show it
      |
      = help: say it with `means`: `"invalid"`, or `means.value`, `means.text` or `means.tool-error`
    "#);
    assert_snapshot!(refused(&answering("returns = '{\"structuredContent\": 1, \"structuredContent\": 2}'")), @r#"
    error: what does `count` mean to return?
     --> root-type/count.toml:5:1
      |
    5 | [[tool]]
      | ^^^^^^^^ its answer does not show it
      |
      = help: say it with `means`: `"invalid"`, or `means.value`, `means.text` or `means.tool-error`
    "#);
    accepted(&answering("returns = '{\"structuredContent\": 1, \"structuredContent\": 2}'\nmeans = \"invalid\""));
}

#[test]
fn a_tool_means_one_thing() {
    assert_snapshot!(refused(&format!("{}means = \"nothing\"\n", plain())), @r#"
    error: `nothing` is not something that a tool can mean
     --> root-type/count.toml:8:9
      |
    8 | means = "nothing"
      |         ^^^^^^^^^ the only meaning in one word is `invalid`
      |
      = help: the forms are `means = "invalid"`, `means.value = '''JSON'''`, `means.text = "words"` and `means.tool-error = "words"`
    "#);
    assert_snapshot!(refused(&format!("{}means.text = \"a\"\nmeans.value = '1'\n", plain())), @r#"
    error: a tool means one thing
     --> root-type/count.toml:8:1
      |
    8 | means.text = "a"
      | ^^^^^ expected one of `value`, `text` and `tool-error`
      |
      = help: the forms are `means = "invalid"`, `means.value = '''JSON'''`, `means.text = "words"` and `means.tool-error = "words"`
    "#);
    assert_snapshot!(refused(&format!("{}means.tool_error = \"a\"\n", plain())), @r#"
    error: unknown key `tool_error`
     --> root-type/count.toml:8:7
      |
    8 | means.tool_error = "a"
      |       ^^^^^^^^^^ not a key of a meaning
      |
      = help: the nearest key is `tool-error`
    "#);
    accepted(&format!("{}means.tool-error = \"a\"\n", plain()));
}

#[test]
fn an_outcome_must_be_possible() {
    assert_snapshot!(refused(&format!("{}means.tool-error = \"no\"\nexpect = {{ legacy = \"text\" }}\n", plain())), @r#"
    error: `text` is not an outcome of a tool error
     --> root-type/count.toml:9:21
      |
    5 | [[tool]]
      | -------- this means a tool error
    ...
    9 | expect = { legacy = "text" }
      |                     ^^^^^^ expected `told`, `masked` or `swallowed`
    "#);
    accepted(&format!("{}means.tool-error = \"no\"\nexpect = {{ legacy = \"masked\" }}\n", plain()));
    assert_snapshot!(refused(&format!("expect = \"caught\"\n{}", plain())), @r#"
    error: `caught` is not an outcome of a value
     --> root-type/count.toml:1:10
      |
    1 | expect = "caught"
      |          ^^^^^^^^ expected `intact`, `wrapped`, `text`, `prose`, `rejected`, `altered` or `lost`
    ...
    6 | [[tool]]
      | -------- this means a value
    "#);
    accepted(&format!("expect = \"caught\"\n{}means = \"invalid\"\n", plain()));
}

#[test]
fn only_a_tool_that_hangs_can_be_expected_to_hang() {
    assert_snapshot!(refused(&format!("expect = \"hung\"\n{}", plain())), @r#"
    error: `hung` is not an outcome of a value
     --> root-type/count.toml:1:10
      |
    1 | expect = "hung"
      |          ^^^^^^ expected `intact`, `wrapped`, `text`, `prose`, `rejected`, `altered` or `lost`
    ...
    6 | [[tool]]
      | -------- this means a value
    "#);
    accepted(&format!("expect = \"hung\"\n{}", answering("does = \"hang\"\nmeans.value = '3'")));
}

#[test]
fn a_raw_file_stands_beside_the_scenario() {
    assert_snapshot!(refused(&answering("raw-file = \"mob.bin\"\nmeans = \"invalid\"")), @r#"
    error: `mob.bin` cannot be read
     --> root-type/count.toml:7:12
      |
    7 | raw-file = "mob.bin"
      |            ^^^^^^^^^ the file does not exist
      |
      = help: looked for `root-type/mob.bin`
    "#);
    assert_snapshot!(refused(&answering("raw-file = \"../root-type/bom.bin\"\nmeans = \"invalid\"")), @r#"
    error: `../root-type/bom.bin` cannot be read
     --> root-type/count.toml:7:12
      |
    7 | raw-file = "../root-type/bom.bin"
      |            ^^^^^^^^^^^^^^^^^^^^^^ expected the name of a file beside this one
      |
      = help: a raw file cannot be elsewhere
    "#);
    accepted(&answering("raw-file = \"bom.bin\"\nmeans = \"invalid\""));
}

#[test]
fn the_list_does_not_write_the_tools_again() {
    assert_snapshot!(refused(&format!("list = '{{\"tools\": []}}'\n{}", plain())), @r#"
    error: `list` must not have a member `tools`
     --> root-type/count.toml:1:1
      |
    1 | list = '{"tools": []}'
      | ^^^^ these are the members beside `tools`
      |
      = help: tools are written as `[[tool]]`
    "#);
    accepted(&format!("list = '{{\"ttlMs\": 1}}'\n{}", plain()));
}

#[test]
fn a_family_names_its_members() {
    assert_snapshot!(refused(&format!("{}\n[[case]]\ntitle = \"Zero\"\n", plain())), @r#"
    error: a case needs `case`
     --> root-type/count.toml:9:1
      |
    9 | [[case]]
      | ^^^^^^^^ `case` is missing here
      |
      = help: for example: `case = "zero"`
    "#);
    assert_snapshot!(refused(&format!("{}\n[[case]]\ncase = \"Zero!\"\n", plain())), @r#"
    error: a case is named with a word of lower-case letters, digits and hyphens
      --> root-type/count.toml:10:8
       |
    10 | case = "Zero!"
       |        ^^^^^^^ expected a word such as `zero` or `two-keys`
    "#);
    assert_snapshot!(refused(&format!("{}\n[[case]]\ncase = \"a\"\n\n[[case]]\ncase = \"a\"\n", plain())), @r#"
    error: the case `a` is there twice
      --> root-type/count.toml:13:8
       |
    10 | case = "a"
       |        --- the first one
    ...
    13 | case = "a"
       |        ^^^ expected another word
    "#);
    accepted(&format!("{}\n[[case]]\ncase = \"a\"\n\n[[case]]\ncase = \"b\"\n", plain()));
    assert_snapshot!(refused(&format!("case = []\n{}", plain())), @r#"
    error: a family needs members
     --> root-type/count.toml:1:8
      |
    1 | case = []
      |        ^^ expected at least one `[[case]]`
    "#);
}

#[test]
fn a_case_says_which_tool_it_means() {
    let second = "\n[[tool]]\ndefinition = '{\"name\": \"other\"}'\nreturns = '{\"structuredContent\": 4}'\n";
    let case = "\n[[case]]\ncase = \"a\"\nreturns = '{\"structuredContent\": 5}'\n";
    assert_snapshot!(refused(&format!("{}{second}{case}", plain())), @r#"
    error: it is not clear which tool this case means
      --> root-type/count.toml:13:1
       |
    13 | [[case]]
       | ^^^^^^^^ the file does not have exactly one tool
       |
       = help: write the keys of a tool directly in a case only where the file has exactly one `[[tool]]`
    "#);
    accepted(&format!("{}{case}", plain()));
}

#[test]
fn a_mistake_that_all_members_share_is_told_once() {
    let text = format!("{}expect = \"told\"\n\n[[case]]\ncase = \"a\"\n\n[[case]]\ncase = \"b\"\n", plain());
    assert_eq!(refused(&text).matches("error:").count(), 1);
}
