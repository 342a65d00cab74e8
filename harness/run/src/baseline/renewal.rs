//! A baseline rewritten from what a run found: what still holds stays as it is, with its comments; what no longer does
//! goes; what breaks besides is added, an entry for each cause and product of cells. A pure function.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use mcp_compat_model::cause::causes;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_model::{Cell, PeerId, ScenarioId, Transport};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use super::{Baseline, BaselineError, Entry, Index, Kind, breaks};
use crate::glob::Glob;

/// Beginning of a new file.
const HEAD: &str = "\
# Cells that are known to break. A run with this baseline fails for any other cell that breaks, and for one of these that
# no longer does. With a `cause`, an entry is about breaks of that cause alone.
# MCP_COMPAT_BASELINE=update rewrites it from what the run finds: review the difference before you keep it.
";

/// A rewritten baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renewal {
    /// The whole file.
    pub text: String,
    /// Number of new entries.
    pub added: usize,
    /// Number of removed entries: nothing of theirs breaks.
    pub removed: usize,
    /// Number of entries that are left with some of their cells.
    pub narrowed: usize,
}

impl Renewal {
    /// Makes a baseline anew from the file that there is, which may be empty, and a record. `path` stands in errors, and
    /// `matrix` has every cell that could be played: what was not played, and what the harness could not tell, stays
    /// known as it was.
    pub fn of(path: &str, text: &str, record: &Record, matrix: &[Cell]) -> Result<Self, BaselineError> {
        let baseline = Baseline::parse(path, text)?;
        let syntax =
            |error: toml_edit::TomlError| BaselineError::Syntax { path: path.to_owned(), error: error.to_string() };
        let mut document: DocumentMut = text.parse().map_err(syntax)?;
        // Comments alone would be set behind what is added.
        let head = match (document.is_empty(), text.trim().is_empty()) {
            (true, true) => HEAD,
            (true, false) => text,
            (false, _) => "",
        };
        if document.is_empty() {
            document = DocumentMut::new();
        }
        let judged: Vec<&CellRecord> = record.cells.iter().filter(|cell| is_judged(cell)).collect();
        let index = judged.iter().map(|cell| (cell.id.as_str(), [&cell.client, &cell.server]));
        let index = Index::new(index);
        let working: BTreeSet<Cell> =
            judged.iter().filter(|cell| cell.rating != Rating::Breaks).map(|cell| cell.cell()).collect();
        let mut renewal = Self { text: String::new(), added: 0, removed: 0, narrowed: 0 };

        let broken = baseline.entries.iter().filter(|entry| entry.kind == Kind::Broken);
        let mut kept = ArrayOfTables::new();
        let mut tables = tables(&document);
        // What the file begins with stays, whatever becomes of the entry behind it.
        let is_first = document.iter().next().is_some_and(|(key, _)| key == "broken");
        let beginning = tables.first_mut().filter(|_| is_first).and_then(take_prefix);
        for (entry, table) in broken.zip(tables) {
            // Which cells break for a cause is no part of an entry with one, so it cannot be narrowed. Of the matrix, which
            // is a hundred times what is played, only the entries that have to be are narrowed.
            let is_working = |place: usize| judged[place].rating != Rating::Breaks;
            if entry.cause.is_some() || !entry.places(&index).into_iter().any(is_working) {
                kept.push(table);
                continue;
            }
            let is_of_entry =
                |cell: &&Cell| entry.is_about([&cell.client, &cell.server]) && entry.cells.matches(cell.id().as_str());
            let matched = matrix.iter().filter(is_of_entry);
            let holds: Vec<&Cell> = matched.filter(|cell| !working.contains(*cell)).collect();
            renewal.removed += usize::from(holds.is_empty());
            renewal.narrowed += usize::from(!holds.is_empty());
            let holds: Vec<Cell> = holds.into_iter().cloned().collect();
            for (number, cells) in patterns(&holds, matrix).into_iter().enumerate() {
                let mut narrowed = table.clone();
                if number > 0 {
                    narrowed.decor_mut().set_prefix("\n");
                }
                set(&mut narrowed, "cells", cells);
                kept.push(narrowed);
            }
        }
        let explained = |entry: &Entry, place: &usize| breaks(judged[*place]) && entry.explains(judged[*place]);
        let places = |entry| Entry::places(entry, &index).into_iter().filter(move |place| explained(entry, place));
        let known: BTreeSet<usize> = baseline.entries.iter().flat_map(places).collect();
        let breaking = judged.iter().enumerate().filter(|(_, cell)| cell.rating == Rating::Breaks);
        let unknown = breaking.filter(|(place, _)| !known.contains(place));
        let unknown: Vec<CellRecord> = unknown.map(|(_, cell)| (*cell).clone()).collect();
        for cause in causes(&unknown, Rating::Breaks) {
            for cells in by_tool(&cause.cells).iter().flat_map(|cells| patterns(cells, matrix)) {
                // In the words of a cell that the entry is about.
                let pattern = Glob::new(&cells).ok();
                let covers = |cell: &&&CellRecord| pattern.as_ref().is_none_or(|glob| glob.matches(cell.id.as_str()));
                let example =
                    std::iter::once(&cause.example).chain(&cause.cells).find(covers).unwrap_or(&cause.example);
                let mut entry = Table::new();
                entry.insert("cells", value(&cells));
                entry.insert("reason", value(&example.reason));
                entry.decor_mut().set_prefix("\n");
                kept.push(entry);
                renewal.added += 1;
            }
        }
        if renewal.is_nothing() {
            return Ok(Self { text: text.to_owned(), ..renewal });
        }
        if kept.is_empty() {
            document.remove("broken");
        } else {
            document.insert("broken", Item::ArrayOfTables(kept));
        }
        let beginning = beginning.unwrap_or_default();
        Ok(Self { text: format!("{head}{beginning}{document}"), ..renewal })
    }

