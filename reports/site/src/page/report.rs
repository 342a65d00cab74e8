//! The parts of the report in one file.

use maud::{Markup, html};
use mcp_compat_model::verdict::Rating;

use super::{cause, changed, index, matrix};
use crate::context::Site;

/// How many causes it lists.
const CAUSES: usize = 100;

pub(crate) fn body(site: &Site<'_>) -> Markup {
    let listed = |rating| site.causes.iter().filter(move |ranked| ranked.rating == rating).take(CAUSES);
    html! {
        div id="app" aria-live="polite" hidden {}
        div id="whole" {
            (index::verdict(site))
            p.facts { "The messages here are those of cells that do not work, as far as 5 MB hold them. " code { "mcp-compat site" } " makes a folder with all of them." }
            @if site.input.earlier.changes().is_some() { (changed::section(site)) }
            section aria-labelledby="causes" {
                h2 id="causes" { "What breaks, most users first" }
                ol.causes { @for ranked in listed(Rating::Breaks) { (cause::item(site, "", ranked)) } }
            }
            section aria-labelledby="newest" {
                h2 id="newest" { (index::front_title(site)) }
                (index::newest(site))
            }
            section aria-labelledby="all" {
                h2 id="all" { "All pairs" }
                (matrix::table(site))
            }
            section aria-labelledby="degraded" {
                h2 id="degraded" { "What degrades" }
                ol.causes { @for ranked in listed(Rating::Degraded) { (cause::item(site, "", ranked)) } }
            }
            (index::run(site))
        }
    }
}
