//! Mistakes in what is meant: answers, controls, meanings, expectations, names. Each beside what is right.

use insta::assert_snapshot;

use crate::given::{HEAD, accepted, plain, plain_but, refused};

/// The file with another answer of its tool.
fn answering(answer: &str) -> String {
    plain_but("returns = '{\"structuredContent\": 3, \"content\": []}'", answer)
}

#[test]
fn a_scenario_needs_a_tool() {
    assert_snapshot!(refused(HEAD), @"");
}

#[test]
fn a_definition_needs_a_name() {
    assert_snapshot!(refused(&plain_but("\"name\"", "\"title\"")), @"");
    assert_snapshot!(refused(&plain_but("\"name\": \"count\"", "\"name\": \"count\", \"name\": \"count\"")), @"");
}

#[test]
fn a_name_of_the_harness_is_not_given_away() {
    assert_snapshot!(refused(&plain_but("count", "mcp_compat_bystander")), @"");
    accepted(&plain_but("\"count\"", "\"mcp_comparison\""));
}

#[test]
fn a_tool_needs_a_definition_and_an_answer() {
    assert_snapshot!(refused(&format!("{HEAD}[[tool]]\narguments = '{{}}'\n")), @"");
}

#[test]
fn a_tool_answers_in_one_way() {
    let text = format!("{}error = '{{\"code\": 1, \"message\": \"no\"}}'\n", plain());
    assert_snapshot!(refused(&text), @"");
    accepted(&answering("error = '{\"code\": 1, \"message\": \"no\"}'"));
}

#[test]
fn an_error_has_a_code_and_a_message() {
    assert_snapshot!(refused(&answering("error = '{\"code\": 1.5, \"message\": \"no\"}'")), @"");
    assert_snapshot!(refused(&answering("error = '{\"code\": 1}'")), @"");
}

#[test]
fn two_tools_do_not_share_a_name() {
    let second = "\n[[tool]]\ndefinition = '{\"name\": \"count\"}'\nreturns = '{\"structuredContent\": 4}'\n";
    assert_snapshot!(refused(&format!("{}{second}", plain())), @"");
    accepted(&format!("{}{}", plain(), second.replace("count", "count_all")));
}

#[test]
fn a_tool_does_not_take_the_name_of_a_control() {
    let control = "control = '{\"structuredContent\": \"x\"}'\n";
    let second = "\n[[tool]]\ndefinition = '{\"name\": \"count_control\"}'\nreturns = '{\"structuredContent\": 4}'\n";
    assert_snapshot!(refused(&format!("{}{control}{second}", plain())), @"");
    accepted(&format!("{}{second}", plain()));
}

#[test]
fn a_control_needs_a_schema_to_violate() {
    let control = "control = '{\"structuredContent\": \"three\"}'\n";
    let without_schema = plain_but(", \"outputSchema\": {\"type\": \"integer\"}", "");
    assert_snapshot!(refused(&format!("{without_schema}{control}")), @"");
    accepted(&format!("{}{control}", plain()));
}

#[test]
fn what_an_answer_does_not_show_must_be_said() {
    assert_snapshot!(refused(&answering("raw = '{'")), @"");
    accepted(&answering("raw = '{'\nmeans = \"invalid\""));
    assert_snapshot!(refused(&answering("returns = '{\"content\": [{\"type\": \"image\"}]}'")), @"");
    assert_snapshot!(refused(&answering("returns = '{\"structuredContent\": 1, \"structuredContent\": 2}'")), @"");
    accepted(&answering("returns = '{\"structuredContent\": 1, \"structuredContent\": 2}'\nmeans = \"invalid\""));
}

#[test]
fn a_tool_means_one_thing() {
    assert_snapshot!(refused(&format!("{}means = \"nothing\"\n", plain())), @"");
    assert_snapshot!(refused(&format!("{}means.text = \"a\"\nmeans.value = '1'\n", plain())), @"");
    assert_snapshot!(refused(&format!("{}means.tool_error = \"a\"\n", plain())), @"");
    accepted(&format!("{}means.tool-error = \"a\"\n", plain()));
}

#[test]
fn an_outcome_must_be_possible() {
    assert_snapshot!(refused(&format!("{}means.tool-error = \"no\"\nexpect = {{ legacy = \"text\" }}\n", plain())), @"");
    accepted(&format!("{}means.tool-error = \"no\"\nexpect = {{ legacy = \"masked\" }}\n", plain()));
    assert_snapshot!(refused(&format!("expect = \"caught\"\n{}", plain())), @"");
    accepted(&format!("expect = \"caught\"\n{}means = \"invalid\"\n", plain()));
}

#[test]
fn only_a_tool_that_hangs_can_be_expected_to_hang() {
    assert_snapshot!(refused(&format!("expect = \"hung\"\n{}", plain())), @"");
    accepted(&format!("expect = \"hung\"\n{}", answering("does = \"hang\"\nmeans.value = '3'")));
}

#[test]
fn a_raw_file_stands_beside_the_scenario() {
    assert_snapshot!(refused(&answering("raw-file = \"mob.bin\"\nmeans = \"invalid\"")), @"");
    assert_snapshot!(refused(&answering("raw-file = \"../root-type/bom.bin\"\nmeans = \"invalid\"")), @"");
    accepted(&answering("raw-file = \"bom.bin\"\nmeans = \"invalid\""));
}

#[test]
fn the_list_does_not_write_the_tools_again() {
    assert_snapshot!(refused(&format!("list = '{{\"tools\": []}}'\n{}", plain())), @"");
    accepted(&format!("list = '{{\"ttlMs\": 1}}'\n{}", plain()));
}

#[test]
fn a_family_names_its_members() {
    assert_snapshot!(refused(&format!("{}\n[[case]]\ntitle = \"Zero\"\n", plain())), @"");
    assert_snapshot!(refused(&format!("{}\n[[case]]\ncase = \"Zero!\"\n", plain())), @"");
    assert_snapshot!(refused(&format!("{}\n[[case]]\ncase = \"a\"\n\n[[case]]\ncase = \"a\"\n", plain())), @"");
    accepted(&format!("{}\n[[case]]\ncase = \"a\"\n\n[[case]]\ncase = \"b\"\n", plain()));
    assert_snapshot!(refused(&format!("case = []\n{}", plain())), @"");
}

#[test]
fn a_case_says_which_tool_it_means() {
    let second = "\n[[tool]]\ndefinition = '{\"name\": \"other\"}'\nreturns = '{\"structuredContent\": 4}'\n";
    let case = "\n[[case]]\ncase = \"a\"\nreturns = '{\"structuredContent\": 5}'\n";
    assert_snapshot!(refused(&format!("{}{second}{case}", plain())), @"");
    accepted(&format!("{}{case}", plain()));
}

#[test]
fn a_mistake_that_all_members_share_is_told_once() {
    let text = format!("{}expect = \"told\"\n\n[[case]]\ncase = \"a\"\n\n[[case]]\ncase = \"b\"\n", plain());
    assert_eq!(refused(&text).matches("error:").count(), 1);
}