    /// Returns true if nothing had to change.
    pub fn is_nothing(&self) -> bool {
        (self.added, self.removed, self.narrowed) == (0, 0, 0)
    }
}

/// `2 entries added, 1 narrowed`.
impl fmt::Display for Renewal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [(self.added, "added"), (self.removed, "removed"), (self.narrowed, "narrowed")];
        let mut parts = parts.into_iter().filter(|(number, _)| *number > 0);
        let Some((number, done)) = parts.next() else { return f.write_str("nothing to change") };
        let noun = if number == 1 { "entry" } else { "entries" };
        write!(f, "{number} {noun} {done}")?;
        parts.try_for_each(|(number, done)| write!(f, ", {number} {done}"))
    }
}

/// Cells of one cause, apart for each tool of an audited server: two tools that its SDK refuses are two bugs.
fn by_tool(cells: &[&CellRecord]) -> Vec<Vec<Cell>> {
    let mut tools = BTreeMap::<Option<&ScenarioId>, Vec<Cell>>::new();
    for cell in cells {
        let tool = Some(&cell.scenario).filter(|scenario| scenario.as_str().starts_with("tool/"));
        tools.entry(tool).or_default().push(cell.cell());
    }
    tools.into_values().collect()
}

/// Takes what stands before a table.
fn take_prefix(table: &mut Table) -> Option<String> {
    let prefix = table.decor().prefix()?.as_str()?.to_owned();
    table.decor_mut().set_prefix("");
    Some(prefix)
}

/// Puts another text in the place of a value, and leaves the comments around it.
fn set(table: &mut Table, key: &str, text: String) {
    let Some(old) = table.get_mut(key).and_then(Item::as_value_mut) else { return };
    let decor = old.decor().clone();
    *old = text.into();
    *old.decor_mut() = decor;
}

/// Cells about which the harness could not decide are no known breaks.
fn is_judged(cell: &CellRecord) -> bool {
    cell.rating != Rating::Skipped && cell.outcome != Outcome::Incomplete
}

/// The entries of known breaks, in either form that TOML has for a list of tables.
fn tables(document: &DocumentMut) -> Vec<Table> {
    let entries = document.get("broken").cloned().map(Item::into_array_of_tables);
    entries.and_then(Result::ok).map(|entries| entries.iter().cloned().collect()).unwrap_or_default()
}

/// Few patterns for `cells`, each a product of scenarios, clients, servers and transports. `among` are all that there
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
