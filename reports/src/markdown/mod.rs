//! Markdown: for a pull request, a release note or a page.

pub(crate) mod escape;
mod parts;

use std::fmt::Write as _;

use mcp_compat_model::count::counted;
use mcp_compat_model::record::Record;

use self::escape::code;
use self::parts::{beside, causes, counts, ended, head, list, said};
use crate::missed::{MissedPairs, pairs};
use crate::view::{Matrix, Tally, View};

/// The record as Markdown.
#[must_use]
pub fn render(record: &Record) -> String {
    let view = View::of(record);
    let mut text = String::from("# Structured output: which pairings break\n\n");
    head(&mut text, &view);
    matrix(&mut text, &view.matrix);
    causes(&mut text, if view.total.known > 0 { "New breaks" } else { "Breaks" }, &view.breaks, &view);
    causes(&mut text, "Known breaks", &view.known, &view);
    causes(&mut text, "Degraded", &view.degraded, &view);
    list(
        &mut text,
        &format!("Missed revisions: {}", counted(pairs(&view.missed), "pair")),
        view.missed.iter().map(missed),
    );
    let vacuous = view.vacuous.iter().map(|(client, cells)| counts(*cells as u64, &code(client.as_str())));
    list(&mut text, "Vacuous: these cells pass, but the same client also accepts an invalid value", vacuous);
    beside(&mut text, &view);
    ended(text)
}

fn matrix(text: &mut String, matrix: &Matrix<'_>) {
    if matrix.clients.is_empty() {
        return;
    }
    if let Some(words) = matrix.too_large() {
        let _ = writeln!(text, "{words}\n");
        return;
    }
    text.push_str(
        "## Matrix\n\nClients down, servers across, works/degraded/breaks; **!** some break silently.\n\n| |",
    );
    for server in &matrix.servers {
        let _ = write!(text, " {} |", code(server.as_str()));
    }
    let _ = writeln!(text, "\n|---|{}", "---:|".repeat(matrix.servers.len()));
    for client in &matrix.clients {
        let _ = write!(text, "| {} |", code(client.as_str()));
        for server in &matrix.servers {
            let _ = write!(text, " {} |", matrix.tally(client, server).map_or_else(|| "-".to_owned(), entry));
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

/// Who could have spoken a newer revision with whom, and why they did not.
fn missed(missed: &MissedPairs<'_>) -> String {
    let servers: Vec<String> = missed.servers.iter().map(|server| code(server.as_str())).collect();
    format!("{} with {}: {}", code(missed.client.as_str()), servers.join(", "), said(&missed.why))
}
