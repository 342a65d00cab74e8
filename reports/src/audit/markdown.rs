//! Report of an audit in Markdown: for a pull request, or to be committed with the server. The order and the words are
//! those of the terminal.

use std::fmt::Write as _;

use mcp_compat_model::audit::{Audit, ProfileDifference, Severity};

use super::block::rows;
use super::cause::{Cause, causes};
use super::expected::{is_known, not_met};
use super::view::{
    CALL_ALL, Verdict, about_tools, call_all, counted_clients, cut_short, head, mark, short_notes, together,
    tool_lines, verdict,
};
use super::{Options, clients};
use crate::hosts::of_server_in_markdown;
use crate::markdown::escape::{code, escaped, prose};
use crate::text::first_of;

/// Number of names in a line.
const NAMES: usize = 20;

/// The audit, as Markdown.
pub fn markdown(audit: &Audit, options: Options<'_>) -> String {
    let causes = causes(audit);
    let mut text = String::new();
    let _ = writeln!(text, "# Audit of {}", escaped(&head(audit)));
    let aside: Vec<String> = counted_clients(audit).into_iter().chain(clients::not_started(audit)).collect();
    for line in aside {
        let _ = writeln!(text, "\n{}.", prose(&line));
    }
    tools(&mut text, audit, &causes);
    if let Some(command) = call_all(audit, options) {
        let _ = writeln!(text, "\n{CALL_ALL} {}", code(&command));
    }
    for cause in causes.iter().filter(|cause| options.notes || cause.severity > Severity::Note) {
        if !is_known(cause, audit) {
            block(&mut text, cause, audit);
        }
    }
    for message in not_met(audit) {
        let (first, rest) = message.split_once('\n').unwrap_or((message, ""));
        let _ = writeln!(text, "\n## {} {}\n", mark(Severity::Error), prose(first));
        rest.lines().for_each(|line| _ = writeln!(text, "- {}", prose(line.trim_start())));
    }
    let short = short_notes(audit, &causes, options);
    if !short.is_empty() {
        text.push('\n');
        short.iter().for_each(|note| _ = writeln!(text, "- {}", prose(note)));
    }
    if let Some(words) = together(audit) {
        let _ = writeln!(text, "\n{words}.");
    }
    if options.notes {
        profiles(&mut text, audit);
    }
    if !audit.hosts.is_empty() {
        text.push_str(&of_server_in_markdown(&audit.hosts));
    }
    if let Some(words) = cut_short(audit) {
        let _ = writeln!(text, "\n**{}**", prose(&words));
    }
    let Verdict { word, text: words, .. } = verdict(audit, &causes, options);
    let _ = writeln!(text, "\n**{word}** {}", prose(&words));
    text
}

fn tools(text: &mut String, audit: &Audit, causes: &[Cause<'_>]) {
    let lines = tool_lines(audit, causes);
    if !lines.is_empty() {
        text.push('\n');
    }
    for line in lines {
        let name = match &line.name[..] {
            "" => String::new(),
            number if line.is_number => format!("{number}: "),
            name => format!("{}: ", code(name)),
        };
        let option = line.option.map(|option| format!("; {}", code(&option))).unwrap_or_default();
        let mark = if line.severity == Severity::Note { "" } else { mark(line.severity) };
        let _ =
            writeln!(text, "- {}{}{name}{}{option}", mark, if mark.is_empty() { "" } else { " " }, prose(&line.text));
    }
    for line in about_tools(audit) {
        let _ = writeln!(text, "\n{}", prose(&line));
    }
}

fn block(text: &mut String, cause: &Cause<'_>, audit: &Audit) {
    let whose = if cause.tools.is_empty() { String::new() } else { format!("{}: ", codes(&cause.tools)) };
    let _ = writeln!(text, "\n## {} {whose}{}\n", mark(cause.severity), prose(&cause.title()));
    let mut label = "";
    for row in rows(cause, audit) {
        label = if row.label.is_empty() { label } else { row.label };
        let words = if row.is_code { code(&row.text) } else { prose(&row.text) };
        let _ = writeln!(text, "- {label}: {words}");
    }
    let sources = cause.findings.iter().filter_map(|finding| finding.source.as_deref());
    let mut known = Vec::new();
    for source in sources {
        if !known.contains(&source) {
            known.push(source);
            let _ = writeln!(text, "- {}", crate::markdown::escape::link("the specification", source));
        }
    }
}

/// Names in code marks, the first of many.
fn codes(names: &[&str]) -> String {
    first_of(&names.iter().map(|name| code(name)).collect::<Vec<_>>(), NAMES)
}

/// Writes the differences between real clients and the profiles of their release lines.
fn profiles(text: &mut String, audit: &Audit) {
    if audit.profile_differences.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n## Real clients that differ from their profiles\n\nThe real client is counted.\n");
    for difference in clients::differences(audit) {
        let ProfileDifference { real, emulated, .. } = difference.example;
        let [clients, profiles] = [&difference.clients, &difference.profiles]
            .map(|ids| ids.iter().map(|id| code(id.as_str())).collect::<Vec<_>>().join(", "));
        let [real, emulated] = [real, emulated].map(|result| escaped(&clients::result(result)));
        let _ = writeln!(text, "- {clients}: {real}; {profiles}: {emulated}");
        let _ = writeln!(text, "  - tools: {}", codes(&difference.tools));
    }
}
