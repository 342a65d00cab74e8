//! The report for a person in a terminal, read once and acted on: what was played, the matrix, each distinct break
//! once, what was not played, and last of all the sum, where the eyes are when the run ends.

mod cause;
mod grid;
mod matrix;
mod parts;

use mcp_compat_model::Transport;
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::record::Record;

use self::parts::{REASON_SHOWN, more, not_played, stale, sum};
use crate::missed::{MissedPairs, pairs};
use crate::page::Page;
use crate::style::{Style, Tone};
use crate::text::{clipped, span};
use crate::view::View;

/// How many groups of pairs that missed a revision are listed.
const MISSED_TOLD: usize = 20;

/// The report.
#[must_use]
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

/// Who could have spoken a newer revision, and why they did not.
fn missed(page: &mut Page, view: &View<'_>) {
    if view.missed.is_empty() {
        return;
    }
    page.heading(&format!("Missed revisions: {}", counted(pairs(&view.missed), "pair")));
    page.toned(Tone::Aside, "  ", "Both peers support a newer revision than the one they use together.");
    for MissedPairs { client, servers, why } in view.missed.iter().take(MISSED_TOLD) {
        let servers: Vec<&str> = servers.iter().map(|server| server.as_str()).collect();
        page.paragraph("  ", &format!("{client} with {}: {}", servers.join(", "), clipped(why, REASON_SHOWN)));
    }
    more(page, view.missed.len().saturating_sub(MISSED_TOLD));
}

/// Who took the control, so that what works with them proves nothing.
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
