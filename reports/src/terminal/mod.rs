//! The report for a person in a terminal: what was played, the matrix, each distinct break once, the sum.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use mcp_compat_model::PeerId;
use mcp_compat_model::cause::Cause;
use mcp_compat_model::record::Record;

use crate::style::{Style, Tone};
use crate::text::{clipped, counted, neutralised, paragraph, span, thousands};
use crate::view::{Matrix, Tally, View};

/// How many causes are told before the rest is only counted.
const CAUSES_TOLD: usize = 25;

/// How far paragraphs are set in.
const INDENT: usize = 5;

/// The report.
#[must_use]
pub fn render(record: &Record, style: Style) -> String {
    let view = View::of(record);
    let mut text = String::new();
    head(&mut text, &view, style);
    matrix(&mut text, &view.matrix, style);
    causes(&mut text, "Breaks", &view.breaks, style);
    if !view.degraded.is_empty() {
        let cells = view.degraded.iter().map(|cause| cause.cells.len()).sum();
        let line = format!("{} degrade, for {}:", counted(cells, "cell"), counted(view.degraded.len(), "cause"));
        let _ = writeln!(text, "{line}\n");
        for cause in view.degraded.iter().take(CAUSES_TOLD) {
            let line = neutralised(&cause.example.reason);
            let first = format!("  {} ", style.paint(Tone::Warning, &format!("{:>5}", cause.cells.len())));
            let _ = writeln!(text, "{}", paragraph(&line, &first, 8, style.width));
        }
        text.push('\n');
    }
    for entry in &record.stale {
        let line = format!("the baseline entry {}: take it out", neutralised(entry));
        let _ =
            writeln!(text, "{}", paragraph(&line, &format!("{} ", style.paint(Tone::Bad, "stale")), 6, style.width));
    }
    sum(&mut text, &view, style);
    text
}

fn head(text: &mut String, view: &View<'_>, style: Style) {
    let record = view.record;
    let mut transports: Vec<&str> = record.cells.iter().map(|cell| cell.transport.as_str()).collect();
    transports.sort_unstable();
    transports.dedup();
    let line = format!(
        "{} × {} × {} over {}: {} in {}",
        counted(record.scenarios.len(), "scenario"),
        counted(view.matrix.clients.len(), "client"),
        counted(view.matrix.servers.len(), "server"),
        transports.join(", "),
        counted(record.cells.len(), "cell"),
        span(record.duration_us),
    );
    let _ = writeln!(text, "{}\n", paragraph(&line, "", 0, style.width));
    if !record.complete {
        let _ =
            writeln!(text, "{}\n", style.paint(Tone::Bad, "INCOMPLETE: the run ended before every cell was played"));
    }
}

/// Clients down, servers across, as many at a time as fit; a cell is `works/degraded/breaks`.
fn matrix(text: &mut String, matrix: &Matrix<'_>, style: Style) {
    let legend = "works/degraded/breaks; ! some breaks are silent; ~ some works prove nothing (the client checks nothing); - not played";
    let _ = writeln!(text, "{}\n", style.paint(Tone::Aside, &paragraph(legend, "", 0, style.width)));
    let label = matrix.clients.iter().map(|client| client.as_str().len()).max().unwrap_or(0);
    for block in blocks(matrix, label, style.width) {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(std::iter::once("client \\ server").chain(block.iter().map(|server| server.as_str())));
        for client in &matrix.clients {
            let tally = |server: &&PeerId| matrix.tally(client, server).map_or_else(|| "-".to_owned(), entry);
            table.add_row(std::iter::once(client.to_string()).chain(block.iter().map(tally)));
        }
        for (place, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, 2));
            if place > 0 {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for (number, line) in table.lines().enumerate() {
            let line = line.trim_end();
            let painted = if number == 0 { style.paint(Tone::Strong, line) } else { painted(line, style) };
            let _ = writeln!(text, "{painted}");
        }
        text.push('\n');
    }
}

/// The servers, parted so that each part fits the width.
fn blocks<'m, 'a>(matrix: &'m Matrix<'a>, label: usize, width: usize) -> Vec<&'m [&'a PeerId]> {
    let column = |server: &PeerId| {
        let tallies = matrix.clients.iter().filter_map(|client| matrix.tally(client, server));
        tallies.map(|tally| entry(tally).len()).max().unwrap_or(1).max(server.as_str().len()) + 2
    };
    let label = label.max("client \\ server".len()) + 2;
    let mut blocks = Vec::new();
    let (mut start, mut used) = (0, label);
    for (place, server) in matrix.servers.iter().enumerate() {
        let column = column(server);
        if used + column > width && place > start {
            blocks.push(&matrix.servers[start..place]);
            (start, used) = (place, label);
        }
        used += column;
    }
    blocks.push(&matrix.servers[start..]);
    blocks
}

/// One cell of the matrix. What a peer does not support is not counted.
fn entry(tally: Tally) -> String {
    if tally.judged() == 0 {
        return "n/a".to_owned();
    }
    let silent = if tally.silent > 0 { "!" } else { "" };
    let vacuous = if tally.vacuous > 0 { "~" } else { "" };
    format!("{vacuous}{}/{}/{}{silent}", tally.works, tally.degraded, tally.breaks)
}

