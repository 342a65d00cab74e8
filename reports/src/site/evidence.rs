//! Messages and observations of the cells of a run, each message kept once.
//!
//! Cells of one scenario share most of their messages. So there is a table for each scenario, and a cell is a list of
//! places in it.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::panic::resume_unwind;
use std::sync::mpsc::sync_channel;
use std::thread::scope;

use indexmap::IndexSet;
use mcp_compat_model::observation::Seen;
use mcp_compat_model::record::Evidence;
use mcp_compat_model::transcript::{Entry, Event, Head, Raw, Start};
use mcp_compat_model::{CellId, Role, ScenarioId};

use crate::cell::seen::{ended, in_words};

/// Number of bytes of a message or value that a page shows.
const KEPT: usize = 64 << 10;

/// Number of bytes of messages that are kept whole. A place in a message is marked only if all of it is there.
const WHOLE: usize = 128 << 20;

/// Number of bytes of a message that are kept after that.
const BEGINNING: usize = 1 << 10;

/// Maximum number of cells that were read ahead. One may be large.
const CELLS_AHEAD: usize = 4;

/// Messages and observations of the cells of a run.
#[derive(Clone, Debug, Default)]
pub struct EvidenceBook {
    scenarios: BTreeMap<ScenarioId, Chapter>,
    /// Number of bytes of the messages that are kept.
    bytes: usize,
}

/// Messages and observations of the cells of one scenario.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chapter {
    messages: Table<Raw>,
    heads: Table<(Start, Vec<(String, String)>)>,
    others: Table<Event>,
    events: Table<Kept>,
    seen: Table<Step>,
    cells: HashMap<CellId, Happened>,
}

/// Event with its sender. Its parts are places in the tables of its chapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Kept {
    from: Role,
    part: Part,
    http: Option<Http>,
}

/// Event without its HTTP head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Nothing,
    Message(u32),
    Other(u32),
}

/// An HTTP head: the number of its exchange, and the place of the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Http {
    exchange: u32,
    head: u32,
}

/// Distinct items, each with its place.
#[derive(Clone, Debug)]
struct Table<T>(IndexSet<T>);

/// Result of one step for the user of the client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    pub(crate) words: String,
    /// The structured content of a result.
    pub(crate) structured: Option<String>,
    /// The blocks of a result.
    pub(crate) content: Vec<String>,
}

/// Messages and observations of one cell: places in the tables of its chapter.
#[derive(Clone, Debug)]
pub(crate) struct Happened {
    /// The messages and other events, in order.
    pub(crate) events: Vec<u32>,
    /// The steps, and how it ended.
    pub(crate) steps: Vec<u32>,
    /// True if something was too long to be kept whole.
    pub(crate) shortened: bool,
}

impl EvidenceBook {
    /// Collects the evidence of all cells: `next` returns one after the other, and `None` after the last. It runs in
    /// its own thread, because reading takes as long as collecting.
    ///
    /// # Errors
    /// Errors of `next`.
    pub fn read<E: Send>(mut next: impl FnMut() -> Result<Option<Evidence>, E> + Send) -> Result<Self, E> {
        let (sender, cells) = sync_channel(CELLS_AHEAD);
        scope(|scope| {
            let reading = scope.spawn(move || {
                while let Some(evidence) = next()? {
                    if sender.send(evidence).is_err() {
                        break;
                    }
                }
                Ok(())
            });
            let mut book = Self::default();
            cells.into_iter().for_each(|evidence| book.add(evidence));
            reading.join().unwrap_or_else(|panic| resume_unwind(panic)).map(|()| book)
        })
    }

    /// Adds the evidence of one cell.
    pub fn add(&mut self, evidence: Evidence) {
        let Evidence { cell, transcript, observation, shortened } = evidence;
        let chapter = self.scenarios.entry(cell.scenario.clone()).or_default();
        let mut take = |entry: Entry| chapter.take_event(entry.from, entry.event, &mut self.bytes);
        let events = transcript.entries.into_iter().map(&mut take).collect();
        let mut steps: Vec<u32> = observation.steps.iter().map(|seen| chapter.seen.place(of_seen(seen))).collect();
        let end = Step { words: ended(&observation.end), structured: None, content: Vec::new() };
        steps.push(chapter.seen.place(end));
        chapter.cells.insert(cell.id(), Happened { events, steps, shortened });
    }

    pub(crate) fn of(&self, scenario: &ScenarioId) -> Option<&Chapter> {
        self.scenarios.get(scenario)
    }
}

impl Chapter {
    /// Messages and observations of a cell.
    pub(crate) fn happened(&self, cell: &CellId) -> Option<&Happened> {
        self.cells.get(cell)
    }

    /// Event at a place, with its sender.
    pub(crate) fn event_at(&self, place: u32) -> Option<(Role, Event)> {
        let Kept { from, part, http } = *self.events.at(place)?;
        let head = |Http { exchange, head }| {
            let (start, headers) = self.heads.at(head)?.clone();
            Some(Head { exchange, start, headers })
        };
        let event = match part {
            Part::Nothing => Event::Head { http: head(http?)? },
            Part::Message(message) => {
                Event::Message { raw: self.messages.at(message)?.clone(), http: http.and_then(head) }
            }
            Part::Other(other) => self.others.at(other)?.clone(),
        };
        Some((from, event))
    }

    /// Text of the message at a place; `None` if the event is no message.
    pub(crate) fn text_at(&self, place: u32) -> Option<&str> {
        match self.events.at(place)?.part {
            Part::Message(message) => self.messages.at(message)?.as_text(),
            Part::Nothing | Part::Other(_) => None,
        }
    }

