//! Writes a scenario as a file: the shortest draft that is read as the same scenario.
//!
//! The defaults of the format are not known here. Everything is written down at first, then left out piece by piece as long
//! as the file is still read as the same scenario.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_compat_model::peer_contract::{Reply, ScriptedAnswer};
use mcp_compat_scenario::scenario::{Call, Means, Purpose, Step, Tool};
use mcp_compat_scenario::write::{Answer, Draft, DraftAnswer, DraftCall, DraftStep, DraftTool};
use mcp_compat_scenario::{Scenario, corpus, load};

/// A tool of a stage: their places.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct ToolIndex {
    stage: usize,
    tool: usize,
}

/// Name of the file that a draft is tried as.
const STEM: &str = "drafted";

/// A scenario that no file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the reduced scenario cannot be written as a file, which is a defect of mcp-compat")]
pub struct NotWritable;

/// The shortest file that is read as this scenario.
///
/// # Errors
/// When no file is.
pub fn drafted(scenario: &Scenario) -> Result<Draft, NotWritable> {
    let mut draft = in_full(scenario).ok_or(NotWritable)?;
    if !is_read_as(&draft, scenario) {
        return Err(NotWritable);
    }
    let mut leave_out = |change: &dyn Fn(&mut Draft)| {
        let mut shorter = draft.clone();
        change(&mut shorter);
        if is_read_as(&shorter, scenario) {
            draft = shorter;
        }
    };
    leave_out(&|draft| draft.since = None);
    leave_out(&|draft| draft.steps.clear());
    let stages = scenario.stages.iter().enumerate();
    for (stage, place) in stages.flat_map(|(stage, tools)| (0..tools.tools.len()).map(move |place| (stage, place))) {
        let with_tool = |draft: &mut Draft, change: &dyn Fn(&mut DraftTool)| {
            if let Some(tool) = tools_of(draft, stage).and_then(|tools| tools.get_mut(place)) {
                change(tool);
            }
        };
        leave_out(&|draft| with_tool(draft, &|tool| tool.means = None));
        leave_out(&|draft| with_tool(draft, &|tool| tool.expect = None));
        leave_out(&|draft| with_tool(draft, &|tool| tool.arguments = None));
    }
    Ok(draft)
}

/// Returns true if some file is read as this scenario.
pub(super) fn is_writable(scenario: &Scenario) -> bool {
    in_full(scenario).is_some_and(|draft| is_read_as(&draft, scenario))
}

/// Returns true if the file that a draft makes is read as this scenario, but for its name.
fn is_read_as(draft: &Draft, scenario: &Scenario) -> bool {
    let written = draft.write(STEM);
    let beside = |path: &str| written.beside.iter().find(|file| file.name == path).map(|file| file.bytes.clone());
    let Ok(read) = load(&format!("{STEM}.toml"), &written.text, &beside) else { return false };
    let [read] = &read[..] else { return false };
    let named = Scenario { id: scenario.id.clone(), ..read.clone() };
    let besides = |scenario: &Scenario| scenario.calls().map(|(_, call)| call.also_expect.clone()).collect::<Vec<_>>();
    let same_stance = named.spec == scenario.spec && besides(&named) == besides(scenario);
    same_stance && corpus::digest([&named]) == corpus::digest([scenario])
}

fn tools_of(draft: &mut Draft, stage: usize) -> Option<&mut Vec<DraftTool>> {
    let Some(evolution) = stage.checked_sub(1) else { return Some(&mut draft.tools) };
    let evolutions = draft.steps.iter_mut().filter_map(|step| match step {
        DraftStep::Evolve { tools, .. } => Some(tools),
        DraftStep::List | DraftStep::Call(_) => None,
    });
    evolutions.into_iter().nth(evolution)
}

/// Every call with the tool that answers it; none where it is gone.
fn calls_with_tools(scenario: &Scenario) -> Vec<(&Call, Option<ToolIndex>)> {
    let mut tools = HashMap::new();
    for (stage, offered) in scenario.stages.iter().enumerate() {
        for (tool, offered) in offered.tools.iter().enumerate() {
            tools.entry((stage, offered.name.as_str())).or_insert(ToolIndex { stage, tool });
        }
    }
    let (mut stage, mut calls) = (0, Vec::new());
    for step in &scenario.steps {
        match step {
            Step::List => {}
            Step::Evolve { .. } => stage += 1,
            Step::Call(call) => calls.push((call, tools.get(&(stage, call.tool.as_str())).copied())),
        }
    }
    calls
}

