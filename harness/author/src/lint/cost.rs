//! What it costs to play a scenario with every mock. Of a file that is too large for that, the first scenarios are played.

use std::collections::{BTreeMap, HashMap};

use mcp_compat_model::peer_contract::Reply;
use mcp_compat_scenario::scenario::{Scenario, ScenarioStage, Step, Tool};
use mcp_compat_scenario::{Diagnostic, Placed};

/// What a request costs besides what it carries, in units of a short tool that is listed.
const REQUEST: usize = 10;

/// So many bytes cost as much as a listed tool, and so many JSON values.
const BYTES: usize = 1_024;
const VALUES: usize = 50;

/// What the scenarios of one file may cost together.
const MOST: usize = 12_000;

/// Divides scenarios into those that are played, and warnings of those that are not: the rest of a file, from where it
/// costs too much.
pub(super) fn affordable(set: &[Placed]) -> (Vec<&Placed>, Vec<(&Placed, Diagnostic)>) {
    let mut spent: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut played, mut warnings) = (Vec::new(), Vec::new());
    for placed in set {
        let spent = spent.entry(&placed.path).or_default();
        let (is_first, was_affordable) = (*spent == 0, *spent <= MOST);
        *spent = spent.saturating_add(cost(&placed.scenario));
        if *spent <= MOST {
            played.push(placed);
        } else if was_affordable {
            warnings.push((placed, too_much(placed, is_first)));
        }
    }
    (played, warnings)
}

fn too_much(placed: &Placed, is_first: bool) -> Diagnostic {
    let (message, label) = if is_first {
        ("this file is too large for `lint` to play", "what calls mean and what clients get is not checked")
    } else {
        (
            "this file is too large for `lint` to play all of it",
            "from here on, what calls mean and what clients get is not checked",
        )
    };
    let mistake = placed.mistake(&placed.places.scenario, message);
    mistake.warning().label(label).help("play it with `run`, or write fewer calls and tools in one file")
}

/// What the calls of a scenario cost, each with a list of all tools before it.
fn cost(scenario: &Scenario) -> usize {
    let mut stages = scenario.stages.iter().map(|stage| Prices::of(stage, scenario));
    let mut prices = stages.next().unwrap_or_default();
    let mut cost = 0_usize;
    for step in &scenario.steps {
        let call = match step {
            Step::Evolve { .. } => {
                prices = stages.next().unwrap_or_default();
                0
            }
            Step::List => 0,
            Step::Call(call) => {
                let answer = prices.answers.get(call.tool.as_str()).copied().unwrap_or_default();
                answer + weight(&call.arguments) + call.args_from.len()
            }
        };
        cost = cost.saturating_add(REQUEST + prices.list + call);
    }
    cost
}

/// What the list of a stage costs, and the answer of each of its tools.
#[derive(Default)]
struct Prices<'s> {
    list: usize,
    answers: HashMap<&'s str, usize>,
}

impl<'s> Prices<'s> {
    fn of(stage: &'s ScenarioStage, scenario: &Scenario) -> Self {
        let tools: usize = stage.tools.iter().map(|tool| 1 + weight(&tool.definition)).sum();
        let pages = scenario.page_size.map_or(1, |size| stage.tools.len() / (size.max(1) as usize) + 1);
        let members = scenario.list.as_deref().map_or(0, weight);
        let written: usize = scenario.answers.iter().map(|answer| sent(&answer.reply)).sum();
        Self {
            list: tools + pages * (REQUEST + members) + written,
            answers: stage.tools.iter().map(|tool| (tool.name.as_str(), called(tool))).collect(),
        }
    }
}

/// What a tool sends when it is called.
fn called(tool: &Tool) -> usize {
    sent(&tool.reply) + tool.before.iter().map(|line| 1 + weight(line)).sum::<usize>()
}

fn sent(reply: &Reply) -> usize {
    match reply {
        Reply::Result(json) | Reply::Error(json) => weight(json.get()),
        Reply::Raw(base64) => base64.len() / BYTES,
        Reply::Evolve {} | Reply::Hang {} | Reply::Exit { .. } => 0,
    }
}

/// What a text costs that is read: by its length, and by about how many values are in it.
fn weight(text: &str) -> usize {
    text.len() / BYTES + text.matches(',').count() / VALUES
}
