//! The cells that a filter selects. What `show --where` prints.

use std::collections::BTreeMap;

use mcp_compat_model::ScenarioId;
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::Rating;
use textwrap::core::display_width;

use crate::page::Page;
use crate::style::{Style, Tone};
use crate::triangle;
use crate::view::Tally;

/// Number of cells that are listed before the rest is only counted.
const LISTED: usize = 200;

/// What a filter selects.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'r> {
    /// The filter, as it was typed.
    pub query: &'r str,
    /// The cells that it selects.
    pub cells: &'r [&'r CellRecord],
    /// How many cells the run has.
    pub of: usize,
}

/// The cells below their scenarios, and how many of them fare how.
#[must_use]
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
            let fate = fate(&page, cell);
            // Where names are long, what came of it goes below them.
            if display_width(&pair) + display_width("unreachable, breaks") <= style.width {
                page.paragraph(&pair, &fate);
            } else {
                page.line(&pair);
                page.paragraph("      ", &fate);
            }
        }
        page.blank();
    }
    if let Some(more) = selection.cells.len().checked_sub(LISTED).filter(|more| *more > 0) {
        page.toned(Tone::Aside, "  ", &format!("and {} more; --json has all", counted(more, "cell")));
        page.blank();
    }
    page.paragraph("", &sum(selection));
    page.finish()
}

/// What came of a cell: `rejected, breaks, server`.
fn fate(page: &Page, cell: &CellRecord) -> String {
    let tone = match cell.rating {
        Rating::Works => Tone::Good,
        Rating::Degraded => Tone::Warning,
        Rating::Breaks => Tone::Bad,
        Rating::Skipped => Tone::Aside,
    };
    let mut words = vec![cell.outcome.to_string(), cell.rating.to_string()];
    words.extend(cell.silent.then(|| "silent".to_owned()));
    words.extend(cell.vacuous.then(|| "vacuous".to_owned()));
    words.extend(cell.known.as_ref().map(|known| crate::text::standing(known).to_owned()));
    words.extend(triangle::to_fix(cell));
    page.paint(tone, &words.join(", "))
}

/// `12 of 7,137 cells: 3 work, 1 degraded, 8 break (2 silently)`.
fn sum(selection: &Selection<'_>) -> String {
    let tally = Tally::of(selection.cells.iter().copied());
    let of = counted(selection.of, "cell");
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
