//! The outermost moves: whole tools, controls, steps and stages, and what the list has beside the tools.

use std::collections::HashSet;
use std::ops::ControlFlow;

use mcp_compat_model::count::thousands;
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{AlsoExpect, Call, Purpose, Step, Tool};

use crate::shrink::ddmin::ddmin;
use crate::shrink::location::{self, ToolIndex};
use crate::shrink::reducer::{Halt, Reducer};

/// Tries to do without each of them.
pub(in crate::shrink) fn drop_structure(reducer: &mut Reducer<'_>) -> ControlFlow<Halt> {
    let tools = |scenario: &Scenario| {
        let tools = location::tools(scenario).into_iter();
        tools.filter(|index| !location::is_control(scenario, *index)).collect::<Vec<_>>()
    };
    ddmin(tools(reducer.best()).len(), |run| {
        let gone = tools(reducer.best())[run].to_vec();
        let candidate = without_tools(reducer.best(), &gone);
        reducer.attempt(Some(candidate), |scenario| format!("dropped {}", names(scenario, &gone)))
    })?;
    drop_controls(reducer)?;
    drop_stages(reducer)?;
    ddmin(droppable_steps(reducer.best()).len(), |run| {
        let gone = droppable_steps(reducer.best())[run].to_vec();
        let candidate = Some(without_steps(reducer.best(), &gone)).filter(still_lists);
        let numbers: Vec<String> = gone.iter().map(|step| (step + 1).to_string()).collect();
        reducer.attempt(candidate, |_| format!("dropped {}", some_of("step", &numbers)))
    })?;
    drop_besides(reducer)?;
    let unpaged = Scenario { page_size: None, ..reducer.best().clone() };
    reducer.attempt(Some(unpaged), |_| "dropped page-size".to_owned())?;
    let plain = Scenario { list: None, ..reducer.best().clone() };
    reducer.attempt(Some(plain), |_| "dropped what the list has beside the tools".to_owned())?;
    ControlFlow::Continue(())
}

/// Tries to do without what happens around lists and calls.
fn drop_besides(reducer: &mut Reducer<'_>) -> ControlFlow<Halt> {
    ddmin(reducer.best().answers.len(), |run| {
        let mut candidate = reducer.best().clone();
        candidate.answers.drain(run);
        reducer.attempt(Some(candidate), |_| "dropped an answer to a request that is not a call".to_owned())
    })?;
    ddmin(reducer.best().list_without.len(), |run| {
        let mut candidate = reducer.best().clone();
        candidate.list_without.drain(run);
        reducer.attempt(Some(candidate), |_| "dropped list-without".to_owned())
    })?;
    for index in location::tools(reducer.best()) {
        drop_around(reducer, index)?;
    }
    for step in 0..reducer.best().steps.len() {
        let alone: [fn(&mut Call); 3] = [
            |call| call.also_expect = AlsoExpect::default(),
            |call| call.args_from.clear(),
            |call| call.concurrent = false,
        ];
        for (change, what) in alone.into_iter().zip(["also-expect", "args-from", "concurrent"]) {
            let mut candidate = reducer.best().clone();
            if let Some(Step::Call(call)) = candidate.steps.get_mut(step) {
                change(call);
            }
            reducer.attempt(Some(candidate), |_| format!("dropped {what} of step {}", step + 1))?;
        }
    }
    ControlFlow::Continue(())
}

/// Tries to do without what happens around an answer.
fn drop_around(reducer: &mut Reducer<'_>, index: ToolIndex) -> ControlFlow<Halt> {
    drop_words(reducer, index, "before", |tool| &mut tool.before)?;
    drop_words(reducer, index, "without", |tool| &mut tool.without)?;
    let mut candidate = reducer.best().clone();
    if let Some(tool) = tool(&mut candidate, index) {
        tool.answers_after = None;
    }
    reducer.attempt(Some(candidate), |scenario| format!("dropped answers-after of {}", names(scenario, &[index])))?;
    ControlFlow::Continue(())
}

fn drop_words(
    reducer: &mut Reducer<'_>,
    index: ToolIndex,
    key: &str,
    words: fn(&mut Tool) -> &mut Vec<String>,
) -> ControlFlow<Halt> {
    let length = tool(&mut reducer.best().clone(), index).map_or(0, |tool| words(tool).len());
    ddmin(length, |run| {
        let mut candidate = reducer.best().clone();
        if let Some(tool) = tool(&mut candidate, index) {
            words(tool).drain(run);
        }
        reducer.attempt(Some(candidate), |scenario| format!("dropped {key} of {}", names(scenario, &[index])))
    })
}

fn tool(scenario: &mut Scenario, index: ToolIndex) -> Option<&mut Tool> {
    scenario.stages.get_mut(index.stage)?.tools.get_mut(index.tool)
}

fn drop_controls(reducer: &mut Reducer<'_>) -> ControlFlow<Halt> {
    let controls = |scenario: &Scenario| {
        let tools = location::tools(scenario).into_iter();
        tools.filter(|index| location::is_control(scenario, *index)).collect::<Vec<_>>()
    };
    ddmin(controls(reducer.best()).len(), |run| {
        let gone = controls(reducer.best())[run].to_vec();
        let candidate = without_tools(reducer.best(), &gone);
        reducer.attempt(Some(candidate), |scenario| format!("dropped {}", names(scenario, &gone)))
    })
}

