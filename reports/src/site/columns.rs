//! Cells of a run as data for the script: a column of numbers for each property, with lists of words, and in separate
//! files the reasons, findings and messages of each scenario.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;
use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use mcp_compat_json::{Json, text_at};
use mcp_compat_model::diff::Class;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::{CellRecord, Known, Record, ScenarioRecord};
use mcp_compat_model::run_verdicts::Numbered;
use mcp_compat_model::transcript::Raw;
use mcp_compat_model::verdict::{BlastRadius, Fault, Outcome, Rating};
use mcp_compat_model::{CellId, Revision, Role, ScenarioId, Transport};
use serde_json::{Value, json};

use crate::cell::wire::{header_lines, in_short};
use crate::command::{Origin, again};
use crate::site::context::Ranked;
use crate::site::evidence::{Chapter, EvidenceBook, Happened, bounded};
use crate::text::{by_baseline, clipped};
use crate::{headline, missed, wording};

/// Version of these files.
const FORMAT: u32 = 2;

/// Number of characters of the name of a cause in the pages.
pub(crate) const NAME: usize = 200;

pub(crate) type Scenarios<'a> = BTreeMap<&'a ScenarioId, &'a ScenarioRecord>;

/// Comparison of the newest run with those before it.
#[derive(Debug)]
pub(crate) struct Past<'e> {
    /// Name and start of each run, the run before the newest one first.
    pub(crate) runs: Vec<(&'e str, &'e str)>,
    /// Class of each cell, compared with the run before, if the two can be compared.
    pub(crate) classes: Option<&'e [Class]>,
    /// Number of runs, counted back, in which each cell has had its present result.
    pub(crate) since: &'e [u16],
}

/// Selection of the cells whose messages are in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Depth {
    Everything,
    /// Cells that do not work.
    NotWorking,
    /// No cell: only reasons and findings are in the file.
    Nothing,
}

