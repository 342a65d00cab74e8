//! Estimates the cost of playing scenarios. Of a file that is too large for that, the first ones are played by every
//! mock, the next ones by the plain mocks, and the rest by none.

use std::collections::{BTreeMap, HashMap};

use mcp_compat_model::peer_contract::Reply;
use mcp_compat_run::plan::Weight;
use mcp_compat_scenario::scenario::{Scenario, ScenarioStage, Step, Tool};
use mcp_compat_scenario::{Diagnostic, Placed};

/// Cost of a request besides what it carries, in units of a short tool that is listed.
const REQUEST: usize = 10;

/// So many bytes cost as much as a listed tool, and so many JSON values.
const BYTES: usize = 1_024;
const VALUES: usize = 50;

/// Cost of a pattern of a schema, which each reader compiles.
const PATTERN: usize = 8;

/// Number of patterns that cost nothing besides their bytes.
const FREE_PATTERNS: usize = 10;

/// Cost of a scenario with every mock besides its requests: hundreds of sessions begin.
const EVERY_SESSION: usize = 70;

/// Factor by which an answer costs more with every mock than with the plain ones: hundreds of sessions carry it.
const EVERY_ANSWER: usize = 30;

/// So many lists that are known cost as much as one that is read.
const KNOWN_LIST: usize = 50;

/// Budget for the scenarios of one file together that every mock plays, and those that only the plain ones play.
const MOST_BY_EVERY: usize = 6_000;
const MOST_BY_PLAIN: usize = 12_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlayedBy {
    /// All of them, also those that are wrong on purpose.
    Every,
    /// The mocks that hide nothing, in either era. Whether the scenario proves anything is then not known.
    Plain,
}

/// A scenario, and who plays it.
pub(super) type Playable<'s> = (&'s Placed, PlayedBy);

/// Returns the scenarios with the mocks that play them, and warnings of those of a file from where on fewer mocks
/// play, or none. Heavy scenarios are played by the plain mocks only.
pub(super) fn affordable(set: &[Placed]) -> (Vec<Playable<'_>>, Vec<(&Placed, Diagnostic)>) {
    let mut spent: BTreeMap<&str, Spent> = BTreeMap::new();
    let (mut played, mut warnings) = (Vec::new(), Vec::new());
    for placed in set {
        let spent = spent.entry(&placed.path).or_default();
        let before = *spent;
        if before.by_plain > MOST_BY_PLAIN {
            continue;
        }
        let cost = Cost::of(&placed.scenario);
        if Weight::of(&placed.scenario) == Weight::Light {
            spent.by_every = spent.by_every.saturating_add(cost.by_every());
            if spent.by_every <= MOST_BY_EVERY {
                played.push((placed, PlayedBy::Every));
                continue;
            }
        }
        spent.by_plain = spent.by_plain.saturating_add(cost.by_plain());
        if spent.by_plain > MOST_BY_PLAIN {
            warnings.push((placed, no_mocks(placed)));
            continue;
        }
        played.push((placed, PlayedBy::Plain));
        if before.by_every <= MOST_BY_EVERY && spent.by_every > MOST_BY_EVERY {
            warnings.push((placed, fewer_mocks(placed)));
        }
    }
    (played, warnings)
}

/// Cost of the scenarios of a file so far.
#[derive(Clone, Copy, Default)]
struct Spent {
    by_every: usize,
    by_plain: usize,
}

fn fewer_mocks(placed: &Placed) -> Diagnostic {
    let message = "this file is too large for `lint` to play all of it with every mock";
    let label = "not checked from here on: whether a scenario proves anything";
    let mistake = placed.mistake(&placed.places.scenario, message).warning();
    mistake.label(label).help("write fewer calls, tools and cases in one file")
}

fn no_mocks(placed: &Placed) -> Diagnostic {
    let message = "this file is too large for `lint` to play all of it";
    let label = "not checked from here on: what calls mean, and what clients get";
    let mistake = placed.mistake(&placed.places.scenario, message).warning();
    mistake.label(label).help("play it with `run`, or write fewer calls, tools and cases in one file")
}

struct Cost {
    /// Its requests, without the lists that come with them.
    requests: usize,
    /// Cost of what they carry, and of their answers.
    carried: usize,
    /// The list of the first stage, and one before each request.
    first_list: usize,
    lists: usize,
}

impl Cost {
    fn of(scenario: &Scenario) -> Self {
        let mut stages = scenario.stages.iter().map(|stage| Prices::of(stage, scenario));
        let mut prices = stages.next().unwrap_or_default();
        let mut cost = Self { requests: 0, carried: 0, first_list: prices.list, lists: 0 };
        for step in &scenario.steps {
            let carried = match step {
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
            cost.requests = cost.requests.saturating_add(REQUEST);
            cost.carried = cost.carried.saturating_add(carried);
            cost.lists = cost.lists.saturating_add(prices.list);
        }
        cost
    }

    /// With every mock. Some of them read a list anew each time.
    fn by_every(&self) -> usize {
        let carried = self.carried.saturating_mul(EVERY_ANSWER);
        EVERY_SESSION.saturating_add(self.requests).saturating_add(carried).saturating_add(self.lists)
    }

    /// With the plain mocks. They do not read a list again that they know.
    fn by_plain(&self) -> usize {
        let calls = self.requests.saturating_add(self.carried);
        calls.saturating_add(self.first_list).saturating_add(self.lists / KNOWN_LIST)
    }
}

/// Returns the cost of the list of a stage, and of the answer of each of its tools.
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

/// Returns what a tool sends when it is called.
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

/// Returns the cost of a text that is read: by its length, and by about how many values are in it.
fn weight(text: &str) -> usize {
    let patterns = text.matches("\"pattern").count();
    text.len() / BYTES + text.matches(',').count() / VALUES + patterns.saturating_sub(FREE_PATTERNS) * PATTERN
}
