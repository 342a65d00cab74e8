//! Where JSON stands in a scenario, and what follows from changing it there.
//!
//! A control has its tool's definition; the text blocks that tell a value follow it; and what a tool means follows the
//! answer from which it is read.

use std::collections::HashMap;

use mcp_compat_json::Json;
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{Call, Means, Purpose, Step};
use serde_json::value::RawValue;

use super::{text_fallback, tree};

/// A place of a scenario that holds JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// The definition of a tool, and with it that of its control.
    Definition(ToolIndex),
    /// The result or the error with which a tool answers.
    Answer(ToolIndex),
    /// A value that a call means, where its answer does not show it.
    Meant {
        /// The call's place among the steps.
        step: usize,
    },
    /// The arguments of a call.
    Arguments {
        /// The call's place among the steps.
        step: usize,
    },
    /// What the result of `tools/list` has beside the tools.
    List,
}

/// A tool of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ToolIndex {
    pub(super) stage: usize,
    pub(super) tool: usize,
}

/// Every tool of a scenario, with its controls.
pub(super) fn tools(scenario: &Scenario) -> Vec<ToolIndex> {
    let of_stage = |(stage, tools): (usize, usize)| (0..tools).map(move |tool| ToolIndex { stage, tool });
    scenario.stages.iter().map(|stage| stage.tools.len()).enumerate().flat_map(of_stage).collect()
}

/// Whether a tool is the control of the one before it.
pub(super) fn is_control(scenario: &Scenario, index: ToolIndex) -> bool {
    let Some(tool) = scenario.stages.get(index.stage).and_then(|stage| stage.tools.get(index.tool)) else {
        return false;
    };
    scenario.calls().any(|(_, call)| call.purpose == Purpose::Control && call.tool == tool.name)
}

/// The stage in which each step is done.
pub(super) fn stages_of_steps(scenario: &Scenario) -> Vec<usize> {
    let mut stage = 0;
    let of_step = |step: &Step| {
        stage += usize::from(matches!(step, Step::Evolve { .. }));
        stage
    };
    scenario.steps.iter().map(of_step).collect()
}

/// The tool that a call is answered by; none where it is gone.
pub(super) fn tool_of_call(scenario: &Scenario, step: usize) -> Option<ToolIndex> {
    let Some(Step::Call(call)) = scenario.steps.get(step) else { return None };
    let stage = scenario.steps[..step].iter().filter(|step| matches!(step, Step::Evolve { .. })).count();
    let tool = scenario.stages.get(stage)?.tools.iter().position(|tool| tool.name == call.tool)?;
    Some(ToolIndex { stage, tool })
}

/// The calls of a scenario, each with its step and the tool that it is answered by.
pub(super) fn calls_with_tools(scenario: &Scenario) -> Vec<(usize, &Call, Option<ToolIndex>)> {
    let mut tools: HashMap<(usize, &str), ToolIndex> = HashMap::new();
    for (stage, offered) in scenario.stages.iter().enumerate() {
        for (tool, offered) in offered.tools.iter().enumerate() {
            tools.entry((stage, offered.name.as_str())).or_insert(ToolIndex { stage, tool });
        }
    }
    let stages = stages_of_steps(scenario);
    let calls = scenario.calls();
    calls.map(|(step, call)| (step, call, tools.get(&(stages[step], call.tool.as_str())).copied())).collect()
}

/// The answer of a tool, if it is JSON.
pub(super) fn answer(scenario: &Scenario, index: ToolIndex) -> Option<Json> {
    match &scenario.stages.get(index.stage)?.tools.get(index.tool)?.reply {
        Reply::Result(text) | Reply::Error(text) => Json::parse(text.get()).ok(),
        Reply::Raw(_) | Reply::Hang {} | Reply::Exit { .. } | Reply::Evolve {} => None,
    }
}

/// The definition of a tool.
pub(super) fn definition(scenario: &Scenario, index: ToolIndex) -> Option<Json> {
    Json::parse(&scenario.stages.get(index.stage)?.tools.get(index.tool)?.definition).ok()
}

