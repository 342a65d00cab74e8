//! Report of an audit for a terminal.

use mcp_compat_model::PeerId;
use mcp_compat_model::audit::{Audit, ProfileDifference, Severity};
use mcp_compat_model::invisible_chars::neutralised;
use textwrap::core::display_width;

use super::block::rows;
use super::cause::{Cause, causes};
use super::expected::{is_known, not_met};
use super::view::{
    CALL_ALL, Verdict, about_tools, call_all, counted_clients, cut_short, head, mark, named, short_notes, together,
    tool_lines, verdict, whose,
};
use super::{Options, clients};
use crate::hosts::of_server;
use crate::page::Page;
use crate::sdk;
use crate::style::{Style, Tone};
use crate::text::clipped;

/// Number of names in one line of a report.
const NAMES: usize = 8;

/// Maximum width of the column of tools.
const COLUMN: usize = 36;

/// Width of the labels of a cause.
const LABEL: usize = 11;

/// The audit, as text.
pub fn terminal(audit: &Audit, style: Style, options: Options<'_>) -> String {
    let causes = causes(audit);
    let mut page = Page::new(style);
    page.paragraph("", &page.paint(Tone::Strong, &head(audit)));
    for line in counted_clients(audit) {
        page.toned(Tone::Aside, "  ", &line);
    }
    for why in clients::not_started(audit) {
        page.toned(Tone::Warning, "  ", &why);
    }
    page.blank();
    tools(&mut page, audit, &causes);
    if let Some(command) = call_all(audit, options) {
        page.toned(Tone::Aside, "  ", CALL_ALL);
        page.line(&format!("    {}", neutralised(&command)));
    }
    for cause in causes.iter().filter(|cause| options.notes || cause.severity > Severity::Note) {
        if !is_known(cause, audit) {
            block(&mut page, cause, audit);
        }
    }
    for text in not_met(audit) {
        expectation(&mut page, text);
    }
    let short = short_notes(audit, &causes, options);
    if !short.is_empty() {
        page.blank();
        short.iter().for_each(|note| page.paragraph("- ", note));
    }
    if options.notes {
        notes(&mut page, audit);
    }
    if !audit.hosts.is_empty() {
        of_server(&mut page, &audit.hosts);
    }
    page.blank();
    if let Some(words) = together(audit) {
        page.paragraph("", &words);
        page.blank();
    }
    if let Some(words) = cut_short(audit) {
        page.toned(Tone::Warning, "", &words);
    }
    let Verdict { word, tone, text } = verdict(audit, &causes, options);
    page.paragraph(&format!("{}  ", page.paint(tone, word)), &text);
    page.finish()
}

fn tools(page: &mut Page, audit: &Audit, causes: &[Cause<'_>]) {
    let lines = tool_lines(audit, causes);
    let names: Vec<String> = lines.iter().map(|line| clipped(&line.name, COLUMN - 1)).collect();
    let column = names.iter().map(|name| display_width(name)).max().unwrap_or(0);
    for (line, name) in lines.iter().zip(&names) {
        let mark = page.paint(line.severity.into(), mark(line.severity));
        let blanks = " ".repeat(column - display_width(name));
        let first = if name.is_empty() { format!("  {mark} ") } else { format!("  {mark} {name}{blanks}  ") };
        page.paragraph(&first, &line.text);
        if let Some(option) = &line.option {
            page.line(&format!("      {option}"));
        }
    }
    for line in about_tools(audit) {
        page.toned(Tone::Aside, "  ", &line);
    }
}

fn block(page: &mut Page, cause: &Cause<'_>, audit: &Audit) {
    page.blank();
    let mark = page.paint(cause.severity.into(), mark(cause.severity));
    page.paragraph(&format!("{mark} "), &format!("{}{}", page.paint(Tone::Strong, &whose(cause)), cause.title()));
    for row in rows(cause, audit) {
        let label = page.paint(Tone::Aside, &format!("{:<LABEL$}", row.label));
        page.paragraph(&format!("    {label}"), &row.text);
    }
}

/// The message of a test that is about no loss.
fn expectation(page: &mut Page, text: &str) {
    page.blank();
    let mut lines = text.lines();
    let mark = page.paint(Tone::Bad, mark(Severity::Error));
    page.paragraph(&format!("{mark} "), &neutralised(lines.next().unwrap_or_default()));
    lines.for_each(|line| page.paragraph("    ", neutralised(line).trim_start()));
}

/// The clients, differences between real ones and the profiles of their release lines, and why revisions are not spoken.
fn notes(page: &mut Page, audit: &Audit) {
    let all: Vec<&PeerId> = audit.clients.iter().map(|client| &client.id).collect();
    page.blank();
    let is_of_models = audit.real_clients().next().is_none() && all.iter().any(|id| !id.is_mock());
    let what = if is_of_models { "tested with models of" } else { "tested with" };
    page.toned(Tone::Aside, "- ", &format!("{what} {}", sdk::names(all.iter().copied(), &all)));
    for refused in &audit.refused {
        page.blank();
        page.toned(Tone::Aside, "- ", &format!("not {}: {}", refused.revision, neutralised(&refused.why)));
    }
    let differences = clients::differences(audit);
    if differences.is_empty() {
        return;
    }
    page.blank();
    page.paragraph("- ", "real clients that differ from their profiles (the real client is counted)");
    for difference in differences {
        let ProfileDifference { real, emulated, .. } = difference.example;
        let tools = named(difference.tools.iter().copied(), NAMES);
        let [clients, profiles] = [&difference.clients, &difference.profiles]
            .map(|ids| ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(", "));
        let text = format!("{clients}: {}; {profiles}: {}", clients::result(real), clients::result(emulated));
        page.paragraph("    ", &text);
        page.toned(Tone::Aside, "      ", &format!("in {tools}"));
    }
}
