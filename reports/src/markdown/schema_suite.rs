//! A run of the JSON Schema Test Suite: a table a draft, keywords down and clients across, and the disagreements.

use std::fmt::Write as _;

use mcp_compat_model::count::{counted, thousands};

use super::escape::{code, escaped};
use super::parts::{CAUSES_TOLD, beside, causes, ended, head, list, said};
use crate::command::{self, Origin};
use crate::schema_suite::{Count, Disagreement, SuiteResults, Table};
use crate::view::View;

/// The record of such a run.
pub(super) fn render(view: &View<'_>, results: &SuiteResults<'_>) -> String {
    let mut text = String::from("# JSON Schema Test Suite: how faithfully clients validate\n\n");
    head(&mut text, view);
    for table in &results.tables {
        write_table(&mut text, results, table);
    }
    let remote = results.clients.iter().zip(&results.totals).filter(|(_, count)| count.remote() > 0);
    let remote: Vec<String> = remote
        .map(|(client, count)| {
            format!("{}: {} refused, {} accepted", code(client.as_str()), count.remote_refused, count.remote_taken)
        })
        .collect();
    list(
        &mut text,
        "Need remote: their schemas refer to other documents, which a client must not fetch, so they are not judged",
        remote.into_iter(),
    );
    let credulous = results.credulous.iter();
    let credulous = credulous.map(|(client, taken)| format!("{}: {}", code(client.as_str()), counted(*taken, "value")));
    list(&mut text, "Validate nothing: they accepted every value that the suite calls invalid", credulous);
    disagreements(&mut text, results);
    let dissents = results.dissents.iter().map(|test| {
        let dissent = test.dissent.as_deref().unwrap_or_default();
        format!("{}: it says {}", code(test.scenario.as_str()), said(dissent))
    });
    list(&mut text, "The validator of mcp-compat is wrong; the suite is right", dissents);
    causes(&mut text, "Other breaks", &results.others(&view.breaks), view);
    causes(&mut text, "Other known breaks", &results.others(&view.known), view);
    beside(&mut text, view);
    ended(text)
}

fn write_table(text: &mut String, results: &SuiteResults<'_>, table: &Table) {
    let _ = write!(
        text,
        "## {}: {}\n\nOn how many tests the client agrees with the suite; where it does not always: agrees/is too \
         lax/is too strict.\n\n| |",
        table.draft,
        counted(table.tests, "test"),
    );
    for client in &results.clients {
        let _ = write!(text, " {} |", code(client.as_str()));
    }
    let _ = writeln!(text, "\n|---|{}", "---:|".repeat(results.clients.len()));
    for (keyword, row) in &table.rows {
        write_row(text, &escaped(keyword), row, agreed);
    }
    write_row(text, "**all**", &table.all, |count| format!("**{}**", agreed(count)));
    write_row(text, "need remote", &table.all, |count| thousands(count.remote() as u64));
    write_row(text, "not judged", &table.all, |count| thousands(count.unjudged as u64));
    text.push('\n');
}

fn write_row(text: &mut String, label: &str, row: &[Count], entry: impl Fn(&Count) -> String) {
    let entries: Vec<String> = row.iter().map(entry).collect();
    let _ = writeln!(text, "| {label} | {} |", entries.join(" | "));
}

fn agreed(count: &Count) -> String {
    match (count.judged(), count.lax, count.strict) {
        (0, _, _) => "-".to_owned(),
        (_, 0, 0) => count.agreed.to_string(),
        (_, lax, strict) => format!("{}/{lax}/{strict}", count.agreed),
    }
}

fn disagreements(text: &mut String, results: &SuiteResults<'_>) {
    let all = &results.disagreements;
    if all.is_empty() {
        return;
    }
    let _ = writeln!(text, "## Disagreements: {}\n", counted(all.len(), "test"));
    for (number, found) in all.iter().take(CAUSES_TOLD).enumerate() {
        disagreement(text, number + 1, found, results.folder);
    }
    if all.len() > CAUSES_TOLD {
        let _ = writeln!(text, "\nAnd {}.", counted(all.len() - CAUSES_TOLD, "more test"));
    }
    text.push('\n');
}

fn disagreement(text: &mut String, number: usize, found: &Disagreement<'_>, folder: &str) {
    let Disagreement { test, cells } = found;
    let Some(example) = cells.first() else { return };
    let how = if test.valid { "Too strict" } else { "Too lax" };
    let names = [test.keyword.as_str(), &test.group, &test.test].map(said).join(": ");
    let _ = writeln!(text, "{number}. **{how}**: {} {names}", test.draft);
    let mut clients: Vec<String> = cells.iter().map(|cell| code(cell.client.as_str())).collect();
    clients.dedup();
    let _ = writeln!(text, "    - {}: {}", if test.valid { "refused by" } else { "taken by" }, clients.join(", "));
    let _ = writeln!(text, "    - {}", code(&test.schema));
    let _ = writeln!(text, "    - {}", code(&command::again(example, Origin::Suite(folder)).to_string()));
}