impl Location {
    /// Every place that can change on its own.
    pub(super) fn all(scenario: &Scenario) -> Vec<Self> {
        let tools = tools(scenario);
        let definitions = tools.iter().filter(|index| !is_control(scenario, **index)).copied().map(Self::Definition);
        let calls = calls_with_tools(scenario).into_iter();
        let meant = calls.filter(|(_, call, index)| is_said(scenario, call, *index));
        let meant = meant.map(|(step, ..)| Self::Meant { step });
        let arguments = scenario.calls().filter(|(_, call)| call.purpose != Purpose::Control);
        let arguments = arguments.map(|(step, _)| Self::Arguments { step });
        let answers = tools.iter().copied().map(Self::Answer);
        definitions.chain(meant).chain(answers).chain(arguments).chain([Self::List]).collect()
    }

    /// What stands there.
    pub(super) fn read(self, scenario: &Scenario) -> Option<Json> {
        match self {
            Self::Definition(index) => definition(scenario, index),
            Self::Answer(index) => answer(scenario, index),
            Self::Meant { step } => match scenario.steps.get(step)? {
                Step::Call(Call { means: Means::Value(value), .. }) => Some(value.clone()),
                Step::Call(_) | Step::List | Step::Evolve { .. } => None,
            },
            Self::Arguments { step } => match scenario.steps.get(step)? {
                Step::Call(call) => Json::parse(&call.arguments).ok(),
                Step::List | Step::Evolve { .. } => None,
            },
            Self::List => Json::parse(scenario.list.as_ref()?).ok(),
        }
    }

    /// The scenario with something else there, and with what follows from that; nothing, where it cannot be said.
    pub(super) fn write(self, scenario: &Scenario, new: Json) -> Option<Scenario> {
        match self {
            Self::Definition(index) => with_definition(scenario, index, &new),
            Self::Answer(index) => with_answer(scenario, index, new),
            Self::Meant { step } => with_meaning(scenario, step, &new),
            Self::Arguments { step } => with_arguments(scenario, step, &new),
            Self::List => {
                new.as_object()?;
                Some(Scenario { list: Some(new.to_compact()), ..scenario.clone() })
            }
        }
    }

    /// The tool or step that it belongs to, for people.
    pub(super) fn owner(self, scenario: &Scenario) -> String {
        let tool = |index: ToolIndex| {
            let tool = scenario.stages.get(index.stage).and_then(|stage| stage.tools.get(index.tool));
            tool.map(|tool| tool.name.clone()).unwrap_or_default()
        };
        let called = |step: usize| match scenario.steps.get(step) {
            Some(Step::Call(call)) => call.tool.clone(),
            Some(Step::List | Step::Evolve { .. }) | None => String::new(),
        };
        match self {
            Self::Definition(index) => format!("the definition of {}", tool(index)),
            Self::Answer(index) => format!("the answer of {}", tool(index)),
            Self::Meant { step } => format!("what {} means", called(step)),
            Self::Arguments { step } => format!("the arguments of {}", called(step)),
            Self::List => "the list".to_owned(),
        }
    }
}

/// Whether a call means a value that its answer does not show as its structured content.
fn is_said(scenario: &Scenario, call: &Call, index: Option<ToolIndex>) -> bool {
    let Means::Value(value) = &call.means else { return false };
    let shown = index.and_then(|index| answer(scenario, index));
    shown.as_ref().and_then(text_fallback::structured) != Some(value)
}

fn with_definition(scenario: &Scenario, index: ToolIndex, new: &Json) -> Option<Scenario> {
    let mut changed = scenario.clone();
    let tools = &mut changed.stages.get_mut(index.stage)?.tools;
    let tool = tools.get_mut(index.tool)?;
    if new.get("name")?.as_str() != Some(&tool.name) {
        return None;
    }
    tool.definition = new.to_compact();
    let twin = ToolIndex { tool: index.tool + 1, ..index };
    if is_control(scenario, twin) {
        let twin = tools.get_mut(twin.tool)?;
        twin.definition = tree::with_member(new, "name", twin.name.as_str().into())?.to_compact();
    }
    Some(changed)
}

