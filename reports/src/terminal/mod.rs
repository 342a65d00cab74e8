//! Report of a run for a terminal: what was played, the matrix, each cause once, what was not played, and the sum at
//! the end.

mod cause;
mod grid;
mod matrix;

use mcp_compat_model::Transport;
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::Record;

use crate::missed::{MissedPairs, pairs};
use crate::page::Page;
use crate::style::{Style, Tone};
use crate::text::{clipped, doing, span};
use crate::view::View;

/// Number of groups of pairs that missed a revision that are listed.
const MISSED_SHOWN: usize = 20;

/// Renders the report.
pub fn render(record: &Record, style: Style) -> String {
    let view = View::of(record);
    let mut page = Page::new(style);
    head(&mut page, &view);
    matrix::write(&mut page, &view.matrix);
    cause::breaks(&mut page, &view);
    cause::known(&mut page, &view);
    cause::degraded(&mut page, &view);
    missed(&mut page, &view);
    vacuous(&mut page, &view);
    stale(&mut page, &view);
    not_played(&mut page, &view);
    sum(&mut page, &view);
    page.finish()
}

fn head(page: &mut Page, view: &View<'_>) {
    let record = view.record;
    if record.cells.is_empty() {
        return;
    }
    let transports: Vec<&str> = view.transports.iter().copied().map(Transport::as_str).collect();
    let line = format!(
        "{} × {} × {} over {}: {} in {}",
        counted(view.scenarios, "scenario"),
        counted(view.matrix.clients.len(), "client"),
        counted(view.matrix.servers.len(), "server"),
        transports.join(", "),
        counted(record.cells.len(), "cell"),
        span(record.duration_us),
    );
    page.paragraph("", &line);
}

/// Writes the pairs that missed a revision, with the reasons.
fn missed(page: &mut Page, view: &View<'_>) {
    if view.missed.is_empty() {
        return;
    }
    page.heading(&format!("Missed revisions: {}", counted(pairs(&view.missed), "pair")));
    page.toned(Tone::Aside, "  ", "Both peers support a newer revision than the one they use together.");
    for MissedPairs { client, servers, why } in view.missed.iter().take(MISSED_SHOWN) {
        let servers: Vec<&str> = servers.iter().map(|server| server.as_str()).collect();
        page.paragraph("  ", &format!("{client} with {}: {}", servers.join(", "), clipped(why, REASON_SHOWN)));
    }
    more(page, view.missed.len().saturating_sub(MISSED_SHOWN));
}

/// Writes the clients that accept an invalid value, so that their passing cells prove nothing.
fn vacuous(page: &mut Page, view: &View<'_>) {
    if view.vacuous.is_empty() {
        return;
    }
    let cells = view.vacuous.iter().map(|(_, cells)| cells).sum();
    page.heading(&format!("Vacuous: {}", counted(cells, "cell")));
    page.toned(
        Tone::Aside,
        "  ",
        "These cells pass, but the same client also accepts an invalid value, so passing shows nothing.",
    );
    for (client, cells) in &view.vacuous {
        page.line(&format!("{:>8}  {client}", thousands(*cells as u64)));
    }
}

/// Number of stale entries that are listed; the others are counted.
const ENTRIES_SHOWN: usize = 25;

/// Number of reasons for cells without a verdict that are shown.
const REASONS_SHOWN: usize = 8;

/// Number of characters of a reason in a list.
const REASON_SHOWN: usize = 300;

fn stale(page: &mut Page, view: &View<'_>) {
    let stale = &view.record.stale;
    if stale.is_empty() {
        return;
    }
    page.heading(&format!("Baseline: {}", stale_entries(stale.len())));
    page.toned(Tone::Aside, "  ", "These entries do not apply any more, or only in part. Remove or narrow them.");
    for entry in stale.iter().take(ENTRIES_SHOWN) {
        let first = format!("  {} ", page.paint(Tone::Bad, "-"));
        page.paragraph(&first, &clipped(&neutralised(entry), REASON_SHOWN));
    }
    more(page, stale.len().saturating_sub(ENTRIES_SHOWN));
}

