//! Report of an audit for a terminal: the server, its tools, problems, losses and changes.

use std::collections::BTreeSet;

use mcp_compat_model::PeerId;
use mcp_compat_model::audit::{Audit, AuditedTool, CallState, ProfileDifference, Severity};
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::invisible_chars::neutralised;
use textwrap::core::display_width;

use super::view::{
    Damage, Problem, View, beyond_tools, clients_of, could_call_all, cut_short, dates, in_one_line, missing_result,
    named, one_by_one, passed_over, state, sum, together, without_list,
};
use super::{OTHERS, Shown, clients, more, shown};
use crate::page::Page;
use crate::style::{Style, Tone};
use crate::text::clipped;
use crate::wording;

/// Number of names in one line of a report.
const NAMES: usize = 8;

/// Number of characters of a message that are shown.
const WIRE: usize = 160;

/// Maximum width of the column of tools.
const COLUMN: usize = 36;

/// The audit, as text.
pub fn terminal(audit: &Audit, style: Style) -> String {
    let view = View::of(audit);
    let mut page = Page::new(style);
    head(&mut page, audit);
    tools(&mut page, audit);
    problems(&mut page, &view.problems);
    damages(&mut page, &view.damages);
    unknown(&mut page, audit);
    changes(&mut page, audit);
    since(&mut page, audit);
    profiles(&mut page, audit);
    page.blank();
    if let Some(words) = cut_short(audit) {
        page.toned(Tone::Warning, "", &words);
    }
    let tone = match audit.worst() {
        Some(Severity::Error) => Tone::Bad,
        Some(Severity::Warning) => Tone::Warning,
        Some(Severity::Note) | None if audit.cut_short.is_some() => Tone::Warning,
        Some(Severity::Note) | None => Tone::Good,
    };
    page.toned(tone, "", &sum(audit));
    page.finish()
}

fn head(page: &mut Page, audit: &Audit) {
    let server = &audit.server;
    let name = if server.name.is_empty() { "a server without a name" } else { &server.name };
    let title = format!("{} {}", neutralised(name), neutralised(&server.version));
    page.line(&format!("{} over {}", page.paint(Tone::Strong, title.trim_end()), server.transport));
    page.paragraph("speaks   ", &dates(&audit.spoken));
    for refused in &audit.refused {
        page.toned(Tone::Aside, "but not  ", &format!("{}: {}", refused.revision, neutralised(&refused.why)));
    }
    real(page, audit);
}

/// The real clients, and those that could not be started.
fn real(page: &mut Page, audit: &Audit) {
    if let Some(names) = clients::names(audit) {
        page.paragraph("clients  ", &names);
    }
    for why in clients::not_started(audit) {
        page.toned(Tone::Warning, "but not  ", &why);
    }
}

/// Writes the first release of each SDK that accepts what other clients lose tools for.
fn since(page: &mut Page, audit: &Audit) {
    if audit.takers.is_empty() {
        return;
    }
    page.heading("Which SDK releases accept the tools as they are");
    for taker in &audit.takers {
        let tools = named(taker.tools.iter().map(String::as_str), NAMES);
        page.paragraph("  ", &format!("{} ({tools}): {}", taker.rule, clients::releases(taker)));
        page.toned(Tone::Aside, "    ", &clients::evidence(taker));
    }
}

/// Writes the differences between real clients and the profiles of their release lines.
fn profiles(page: &mut Page, audit: &Audit) {
    if audit.profile_differences.is_empty() {
        return;
    }
    page.heading("Where a real client differs from its profile (the real client is counted)");
    for difference in clients::differences(audit) {
        let ProfileDifference { real, emulated, .. } = difference.example;
        let tools = named(difference.tools.iter().copied(), NAMES);
        let [clients, profiles] = [&difference.clients, &difference.profiles]
            .map(|ids| ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(", "));
        page.paragraph(
            "  ",
            &format!("{clients}: {}; {profiles}: {}", clients::result(real), clients::result(emulated)),
        );
        page.toned(Tone::Aside, "    ", &format!("in {tools}"));
    }
}

fn tools(page: &mut Page, audit: &Audit) {
    let called = audit.tools.iter().filter(|tool| matches!(tool.call, CallState::Answered { .. })).count();
    let (tools, called) = (counted(audit.tools.len(), "tool"), thousands(called as u64));
    let title = format!("{tools}, {called} called successfully");
    page.heading(&title);
    let (listed, plain) = one_by_one(audit);
    let Shown { alone: listed, rest } = shown(&listed, audit);
    let names: Vec<String> = listed.iter().map(|tool| clipped(&neutralised(&tool.name), COLUMN - 1)).collect();
    let column = names.iter().map(|name| display_width(name)).max().unwrap_or(0);
    if let Some(plain) = in_one_line(audit, &plain) {
        page.paragraph("  ", &plain);
    }
    let without_list = without_list(audit);
    for (tool, name) in listed.iter().zip(&names) {
        let blanks = " ".repeat(column - display_width(name));
        page.paragraph(&format!("  {name}{blanks}  "), &fares(page, tool, audit, &without_list));
    }
    for line in rest {
        page.paragraph("  ", &line);
    }
    if let Some(words) = passed_over(audit) {
        let tone = if audit.tool_limit.is_some() { Tone::Warning } else { Tone::Aside };
        page.toned(tone, "  ", &words);
    }
    if let Some(beyond) = beyond_tools(audit) {
        page.paragraph("  ", beyond);
    }
}

