//! Report of a run for a terminal: the clients and what each loses, the worst causes, the result. The matrix, all causes
//! and what was not tested are shown if they are asked for.

mod cause;
mod clients;
mod grid;
mod matrix;

use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::Record;

use crate::missed::{MissedPairs, pairs};
use crate::page::Page;
use crate::sdk::{SdkName, listed};
use crate::style::{Style, Tone};
use crate::text::{clipped, span};
use crate::view::View;

pub use cause::numbered as cause;

/// Parts of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// True for all causes, in full; false for the worst few.
    pub all_causes: bool,
    /// True for the matrix of clients and servers. A run of one scenario always has it.
    pub matrix: bool,
    /// True for degraded results, missed revisions, unproven results, and what was not tested, with the reasons.
    pub details: bool,
}

impl Shown {
    pub const EVERYTHING: Self = Self { all_causes: true, matrix: true, details: true };
}

/// Number of groups of pairs that missed a revision that are listed.
const MISSED_SHOWN: usize = 20;

/// Renders the report.
pub fn render(record: &Record, shown: Shown, style: Style) -> String {
    let view = View::of(record);
    let mut page = Page::new(style);
    if !record.cells.is_empty() {
        head(&mut page, &view);
        page.blank();
        if view.scenarios > 1 {
            clients::write(&mut page, &record.cells);
        }
        if shown.matrix || view.scenarios == 1 {
            matrix::write(&mut page, &view);
        }
    }
    if shown.all_causes {
        cause::all(&mut page, &view);
    } else {
        cause::worst(&mut page, &view);
    }
    stale(&mut page, &view);
    if shown.details {
        cause::degraded(&mut page, &view);
        missed(&mut page, &view);
        unproven(&mut page, &view);
        not_tested(&mut page, &view);
    }
    result(&mut page, &view, shown);
    page.finish()
}

/// Writes the size of the run, and the SDKs that are modelled.
fn head(page: &mut Page, view: &View<'_>) {
    let record = view.record;
    let line = format!(
        "{}, {}, {}: {} in {}",
        counted(view.scenarios, "scenario"),
        counted(view.matrix.clients.len(), "client"),
        counted(view.matrix.servers.len(), "server"),
        counted(record.cells.len(), "check"),
        span(record.duration_us),
    );
    page.paragraph("", &line);
    let peers = || view.matrix.clients.iter().chain(&view.matrix.servers).copied();
    let mut modelled: Vec<String> = peers()
        .filter(|peer| peer.is_built_in())
        .map(SdkName::of)
        .filter(SdkName::is_sdk)
        .map(|name| name.family)
        .collect();
    modelled.sort();
    modelled.dedup();
    let real = listed(
        peers().filter(|peer| peer.release().is_some()).map(|peer| peer.in_any_mode()).collect::<Vec<_>>().iter(),
    );
    let modelled = match modelled[..] {
        [] => String::new(),
        _ => format!("Modelled on released versions: {}.", modelled.join(", ")),
    };
    let real = if real.is_empty() { String::new() } else { format!("Real releases: {real}.") };
    let kinds: Vec<String> = [modelled, real].into_iter().filter(|words| !words.is_empty()).collect();
    if !kinds.is_empty() {
        page.toned(Tone::Aside, "", &kinds.join(" "));
    }
}

/// Writes the pairs that missed a revision, with the reasons.
fn missed(page: &mut Page, view: &View<'_>) {
    if view.missed.is_empty() {
        return;
    }
    page.heading(&format!("Missed revisions: {}", counted(pairs(&view.missed), "pair")));
    page.toned(Tone::Aside, "  ", "Both sides support a newer revision than the one they use together.");
    for MissedPairs { client, servers, why } in view.missed.iter().take(MISSED_SHOWN) {
        let servers: Vec<&str> = servers.iter().map(|server| server.as_str()).collect();
        page.paragraph("  ", &format!("{client} with {}: {}", servers.join(", "), clipped(why, REASON_SHOWN)));
    }
    more(page, view.missed.len().saturating_sub(MISSED_SHOWN));
}

/// Writes the clients that accept an invalid value, so that their results prove nothing.
fn unproven(page: &mut Page, view: &View<'_>) {
    if view.vacuous.is_empty() {
        return;
    }
    let cells = view.vacuous.iter().map(|(_, cells)| cells).sum();
    page.heading(&format!("Unproven: {}", counted(cells, "check")));
    page.toned(Tone::Aside, "  ", "These work, but the same client accepts an invalid value just as well.");
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
fn not_tested(page: &mut Page, view: &View<'_>) {
    let not_played = view.record.left_out.iter().map(|left| (left.reason.as_str(), left.cells)).collect();
    reasons(page, "Not tested", view.not_played(), not_played);
    let unsupported = view.unsupported.iter().map(|(reason, cells)| (*reason, *cells as u64)).collect();
    reasons(page, "Not supported", view.total.skipped as u64, unsupported);
}

fn reasons(page: &mut Page, title: &str, cells: u64, reasons: Vec<(&str, u64)>) {
    if cells == 0 {
        return;
    }
    page.heading(&format!("{title}: {}", counted(usize::try_from(cells).unwrap_or(usize::MAX), "check")));
    for (reason, cells) in reasons.iter().take(REASONS_SHOWN) {
        let first = format!("{:>8}  ", thousands(*cells));
        page.paragraph(&first, &clipped(&neutralised(reason), REASON_SHOWN));
    }
    more(page, reasons.len().saturating_sub(REASONS_SHOWN));
}

/// Writes the next commands and the result.
fn result(page: &mut Page, view: &View<'_>, shown: Shown) {
    page.blank();
    let total = view.total;
    if view.record.cells.is_empty() {
        page.line("Nothing was tested.");
    } else if total.breaks > 0 {
        let next: &[&str] = if shown.all_causes {
            &["mcp-compat show 1", "mcp-compat explain 1"]
        } else {
            &["mcp-compat show 1", "mcp-compat explain 1", "mcp-compat report"]
        };
        page.line(&page.paint(Tone::Aside, &format!("Next: {}", next.join("   "))));
    }
    if !view.record.complete {
        page.line(&page.paint(Tone::Bad, "INCOMPLETE  the run ended before every check had a verdict"));
    }
    if view.record.cells.is_empty() {
        return;
    }
    let (new, stale) = (total.new_breaks(), view.record.stale.len());
    let mut facts = Vec::new();
    if new > 0 {
        facts.push(counted(new, if total.known > 0 { "new break" } else { "break" }));
    }
    if stale > 0 {
        facts.push(stale_entries(stale));
    }
    let bad = !facts.is_empty();
    match total.known {
        0 if bad => {}
        0 => facts.push("nothing breaks".to_owned()),
        known if bad => facts.push(counted(known, "known break")),
        known => facts.push(format!("nothing new ({})", counted(known, "known break"))),
    }
    if total.degraded > 0 {
        facts.push(format!("{} degraded", thousands(total.degraded as u64)));
    }
    let (tone, word) = if bad { (Tone::Bad, "FAILED") } else { (Tone::Good, "OK") };
    page.paragraph(&format!("{}  ", page.paint(tone, word)), &facts.join(", "));
}

fn stale_entries(number: usize) -> String {
    format!("{} stale {}", thousands(number as u64), if number == 1 { "entry" } else { "entries" })
}
