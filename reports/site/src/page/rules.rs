//! The rules, by the page of the specification: who breaks which, and where the specification is silent.

use std::collections::BTreeMap;

use maud::{Markup, html};
use mcp_compat_judge::rules::{self, Rule};
use mcp_compat_model::count::counted;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::Party;
use mcp_compat_reports::text::clipped;

use super::parts::{address, headline, number};
use super::shell::Page;
use crate::context::Site;
use crate::names::product;

/// How many peers one rule names.
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
        p.lead { (counted(clauses.values().map(Vec::len).sum(), "rule")) " of " (number(rules::all().len())) " are broken in this run. They stand by the clause of the specification that they come from." }
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
                a href={ "cause/" (ranked.slug) ".html" } { (clipped(&headline(&ranked.cause.example.reason).0, 260)) }
                span.facts { " " (counted(ranked.cause.cells.len(), "cell")) }
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
            p { b { (rule.id) } " · " span.tag { (rule.level.as_str()) } " · binds the " (rule.party.as_str()) " · " (counted(broken.len(), "cell")) }
            p { (rule.title) }
            p.rest { (rule.explanation) }
            p.facts { b { "broken by" } " " (named.join(", ")) @if by.len() > NAMED { " and " (by.len() - NAMED) " more" } }
        }
    }
}
