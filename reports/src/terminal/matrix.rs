//! The matrix: clients down, servers across, or the other way round where there are fewer clients than servers.
//!
//! An entry is a sign with the number of checks that break or degrade. In a run of one scenario it is the outcome.

use std::collections::BTreeMap;

use mcp_compat_model::PeerId;
use mcp_compat_model::count::counted;
use mcp_compat_model::verdict::Rating;

use super::grid::{Entry, Grid, Layout, Row};
use crate::page::Page;
use crate::style::Tone;
use crate::view::{Tally, View};
use crate::wording;

/// Outcome of a pair in words, where one scenario was played.
type Outcomes<'a> = BTreeMap<(&'a PeerId, &'a PeerId), (Rating, &'static str)>;

/// Writes the matrix with its legend.
pub(super) fn write(page: &mut Page, view: &View<'_>) {
    let matrix = &view.matrix;
    page.blank();
    if let Some(words) = matrix.too_large() {
        page.toned(Tone::Aside, "", &words);
        return;
    }
    let outcomes = if view.scenarios == 1 { outcomes(view) } else { Outcomes::new() };
    let entry = |client: &PeerId, server: &PeerId| {
        let tally = matrix.tally(client, server);
        match outcomes.get(&(client, server)) {
            Some((rating, outcome)) => Entry {
                silent: tally.is_some_and(|tally| tally.silent > 0),
                ..Entry::toned((*outcome).to_owned(), tone(*rating))
            },
            None => sign(tally),
        }
    };
    let is_turned = matrix.clients.len() < matrix.servers.len();
    let (down, across) =
        if is_turned { (&matrix.servers, &matrix.clients) } else { (&matrix.clients, &matrix.servers) };
    let rows = down.iter().map(|one| {
        let entries = across.iter().map(|other| if is_turned { entry(other, one) } else { entry(one, other) });
        Row { label: one.as_str(), entries: entries.collect() }
    });
    let grid = Grid::new(across, rows.collect());
    legend(page, view, is_turned);
    let layouts = [Layout::BESIDE, Layout::STAIRS];
    let layout = layouts.into_iter().find(|layout| grid.fits(*layout, page.width())).unwrap_or(Layout::TIGHT);
    grid.write(page, layout);
}

/// Worst outcome of each pair.
fn outcomes<'a>(view: &View<'a>) -> Outcomes<'a> {
    let mut outcomes = Outcomes::new();
    for cell in &view.record.cells {
        let found = (cell.rating, wording::outcome(cell.outcome));
        let worst = outcomes.entry((&cell.client, &cell.server)).or_insert(found);
        if severity(found.0) > severity(worst.0) {
            *worst = found;
        }
    }
    outcomes
}

const fn severity(rating: Rating) -> u8 {
    match rating {
        Rating::Skipped => 0,
        Rating::Works => 1,
        Rating::Degraded => 2,
        Rating::Breaks => 3,
    }
}

const fn tone(rating: Rating) -> Tone {
    match rating {
        Rating::Skipped => Tone::Aside,
        Rating::Works => Tone::Good,
        Rating::Degraded => Tone::Warning,
        Rating::Breaks => Tone::Bad,
    }
}

/// Writes the meaning of the signs that occur.
fn legend(page: &mut Page, view: &View<'_>, is_turned: bool) {
    let matrix = &view.matrix;
    let pairs =
        || matrix.clients.iter().flat_map(|client| matrix.servers.iter().map(|server| matrix.tally(client, server)));
    let any = |is: fn(Tally) -> bool| pairs().flatten().any(is);
    let sides = if is_turned { "Servers down, clients across" } else { "Clients down, servers across" };
    let mut words = vec![sides.to_owned()];
    if view.scenarios > 1 {
        let signs = [
            ("✓ all checks work", any(|tally| tally.judged() > 0 && tally.works == tally.judged())),
            ("~ degraded", any(|tally| tally.breaks == 0 && tally.degraded > 0)),
            ("✗ breaks", any(|tally| tally.breaks > 0)),
            ("n/a not supported", any(|tally| tally.judged() == 0)),
        ];
        words.extend(signs.iter().filter(|(_, occurs)| *occurs).map(|(sign, _)| (*sign).to_owned()));
    }
    if any(|tally| tally.silent > 0) {
        words.push("! silently".to_owned());
    }
    let missing = pairs().filter(Option::is_none).count();
    if missing > 0 {
        words.push(format!("- not tested ({})", counted(missing, "pair")));
    }
    page.toned(Tone::Aside, "", &words.join("; "));
    page.blank();
}

fn sign(tally: Option<Tally>) -> Entry {
    let aside = |text: &str| Entry::toned(text.to_owned(), Tone::Aside);
    match tally {
        None => aside("-"),
        Some(tally) if tally.judged() == 0 => aside("n/a"),
        Some(Tally { breaks: breaks @ 1.., silent, .. }) => {
            Entry { silent: silent > 0, ..Entry::toned(format!("✗{breaks}"), Tone::Bad) }
        }
        Some(Tally { degraded: degraded @ 1.., .. }) => Entry::toned(format!("~{degraded}"), Tone::Warning),
        Some(_) => Entry::toned("✓".to_owned(), Tone::Good),
    }
}
