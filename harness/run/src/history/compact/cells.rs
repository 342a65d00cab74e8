//! Cells of a record as lines of JSON, and back.
//!
//! ```text
//! {"outcome":"lost","reason":"{client} returned no value.", ...}   a verdict: a cell without its names and its duration
//! [0,2,1,"http",0,2000]                                            a cell: see `Row`
//! ```
//!
//! Cells of a run share few verdicts: a run of 12,543 cells has 4,264 of them. Each is written once, before its first cell.

use std::collections::HashMap;

use mcp_compat_model::PeerId;
use mcp_compat_model::cell::{Cell, CellId, ScenarioId, Transport};
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::run_verdicts::{CauseName, CellVerdict, Numbered, RunVerdicts};
use mcp_compat_model::verdict::Rating;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::CompactError;

/// Number of bytes that the cells may have when they are written out. That is also the limit of a `run.json`.
pub(super) const WRITTEN_OUT: u64 = 1 << 30;

/// Number of cells that a run may have: sixty times those of the whole fleet.
const CELLS: usize = 1 << 23;

/// Members of a cell that its verdict lacks.
const OF_CELL: [&str; 7] = ["id", "scenario", "client", "server", "transport", "duration_us", "transcript"];

/// Texts of a verdict in which `{scenario}`, `{client}` and `{server}` stand for the names, and `{{` for a brace.
const TEXTS: [&str; 3] = ["/reason", "/triangle/client/cell", "/triangle/server/cell"];

/// A cell: scenario, client and server by their places in [`Names`], transport, verdict by its place among the verdicts,
/// and duration in microseconds, rounded down to 1, 2 or 5 times a power of ten.
pub type Row = (u32, u32, u32, Transport, u32, u64);

/// The names that the cells of a run have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Names {
    /// The scenarios, in the order in which cells have them first.
    pub scenarios: Vec<ScenarioId>,
    /// The clients, likewise.
    pub clients: Vec<PeerId>,
    /// The servers, likewise.
    pub servers: Vec<PeerId>,
}

/// Writes cells as lines.
///
/// # Errors
/// If a cell has another id than its properties say, or there are too many cells.
pub(super) fn write(cells: &[CellRecord]) -> Result<(Names, String), CompactError> {
    if cells.len() > CELLS {
        return Err(CompactError::TooLarge("cells"));
    }
    let (mut scenarios, mut clients, mut servers) = (Numbered::default(), Numbered::default(), Numbered::default());
    let mut verdicts: HashMap<String, u32> = HashMap::new();
    let mut lines = String::new();
    for cell in cells {
        if cell.cell().id() != cell.id {
            return Err(CompactError::Unsound(format!("the cell {} has the id {}", cell.cell().id(), cell.id)));
        }
        let verdict = verdict_of(cell)?;
        let next = u32::try_from(verdicts.len()).map_err(|_| CompactError::TooLarge("verdicts"))?;
        let number = *verdicts.entry(verdict).or_insert_with_key(|verdict| {
            lines.push_str(verdict);
            lines.push('\n');
            next
        });
        let names = (scenarios.of(&cell.scenario), clients.of(&cell.client), servers.of(&cell.server));
        let row: Row = (names.0, names.1, names.2, cell.transport, number, rounded(cell.duration_us));
        lines.push_str(&serde_json::to_string(&row).map_err(CompactError::Syntax)?);
        lines.push('\n');
    }
    let names = Names { scenarios: scenarios.values(), clients: clients.values(), servers: servers.values() };
    Ok((names, lines))
}

/// The line of the verdict of a cell.
fn verdict_of(cell: &CellRecord) -> Result<String, CompactError> {
    let mut verdict = serde_json::to_value(cell).map_err(CompactError::Syntax)?;
    if let Value::Object(members) = &mut verdict {
        members.retain(|name, _| !OF_CELL.contains(&name.as_str()));
    }
    for pointer in TEXTS {
        if let Some(Value::String(text)) = verdict.pointer_mut(pointer) {
            *text = without_names(text, &cell.cell());
        }
    }
    Ok(verdict.to_string())
}

/// Cells that were read, not yet written out.
#[derive(Debug)]
pub(super) struct Cells {
    names: Names,
    verdicts: Vec<CellRecord>,
    rows: Vec<Row>,
}

