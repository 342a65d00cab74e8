//! Baseline of the breaks of a run: an entry for each cause, of mocks among themselves and of each family of real peers
//! in each role.
//!
//! A cause does not contain its cells, so an entry names the scenarios and peers with which it occurred. Two runs with
//! the same breaks give the same text.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::{Fault, Rating};
use mcp_compat_model::{PeerId, Role};

use crate::text::clipped;

/// First lines of a baseline.
const HEAD: &str = "\
# Breaks that are known. A run with this baseline fails for any other.
";

/// Number of characters of a reason in an entry.
const REASON: usize = 600;

/// Peers whose breaks an entry lists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    /// Mocks among themselves.
    Mocks,
    /// A family of real peers in a role.
    Real(String, Role),
}

#[derive(Default)]
struct CellsOfEntry<'a> {
    scenarios: BTreeSet<&'a str>,
    clients: BTreeSet<&'a str>,
    servers: BTreeSet<&'a str>,
    reason: &'a str,
}

/// Renders the baseline of a run, without the breaks that a baseline knows already.
pub fn render(cells: &[CellRecord]) -> String {
    of_cells(cells.iter().filter(|cell| cell.known.is_none()))
}

/// Renders the baseline of all breaks among some cells.
pub fn of_cells<'a>(cells: impl Iterator<Item = &'a CellRecord>) -> String {
    let mut entries = BTreeMap::<(Side, String), CellsOfEntry<'_>>::new();
    for cell in cells.filter(|cell| cell.rating == Rating::Breaks) {
        let cause = cell.signature.as_ref().map(|signature| signature.without_pointer().to_string());
        let seen = entries.entry((side(cell), cause.unwrap_or_default())).or_default();
        seen.scenarios.insert(cell.scenario.as_str());
        seen.clients.insert(cell.client.as_str());
        seen.servers.insert(cell.server.as_str());
        if seen.reason.is_empty() {
            seen.reason = &cell.reason;
        }
    }
    let mut text = HEAD.to_owned();
    for ((side, cause), seen) in &entries {
        text.push_str(&entry(side, cause, seen));
    }
    text
}

fn entry(side: &Side, cause: &str, seen: &CellsOfEntry<'_>) -> String {
    let any = || "*".to_owned();
    let (clients, servers) = match side {
        Side::Mocks => (one_of(&seen.clients), one_of(&seen.servers)),
        Side::Real(_, Role::Client) => (one_of(&seen.clients), any()),
        Side::Real(_, Role::Server) => (any(), one_of(&seen.servers)),
    };
    let cells = format!("{}::{clients}::{servers}::*", one_of(&seen.scenarios));
    let cause = if cause.is_empty() { String::new() } else { format!("cause = {}\n", quoted(cause)) };
    let first = seen.reason.split_once(". ").map_or(seen.reason, |(first, _)| first);
    let covers_one = [&seen.scenarios, &seen.clients, &seen.servers].iter().all(|names| names.len() == 1);
    let first = clipped(first, REASON);
    let reason = if covers_one { first } else { format!("for example, {}", lower_case_first(&first)) };
    format!("\n[[broken]]\ncells = {}\n{cause}reason = {}\n", quoted(&cells), quoted(&reason))
}

/// Real peer that a break is about: the one at fault, or else the client.
fn side(cell: &CellRecord) -> Side {
    let (client, server) = (!cell.client.is_built_in(), !cell.server.is_built_in());
    let is_of_server = cell.fault == Some(Fault::Server);
    match (client, server) {
        (false, false) => Side::Mocks,
        (true, true) if is_of_server => Side::Real(family(&cell.server), Role::Server),
        (true, _) => Side::Real(family(&cell.client), Role::Client),
        (false, true) => Side::Real(family(&cell.server), Role::Server),
    }
}

fn lower_case_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

fn family(peer: &PeerId) -> String {
    peer.release().map_or_else(|| peer.name().to_owned(), |(family, _)| family.to_owned())
}

fn one_of(names: &BTreeSet<&str>) -> String {
    let alone = names.len() == 1;
    let names = names.iter().copied().collect::<Vec<_>>().join(",");
    if alone { names } else { format!("{{{names}}}") }
}

/// Quotes a text as a basic string of TOML.
fn quoted(text: &str) -> String {
    format!("\"{}\"", neutralised(text).replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::verdict::Outcome;

    use super::*;
    use crate::specimen::cell;

    fn broken(id: &str, signature: &str, fault: Fault) -> CellRecord {
        let mut cell = cell(id, Outcome::Rejected, Rating::Breaks, "it lost \"all\". More of that.");
        cell.signature = Some(signature.parse().unwrap());
        cell.fault = Some(fault);
        cell
    }

    #[test]
    fn each_cause_of_a_family_is_one_entry_with_its_scenarios_and_releases() {
        let cause = "server:rejected:tools/list:output-schema-object-root:decode";
        let cells = vec![
            broken("x/one::sdk@1.0.0::mock/dual::http", &format!("{cause}:/a"), Fault::Server),
            broken("x/two::sdk@2.0.0+auto::mock/dual::http", &format!("{cause}:/b"), Fault::Server),
            broken("x/two::sdk@2.0.0+auto::other@1.0.0::http", cause, Fault::Server),
            broken("x/one::mock/2025-11-25::mock/dual::memory", cause, Fault::Server),
        ];
        let text = render(&cells);
        let patterns: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("cells = ")).collect();
        let expected = [
            "\"x/one::mock/2025-11-25::mock/dual::*\"",
            "\"{x/one,x/two}::{sdk@1.0.0,sdk@2.0.0+auto}::*::*\"",
            "\"x/two::*::other@1.0.0::*\"",
        ];
        assert_eq!(patterns.len(), 3, "{text}");
        for pattern in expected {
            assert!(patterns.contains(&pattern), "{text}");
        }
        assert!(text.contains("reason = \"it lost \\\"all\\\"\"\n"), "{text}");
    }

    #[test]
    fn a_known_break_has_no_entry() {
        let mut cell = broken("x/one::sdk@1.0.0::mock/dual::http", "client:lost:tools/call:no-rule", Fault::Client);
        cell.known =
            Some(mcp_compat_model::record::Known { reason: String::new(), covers: None, issue: None, flaky: false });
        assert_eq!(render(&[cell]), HEAD);
    }
}
