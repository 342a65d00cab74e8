//! The reduction: candidates in, the smallest scenario that still breaks out.

use std::collections::{BTreeSet, HashSet};
use std::ops::{ControlFlow, Range};

use mcp_compat_json::Json;
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_scenario::scenario::Tool;
use mcp_compat_scenario::{Placed, Scenario, corpus, load_placed};
use mcp_compat_schema::inclusion::{Conformance, Schemas};

use super::draft::{drafted, is_writable};
use super::size::size;
use super::tree::{Node, Path, of_units, units};
use crate::lint::meaning;

/// Name of the file that a candidate is loaded as.
const STEM: &str = "candidate";

/// Largest number of runs that a list is taken apart into at a time. A longer list is gone over again when it has become
/// shorter, so a long text costs no more attempts than a short one.
const FINEST: usize = 256;

/// Largest number of parts of a value that are tried in its place.
const PARTS: usize = 64;

/// Decides about candidates.
pub trait Trial {
    /// Returns true if a candidate breaks in the same way as the scenario from which it comes. `Break` ends the reduction
    /// with the best so far.
    fn breaks(&mut self, candidate: &Scenario) -> ControlFlow<(), bool>;

    /// Returns the reason for looking at no further candidate, if there is one. Most candidates are never tried.
    fn halt(&self) -> Option<Halt> {
        None
    }

    /// Called for each candidate that was taken.
    fn took(&mut self, step: &Step) {
        let _ = step;
    }
}

/// A candidate that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Description of the change, such as `dropped /outputSchema/title in the definition of list_users`.
    pub what: String,
    pub before: usize,
    /// The size after, which is less.
    pub after: usize,
    /// Number of candidates that had been tried by then, this one among them.
    pub runs: usize,
}

/// Reason for ending a reduction before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The trial did not go on.
    Interrupted,
    /// It had as many runs as it was allowed.
    OutOfRuns,
    /// It took as long as it was allowed.
    OutOfTime,
}

#[derive(Clone, Debug)]
pub struct Reduced {
    /// The smallest scenario that was found to break; the given one, if nothing could be removed.
    pub scenario: Scenario,
    /// The size of the given one.
    pub before: usize,
    /// The size of what is left.
    pub after: usize,
    /// Number of candidates that were tried.
    pub runs: usize,
    pub ending: Ending,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing more can be removed.
    Minimal,
    /// More might have been removed.
    Halted(Halt),
}

/// Reduces a scenario that breaks, trying at most `max_runs` candidates.
///
/// Every step makes [`size()`] less and is approved by the trial, so this ends for any trial, and the result is the given
/// scenario or one that the trial approved.
pub fn reduce(scenario: &Scenario, trial: &mut dyn Trial, max_runs: usize) -> Reduced {
    let before = size(scenario);
    let schemas = Schemas::default();
    let promises = promises(scenario, &schemas);
    let mut reducer = Reducer {
        best: scenario.clone(),
        size: before,
        tree: Node::List(Vec::new()),
        beside: Vec::new(),
        promises,
        mistakes: usize::MAX,
        schemas,
        tried: HashSet::new(),
        runs: 0,
        max_runs,
        trial,
    };
    let ending = match reducer.sweep_until_minimal() {
        ControlFlow::Continue(()) => Ending::Minimal,
        ControlFlow::Break(halt) => Ending::Halted(halt),
    };
    Reduced { before, after: reducer.size, runs: reducer.runs, ending, scenario: reducer.best }
}

/// A reduction under way: the smallest scenario so far, and what a candidate has to keep.
struct Reducer<'t> {
    best: Scenario,
    size: usize,
    /// The file of the best.
    tree: Node,
    /// The names and bytes of the files beside it.
    beside: Vec<(String, Vec<u8>)>,
    /// The promises of the tools that were given.
    promises: BTreeSet<Promise>,
    /// The number of answers that do not do what their tools mean.
    mistakes: usize,
    schemas: Schemas,
    /// The digests of what was tried.
    tried: HashSet<String>,
    runs: usize,
    max_runs: usize,
    trial: &'t mut dyn Trial,
}

type Flow<T> = ControlFlow<Halt, T>;

