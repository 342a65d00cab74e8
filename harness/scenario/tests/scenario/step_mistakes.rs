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
        "\n[[step]]\nevolve = \"notify\"\n\n[[step.tool]]\ndefinition = '{{\"name\": \"{name}\"}}'\nreturns = '{{\"structuredContent\": 4}}'\n"
    )
}

fn call(name: &str) -> String {
    format!("\n[[step]]\ncall = \"{name}\"\n")
}

#[test]
fn a_step_is_one_thing() {
    assert_snapshot!(refused(&with_steps("[[step]]\nlist = true\ncall = \"count\"\n")), @r#"
    error: a step is one of `list`, `call` and `evolve`
     --> root-type/count.toml:8:1
      |
    8 | [[step]]
      | ^^^^^^^^ expected exactly one of `list = true`, `call = "…"` and `evolve = "notify"`
    "#);
    assert_snapshot!(refused(&with_steps("[[step]]\n")), @r#"
    error: a step is one of `list`, `call` and `evolve`
     --> root-type/count.toml:8:1
      |
    8 | [[step]]
      | ^^^^^^^^ expected exactly one of `list = true`, `call = "…"` and `evolve = "notify"`
    "#);
    assert_snapshot!(refused(&with_steps("[[step]]\nlist = false\n")), @r#"
    error: `list` can only be `true`
     --> root-type/count.toml:9:8
      |
    9 | list = false
      |        ^^^^^ expected `true`
    "#);
    accepted(&with_steps("[[step]]\nlist = true\n\n[[step]]\ncall = \"count\"\n"));
}

#[test]
fn a_key_of_another_step_is_refused() {
    let list = "[[step]]\nlist = true\nmeans = \"invalid\"\n";
    assert_snapshot!(refused(&with_steps(&format!("{list}{}", call("count")))), @r#"
    error: `means` goes with `call`
      --> root-type/count.toml:10:1
       |
    10 | means = "invalid"
       | ^^^^^ this step has no `call`
    "#);
}

#[test]
fn a_call_of_an_unknown_tool_is_told_with_the_nearest() {
    assert_snapshot!(refused(&with_steps(&call("cuont"))), @r#"
    error: no tool is named `cuont` at this step
      --> root-type/count.toml:10:8
       |
    10 | call = "cuont"
       |        ^^^^^^^ expected a tool that is on offer
       |
       = help: the nearest tool is `count`
    "#);
    accepted(&with_steps(&call("count")));
    assert_snapshot!(refused(&with_steps(&call("weather"))), @r#"
    error: no tool is named `weather` at this step
      --> root-type/count.toml:10:8
       |
    10 | call = "weather"
       |        ^^^^^^^^^ expected a tool that is on offer
       |
       = help: on offer: `count`
    "#);
}

#[test]
fn the_tool_that_evolves_is_no_tool_to_call() {
    assert_snapshot!(refused(&with_steps(&call("mcp_compat_evolve"))), @r#"
    error: no tool is named `mcp_compat_evolve` at this step
      --> root-type/count.toml:10:8
       |
    10 | call = "mcp_compat_evolve"
       |        ^^^^^^^^^^^^^^^^^^^ expected a tool that is on offer
       |
       = help: tools are changed by a step with `evolve`
    "#);
}

#[test]
fn a_scenario_calls_one_of_its_tools() {
    assert_snapshot!(refused(&with_steps(&format!("[[step]]\nlist = true\n{}", call("mcp_compat_bystander")))), @r#"
    error: no step calls a tool of this scenario
     --> root-type/count.toml:8:1
      |
    8 | [[step]]
      | ^^^^^^^^ expected a step with `call` among these
      |
      = help: on offer: `count`
    "#);
}

#[test]
fn a_control_is_called_or_left_out() {
    let control = "control = '{\"structuredContent\": \"x\"}'\n";
    assert_snapshot!(refused(&with_steps(&format!("{control}{}", call("count")))), @r#"
    error: no step calls the control `count_control`
     --> root-type/count.toml:8:1
      |
    8 | control = '{"structuredContent": "x"}'
      | ^^^^^^^ it would prove nothing
      |
      = help: add a step with `call = "count_control"`, or leave the control out
    "#);
    accepted(&with_steps(&format!("{control}{}{}", call("count"), call("count_control"))));
}

#[test]
fn what_comes_of_a_control_is_not_for_the_step_to_say() {
    let control = "control = '{\"structuredContent\": \"x\"}'\n";
    let steps = format!("{control}{}{}expect = \"uncaught\"\n", call("count"), call("count_control"));
    assert_snapshot!(refused(&with_steps(&steps)), @r#"
    error: `expect` has no place in this step
      --> root-type/count.toml:15:1
       |
    15 | expect = "uncaught"
       | ^^^^^^ a control means nothing valid and must be caught
    "#);
}

#[test]
fn an_evolution_leads_somewhere() {
    assert_snapshot!(refused(&with_steps(&format!("{}\n[[step]]\nevolve = \"notify\"\n", call("count")))), @r#"
    error: an evolution needs the tools that it leads to
      --> root-type/count.toml:12:1
       |
    12 | [[step]]
       | ^^^^^^^^ no `[[step.tool]]` follows
       |
       = help: if every tool goes away, write `tool = []`
    "#);
    accepted(&with_steps(&format!("{}\n[[step]]\nevolve = \"notify\"\ntool = []\n", call("count"))));
    assert_snapshot!(refused(&with_steps("[[step]]\nevolve = \"loudly\"\ntool = []\n")), @r#"
    error: `loudly` is not a way to evolve
     --> root-type/count.toml:9:10
      |
    9 | evolve = "loudly"
      |          ^^^^^^^^ expected `notify` or `silent`
    "#);
}

#[test]
fn a_tool_that_is_gone_is_called_for_the_error_only() {
    let gone = format!("{}{}", evolve_to("total"), call("count"));
    assert_snapshot!(refused(&with_steps(&gone)), @r#"
    error: `count` is gone at this step
      --> root-type/count.toml:17:8
       |
    17 | call = "count"
       |        ^^^^^^^ an evolution before it has taken the tool away
       |
       = help: if that is intended, name the error that the client must report: `means.tool-error = "…"`
    "#);
    accepted(&with_steps(&format!("{gone}means.tool-error = \"count\"\n")));
}

#[test]
fn a_tool_that_is_not_there_yet_is_not_called() {
    let text = format!("{}{}", call("total"), evolve_to("total"));
    assert_snapshot!(refused(&with_steps(&text)), @r#"
    error: no tool is named `total` at this step
      --> root-type/count.toml:10:8
       |
    10 | call = "total"
       |        ^^^^^^^ expected a tool that is on offer
       |
       = help: it only comes with a later `evolve`
    "#);
    accepted(&with_steps(&format!("{}{}", evolve_to("total"), call("total"))));
}

#[test]
fn what_a_step_means_must_fit_what_it_expects() {
    let steps = format!("{}means.tool-error = \"no\"\nexpect = \"intact\"\n", call("count"));
    assert_snapshot!(refused(&with_steps(&steps)), @r#"
    error: `intact` is not an outcome of a tool error
      --> root-type/count.toml:12:10
       |
    10 | call = "count"
       | ---- this means a tool error
    11 | means.tool-error = "no"
    12 | expect = "intact"
       |          ^^^^^^^^ expected `told`, `masked` or `swallowed`
    "#);
    accepted(&with_steps(&steps.replace("intact", "told")));
}
