//! Page of the rules by clause of the specification: the peers that violate each, and the gaps of the specification.

use std::collections::BTreeMap;

use maud::{Markup, html};
use mcp_compat_judge::rules::{self, Rule};
use mcp_compat_model::count::counted;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::{Level, Party};

use super::parts::{address, number, prose};
use super::shell::Page;
use crate::headline;
use crate::site::context::Site;
use crate::site::names::product;

/// Number of peers that are listed below a rule.
const NAMED: usize = 12;

pub(crate) fn page(site: &Site<'_>) -> Vec<u8> {
    let mut broken = BTreeMap::<&str, Vec<(&CellRecord, Party)>>::new();
    for cell in &site.record.cells {
        for finding in &cell.findings {
            broken.entry(finding.rule.as_str()).or_default().push((cell, finding.party));
        }
    }
    let mut clauses = BTreeMap::<&str, Vec<&Rule>>::new();
    for rule in rules::all().iter().filter(|rule| broken.contains_key(rule.id)) {
        clauses.entry(rule.source).or_default().push(rule);
    }
    let open: Vec<_> = site
        .causes
        .iter()
        .filter(|ranked| ranked.cause.example.signature.as_ref().is_some_and(|signature| signature.is_left_open()))
        .collect();
    let body = html! {
        h1 { "Rules" }
        p.lead { "This run has findings about " (number(clauses.values().map(Vec::len).sum())) " of " (counted(rules::all().len(), "rule")) ". They are listed by the clause of the specification that they come from." }
        @for (source, rules) in &clauses {
            section.clause {
                h2 { (address(source, source.rsplit('/').next().unwrap_or(source))) }
                @for rule in rules { (entry(rule, broken.get(rule.id).map(Vec::as_slice).unwrap_or_default())) }
            }
        }
        section aria-labelledby="open" {
            h2 id="open" { "Where the specification is silent, or says two things" }
            @if open.is_empty() { p { "No break of this run is for the specification to fix." } }
            ul { @for ranked in open { li {
                a href={ "cause/" (ranked.slug) ".html" } { (prose(&headline::title(&ranked.cause))) }
                span.facts { " " (counted(ranked.cause.cells.len(), "check")) }
            } } }
        }
    };
    Page { path: "rules.html", title: "Rules", kind: "rules", body }.bytes(site)
}

fn entry(rule: &Rule, broken: &[(&CellRecord, Party)]) -> Markup {
    let mut by = BTreeMap::<_, usize>::new();
    let mut ids = BTreeMap::<_, (usize, Party)>::new();
    for (cell, party) in broken {
        let id = if *party == Party::Server { &cell.server } else { &cell.client };
        ids.entry(id).or_insert((0, *party)).0 += 1;
    }
    for (id, (cells, _)) in ids {
        *by.entry(product(id)).or_default() += cells;
    }
    let mut by: Vec<_> = by.into_iter().collect();
    by.sort_by_key(|(name, cells)| (std::cmp::Reverse(*cells), name.clone()));
    let named: Vec<String> =
        by.iter().take(NAMED).map(|(name, cells)| format!("{name} ({})", number(*cells))).collect();
    html! {
        div.rule id=(rule.id) {
            p { b { (rule.id) } " · " span.tag { (rule.level.to_string()) } " · " (concerns(rule.party)) " · " (counted(broken.len(), "check")) }
            p { (prose(rule.title)) }
            p.rest { (prose(rule.explanation)) }
            p.facts { b { (found(rule)) } " " (named.join(", ")) @if by.len() > NAMED { " and " (by.len() - NAMED) " more" } }
        }
    }
}

/// Party that a rule binds.
const fn concerns(party: Party) -> &'static str {
    match party {
        Party::Client => "binds the client",
        Party::Server => "binds the server",
        Party::Spec => "the specification is ambiguous",
    }
}

/// Verb for the peers that are listed below a rule.
const fn found(rule: &Rule) -> &'static str {
    match (rule.party, rule.level.newest()) {
        (Party::Spec, _) => "shown by",
        (Party::Client | Party::Server, Level::May) => "not followed by",
        (Party::Client | Party::Server, Level::Must | Level::Should) => "broken by",
    }
}