    pub(crate) fn step_at(&self, place: u32) -> Option<&Step> {
        self.seen.at(place)
    }

    /// Keeps an event. `bytes` is the size of the messages of all chapters.
    fn take_event(&mut self, from: Role, event: Event, bytes: &mut usize) -> u32 {
        let (part, http) = match event {
            Event::Message { raw, http } => (Part::Message(self.take_message(raw, bytes)), http),
            Event::Head { http } => (Part::Nothing, Some(http)),
            other @ (Event::Overflow { .. }
            | Event::Fetched { .. }
            | Event::Closed {}
            | Event::Exited { .. }
            | Event::Stopped { .. }) => (Part::Other(self.others.place(other)), None),
        };
        let http =
            http.map(|Head { exchange, start, headers }| Http { exchange, head: self.heads.place((start, headers)) });
        self.events.place(Kept { from, part, http })
    }

    /// Keeps a message, or only its beginning if the limit is reached.
    fn take_message(&mut self, raw: Raw, bytes: &mut usize) -> u32 {
        if let Some(known) = self.messages.find(&raw) {
            return known;
        }
        let length = |(Raw::Text(text) | Raw::Base64(text)): &Raw| text.len();
        let is_beyond_limit = bytes.saturating_add(length(&raw)) > WHOLE;
        let raw = match raw {
            Raw::Text(text) if is_beyond_limit => Raw::Text(cut(text, BEGINNING)),
            Raw::Base64(text) if is_beyond_limit => Raw::Base64(cut(text, BEGINNING)),
            raw @ (Raw::Text(_) | Raw::Base64(_)) => raw,
        };
        if let Some(known) = self.messages.find(&raw) {
            return known;
        }
        *bytes = bytes.saturating_add(length(&raw));
        self.messages.place(raw)
    }
}

impl<T: Hash + Eq> Table<T> {
    /// Returns the place of an item, which is added if it is new.
    fn place(&mut self, item: T) -> u32 {
        u32::try_from(self.0.insert_full(item).0).unwrap_or(u32::MAX)
    }

    /// Returns the place of a known item.
    fn find(&self, item: &T) -> Option<u32> {
        self.0.get_index_of(item).and_then(|place| u32::try_from(place).ok())
    }

    fn at(&self, place: u32) -> Option<&T> {
        self.0.get_index(place as usize)
    }
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(IndexSet::new())
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

/// Cuts a text that is longer than a page shows, and adds its length.
pub(crate) fn bounded(text: String) -> String {
    cut(text, KEPT)
}

/// Cuts a text after `most` bytes, and adds its length.
fn cut(mut text: String, most: usize) -> String {
    let length = text.len();
    if length > most {
        let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        text.truncate(end);
        text.shrink_to_fit();
        text.push_str(&format!("… ({length} bytes in all)"));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use mcp_compat_model::Cell;
    use mcp_compat_model::observation::{End, Observation};
    use mcp_compat_model::transcript::Transcript;

    use super::*;

    fn evidence(number: usize) -> Evidence {
        let id = CellId::parse(&format!("a/b::mock/dual+auto::mock/dual/n{number}::memory"));
        let cell: Cell = id.unwrap();
        let observation = Observation { negotiated: None, steps: Vec::new(), end: End::Answered {} };
        Evidence { cell, transcript: Transcript { entries: Vec::new() }, observation, shortened: false }
    }

    /// Reads some cells, and then the result of `last`.
    fn read(cells: usize, last: impl Fn() -> Result<Option<Evidence>, String> + Send) -> Result<EvidenceBook, String> {
        let mut numbers = 0..cells;
        EvidenceBook::read(move || numbers.next().map_or_else(&last, |number| Ok(Some(evidence(number)))))
    }

    #[test]
    fn every_cell_is_kept_or_the_error_is_returned() {
        let scenario = evidence(0).cell.scenario;
        let kept = |book: &EvidenceBook| book.of(&scenario).unwrap().cells.len();
        assert_eq!(kept(&read(100, || Ok(None)).unwrap()), 100);
        assert_eq!(read(100, || Err("torn".to_owned())).unwrap_err(), "torn");
        assert!(catch_unwind(AssertUnwindSafe(|| read(100, || panic!("a mistake")))).is_err());
    }

    #[test]
    fn messages_beyond_the_limit_are_cut() {
        let message = |text: String| Event::Message { raw: Raw::Text(text), http: None };
        let (mut chapter, mut bytes) = (Chapter::default(), 0);
        let long = "a".repeat(WHOLE / 2);
        let whole = chapter.take_event(Role::Client, message(long.clone()), &mut bytes);
        let again = chapter.take_event(Role::Client, message(long), &mut bytes);
        let more = "b".repeat(WHOLE / 2 + 1);
        let short = chapter.take_event(Role::Client, message(more.clone()), &mut bytes);
        assert_eq!(chapter.take_event(Role::Client, message(more), &mut bytes), short);
        assert_eq!(
            (whole, bytes),
            (again, chapter.text_at(whole).unwrap().len() + chapter.text_at(short).unwrap().len())
        );
        assert_eq!(chapter.text_at(whole).unwrap().len(), WHOLE / 2);
        let words = format!("{}… ({} bytes in all)", "b".repeat(BEGINNING), WHOLE / 2 + 1);
        assert_eq!(chapter.text_at(short), Some(words.as_str()));
    }
}