fn with_answer(scenario: &Scenario, index: ToolIndex, new: Json) -> Option<Scenario> {
    let old = answer(scenario, index)?;
    let new = match (text_fallback::structured(&old), text_fallback::structured(&new)) {
        (Some(was), Some(is)) if was != is => text_fallback::updated(&new, was, is)?,
        (Some(_) | None, _) => new,
    };
    let mut changed = scenario.clone();
    for step in calls_of(scenario, index) {
        let Some(Step::Call(call)) = changed.steps.get_mut(step) else { return None };
        call.means = followed(&call.means, &old, &new)?;
    }
    put_answer(&mut changed, index, &new)?;
    Some(changed)
}

/// What a call means after a change of the answer from which that is read.
fn followed(means: &Means, old: &Json, new: &Json) -> Option<Means> {
    let words = |answer: &Json| {
        let message = || answer.get("message").and_then(Json::as_str);
        text_fallback::first_text(answer).or_else(message).map(str::to_owned)
    };
    Some(match means {
        Means::Value(value) if text_fallback::structured(old) == Some(value) => {
            Means::Value(text_fallback::structured(new)?.clone())
        }
        Means::Text(text) if words(old).as_ref() == Some(text) => Means::Text(words(new)?),
        Means::ToolError(text) if words(old).as_ref() == Some(text) => Means::ToolError(words(new)?),
        Means::Value(_) | Means::Text(_) | Means::ToolError(_) | Means::Invalid => means.clone(),
    })
}

fn with_meaning(scenario: &Scenario, step: usize, new: &Json) -> Option<Scenario> {
    let old = Location::Meant { step }.read(scenario)?;
    let mut changed = scenario.clone();
    let index = tool_of_call(scenario, step);
    let calls = index.map_or_else(|| vec![step], |index| calls_of(scenario, index));
    for step in calls {
        let Some(Step::Call(call)) = changed.steps.get_mut(step) else { return None };
        if matches!(&call.means, Means::Value(value) if *value == old) {
            call.means = Means::Value(new.clone());
        }
    }
    if let Some((index, shown)) = index.and_then(|index| Some((index, answer(scenario, index)?))) {
        let mut shown = text_fallback::updated(&shown, &old, new)?;
        if let Some(structured) = text_fallback::structured(&shown) {
            let structured = tree::exchanged(structured, &old, new);
            shown = tree::with_member(&shown, "structuredContent", structured)?;
        }
        put_answer(&mut changed, index, &shown)?;
    }
    Some(changed)
}

fn with_arguments(scenario: &Scenario, step: usize, new: &Json) -> Option<Scenario> {
    new.as_object()?;
    let Some(Step::Call(old)) = scenario.steps.get(step) else { return None };
    let stage = stages_of_steps(scenario);
    let index = tool_of_call(scenario, step)?;
    let twin = ToolIndex { tool: index.tool + 1, ..index };
    let mut changed = scenario.clone();
    // A control is called as its tool is.
    for (place, other) in changed.steps.iter_mut().enumerate() {
        let Step::Call(other) = other else { continue };
        let same_stage = stage.get(place) == Some(&index.stage);
        let called = scenario.stages.get(index.stage).and_then(|stage| stage.tools.get(twin.tool));
        let is_twin = is_control(scenario, twin) && called.is_some_and(|twin| twin.name == other.tool);
        if place == step || (same_stage && is_twin && other.arguments == old.arguments) {
            other.arguments = new.to_compact();
        }
    }
    Some(changed)
}

/// The calls that a tool answers.
fn calls_of(scenario: &Scenario, index: ToolIndex) -> Vec<usize> {
    let calls = calls_with_tools(scenario).into_iter();
    calls.filter(|(_, _, answered_by)| *answered_by == Some(index)).map(|(step, ..)| step).collect()
}

fn put_answer(scenario: &mut Scenario, index: ToolIndex, new: &Json) -> Option<()> {
    new.as_object()?;
    let text = RawValue::from_string(new.to_compact()).ok()?;
    let reply = &mut scenario.stages.get_mut(index.stage)?.tools.get_mut(index.tool)?.reply;
    *reply = match reply {
        Reply::Result(_) => Reply::Result(text),
        Reply::Error(_) => Reply::Error(text),
        Reply::Raw(_) | Reply::Hang {} | Reply::Exit { .. } | Reply::Evolve {} => return None,
    };
    Some(())
}
