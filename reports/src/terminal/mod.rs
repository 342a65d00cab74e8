//! Report of a run for a terminal: the clients and what each loses, the worst causes, the result. The matrix, all causes
//! and what was not tested are shown if they are asked for.

mod cause;
mod clients;
mod grid;
mod matrix;

use std::collections::BTreeSet;

use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::{PeerId, Role};
use textwrap::core::display_width;

use crate::command::Command;
use crate::missed::{MissedPairs, pairs};
use crate::page::Page;
use crate::sdk::SdkName;
use crate::style::{Style, Tone};
use crate::text::{clipped, doing, span};
use crate::view::View;
use crate::{recorded, wording};

pub use cause::one as cause;

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
pub fn render(view: &View<'_>, shown: Shown, style: Style) -> String {
    let record = view.record;
    let mut page = Page::new(style);
    if !record.cells.is_empty() {
        head(&mut page, view);
        page.blank();
        if view.scenarios > 1 && view.total.breaks + view.total.degraded > 0 {
            clients::write(&mut page, record);
        }
        if shown.matrix || view.scenarios == 1 {
            matrix::write(&mut page, view);
        }
    }
    if shown.all_causes {
        cause::all(&mut page, view);
    } else {
        cause::worst(&mut page, view);
    }
    stale(&mut page, view);
    if shown.details {
        cause::degraded(&mut page, view);
        missed(&mut page, view);
        unproven(&mut page, view);
        not_tested(&mut page, view);
    }
    result(&mut page, view, shown);
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
    if let Some(kinds) = kinds(view) {
        page.toned(Tone::Aside, "", &kinds);
    }
    if let Some(recorded) = recorded::sentence(record) {
        page.toned(Tone::Aside, "", &recorded);
    }
}

/// Names the SDKs of which releases were tested, and those that were modelled. `None` without any SDK.
fn kinds(view: &View<'_>) -> Option<String> {
    let families = |is_of_kind: &dyn Fn(Role, &PeerId) -> bool| {
        let clients = view.matrix.clients.iter().map(|peer| (Role::Client, peer));
        let peers = clients.chain(view.matrix.servers.iter().map(|peer| (Role::Server, peer)));
        let peers = peers.filter(|(role, peer)| is_of_kind(*role, peer));
        let names: BTreeSet<String> =
            peers.map(|(_, peer)| SdkName::of(peer)).filter(SdkName::is_sdk).map(|name| name.family).collect();
        names.into_iter().collect::<Vec<_>>().join(", ")
    };
    let (real, modelled) = (
        families(&|role, peer| !peer.is_built_in() && recorded::of_peer(view.record, role, peer).is_none()),
        families(&|_, peer| peer.is_built_in()),
    );
    match (real.is_empty(), modelled.is_empty()) {
        (true, true) => None,
        (true, false) => Some(format!("Modelled on releases: {modelled}.")),
        (false, true) => Some(format!("Released versions: {real}.")),
        (false, false) => Some(format!("Released versions: {real}. Modelled on releases: {modelled}.")),
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
    let total = view.total;
    if total.breaks == 0 || shown.all_causes {
        page.blank();
    }
    if view.record.cells.is_empty() {
        page.line("Nothing was tested.");
    } else if total.breaks > 0 {
        let next = next(view, shown);
        // Commands are copied, so they are not wrapped.
        let between = if display_width(&next.join("   ")) + 6 <= page.width() { "   " } else { "\n      " };
        format!("Next: {}", next.join(between)).lines().for_each(|line| page.line(&page.paint(Tone::Aside, line)));
    }
    if !view.record.complete {
        page.line(&page.paint(Tone::Bad, &format!("INCOMPLETE  {}", wording::ended_early(view.record))));
    }
    if view.record.cells.is_empty() {
        return;
    }
    let (new, stale) = (total.new_breaks(), view.record.stale.len());
    if !view.record.complete && new + stale == 0 {
        return;
    }
    let mut news = Vec::new();
    if new > 0 {
        news.push(counted(new, if total.known > 0 { "new break" } else { "break" }));
    }
    if stale > 0 {
        news.push(stale_entries(stale));
    }
    let (tone, word) = if news.is_empty() { (Tone::Good, "OK") } else { (Tone::Bad, "FAILED") };
    if news.is_empty() {
        news.push(if total.known > 0 { "nothing new" } else { "nothing breaks" }.to_owned());
    }
    let known = if total.known == 1 { "known break" } else { "known breaks" };
    let parts = [
        (total.works, doing(total.works, "work")),
        (total.degraded, format!("{} degraded", thousands(total.degraded as u64))),
        (total.known, format!("{} {known}", thousands(total.known as u64))),
        (total.skipped, format!("{} not supported", thousands(total.skipped as u64))),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|(number, _)| *number > 0).map(|(_, words)| words).collect();
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    page.paragraph(&format!("{}  ", page.paint(tone, word)), &format!("{}{parts}", news.join(", ")));
}

/// Commands that show more.
fn next(view: &View<'_>, shown: Shown) -> Vec<String> {
    let first = view.all_breaks().next().map_or(1, |cause| cause.number);
    let mut next = vec![Command(vec![format!("mcp-compat show {first}")]).in_run(view.path).to_string()];
    next.push(match (shown.all_causes, view.path) {
        (true, path) => Command(vec![format!("mcp-compat explain {first}")]).in_run(path).to_string(),
        (false, path) => Command::report(path).to_string(),
    });
    let mut peers = view.matrix.clients.iter().chain(&view.matrix.servers);
    if view.matrix.clients.iter().any(|client| SdkName::of(client).is_sdk()) && peers.all(|peer| peer.is_built_in()) {
        next.push("mcp-compat peers install".to_owned());
    }
    next
}

fn stale_entries(number: usize) -> String {
    format!("{} stale {}", thousands(number as u64), if number == 1 { "entry" } else { "entries" })
}
