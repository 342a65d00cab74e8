//! Mistakes in steps. Each beside what is right.

use insta::assert_snapshot;

use crate::given::{accepted, plain, refused};

/// The file with these steps.
fn with_steps(steps: &str) -> String {
    format!("{}{steps}", plain())
}

/// An evolution that leads to one tool of this name.
fn evolve_to(name: &str) -> String {
    format!(
        "\n[[step]]\nevolve = \"told\"\n\n[[step.tool]]\ndefinition = '{{\"name\": \"{name}\"}}'\nreturns = '{{\"structuredContent\": 4}}'\n"
    )
}

fn call(name: &str) -> String {
    format!("\n[[step]]\ncall = \"{name}\"\n")
}

#[test]
fn a_step_is_one_thing() {
    assert_snapshot!(refused(&with_steps("[[step]]\nlist = true\ncall = \"count\"\n")), @"");
    assert_snapshot!(refused(&with_steps("[[step]]\n")), @"");
    assert_snapshot!(refused(&with_steps("[[step]]\nlist = false\n")), @"");
    accepted(&with_steps("[[step]]\nlist = true\n\n[[step]]\ncall = \"count\"\n"));
}

#[test]
fn a_key_of_another_step_is_refused() {
    let list = "[[step]]\nlist = true\nmeans = \"invalid\"\n";
    assert_snapshot!(refused(&with_steps(&format!("{list}{}", call("count")))), @"");
}

#[test]
fn a_call_of_an_unknown_tool_is_told_with_the_nearest() {
    assert_snapshot!(refused(&with_steps(&call("cuont"))), @"");
    accepted(&with_steps(&call("count")));
    assert_snapshot!(refused(&with_steps(&call("weather"))), @"");
}

#[test]
fn the_tool_that_evolves_is_no_tool_to_call() {
    assert_snapshot!(refused(&with_steps(&call("mcp_compat_evolve"))), @"");
}

#[test]
fn a_scenario_calls_one_of_its_tools() {
    assert_snapshot!(refused(&with_steps(&format!("[[step]]\nlist = true\n{}", call("mcp_compat_bystander")))), @"");
}

#[test]
fn a_control_is_called_or_left_out() {
    let control = "control = '{\"structuredContent\": \"x\"}'\n";
    assert_snapshot!(refused(&with_steps(&format!("{control}{}", call("count")))), @"");
    accepted(&with_steps(&format!("{control}{}{}", call("count"), call("count_control"))));
}

#[test]
fn what_comes_of_a_control_is_not_for_the_step_to_say() {
    let control = "control = '{\"structuredContent\": \"x\"}'\n";
    let steps = format!("{control}{}{}expect = \"uncaught\"\n", call("count"), call("count_control"));
    assert_snapshot!(refused(&with_steps(&steps)), @"");
}

#[test]
fn an_evolution_leads_somewhere() {
    assert_snapshot!(refused(&with_steps(&format!("{}\n[[step]]\nevolve = \"told\"\n", call("count")))), @"");
    accepted(&with_steps(&format!("{}\n[[step]]\nevolve = \"told\"\ntool = []\n", call("count"))));
    assert_snapshot!(refused(&with_steps("[[step]]\nevolve = \"loudly\"\ntool = []\n")), @"");
}

#[test]
fn a_tool_that_is_gone_is_called_for_the_error_only() {
    let gone = format!("{}{}", evolve_to("total"), call("count"));
    assert_snapshot!(refused(&with_steps(&gone)), @"");
    accepted(&with_steps(&format!("{gone}means.tool-error = \"count\"\n")));
}

#[test]
fn a_tool_that_is_not_there_yet_is_not_called() {
    let text = format!("{}{}", call("total"), evolve_to("total"));
    assert_snapshot!(refused(&with_steps(&text)), @"");
    accepted(&with_steps(&format!("{}{}", evolve_to("total"), call("total"))));
}

#[test]
fn what_a_step_means_must_fit_what_it_expects() {
    let steps = format!("{}means.tool-error = \"no\"\nexpect = \"intact\"\n", call("count"));
    assert_snapshot!(refused(&with_steps(&steps)), @"");
    accepted(&with_steps(&steps.replace("intact", "told")));
}
