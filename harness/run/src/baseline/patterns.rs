//! Few patterns that select some cells of a run and no others of it.
//!
//! ```text
//! cells ── transports that take part ── scenarios of a pair ── clients that fare alike ── servers that do ── patterns
//! ```

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::{Cell, PeerId, ScenarioId, Transport};

/// Patterns for `cells`, each a product of scenarios, clients, servers and transports. `among` are all that there
/// are, those included: a transport is left open where none of the others is missing.
pub(super) fn patterns(cells: &[Cell], among: &[Cell]) -> Vec<String> {
    let all = transports(among);
    let mut scenarios = BTreeMap::<(String, &PeerId, &PeerId), BTreeSet<&ScenarioId>>::new();
    for (place @ (scenario, client, server), transports) in transports(cells) {
        let ways = if all.get(&place) == Some(&transports) {
            "*".to_owned()
        } else {
            one_of(transports.iter().map(|transport| transport.as_str()))
        };
        scenarios.entry((ways, client, server)).or_default().insert(scenario);
    }
    let mut clients = BTreeMap::<_, BTreeSet<&PeerId>>::new();
    for ((ways, client, server), scenarios) in scenarios {
        clients.entry((ways, scenarios, server)).or_default().insert(client);
    }
    let mut servers = BTreeMap::<_, BTreeSet<&PeerId>>::new();
    for ((ways, scenarios, server), clients) in clients {
        servers.entry((scenarios, clients, ways)).or_default().insert(server);
    }
    let pattern = |((scenarios, clients, ways), servers): ((BTreeSet<&ScenarioId>, BTreeSet<&PeerId>, String), _)| {
        let scenarios = one_of(scenarios.into_iter().map(ScenarioId::as_str));
        let (clients, servers) = (peers(clients), peers(servers));
        format!("{scenarios}::{clients}::{servers}::{ways}")
    };
    servers.into_iter().map(pattern).collect()
}

/// By scenario, client and server: over which transports.
fn transports(cells: &[Cell]) -> BTreeMap<(&ScenarioId, &PeerId, &PeerId), BTreeSet<Transport>> {
    let mut transports = BTreeMap::<_, BTreeSet<Transport>>::new();
    for Cell { scenario, client, server, transport } in cells {
        transports.entry((scenario, client, server)).or_default().insert(*transport);
    }
    transports
}

fn peers(ids: BTreeSet<&PeerId>) -> String {
    one_of(ids.into_iter().map(PeerId::as_str))
}

fn one_of<'s>(names: impl ExactSizeIterator<Item = &'s str>) -> String {
    let alone = names.len() == 1;
    let names = names.collect::<Vec<_>>().join(",");
    if alone { names } else { format!("{{{names}}}") }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::cell::CellId;

    use super::*;
    use crate::glob::Glob;

    fn cells(ids: &[&str]) -> Vec<Cell> {
        ids.iter().map(|id| CellId::parse(id).unwrap()).collect()
    }

    #[test]
    fn cells_that_make_a_product_are_one_pattern() {
        let chosen = cells(&["a/x::c::s::http", "a/x::c::t::http", "a/y::c::s::http", "a/y::c::t::http"]);
        assert_eq!(patterns(&chosen, &chosen), ["{a/x,a/y}::c::{s,t}::*"]);
    }

    #[test]
    fn a_transport_is_named_where_another_fares_otherwise() {
        let all = cells(&["a/x::c::s::http", "a/x::c::s::stdio", "a/x::d::s::http"]);
        assert_eq!(patterns(&all[..1], &all), ["a/x::c::s::http"]);
        assert_eq!(patterns(&all[..2], &all), ["a/x::c::s::*"]);
    }

    #[test]
    fn patterns_select_what_they_are_made_of_and_nothing_else() {
        let all: Vec<String> = ["a/x", "a/y[one]", "a/y[two]"]
            .iter()
            .flat_map(|scenario| ["c@1.0.0+auto", "d@1.0.0", "e"].map(|client| format!("{scenario}::{client}")))
            .flat_map(|pair| ["s", "t@2.0.0/typed"].map(|server| format!("{pair}::{server}")))
            .flat_map(|cell| ["http", "stdio"].map(|transport| format!("{cell}::{transport}")))
            .collect();
        let ids: Vec<&str> = all.iter().map(String::as_str).collect();
        // Every third, every fifth and so on, so that hardly any make a product.
        for step in [1, 2, 3, 5, 7] {
            let chosen: Vec<&str> = ids.iter().copied().step_by(step).collect();
            let globs: Vec<Glob> =
                patterns(&cells(&chosen), &cells(&ids)).iter().map(|text| Glob::new(text).unwrap()).collect();
            for id in &ids {
                let matching = globs.iter().filter(|glob| glob.matches(id)).count();
                assert_eq!(matching, usize::from(chosen.contains(id)), "{id} of every {step}");
            }
        }
    }
}