impl Reducer<'_> {
    /// Goes through the whole file until nothing makes it smaller.
    fn sweep_until_minimal(&mut self) -> Flow<()> {
        loop {
            let before = self.size;
            if !self.open() {
                return ControlFlow::Continue(());
            }
            self.sweep()?;
            if self.size == before {
                return ControlFlow::Continue(());
            }
        }
    }

    /// Writes the best as the shortest file that is read as it. Returns false if there is none.
    fn open(&mut self) -> bool {
        let Ok(mut draft) = drafted(&self.best) else { return false };
        // The default depends on what the tools declare.
        draft.since = Some(self.best.since.into());
        let written = draft.write(STEM);
        self.beside = written.beside.into_iter().map(|file| (file.name, file.bytes)).collect();
        let Ok(file) = toml::from_str::<toml::Table>(&written.text) else { return false };
        self.tree = Node::of_toml(toml::Value::Table(file));
        let Some(placed) = self.loaded(&self.tree) else { return false };
        self.mistakes = meaning::mistakes(&placed, &self.schemas).len().min(self.mistakes);
        true
    }

    /// Goes through the file level by level: what goes at one level is not looked at below.
    fn sweep(&mut self) -> Flow<()> {
        let mut level = vec![Vec::new()];
        while !level.is_empty() {
            for path in &level {
                self.reduce_at(path)?;
            }
            let below = |path: &Vec<usize>| {
                let path = path.clone();
                let children = self.tree.at(&path).map_or(0, Node::len);
                (0..children)
                    .filter(|child| !self.tree.is_fixed(&path, *child))
                    .map(|child| [&path[..], &[child]].concat())
                    .collect::<Vec<_>>()
            };
            level = level.iter().flat_map(below).collect();
        }
        ControlFlow::Continue(())
    }

    fn reduce_at(&mut self, path: &Path) -> Flow<()> {
        loop {
            match self.tree.at(path) {
                Some(Node::List(_) | Node::Map(_)) => {
                    self.drop_children(path)?;
                    if !self.replace_by_part(path)? {
                        return ControlFlow::Continue(());
                    }
                }
                Some(Node::Leaf(leaf)) => {
                    let leaf = leaf.clone();
                    return self.shorten(path, leaf);
                }
                Some(Node::Text(..)) | None => return ControlFlow::Continue(()),
            }
        }
    }

    /// Leaves out members or elements.
    fn drop_children(&mut self, path: &Path) -> Flow<()> {
        let children = self.tree.at(path).map_or(0, Node::len);
        ddmin(children, |run| {
            let Some(node) = self.tree.at(path) else { return ControlFlow::Continue(false) };
            if run.clone().any(|child| self.tree.is_fixed(path, child)) {
                return ControlFlow::Continue(false);
            }
            let first = self.tree.name_of(&[path, &[run.start]].concat());
            let more = if run.len() > 1 { format!(" and {} more", run.len() - 1) } else { String::new() };
            let fewer = node.without(&run);
            self.replace(path, fewer, format!("dropped {first}{more}"))
        })
    }

    /// Puts a part of a JSON value in its place: a child, or a child of a child.
    fn replace_by_part(&mut self, path: &Path) -> Flow<bool> {
        let Some(node) = self.tree.at(path).filter(|_| self.tree.is_json(path)).cloned() else {
            return ControlFlow::Continue(false);
        };
        for (part, new) in node.parts().take(PARTS) {
            let what = format!("replaced {} with its {}", self.tree.name_of(path), node.pointer(&part));
            if self.replace(path, new.clone(), what)? {
                return ControlFlow::Continue(true);
            }
        }
        ControlFlow::Continue(false)
    }

    /// Leaves out characters of a text or digits of a number. Zero is tried first.
    fn shorten(&mut self, path: &Path, leaf: Json) -> Flow<()> {
        let may = match &leaf {
            Json::String(_) => self.tree.is_prose(path),
            Json::Number(_) => true,
            Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => false,
        };
        if !may {
            return ControlFlow::Continue(());
        }
        let what = format!("shortened {}", self.tree.name_of(path));
        if leaf.as_number().is_some() && self.replace(path, Node::Leaf(Json::from(0_i64)), what.clone())? {
            return ControlFlow::Continue(());
        }
        let mut left = units(&leaf);
        ddmin(left.len(), |run| {
            let mut fewer = left.clone();
            fewer.drain(run);
            let Some(new) = of_units(&leaf, &fewer) else { return ControlFlow::Continue(false) };
            let taken = self.replace(path, Node::Leaf(new), what.clone())?;
            if taken {
                left = fewer;
            }
            ControlFlow::Continue(taken)
        })
    }

    /// Puts another node in a place: first wherever its tool says the same, then in this place alone.
    fn replace(&mut self, path: &Path, new: Node, what: String) -> Flow<bool> {
        let (mut together, mut alone) = (self.tree.clone(), self.tree.clone());
        together.replace_together(path, &new);
        alone.replace(path, new);
        let differ = together != alone;
        let done = self.attempt(together, &what)?;
        if done || !differ {
            return ControlFlow::Continue(done);
        }
        self.attempt(alone, &what)
    }

    /// Takes a candidate if it is smaller, keeps what its tools promise and mean, and still breaks.
    fn attempt(&mut self, tree: Node, what: &str) -> Flow<bool> {
        if let Some(halt) = self.trial.halt() {
            return ControlFlow::Break(halt);
        }
        let Some(placed) = self.loaded(&tree) else { return ControlFlow::Continue(false) };
        let after = size(&placed.scenario);
        if after >= self.size || !promises(&placed.scenario, &self.schemas).is_subset(&self.promises) {
            return ControlFlow::Continue(false);
        }
        let mistakes = meaning::mistakes(&placed, &self.schemas).len();
        let candidate = placed.scenario;
        if mistakes > self.mistakes || !is_writable(&candidate) || !self.tried.insert(corpus::digest([&candidate])) {
            return ControlFlow::Continue(false);
        }
        if self.runs == self.max_runs {
            return ControlFlow::Break(Halt::OutOfRuns);
        }
        self.runs += 1;
        let breaks = match self.trial.breaks(&candidate) {
            ControlFlow::Continue(breaks) => breaks,
            ControlFlow::Break(()) => return ControlFlow::Break(Halt::Interrupted),
        };
        if breaks {
            let step = Step { what: what.to_owned(), before: self.size, after, runs: self.runs };
            (self.best, self.size, self.tree, self.mistakes) = (candidate, after, tree, mistakes);
            self.trial.took(&step);
        }
        ControlFlow::Continue(breaks)
    }

    /// Reads a file, if it is a scenario.
    fn loaded(&self, tree: &Node) -> Option<Placed> {
        let text = toml::to_string(&tree.to_toml()?).ok()?;
        let beside = |path: &str| self.beside.iter().find(|(name, _)| name == path).map(|(_, bytes)| bytes.clone());
        let mut placed = load_placed(&format!("{STEM}.toml"), &text, &beside).ok()?;
        let mut only = placed.pop().filter(|_| placed.is_empty())?;
        only.scenario.id = self.best.id.clone();
        Some(only)
    }
}