/// Tries to do without each evolution: as if it had not happened, and as if it had from the start.
fn drop_stages(reducer: &mut Reducer<'_>) -> ControlFlow<Halt> {
    for stage in (1..reducer.best().stages.len()).rev() {
        for gone in [stage, stage - 1] {
            let candidate = without_stage(reducer.best(), stage, gone);
            if reducer.attempt(candidate, |_| format!("dropped evolution {stage}"))? {
                break;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Without some tools, their controls, and the calls of both.
fn without_tools(scenario: &Scenario, gone: &[ToolIndex]) -> Scenario {
    let twins = gone.iter().map(|index| ToolIndex { tool: index.tool + 1, ..*index });
    let twins = twins.filter(|twin| location::is_control(scenario, *twin));
    let gone: HashSet<ToolIndex> = gone.iter().copied().chain(twins).collect();
    let calls = location::calls_with_tools(scenario).into_iter();
    let calls = calls.filter(|(_, _, index)| index.is_some_and(|index| gone.contains(&index)));
    let calls: Vec<usize> = calls.map(|(step, ..)| step).collect();
    let mut left = without_steps(scenario, &calls);
    for (stage, tools) in left.stages.iter_mut().enumerate() {
        let mut place = 0..;
        tools.tools.retain(|_| place.next().is_none_or(|tool| !gone.contains(&ToolIndex { stage, tool })));
    }
    left
}

fn without_steps(scenario: &Scenario, gone: &[usize]) -> Scenario {
    let gone: HashSet<usize> = gone.iter().copied().collect();
    let kept = scenario.steps.iter().enumerate().filter(|(place, _)| !gone.contains(place));
    Scenario { steps: kept.map(|(_, step)| step.clone()).collect(), ..scenario.clone() }
}

/// Without the evolution that leads to `stage`, and without the tools of the stage `gone`, before or after it.
fn without_stage(scenario: &Scenario, stage: usize, gone: usize) -> Option<Scenario> {
    let evolutions = scenario.steps.iter().enumerate().filter(|(_, step)| matches!(step, Step::Evolve { .. }));
    let place = evolutions.map(|(place, _)| place).nth(stage - 1)?;
    let mut left = without_steps(scenario, &[place]);
    // The step into the stage before stays as it is, whichever tools it now leads to.
    let notified = left.stages.get(stage - 1)?.notified;
    left.stages.remove(gone);
    left.stages.get_mut(stage - 1)?.notified = notified;
    Some(left)
}

/// Whether the tools are listed at all.
fn still_lists(scenario: &Scenario) -> bool {
    scenario.steps.iter().any(|step| matches!(step, Step::List))
}

/// The steps that can go: not the one list and the one call of the bystander, by which damage is seen.
fn droppable_steps(scenario: &Scenario) -> Vec<usize> {
    let bystanders = scenario.calls().filter(|(_, call)| call.purpose == Purpose::Bystander).count();
    let lists = scenario.steps.iter().filter(|step| matches!(step, Step::List)).count();
    let droppable = |step: &Step| match step {
        Step::List => lists > 1,
        Step::Call(Call { purpose: Purpose::Bystander, .. }) => bystanders > 1,
        Step::Call(Call { purpose: Purpose::Subject, .. }) => true,
        // A control goes with its call, an evolution with its tools.
        Step::Call(Call { purpose: Purpose::Control, .. }) | Step::Evolve { .. } => false,
    };
    scenario.steps.iter().enumerate().filter(|(_, step)| droppable(step)).map(|(place, _)| place).collect()
}

fn names(scenario: &Scenario, tools: &[ToolIndex]) -> String {
    let name = |index: &ToolIndex| {
        let tool = scenario.stages.get(index.stage).and_then(|stage| stage.tools.get(index.tool));
        tool.map(|tool| tool.name.as_str()).unwrap_or_default()
    };
    format!("the {}", some_of("tool", &tools.iter().map(name).collect::<Vec<_>>()))
}

/// How many names a line of the progress has.
const NAMES: usize = 6;

/// `tool a`, `tools a, b`, and of many the first few: `tools a, b, c and 3 more`.
fn some_of(noun: &str, names: &[impl AsRef<str>]) -> String {
    let told: Vec<&str> = names.iter().take(NAMES).map(AsRef::as_ref).collect();
    let more = names.len() - told.len();
    let more = if more == 0 { String::new() } else { format!(" and {} more", thousands(more as u64)) };
    format!("{noun}{} {}{more}", if names.len() == 1 { "" } else { "s" }, told.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_names_the_first_few_are_told() {
        let names: Vec<String> = (0..2_506).map(|number| format!("t{number}")).collect();
        assert_eq!(some_of("tool", &names[..1]), "tool t0");
        assert_eq!(some_of("tool", &names[..6]), "tools t0, t1, t2, t3, t4, t5");
        assert_eq!(some_of("tool", &names), "tools t0, t1, t2, t3, t4, t5 and 2,500 more");
    }
}
