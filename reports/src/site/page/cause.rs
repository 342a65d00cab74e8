//! Pages and list items of causes.

use std::collections::BTreeMap;

use maud::{Markup, html};
use mcp_compat_judge::rules;
use mcp_compat_model::PeerId;
use mcp_compat_model::cause::Cause;
use mcp_compat_model::count::counted;
use mcp_compat_model::diff::Class;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::CellRecord;

use crate::command::{Origin, again};
use crate::findings::shown_with_cause;
use crate::reach::Reach;
use crate::site::Issue;
use crate::site::columns::NAME;
use crate::site::context::{CAUSE_PAGES, Ranked, Site, family};
use crate::site::earlier::Sum;
use crate::site::page::parts::{
    address, asking, bars, begun, command, most, number, peer, prose, rated, scenario, spark,
};
use crate::site::page::shell::Page;
use crate::text::{by_baseline, clipped, standing};
use crate::view::detail;
use crate::{headline, wording};

/// Number of characters of an example in a list.
const REST: usize = 420;

/// Number of names of each kind that are listed.
const NAMES: usize = 4;

/// Number of cells that the page of a cause lists; the matrix has all.
const CELLS: usize = 200;

/// Item for a cause in a list.
pub(crate) fn item(site: &Site<'_>, root: &str, ranked: &Ranked<'_>) -> Markup {
    let cause = &ranked.cause;
    let reach = Reach::of(cause, &site.view);
    let pairs = pairs(cause.cells.iter().copied());
    html! {
        li.cause id={ "cause-" (ranked.slug) } data-cause=(ranked.slug) {
            a.sparkbox href={ (root) "cause/" (ranked.slug) ".html" } tabindex="-1" aria-hidden="true" { (spark(cause, site.clients(), site.servers())) }
            div {
                p.head {
                    @if cause.is_silent() { span.silent { span aria-hidden="true" { "!" } " silent" } " " }
                    @if let Some(known) = cause.example.known.as_ref() { span.tag { (standing(known)) } " " }
                    a href={ (root) "cause/" (ranked.slug) ".html" } { (prose(&headline::title(cause))) }
                }
                p.rest { "For example: " (prose(&clipped(&neutralised(&cause.example.reason), REST))) }
                p.facts {
                    (reach.facts(cause).join(" · ")) " · " (counted(pairs, "pair"))
                    @if let Some(since) = since_in_short(site, cause) { " · " (since) }
                    @if !site.issues(&cause.name).is_empty() { " · reported" }
                }
                p.facts {
                    b { "clients" } " " (reach.clients.list(NAMES, str::to_owned)) " · "
                    b { "servers" } " " (reach.servers.list(NAMES, str::to_owned))
                }
            }
        }
    }
}

/// Item for a cause on the first page: its description, its facts, and its reach.
pub(crate) fn brief(site: &Site<'_>, ranked: &Ranked<'_>) -> Markup {
    let cause = &ranked.cause;
    let page = format!("cause/{}.html", ranked.slug);
    let distinct = |of: fn(&CellRecord) -> &PeerId| cause.distinct(of).len();
    html! {
        li.cause data-cause=(ranked.slug) data-cells=(cause.cells.len()) {
            a.sparkbox href=(page) tabindex="-1" aria-hidden="true" { (spark(cause, site.clients(), site.servers())) }
            div {
                p.head {
                    @if cause.is_silent() { span.silent { span aria-hidden="true" { "!" } " silent" } " " }
                    a href=(page) { (prose(&headline::title(cause))) }
                }
                p.facts {
                    @if let Some(known) = cause.example.known.as_ref() { span.tag { (standing(known)) } " " }
                    (Reach::of(cause, &site.view).facts(cause).join(" · "))
                    @if let Some(since) = since_in_short(site, cause) { " · " (since) }
                }
            }
            p.reach {
                b { (counted(distinct(|cell| &cell.client), "client")) " × " (counted(distinct(|cell| &cell.server), "server")) }
                @if site.has_releases() { br; (counted(ranked.newest, "check")) " of newest releases" }
            }
        }
    }
}

