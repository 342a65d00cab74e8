//! The cells of a run as data: columns of numbers with dictionaries, and beside them, scenario by scenario, what was said
//! and what happened.

use std::collections::{BTreeMap, HashMap};

use mcp_compat_model::diff::Class;
use mcp_compat_model::record::{CellRecord, Known, Record, ScenarioRecord};
use mcp_compat_model::transcript::Raw;
use mcp_compat_model::unseen::neutralised;
use mcp_compat_model::verdict::{BlastRadius, Fault, Outcome, Rating};
use mcp_compat_model::{CellId, Revision, Role, ScenarioId, Transport};
use mcp_compat_reports::cell::wire::{header_lines, in_short};
use mcp_compat_reports::command::{Origin, again};
use mcp_compat_reports::text::{by_baseline, clipped};
use mcp_compat_reports::{headline, missed, triangle};
use serde_json::{Value, json};

use crate::evidence::{Chapter, EvidenceBook, Happened, bounded};
use crate::mark::marked;
use crate::ranking::Ranked;

/// The version of these files. The script of a site reads those of its own build, and older ones in history.
const FORMAT: u32 = 1;

/// How many characters of the name of a cause the pages have.
pub(crate) const NAME: usize = 200;

/// The scenarios of a record, by id.
pub(crate) type Scenarios<'a> = BTreeMap<&'a ScenarioId, &'a ScenarioRecord>;

/// What the newest run says of those before it.
#[derive(Debug)]
pub(crate) struct Past<'e> {
    /// The name of each run and when it began, the run before the newest one first.
    pub(crate) runs: Vec<(&'e str, &'e str)>,
    /// Class of each cell, compared with the run before, if the two can be compared.
    pub(crate) classes: Option<&'e [Class]>,
    /// The number of runs back to the first one since which each cell fares as it does.
    pub(crate) since: &'e [u16],
}

/// How much of what happened is in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Depth {
    /// In every cell.
    Everything,
    /// In cells that do not work.
    NotWorking,
    /// In none: what was said of each cell is there.
    Nothing,
}

/// The columns that every run has, with the bytes that each takes a cell.
const COLUMNS: [&str; 14] = [
    "scenario:2",
    "client:2",
    "server:2",
    "cause:2",
    "rules:2",
    "known:2",
    "transport:1",
    "negotiated:1",
    "outcome:1",
    "rating:1",
    "radius:1",
    "expected:1",
    "fault:1",
    "flags:1",
];

