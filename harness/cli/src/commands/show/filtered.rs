//! `show --where`: the cells of a run that a filter selects.

use std::path::Path;

use crate::inputs::compared::Compared;
use mcp_compat_model::diff::{Class, Diff};
use mcp_compat_model::query::{ClassOf, Query};
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::Rating;
use mcp_compat_reports::selection::{Selection, render};
use mcp_compat_run::history::open;
use serde_json::json;

use crate::exit::Exit;
use crate::output::{eprintln, json_text, print};
use crate::terminal;

/// Cells of a run that a filter selects.
pub(crate) struct Selected {
    query: Query,
    pub(crate) cells: Vec<CellRecord>,
    /// Number of cells of the run.
    of: usize,
}

impl Selected {
    /// Selects cells of the run in `folder`, compared with the earlier run `since` if there is one.
    pub(crate) fn of(folder: &Path, query: Query, since: Option<&Path>) -> anyhow::Result<Self> {
        let (record, diff) = match since {
            None => (open(folder)?.record, None),
            Some(earlier) => {
                let compared = Compared::open(earlier, folder, &[], &|warning| eprintln!("{warning}"))?;
                let diff = compared.diff(None)?;
                (compared.into_after(), Some(diff))
            }
        };
        let classes = diff.as_ref().map(Diff::classes);
        let class_of = |cell: &CellRecord| {
            let name = (&cell.scenario, &cell.client, &cell.server, cell.transport);
            classes.as_ref().and_then(|classes| classes.get(&name).copied()).unwrap_or(Class::Same)
        };
        let cells = query.select(&record.cells, classes.as_ref().map(|_| &class_of as ClassOf<'_>))?;
        let cells = cells.into_iter().cloned().collect();
        Ok(Self { query, cells, of: record.cells.len() })
    }
}

/// Shows the cells of the run in `folder` that the filter selects.
pub(super) fn execute(folder: &Path, filter: &str, since: Option<&Path>, as_json: bool) -> anyhow::Result<Exit> {
    let Selected { query, cells, of } = Selected::of(folder, Query::parse(filter)?, since)?;
    let cells: Vec<&CellRecord> = cells.iter().collect();
    if as_json {
        print!("{}", json_text(&listed(&query, &cells, of))?);
    } else {
        let selection = Selection { query: filter, cells: &cells, of };
        print!("{}", render(&selection, terminal::style()));
    }
    Ok(Exit::Success)
}

/// Returns the cells as JSON, with their numbers by rating.
fn listed(query: &Query, cells: &[&CellRecord], of: usize) -> serde_json::Value {
    let count = |rating| cells.iter().filter(|cell| cell.rating == rating).count();
    let ratings: serde_json::Map<_, _> =
        Rating::ALL.into_iter().map(|rating| (rating.as_str().to_owned(), json!(count(rating)))).collect();
    let silent = cells.iter().filter(|cell| cell.silent).count();
    json!({
        "query": query.as_str(), "selected": cells.len(), "of": of, "ratings": ratings, "silent": silent, "cells": cells,
    })
}
