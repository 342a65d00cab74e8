//! Markdown: for a pull request, a release note or a page.

use std::fmt::Write as _;

use mcp_compat_model::cause::Cause;
use mcp_compat_model::record::Record;

use crate::text::{counted, neutralised, span, thousands};
use crate::view::{Matrix, Tally, View};

/// How many causes are told before the rest is only counted.
const CAUSES_TOLD: usize = 50;

/// The record as Markdown.
#[must_use]
pub fn render(record: &Record) -> String {
    let view = View::of(record);
    let mut text = String::from("# MCP structured output: which pairings break\n\n");
    let _ = writeln!(
        text,
        "{} × {} × {}: {} in {}, begun {}.\n",
        counted(record.scenarios.len(), "scenario"),
        counted(view.matrix.clients.len(), "client"),
        counted(view.matrix.servers.len(), "server"),
        counted(record.cells.len(), "cell"),
        span(record.duration_us),
        escaped(&record.started),
    );
    if !record.complete {
        text.push_str("**Incomplete: the run ended before every cell was played.**\n\n");
    }
    let total = view.total;
    let _ = writeln!(
        text,
        "**{} work, {} degrade, {} break** ({} of them silently, {} known); {} not supported.\n",
        thousands(total.works as u64),
        thousands(total.degraded as u64),
        thousands(total.breaks as u64),
        thousands(total.silent as u64),
        thousands(total.known as u64),
        thousands(total.skipped as u64),
    );
    matrix(&mut text, &view.matrix);
    causes(&mut text, "Breaks", &view.breaks);
    causes(&mut text, "Degraded", &view.degraded);
    if !record.stale.is_empty() {
        text.push_str("## Stale baseline entries\n\n");
        for entry in &record.stale {
            let _ = writeln!(text, "- {}", escaped(entry));
        }
    }
    text
}

fn matrix(text: &mut String, matrix: &Matrix<'_>) {
    text.push_str(
        "## Matrix\n\nEach cell is works/degraded/breaks; **!** marks silent breaks.\n\n| client \\\\ server |",
    );
    for server in &matrix.servers {
        let _ = write!(text, " {} |", escaped(server.as_str()));
    }
    let _ = writeln!(text, "\n|---|{}", "---:|".repeat(matrix.servers.len()));
    for client in &matrix.clients {
        let _ = write!(text, "| {} |", escaped(client.as_str()));
        for server in &matrix.servers {
            let _ = write!(text, " {} |", matrix.tally(client, server).map_or_else(String::new, entry));
        }
        text.push('\n');
    }
    text.push('\n');
}

fn entry(tally: Tally) -> String {
    if tally.judged() == 0 {
        return "n/a".to_owned();
    }
    let silent = if tally.silent > 0 { " **!**" } else { "" };
    format!("{}/{}/{}{silent}", tally.works, tally.degraded, tally.breaks)
}

fn causes(text: &mut String, title: &str, causes: &[Cause<'_>]) {
    if causes.is_empty() {
        return;
    }
    let _ = writeln!(text, "## {title}\n");
    for (number, cause) in causes.iter().take(CAUSES_TOLD).enumerate() {
        let cell = cause.example;
        let silent = if cause.is_silent() { "**silent** · " } else { "" };
        let fault = cell.fault.map(|fault| format!(" · fault: {fault}")).unwrap_or_default();
        let radius = cell.blast_radius.map(|radius| format!(" · lost: {radius}")).unwrap_or_default();
        let _ = writeln!(text, "{}. {}", number + 1, escaped(&cell.reason));
        let _ = writeln!(text, "   {silent}{}{fault}{radius} · {}  ", cell.outcome, counted(cause.cells.len(), "cell"));
        for finding in &cell.findings {
            let place = format!("{} ({} {})", finding.rule, finding.party, finding.level);
            let _ = writeln!(text, "   rule [{}]({})  ", escaped(&place), address(&finding.source));
        }
        let _ = writeln!(text, "   {}", code(&format!("mcp-compat show '{}'", cell.id)));
    }
    if causes.len() > CAUSES_TOLD {
        let _ = writeln!(text, "\nand {} more causes", causes.len() - CAUSES_TOLD);
    }
    text.push('\n');
}

/// Text that means only itself: every character that Markdown or HTML gives a meaning is escaped.
fn escaped(text: &str) -> String {
    let mut plain = String::new();
    for c in neutralised(text).chars() {
        match c {
            '<' => plain.push_str("&lt;"),
            '>' => plain.push_str("&gt;"),
            '&' => plain.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '~' | '!' | '@' => {
                plain.push('\\');
                plain.push(c);
            }
            c => plain.push(c),
        }
    }
    plain
}

/// A code span that nothing in the text can end.
fn code(text: &str) -> String {
    let text = neutralised(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    format!("{fence} {text} {fence}")
}

/// An address that cannot leave its parentheses.
fn address(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_graphic() && !"()<>".contains(*c)).collect()
}
