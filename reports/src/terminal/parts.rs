//! The last parts of the report: stale entries, what was not played, and the sum.

use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::unseen::neutralised;

use crate::page::Page;
use crate::style::Tone;
use crate::text::{clipped, doing};
use crate::view::View;

/// How many stale entries are listed before the rest is only counted: each has to be removed.
const ENTRIES_TOLD: usize = 25;

/// How many reasons why something was not played are shown.
const REASONS_TOLD: usize = 8;

/// How much of a reason that stands in a list is shown.
pub(super) const REASON_SHOWN: usize = 300;

pub(super) fn stale(page: &mut Page, view: &View<'_>) {
    let stale = &view.record.stale;
    if stale.is_empty() {
        return;
    }
    page.heading(&format!("Baseline: {}", stale_entries(stale.len())));
    page.toned(Tone::Aside, "  ", "These entries do not apply any more, or only in part. Remove or narrow them.");
    for entry in stale.iter().take(ENTRIES_TOLD) {
        let first = format!("  {} ", page.paint(Tone::Bad, "-"));
        page.paragraph(&first, &clipped(&neutralised(entry), REASON_SHOWN));
    }
    more(page, stale.len().saturating_sub(ENTRIES_TOLD));
}

/// Says how many lines of a list were not shown.
pub(super) fn more(page: &mut Page, lines: usize) {
    if lines > 0 {
        page.toned(Tone::Aside, "  ", &format!("and {} more", thousands(lines as u64)));
    }
}

/// What has no verdict, and why: pairings that were left out, and what peers say that they cannot do.
pub(super) fn not_played(page: &mut Page, view: &View<'_>) {
    let left_out = view.record.left_out.iter().map(|left| (left.reason.as_str(), left.cells)).collect();
    reasons(page, "Not played", view.left_out(), left_out);
    let unsupported = view.unsupported.iter().map(|(reason, cells)| (*reason, *cells as u64)).collect();
    reasons(page, "Not supported", view.total.skipped as u64, unsupported);
}

fn reasons(page: &mut Page, title: &str, cells: u64, reasons: Vec<(&str, u64)>) {
    if cells == 0 {
        return;
    }
    page.heading(&format!("{title}: {}", counted(usize::try_from(cells).unwrap_or(usize::MAX), "cell")));
    for (reason, cells) in reasons.iter().take(REASONS_TOLD) {
        let first = format!("{:>8}  ", thousands(*cells));
        page.paragraph(&first, &clipped(&neutralised(reason), REASON_SHOWN));
    }
    more(page, reasons.len().saturating_sub(REASONS_TOLD));
}

pub(super) fn sum(page: &mut Page, view: &View<'_>) {
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

/// Whether there is something that the baseline does not say; only where there is a baseline.
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