fn fares(page: &Page, tool: &AuditedTool, audit: &Audit, without_list: &BTreeSet<&PeerId>) -> String {
    let answered = matches!(tool.call, CallState::Answered { .. });
    let tone = match (tool.fine == audit.in_session(), answered && !tool.unchecked) {
        (true, true) => Tone::Good,
        (true, false) => Tone::Aside,
        (false, _) if tool.losses.is_empty() && tool.not_known + tool.not_played > 0 => Tone::Aside,
        (false, _) => Tone::Bad,
    };
    format!("{}; {}", page.paint(tone, &clients_of(tool, audit, without_list)), state(tool))
}

fn problems(page: &mut Page, problems: &[Problem<'_>]) {
    if problems.is_empty() {
        return;
    }
    page.heading("What is wrong");
    for Problem { example, tools, more, at } in problems {
        let tone = Tone::from(example.severity);
        let severity = page.paint(tone, &format!("{:<8}", example.severity.as_str()));
        let at = if at.is_empty() { String::new() } else { format!(", at {}", dates(at)) };
        page.paragraph(&format!("  {severity}"), &format!("{}{at}", example.rule));
        page.paragraph("          ", &neutralised(&example.detail));
        if let Some(whose) = whose(tools, &example.detail) {
            page.paragraph("          ", &whose);
        }
        if *more > 0 {
            page.paragraph("          ", &format!("and {} of this rule", counted(*more, "more finding")));
        }
        if let Some(wire) = &example.wire {
            let wire = clipped(&neutralised(wire), WIRE);
            page.toned(Tone::Aside, "          ", &wire);
        }
        if let Some(source) = &example.source {
            // An address that is broken over two lines opens nothing.
            page.line(&format!("          {}", page.paint(Tone::Aside, source)));
        }
    }
}

/// Names the tools that violate a rule, except the first if the detail of the finding names it.
fn whose(tools: &[&str], detail: &str) -> Option<String> {
    let (first, others) = tools.split_first()?;
    let is_named = detail.contains(&format!("`{first}`"));
    let of_first = (!is_named).then(|| format!("in {}", named([*first], NAMES)));
    let of_others = (!others.is_empty()).then(|| {
        let many = counted(others.len(), "other tool");
        format!("also violated by {many}: {}", named(others.iter().copied(), NAMES))
    });
    let parts: Vec<String> = of_first.into_iter().chain(of_others).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn damages(page: &mut Page, damages: &[Damage<'_>]) {
    if damages.is_empty() {
        return;
    }
    page.heading("Who loses what");
    for (place, damage) in damages.iter().enumerate().take(OTHERS) {
        let Damage { example, tools, clients, at } = damage;
        let silent = if example.silent { " without an error" } else { "" };
        let of = if tools.is_empty() { String::new() } else { format!(" ({})", named(tools.iter().copied(), NAMES)) };
        let many = counted(clients.len(), "client");
        let lose = if clients.len() == 1 { "loses" } else { "lose" };
        let title = format!("{many} {lose} {}{silent}{of}", damage.words());
        let tone = Tone::from(example.severity());
        page.toned(tone, &format!("{:>3}. ", place + 1), &title);
        page.paragraph("     ", &neutralised(&example.reason));
        let fault = example.fault.map_or(String::new(), |fault| format!(" · to fix: {}", wording::to_fix(fault)));
        let on = if at.is_empty() { String::new() } else { format!(" · at {}", dates(at)) };
        page.toned(Tone::Aside, "     ", &format!("{}{fault}{on}", example.outcome));
        let ids: Vec<&str> = clients.iter().map(|client| client.as_str()).collect();
        page.toned(Tone::Aside, "     ", &ids.join(", "));
    }
    if damages.len() > OTHERS {
        page.paragraph("     ", &format!("and {} of losses", counted(damages.len() - OTHERS, "more group")));
    }
}

fn unknown(page: &mut Page, audit: &Audit) {
    let (listed, _) = one_by_one(audit);
    let missing: Vec<_> = listed.into_iter().filter_map(|tool| Some((tool, missing_result(tool)?))).collect();
    if missing.is_empty() {
        return;
    }
    page.heading("Results not seen");
    let more_tools = missing.len().saturating_sub(OTHERS);
    let could_call_more = missing.iter().skip(OTHERS).any(|(_, (_, option))| option.is_some());
    for (tool, (why, option)) in missing.into_iter().take(OTHERS) {
        page.paragraph(&format!("  {}  ", neutralised(&tool.name)), &why);
        if let Some(option) = option {
            page.line(&format!("      {}", neutralised(option)));
        }
    }
    if more_tools > 0 {
        let advice = if could_call_more { "; --calls FILE gives arguments for many tools" } else { "" };
        page.paragraph("  ", &format!("and {}{advice}", more(more_tools)));
    }
    if could_call_all(audit) {
        page.paragraph("  ", "If calling your tools does no harm, call all that are not marked destructive:");
        page.line("      --call '*' --guess");
    }
}

fn changes(page: &mut Page, audit: &Audit) {
    if audit.changes.is_empty() {
        return;
    }
    page.heading("What to change, the change that fixes most clients first");
    for (place, change) in audit.changes.iter().enumerate() {
        let tools = change.tools.iter().map(String::as_str);
        let about = if change.tools.is_empty() { String::new() } else { format!(" ({})", named(tools, NAMES)) };
        page.paragraph(&format!("{:>3}. ", place + 1), &format!("{}{about}", neutralised(&change.what)));
        if !change.frees.is_empty() {
            let ids: Vec<&str> = change.frees.iter().map(|client| client.as_str()).collect();
            let fixes = format!("fixes {}: {}", counted(change.frees.len(), "client"), ids.join(", "));
            page.toned(Tone::Good, "     ", &fixes);
        }
    }
    if let Some(together) = together(audit, str::to_owned) {
        page.toned(Tone::Good, "  ", &together);
    }
}