impl Cells {
    /// Reads lines.
    ///
    /// # Errors
    /// If a line is neither a verdict nor a cell, or there is more than a run can have.
    pub(super) fn read(names: Names, lines: &str) -> Result<Self, CompactError> {
        let lengths = names.clients.iter().chain(&names.servers).map(|peer| peer.as_str().len());
        let longest = lengths.chain(names.scenarios.iter().map(|scenario| scenario.as_str().len())).max();
        let longest = longest.unwrap_or_default() as u64;
        let (mut verdicts, mut sizes, mut rows, mut written_out) = (Vec::new(), Vec::new(), Vec::new(), 0_u64);
        for line in lines.lines() {
            if line.starts_with('{') {
                verdicts.push(verdict(line)?);
                // Each brace may become a name.
                let braces = line.matches('{').count() as u64;
                sizes.push(braces.saturating_mul(longest).saturating_add(line.len() as u64));
                continue;
            }
            let row: Row = serde_json::from_str(line).map_err(CompactError::Syntax)?;
            let size = sizes.get(row.4 as usize).copied().unwrap_or_default();
            // The id of a cell repeats its names.
            written_out = written_out.saturating_add(size).saturating_add(longest.saturating_mul(6));
            if written_out > WRITTEN_OUT || rows.len() == CELLS {
                return Err(CompactError::TooLarge("cells, or texts in them,"));
            }
            rows.push(row);
        }
        Ok(Self { names, verdicts, rows })
    }

    /// Writes out the cells.
    pub(super) fn all(&self) -> Result<Vec<CellRecord>, CompactError> {
        let cell = |(at, row): (usize, &Row)| {
            let (cell, verdict) = (self.cell(at, row)?, self.verdict(at, row)?);
            let named = |text: &str| with_names(text, &cell);
            let mut triangle = verdict.triangle.clone();
            let witnesses = triangle.iter_mut().flat_map(|triangle| [&mut triangle.client, &mut triangle.server]);
            for witness in witnesses.flatten() {
                witness.cell = id(named(witness.cell.as_str())?)?;
            }
            let (id, reason) = (cell.id(), named(&verdict.reason)?);
            let Cell { scenario, client, server, transport } = cell;
            let verdict = verdict.clone();
            Ok(CellRecord { id, scenario, client, server, transport, triangle, reason, duration_us: row.5, ..verdict })
        };
        self.rows.iter().enumerate().map(cell).collect()
    }

    /// Verdicts alone, in a record that has all but its cells.
    pub(super) fn verdicts(self, record: Record) -> Result<RunVerdicts, CompactError> {
        let mut causes = Numbered::default();
        let mut of_verdicts: HashMap<u32, u32> = HashMap::new();
        let mut cells = Vec::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            let (cell, verdict) = (self.cell(at, row)?, self.verdict(at, row)?);
            let (rating, signature) = (verdict.rating, verdict.signature.as_ref());
            let cause = match of_verdicts.get(&row.4) {
                Some(cause) => *cause,
                // A break without a signature is named by its reason, which has the names of the cell.
                None if signature.is_none() && rating == Rating::Breaks => {
                    causes.of(&CauseName::Reason(with_names(&verdict.reason, &cell)?))
                }
                None => {
                    let cause = causes.of(&CauseName::of(signature, rating, String::new));
                    of_verdicts.insert(row.4, cause);
                    cause
                }
            };
            cells.push(CellVerdict {
                scenario: row.0,
                client: row.1,
                server: row.2,
                transport: row.3,
                outcome: verdict.outcome,
                rating,
                silent: verdict.silent,
                known: verdict.known.is_some(),
                fault: verdict.fault,
                blast_radius: verdict.blast_radius,
                cause,
            });
        }
        let Names { scenarios, clients, servers } = self.names;
        let Record { started, tool_version, corpus, complete, .. } = record;
        let causes = causes.values();
        Ok(RunVerdicts { started, tool_version, corpus, complete, scenarios, clients, servers, causes, cells })
    }

    fn verdict(&self, at: usize, row: &Row) -> Result<&CellRecord, CompactError> {
        place(&self.verdicts, row.4, "verdict", at)
    }

    fn cell(&self, at: usize, row: &Row) -> Result<Cell, CompactError> {
        Ok(Cell {
            scenario: place(&self.names.scenarios, row.0, "scenario", at)?.clone(),
            client: place(&self.names.clients, row.1, "client", at)?.clone(),
            server: place(&self.names.servers, row.2, "server", at)?.clone(),
            transport: row.3,
        })
    }
}

fn place<'v, T>(values: &'v [T], number: u32, what: &'static str, cell: usize) -> Result<&'v T, CompactError> {
    values.get(number as usize).ok_or(CompactError::NoValue { what, cell, number })
}

/// Reads the line of a verdict, as a cell with names that mean nothing.
fn verdict(line: &str) -> Result<CellRecord, CompactError> {
    let mut members: Map<String, Value> = serde_json::from_str(line).map_err(CompactError::Syntax)?;
    let of_cell = [json!(""), json!("none"), json!("none"), json!("none"), json!("memory"), json!(0), Value::Null];
    members.extend(OF_CELL.map(str::to_owned).into_iter().zip(of_cell));
    serde_json::from_value(members.into()).map_err(CompactError::Syntax)
}

