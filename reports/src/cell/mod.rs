//! Output of `show` for a cell: the verdict, the observation of the client's user, the wire.

pub mod seen;
pub mod wire;

use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::{CellRecord, Evidence, Record, ScenarioRecord};
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::{PeerId, Role};

use crate::command::{self, Origin};
use crate::findings::responsible_first;
use crate::page::Page;
use crate::style::{Style, Tone};
use crate::text::{by_baseline, span, standing};
use crate::view::detail;
use crate::{missed, recorded, wording};

/// Column at which the values of the verdict begin.
const VALUES: usize = 14;

/// The cell of a run, as text.
pub fn of_run(cell: &CellRecord, record: &Record, evidence: &Evidence, style: Style) -> String {
    let scenario = record.scenarios.iter().find(|scenario| scenario.id == cell.scenario);
    let origin = |(role, id): (Role, &PeerId)| {
        recorded::of_peer(record, role, id).map(|it| format!("{id} was {}", wording::recorded(it)))
    };
    let sides = [(Role::Client, &cell.client), (Role::Server, &cell.server)];
    let recorded: Vec<String> = sides.into_iter().filter_map(origin).collect();
    write(cell, scenario, &recorded, evidence, style)
}

/// The cell, as text.
pub fn render(cell: &CellRecord, scenario: Option<&ScenarioRecord>, evidence: &Evidence, style: Style) -> String {
    write(cell, scenario, &[], evidence, style)
}

fn write(
    cell: &CellRecord,
    scenario: Option<&ScenarioRecord>,
    recorded: &[String],
    evidence: &Evidence,
    style: Style,
) -> String {
    let mut page = Page::new(style);
    page.line(&page.paint(Tone::Strong, command::id(cell).as_str()));
    if let Some(scenario) = scenario {
        page.blank();
        page.paragraph("", &neutralised(&scenario.title));
        page.toned(Tone::Aside, "", &neutralised(&scenario.why));
    }
    if !recorded.is_empty() {
        page.blank();
        recorded.iter().for_each(|origin| page.paragraph("", &format!("{origin}, and not tested in this run.")));
    }
    verdict(&mut page, cell, Origin::of(scenario));
    seen::write(&mut page, &evidence.observation);
    wire::write(&mut page, cell, &evidence.transcript.entries);
    page.finish()
}

fn verdict(page: &mut Page, cell: &CellRecord, origin: Origin<'_>) {
    let tone = match cell.rating {
        Rating::Works => Tone::Good,
        Rating::Degraded => Tone::Warning,
        Rating::Breaks => Tone::Bad,
        Rating::Skipped => Tone::Aside,
    };
    let silent = if cell.silent { ", silently" } else { "" };
    page.blank();
    let rating = page.paint(tone, &format!("{}{silent}:", cell.rating));
    page.paragraph("", &format!("{rating} {}", neutralised(&cell.reason)));
    page.blank();
    page.field(VALUES, "  outcome", &format!("{}: {}", wording::outcome(cell.outcome), cell.outcome.meaning()));
    if let Some(expected) = cell.expected {
        page.field(VALUES, "  expected", wording::outcome(expected));
    }
    page.field(VALUES, "  negotiated", &wording::negotiated(cell));
    if let Some(missed) = &cell.missed {
        page.field(VALUES, "  missed", &missed::of_cell(cell, missed));
    }
    // A degraded cell loses nothing.
    if let (Some(radius), Rating::Breaks) = (cell.blast_radius, cell.rating) {
        page.field(VALUES, "  lost", wording::lost_and_left(radius));
    }
    if let Some(fault) = cell.fault {
        page.field(VALUES, "  to fix", wording::to_fix(fault));
    }
    if let Some(with_mocks) = wording::with_mocks(cell) {
        page.field(VALUES, "  with mocks", &with_mocks);
    }
    for finding in responsible_first(cell) {
        let detail = detail(cell, finding).map(|detail| format!(": {}", neutralised(detail))).unwrap_or_default();
        let allowed = if wording::is_violation(finding) { "" } else { ", so no violation" };
        let rule = format!("{} ({} {}{allowed}){detail}", neutralised(&finding.rule), finding.party, finding.level);
        page.field(VALUES, "  rule", &rule);
        page.line(&format!("{:VALUES$}{}", "", neutralised(&finding.source)));
    }
    if let Some(known) = &cell.known {
        page.field(VALUES, &format!("  {}", standing(known)), &by_baseline(known));
        if let Some(issue) = &known.issue {
            page.line(&format!("{:VALUES$}{}", "", neutralised(issue)));
        }
    }
    page.field(VALUES, "  took", &span(cell.duration_us));
    let name = page.paint(Tone::Aside, &format!("{:VALUES$}", "  again"));
    page.command(None, &name, &command::again(cell, origin));
}
