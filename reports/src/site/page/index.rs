//! First page: the verdict, the changes, the newest release of each family, the causes, and the run.

use std::fmt::Display;

use maud::{Markup, html};
use mcp_compat_model::PeerId;
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::diff::{Class, Diff, Group};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::signature::Signature;

use crate::command::of_scenarios;
use crate::site::context::{Release, Site, front};
use crate::site::names::peer_page;
use crate::site::page::cause;
use crate::site::page::parts::{
    bar, begun, class, command, glyph, in_short, in_words, number, prose, too_large, worst,
};
use crate::site::page::shell::{CORPUS, Page};
use crate::text::{clipped, span};
use crate::{headline, recorded};

/// Number of causes on the first page.
const CAUSES: usize = 12;

/// Number of reasons that are listed before the rest is counted.
const REASONS: usize = 8;

pub(crate) fn page(site: &Site<'_>) -> Vec<u8> {
    let body = html! {
        (verdict(site))
        div.first {
            (changes_section(site))
            section.front aria-labelledby="newest" {
                h2 id="newest" { (front_title(site)) }
                (newest(site))
            }
        }
        section aria-labelledby="causes" {
            h2 id="causes" { "What breaks, most users first" }
            (listed(site))
        }
        (run(site))
    };
    Page { path: "index.html", title: "Overview", kind: "index", body }.bytes(site)
}

/// Verdict on the whole run in one sentence, and its sums.
pub(crate) fn verdict(site: &Site<'_>) -> Markup {
    let (pairs, total) = (site.pairs, site.view.total);
    let silent = site.view.breaks.iter().chain(&site.view.known).filter(|cause| cause.is_silent()).count();
    let causes = site.view.breaks.len() + site.view.known.len();
    html! {
        p.verdict id="verdict" {
            "Of " b data-n="pairs" { (number(pairs.all())) } (if pairs.all() == 1 { " pair (" } else { " pairs (" }) (counted(site.clients().len(), "client")) " × " (counted(site.servers().len(), "server"))
            "), " b.w data-n="pairs-work" { (number(pairs.works)) } " work in all that was tested, "
            b.d data-n="pairs-degrade" { (number(pairs.degraded)) } " degrade, "
            b.b data-n="pairs-break" { (number(pairs.breaks)) } " break"
            @if pairs.unsupported > 0 { ", " b data-n="pairs-unsupported" { (number(pairs.unsupported)) } " support none of it" }
            "; " b data-n="causes" { (counted(causes, "cause")) }
            @if silent > 0 { ", " b.s data-n="causes-silent" { (number(silent)) } " of them silent" }
            "."
        }
        @if !site.record.complete {
            p.warn { strong { "This run is incomplete." } " It ended before every check had a verdict." }
        }
        div.sums {
            div.sumbar { (bar(total)) }
            ul.legend {
                li.w { span aria-hidden="true" { "✓" } " " b data-n="works" { (number(total.works)) } " work" }
                li.d { span aria-hidden="true" { "◐" } " " b data-n="degraded" { (number(total.degraded)) } " degraded" }
                li.b { span aria-hidden="true" { "✕" } " " b data-n="breaks" { (number(total.breaks)) } " break" }
                li.s { span aria-hidden="true" { "!" } " " b data-n="silent" { (number(total.silent)) } " of them silently" }
                @if total.known > 0 { li { b data-n="known" { (number(total.known)) } " of them known" } }
                li.k { span aria-hidden="true" { "–" } " " b data-n="skipped" { (number(total.skipped)) } " not supported" }
                li.of { "of " b data-n="cells" { (number(site.record.cells.len())) } " checks" }
            }
        }
    }
}

fn listed(site: &Site<'_>) -> Markup {
    let breaks = site.causes.iter().filter(|ranked| ranked.rating == mcp_compat_model::verdict::Rating::Breaks);
    let left = breaks.clone().count().saturating_sub(CAUSES);
    html! {
        @if breaks.clone().next().is_none() { p { "No check of this run breaks." } }
        ol.causes.brief {
            @for ranked in breaks.take(CAUSES) { (cause::brief(site, ranked)) }
        }
        p { a href="causes.html" { @if left > 0 { "All causes, " (number(left)) " more of breaks" } @else { "All causes" } } }
    }
}

/// Table of the pairs of newest releases.
pub(crate) fn newest(site: &Site<'_>) -> Markup {
    let clients = front(site.clients(), &site.newest);
    let servers = front(site.servers(), &site.newest);
    if let Some(note) = too_large(clients.len(), servers.len()) {
        return note;
    }
    html! {
        div.scroll tabindex="0" role="region" aria-label=(front_title(site)) {
            table.m.front id="front" {
                caption.vh { "Clients down, servers across" }
                thead { tr {
                    th scope="col" { span.vh { "Client" } }
                    @for server in &servers { th scope="col" { a href={ "peer/" (peer_page(server)) ".html" } { (two_lines(server)) } } }
                } }
                tbody {
                    @for client in &clients { tr {
                        th scope="row" { a href={ "peer/" (peer_page(client)) ".html" } { (client) } }
                        @for server in &servers { (square(site, client, server)) }
                    } }
                }
            }
        }
        (key())
        @if let Some(recorded) = recorded::sentence(site.record) { p.facts { (recorded) } }
        p.facts { "Clients down, servers across. A square has the number of checks that break or degrade. " a href="matrix.html" { "All pairs" } }
    }
}

