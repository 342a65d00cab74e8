//! Annotations of GitHub Actions for a run: one for each cause of new breaks, the cause of most checks first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use mcp_compat_model::count::counted;
use mcp_compat_model::record::CellRecord;

use crate::github::{Level, annotation};
use crate::view::View;
use crate::{command, headline, wording};

/// Renders the annotations; empty if nothing is new.
pub fn render(view: &View<'_>) -> String {
    let record = view.record;
    let mut by_cause = BTreeMap::<String, Vec<&CellRecord>>::new();
    for cell in record.cells.iter().filter(|cell| cell.is_new_break()) {
        let cause = cell.signature.as_ref().map(|signature| signature.without_pointer().to_string());
        by_cause.entry(cause.unwrap_or_else(|| cell.scenario.to_string())).or_default().push(cell);
    }
    let mut causes: Vec<Vec<&CellRecord>> = by_cause.into_values().collect();
    causes.sort_by_key(|cells| Reverse(cells.len()));
    let mut lines: String = causes.iter().filter_map(|cells| of_cause(cells, view.path)).collect();
    for entry in &record.stale {
        lines.push_str(&annotation(Level::Warning, "stale baseline entry", entry));
    }
    if !record.complete {
        lines.push_str(&annotation(Level::Error, "incomplete", "the run ended before every check had a verdict"));
    }
    lines
}

fn of_cause(cells: &[&CellRecord], path: Option<&str>) -> Option<String> {
    let example = cells.first()?;
    let title = example.signature.as_ref().map_or_else(|| example.reason.clone(), headline::title_of);
    let mut message = vec![example.reason.clone(), counted(cells.len(), "check")];
    message.extend(example.fault.map(|fault| format!("to fix: {}", wording::to_fix(fault))));
    message.push(command::show(example).in_run(path).to_string());
    Some(annotation(Level::Error, &title, &message.join("\n")))
}
