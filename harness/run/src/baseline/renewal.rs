//! A baseline rewritten from what a run found: what still holds stays as it is, with its comments; what no longer does
//! goes; what breaks besides is added, an entry for each cause and product of cells. A pure function.

use std::collections::BTreeSet;
use std::fmt;

use mcp_compat_model::Cell;
use mcp_compat_model::cause::causes;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::{Outcome, Rating};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use super::patterns::patterns;
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
            let cells: Vec<Cell> = cause.cells.iter().map(|cell| cell.cell()).collect();
            for cells in patterns(&cells, matrix) {
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
    #[must_use]
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
