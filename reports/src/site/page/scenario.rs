//! Page of a scenario: its reason, its definition, its results, and a text for an issue.

use std::collections::BTreeMap;

use maud::{Markup, html};
use mcp_compat_model::Role;
use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::{CellRecord, ScenarioRecord};
use mcp_compat_model::support::{Statement, SupportRange};
use mcp_compat_model::verdict::Rating;

use crate::command::{Origin, again};
use crate::site::context::{ByProduct, Site, front};
use crate::site::names::{peer_page, product, scenario_page};
use crate::site::page::index::{front_title, key, two_lines};
use crate::site::page::parts::{
    address, bar, class, command, glyph, in_short, in_words, number, peer, prose, rated, too_large, worst,
};
use crate::site::page::shell::Page;
use crate::text::clipped;
use crate::view::Tally;
use crate::wording;

/// Number of characters of a definition that are shown.
const SHOWN: usize = 4_000;

pub(crate) fn page(site: &Site<'_>, scenario: &ScenarioRecord, cells: &[&CellRecord]) -> Vec<u8> {
    let path = format!("scenario/{}.html", scenario_page(&scenario.id));
    let root = "../".repeat(path.matches('/').count());
    let title = clipped(&neutralised(&scenario.title), 300);
    let tally = Tally::of(cells.iter().copied());
    let definition = site.input.definitions.get(&scenario.id);
    let body = html! {
            p.crumb { code { (scenario.id.as_str()) } " · from revision " (scenario.since.as_str()) }
            h1.long { (prose(&title)) }
            p.lead { (prose(&clipped(&neutralised(&scenario.why), 2_000))) }
            @if !scenario.sources.is_empty() {
                ul.sources { @for source in scenario.sources.iter().take(8) { li { (address(source, &clipped(source, 200))) } } }
            }
            p { (rated(worst(tally))) " " (in_words(tally)) " · " a href={ (root) "pair.html#scenario=" (scenario.id.as_str()) } { "all " (counted(cells.len(), "check")) } }
            div.sumbar { (bar(tally)) }
            section aria-labelledby="newest" {
                h2 id="newest" { (front_title(site)) }
                (squares(site, &root, scenario, cells))
                (key())
            }
    @if let Some(definition) = definition {
                section aria-labelledby="steps" {
                    h2 id="steps" { "What is tested" }
                    ol.steps { @for step in &definition.tools { li { (prose(&neutralised(step))) } } }
    @for (name, text) in &definition.wire { details { summary { "Tool " code { (neutralised(name)) } } pre { (clipped(&neutralised(text), SHOWN)) } } }
                }
            }
            (support_section(site, scenario.id.as_str()))
            (sides(site, &root, cells))
            (issue(site, scenario, cells))
        };
    Page { path: &path, title: &title.replace('`', ""), kind: "scenario", body }.bytes(site)
}

fn squares(site: &Site<'_>, root: &str, scenario: &ScenarioRecord, cells: &[&CellRecord]) -> Markup {
    let (clients, servers) = (front(site.clients(), &site.newest), front(site.servers(), &site.newest));
    if let Some(note) = too_large(clients.len(), servers.len()) {
        return note;
    }
    let tallies = ByProduct::of(cells.iter().copied());
    html! {
        div.scroll tabindex="0" role="region" aria-label=(front_title(site)) {
            table.m.front {
                caption.vh { "Clients down, servers across" }
                thead { tr {
                    th scope="col" { span.vh { "Client" } }
                    @for server in &servers { th scope="col" { a href={ (root) "peer/" (peer_page(server)) ".html" } { (two_lines(server)) } } }
                } }
                tbody { @for client in &clients { tr {
                    th scope="row" { a href={ (root) "peer/" (peer_page(client)) ".html" } { (client) } }
                    @for server in &servers {
                        @if let Some(tally) = tallies.tally(client, server) {
                            td class=(class(worst(tally))) {
                                a href={ (root) "pair.html#client=" (client) "&server=" (server) "&scenario=" (scenario.id.as_str()) } aria-label=(format!("{client} with {server}: {}", in_words(tally))) {
                                    span.g { (glyph(worst(tally))) @if tally.silent > 0 { span.s { "!" } } } span.c { (in_short(tally)) }
                                }
                            }
                        } @else { td.n { span.vh { "not tested" } } }
                    }
                } } }
            }
        }
    }
}