/// Writes the columns of a run; those of the newest run include its comparison with earlier runs.
pub(crate) fn columns(
    id: &str,
    record: &Record,
    causes: &[Ranked<'_>],
    chunks: &BTreeMap<&ScenarioId, usize>,
    past: Option<&Past<'_>>,
) -> Vec<u8> {
    let cells = || record.cells.iter();
    let (scenarios, scenario) = column(cells().map(|cell| cell.scenario.as_str()));
    let (clients, client) = column(cells().map(|cell| cell.client.as_str()));
    let (servers, server) = column(cells().map(|cell| cell.server.as_str()));
    let (rule_sets, rules) = column(cells().map(|cell| {
        let rules: BTreeSet<&str> = cell.findings.iter().map(|finding| finding.rule.as_str()).collect();
        rules.into_iter().collect::<Vec<_>>().join(" ")
    }));
    let words = |known: &Known| json!([clipped(&known.reason, 200), known.issue]).to_string();
    let (knowns, known) = column(cells().map(|cell| cell.known.as_ref().map(words).unwrap_or_default()));
    let mut of_cause = HashMap::<&CellId, usize>::new();
    for (number, ranked) in (1..).zip(causes) {
        of_cause.extend(ranked.cause.cells.iter().map(|cell| (&cell.id, number)));
    }
    let titles: BTreeMap<&str, &str> =
        record.scenarios.iter().map(|scenario| (scenario.id.as_str(), scenario.title.as_str())).collect();
    let numbers = |of: &dyn Fn(&CellRecord) -> usize| cells().map(of).collect::<Vec<usize>>();
    let flags = |cell: &CellRecord| {
        let is_flaky = cell.known.as_ref().is_some_and(|known| known.flaky);
        let flags = [cell.silent, cell.vacuous, cell.known.is_some(), is_flaky];
        flags.into_iter().enumerate().map(|(bit, flag)| usize::from(flag) << bit).sum()
    };
    // The lists of words are complete, because a filter may name a word that no cell has.
    let mut columns = json!({
        "scenario": scenario, "client": client, "server": server, "rules": rules, "known": known,
        "cause": numbers(&|cell| of_cause.get(&cell.id).copied().unwrap_or_default()),
        "transport": numbers(&|cell| place(&Transport::ALL, &cell.transport)),
        "outcome": numbers(&|cell| place(&Outcome::ALL, &cell.outcome)),
        "rating": numbers(&|cell| place(&Rating::ALL, &cell.rating)),
        "negotiated": numbers(&|cell| cell.negotiated.map_or(0, |revision| 1 + place(&Revision::ALL, &revision))),
        "radius": numbers(&|cell| cell.blast_radius.map_or(0, |radius| 1 + place(&RADII, &radius))),
        "expected": numbers(&|cell| cell.expected.map_or(0, |outcome| 1 + place(&Outcome::ALL, &outcome))),
        "fault": numbers(&|cell| cell.fault.map_or(0, |fault| 1 + place(&Fault::ALL, &fault))),
        "flags": numbers(&flags),
    });
    if let Some(past) = past {
        columns["since"] = json!(past.since);
        let classes = past.classes.map(|classes| classes.iter().map(|class| place(&Class::ALL, class)));
        columns["changed"] = json!(classes.map(|classes| classes.collect::<Vec<usize>>()));
    }
    let causes = causes.iter().map(|Ranked { slug, cause, .. }| {
        let (name, title) = (clipped(&cause.name, NAME), clipped(&headline::title(cause), 300));
        json!([slug, name, cause.example.signature.is_some(), title])
    });
    let run = json!({
        "format": FORMAT, "id": id, "started": record.started, "tool": record.tool_version, "corpus": record.corpus,
        "complete": record.complete, "cells": record.cells.len(),
        "titles": scenarios.iter().map(|id| titles.get(id).copied().unwrap_or_default()).collect::<Vec<_>>(),
        "scenarios": scenarios, "clients": clients, "servers": servers, "rules": rule_sets, "knowns": knowns,
        "revisions": Revision::ALL.map(Revision::as_str), "transports": Transport::ALL.map(Transport::as_str),
        "outcomes": Outcome::ALL.map(Outcome::as_str), "meanings": Outcome::ALL.map(Outcome::meaning),
        "ratings": Rating::ALL.map(Rating::as_str), "faults": Fault::ALL.map(Fault::as_str),
        "radii": RADII.map(BlastRadius::as_str), "classes": Class::ALL.map(Class::as_str),
        "causes": causes.collect::<Vec<_>>(),
        "chunks": chunks.iter().map(|(scenario, chunk)| (scenario.as_str(), *chunk)).collect::<BTreeMap<_, _>>(),
        "before": past.map(|past| past.runs.as_slice()).unwrap_or_default(),
        "columns": columns,
    });
    serde_json::to_vec(&run).unwrap_or_default()
}

const RADII: [BlastRadius; 4] = [BlastRadius::Call, BlastRadius::Tool, BlastRadius::Server, BlastRadius::Session];

/// Returns the distinct values, and for each value its place among them.
fn column<T: Clone + Eq + Hash>(values: impl Iterator<Item = T>) -> (Vec<T>, Vec<u32>) {
    let mut numbered = Numbered::default();
    let places = values.map(|value| numbered.of(&value)).collect();
    (numbered.values(), places)
}

fn place<T: PartialEq>(all: &[T], value: &T) -> usize {
    all.iter().position(|it| it == value).unwrap_or_default()
}

/// Packs bytes, compressed and in base64, into a script that passes them to the site's own script under a name. A page
/// that is opened from disk can load only scripts.
pub(crate) fn packed(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::new(6));
    // Writing to memory does not fail.
    let compressed = gzip.write_all(bytes).and_then(|()| gzip.finish()).unwrap_or_default();
    format!("mcpCompat({},\"{}\");\n", in_script(&Value::from(name)), STANDARD.encode(compressed)).into_bytes()
}

