//! What happened in the cells of a run, each message kept once.
//!
//! Cells of one scenario have most of their messages in common, whoever plays them. So there is a table for each
//! scenario, and a cell is a list of places in it.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use mcp_compat_model::observation::Seen;
use mcp_compat_model::record::Evidence;
use mcp_compat_model::transcript::{Event, Raw};
use mcp_compat_model::{CellId, Role, ScenarioId};
use mcp_compat_reports::cell::seen::{ended, in_words};

/// How much of one message or value is kept: more than anybody reads on a page.
const KEPT: usize = 64 << 10;

/// What happened in the cells of a run.
#[derive(Clone, Debug, Default)]
pub struct EvidenceBook {
    scenarios: BTreeMap<ScenarioId, Chapter>,
}

/// What happened in the cells of one scenario.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chapter {
    events: Vec<(Role, Event)>,
    seen: Vec<Step>,
    by_hash: HashMap<u64, Vec<u32>>,
    seen_by_hash: HashMap<u64, Vec<u32>>,
    cells: HashMap<CellId, Happened>,
}

/// What one step gave to the user of the client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    /// In words.
    pub(crate) words: String,
    /// The structured content of a result.
    pub(crate) structured: Option<String>,
    /// The blocks of a result.
    pub(crate) content: Vec<String>,
}

/// What happened in one cell: places in the tables of its chapter.
#[derive(Clone, Debug)]
pub(crate) struct Happened {
    /// The messages and other events, in order.
    pub(crate) events: Vec<u32>,
    /// The steps, and how it ended.
    pub(crate) steps: Vec<u32>,
    /// Whether something was too long to be kept whole.
    pub(crate) shortened: bool,
}

impl EvidenceBook {
    /// Adds what happened in one cell.
    pub fn add(&mut self, evidence: &Evidence) {
        let chapter = self.scenarios.entry(evidence.cell.scenario.clone()).or_default();
        let events = evidence.transcript.entries.iter().map(|entry| chapter.event(entry.from, &entry.event)).collect();
        let observation = &evidence.observation;
        let mut steps: Vec<u32> = observation.steps.iter().map(|seen| chapter.step(of_seen(seen))).collect();
        let end = Step { words: ended(&observation.end), structured: None, content: Vec::new() };
        steps.push(chapter.step(end));
        chapter.cells.insert(evidence.cell.id(), Happened { events, steps, shortened: evidence.shortened });
    }

    /// What happened in the cells of a scenario.
    pub(crate) fn of(&self, scenario: &ScenarioId) -> Option<&Chapter> {
        self.scenarios.get(scenario)
    }
}

impl Chapter {
    /// What happened in a cell.
    pub(crate) fn happened(&self, cell: &CellId) -> Option<&Happened> {
        self.cells.get(cell)
    }

    /// The event at a place.
    pub(crate) fn event_at(&self, place: u32) -> Option<&(Role, Event)> {
        self.events.get(place as usize)
    }

    /// The step at a place.
    pub(crate) fn step_at(&self, place: u32) -> Option<&Step> {
        self.seen.get(place as usize)
    }

    fn event(&mut self, from: Role, event: &Event) -> u32 {
        let mut hasher = DefaultHasher::new();
        from.hash(&mut hasher);
        text_of(event).hash(&mut hasher);
        let same = self.by_hash.entry(hasher.finish()).or_default();
        let is_it = |place: &&u32| self.events.get(**place as usize).is_some_and(|(by, it)| *by == from && it == event);
        if let Some(known) = same.iter().find(is_it) {
            return *known;
        }
        let place = u32::try_from(self.events.len()).unwrap_or(u32::MAX);
        same.push(place);
        self.events.push((from, event.clone()));
        place
    }

    fn step(&mut self, step: Step) -> u32 {
        let mut hasher = DefaultHasher::new();
        step.hash(&mut hasher);
        let same = self.seen_by_hash.entry(hasher.finish()).or_default();
        if let Some(known) = same.iter().find(|place| self.seen.get(**place as usize) == Some(&step)) {
            return *known;
        }
        let place = u32::try_from(self.seen.len()).unwrap_or(u32::MAX);
        same.push(place);
        self.seen.push(step);
        place
    }
}

/// The text that an event carries.
fn text_of(event: &Event) -> &str {
    match event {
        Event::Message { raw, .. } | Event::Overflow { start: raw, .. } => match raw {
            Raw::Text(text) | Raw::Base64(text) => text,
        },
        Event::Fetched { path: text } | Event::Exited { how: text } => text,
        Event::Head { .. } | Event::Closed {} | Event::Stopped { .. } => "",
    }
}

fn of_seen(seen: &Seen) -> Step {
    let (structured, content) = match seen {
        Seen::Called(result) => (
            result.structured.as_ref().map(|value| bounded(value.to_compact())),
            result.content.iter().map(|block| bounded(block.to_compact())).collect(),
        ),
        Seen::Listed { .. } | Seen::Evolved { .. } | Seen::Failed(_) | Seen::NotReported {} => (None, Vec::new()),
    };
    Step { words: in_words(seen), structured, content }
}

/// The beginning of a text that is longer than a page shows, and how long it is.
pub(crate) fn bounded(mut text: String) -> String {
    let length = text.len();
    if length > KEPT {
        let end = (0..=KEPT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        text.truncate(end);
        text.push_str(&format!("… ({length} bytes in all)"));
    }
    text
}
