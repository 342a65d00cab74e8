//! Messages of a cell in order: time, sender, summary and bytes. Messages that a finding refers to are marked.

use std::collections::BTreeMap;

use mcp_compat_json::Json;
use mcp_compat_model::Role;
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::evidence::is_beginning;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::read_limit::ReadLimit;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::transcript::{Entry, Event, Head, Raw, Start, StopStage};
use mcp_compat_model::verdict::Finding;

use crate::page::{Page, TRANSCRIPTS};
use crate::style::Tone;
use crate::text::{clipped, span};
use crate::wording::{self, Relation};

/// Indentation of the bytes of a message.
const INDENT: &str = "      ";

/// Number of characters of a method, an id or a header in a summary.
const WORD_SHOWN: usize = 200;

pub(super) fn write(page: &mut Page, cell: &CellRecord, entries: &[Entry]) {
    let mut findings = BTreeMap::<u32, Vec<&Finding>>::new();
    for finding in &cell.findings {
        for message in &finding.messages {
            findings.entry(*message).or_default().push(finding);
        }
    }
    page.heading("The wire");
    if entries.is_empty() {
        page.line("  nothing was sent");
    }
    for entry in entries {
        let from = match entry.from {
            Role::Client => "client →",
            Role::Server => "server ←",
        };
        let number = format!("#{}", entry.seq);
        let from = page.paint(Tone::Strong, from);
        page.blank();
        page.paragraph(&format!("{number:>5} {:>9}  {from} ", span(entry.at_us)), &in_short(&entry.event));
        marks(page, findings.get(&entry.seq).map_or(&[], Vec::as_slice), entry.from);
        bytes(page, &entry.event);
    }
}

/// Writes the rules that a message violates, and the rules of other findings that refer to it.
fn marks(page: &mut Page, findings: &[&Finding], from: Role) {
    for (relation, tone) in [(Relation::Violates, Tone::Bad), (Relation::Concerns, Tone::Aside)] {
        let of_relation = findings.iter().filter(|finding| wording::of_message(finding, from) == relation);
        let mut rules: Vec<String> = of_relation.map(|finding| neutralised(&finding.rule)).collect();
        rules.dedup();
        if !rules.is_empty() {
            page.toned(tone, INDENT, &format!("{} {}", relation.as_str(), rules.join(", ")));
        }
    }
}

/// Summary of an event in a few words.
pub fn in_short(event: &Event) -> String {
    match event {
        Event::Message { raw, http: None } => summary(raw),
        Event::Message { raw, http: Some(http) } => format!("{}: {}", start(http), summary(raw)),
        Event::Head { http } => start(http),
        Event::Overflow { limit, start: _ } => {
            format!("more than {} bytes, of which this is the start", thousands(*limit))
        }
        Event::Fetched { path } => {
            format!("fetched an address that a schema names: {}", neutralised(&clipped(path, WORD_SHOWN)))
        }
        Event::Closed {} => "closed its side".to_owned(),
        Event::Exited { how } => format!("its process ended: {}", neutralised(&clipped(how, WORD_SHOWN))),
        Event::Stopped { stage } => match stage {
            StopStage::InputClosed => "its input was closed, and it ended".to_owned(),
            StopStage::Terminated => "it was asked to end (SIGTERM)".to_owned(),
            StopStage::Killed => "it was killed (SIGKILL)".to_owned(),
        },
    }
}

/// Summary of a message, as far as it is JSON-RPC.
fn summary(raw: &Raw) -> String {
    let Some(text) = raw.as_text() else { return "not UTF-8, here in base64".to_owned() };
    let json = match Json::parse(text) {
        Ok(json) => json,
        Err(error) if ReadLimit::of_json(error.kind).is_some() => return format!("not read: {}", error.kind),
        Err(_) if is_beginning(raw) => {
            return "the beginning of a message that is too long to be kept whole".to_owned();
        }
        Err(_) => return "not JSON".to_owned(),
    };
    if let Some(batch) = json.as_array() {
        return format!("a batch of {}", counted(batch.len(), "message"));
    }
    let word = |value: &Json| clipped(&value.as_str().map_or_else(|| value.to_compact(), str::to_owned), WORD_SHOWN);
    let id = json.get("id").map(|id| format!(" (id {})", word(id))).unwrap_or_default();
    let what = match (json.get("method"), json.get("error")) {
        (Some(method), _) => word(method),
        (None, Some(error)) => format!("error {}", error.get("code").map(word).unwrap_or_default()),
        (None, None) if json.get("result").is_some() => "result".to_owned(),
        (None, None) => "neither request nor response".to_owned(),
    };
    neutralised(&format!("{what}{id}"))
}

fn start(head: &Head) -> String {
    match &head.start {
        Start::Request { method } => {
            format!("{} (exchange {})", neutralised(&clipped(method, WORD_SHOWN)), head.exchange)
        }
        Start::Response { status } => format!("{status} (exchange {})", head.exchange),
    }
}

/// Writes the headers and the body of an event that has them.
fn bytes(page: &mut Page, event: &Event) {
    match event {
        Event::Message { raw, http } => {
            http.iter().for_each(|head| headers(page, head));
            body(page, raw);
        }
        Event::Head { http } => headers(page, http),
        Event::Overflow { limit: _, start } => body(page, start),
        Event::Fetched { path: _ } | Event::Closed {} | Event::Exited { how: _ } | Event::Stopped { stage: _ } => {}
    }
}

fn headers(page: &mut Page, head: &Head) {
    header_lines(head).for_each(|line| page.toned(Tone::Aside, INDENT, &line));
}

/// Headers, each as a line.
pub fn header_lines(head: &Head) -> impl Iterator<Item = String> {
    let line = |(name, value): &(String, String)| neutralised(&format!("{name}: {}", clipped(value, WORD_SHOWN)));
    head.headers.iter().map(line)
}

fn body(page: &mut Page, raw: &Raw) {
    match raw {
        Raw::Text(text) | Raw::Base64(text) => page.message(INDENT, text, TRANSCRIPTS),
    }
}