/// Facts about a tool that a reduction keeps.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Promise {
    name: String,
    /// Relation of its value to its schema; `None` if one of the two is missing.
    fit: Option<Fit>,
    /// True if its value is an object: another value is for the newest revision only.
    has_object: bool,
    /// True if a text block repeats its value.
    is_repeated: bool,
    /// True if it takes an object, as every tool must.
    takes_object: bool,
    /// True if it says that it returns an object, or need not: before any value was allowed, it had to.
    returns_object: bool,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Conforms,
    Violates { keyword: String },
    Undecided,
}

fn promises(scenario: &Scenario, schemas: &Schemas) -> BTreeSet<Promise> {
    let of_tool = |tool: &Tool| {
        let answer = match &tool.reply {
            Reply::Result(result) => Json::parse(result.get()).ok(),
            Reply::Error(_) | Reply::Raw(_) | Reply::Hang {} | Reply::Exit { .. } | Reply::Evolve {} => None,
        };
        let answer = answer.as_ref().and_then(Json::as_object);
        let value = answer.and_then(|answer| meaning::only(answer, "structuredContent"));
        let definition = Json::parse(&tool.definition).ok();
        let schema = definition.as_ref().and_then(|definition| definition.get("outputSchema"));
        let fit = value.zip(schema).map(|(value, schema)| match schemas.check(schema, value) {
            Conformance::Conforms => Fit::Conforms,
            Conformance::Violates { keyword, .. } => Fit::Violates { keyword },
            Conformance::Undecided { .. } => Fit::Undecided,
        });
        let blocks = answer.and_then(|answer| answer.get("content")?.as_array()).unwrap_or_default();
        let is_text = |block: &&Json| block.get("type").and_then(Json::as_str) == Some("text");
        let mut texts = blocks.iter().filter(is_text).filter_map(|block| block.get("text")?.as_str());
        let is_repeated =
            value.is_some_and(|value| texts.any(|text| Json::parse(text).is_ok_and(|text| text == *value)));
        let is_object =
            |schema: Option<&Json>| schema.and_then(|schema| schema.get("type")?.as_str()) == Some("object");
        let takes_object = is_object(definition.as_ref().and_then(|definition| definition.get("inputSchema")));
        let returns_object = scenario.since.has_any_value_output() || is_object(schema);
        let has_object = value.is_some_and(|value| value.as_object().is_some());
        Promise { name: tool.name.clone(), fit, has_object, is_repeated, takes_object, returns_object }
    };
    scenario.stages.iter().flat_map(|stage| &stage.tools).map(of_tool).collect()
}