/// Says how many lines of a list were not shown.
fn more(page: &mut Page, lines: usize) {
    if lines > 0 {
        page.toned(Tone::Aside, "  ", &format!("and {} more", thousands(lines as u64)));
    }
}

/// Writes the cells without a verdict, with the reasons.
fn not_played(page: &mut Page, view: &View<'_>) {
    let not_played = view.record.left_out.iter().map(|left| (left.reason.as_str(), left.cells)).collect();
    reasons(page, "Not played", view.not_played(), not_played);
    let unsupported = view.unsupported.iter().map(|(reason, cells)| (*reason, *cells as u64)).collect();
    reasons(page, "Not supported", view.total.skipped as u64, unsupported);
}

fn reasons(page: &mut Page, title: &str, cells: u64, reasons: Vec<(&str, u64)>) {
    if cells == 0 {
        return;
    }
    page.heading(&format!("{title}: {}", counted(usize::try_from(cells).unwrap_or(usize::MAX), "cell")));
    for (reason, cells) in reasons.iter().take(REASONS_SHOWN) {
        let first = format!("{:>8}  ", thousands(*cells));
        page.paragraph(&first, &clipped(&neutralised(reason), REASON_SHOWN));
    }
    more(page, reasons.len().saturating_sub(REASONS_SHOWN));
}

fn sum(page: &mut Page, view: &View<'_>) {
    page.blank();
    if !view.record.complete {
        page.line(&page.paint(Tone::Bad, "INCOMPLETE: the run ended before every cell had a verdict"));
    }
    let total = view.total;
    if view.record.cells.is_empty() {
        page.line("No cell was played.");
        return;
    }
    let part = |page: &Page, tone, number: usize, words: String| match number {
        0 => words,
        _ => page.paint(tone, &words),
    };
    let mut line = format!(
        "{}: {}, {}, {}",
        counted(view.record.cells.len(), "cell"),
        part(page, Tone::Good, total.works, doing(total.works, "work")),
        part(page, Tone::Warning, total.degraded, doing(total.degraded, "degrade")),
        part(page, Tone::Bad, total.breaks, doing(total.breaks, "break")),
    );
    if total.silent > 0 {
        line.push_str(&format!(
            " ({})",
            page.paint(Tone::Bad, &format!("{} silently", thousands(total.silent as u64)))
        ));
    }
    if total.skipped > 0 {
        line.push_str(&format!(", {} not supported", thousands(total.skipped as u64)));
    }
    page.paragraph("", &line);
    news(page, view);
}

/// Writes the number of new breaks and of stale entries, if the run has a baseline.
fn news(page: &mut Page, view: &View<'_>) {
    let (new, stale) = (view.total.new_breaks(), view.record.stale.len());
    if view.total.known == 0 && stale == 0 {
        return;
    }
    let breaks = counted(view.total.breaks, "break");
    let mut line = match new {
        0 if stale == 0 => format!("{breaks}, all known; nothing new"),
        0 if view.total.breaks == 0 => "nothing breaks".to_owned(),
        0 => format!("{breaks}, all known"),
        _ => format!("{breaks}: {} known, {} new", thousands(view.total.known as u64), thousands(new as u64)),
    };
    if stale > 0 {
        line.push_str(&format!("; {}", stale_entries(stale)));
    }
    page.toned(if new + stale == 0 { Tone::Good } else { Tone::Bad }, "", &line);
    if view.total.known > 0 {
        page.toned(Tone::Aside, "", "The same run with `--baseline none` shows the known breaks in full.");
    }
}

fn stale_entries(number: usize) -> String {
    format!("{} stale {}", thousands(number as u64), if number == 1 { "entry" } else { "entries" })
}
