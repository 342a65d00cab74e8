//! Page of a release, for its maintainers: causes to fix, other breaks, other releases, partners, and the badge.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use mcp_compat_model::count::counted;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::signature::{Ground, NoSessionCause};
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::version::Version;
use mcp_compat_model::{PeerId, Role};

use super::parts::{bar, class, command, glyph, headline, in_words, number, prose, rated, worst};
use super::shell::Page;
use crate::command::{Origin, again};
use crate::findings::shown_with_cause;
use crate::site::context::{CAUSE_PAGES, Ranked, Release, Site, family};
use crate::site::names::{peer_page, product};
use crate::text::clipped;
use crate::view::Tally;
use crate::wording;

/// Number of causes of each kind that are shown.
const CAUSES: usize = 30;

pub(crate) fn page(site: &Site<'_>, release: &Release<'_>) -> Vec<u8> {
    let name = &release.product;
    let tally = Tally::of(release.cells());
    let (own, met) = causes(site, release);
    let body = html! {
        p.crumb { "Client or server" @if release.ids.len() > 1 { " · tested as " (clipped(&release.ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(", "), 400)) } }
        h1 { (name) }
        p { (rated(worst(tally))) " " (in_words(tally)) " · "
            (counted(release.as_client.len(), "check")) " as client, " (number(release.as_server.len())) " as server" }
        @for origin in origins(site, release) { p { (origin) } }
        div.sumbar { (bar(tally)) }
        section aria-labelledby="fix" {
            h2 id="fix" { "What to fix next" }
            @if own.is_empty() { p { "No break of this run is for " (name) " to fix." } }
            @else { p.facts { "The cause with most checks comes first." } (listed(site, release, &own)) }
        }
        @if !met.is_empty() {
            section aria-labelledby="met" {
                h2 id="met" { "Other breaks" }
                p.facts { "Something else has to be fixed, or nothing." }
                (listed(site, release, &met))
            }
        }
        (strip(release, &site.releases))
        (partners(site, release))
        section aria-labelledby="badge" {
            h2 id="badge" { "Badge" }
            p { a href={ "../api/v1/badge/" (peer_page(name)) ".svg" } { "The badge of " (name) } }
            p.facts { "The badge names the releases that were judged, the day and the scenarios." }
            (command(&badge(site, name)))
            @if !release.is_built_in() {
                p { a href={ "../feed/" (peer_page(name)) ".xml" } { "A feed of what changes for " (name) } }
                p { a href={ "../known/" (peer_page(name)) ".toml" } { "The breaks of " (name) " as a baseline" } ": a run with it fails for any other break" }
            }
        }
    };
    let path = format!("peer/{}.html", peer_page(name));
    Page { path: &path, title: name, kind: "peer", body }.bytes(site)
}

/// Sentences about the origins of a release that was recorded. They name the role if the release has another one with
/// another origin.
fn origins(site: &Site<'_>, release: &Release<'_>) -> Vec<String> {
    let sides = [(Role::Client, &release.as_client), (Role::Server, &release.as_server)];
    let sides = sides.into_iter().filter(|(_, cells)| !cells.is_empty());
    let mut origins: Vec<_> =
        sides.map(|(role, _)| (role, release.recorded(site.record, role).map(wording::recorded))).collect();
    let is_same = origins.iter().all(|(_, origin)| origins.first().is_some_and(|(_, first)| first == origin));
    if is_same {
        origins.truncate(1);
    }
    let sentence = |(role, origin): (Role, Option<String>)| {
        let not_tested = if is_same { "Not tested".to_owned() } else { format!("As {role} not tested") };
        Some(format!("{not_tested} in this run, but {}.", origin?))
    };
    origins.into_iter().filter_map(sentence).collect()
}

/// Markdown of the badge, with a link to the page.
fn badge(site: &Site<'_>, name: &str) -> String {
    let base = site.input.base.unwrap_or("https://example.org/");
    let page = peer_page(name);
    format!("[![structured output]({base}api/v1/badge/{page}.svg)]({base}peer/{page}.html)")
}

