//! Output of `show --where`: the cells that a filter selects.

use std::collections::BTreeMap;

use mcp_compat_model::ScenarioId;
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::Rating;
use textwrap::core::display_width;

use crate::page::Page;
use crate::style::{Style, Tone};
use crate::view::Tally;
use crate::wording;

/// Number of cells that are listed before the rest is only counted.
const LISTED: usize = 200;

/// Filter with the cells that it selects.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'r> {
    /// Filter, as it was typed.
    pub query: &'r str,
    pub cells: &'r [&'r CellRecord],
    /// Number of cells of the run.
    pub of: usize,
}

/// Renders the cells below their scenarios, and their numbers by rating.
pub fn render(selection: &Selection<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    let mut by_scenario = BTreeMap::<&ScenarioId, Vec<&CellRecord>>::new();
    for cell in selection.cells.iter().take(LISTED) {
        by_scenario.entry(&cell.scenario).or_default().push(cell);
    }
    let listed = || selection.cells.iter().take(LISTED);
    let column = |name: fn(&CellRecord) -> &str| listed().map(|cell| display_width(name(cell))).max().unwrap_or(0);
    let (clients, servers) = (column(|cell| cell.client.as_str()), column(|cell| cell.server.as_str()));
    for (scenario, cells) in by_scenario {
        page.line(&page.paint(Tone::Strong, scenario.as_str()));
        for cell in cells {
            let pair = format!("  {:<clients$}  {:<servers$}  {:<6}  ", cell.client, cell.server, cell.transport);
            let result = result(&page, cell);
            // The result goes below names that are too long.
            if display_width(&pair) + display_width("unreachable, breaks") <= style.width {
                page.paragraph(&pair, &result);
            } else {
                page.line(&pair);
                page.paragraph("      ", &result);
            }
        }
        page.blank();
    }
    if let Some(more) = selection.cells.len().checked_sub(LISTED).filter(|more| *more > 0) {
        page.toned(Tone::Aside, "  ", &format!("and {} more; --json has all", counted(more, "check")));
        page.blank();
    }
    page.paragraph("", &sum(selection));
    page.finish()
}

/// Result of a cell: `rejected, breaks, server`.
fn result(page: &Page, cell: &CellRecord) -> String {
    let tone = match cell.rating {
        Rating::Works => Tone::Good,
        Rating::Degraded => Tone::Warning,
        Rating::Breaks => Tone::Bad,
        Rating::Skipped => Tone::Aside,
    };
    let mut words = vec![wording::outcome(cell.outcome).to_owned(), cell.rating.to_string()];
    words.extend(cell.silent.then(|| "silent".to_owned()));
    words.extend(cell.vacuous.then(|| "unproven".to_owned()));
    words.extend(cell.known.as_ref().map(|known| crate::text::standing(known).to_owned()));
    words.extend(wording::to_fix_of(cell));
    page.paint(tone, &words.join(", "))
}

/// `12 of 7,137 cells: 3 work, 1 degraded, 8 break (2 silently)`.
fn sum(selection: &Selection<'_>) -> String {
    let tally = Tally::of(selection.cells.iter().copied());
    let of = counted(selection.of, "check");
    let selected = thousands(selection.cells.len() as u64);
    if selection.cells.is_empty() {
        return format!("{selected} of {of}");
    }
    let mut parts = vec![
        crate::text::doing(tally.works, "work"),
        crate::text::doing(tally.degraded, "degrade"),
        crate::text::doing(tally.breaks, "break"),
    ];
    if tally.silent > 0 {
        parts[2].push_str(&format!(" ({} silently)", thousands(tally.silent as u64)));
    }
    if tally.skipped > 0 {
        parts.push(format!("{} not supported", thousands(tally.skipped as u64)));
    }
    format!("{selected} of {of}: {}", parts.join(", "))
}
