//! How faithfully each client validates: a table a draft, keywords down and clients across, and then each disagreement
//! with the suite once, with the command that plays it again.

use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::schema_suite::SuiteTest;
use mcp_compat_model::unseen::neutralised;

use super::cause;
use super::grid::{Entry, Grid, Layout, Row};
use super::parts::{more, not_played, stale, sum};
use crate::command::{self, Origin};
use crate::page::Page;
use crate::schema_suite::{Count, Disagreement, SuiteResults, TOLD, Table};
use crate::style::Tone;
use crate::text::{clipped, span};
use crate::view::View;

/// How many clients are named for one disagreement.
const CLIENTS_TOLD: usize = 6;

/// How much of a text from the suite or a peer is shown.
const WORDS_SHOWN: usize = 240;

/// What stands below the number of a disagreement.
const BELOW_NUMBER: &str = "     ";

/// The report of a run of the suite.
pub(super) fn write(page: &mut Page, view: &View<'_>, results: &SuiteResults<'_>) {
    head(page, view, results);
    for table in &results.tables {
        write_table(page, results, table);
    }
    remote(page, results);
    credulous(page, results);
    disagreements(page, results);
    dissents(page, results);
    let others = view.with_breaks(results.others(&view.breaks), results.others(&view.known));
    cause::breaks(page, &others);
    cause::known(page, &others);
    stale(page, view);
    not_played(page, view);
    sum(page, view);
}

fn head(page: &mut Page, view: &View<'_>, results: &SuiteResults<'_>) {
    let tests: Vec<String> =
        results.tables.iter().map(|table| format!("{} of {}", counted(table.tests, "test"), table.draft)).collect();
    let line = format!(
        "JSON Schema Test Suite: {} × {}: {} in {}",
        tests.join(" and "),
        counted(results.clients.len(), "client"),
        counted(view.record.cells.len(), "cell"),
        span(view.record.duration_us),
    );
    page.paragraph("", &line);
}

fn write_table(page: &mut Page, results: &SuiteResults<'_>, table: &Table) {
    page.heading(&format!("{}: {}", table.draft, counted(table.tests, "test")));
    let counts = || table.rows.iter().flat_map(|(_, row)| row);
    let mut legend = vec!["Keywords down, clients across: on how many tests the client agrees with the suite"];
    if counts().any(|count| count.lax + count.strict > 0) {
        legend.push("where it does not always: agrees/is too lax/is too strict");
    }
    if counts().any(|count| count.judged() == 0) {
        legend.push("- not judged");
    }
    page.toned(Tone::Aside, "", &legend.join("; "));
    page.blank();
    let row = |label, row: &[Count]| Row { label, part: None, entries: row.iter().map(agreed).collect() };
    let mut rows: Vec<Row<'_>> = table.rows.iter().map(|(keyword, counts)| row(keyword, counts)).collect();
    rows.push(row("all", &table.all));
    let part = |label, tone, of: fn(&Count) -> usize| {
        let entries = table.all.iter().map(|count| Entry::number(of(count), tone)).collect();
        Row { label, part: Some(tone), entries }
    };
    rows.push(part("need remote", Tone::Aside, |count| count.remote()));
    rows.push(part("not judged", Tone::Warning, |count| count.unjudged));
    let grid = Grid::new(&results.clients, rows);
    let layouts = [Layout::BESIDE, Layout::STAIRS];
    let layout = layouts.into_iter().find(|layout| grid.fits(*layout, page.width())).unwrap_or(Layout::TIGHT);
    grid.write(page, layout);
}

/// What is written where a keyword and a client meet.
fn agreed(count: &Count) -> Entry {
    if count.judged() == 0 {
        return Entry::toned("-".to_owned(), Tone::Aside);
    }
    match (count.lax, count.strict) {
        (0, 0) => Entry::toned(count.agreed.to_string(), Tone::Good),
        (lax, strict) => Entry::toned(format!("{}/{lax}/{strict}", count.agreed), Tone::Bad),
    }
}

/// What is counted for nobody, and what the clients did with it all the same.
fn remote(page: &mut Page, results: &SuiteResults<'_>) {
    if results.remote == 0 {
        return;
    }
    page.heading(&format!("Need remote: {}", counted(results.remote, "test")));
    page.toned(
        Tone::Aside,
        "  ",
        "The schemas of these tests refer to other documents, which a client must not fetch. So they are not judged. \
         Refusing such a schema is better than accepting every value.",
    );
    for (client, count) in results.clients.iter().zip(&results.totals).filter(|(_, count)| count.remote() > 0) {
        let (refused, taken) = (count.remote_refused, count.remote_taken);
        page.line(&format!("{refused:>8} refused, {taken} accepted by {client}"));
    }
}

