//! The runs: when, how many cells fared how, and a comparison of any two that the site has.

use maud::{Markup, html};
use mcp_compat_model::record::Record;
use mcp_compat_model::unseen::neutralised;
use mcp_compat_reports::text::clipped;
use mcp_compat_reports::view::Tally;

use super::parts::{bar, begun, number};
use super::shell::{CORPUS, Page};
use crate::context::{COMPARED, Site};
use crate::names::run_id;

/// How many runs are listed.
const LISTED: usize = 400;

pub(crate) fn page(site: &Site<'_>) -> Vec<u8> {
    let runs: Vec<&Record> = site.input.runs.iter().map(|run| run.record).rev().collect();
    let body = html! {
        h1 { "History" }
        p.lead { (number(runs.len())) @if runs.len() == 1 { " run." } @else { " runs, the newest first." } " A share of cells that work is no measure: the corpus and the peers change. Compare runs to see what changed." }
        (strip(&runs))
        div id="compare" data-runs=(ids(&runs)) {}
        div id="app" aria-live="polite" {}
        div.scroll tabindex="0" role="region" aria-label="Runs" {
            table.list {
                thead { tr {
                    @for words in ["Run", "Works", "Degraded", "Breaks", "Silent", "Known", "Cells", "Tool", "Corpus"] { th scope="col" { (words) } }
                } }
                tbody { @for record in runs.iter().take(LISTED) {
                    @let tally = Tally::of(&record.cells);
                    tr {
                        th scope="row" { (begun(&record.started)) @if !record.complete { " " span.tag { "incomplete" } } (bar(tally)) }
                        @for number in [tally.works, tally.degraded, tally.breaks, tally.silent, tally.known, record.cells.len()] { td.num { (self::number(number)) } }
                        td { (clipped(&neutralised(&record.tool_version), 40)) }
                        td { code { (clipped(&neutralised(&record.corpus), CORPUS)) } }
                    }
                } }
            }
        }
    };
    Page { path: "history.html", title: "History", kind: "history", body }.bytes(site)
}

/// The runs that can be compared, the newest first.
fn ids(runs: &[&Record]) -> String {
    let ids: Vec<String> = runs.iter().take(COMPARED).map(|record| run_id(&record.started)).collect();
    ids.join(" ")
}

/// Breaks of each run, the oldest first: silent ones below the others.
fn strip(runs: &[&Record]) -> Markup {
    let tallies: Vec<Tally> = runs.iter().take(60).rev().map(|record| Tally::of(&record.cells)).collect();
    let most = tallies.iter().map(|tally| tally.breaks).max().unwrap_or_default().max(1);
    let high = |number: usize| number as f64 * 40.0 / most as f64;
    html! {
        @if tallies.len() > 1 {
            figure {
                svg.runs viewBox=(format!("0 0 {} 42", tallies.len() * 8)) role="img" aria-label=(format!("Breaks of the last {} runs, at most {most}", tallies.len())) {
                    @for (place, tally) in tallies.iter().enumerate() {
                        rect.b x=(place * 8) y=(format!("{:.1}", 41.0 - high(tally.breaks))) width="6" height=(format!("{:.1}", high(tally.breaks))) {}
                        rect.s x=(place * 8) y=(format!("{:.1}", 41.0 - high(tally.silent))) width="6" height=(format!("{:.1}", high(tally.silent))) {}
                    }
                }
                figcaption.facts { "Breaks of each run, the oldest first; the darker part is silent. The highest bar is " (number(most)) " cells." }
            }
        }
    }
}
