//! Where JSON stands in a scenario, and what follows from changing it there.
//!
//! A control has its tool's definition; the text blocks that tell a value follow it; and what a tool means follows the
//! answer from which it is read.

use mcp_compat_json::Json;
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{Call, Means, Purpose, Step};
use serde_json::value::RawValue;

use super::{mirror, tree};

/// A place of a scenario that holds JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Site {
    /// The definition of a tool, and with it that of its control.
    Definition(Spot),
    /// The result or the error with which a tool answers.
    Answer(Spot),
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) stage: usize,
    pub(super) tool: usize,
}

/// Every tool of a scenario, with its controls.
pub(super) fn spots(scenario: &Scenario) -> Vec<Spot> {
    let of_stage = |(stage, tools): (usize, usize)| (0..tools).map(move |tool| Spot { stage, tool });
    scenario.stages.iter().map(|stage| stage.tools.len()).enumerate().flat_map(of_stage).collect()
}

/// Whether a tool is the control of the one before it.
pub(super) fn is_control(scenario: &Scenario, spot: Spot) -> bool {
    let Some(tool) = scenario.stages.get(spot.stage).and_then(|stage| stage.tools.get(spot.tool)) else { return false };
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
pub(super) fn spot_of_call(scenario: &Scenario, step: usize) -> Option<Spot> {
    let Some(Step::Call(call)) = scenario.steps.get(step) else { return None };
    let stage = *stages_of_steps(scenario).get(step)?;
    let tool = scenario.stages.get(stage)?.tools.iter().position(|tool| tool.name == call.tool)?;
    Some(Spot { stage, tool })
}

/// The answer of a tool, if it is JSON.
pub(super) fn answer(scenario: &Scenario, spot: Spot) -> Option<Json> {
    match &scenario.stages.get(spot.stage)?.tools.get(spot.tool)?.reply {
        Reply::Result(text) | Reply::Error(text) => Json::parse(text.get()).ok(),
        Reply::Raw(_) | Reply::Hang {} | Reply::Exit { .. } | Reply::Evolve {} => None,
    }
}

/// The definition of a tool.
pub(super) fn definition(scenario: &Scenario, spot: Spot) -> Option<Json> {
    Json::parse(&scenario.stages.get(spot.stage)?.tools.get(spot.tool)?.definition).ok()
}

impl Site {
    /// Every place that can change on its own.
    pub(super) fn all(scenario: &Scenario) -> Vec<Self> {
        let spots = spots(scenario);
        let definitions = spots.iter().filter(|spot| !is_control(scenario, **spot)).copied().map(Self::Definition);
        let meant = scenario.calls().filter(|(step, call)| is_said(scenario, *step, call));
        let meant = meant.map(|(step, _)| Self::Meant { step });
        let arguments = scenario.calls().filter(|(_, call)| call.purpose != Purpose::Control);
        let arguments = arguments.map(|(step, _)| Self::Arguments { step });
        let answers = spots.iter().copied().map(Self::Answer);
        definitions.chain(meant).chain(answers).chain(arguments).chain([Self::List]).collect()
    }

    /// What stands there.
    pub(super) fn read(self, scenario: &Scenario) -> Option<Json> {
        match self {
            Self::Definition(spot) => definition(scenario, spot),
            Self::Answer(spot) => answer(scenario, spot),
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
            Self::Definition(spot) => with_definition(scenario, spot, &new),
            Self::Answer(spot) => with_answer(scenario, spot, new),
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
        let tool = |spot: Spot| {
            let tool = scenario.stages.get(spot.stage).and_then(|stage| stage.tools.get(spot.tool));
            tool.map(|tool| tool.name.clone()).unwrap_or_default()
        };
        let called = |step: usize| match scenario.steps.get(step) {
            Some(Step::Call(call)) => call.tool.clone(),
            Some(Step::List | Step::Evolve { .. }) | None => String::new(),
        };
        match self {
            Self::Definition(spot) => format!("the definition of {}", tool(spot)),
            Self::Answer(spot) => format!("the answer of {}", tool(spot)),
            Self::Meant { step } => format!("what {} means", called(step)),
            Self::Arguments { step } => format!("the arguments of {}", called(step)),
            Self::List => "the list".to_owned(),
        }
    }
}

/// Whether a call means a value that its answer does not show as its structured content.
fn is_said(scenario: &Scenario, step: usize, call: &Call) -> bool {
    let Means::Value(value) = &call.means else { return false };
    let shown = spot_of_call(scenario, step).and_then(|spot| answer(scenario, spot));
    shown.as_ref().and_then(mirror::structured) != Some(value)
}

fn with_definition(scenario: &Scenario, spot: Spot, new: &Json) -> Option<Scenario> {
    let mut changed = scenario.clone();
    let tools = &mut changed.stages.get_mut(spot.stage)?.tools;
    let tool = tools.get_mut(spot.tool)?;
    if new.get("name")?.as_str() != Some(&tool.name) {
        return None;
    }
    tool.definition = new.to_compact();
    let twin = Spot { tool: spot.tool + 1, ..spot };
    if is_control(scenario, twin) {
        let twin = tools.get_mut(twin.tool)?;
        twin.definition = tree::with_member(new, "name", twin.name.as_str().into())?.to_compact();
    }
    Some(changed)
}

fn with_answer(scenario: &Scenario, spot: Spot, new: Json) -> Option<Scenario> {
    let old = answer(scenario, spot)?;
    let new = match (mirror::structured(&old), mirror::structured(&new)) {
        (Some(was), Some(is)) if was != is => mirror::retold(&new, was, is)?,
        (Some(_) | None, _) => new,
    };
    let mut changed = scenario.clone();
    for step in calls_of(scenario, spot) {
        let Some(Step::Call(call)) = changed.steps.get_mut(step) else { return None };
        call.means = followed(&call.means, &old, &new)?;
    }
    put_answer(&mut changed, spot, &new)?;
    Some(changed)
}

/// What a call means after a change of the answer from which that is read.
fn followed(means: &Means, old: &Json, new: &Json) -> Option<Means> {
    let words = |answer: &Json| {
        let message = || answer.get("message").and_then(Json::as_str);
        mirror::first_text(answer).or_else(message).map(str::to_owned)
    };
    Some(match means {
        Means::Value(value) if mirror::structured(old) == Some(value) => Means::Value(mirror::structured(new)?.clone()),
        Means::Text(text) if words(old).as_ref() == Some(text) => Means::Text(words(new)?),
        Means::ToolError(text) if words(old).as_ref() == Some(text) => Means::ToolError(words(new)?),
        Means::Value(_) | Means::Text(_) | Means::ToolError(_) | Means::Invalid => means.clone(),
    })
}

fn with_meaning(scenario: &Scenario, step: usize, new: &Json) -> Option<Scenario> {
    let old = Site::Meant { step }.read(scenario)?;
    let mut changed = scenario.clone();
    let spot = spot_of_call(scenario, step);
    let calls = spot.map_or_else(|| vec![step], |spot| calls_of(scenario, spot));
    for step in calls {
        let Some(Step::Call(call)) = changed.steps.get_mut(step) else { return None };
        if matches!(&call.means, Means::Value(value) if *value == old) {
            call.means = Means::Value(new.clone());
        }
    }
    if let Some((spot, shown)) = spot.and_then(|spot| Some((spot, answer(scenario, spot)?))) {
        let mut shown = mirror::retold(&shown, &old, new)?;
        if let Some(structured) = mirror::structured(&shown) {
            let structured = tree::exchanged(structured, &old, new);
            shown = tree::with_member(&shown, "structuredContent", structured)?;
        }
        put_answer(&mut changed, spot, &shown)?;
    }
    Some(changed)
}

fn with_arguments(scenario: &Scenario, step: usize, new: &Json) -> Option<Scenario> {
    new.as_object()?;
    let Some(Step::Call(old)) = scenario.steps.get(step) else { return None };
    let stage = stages_of_steps(scenario);
    let spot = spot_of_call(scenario, step)?;
    let twin = Spot { tool: spot.tool + 1, ..spot };
    let mut changed = scenario.clone();
    // A control is called as its tool is.
    for (place, other) in changed.steps.iter_mut().enumerate() {
        let Step::Call(other) = other else { continue };
        let same_stage = stage.get(place) == Some(&spot.stage);
        let called = scenario.stages.get(spot.stage).and_then(|stage| stage.tools.get(twin.tool));
        let is_twin = is_control(scenario, twin) && called.is_some_and(|twin| twin.name == other.tool);
        if place == step || (same_stage && is_twin && other.arguments == old.arguments) {
            other.arguments = new.to_compact();
        }
    }
    Some(changed)
}

/// The calls that a tool answers.
fn calls_of(scenario: &Scenario, spot: Spot) -> Vec<usize> {
    let calls = scenario.calls().map(|(step, _)| step);
    calls.filter(|step| spot_of_call(scenario, *step) == Some(spot)).collect()
}

fn put_answer(scenario: &mut Scenario, spot: Spot, new: &Json) -> Option<()> {
    new.as_object()?;
    let text = RawValue::from_string(new.to_compact()).ok()?;
    let reply = &mut scenario.stages.get_mut(spot.stage)?.tools.get_mut(spot.tool)?.reply;
    *reply = match reply {
        Reply::Result(_) => Reply::Result(text),
        Reply::Error(_) => Reply::Error(text),
        Reply::Raw(_) | Reply::Hang {} | Reply::Exit { .. } | Reply::Evolve {} => return None,
    };
    Some(())
}
