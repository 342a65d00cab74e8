//! Measures the size of a scenario, which every step of a reduction makes smaller.

use mcp_compat_model::peer_contract::Reply;
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{Call, Means, Purpose, ScenarioStage, Step, Tool};

/// Weight of a tool, a step that has to be written down, or a page size beside its text.
const THING: usize = 16;

/// Returns the size of a scenario: the bytes of what it has on the wire and of what it means, and something for each
/// thing that a reader has to take in. Steps count where they are not those that the format fills in.
///
/// It is a natural number, and a reduction takes a candidate only if this number is less than that of what it has. No
/// sequence of natural numbers falls for ever, so every reduction ends, whatever its trials say.
pub fn size(scenario: &Scenario) -> usize {
    let stages: usize = scenario.stages.iter().map(stage).sum();
    let calls: usize = scenario.calls().map(|(_, call)| of_call(call)).sum();
    let steps = if has_default_steps(scenario) { 0 } else { THING * scenario.steps.len() };
    let pages = scenario.page_size.map_or(0, |_| THING);
    let answers: usize = scenario.answers.iter().map(|answer| THING + of_reply(&answer.reply)).sum();
    let list = scenario.list.as_ref().map_or(0, String::len) + of_texts(&scenario.list_without);
    stages + calls + steps + pages + answers + list
}

fn stage(stage: &ScenarioStage) -> usize {
    THING + stage.tools.iter().map(tool).sum::<usize>()
}

fn tool(tool: &Tool) -> usize {
    let around = of_texts(&tool.without) + of_texts(&tool.before) + tool.answers_after.as_ref().map_or(0, String::len);
    THING + tool.definition.len() + of_reply(&tool.reply) + around
}

fn of_reply(reply: &Reply) -> usize {
    match reply {
        Reply::Result(text) | Reply::Error(text) => text.get().len(),
        Reply::Raw(base64) => base64.len(),
        Reply::Hang {} | Reply::Exit { .. } | Reply::Evolve {} => 0,
    }
}

fn of_texts(texts: &[String]) -> usize {
    texts.iter().map(|text| THING + text.len()).sum()
}

fn of_call(call: &Call) -> usize {
    let means = match &call.means {
        Means::Value(value) => value.to_compact().len(),
        Means::Text(text) | Means::ToolError(text) => text.len(),
        Means::Invalid => 0,
    };
    let also =
        call.also_expect.blocks.iter().chain(&call.also_expect.value).map(|json| THING + json.to_compact().len());
    let feed = call.args_from.iter().map(|(into, from)| THING + into.len() + from.len());
    means + call.arguments.len() + also.sum::<usize>() + feed.sum::<usize>() + usize::from(call.concurrent)
}

/// Returns true if the steps are those of a file without any: list, call each tool and its control, call the bystander.
fn has_default_steps(scenario: &Scenario) -> bool {
    let ([stage], [Step::List, calls @ ..]) = (&scenario.stages[..], &scenario.steps[..]) else { return false };
    let Some((Step::Call(Call { purpose: Purpose::Bystander, .. }), calls)) = calls.split_last() else { return false };
    let alone = |call: &Call| !call.concurrent && call.args_from.is_empty();
    let in_order =
        |(step, tool): (&Step, &Tool)| matches!(step, Step::Call(call) if call.tool == tool.name && alone(call));
    calls.len() == stage.tools.len() && calls.iter().zip(&stage.tools).all(in_order)
}
