//! Report of an audit in Markdown: for a pull request, or to be committed with the server.

use std::fmt::Write as _;

use mcp_compat_model::audit::{Audit, AuditedTool, ProfileDifference, Severity};
use mcp_compat_model::count::counted;

use super::view::{
    Damage, Problem, View, beyond_tools, clients_of, cut_short, dates, in_one_line, missing_result, one_by_one,
    passed_over, state, sum, together, without_list,
};
use super::{OTHERS, Shown, clients, shown};
use crate::markdown::escape::{code, escaped, link, prose};
use crate::wording;

pub fn markdown(audit: &Audit) -> String {
    let view = View::of(audit);
    let mut text = String::new();
    head(&mut text, audit);
    tools(&mut text, audit);
    problems(&mut text, &view.problems);
    damages(&mut text, &view.damages);
    changes(&mut text, audit);
    since(&mut text, audit);
    profiles(&mut text, audit);
    text
}

/// Writes the first release of each SDK that accepts what other clients lose tools for.
fn since(text: &mut String, audit: &Audit) {
    if audit.takers.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n## Which SDK releases accept the tools as they are\n");
    for taker in &audit.takers {
        let tools = codes(taker.tools.iter().map(String::as_str));
        let _ = writeln!(
            text,
            "- {} ({tools}): {} {}",
            code(&taker.rule),
            clients::releases(taker),
            clients::evidence(taker)
        );
    }
}

fn head(text: &mut String, audit: &Audit) {
    let name = if audit.server.name.is_empty() { "a server without a name" } else { &audit.server.name };
    let title = format!("{} {}", escaped(name), escaped(&audit.server.version));
    let _ = writeln!(text, "# Audit of {}\n", title.trim_end());
    let _ = writeln!(text, "{}.\n", prose(&sum(audit)));
    if let Some(words) = cut_short(audit) {
        let _ = writeln!(text, "**{}**\n", prose(&words));
    }
    let _ = writeln!(text, "Over {}, it speaks {}.", audit.server.transport, dates(&audit.spoken));
    for refused in &audit.refused {
        let _ = writeln!(text, "\nIt does not speak {}: {}", refused.revision, prose(&refused.why));
    }
    if let Some(names) = clients::names(audit) {
        let _ = writeln!(text, "\nPlayed to these real clients: {names}.");
    }
    for why in clients::not_started(audit) {
        let _ = writeln!(text, "\n{}", prose(&why));
    }
}

fn tools(text: &mut String, audit: &Audit) {
    let (listed, plain) = one_by_one(audit);
    let _ = writeln!(text, "\n## Tools");
    if let Some(plain) = in_one_line(audit, &plain) {
        let _ = writeln!(text, "\n{}.", prose(&plain));
    }
    let Shown { alone: listed, rest } = shown(&listed, audit);
    if !listed.is_empty() {
        let _ = writeln!(text, "\n| tool | clients | seen |\n|---|---|---|");
    }
    let without_list = without_list(audit);
    for tool in listed {
        let clients = clients_of(tool, audit, &without_list);
        let _ = writeln!(text, "| {} | {clients} | {} |", cell(&tool.name), seen(tool));
    }
    for line in rest {
        let _ = writeln!(text, "\n{}.", prose(&line));
    }
    if let Some(words) = passed_over(audit) {
        let _ = writeln!(text, "\n{words}.");
    }
    if let Some(beyond) = beyond_tools(audit) {
        let _ = writeln!(text, "\n{beyond}");
    }
}

fn seen(tool: &AuditedTool) -> String {
    match missing_result(tool) {
        None => state(tool),
        Some((why, None)) => words(&why),
        Some((why, Some(option))) => format!("{}; {}", words(&why), cell(option)),
    }
}

/// A code span in a table, where a bar would end the cell.
fn cell(text: &str) -> String {
    if text.contains('|') { escaped(text) } else { code(text) }
}

/// Words with names in code marks, in a table.
fn words(text: &str) -> String {
    if text.contains('|') { escaped(text) } else { prose(text) }
}