/// Cells of a release that have a cause.
type Share<'s, 'a> = (&'s Ranked<'a>, Vec<&'a CellRecord>);

/// Causes that the release has to fix, and other causes of its breaks; those with most cells first.
fn causes<'s, 'a>(site: &'s Site<'a>, release: &Release<'a>) -> (Vec<Share<'s, 'a>>, Vec<Share<'s, 'a>>) {
    let (mut own, mut met) = (Vec::new(), Vec::new());
    for ranked in site.causes.iter().take(CAUSE_PAGES).filter(|ranked| ranked.rating == Rating::Breaks) {
        let cells = ranked.cause.cells.iter().copied().filter(|cell| release.is_of(cell));
        let (mine, others): (Vec<_>, Vec<_>) =
            cells.partition(|cell| release.is_at_fault(cell) && !shares_no_revision(cell));
        if !mine.is_empty() {
            own.push((ranked, mine));
        } else if !others.is_empty() {
            met.push((ranked, others));
        }
    }
    for shares in [&mut own, &mut met] {
        shares.sort_by_key(|(_, cells)| std::cmp::Reverse(cells.len()));
    }
    (own, met)
}

/// Returns whether client and server share no revision. That is nobody's fault: no peer has to support every revision.
fn shares_no_revision(cell: &CellRecord) -> bool {
    let ground = cell.signature.as_ref().map(|signature| &signature.ground);
    matches!(ground, Some(Ground::NoSession(NoSessionCause::NoCommonRevision)))
}

fn listed(site: &Site<'_>, release: &Release<'_>, shares: &[Share<'_, '_>]) -> Markup {
    html! {
        ol.causes.plain {
            @for (ranked, cells) in shares.iter().take(CAUSES) {
                @if let Some(cell) = cells.iter().find(|cell| cell.silent).or(cells.first()) {
                    @let (head, rest) = headline(&cell.reason);
                    @let partners = cells.iter().map(|cell| if release.ids.contains(&cell.client) { &cell.server } else { &cell.client }).collect::<BTreeSet<_>>();
                    li.cause { div {
                        p.head {
                            @if cell.silent { span.silent { span aria-hidden="true" { "!" } " silent" } " " }
                            a href={ "../cause/" (ranked.slug) ".html" } { (prose(&clipped(&head, 260))) }
                        }
                        @if !rest.is_empty() { p.rest { (prose(&clipped(&rest, 420))) } }
                        p.facts { b { (counted(cells.len(), "check")) } " with " (counted(partners.len(), "partner"))
                            @if let Some(finding) = shown_with_cause(cell).first() { " · rule " (mcp_compat_model::invisible_chars::neutralised(&finding.rule)) " (" (finding.level.as_str()) ")" }
                            " · scenario " (cell.scenario.as_str()) }
                        (command(&again(cell, Origin::of(site.scenarios.get(&cell.scenario).copied())).to_string()))
                    } }
                }
            }
        }
        @if shares.len() > CAUSES { p { "And " (shares.len() - CAUSES) " more." } }
    }
}

/// Changes of each release of the family from the one before, as far as both played the same cells.
fn strip(release: &Release<'_>, all: &BTreeMap<String, Release<'_>>) -> Markup {
    let Some((name, _)) = release.ids.iter().find_map(|id| id.release()) else { return html! {} };
    let is_of = |other: &&Release<'_>| other.ids.iter().any(|id| id.release().is_some() && family(id) == name);
    let mut line: Vec<(&Version, &Release<'_>)> = all
        .values()
        .filter(is_of)
        .filter_map(|other| Some((other.ids.iter().find_map(|id| id.version())?, other)))
        .collect();
    line.sort_by_key(|(version, _)| *version);
    if line.len() < 2 {
        return html! {};
    }
    html! {
        section aria-labelledby="releases" {
            h2 id="releases" { "Releases of " (name) }
            div.scroll tabindex="0" role="region" aria-label="Releases" {
                table {
                    thead { tr { th scope="col" { "Release" } th scope="col" { "Result" } th scope="col" { "Against the one before, where both were tested alike" } } }
                    tbody { @for (place, (version, other)) in line.iter().enumerate() {
                        @let tally = Tally::of(other.cells());
                        tr {
                            th scope="row" { a href={ (peer_page(&other.product)) ".html" } aria-current=[(other.product == release.product).then_some("true")] { (version.as_str()) } }
                            td class=(class(worst(tally))) { (glyph(worst(tally))) " " (in_words(tally)) }
                            td { @if let Some((_, before)) = place.checked_sub(1).and_then(|before| line.get(before)) { (moved(before, other)) } @else { "the first that was tested" } }
                        }
                    } }
                }
            }
        }
    }
}

/// Numbers of cells that are better and worse than in the release before, of the cells that both have.
fn moved(before: &Release<'_>, now: &Release<'_>) -> Markup {
    let key = |cell: &CellRecord, is_client: bool| {
        let (own, partner) = if is_client { (&cell.client, &cell.server) } else { (&cell.server, &cell.client) };
        (
            cell.scenario.clone(),
            partner.clone(),
            cell.transport,
            own.mode(),
            own.flavour().map(str::to_owned),
            is_client,
        )
    };
    let side = |release: &Release<'_>| {
        let clients = release.as_client.iter().map(|cell| (key(cell, true), cell.rating));
        let servers = release.as_server.iter().map(|cell| (key(cell, false), cell.rating));
        clients.chain(servers).collect::<BTreeMap<_, _>>()
    };
    let (old, new) = (side(before), side(now));
    let both = new.iter().filter_map(|(key, rating)| Some((*old.get(key)?, *rating)));
    let judged: Vec<(Rating, Rating)> =
        both.filter(|(was, is)| *was != Rating::Skipped && *is != Rating::Skipped).collect();
    let better = judged.iter().filter(|(was, is)| is < was).count();
    let worse = judged.iter().filter(|(was, is)| is > was).count();
    html! {
        @if judged.is_empty() { "nothing was tested alike" }
        @else { span.better { (number(better)) " better" } ", " span.worse { (number(worse)) " worse" } " of " (counted(judged.len(), "check")) }
    }
}

/// Table of the results with each partner.
fn partners(site: &Site<'_>, release: &Release<'_>) -> Markup {
    let by = |cells: &[&CellRecord], of: fn(&CellRecord) -> &PeerId| {
        let mut tallies = BTreeMap::<String, Tally>::new();
        let mut by_id = BTreeMap::<&PeerId, Tally>::new();
        cells.iter().for_each(|cell| by_id.entry(of(cell)).or_default().add(cell));
        by_id.into_iter().for_each(|(id, tally)| tallies.entry(product(id)).or_default().join(tally));
        tallies
    };
    let with_servers = by(&release.as_client, |cell| &cell.server);
    let with_clients = by(&release.as_server, |cell| &cell.client);
    let names: BTreeSet<&String> = with_servers.keys().chain(with_clients.keys()).collect();
    let square = |tally: Option<&Tally>, client: &str, server: &str| {
        html! {
            @match tally {
                Some(tally) => td class=(class(worst(*tally))) { a href={ "../pair.html#client=" (client) "&server=" (server) } { (glyph(worst(*tally))) " " (in_words(*tally)) } },
                None => td { "not tested" },
            }
        }
    };
    let own = release.product.as_str();
    html! {
        section aria-labelledby="partners" {
            h2 id="partners" { "Partners" }
            div.scroll tabindex="0" role="region" aria-label="Partners" {
                table.partners {
                    thead { tr { th scope="col" { "Partner" } th scope="col" { (own) " as client" } th scope="col" { (own) " as server" } } }
                    tbody { @for name in names { tr {
                        th scope="row" { a href={ (peer_page(name)) ".html" } { (name) } }
                        (square(with_servers.get(name), own, name))
                        (square(with_clients.get(name), name, own))
                    } } }
                }
            }
            p.facts { "Scenarios " code { (clipped(&mcp_compat_model::invisible_chars::neutralised(&site.record.corpus), 12)) } "." }
        }
    }
}