/// The dictionaries and the columns of a run; of the newest one also how it compares with those before it.
pub(crate) fn columns(
    id: &str,
    record: &Record,
    causes: &[Ranked<'_>],
    chunks: &BTreeMap<&ScenarioId, usize>,
    past: Option<&Past<'_>>,
) -> Vec<u8> {
    let scenarios = Dictionary::of(record.cells.iter().map(|cell| cell.scenario.as_str()));
    let clients = Dictionary::of(record.cells.iter().map(|cell| cell.client.as_str()));
    let servers = Dictionary::of(record.cells.iter().map(|cell| cell.server.as_str()));
    // A filter may name a listed word that no cell has, so these dictionaries are whole.
    let revisions = Dictionary::of(Revision::ALL.into_iter().map(Revision::as_str));
    let rules = |cell: &CellRecord| {
        let mut rules: Vec<&str> = cell.findings.iter().map(|finding| finding.rule.as_str()).collect();
        rules.sort_unstable();
        rules.dedup();
        rules.join(" ")
    };
    let sets: Vec<String> = record.cells.iter().map(rules).collect();
    let rule_sets = Dictionary::of(sets.iter().map(String::as_str));
    let known: Vec<String> = record
        .cells
        .iter()
        .map(|cell| {
            let words = |known: &Known| json!([clipped(&known.reason, 200), known.issue]).to_string();
            cell.known.as_ref().map(words).unwrap_or_default()
        })
        .collect();
    let knowns = Dictionary::of(known.iter().map(String::as_str));
    let mut of_cause = HashMap::<&CellId, u32>::new();
    for (number, ranked) in (1..).zip(causes) {
        of_cause.extend(ranked.cause.cells.iter().map(|cell| (&cell.id, number)));
    }
    let titles: BTreeMap<&str, &str> =
        record.scenarios.iter().map(|scenario| (scenario.id.as_str(), scenario.title.as_str())).collect();
    let compared = past.and_then(|past| past.classes);
    let mut names = COLUMNS.map(str::to_owned).to_vec();
    names.extend(past.map(|_| "since:2".to_owned()));
    names.extend(compared.map(|_| "changed:1".to_owned()));
    let head = json!({
        "format": FORMAT, "id": id, "started": record.started, "tool": record.tool_version, "corpus": record.corpus,
        "complete": record.complete, "cells": record.cells.len(),
        "scenarios": scenarios.words, "titles": scenarios.words.iter().map(|id| titles.get(id).copied().unwrap_or_default()).collect::<Vec<_>>(),
        "clients": clients.words, "servers": servers.words, "revisions": revisions.words,
        "transports": Transport::ALL.map(Transport::as_str),
        "outcomes": Outcome::ALL.map(Outcome::as_str), "meanings": Outcome::ALL.map(Outcome::meaning),
        "ratings": Rating::ALL.map(Rating::as_str), "faults": Fault::ALL.map(Fault::as_str), "radii": RADII.map(BlastRadius::as_str),
        "rules": rule_sets.words, "knowns": knowns.words,
        "causes": causes.iter().map(|ranked| json!([ranked.slug, clipped(&ranked.cause.name, NAME), ranked.cause.example.signature.is_some(), clipped(&headline::of_cause(&ranked.cause), 300)])).collect::<Vec<_>>(),
        "chunks": chunks.iter().map(|(scenario, chunk)| (scenario.as_str(), *chunk)).collect::<BTreeMap<_, _>>(),
        "classes": Class::ALL.map(Class::as_str),
        "before": past.map(|past| past.runs.as_slice()).unwrap_or_default(),
        "columns": names,
    });
    let mut bytes = serde_json::to_vec(&head).unwrap_or_default();
    bytes.push(b'\n');
    let mut wide = |of: &dyn Fn(usize, &CellRecord) -> usize| {
        for (place, cell) in record.cells.iter().enumerate() {
            bytes.extend(u16::try_from(of(place, cell)).unwrap_or(u16::MAX).to_le_bytes());
        }
    };
    wide(&|_, cell| scenarios.place(cell.scenario.as_str()));
    wide(&|_, cell| clients.place(cell.client.as_str()));
    wide(&|_, cell| servers.place(cell.server.as_str()));
    wide(&|_, cell| of_cause.get(&cell.id).map_or(0, |number| *number as usize));
    wide(&|place, _| sets.get(place).map_or(0, |set| rule_sets.place(set)));
    wide(&|place, _| known.get(place).map_or(0, |known| knowns.place(known)));
    let mut narrow = |of: &dyn Fn(&CellRecord) -> usize| {
        bytes.extend(record.cells.iter().map(|cell| u8::try_from(of(cell)).unwrap_or(u8::MAX)));
    };
    let outcome = |outcome: Outcome| Outcome::ALL.iter().position(|it| *it == outcome).unwrap_or_default();
    narrow(&|cell| Transport::ALL.iter().position(|it| *it == cell.transport).unwrap_or_default());
    narrow(&|cell| cell.negotiated.map_or(0, |revision| revisions.place(revision.as_str()) + 1));
    narrow(&|cell| outcome(cell.outcome));
    narrow(&|cell| Rating::ALL.iter().position(|it| *it == cell.rating).unwrap_or_default());
    narrow(&|cell| {
        cell.blast_radius.map_or(0, |radius| 1 + RADII.iter().position(|it| *it == radius).unwrap_or_default())
    });
    narrow(&|cell| cell.expected.map_or(0, |expected| 1 + outcome(expected)));
    narrow(&|cell| cell.fault.map_or(0, |fault| 1 + Fault::ALL.iter().position(|it| *it == fault).unwrap_or_default()));
    narrow(&|cell| {
        let known = cell.known.as_ref();
        usize::from(cell.silent)
            | usize::from(cell.vacuous) << 1
            | usize::from(known.is_some()) << 2
            | usize::from(known.is_some_and(|known| known.flaky)) << 3
    });
    bytes.extend(past.map(|past| past.since).unwrap_or_default().iter().flat_map(|runs| runs.to_le_bytes()));
    let place = |class: &Class| Class::ALL.iter().position(|it| it == class).and_then(|place| u8::try_from(place).ok());
    bytes.extend(compared.unwrap_or_default().iter().map(|class| place(class).unwrap_or(u8::MAX)));
    bytes
}

const RADII: [BlastRadius; 4] = [BlastRadius::Call, BlastRadius::Tool, BlastRadius::Server, BlastRadius::Session];

/// Words, each with its place.
struct Dictionary<'a> {
    words: Vec<&'a str>,
    places: HashMap<&'a str, usize>,
}

impl<'a> Dictionary<'a> {
    fn of(words: impl Iterator<Item = &'a str>) -> Self {
        let mut dictionary = Self { words: Vec::new(), places: HashMap::new() };
        for word in words {
            let next = dictionary.words.len();
            let place = *dictionary.places.entry(word).or_insert(next);
            if place == next {
                dictionary.words.push(word);
            }
        }
        dictionary
    }

    fn place(&self, word: &str) -> usize {
        self.places.get(word).copied().unwrap_or_default()
    }
}

