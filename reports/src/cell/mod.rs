//! One cell in full: what was meant, what was seen, the wire, the verdict. What `show` prints.

use std::fmt::Write as _;

use mcp_compat_model::observation::{End, Observation, Seen};
use mcp_compat_model::record::{CellRecord, Evidence, ScenarioRecord};
use mcp_compat_model::transcript::{Entry, Event, Head, Raw, Start};
use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_model::{Json, Role};

use crate::style::{Style, Tone};
use crate::text::{clipped, neutralised, paragraph, span};

/// How much of one message is shown.
const MESSAGE_SHOWN: usize = 2_000;

/// The cell, as text.
#[must_use]
pub fn render(cell: &CellRecord, scenario: Option<&ScenarioRecord>, evidence: &Evidence, style: Style) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}\n", style.paint(Tone::Strong, cell.id.as_str()));
    if let Some(scenario) = scenario {
        let _ = writeln!(text, "{}", paragraph(&scenario.title, "", 0, style.width));
        let _ = writeln!(text, "{}\n", style.paint(Tone::Aside, &paragraph(&scenario.why, "", 0, style.width)));
    }
    verdict(&mut text, cell, style);
    seen(&mut text, &evidence.observation, style);
    wire(&mut text, &evidence.transcript.entries, style);
    text
}

fn verdict(text: &mut String, cell: &CellRecord, style: Style) {
    let tone = match cell.rating {
        Rating::Works => Tone::Good,
        Rating::Degraded => Tone::Warning,
        Rating::Breaks => Tone::Bad,
        Rating::Skipped => Tone::Aside,
    };
    let silent = if cell.silent { ", silently" } else { "" };
    let _ = writeln!(text, "{}", style.paint(tone, &format!("{}{silent}: {}", cell.rating, cell.outcome)));
    let _ = writeln!(text, "{}\n", paragraph(&neutralised(&cell.reason), "", 0, style.width));
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{}", paragraph(&value, &format!("  {name:<11}"), 13, style.width));
    };
    line("negotiated", cell.negotiated.map_or_else(|| "nothing".to_owned(), |revision| revision.to_string()));
    line("expected", cell.expected.map_or_else(|| "nothing".to_owned(), |outcome: Outcome| outcome.to_string()));
    line("got", format!("{}: {}", cell.outcome, cell.outcome.meaning()));
    if let Some(radius) = cell.blast_radius {
        line("lost", radius.to_string());
    }
    if let Some(fault) = cell.fault {
        line("fault", fault.to_string());
    }
    if cell.vacuous {
        line("vacuous", "the client took a value that violates the schema too, so it checks nothing".to_owned());
    }
    for finding in &cell.findings {
        line(
            "rule",
            format!("{} ({} {}): {}", finding.rule, finding.party, finding.level, neutralised(&finding.detail)),
        );
        let messages: Vec<_> = finding.messages.iter().map(|seq| format!("#{seq}")).collect();
        line("", format!("{} {}", finding.source, messages.join(" ")));
    }
    if let Some(known) = &cell.known {
        line("known", neutralised(&known.reason));
    }
    text.push('\n');
}

fn seen(text: &mut String, observation: &Observation, style: Style) {
    let _ = writeln!(text, "{}", style.paint(Tone::Strong, "What the client's user saw"));
    for (place, seen) in observation.steps.iter().enumerate() {
        let line = clipped(&neutralised(&step(seen)), MESSAGE_SHOWN);
        let _ = writeln!(text, "{}", paragraph(&line, &format!("  step {:<3} ", place + 1), 11, style.width));
    }
    let _ = writeln!(text, "{}\n", paragraph(&neutralised(&end(&observation.end)), "  end      ", 11, style.width));
}

fn step(seen: &Seen) -> String {
    match seen {
        Seen::Listed { tools } => {
            let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
            format!("tools: {}", names.join(", "))
        }
        Seen::Called(result) => {
            let error = if result.is_error { "tool error; " } else { "" };
            let structured = result.structured.as_ref().map_or_else(
                || "no structured content".to_owned(),
                |value| format!("structured {}", value.to_compact()),
            );
            let content: Vec<String> = result.content.iter().map(Json::to_compact).collect();
            format!("{error}{structured}; content [{}]", content.join(", "))
        }
        Seen::Evolved { told } => {
            format!("the server changed its tools, {}", if *told { "and told the client" } else { "untold" })
        }
        Seen::Failed(error) => {
            let code = error.code.map(|code| format!(" {code}")).unwrap_or_default();
            format!("error in {}{code}: {}", error.layer, error.message)
        }
    }
}

fn end(end: &End) -> String {
    match end {
        End::Answered {} => "the client did its steps".to_owned(),
        End::NoSession(error) => format!("no session: {}", error.message),
        End::Unsupported { by, reason } => format!("the {by} does not support this: {reason}"),
        End::TimedOut { waiting_for, what } => format!("the {waiting_for} did not answer in time: {what}"),
        End::Crashed { who, how } => format!("the {who} crashed: {how}"),
        End::NotStarted { who, why } => format!("the {who} could not be started: {why}"),
        End::HarnessFailed { why } => format!("the harness failed: {why}"),
    }
}

fn wire(text: &mut String, entries: &[Entry], style: Style) {
    let _ = writeln!(text, "{}", style.paint(Tone::Strong, "The wire"));
    for entry in entries {
        let arrow = match entry.from {
            Role::Client => "client →",
            Role::Server => "server ←",
        };
        let first = format!("  #{:<3} {:>9}  {arrow} ", entry.seq, span(entry.at_us));
        let _ = writeln!(text, "{}", paragraph(&event(&entry.event), &first, 8, style.width));
    }
}

fn event(event: &Event) -> String {
    match event {
        Event::Message { raw, http } => {
            let head = http.as_ref().map(|head| format!("{} ", self::head(head))).unwrap_or_default();
            format!("{head}{}", self::raw(raw))
        }
        Event::Head { http } => head(http),
        Event::Overflow { limit, start } => format!("(more than {limit} bytes) {}", raw(start)),
        Event::Fetched { path } => format!("(fetched an address that a schema names: {})", neutralised(path)),
        Event::Closed {} => "(closed its side)".to_owned(),
        Event::Exited { how } => format!("(process ended: {})", neutralised(how)),
        Event::Stopped { stage } => format!("(had to be stopped: {stage:?})"),
    }
}

fn head(head: &Head) -> String {
    let start = match &head.start {
        Start::Request { method } => neutralised(method),
        Start::Response { status } => status.to_string(),
    };
    let headers: Vec<String> =
        head.headers.iter().map(|(name, value)| format!("{}: {}", neutralised(name), neutralised(value))).collect();
    format!("[{start} {}]", headers.join("; "))
}

fn raw(raw: &Raw) -> String {
    let text = match raw {
        Raw::Text(text) => neutralised(text),
        Raw::Base64(text) => format!("(bytes, base64) {text}"),
    };
    clipped(&text, MESSAGE_SHOWN)
}