/// Link to an issue of our own list.
fn issue_link(issue: &Issue) -> Markup {
    html! { a rel="noreferrer" href=(issue.url) { (neutralised(&issue.title)) } }
}

fn pairs<'a>(cells: impl Iterator<Item = &'a CellRecord>) -> usize {
    cells.map(|cell| (&cell.client, &cell.server)).collect::<std::collections::BTreeSet<_>>().len()
}

pub(crate) fn page(site: &Site<'_>, place: usize, ranked: &Ranked<'_>) -> Vec<u8> {
    let cause = &ranked.cause;
    let cell = cause.example;
    let head = headline::title(cause);
    let reach = Reach::of(cause, &site.view);
    let body = html! {
            p.crumb { "Cause " (place + 1) " of " (site.causes.len()) " · " code { (clipped(&neutralised(&cause.name), 200)) } }
            h1.long { (prose(&head)) }
            p { (rated(ranked.rating)) @if cause.is_silent() { " " span.silent { "! silent" } } " · " (reach.facts(cause).join(" · ")) }
            p.lead { "For example: " (prose(&clipped(&neutralised(&cell.reason), 1200))) }
            @if let Some(known) = &cell.known {
                p.warn { strong { (standing(known)) ": " } (prose(&by_baseline(known))) @if let Some(issue) = &known.issue { " " (address(issue, issue)) } }
            }
    @if let Some(with_mocks) = wording::with_mocks(cell) { p { b { "With mocks" } " " (prose(&with_mocks)) } }
            @for issue in site.issues(&cause.name) {
                p.issue { "Reported: " (issue_link(issue)) " " span.tag { (issue.state) } }
            }
            (broken_rules(cell))
            section aria-labelledby="reach" {
                h2 id="reach" { "Who is hit" }
                div.two {
                    div.bigspark { (spark(cause, site.clients(), site.servers())) p.facts { "clients down, servers across" } }
                    dl {
                        div { dt { "clients" } dd { (reach.clients.list(12, str::to_owned)) } }
                        div { dt { "servers" } dd { (reach.servers.list(12, str::to_owned)) } }
                        div { dt { "scenarios" } dd { (reach.scenarios.list(12, str::to_owned)) } }
                        @if site.has_releases() {
                            div { dt { "newest releases" } dd { (number(ranked.newest)) " of " (counted(cause.cells.len(), "check")) } }
                        }
                    }
                }
                (ranges(site.clients(), "Clients, by release", &cause.cells, |cell| &cell.client))
                (ranges(site.servers(), "Servers, by release", &cause.cells, |cell| &cell.server))
            }
            (since_section(site, ranked))
            section aria-labelledby="again" {
                h2 id="again" { "Run one check again" }
                (command(&again(cell, Origin::of(site.scenarios.get(&cell.scenario).copied())).to_string()))
            }
            (cells(cause.cells.as_slice()))
        };
    let path = format!("cause/{}.html", ranked.slug);
    Page { path: &path, title: &clipped(&head.replace('`', ""), 80), kind: "cause", body }.bytes(site)
}

/// Section about the rules that the example violates.
fn broken_rules(cell: &CellRecord) -> Markup {
    let findings = shown_with_cause(cell);
    html! {
        @if !findings.is_empty() {
            section aria-labelledby="rules" {
                h2 id="rules" { "The rule" }
                @for finding in findings {
                    div.rule {
                        p { b { (neutralised(&finding.rule)) } " · " span.tag { (finding.level.as_str()) } " · " (wording::broken_by(finding.level, finding.party)) }
                        @if let Some(rule) = rules::find(&finding.rule) { p { (prose(rule.title)) } }
                        @if let Some(detail) = detail(cell, finding) { p.rest { (prose(&neutralised(detail))) } }
                        p.facts { (address(&finding.source, &finding.source)) }
                    }
                }
            }
        }
    }
}