/// Returns true if a tool is the control of the one before it.
fn is_control(scenario: &Scenario, tool: &Tool) -> bool {
    scenario.calls().any(|(_, call)| call.purpose == Purpose::Control && call.tool == tool.name)
}

/// A draft in which every default is written down.
fn in_full(scenario: &Scenario) -> Option<Draft> {
    let calls = calls_with_tools(scenario);
    let mut first = FirstCalls::new();
    for (call, index) in &calls {
        if let Some(index) = index {
            first.entry(*index).or_insert(call);
        }
    }
    let stages: Vec<Vec<DraftTool>> =
        (0..scenario.stages.len()).map(|stage| tools(scenario, stage, &first)).collect::<Option<_>>()?;
    let mut stages = stages.into_iter();
    let mut draft = Draft::new(scenario.title.clone(), scenario.why.clone());
    draft.since = Some(scenario.since.into());
    draft.sources = scenario.sources.clone().into();
    draft.spec = Some(scenario.spec.clone());
    draft.page_size = scenario.page_size;
    draft.list = scenario.list.clone();
    draft.list_without = scenario.list_without.clone();
    for ScriptedAnswer { to, page, reply } in &scenario.answers {
        draft.answers.push(DraftAnswer { to: *to, page: *page, answer: answer(reply)? });
    }
    draft.tools = stages.next()?;
    let mut answered_by = calls.iter().map(|(_, index)| *index);
    for step in &scenario.steps {
        draft.steps.push(match step {
            Step::List => DraftStep::List,
            Step::Call(call) => DraftStep::Call(called(call, answered_by.next().flatten(), &first)),
            Step::Evolve { notified } => DraftStep::Evolve { notified: *notified, tools: stages.next()? },
        });
    }
    Some(draft)
}

/// The tools of a stage, each with its control.
fn tools(scenario: &Scenario, stage: usize, first: &FirstCalls<'_>) -> Option<Vec<DraftTool>> {
    let mut drafted: Vec<DraftTool> = Vec::new();
    for (place, tool) in scenario.stages.get(stage)?.tools.iter().enumerate() {
        let index = ToolIndex { stage, tool: place };
        if is_control(scenario, tool) {
            let Reply::Result(result) = &tool.reply else { return None };
            drafted.last_mut()?.control = Some(result.get().to_owned().into());
            continue;
        }
        let mut draft = DraftTool::new(tool.definition.clone(), answer(&tool.reply)?);
        draft.without = tool.without.clone();
        draft.before = tool.before.clone();
        draft.answers_after = tool.answers_after.clone();
        if let Some(call) = first.get(&index) {
            draft.means = Some(call.means.clone().into());
            draft.expect = Some(call.expect.into());
            draft.also_expect = call.also_expect.clone();
            draft.arguments = Some(call.arguments.clone().into());
        }
        drafted.push(draft);
    }
    Some(drafted)
}

/// The first call that each tool answers: what it says of itself holds for that one.
type FirstCalls<'s> = HashMap<ToolIndex, &'s Call>;

fn called(call: &Call, index: Option<ToolIndex>, first: &FirstCalls<'_>) -> DraftCall {
    let mut draft = DraftCall::new(call.tool.clone());
    let like = index.and_then(|index| {
        let tool = if call.purpose == Purpose::Control {
            ToolIndex { tool: index.tool.checked_sub(1)?, ..index }
        } else {
            index
        };
        first.get(&tool)
    });
    if like.map_or("{}", |like| &like.arguments) != call.arguments {
        draft.arguments = Some(call.arguments.clone());
    }
    if call.purpose == Purpose::Subject {
        if like.is_none_or(|like| like.means != call.means) {
            draft.means = Some(Means::clone(&call.means).into());
        }
        if like.is_none_or(|like| like.expect != call.expect) {
            draft.expect = Some(call.expect.into());
        }
        if like.is_none_or(|like| like.also_expect != call.also_expect) {
            draft.also_expect = call.also_expect.clone();
        }
    }
    draft.concurrent = call.concurrent;
    draft.args_from = call.args_from.clone();
    draft
}

fn answer(reply: &Reply) -> Option<Answer> {
    Some(match reply {
        Reply::Result(text) => Answer::Returns(text.get().to_owned()),
        Reply::Error(text) => Answer::Error(text.get().to_owned()),
        Reply::Raw(base64) => Answer::Raw(STANDARD.decode(base64).ok()?),
        Reply::Hang {} => Answer::Hang,
        Reply::Exit { .. } => Answer::Exit,
        Reply::Evolve {} => return None,
    })
}