fn problems(text: &mut String, problems: &[Problem<'_>]) {
    if problems.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n## What is wrong");
    for Problem { example, tools, more, at } in problems {
        let _ = writeln!(text, "\n### {}: {}\n", example.severity, escaped(&example.rule));
        let _ = writeln!(text, "{}.", prose(&example.detail));
        if !tools.is_empty() {
            let _ = writeln!(text, "\n- violated by {}", codes(tools.iter().copied()));
        } else {
            text.push('\n');
        }
        if *more > 0 {
            let _ = writeln!(text, "- and {} of this rule", counted(*more, "more finding"));
        }
        if !at.is_empty() {
            let _ = writeln!(text, "- at {}", dates(at));
        }
        if let Some(source) = &example.source {
            let _ = writeln!(text, "- {}", link("the specification", source));
        }
        if let Some(wire) = &example.wire {
            let _ = writeln!(text, "- on the wire: {}", code(wire));
        }
    }
}

fn damages(text: &mut String, damages: &[Damage<'_>]) {
    if damages.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n## Who loses what\n");
    for damage in damages.iter().take(OTHERS) {
        let Damage { example, tools, clients, at } = damage;
        let mark = if example.severity() == Severity::Error { "**" } else { "" };
        let lose = if clients.len() == 1 { "loses" } else { "lose" };
        let silent = if example.silent { " without an error" } else { "" };
        let _ = writeln!(text, "1. {mark}{} {lose} {}{silent}{mark}", counted(clients.len(), "client"), damage.words());
        let _ = writeln!(text, "   - {}", prose(&example.reason));
        let fault = example.fault.map_or(String::new(), |fault| format!(", to fix: {}", wording::to_fix(fault)));
        let on = if at.is_empty() { String::new() } else { format!(", at {}", dates(at)) };
        let _ = writeln!(text, "   - {}{fault}{on}", example.outcome);
        if !tools.is_empty() {
            let _ = writeln!(text, "   - tools: {}", codes(tools.iter().copied()));
        }
        let clients: Vec<String> = clients.iter().map(|client| code(client.as_str())).collect();
        let _ = writeln!(text, "   - {}", clients.join(", "));
    }
    if damages.len() > OTHERS {
        let _ = writeln!(text, "\nAnd {} of losses.", counted(damages.len() - OTHERS, "more group"));
    }
}

/// Names in code marks, the first of many.
fn codes<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let shown: Vec<String> = names.iter().take(OTHERS).map(|name| code(name)).collect();
    match names.len().saturating_sub(OTHERS) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn changes(text: &mut String, audit: &Audit) {
    if audit.changes.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n## What to change\n\nThe change that fixes most clients comes first. Each change was played again with every \
         client.\n"
    );
    for change in &audit.changes {
        let tools = codes(change.tools.iter().map(String::as_str));
        let about = if tools.is_empty() { String::new() } else { format!(": {tools}") };
        let _ = writeln!(text, "1. {}{about}", prose(&change.what));
        if !change.frees.is_empty() {
            let ids: Vec<String> = change.frees.iter().map(|client| code(client.as_str())).collect();
            let _ = writeln!(text, "   - fixes {}: {}", counted(change.frees.len(), "client"), ids.join(", "));
        }
    }
    if let Some(together) = together(audit, code) {
        let _ = writeln!(text, "\n{together}.");
    }
}

/// Writes the differences between real clients and the profiles of their release lines.
fn profiles(text: &mut String, audit: &Audit) {
    if audit.profile_differences.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n## Where a real client differs from its profile\n\nThe real client is counted.\n");
    for difference in clients::differences(audit) {
        let ProfileDifference { real, emulated, .. } = difference.example;
        let [clients, profiles] = [&difference.clients, &difference.profiles]
            .map(|ids| ids.iter().map(|id| code(id.as_str())).collect::<Vec<_>>().join(", "));
        let [real, emulated] = [real, emulated].map(|result| escaped(&clients::result(result)));
        let _ = writeln!(text, "- {clients}: {real}; {profiles}: {emulated}");
        let _ = writeln!(text, "  - tools: {}", codes(difference.tools.iter().copied()));
    }
}