/// What was said of the cells of some scenarios, and what happened in them.
pub(crate) fn chunk(
    scenarios: &Scenarios<'_>,
    cells: &[(usize, &CellRecord)],
    book: &EvidenceBook,
    depth: Depth,
) -> Vec<u8> {
    let mut writer = Chunk::default();
    let told: Vec<Value> =
        cells.iter().map(|(place, cell)| writer.cell(scenarios, *place, cell, book, depth)).collect();
    let chunk = json!({"format": FORMAT, "events": writer.events, "steps": writer.steps, "cells": told});
    serde_json::to_vec(&chunk).unwrap_or_default()
}

/// An event, and the tool and the place that a finding in it is about.
type MarkKey<'a> = (usize, Option<&'a str>, Option<&'a str>);

#[derive(Default)]
struct Chunk<'a> {
    events: Vec<Value>,
    steps: Vec<Value>,
    event_places: HashMap<(&'a ScenarioId, u32), usize>,
    step_places: HashMap<(&'a ScenarioId, u32), usize>,
    marks: HashMap<MarkKey<'a>, Option<(usize, usize)>>,
}

impl<'a> Chunk<'a> {
    fn cell(
        &mut self,
        scenarios: &Scenarios<'_>,
        place: usize,
        cell: &'a CellRecord,
        book: &'a EvidenceBook,
        depth: Depth,
    ) -> Value {
        let findings: Vec<Value> = cell
            .findings
            .iter()
            .map(|it| {
                json!([
                    it.rule,
                    it.level.as_str(),
                    it.party.as_str(),
                    it.source,
                    neutralised(&it.detail),
                    it.tool,
                    it.messages
                ])
            })
            .collect();
        let wanted = depth == Depth::Everything || (depth == Depth::NotWorking && cell.rating != Rating::Works);
        let chapter = book.of(&cell.scenario).filter(|_| wanted);
        let happened = chapter.and_then(|chapter| Some((chapter, chapter.happened(&cell.id)?)));
        let happened = happened.map(|(chapter, happened)| self.happened(cell, chapter, happened));
        let origin = Origin::of(scenarios.get(&cell.scenario).copied());
        let mut more = serde_json::Map::new();
        if let Some(missed) = &cell.missed {
            more.insert("missed".into(), missed::of_cell(cell, missed).into());
        }
        if let Some(said) = cell.triangle.as_ref().and_then(|triangle| triangle::said(cell, triangle)) {
            more.insert("mocks".into(), said.into());
        }
        if let Some(known) = &cell.known {
            more.insert("known".into(), json!([by_baseline(known), known.issue]));
        }
        if !matches!(origin, Origin::Corpus) {
            more.insert("again".into(), again(cell, origin).to_string().into());
        }
        json!([place, neutralised(&bounded(cell.reason.clone())), findings, happened, more])
    }

    fn happened(&mut self, cell: &'a CellRecord, chapter: &Chapter, happened: &Happened) -> Value {
        let events: Vec<usize> =
            happened.events.iter().filter_map(|place| self.event(&cell.scenario, chapter, *place)).collect();
        let steps: Vec<usize> =
            happened.steps.iter().filter_map(|place| self.step(&cell.scenario, chapter, *place)).collect();
        let mut marks = Vec::new();
        for (number, finding) in cell.findings.iter().enumerate() {
            for message in &finding.messages {
                let Some(place) = events.get(*message as usize).copied() else { continue };
                let pointer = cell.signature.as_ref().and_then(|signature| signature.pointer.as_deref());
                let key = (place, finding.tool.as_deref(), pointer);
                let text = happened.events.get(*message as usize).and_then(|place| chapter.text_at(*place));
                let found = *self.marks.entry(key).or_insert_with(|| marked(text?, key.1, key.2));
                let (from, to) = found.unwrap_or_default();
                marks.push(json!([message, number, from, to]));
            }
        }
        json!([events, steps, marks, happened.shortened])
    }

    fn event(&mut self, scenario: &'a ScenarioId, chapter: &Chapter, place: u32) -> Option<usize> {
        if let Some(known) = self.event_places.get(&(scenario, place)) {
            return Some(*known);
        }
        let (from, event) = chapter.event_at(place)?;
        let heads: Vec<String> = event.head().map(|head| header_lines(head).collect()).unwrap_or_default();
        let side = match from {
            Role::Client => 0,
            Role::Server => 1,
        };
        let body = event.message_or_its_start().map(|(Raw::Text(text) | Raw::Base64(text))| bounded(text.clone()));
        self.events.push(json!([side, in_short(&event), heads, body]));
        self.event_places.insert((scenario, place), self.events.len() - 1);
        Some(self.events.len() - 1)
    }

    fn step(&mut self, scenario: &'a ScenarioId, chapter: &Chapter, place: u32) -> Option<usize> {
        if let Some(known) = self.step_places.get(&(scenario, place)) {
            return Some(*known);
        }
        let step = chapter.step_at(place)?;
        self.steps.push(json!([step.words, step.structured, step.content]));
        self.step_places.insert((scenario, place), self.steps.len() - 1);
        Some(self.steps.len() - 1)
    }
}