/// Tables of all clients and servers with their results.
fn sides(site: &Site<'_>, root: &str, cells: &[&CellRecord]) -> Markup {
    let by = |of: fn(&CellRecord) -> &mcp_compat_model::PeerId| {
        let mut tallies = BTreeMap::<_, Tally>::new();
        cells.iter().for_each(|cell| tallies.entry(of(cell)).or_default().add(cell));
        tallies
    };
    html! {
        section aria-labelledby="peers" {
            h2 id="peers" { "Every client and server" }
            div.halves {
                @for (title, peers, tallies) in [("Client", site.clients(), by(|cell| &cell.client)), ("Server", site.servers(), by(|cell| &cell.server))] {
                    div.scroll tabindex="0" role="region" aria-label=(title) {
                        table {
                            thead { tr { th scope="col" { (title) } th scope="col" { "Result" } } }
                            tbody { @for id in peers { @if let Some(tally) = tallies.get(*id) { tr {
                                th scope="row" { (peer(root, id)) }
                                td class=(class(worst(*tally))) { (glyph(worst(*tally))) " " (in_words(*tally)) }
                            } } } }
                        }
                    }
                }
            }
        }
    }
}

/// Text that a maintainer can paste into an issue.
fn issue(site: &Site<'_>, scenario: &ScenarioRecord, cells: &[&CellRecord]) -> Markup {
    let is_broken = |cell: &&&CellRecord| cell.rating == Rating::Breaks;
    let real = |cell: &&&CellRecord| !(cell.client.is_built_in() && cell.server.is_built_in());
    let broken = cells.iter().filter(is_broken);
    let Some(cell) = broken.clone().find(real).or_else(|| broken.clone().next()) else { return html! {} };
    let play = again(cell, Origin::of(Some(scenario))).to_string();
    let mut products: Vec<String> = broken.clone().map(|cell| product(&cell.client)).collect();
    products.sort();
    products.dedup();
    let text = format!(
        "{}\n\n{}\n\nClients that break ({} of {} checks, scenarios {}): {}\n\nReproduce:\n\n    {play}\n",
        clipped(&neutralised(&scenario.title), 300),
        clipped(&neutralised(&cell.reason), 1_200),
        number(broken.count()),
        number(cells.len()),
        clipped(&neutralised(&site.record.corpus), 12),
        clipped(&products.join(", "), 600),
    );
    html! {
        section aria-labelledby="issue" {
            h2 id="issue" { "For an issue" }
            div.cmd { pre { (text) } button.copy type="button" hidden { "Copy as issue" } }
            (command(&play))
        }
    }
}

/// Section about the support of a scenario, if it was measured.
pub(crate) fn support_section(site: &Site<'_>, scenario: &str) -> Markup {
    let support = site.input.support;
    let of = |role: Role| support.of_scenario(scenario).filter(move |statement| statement.role == role);
    let mut measured: Vec<String> = support
        .of_scenario(scenario)
        .filter_map(|statement| support.sweep(&statement.family))
        .map(|sweep| neutralised(&sweep.date))
        .collect();
    measured.sort();
    let Some((first, last)) = measured.first().zip(measured.last()) else { return html! {} };
    html! {
        section aria-labelledby="support" {
            h2 id="support" { "Since which release" }
            @for (title, statements) in [("Clients", of(Role::Client).collect::<Vec<_>>()), ("Servers", of(Role::Server).collect())] {
                @if !statements.is_empty() {
                    div.scroll tabindex="0" role="region" aria-label=(title) {
                        table.strip {
                            caption { (title) ", by release. The oldest release comes first." }
                            tbody { @for statement in statements { (row(statement)) } }
                        }
                    }
                }
            }
            p.facts {
                "Measured " @if first == last { "on " (first) } @else { "from " (first) " to " (last) } ". The first and the last release of a range were tested; a release between them that was not played is inferred. "
                code { "mcp-compat support " (scenario) } " prints the evidence."
            }
        }
    }
}

fn row(statement: &Statement) -> Markup {
    html! { tr {
        th scope="row" { (neutralised(&statement.family)) }
        td { @for range in &statement.ranges { (strip(range)) " " } }
    } }
}

fn strip(range: &SupportRange) -> Markup {
    let mode = range.mode.map(|mode| format!("+{mode}")).unwrap_or_default();
    let words = match range.rating {
        Rating::Works | Rating::Degraded => range.rating.as_str().to_owned(),
        Rating::Skipped => "not supported".to_owned(),
        Rating::Breaks => {
            let lost = range.lost.map(|lost| format!(", lost: {}", wording::lost(lost))).unwrap_or_default();
            format!("breaks{}{lost}", if range.silent { " silently" } else { "" })
        }
    };
    html! {
        span class={ "rel " (class(range.rating)) } title=(words) {
            span aria-hidden="true" { (glyph(range.rating)) @if range.silent { "!" } } span.vh { (words) ": " } " "
            (range.from.as_str()) @if range.from != range.to { " – " (range.to.as_str()) } (mode)
        }
    }
}
