//! The pages: each is HTML that is read without script.

mod bars;
mod cause;
mod changed;
mod history;
pub(crate) mod index;
mod lists;
mod local;
pub(crate) mod matrix;
mod not_found;
mod pair;
pub(crate) mod parts;
mod peer;
pub(crate) mod report;
mod rules;
mod scenario;
mod shell;
mod since;
mod strip;

use std::collections::BTreeMap;

use crate::context::{Files, Site};
use crate::names::{peer_page, scenario_page};
use crate::ranking::CAUSE_PAGES;
use crate::releases::Release;
use crate::site::in_parallel;

/// Writes all pages.
pub(crate) fn write(site: &Site<'_>, files: &mut Files) {
    files.insert("index.html".to_owned(), index::page(site));
    files.insert("matrix.html".to_owned(), matrix::page(site));
    files.insert("pair.html".to_owned(), pair::page(site));
    files.insert("causes.html".to_owned(), lists::causes(site));
    files.insert("rules.html".to_owned(), rules::page(site));
    files.insert("scenarios.html".to_owned(), lists::scenarios(site));
    files.insert("peers.html".to_owned(), lists::peers(site));
    let releases: Vec<&Release<'_>> = site.releases.values().collect();
    files.extend(in_parallel(&releases, |release| {
        (format!("peer/{}.html", peer_page(&release.product)), peer::page(site, release))
    }));
    let mut cells = BTreeMap::<_, Vec<_>>::new();
    for cell in &site.record.cells {
        cells.entry(&cell.scenario).or_default().push(cell);
    }
    files.extend(in_parallel(&site.record.scenarios, |scenario| {
        let cells = cells.get(&scenario.id).map(Vec::as_slice).unwrap_or_default();
        (format!("scenario/{}.html", scenario_page(&scenario.id)), scenario::page(site, scenario, cells))
    }));
    files.insert("history.html".to_owned(), history::page(site));
    files.insert("local.html".to_owned(), local::page(site));
    files.insert(shell::NOT_FOUND.to_owned(), not_found::page(site));
    let causes: Vec<_> = site.causes.iter().take(CAUSE_PAGES).enumerate().collect();
    files.extend(in_parallel(&causes, |(number, ranked)| {
        (format!("cause/{}.html", ranked.slug), cause::page(site, *number, ranked))
    }));
}
