//! The cells of a run that a filter selects.

use std::path::Path;

use mcp_compat_model::query::Query;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::Rating;
use mcp_compat_reports::selection::{Selection, render};
use mcp_compat_run::store::read_record;
use serde_json::json;

use crate::exit::Exit;
use crate::json_text::json_text;
use crate::output::print;
use crate::terminal;

/// Shows the cells of the run in `folder` for which the filter holds.
pub(super) fn execute(folder: &Path, filter: &str, as_json: bool) -> anyhow::Result<Exit> {
    let query = Query::parse(filter)?;
    let record = read_record(folder)?;
    let cells = query.select(&record.cells, None)?;
    if as_json {
        print!("{}", json_text(&listed(&query, &cells, record.cells.len()))?);
    } else {
        let selection = Selection { query: filter, cells: &cells, of: record.cells.len() };
        print!("{}", render(&selection, terminal::style()));
    }
    Ok(Exit::Success)
}

/// The cells for programs, with how many of them fare how.
fn listed(query: &Query, cells: &[&CellRecord], of: usize) -> serde_json::Value {
    let count = |rating| cells.iter().filter(|cell| cell.rating == rating).count();
    let ratings: serde_json::Map<_, _> =
        Rating::ALL.into_iter().map(|rating| (rating.as_str().to_owned(), json!(count(rating)))).collect();
    let silent = cells.iter().filter(|cell| cell.silent).count();
    json!({
        "query": query.as_str(), "selected": cells.len(), "of": of, "ratings": ratings, "silent": silent, "cells": cells,
    })
}