/// JSON for a script within a page, without `<`.
fn in_script(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Reasons, findings and messages of the cells of some scenarios.
pub(crate) fn chunk(
    scenarios: &Scenarios<'_>,
    cells: &[(usize, &CellRecord)],
    book: &EvidenceBook,
    depth: Depth,
) -> Vec<u8> {
    let mut writer = Chunk::default();
    let written: Vec<Value> =
        cells.iter().map(|(place, cell)| writer.cell(scenarios, *place, cell, book, depth)).collect();
    let chunk = json!({"format": FORMAT, "events": writer.events, "steps": writer.steps, "cells": written});
    serde_json::to_vec(&chunk).unwrap_or_default()
}

/// Event, with the tool and the pointer that a finding in it is about.
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
        let chapter = if wanted { book.of(&cell.scenario) } else { None };
        let happened = chapter.and_then(|chapter| Some((chapter, chapter.happened(&cell.id)?)));
        let happened = happened.map(|(chapter, happened)| self.happened(cell, chapter, happened));
        let origin = Origin::of(scenarios.get(&cell.scenario).copied());
        let mut more = serde_json::Map::new();
        if let Some(missed) = &cell.missed {
            more.insert("missed".into(), missed::of_cell(cell, missed).into());
        }
        if let Some(with_mocks) = wording::with_mocks(cell) {
            more.insert("mocks".into(), with_mocks.into());
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

/// Start and end of the part of a message that a finding is about, in UTF-16 units as browsers count them: the pointer
/// of the signature below the tool or the result, or the whole tool without a pointer.
pub(crate) fn marked(text: &str, tool: Option<&str>, pointer: Option<&str>) -> Option<(usize, usize)> {
    // `*` stands for an index of a list, so the mark covers the whole list.
    let pointer = pointer.map(|pointer| pointer.split("/*").next().unwrap_or_default()).unwrap_or_default();
    let roots = match tool.and_then(|tool| listed(text, tool)) {
        Some(root) => vec![root],
        None => ["/result/structuredContent", "/result", "/params", "/error", ""].map(str::to_owned).to_vec(),
    };
    let deepest = if pointer.is_empty() {
        None
    } else {
        roots.iter().find_map(|root| text_at(text, &format!("{root}{pointer}")))
    };
    // A missing part has no bytes, so its parent is marked.
    let around = || {
        let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
        roots.iter().filter(|root| !root.is_empty()).find_map(|root| text_at(text, &format!("{root}{parent}")))
    };
    let part = deepest.or_else(around)?;
    let from = part.as_ptr() as usize - text.as_ptr() as usize;
    let units = |text: &str| text.chars().map(char::len_utf16).sum::<usize>();
    let start = units(text.get(..from)?);
    Some((start, start + units(part)))
}

/// Pointer to a tool in a list of tools.
fn listed(text: &str, tool: &str) -> Option<String> {
    let message = Json::parse(text).ok()?;
    let tools = message.pointer("/result/tools")?.as_array()?;
    let place = tools.iter().position(|listed| listed.get("name").and_then(Json::as_str) == Some(tool))?;
    Some(format!("/result/tools/{place}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str, tool: Option<&str>, pointer: Option<&str>) -> Option<String> {
        let (from, to) = marked(text, tool, pointer)?;
        let units: Vec<u16> = text.encode_utf16().collect();
        Some(String::from_utf16(&units[from..to]).unwrap())
    }

    #[test]
    fn the_part_at_the_pointer_is_marked() {
        let list = r#"{"id":1,"result":{"tools":[{"name":"é"},{"name":"a","outputSchema":{"type":"array"}}]}}"#;
        assert_eq!(part(list, Some("a"), Some("/outputSchema/type")).as_deref(), Some(r#""array""#));
        assert_eq!(part(list, Some("a"), Some("/outputSchema/required")).as_deref(), Some(r#"{"type":"array"}"#));
        assert_eq!(part(list, Some("é"), None).as_deref(), Some(r#"{"name":"é"}"#));
        let result = r#"{"id":2,"result":{"structuredContent":{"a":[{"b":1}]},"content":[]}}"#;
        assert_eq!(part(result, Some("a"), Some("/content")).as_deref(), Some("[]"));
        assert_eq!(part(result, None, Some("/a/*/b")).as_deref(), Some(r#"[{"b":1}]"#));
        assert_eq!(part("not JSON", Some("a"), Some("/b")), None);
    }
}
