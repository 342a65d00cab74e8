//! A server, as the models of hosts see it: the part of an audit.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use mcp_compat_model::excerpt::quoted;
use mcp_compat_model::host_view::{AnswerKind, HostTool, HostView};
use mcp_compat_model::invisible_chars::neutralised;

use super::reading::Reading;
use super::{meanings, name, revision, table};
use crate::markdown::escape::{code, escaped, prose};
use crate::page::Page;
use crate::style::Tone;
use crate::text::{clipped, first_of};

/// Title of the part.
const TITLE: &str = "What the models of hosts read";

/// Maximum width of the names of tools.
const COLUMN: usize = 30;

/// Number of tools that a sentence names.
const NAMED: usize = 3;

/// Adds what each model is offered and reads: first what goes wrong, then the table.
pub(crate) fn of_server(page: &mut Page, views: &[HostView]) {
    page.blank();
    page.paragraph("", &page.paint(Tone::Strong, TITLE));
    for line in losses(views) {
        page.paragraph("  ", &line);
    }
    let rows = rows(views);
    if rows.is_empty() {
        return;
    }
    let names: Vec<&str> = views.iter().map(|view| column_name(views, view)).collect();
    let revisions: Vec<String> = views.iter().map(|view| revision(view.negotiated)).collect();
    table(page, "Tool", &names, &rows, &revisions);
    page.blank();
    meanings(page, |word| rows.iter().any(|(_, readings)| readings.iter().any(|read| read.word() == word)));
}

/// Writes the same part in Markdown.
pub(crate) fn of_server_in_markdown(views: &[HostView]) -> String {
    let mut text = format!("\n## {TITLE}\n\n");
    losses(views).iter().for_each(|line| _ = writeln!(text, "- {}", prose(line)));
    let rows = rows(views);
    if rows.is_empty() {
        return text;
    }
    let heads: String = views.iter().map(|view| format!(" {} |", escaped(view.host.as_str()))).collect();
    let _ = writeln!(text, "\n| tool |{heads}\n|---|{}", "---|".repeat(views.len()));
    for (tool, readings) in rows {
        let words: String = readings.iter().map(|reading| format!(" {} |", reading.word())).collect();
        let _ = writeln!(text, "| {} |{words}", code(&tool));
    }
    text
}

/// Each tool with what the models read of it.
fn rows(views: &[HostView]) -> Vec<(String, Vec<Reading>)> {
    let row = |tool: &str| {
        let readings = views.iter().map(|view| reading(view, tool));
        (clipped(&neutralised(tool), COLUMN), readings.collect())
    };
    tools(views).into_iter().map(row).collect()
}

/// The name of a host, with its release where another one of it is there.
fn column_name<'v>(views: &[HostView], view: &'v HostView) -> &'v str {
    let short = name(&view.host);
    let is_alone = views.iter().filter(|other| name(&other.host) == short).count() == 1;
    if is_alone { short } else { view.host.as_str() }
}

/// The tools that any host was played, in the order of the server.
fn tools(views: &[HostView]) -> Vec<&str> {
    let longest = views.iter().max_by_key(|view| view.tools.len());
    longest.into_iter().flat_map(|view| &view.tools).map(|tool| tool.tool.as_str()).collect()
}

fn reading(view: &HostView, tool: &str) -> Reading {
    if view.error.is_some() {
        return if view.negotiated.is_some() { Reading::Ends } else { Reading::NoSession };
    }
    let Some(tool) = view.tools.iter().find(|known| known.tool == tool) else { return Reading::Untested };
    if tool.refused.is_some() {
        return Reading::Refused;
    }
    match tool.offered {
        None => Reading::Untested,
        Some(true) => of_tool(tool),
        Some(false) if view.tools.iter().any(|tool| tool.offered == Some(true)) => Reading::NoTool,
        Some(false) => Reading::NoTools,
    }
}

fn of_tool(tool: &HostTool) -> Reading {
    let Some(result) = &tool.result else { return Reading::Offered };
    match (result.answer, Reading::of_outcome(result.outcome)) {
        (AnswerKind::Text, Reading::Value) => Reading::AllText,
        (AnswerKind::Value | AnswerKind::Text | AnswerKind::Error | AnswerKind::Invalid, read) => read,
    }
}

/// A sentence for each thing that goes wrong, with the hosts.
fn losses(views: &[HostView]) -> Vec<String> {
    let mut by_tools: BTreeMap<(Reading, Vec<&str>), Vec<&str>> = BTreeMap::new();
    for view in views {
        let mut by_reading: BTreeMap<Reading, Vec<&str>> = BTreeMap::new();
        for tool in &view.tools {
            by_reading.entry(reading(view, &tool.tool)).or_default().push(&tool.tool);
        }
        for (read, tools) in by_reading.into_iter().filter(|(read, _)| read.loses().is_some()) {
            by_tools.entry((read, tools)).or_default().push(column_name(views, view));
        }
    }
    let not_asked = views.iter().filter_map(|view| {
        let error = view.error.as_deref()?;
        Some(format!("{}: the host sent its model no request ({})", view.host, neutralised(error)))
    });
    let lost = by_tools.into_iter().filter_map(|((read, tools), hosts)| {
        let which: Vec<String> = tools.iter().map(|tool| quoted(tool)).collect();
        Some(format!("{}: {}", hosts.join(", "), read.loses()?.replace("{tools}", &first_of(&which, NAMED))))
    });
    let lines: Vec<String> = not_asked.chain(lost).collect();
    if !lines.is_empty() {
        return lines;
    }
    let readings: Vec<Reading> =
        views.iter().flat_map(|view| view.tools.iter().map(|tool| reading(view, &tool.tool))).collect();
    let is_read = |read: &Reading| matches!(read, Reading::Value | Reading::AllText | Reading::Text | Reading::Told);
    let sentence = if readings.is_empty() {
        "The audit has no tool that could be played to hosts."
    } else if readings.iter().all(is_read) {
        "Every model is offered every tool, and reads every result."
    } else {
        "No loss was seen. What models read of tools marked `offered` or `-` is not known."
    };
    vec![sentence.to_owned()]
}