/// Tries to leave out runs of a list of `length` items: all of it, then halves, quarters, and so on down to single items.
/// `leave_out` is given places in the list as it is at the time, and returns true if those items are gone.
///
/// A list of which nothing is needed takes one attempt, one of which `k` items are needed about `2·k·log(length)`, and
/// none takes more than a thousand. It goes from the end, so that of equal items the first one stays.
fn ddmin(length: usize, mut leave_out: impl FnMut(Range<usize>) -> Flow<bool>) -> Flow<()> {
    let finest = length.div_ceil(FINEST).max(1);
    let (mut left, mut run) = (length, length);
    while left > 0 {
        let mut end = left;
        while end > 0 {
            let start = end.saturating_sub(run);
            if leave_out(start..end)? {
                left -= end - start;
            }
            end = start;
        }
        if run <= finest {
            break;
        }
        run = (run / 2).max(finest);
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Leaves out the numbers up to `length` while all of `needed` are there: what is left, and how many attempts it took.
    fn thinned(length: usize, needed: &[usize]) -> (Vec<usize>, usize) {
        let mut items: Vec<usize> = (0..length).collect();
        let mut attempts = 0;
        let done = ddmin(length, |run| {
            attempts += 1;
            let spared = items[run.clone()].iter().all(|item| !needed.contains(item));
            if spared {
                items.drain(run);
            }
            ControlFlow::Continue(spared)
        });
        assert_eq!(done, ControlFlow::Continue(()));
        (items, attempts)
    }

    #[test]
    fn what_is_not_needed_goes_at_once() {
        assert_eq!(thinned(200, &[]), (vec![], 1));
        assert_eq!(thinned(0, &[]), (vec![], 0));
        let (left, attempts) = thinned(200, &[77]);
        assert_eq!(left, [77]);
        assert!(attempts <= 20, "{attempts}");
    }

    #[test]
    fn a_long_list_takes_no_more_attempts_than_a_short_one() {
        let needed: Vec<usize> = (0..1_000_000).step_by(500).collect();
        let (left, attempts) = thinned(1_000_000, &needed);
        assert!(attempts <= 4 * FINEST && left.len() >= needed.len(), "{attempts}");
    }

    #[test]
    fn it_ends_where_it_is_told_to() {
        let mut attempts = 0;
        let done = ddmin(10, |_| {
            attempts += 1;
            if attempts == 3 { ControlFlow::Break(Halt::OutOfTime) } else { ControlFlow::Continue(false) }
        });
        assert_eq!((done, attempts), (ControlFlow::Break(Halt::OutOfTime), 3));
    }

    proptest! {
        #[test]
        fn exactly_what_is_needed_is_left(length in 0_usize..200, needed in prop::collection::btree_set(0_usize..200, 0..20)) {
            let needed: Vec<usize> = needed.into_iter().filter(|item| *item < length).collect();
            prop_assert_eq!(thinned(length, &needed).0, needed);
        }
    }
}
