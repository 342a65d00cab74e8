//! Pages of the site: HTML that is readable without script.

pub(crate) mod cause;
mod history;
mod hosts;
pub(crate) mod index;
mod lists;
pub(crate) mod matrix;
pub(crate) mod parts;
mod peer;
mod rules;
mod scenario;
mod shell;

use std::collections::BTreeMap;

use maud::html;

use crate::site::context::{CAUSE_PAGES, Files, Release, Site};
use crate::site::in_parallel;
use crate::site::names::{peer_page, scenario_page};
use shell::{NOT_FOUND, Page};

/// Writes all pages.
pub(crate) fn write(site: &Site<'_>, files: &mut Files) {
    files.insert("index.html".to_owned(), index::page(site));
    files.insert("matrix.html".to_owned(), matrix::page(site));
    files.insert("pair.html".to_owned(), pair_page(site));
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
    if let Some(of_hosts) = site.input.hosts {
        files.insert(hosts::PATH.to_owned(), hosts::page(site, of_hosts));
    }
    files.insert("history.html".to_owned(), history::page(site));
    files.insert("local.html".to_owned(), local_page(site));
    files.insert(NOT_FOUND.to_owned(), not_found_page(site));
    let causes: Vec<_> = site.causes.iter().take(CAUSE_PAGES).enumerate().collect();
    files.extend(in_parallel(&causes, |(number, ranked)| {
        (format!("cause/{}.html", ranked.slug), cause::page(site, *number, ranked))
    }));
}

pub(crate) fn local_page(site: &Site<'_>) -> Vec<u8> {
    let body = html! {
        h1 { "Open a record" }
        p.lead { "Choose the " code { "run.json" } " of a run, or a run of a history (" code { ".mcpc.gz" } "). It is read in this browser and sent nowhere." }
        noscript { p.warn { "This page needs script. " code { "mcp-compat report RECORD" } " shows a record in a terminal." } }
        div id="drop" {}
        div id="app" aria-live="polite" {}
    };
    Page { path: "local.html", title: "Open a record", kind: "local", body }.bytes(site)
}

pub(crate) fn pair_page(site: &Site<'_>) -> Vec<u8> {
    let body = html! {
        noscript { p.warn { "A pair and its checks are shown by script. Without it, the " a href="matrix.html" { "matrix" } " and the " a href="causes.html" { "causes" } " say the same in short, and " code { "mcp-compat show CELL" } " shows a cell in full." } }
        div id="app" aria-live="polite" {}
    };
    Page { path: "pair.html", title: "Pair", kind: "pair", body }.bytes(site)
}

pub(crate) fn not_found_page(site: &Site<'_>) -> Vec<u8> {
    let root = site.input.base.unwrap_or_default();
    let body = html! {
        h1 { "Not found" }
        p.lead { "The newest run has no page of this name. A cause that was fixed has none, nor has a client or server that is no longer tested." }
        ul {
            li { a href={ (root) "causes.html" } { "All causes of the newest run" } }
            li { a href={ (root) "peers.html" } { "All clients and servers" } }
            li { a href={ (root) "history.html" } { "The earlier runs" } }
        }
    };
    Page { path: NOT_FOUND, title: "Not found", kind: "not-found", body }.bytes(site)
}
