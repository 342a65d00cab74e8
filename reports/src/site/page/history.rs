//! Page of all runs: the time and the numbers of cells of each, and a comparison of any two of the newest.

use std::collections::BTreeSet;

use maud::{Markup, html};
use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;

use super::parts::{bar, bars, begun, most, number};
use super::shell::{CORPUS, Page};
use crate::site::context::Site;
use crate::site::earlier::{COMPARED, Sum};
use crate::text::clipped;

/// Number of runs that are listed.
const LISTED: usize = 400;

/// Number of runs that are drawn.
const DRAWN: usize = 60;

pub(crate) fn page(site: &Site<'_>) -> Vec<u8> {
    let newest = site.input.earlier.newest();
    let runs: Vec<&Sum> = std::iter::once(&newest).chain(site.input.earlier.sums()).collect();
    let body = html! {
        h1 { "History" }
        p.lead { (number(runs.len())) @if runs.len() == 1 { " run." } @else { " runs, the newest first." } " Do not compare shares of checks that work: scenarios, clients and servers come and go. Compare two runs to see what changed." }
        (drawn(&runs))
        div id="compare" data-runs=(ids(&runs)) {}
        div id="app" aria-live="polite" {}
        div.scroll tabindex="0" role="region" aria-label="Runs" {
            table.list {
                thead { tr {
                    th scope="col" { "Run" }
                    @for words in ["Works", "Degraded", "Breaks", "Silent", "Known", "Checks"] { th.num scope="col" { (words) } }
                    th scope="col" { "Tool" } th scope="col" { "Scenarios" }
                } }
                tbody { @for sum in runs.iter().take(LISTED) {
                    @let tally = sum.tally;
                    tr {
                        th scope="row" { (begun(&sum.started)) @if !sum.complete { " " span.tag { "incomplete" } } (bar(tally)) }
                        @for number in [tally.works, tally.degraded, tally.breaks, tally.silent, tally.known, sum.cells] { td.num { (self::number(number)) } }
                        td { (clipped(&neutralised(&sum.tool), 40)) }
                        td { code { (clipped(&neutralised(&sum.corpus), CORPUS)) } }
                    }
                } }
            }
        }
    };
    Page { path: "history.html", title: "History", kind: "history", body }.bytes(site)
}

/// Ids of the runs that can be compared, the newest first.
fn ids(runs: &[&Sum]) -> String {
    let ids: Vec<&str> = runs.iter().take(COMPARED).map(|sum| sum.id.as_str()).collect();
    ids.join(" ")
}

/// Charts of the breaks of each run, and of each family of releases.
fn drawn(runs: &[&Sum]) -> Markup {
    let shown: Vec<&Sum> = runs.iter().take(DRAWN).rev().copied().collect();
    let whole: Vec<(usize, usize)> = shown.iter().map(|sum| (sum.tally.breaks, sum.tally.silent)).collect();
    let broke = shown.iter().flat_map(|sum| &sum.families).filter(|(_, breaks)| **breaks > 0);
    let families: BTreeSet<&String> = broke.map(|(family, _)| family).collect();
    let of = |family: &String| -> Vec<(usize, usize)> {
        shown.iter().map(|sum| (sum.families.get(family).copied().unwrap_or_default(), 0)).collect()
    };
    let newest = |family: &String| {
        let breaks = shown.last().and_then(|sum| sum.families.get(family));
        breaks.map_or_else(|| "–".to_owned(), |breaks| number(*breaks))
    };
    let label = |runs: &[(usize, usize)]| format!("Breaks of the last {} runs, at most {}", runs.len(), most(runs));
    html! {
        @if shown.len() > 1 {
            figure {
                (bars("", &whole, &label(&whole)))
                figcaption.facts { "Breaks of each run, the oldest first; the darker part is silent. The highest bar is " (counted(most(&whole), "check")) "." }
            }
            @if !families.is_empty() {
                div.scroll tabindex="0" role="region" aria-label="Breaks by SDK" {
                    table.list {
                        caption { "Breaks that the releases of each SDK meet, as client or as server." }
                        thead { tr { th scope="col" { "SDK" } th scope="col" { "Runs, the oldest first" } th.num scope="col" { "Newest run" } } }
                        tbody { @for family in families {
                            @let runs = of(family);
                            tr { th scope="row" { (family) } td { (bars("", &runs, &label(&runs))) } td.num { (newest(family)) } }
                        } }
                    }
                }
            }
        }
    }
}
