//! Adapts a scenario to a black-box client, which lists the tools, calls the one tool it knows, and ends.

use std::borrow::Cow;

use mcp_compat_json::{Json, Object};
use mcp_compat_model::peer_contract::{AnsweredMethod, BYSTANDER_TOOL};
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{Call, Purpose, Step, Tool};

use super::command::SUITE_ARGUMENTS;

/// Returns the reason for which a black-box client cannot play a scenario. `None` if it can.
pub(crate) fn unsupported_reason(scenario: &Scenario) -> Option<&'static str> {
    subject(scenario).err()
}

/// The scenario with its tool under the name that the client calls. A scenario that a black-box client cannot play stays as
/// it is: it is never planned with one.
pub(crate) fn adapted<'s>(scenario: &'s Scenario, calls: &str) -> Cow<'s, Scenario> {
    let Ok((subject, tool)) = subject(scenario) else { return Cow::Borrowed(scenario) };
    let mut adapted = scenario.clone();
    let controls: Vec<&str> = of_purpose(scenario, Purpose::Control).map(|call| call.tool.as_str()).collect();
    for stage in &mut adapted.stages {
        stage.tools.retain(|tool| !controls.contains(&tool.name.as_str()));
        for other in &mut stage.tools {
            if other.name == tool.name {
                *other = renamed(other, calls);
            }
        }
    }
    let called = Call { tool: calls.to_owned(), arguments: SUITE_ARGUMENTS.to_owned(), ..subject.clone() };
    let bystander = of_purpose(scenario, Purpose::Bystander).cloned();
    adapted.steps = [Step::List, Step::Call(called)].into_iter().chain(bystander.map(Step::Call).take(1)).collect();
    Cow::Owned(adapted)
}

/// The same tool under another name.
pub(super) fn renamed(tool: &Tool, name: &str) -> Tool {
    let definition = match Json::parse(&tool.definition) {
        Ok(Json::Object(members)) => {
            let with_name =
                |(key, value): (_, Json)| if key == "name" { (key, Json::from(name)) } else { (key, value) };
            Json::Object(members.into_iter().map(with_name).collect::<Object>()).to_compact()
        }
        Ok(_) | Err(_) => tool.definition.clone(),
    };
    Tool { name: name.to_owned(), definition, ..tool.clone() }
}

fn of_purpose(scenario: &Scenario, purpose: Purpose) -> impl Iterator<Item = &Call> {
    scenario.calls().map(|(_, call)| call).filter(move |call| call.purpose == purpose)
}

/// Returns the call that the scenario is about, and its tool.
fn subject(scenario: &Scenario) -> Result<(&Call, &Tool), &'static str> {
    let [stage] = scenario.stages.as_slice() else {
        return Err("its tools change, and a client that is only a command calls once");
    };
    if scenario.answers.iter().any(|answer| answer.to == AnsweredMethod::ListTools) {
        return Err("it scripts the list itself, and a client that is only a command calls a tool by its own name");
    }
    let subjects: Vec<&Call> = of_purpose(scenario, Purpose::Subject).collect();
    let subject = match subjects[..] {
        [subject] => subject,
        // Of a list in pages, the tool on the last page is the one that clients lose.
        [.., last] if scenario.page_size.is_some() && scenario.answers.is_empty() => last,
        _ => return Err("it takes several calls, or none, and a client that is only a command makes one"),
    };
    if subject.tool == BYSTANDER_TOOL || subject.concurrent || !subject.args_from.is_empty() {
        return Err("it takes several calls, or none, and a client that is only a command makes one");
    }
    let mut named = stage.tools.iter().filter(|tool| tool.name == subject.tool);
    let (Some(tool), None) = (named.next(), named.next()) else {
        return Err("it is about the name of its tool, and a client that is only a command calls one by its own name");
    };
    if tool.answers_after.is_some() {
        return Err("it takes several calls, or none, and a client that is only a command makes one");
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if tool.name.len() > 128 || !tool.name.chars().all(plain) {
        return Err("it is about the name of its tool, and a client that is only a command calls one by its own name");
    }
    Ok((subject, tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(id: &str) -> Scenario {
        let corpus = mcp_compat_scenario::corpus::load().unwrap();
        corpus.into_iter().find(|scenario| scenario.id.as_str() == id).unwrap_or_else(|| panic!("no {id}"))
    }

    #[test]
    fn the_tool_is_offered_under_the_name_that_the_client_calls() {
        let scenario = corpus("root-type/array");
        let adapted = adapted(&scenario, "add_numbers");
        let [tool] = adapted.stages[0].tools.as_slice() else { panic!("{:?}", adapted.stages[0].tools) };
        assert_eq!(tool.name, "add_numbers");
        let original = &scenario.stages[0].tools[0];
        assert_eq!(tool.definition, original.definition.replacen(&original.name, "add_numbers", 1));
        let called: Vec<_> = adapted.calls().map(|(_, call)| call.tool.as_str()).collect();
        assert_eq!(called, ["add_numbers", BYSTANDER_TOOL]);
    }

    #[test]
    fn what_takes_more_than_one_call_or_is_about_the_name_is_not_supported() {
        let why = |id| unsupported_reason(&corpus(id)).unwrap_or("it is supported");
        assert!(why("drift/enum-widened[told]").starts_with("its tools change"));
        assert!(why("chain/feed[handle]").starts_with("it takes several calls"));
        assert!(why("tool-names/odd[space]").starts_with("it is about the name"));
        assert_eq!(why("ref/network[absolute]"), "it is supported");
    }

    #[test]
    fn of_a_list_in_pages_the_tool_on_the_last_page_is_called() {
        let adapted = adapted(&corpus("pagination/second-page"), "add_numbers").into_owned();
        let tools: Vec<&str> = adapted.stages[0].tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((tools, adapted.page_size), (vec!["ping_depot", "add_numbers"], Some(1)));
        let called: Vec<_> = adapted.calls().map(|(_, call)| call.tool.as_str()).collect();
        assert_eq!(called, ["add_numbers", BYSTANDER_TOOL]);
    }

    #[test]
    fn most_of_the_corpus_is_supported() {
        let corpus = mcp_compat_scenario::corpus::load().unwrap();
        let supported = corpus.iter().filter(|scenario| unsupported_reason(scenario).is_none()).count();
        assert!(supported * 10 > corpus.len() * 7, "{supported} of {}", corpus.len());
    }
}