/// Releases of each family with and without the problem.
fn ranges(played: &[&PeerId], title: &str, cells: &[&CellRecord], of: impl Fn(&CellRecord) -> &PeerId) -> Markup {
    let mut hit = BTreeMap::<&str, Vec<&PeerId>>::new();
    for cell in cells {
        let peer = of(cell);
        hit.entry(family(peer)).or_default().push(peer);
    }
    hit.values_mut().for_each(|peers| {
        peers.sort();
        peers.dedup();
    });
    let rows: Vec<(&str, Vec<(&mcp_compat_model::version::Version, bool)>)> = hit
        .iter()
        .filter_map(|(family, peers)| {
            let mut releases: Vec<_> = played
                .iter()
                .filter_map(|peer| peer.release())
                .filter(|(name, _)| name == family)
                .map(|(_, version)| version)
                .collect();
            releases.sort();
            releases.dedup();
            let has = |version| peers.iter().any(|peer| peer.version() == Some(version));
            (!releases.is_empty())
                .then(|| (*family, releases.into_iter().map(|version| (version, has(version))).collect()))
        })
        .collect();
    html! {
        @if !rows.is_empty() {
            div.scroll tabindex="0" role="region" aria-label=(title) {
                table.strip {
                    caption { (title) ". The releases that were tested, the oldest first." }
                    tbody { @for (family, releases) in rows { tr {
                        th scope="row" { (family) }
                        td { @for (version, hit) in releases { span class=(if hit { "rel b" } else { "rel w" }) { (if hit { "✕ " } else { "✓ " }) (version.as_str()) } " " } }
                    } } }
                }
            }
        }
    }
}

fn cells(cells: &[&CellRecord]) -> Markup {
    html! {
        section aria-labelledby="cells" {
            h2 id="cells" { (counted(cells.len(), "check")) }
            div.scroll tabindex="0" role="region" aria-label="Checks" {
                table.cells {
                    thead { tr { th scope="col" { "Scenario" } th scope="col" { "Client" } th scope="col" { "Server" } th scope="col" { "Over" } th scope="col" { "Outcome" } } }
                    tbody {
                        @for cell in cells.iter().take(CELLS) { tr {
                            td { (scenario("../", &cell.scenario)) } td { (peer("../", &cell.client)) } td { (peer("../", &cell.server)) }
                            td { (cell.transport.as_str()) }
                            td { a href={ "../pair.html#cell=" (cell.cell().id().as_str()) } { (wording::outcome(cell.outcome)) } }
                        } }
                    }
                }
            }
            @if cells.len() > CELLS { p.facts { "The first " (CELLS) " of " (number(cells.len())) " checks." } }
        }
    }
}

/// Number of causes that have no page of their own.
pub(crate) fn without_page(site: &Site<'_>) -> usize {
    site.causes.len().saturating_sub(CAUSE_PAGES)
}

/// Number of runs that are drawn.
const DRAWN: usize = 30;

/// Number of runs in a row with a cause, in a few words; `None` without an earlier run.
pub(crate) fn since_in_short(site: &Site<'_>, cause: &Cause<'_>) -> Option<String> {
    let runs = site.input.earlier.in_a_row(&cause.name);
    match (site.input.earlier.sums().is_empty(), runs) {
        (true, _) => None,
        (false, 1) => Some("new in this run".to_owned()),
        (false, runs) => Some(format!("in the last {}", counted(runs, "run"))),
    }
}

/// Section about the earlier runs with a cause.
pub(crate) fn since_section(site: &Site<'_>, ranked: &Ranked<'_>) -> Markup {
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

/// Bars with the number of cells that broke for the cause in each run, the oldest first.
fn drawn(earlier: &[Sum], cause: &Cause<'_>) -> Markup {
    let before = earlier.iter().take(DRAWN - 1).rev();
    let mut runs: Vec<(usize, usize)> =
        before.map(|sum| (sum.causes.get(&cause.name).copied().unwrap_or_default(), 0)).collect();
    runs.push((cause.cells.len(), 0));
    let most = counted(most(&runs), "check");
    html! {
        figure {
            (bars("few", &runs, &format!("Checks of this cause in the last {} runs, at most {most}", runs.len())))
            figcaption.facts { "Checks of this cause in each run, the oldest first. The highest bar is " (most) "." }
        }
    }
}

/// Comparison of the cells of the cause with those of the run before.
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
