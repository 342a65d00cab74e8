//! Families: what a case overrides, and what it leaves as it is.

use mcp_compat_model::verdict::Outcome;
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{Call, Expect, Means};

use crate::given::{HEAD, accepted, plain};

/// The members of a family of the plain file.
fn family(cases: &str) -> Vec<Scenario> {
    accepted(&format!("{}{cases}", plain()))
}

fn subject(scenario: &Scenario) -> &Call {
    scenario.calls().next().expect("a call").1
}

#[test]
fn a_file_with_cases_yields_its_members_only() {
    let members = family("\n[[case]]\ncase = \"one\"\n\n[[case]]\ncase = \"two\"\ntitle = \"Another title\"\n");
    let ids: Vec<_> = members.iter().map(|member| (member.id.as_str(), member.title.as_str())).collect();
    assert_eq!(ids, [("root-type/count[one]", "A number at the root"), ("root-type/count[two]", "Another title")]);
}

#[test]
fn a_case_overrides_keys_of_the_only_tool() {
    let members = family(
        "\n[[case]]\ncase = \"zero\"\nreturns = '{\"structuredContent\": 0}'\n\n[[case]]\ncase = \"error\"\nerror = '{\"code\": 1, \"message\": \"no\"}'\ndefinition = '{\"name\": \"broken\"}'\n",
    );
    assert!(matches!(&subject(&members[0]).means, Means::Value(value) if value.to_compact() == "0"));
    assert_eq!(members[0].stages[0].tools[0].definition, accepted(&plain())[0].stages[0].tools[0].definition);
    assert_eq!(
        (subject(&members[1]).tool.as_str(), &subject(&members[1]).means),
        ("broken", &Means::ToolError("no".to_owned()))
    );
}

#[test]
fn a_case_replaces_the_tools_as_a_whole() {
    let members = family(
        "\n[[case]]\ncase = \"other\"\n\n[[case.tool]]\ndefinition = '{\"name\": \"other\"}'\nreturns = '{\"structuredContent\": {}}'\n",
    );
    let names: Vec<_> = members[0].stages[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["other"]);
}

#[test]
fn the_tool_of_a_family_can_be_completed_by_its_cases() {
    let text = format!(
        "{HEAD}\n[[tool]]\nreturns = '{{\"structuredContent\": 3}}'\n\n[[case]]\ncase = \"a\"\ndefinition = '{{\"name\": \"a\"}}'\n"
    );
    assert_eq!(subject(&accepted(&text)[0]).tool, "a");
    let without_tool = format!(
        "{HEAD}\n[[case]]\ncase = \"a\"\ndefinition = '{{\"name\": \"a\"}}'\nreturns = '{{\"structuredContent\": 3}}'\n"
    );
    assert_eq!(subject(&accepted(&without_tool)[0]).tool, "a");
}

#[test]
fn what_a_case_expects_is_nearer_than_what_the_tool_of_the_file_does() {
    let members = family("expect = \"text\"\n\n[[case]]\ncase = \"a\"\n\n[[case]]\ncase = \"b\"\nexpect = \"prose\"\n");
    assert_eq!(subject(&members[0]).expect, Expect::both(Outcome::Text));
    assert_eq!(subject(&members[1]).expect, Expect::both(Outcome::Prose));
}
