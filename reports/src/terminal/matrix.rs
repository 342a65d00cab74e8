//! The matrix: clients down, servers across.
//!
//! The names of the servers stand on stairs above their columns, unless they fit side by side. An entry is
//! `works/degraded/breaks`. If that is too wide for the page, the three numbers become rows below each other, without
//! empty rows. If that is too wide as well, the matrix is split.

use mcp_compat_model::PeerId;
use mcp_compat_model::count::counted;

use super::grid::{Entry, Grid, Layout, Row};
use crate::page::Page;
use crate::style::Tone;
use crate::view::{Matrix, Tally};

/// Writes the matrix with its legend.
pub(super) fn write(page: &mut Page, matrix: &Matrix<'_>) {
    if matrix.clients.is_empty() {
        return;
    }
    page.blank();
    if let Some(words) = matrix.too_large() {
        page.toned(Tone::Aside, "", &words);
        return;
    }
    let triples = Grid::new(&matrix.servers, matrix.clients.iter().map(|client| row(matrix, client, triple)).collect());
    if let Some(layout) =
        [Layout::BESIDE, Layout::STAIRS].into_iter().find(|layout| triples.fits(*layout, page.width()))
    {
        legend(page, matrix, "Clients down, servers across, works/degraded/breaks");
        triples.write(page, layout);
        return;
    }
    let lines = Grid::new(&matrix.servers, matrix.clients.iter().flat_map(|client| lines(matrix, client)).collect());
    let layout = if lines.fits(Layout::STAIRS, page.width()) { Layout::STAIRS } else { Layout::TIGHT };
    legend(
        page,
        matrix,
        "Clients down, servers across, how many cells work; below it how many degrade and break, if any",
    );
    lines.write(page, layout);
}

/// Writes the legend: the content, and the meaning of the signs that occur.
fn legend(page: &mut Page, matrix: &Matrix<'_>, what: &str) {
    let pairs =
        || matrix.clients.iter().flat_map(|client| matrix.servers.iter().map(|server| matrix.tally(client, server)));
    let mut words = vec![what.to_owned()];
    if pairs().flatten().any(|tally| tally.silent > 0) {
        words.push("! some break silently".to_owned());
    }
    if pairs().flatten().any(|tally| tally.judged() == 0) {
        words.push("n/a not supported".to_owned());
    }
    let missing = pairs().filter(Option::is_none).count();
    if missing > 0 {
        words.push(format!("- not played ({})", counted(missing, "pair")));
    }
    page.toned(Tone::Aside, "", &words.join("; "));
    page.blank();
}

fn entries(matrix: &Matrix<'_>, client: &PeerId, entry: fn(Option<Tally>) -> Entry) -> Vec<Entry> {
    matrix.servers.iter().map(|server| entry(matrix.tally(client, server))).collect()
}

fn row<'a>(matrix: &Matrix<'a>, client: &'a PeerId, entry: fn(Option<Tally>) -> Entry) -> Row<'a> {
    Row { label: client.as_str(), part: None, entries: entries(matrix, client, entry) }
}

/// Rows of one client: cells that work, degrade and break.
fn lines<'a>(matrix: &Matrix<'a>, client: &'a PeerId) -> [Row<'a>; 3] {
    let part = |label, tone, entry| Row { label, part: Some(tone), entries: entries(matrix, client, entry) };
    [row(matrix, client, works), part("degraded", Tone::Warning, degraded), part("breaks", Tone::Bad, breaks)]
}

/// Entry of a pair without a judged cell.
fn unjudged(tally: Option<Tally>) -> Option<Entry> {
    let text = match tally {
        None => "-",
        Some(tally) if tally.judged() == 0 => "n/a",
        Some(_) => return None,
    };
    Some(Entry::toned(text.to_owned(), Tone::Aside))
}

fn triple(tally: Option<Tally>) -> Entry {
    unjudged(tally).unwrap_or_else(|| {
        let tally = tally.unwrap_or_default();
        let tone = match tally {
            Tally { breaks: 1.., .. } => Tone::Bad,
            Tally { degraded: 1.., .. } => Tone::Warning,
            Tally { .. } => Tone::Good,
        };
        let text = format!("{}/{}/{}", tally.works, tally.degraded, tally.breaks);
        Entry { silent: tally.silent > 0, ..Entry::toned(text, tone) }
    })
}

fn works(tally: Option<Tally>) -> Entry {
    unjudged(tally).unwrap_or_else(|| {
        let tally = tally.unwrap_or_default();
        let all = tally.works == tally.judged();
        Entry { text: tally.works.to_string(), tone: all.then_some(Tone::Good), silent: false }
    })
}

fn degraded(tally: Option<Tally>) -> Entry {
    let tally = tally.unwrap_or_default();
    Entry::number(tally.degraded, Tone::Warning)
}

fn breaks(tally: Option<Tally>) -> Entry {
    let tally = tally.unwrap_or_default();
    Entry { silent: tally.silent > 0, ..Entry::number(tally.breaks, Tone::Bad) }
}