/// Title above the table of newest releases.
pub(crate) fn front_title(site: &Site<'_>) -> &'static str {
    if site.releases.values().all(Release::is_built_in) { "Mocks" } else { "Newest release of each family" }
}

/// Name of a release, with its version below. A line may break after a slash.
pub(crate) fn two_lines(product: &str) -> Markup {
    match product.split_once('@') {
        Some((family, version)) => html! { (family) br; small { "@" (version) } },
        None => html! { @for part in product.split_inclusive('/') { (part) wbr; } },
    }
}

fn square(site: &Site<'_>, client: &str, server: &str) -> Markup {
    let Some(tally) = site.products.tally(client, server) else {
        return html! { td.n { span.vh { "not tested" } } };
    };
    let rating = worst(tally);
    html! {
        td class=(class(rating)) {
            a href={ "pair.html#client=" (client) "&server=" (server) } aria-label=(format!("{client} with {server}: {}", in_words(tally))) {
                span.g { (glyph(rating)) @if tally.silent > 0 { span.s { "!" } } } span.c { (in_short(tally)) }
                (bar(tally))
            }
        }
    }
}

/// Legend of the signs.
pub(crate) fn key() -> Markup {
    html! {
        ul.legend.key aria-label="Signs" {
            li.w { span aria-hidden="true" { "✓" } " works" }
            li.d { span aria-hidden="true" { "◐" } " degraded" }
            li.b { span aria-hidden="true" { "✕" } " breaks" }
            li.s { span aria-hidden="true" { "!" } " some silently: the user gets no error" }
            li.k { span aria-hidden="true" { "–" } " not supported" }
        }
    }
}

/// Section about the run: time, scenarios, what was not played, and the command that plays it again.
pub(crate) fn run(site: &Site<'_>) -> Markup {
    let (record, view) = (site.record, &site.view);
    let transports: Vec<&str> = view.transports.iter().map(|transport| transport.as_str()).collect();
    html! {
        section.run aria-labelledby="run" {
            h2 id="run" { "This run" }
            dl {
                div { dt { "Begun" } dd { (begun(&record.started)) } }
                div { dt { "Took" } dd { (span(record.duration_us)) } }
                div { dt { "Tool" } dd { "mcp-compat " (neutralised(&record.tool_version)) } }
                div { dt { "Scenarios" } dd { code { (clipped(&neutralised(&record.corpus), CORPUS)) } ", " (counted(view.scenarios, "scenario")) } }
                div { dt { "Tested" } dd { (counted(site.clients().len(), "client")) ", " (counted(site.servers().len(), "server")) } }
                div { dt { "Checks" } dd { (number(record.cells.len())) " over " (transports.join(", ")) } }
                div { dt { "Not tested" } dd data-n="left-out" { (thousands(view.not_played())) " checks" } }
                div { dt { "Complete" } dd { @if record.complete { "yes" } @else { "no" } } }
            }
            (reasons("Why checks were not done", record.left_out.iter().map(|left| (left.reason.as_str(), left.cells)).collect()))
            (reasons("What is not supported", view.unsupported.iter().map(|(reason, cells)| (*reason, *cells as u64)).collect()))
            (reasons("Entries of the baseline that no longer hold", record.stale.iter().map(|entry| (entry.as_str(), 0)).collect()))
            @if let Some((label, again)) = played(site) {
                p.label { (label) }
                (command(&again))
            }
        }
    }
}

/// Maximum number of scenarios, clients or servers in a command. More peers are a fleet, more scenarios the corpus.
const NAMED: usize = 8;

/// Label and command that play the run again, or a part of it. `None` if it has peers that only their owner can start.
fn played(site: &Site<'_>) -> Option<(String, String)> {
    let option = |name: &str, value: &dyn Display| format!("--{name} {value}");
    let (clients, servers) = (site.clients(), site.servers());
    let is_known = |peer: &&PeerId| peer.is_built_in() || peer.release().is_some();
    if !clients.iter().chain(servers).all(is_known) {
        return None;
    }
    let (with, peers) = match (clients.len().max(servers.len()) <= NAMED, site.has_releases()) {
        (true, _) => {
            let clients = clients.iter().map(|client| option("client", client));
            (
                "with these clients and servers",
                clients.chain(servers.iter().map(|server| option("server", server))).collect(),
            )
        }
        (false, true) => ("with the fleet", vec!["--fleet".to_owned()]),
        (false, false) => ("among the mocks", vec!["--no-peers".to_owned()]),
    };
    let label = match (site.record.scenarios.len() <= NAMED, with) {
        (true, "with these clients and servers") => "Run it again".to_owned(),
        (true, with) => format!("Test these scenarios {with}"),
        (false, with) => format!("Test every scenario {with}"),
    };
    let transports = site.view.transports.iter().map(|transport| option("transport", transport));
    let scenarios = of_scenarios(&site.record.scenarios, NAMED);
    let options: Vec<String> = scenarios.into_iter().chain(peers).chain(transports).collect();
    Some((label, format!("mcp-compat run {}", options.join(" "))))
}

fn reasons(title: &str, reasons: Vec<(&str, u64)>) -> Markup {
    html! {
        @if !reasons.is_empty() {
            details {
                summary { (title) " (" (reasons.len()) ")" }
                ul {
                    @for (reason, cells) in reasons.iter().take(REASONS * 4) {
                        li { (prose(&clipped(&neutralised(reason), 400))) @if *cells > 0 { ": " (thousands(*cells)) @if *cells == 1 { " check" } @else { " checks" } } }
                    }
                    @if reasons.len() > REASONS * 4 { li { "and " (reasons.len() - REASONS * 4) " more" } }
                }
            }
        }
    }
}

/// Number of groups that are shown.
const GROUPS: usize = 8;

pub(crate) fn changes_section(site: &Site<'_>) -> Markup {
    html! {
        section.changed aria-labelledby="changed" {
            h2 id="changed" { "What changed" }
            @match site.input.earlier.changes() {
                Some(diff) => (changes(site, diff)),
                None if !site.input.earlier.sums().is_empty() => p { "This run and the one before cannot be compared." },
                None => p { "This is the only run here, so there is nothing to compare it with." },
            }
        }
    }
}

fn changes(site: &Site<'_>, diff: &Diff) -> Markup {
    let quiet = Class::ALL.iter().all(|class| !class.is_change() || diff.count(*class) == 0);
    let changed: Vec<&Group> = diff.groups.iter().filter(|group| group.class.is_change()).collect();
    let others: Vec<String> = Class::ALL
        .into_iter()
        .filter(|class| !class.is_change() && *class != Class::Same && diff.count(*class) > 0)
        .map(|class| format!("{} {}", thousands(diff.count(class)), class.as_str()))
        .collect();
    let compared = counted(usize::try_from(diff.compared()).unwrap_or(usize::MAX), "compared check");
    html! {
        p.sum {
            @if diff.compared() == 0 { "Nothing in common" }
            @else if quiet { strong { "Nothing changed" } " in " (compared) }
            @else {
                b.b data-n="worse" { (thousands(diff.count(Class::Worse))) } " worse, "
                b.w data-n="better" { (thousands(diff.count(Class::Better))) } " better, "
                (thousands(diff.count(Class::Changed))) " changed of " (compared)
            }
            @if diff.compared() == 0 { " with the run of " } @else { " since the run of " }
            (begun(&diff.before.started)) "."
            @if !diff.same_harness { " mcp-compat changed between the two." }
        }
        @if !others.is_empty() && diff.compared() > 0 { p.facts { "Also: " (others.join(", ")) "." } }
        ul.moves {
            @for group in changed.iter().take(GROUPS) { (moved(site, diff, group)) }
        }
        @if let Some(left @ 1..) = changed.len().checked_sub(GROUPS) {
            p.facts { "And " (counted(left, "more group")) ". " a href="history.html" { "Compare the runs" } " to see all." }
        }
    }
}

fn moved(site: &Site<'_>, diff: &Diff, group: &Group) -> Markup {
    let change = usize::try_from(group.example).ok().and_then(|place| diff.changes.get(place));
    let fate = change.and_then(|change| change.telling());
    let (mark, class) = if group.class == Class::Worse {
        ("▼", "worse")
    } else if group.class == Class::Better {
        ("▲", "better")
    } else {
        ("◆", "other")
    };
    let moves: Vec<String> = group.moves.iter().map(|it| format!("{} → {}", it.before, it.after)).collect();
    let slug = group.cause.as_ref().and_then(|cause| {
        let is_it = |signature: &Signature| signature.is_like(cause);
        site.causes.iter().find(|ranked| ranked.cause.example.signature.as_ref().is_some_and(is_it))
    });
    html! {
            li {
                span class=(class) { span aria-hidden="true" { (mark) } " " (group.class.as_str()) }
                " " (counted(group.changes.len(), "check")) " "
                @if !moves.is_empty() { b { (clipped(&moves.join(", "), 160)) } " " }
                @if let Some(fate) = fate {
    @let text = group.cause.as_ref().map(headline::title_of).unwrap_or_else(|| clipped(&neutralised(&fate.reason), 180));
                    @match slug {
                        Some(ranked) => a href={ "cause/" (ranked.slug) ".html" } { (prose(&text)) },
                        None => (prose(&text)),
                    }
                }
                @if change.is_some_and(|change| change.reproduced == Some(false)) { " " span.tag { "did not reproduce" } }
            }
        }
}
