//! Pages with lists of causes, peers and scenarios.

use std::collections::BTreeMap;

use maud::html;
use mcp_compat_model::Role;
use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::verdict::Rating;

use super::cause;
use super::parts::{bar, class, glyph, in_words, number, prose, worst};
use super::shell::Page;
use crate::site::context::{CAUSE_PAGES, Release, Site};
use crate::site::names::{peer_page, scenario_page};
use crate::text::clipped;
use crate::view::Tally;

/// Page of all causes: of new breaks, of known ones, and of degraded cells.
pub(crate) fn causes(site: &Site<'_>) -> Vec<u8> {
    let listed = || site.causes.iter().take(CAUSE_PAGES);
    let known = |ranked: &&crate::site::context::Ranked<'_>| ranked.cause.new_breaks() == 0;
    let groups = [
        (
            "breaks",
            "Breaks",
            listed().filter(|ranked| ranked.rating == Rating::Breaks && !known(ranked)).collect::<Vec<_>>(),
        ),
        ("known", "Known breaks", listed().filter(|ranked| ranked.rating == Rating::Breaks && known(ranked)).collect()),
        ("degraded", "Degraded", listed().filter(|ranked| ranked.rating == Rating::Degraded).collect()),
    ];
    let body = html! {
        h1 { "Causes" }
        p.lead { "Checks that break or degrade for one cause are reported once. Those that hit newest releases come first." }
        @for (id, title, group) in &groups {
            @if !group.is_empty() {
                section aria-labelledby=(id) {
                    h2 id=(id) { (title) ": " (counted(group.len(), "cause")) }
                    ol.causes { @for ranked in group { (cause::item(site, "", ranked)) } }
                }
            }
        }
        @if cause::without_page(site) > 0 { p { "And " (cause::without_page(site)) " more, which have no page." } }
    };
    Page { path: "causes.html", title: "Causes", kind: "causes", body }.bytes(site)
}

/// Page of all releases with their results.
pub(crate) fn peers(site: &Site<'_>) -> Vec<u8> {
    let built_in = |release: &&Release<'_>| release.is_built_in();
    let groups = [
        (
            "released",
            "Released SDKs, and clients and servers of your own",
            site.releases.values().filter(|release| !built_in(release)).collect::<Vec<_>>(),
        ),
        ("mocks", "Mocks", site.releases.values().filter(built_in).collect()),
    ];
    let body = html! {
        h1 { "Clients and servers" }
        @for (id, title, group) in &groups {
            @if !group.is_empty() {
                section aria-labelledby=(id) {
                    h2 id=(id) { (title) }
                    div.scroll tabindex="0" role="region" aria-label=(title) {
                        table.list {
                            thead { tr { th scope="col" { "Client or server" } th scope="col" { "As client" } th scope="col" { "As server" } } }
                            tbody { @for release in group { tr {
                                th scope="row" { a href={ "peer/" (peer_page(&release.product)) ".html" } { (release.product) } }
                                @for (role, cells) in [(Role::Client, &release.as_client), (Role::Server, &release.as_server)] {
                                    @let tally = Tally::of(cells.iter().copied());
                                    @if cells.is_empty() { td { "not tested" } }
                                    @else { td class=(class(worst(tally))) { (glyph(worst(tally))) " " (in_words(tally)) @if release.recorded(site.record, role).is_some() { " (recorded)" } (bar(tally)) } }
                                }
                            } } }
                        }
                    }
                }
            }
        }
    };
    Page { path: "peers.html", title: "Clients and servers", kind: "peers", body }.bytes(site)
}

/// Page of all scenarios by class, with their results.
pub(crate) fn scenarios(site: &Site<'_>) -> Vec<u8> {
    let mut tallies = BTreeMap::<_, Tally>::new();
    for cell in &site.record.cells {
        tallies.entry(&cell.scenario).or_default().add(cell);
    }
    let mut classes = BTreeMap::<&str, Vec<_>>::new();
    for scenario in &site.record.scenarios {
        classes.entry(scenario.id.class()).or_default().push(scenario);
    }
    let body = html! {
        h1 { "Scenarios" }
        p.lead { (number(tallies.len())) " of " (counted(site.record.scenarios.len(), "scenario")) " were tested." }
        div.scroll tabindex="0" role="region" aria-label="Scenarios" {
            table.list {
                thead { tr { th scope="col" { "Scenario" } th scope="col" { "What it is about" } th scope="col" { "Result" } } }
                @for (class_name, scenarios) in &classes {
                    tbody {
                        tr.class { th scope="rowgroup" colspan="3" { (class_name) } }
                        @for scenario in scenarios { tr {
                            th scope="row" { a href={ "scenario/" (scenario_page(&scenario.id)) ".html" } { (scenario.id.as_str()) } }
                            td { (prose(&clipped(&neutralised(&scenario.title), 160))) }
                            @if let Some(tally) = tallies.get(&scenario.id) { td class=(class(worst(*tally))) { (glyph(worst(*tally))) " " (in_words(*tally)) } }
                            @else { td.k { "– not tested" } }
                        } }
                    }
                }
            }
        }
    };
    Page { path: "scenarios.html", title: "Scenarios", kind: "scenarios", body }.bytes(site)
}
