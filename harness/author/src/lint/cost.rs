//! What it costs to play a scenario with every mock. Of a file that is too large for that, the first scenarios are played.

use std::collections::{BTreeMap, HashMap};

use mcp_compat_model::peer_contract::Reply;
use mcp_compat_scenario::scenario::{Scenario, ScenarioStage, Step, Tool};
use mcp_compat_scenario::{Diagnostic, Placed};

/// What a call costs where the list has one short tool, in units of a listed tool.
const CALL: usize = 10;

/// So many bytes cost as much as a listed tool.
const BYTES: usize = 1_024;

/// What the scenarios of one file may cost together.
const MOST: usize = 12_000;

/// Divides scenarios into those that are played, and warnings of those that are not: the rest of a file, from where it
/// costs too much.
pub(super) fn affordable(set: Vec<&Placed>) -> (Vec<&Placed>, Vec<(&Placed, Diagnostic)>) {
    let mut spent: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut played, mut warnings) = (Vec::new(), Vec::new());
    for placed in set {
        let spent = spent.entry(&placed.path).or_default();
        let was_affordable = *spent <= MOST;
        *spent = spent.saturating_add(cost(&placed.scenario));
        if *spent <= MOST {
            played.push(placed);
        } else if was_affordable {
            warnings.push((placed, too_much(placed)));
        }
    }
    (played, warnings)
}

fn too_much(placed: &Placed) -> Diagnostic {
    let mistake = placed.mistake(&placed.places.scenario, "this file is too large for `lint` to play all of it");
    mistake
        .warning()
        .label("what calls mean and what clients get is not checked from this scenario on")
        .help("play it with `run`, or write fewer calls and tools in one file")
}

/// What the calls of a scenario cost, each with a list of all tools before it.
fn cost(scenario: &Scenario) -> usize {
    let mut stages = scenario.stages.iter().map(Prices::of);
    let mut prices = stages.next().unwrap_or_default();
    let mut cost = 0_usize;
    for step in &scenario.steps {
        let answer = match step {
            Step::Evolve { .. } => {
                prices = stages.next().unwrap_or_default();
                0
            }
            Step::List => 0,
            Step::Call(call) => prices.answers.get(call.tool.as_str()).copied().unwrap_or_default(),
        };
        cost = cost.saturating_add(CALL + prices.list + answer);
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
    fn of(stage: &'s ScenarioStage) -> Self {
        Self {
            list: stage.tools.iter().map(|tool| 1 + tool.definition.len() / BYTES).sum(),
            answers: stage.tools.iter().map(|tool| (tool.name.as_str(), sent(tool) / BYTES)).collect(),
        }
    }
}

/// How many bytes a tool sends when it is called.
fn sent(tool: &Tool) -> usize {
    let answer = match &tool.reply {
        Reply::Result(json) | Reply::Error(json) => json.get().len(),
        Reply::Raw(base64) => base64.len(),
        Reply::Evolve {} | Reply::Hang {} | Reply::Exit { .. } => 0,
    };
    answer + tool.before.iter().map(String::len).sum::<usize>()
}
