//! Steps: calls as written, tools that change, and what follows from both.

use mcp_compat_model::verdict::Outcome;
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{Expect, Means, Purpose, Step};

use crate::given::{only, plain};

fn with_steps(steps: &str) -> Scenario {
    only(&format!("{}{steps}", plain()))
}

/// Tools, purposes and meanings of the calls, and the other steps by name.
fn described(scenario: &Scenario) -> Vec<String> {
    let step = |step: &Step| match step {
        Step::List => "list".to_owned(),
        Step::Evolve { notified: true } => "evolve, told".to_owned(),
        Step::Evolve { notified: false } => "evolve, untold".to_owned(),
        Step::Call(call) => {
            let means = match &call.means {
                Means::Value(value) => value.to_compact(),
                Means::Text(text) => text.clone(),
                Means::ToolError(words) => format!("error {words}"),
                Means::Invalid => "invalid".to_owned(),
            };
            let purpose = match call.purpose {
                Purpose::Subject => "subject",
                Purpose::Control => "control",
                Purpose::Bystander => "bystander",
            };
            format!("{purpose} {}: {means}", call.tool)
        }
    };
    scenario.steps.iter().map(step).collect()
}

const DRIFT: &str = r#"
[[step]]
list = true

[[step]]
call = "count"

[[step]]
evolve = "notify"

[[step.tool]]
definition = '{"name": "count", "outputSchema": {"type": "string"}}'
returns = '{"structuredContent": "three"}'
arguments = '{"spelt": true}'

[[step]]
call = "count"

[[step]]
evolve = "silent"

[[step.tool]]
definition = '{"name": "total"}'
returns = '{"structuredContent": 4}'

[[step]]
call = "total"

[[step]]
call = "count"
means.tool-error = "count"
"#;

#[test]
fn a_call_means_what_the_tool_means_at_that_step() {
    assert_eq!(
        described(&with_steps(DRIFT)),
        [
            "list",
            "subject count: 3",
            "evolve, told",
            "subject count: \"three\"",
            "evolve, untold",
            "subject total: 4",
            "subject count: error count",
            "bystander mcp_compat_bystander: still here",
        ]
    );
}

#[test]
fn a_tool_that_is_gone_keeps_its_last_arguments_and_must_be_told() {
    let scenario = with_steps(DRIFT);
    let (_, gone) = scenario.calls().filter(|(_, call)| call.tool == "count").last().unwrap();
    assert_eq!((gone.arguments.as_str(), gone.expect), (r#"{"spelt":true}"#, Expect::both(Outcome::Told)));
}

#[test]
fn each_evolution_is_a_stage_of_the_script() {
    let script = with_steps(DRIFT).script();
    let stages: Vec<(bool, Vec<&str>)> = script
        .stages
        .iter()
        .map(|stage| (stage.told, stage.tools.iter().map(|tool| tool.name.as_str()).collect()))
        .collect();
    assert_eq!(
        stages,
        [
            (false, vec!["count", "mcp_compat_evolve", "mcp_compat_bystander"]),
            (true, vec!["count", "mcp_compat_evolve", "mcp_compat_bystander"]),
            (false, vec!["total", "mcp_compat_evolve", "mcp_compat_bystander"]),
        ]
    );
}

#[test]
fn the_bystander_stands_where_it_is_written() {
    let steps = "\n[[step]]\ncall = \"mcp_compat_bystander\"\narguments = '{\"a\": 1}'\n\n[[step]]\ncall = \"count\"\n";
    assert_eq!(described(&with_steps(steps)), ["bystander mcp_compat_bystander: still here", "subject count: 3"]);
}

#[test]
fn a_step_overrides_what_the_tool_says() {
    let scenario = with_steps(
        "\n[[step]]\ncall = \"count\"\narguments = '{\"all\": true}'\nmeans = \"invalid\"\nexpect.legacy = \"uncaught\"\n",
    );
    let (_, call) = scenario.calls().next().unwrap();
    assert_eq!((call.arguments.as_str(), &call.means), (r#"{"all":true}"#, &Means::Invalid));
    assert_eq!(call.expect, Expect { legacy: Outcome::Uncaught, modern: Outcome::Caught });
}

#[test]
fn a_control_is_called_where_a_step_says_so() {
    let scenario = with_steps(
        "control = '{\"structuredContent\": \"x\"}'\n\n[[step]]\ncall = \"count_control\"\n\n[[step]]\ncall = \"count\"\n",
    );
    assert_eq!(
        described(&scenario),
        ["control count_control: invalid", "subject count: 3", "bystander mcp_compat_bystander: still here"]
    );
}
