//! Since when a cause is there, and what changed of it since the run before.

use std::collections::BTreeMap;

use maud::{Markup, html};
use mcp_compat_model::cause::Cause;
use mcp_compat_model::count::counted;
use mcp_compat_model::diff::Class;
use mcp_compat_reports::text::clipped;

use super::bars::{bars, most};
use super::parts::{asking, begun, number};
use crate::columns::NAME;
use crate::context::Site;
use crate::earlier::Sum;
use crate::ranking::Ranked;

/// How many runs are drawn.
const DRAWN: usize = 30;

/// Since when, in a few words; nothing where there is no earlier run.
pub(crate) fn in_short(site: &Site<'_>, cause: &Cause<'_>) -> Option<String> {
    let runs = site.input.earlier.in_a_row(&cause.name);
    match (site.input.earlier.sums().is_empty(), runs) {
        (true, _) => None,
        (false, 1) => Some("new in this run".to_owned()),
        (false, runs) => Some(format!("in the last {}", counted(runs, "run"))),
    }
}

/// The section of the page of a cause.
pub(crate) fn section(site: &Site<'_>, ranked: &Ranked<'_>) -> Markup {
    let (earlier, cause) = (site.input.earlier.sums(), &ranked.cause);
    let runs = site.input.earlier.in_a_row(&cause.name);
    let Some(last) = earlier.first() else { return html! {} };
    html! {
        section aria-labelledby="since" {
            h2 id="since" { "Since when" }
            p {
                @match runs.checked_sub(2).and_then(|place| earlier.get(place)) {
                    Some(first) => { "In each of the last " (counted(runs, "run")) ", since that of " (begun(&first.started)) "." },
                    None if earlier.iter().any(|sum| sum.causes.contains_key(&cause.name)) => "The run before did not have it, an earlier run did.",
                    None => "New in this run.",
                }
            }
            (drawn(earlier, cause))
            (compared(site, ranked, last))
        }
    }
}

/// How many cells broke for the cause in each run, the oldest first.
fn drawn(earlier: &[Sum], cause: &Cause<'_>) -> Markup {
    let before = earlier.iter().take(DRAWN - 1).rev();
    let mut runs: Vec<(usize, usize)> =
        before.map(|sum| (sum.causes.get(&cause.name).copied().unwrap_or_default(), 0)).collect();
    runs.push((cause.cells.len(), 0));
    let most = counted(most(&runs), "cell");
    html! {
        figure {
            (bars("few", &runs, &format!("Cells of this cause in the last {} runs, at most {most}", runs.len())))
            figcaption.facts { "Cells of this cause in each run, the oldest first. The highest bar is " (most) "." }
        }
    }
}

/// How the cells of the cause compare with those of the run before.
fn compared(site: &Site<'_>, ranked: &Ranked<'_>, last: &Sum) -> Markup {
    let mut classes = BTreeMap::<Class, usize>::new();
    for class in ranked.cause.cells.iter().filter_map(|cell| site.class(cell)) {
        *classes.entry(class).or_default() += 1;
    }
    html! {
        @if classes.is_empty() { p.facts { "The run of " (begun(&last.started)) " cannot be compared with this one." } }
        @else {
            p { "Compared with the run of " (begun(&last.started)) ": "
                @for (place, (class, cells)) in classes.iter().enumerate() {
                    @if place > 0 { ", " }
                    @if ranked.cause.example.signature.is_some() {
                        a href={ "../" (asking(&format!("cause:{} changed:{class}", glob_of(&ranked.cause.name)))) } { (number(*cells)) " " (class.as_str()) }
                    } @else { (number(*cells)) " " (class.as_str()) }
                }
                "."
            }
        }
    }
}

/// Glob that matches the name of a cause. Signs with a meaning in filters become `?`.
fn glob_of(name: &str) -> String {
    clipped(name, NAME).replace(|c: char| c.is_whitespace() || "|*\"".contains(c), "?")
}