/// Reads an id as a record does, which takes any text.
fn id(text: String) -> Result<CellId, CompactError> {
    serde_json::from_value(text.into()).map_err(CompactError::Syntax)
}

/// Rounds a duration down to 1, 2 or 5 times a power of ten: 2000 for 4321.
///
/// The other digits differ from run to run and would be most of the file, because nothing compresses them.
pub(super) const fn rounded(duration_us: u64) -> u64 {
    let mut unit = 1;
    while duration_us / unit >= 10 {
        unit *= 10;
    }
    match duration_us / unit {
        0 => 0,
        1 => unit,
        2..5 => 2 * unit,
        _ => 5 * unit,
    }
}

const BRACE: &str = "{{";

/// Placeholders with the names of a cell for which they stand.
fn names(cell: &Cell) -> [(&'static str, &str); 3] {
    [("{client}", cell.client.as_str()), ("{server}", cell.server.as_str()), ("{scenario}", cell.scenario.as_str())]
}

/// Returns a text with placeholders for the names of its cell, so that many cells have the same one.
fn without_names(text: &str, cell: &Cell) -> String {
    let mut pairs: Vec<(&str, &str)> = names(cell).map(|(placeholder, name)| (name, placeholder)).to_vec();
    pairs.push(("{", BRACE));
    // One name may begin with another: the longer one is meant.
    pairs.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    replaced(text, &pairs).0
}

pub(super) fn with_names(text: &str, cell: &Cell) -> Result<String, CompactError> {
    let mut pairs = names(cell).to_vec();
    pairs.push((BRACE, "{"));
    let (text, braces) = replaced(text, &pairs);
    if braces == 0 {
        Ok(text)
    } else {
        Err(CompactError::Unsound(format!("{text:?} has a brace that stands for nothing")))
    }
}

/// Replaces the first of each pair by the second, and counts the braces that were not replaced.
fn replaced(text: &str, pairs: &[(&str, &str)]) -> (String, usize) {
    let (mut written, mut rest, mut braces) = (String::with_capacity(text.len()), text, 0);
    // Most of a text begins none of them, and every cell of every run of a history has one.
    let begins: Vec<char> = pairs.iter().filter_map(|(from, _)| from.chars().next()).chain(['{']).collect();
    while let Some(at) = rest.find(&begins[..]) {
        written.push_str(&rest[..at]);
        rest = &rest[at..];
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let (to, length) = match pairs.iter().find(|(from, _)| rest.starts_with(from)) {
            Some((from, to)) => (*to, from.len()),
            None => {
                braces += usize::from(rest.starts_with('{'));
                (&rest[..first], first)
            }
        };
        written.push_str(to);
        rest = &rest[length..];
    }
    written.push_str(rest);
    (written, braces)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cell(client: &str, server: &str) -> Cell {
        let scenario = ScenarioId::new("a/one").unwrap();
        let peer = |name| PeerId::new(name).unwrap();
        Cell { scenario, client: peer(client), server: peer(server), transport: Transport::Http }
    }

    #[test]
    fn names_are_replaced_and_braces_stay() {
        let between = cell("mock/dual+auto", "mock/dual");
        let without = without_names(r#"mock/dual+auto rejected {"a/one": "{client}"} of mock/dual"#, &between);
        assert_eq!(without, r#"{client} rejected {{"{scenario}": "{{client}"} of {server}"#);
        let other = with_names(&without, &cell("rmcp@3", "x")).unwrap();
        assert_eq!(other, r#"rmcp@3 rejected {"a/one": "{client}"} of x"#);
        assert!(with_names("{nobody}", &between).is_err());
    }

    #[test]
    fn the_magnitude_of_a_duration_stays() {
        for (exact, kept) in
            [(0, 0), (1, 1), (4, 2), (10, 10), (99, 50), (4321, 2000), (u64::MAX, 10_000_000_000_000_000_000)]
        {
            assert_eq!(rounded(exact), kept, "{exact}");
            assert_eq!(rounded(kept), kept, "what was rounded stays");
        }
    }

    proptest! {
        #[test]
        fn every_text_comes_back(text in "[{}a-c]{0,12}|(\\{client\\}|\\{server\\}|ab|b|a/one|\\{){0,6}", client in "[a-c]{1,2}", server in "[a-c]{1,2}") {
            let cell = cell(&client, &server);
            prop_assert_eq!(with_names(&without_names(&text, &cell), &cell).unwrap(), text);
        }
    }
}