/// Clients that accept everything: their tests are counted, not listed.
fn credulous(page: &mut Page, results: &SuiteResults<'_>) {
    if results.credulous.is_empty() {
        return;
    }
    page.heading(&format!("Validate nothing: {}", counted(results.credulous.len(), "client")));
    page.toned(
        Tone::Aside,
        "  ",
        "They accepted every value that the suite calls invalid. These tests are not listed one by one below, but a run \
         of a part of the suite lists them: --scenario 'draft2020-12/anyOf/*'.",
    );
    for (client, taken) in &results.credulous {
        let number = page.paint(Tone::Bad, &format!("{:>8}", thousands(*taken as u64)));
        page.line(&format!("{number} invalid values accepted by {client}"));
    }
}

fn disagreements(page: &mut Page, results: &SuiteResults<'_>) {
    let all = &results.disagreements;
    if all.is_empty() {
        return;
    }
    page.heading(&format!("Disagreements: {}", counted(all.len(), "test")));
    for (number, found) in all.iter().take(TOLD).enumerate() {
        disagreement(page, number + 1, found, results.folder);
        page.blank();
    }
    if let Some(untold @ [_, ..]) = all.get(TOLD..) {
        let words = format!(
            "and {}: run.json has them, and a part of the suite shows its own, as with --scenario '{}/{}/*'",
            counted(untold.len(), "more test"),
            untold[0].test.draft,
            neutralised(&untold[0].test.keyword),
        );
        page.toned(Tone::Aside, "  ", &words);
    }
}

/// Which test, who does what with it, where its schema stands, and the command that plays it again.
fn disagreement(page: &mut Page, number: usize, found: &Disagreement<'_>, folder: &str) {
    let Disagreement { test, cells } = found;
    let Some(example) = cells.iter().find(|cell| cell.is_new_break()).or_else(|| cells.first()) else { return };
    let number = page.paint(Tone::Strong, &format!("{number:>3}. "));
    let verdict = if test.valid { "TOO STRICT" } else { "TOO LAX" };
    let verdict = page.paint(Tone::Bad, verdict);
    page.paragraph(&number, &format!("{verdict} {}", said(&named(test))));
    let (word, done) = if test.valid { ("valid", "refused") } else { ("invalid", "taken") };
    page.toned(Tone::Aside, BELOW_NUMBER, &format!("{word}, and {done} by {}", clients(found)));
    if test.valid {
        page.toned(Tone::Aside, BELOW_NUMBER, &said(&example.reason));
    }
    page.line(&format!("{BELOW_NUMBER}{}", page.paint(Tone::Aside, &neutralised(&test.schema))));
    page.command(Some(Tone::Aside), BELOW_NUMBER, &command::again(example, Origin::Suite(folder)));
}

/// A test as the suite names it.
fn named(test: &SuiteTest) -> String {
    format!("{} {}: {}: {}", test.draft, test.keyword, test.group, test.test)
}

fn clients(found: &Disagreement<'_>) -> String {
    let mut clients: Vec<String> = Vec::new();
    for cell in &found.cells {
        let known = if cell.known.is_some() { " (known)" } else { "" };
        let name = format!("{}{known}", cell.client);
        if !clients.contains(&name) {
            clients.push(name);
        }
    }
    let untold = clients.len().saturating_sub(CLIENTS_TOLD);
    clients.truncate(CLIENTS_TOLD);
    if untold > 0 {
        clients.push(format!("{untold} more"));
    }
    clients.join(", ")
}

/// Where the harness itself is wrong about JSON Schema.
fn dissents(page: &mut Page, results: &SuiteResults<'_>) {
    if results.dissents.is_empty() {
        return;
    }
    page.heading(&format!("The validator of mcp-compat is wrong: {}", counted(results.dissents.len(), "test")));
    page.toned(Tone::Aside, "  ", "The suite is right. In these cells, fault and rules may name the wrong party.");
    for test in results.dissents.iter().take(TOLD) {
        let dissent = test.dissent.as_deref().unwrap_or_default();
        page.paragraph("  - ", &format!("{}: it says {}", said(&named(test)), said(dissent)));
    }
    more(page, results.dissents.len().saturating_sub(TOLD));
}

/// Text from outside, made harmless and not too long.
fn said(text: &str) -> String {
    clipped(&neutralised(text), WORDS_SHOWN)
}