/// A row of the matrix with its entries in the colours of what they say.
fn painted(line: &str, style: Style) -> String {
    let mut painted = String::new();
    for (place, word) in line.split(' ').enumerate() {
        if place > 0 {
            painted.push(' ');
        }
        let counts: Vec<_> = word.trim_matches(['!', '~']).split('/').map(str::parse::<usize>).collect();
        match counts[..] {
            [Ok(_), Ok(0), Ok(0)] => painted.push_str(&style.paint(Tone::Good, word)),
            [Ok(_), Ok(_), Ok(0)] => painted.push_str(&style.paint(Tone::Warning, word)),
            [Ok(_), Ok(_), Ok(_)] => painted.push_str(&style.paint(Tone::Bad, word)),
            _ => painted.push_str(word),
        }
    }
    painted
}

fn causes(text: &mut String, title: &str, causes: &[Cause<'_>], style: Style) {
    if causes.is_empty() {
        return;
    }
    let _ = writeln!(text, "{}\n", style.paint(Tone::Strong, title));
    for (number, cause) in causes.iter().take(CAUSES_TOLD).enumerate() {
        self::cause(text, number + 1, cause, style);
    }
    if causes.len() > CAUSES_TOLD {
        let _ = writeln!(text, "and {} more causes; run.json has them all\n", causes.len() - CAUSES_TOLD);
    }
}

/// One cause: what, who, how far, where, and the command that shows it.
fn cause(text: &mut String, number: usize, cause: &Cause<'_>, style: Style) {
    let cell = cause.example;
    let mut facts = vec![cell.outcome.to_string()];
    facts.extend(cell.fault.map(|fault| format!("fault: {fault}")));
    facts.extend(cell.blast_radius.map(|radius| format!("lost: {radius}")));
    facts.push(counted(cause.cells.len(), "cell"));
    let known = cause.cells.len() - cause.new_breaks();
    if known > 0 {
        facts.push(format!("{} known", thousands(known as u64)));
    }
    let silent = if cause.is_silent() { style.paint(Tone::Bad, "SILENT ") } else { String::new() };
    let number = style.paint(Tone::Strong, &format!("{number:>3}. "));
    let reason = neutralised(&cell.reason);
    let _ = writeln!(text, "{}", paragraph(&reason, &format!("{number}{silent}"), INDENT, style.width));
    let indent = " ".repeat(INDENT);
    let _ = writeln!(text, "{indent}{}", style.paint(Tone::Aside, &facts.join(" · ")));
    let mut line = |name: &str, value: String| {
        let first = format!("{indent}{name:<8} ");
        let _ = writeln!(text, "{}", paragraph(&value, &first, INDENT + 9, style.width));
    };
    line("clients", listed(&cause.distinct(|cell| cell.client.to_string())));
    line("servers", listed(&cause.distinct(|cell| cell.server.to_string())));
    line("in", listed(&cause.distinct(|cell| cell.scenario.to_string())));
    for finding in cell.findings.iter().take(2) {
        line("rule", format!("{} ({} {}) {}", finding.rule, finding.party, finding.level, finding.source));
    }
    let _ = writeln!(text, "{indent}{:<8} mcp-compat show '{}'\n", "see", cell.id);
}

/// The first few names, and how many there are beside them.
fn listed(names: &[String]) -> String {
    const NAMED: usize = 5;
    let mut line = names.iter().take(NAMED).map(|name| clipped(name, 60)).collect::<Vec<_>>().join(", ");
    if names.len() > NAMED {
        let _ = write!(line, " and {} more", names.len() - NAMED);
    }
    line
}

fn sum(text: &mut String, view: &View<'_>, style: Style) {
    let total = view.total;
    let left_out: u64 = view.record.left_out.iter().map(|left| left.cells).sum();
    if left_out > 0 {
        let _ = writeln!(text, "{}", style.paint(Tone::Aside, &format!("not played: {} cells", thousands(left_out))));
        for left in &view.record.left_out {
            let line = format!("{:>8} {}", thousands(left.cells), left.reason);
            let _ = writeln!(text, "{}", style.paint(Tone::Aside, &line));
        }
        text.push('\n');
    }
    let mut parts = vec![
        style.paint(Tone::Good, &format!("{} work", thousands(total.works as u64))),
        style.paint(Tone::Warning, &format!("{} degrade", thousands(total.degraded as u64))),
        style.paint(Tone::Bad, &format!("{} break", thousands(total.breaks as u64))),
    ];
    if total.silent > 0 {
        parts.push(style.paint(Tone::Bad, &format!("{} of them silently", thousands(total.silent as u64))));
    }
    if total.known > 0 {
        parts.push(format!("{} known", thousands(total.known as u64)));
    }
    if total.skipped > 0 {
        parts.push(format!("{} not supported", thousands(total.skipped as u64)));
    }
    let _ = writeln!(text, "{}", parts.join(", "));
}
