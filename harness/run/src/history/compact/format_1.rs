//! Reads format 1 of the compact form, which versions before this one wrote: the cells as columns.
//!
//! A column has the distinct values of a property, and for each cell the place of its value.

use std::collections::BTreeMap;

use mcp_compat_model::record::{CellRecord, Record};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::CompactError;
use super::cells::{WRITTEN_OUT, with_names};

#[derive(Deserialize)]
struct Run {
    record: Record,
    cells: Columns,
}

#[derive(Deserialize)]
struct Columns {
    duration_us: Vec<u64>,
    distinct_findings: Vec<Value>,
    distinct_messages: Vec<Value>,
    #[serde(flatten)]
    properties: BTreeMap<String, Column>,
}

#[derive(Deserialize)]
struct Column {
    values: Vec<Value>,
    cells: Vec<u32>,
}

/// Reads the record in the second line of a file.
///
/// # Errors
/// If a column lacks a cell, names a value that is not there, or there is more than a run can have.
pub(super) fn read(line: &str) -> Result<Record, CompactError> {
    let Run { record, cells } = serde_json::from_str(line).map_err(CompactError::Syntax)?;
    let mut left = WRITTEN_OUT;
    let all = (0..cells.duration_us.len()).map(|at| cells.cell(at, &mut left)).collect::<Result<_, _>>()?;
    Ok(Record { cells: all, ..record })
}

impl Columns {
    /// Writes out a cell. `left` is how many bytes it and those after it may have.
    fn cell(&self, at: usize, left: &mut u64) -> Result<CellRecord, CompactError> {
        let missing = || CompactError::Unsound(format!("cell {} lacks a value", at + 1));
        let mut copy = |values: &[Value], number: Option<u64>| {
            let value = number.and_then(|number| values.get(usize::try_from(number).ok()?)).ok_or_else(missing)?;
            *left = left.checked_sub(value.to_string().len() as u64).ok_or(CompactError::TooLarge("texts"))?;
            Ok(value.clone())
        };
        let mut cell = Map::new();
        for (name, column) in &self.properties {
            cell.insert(name.clone(), copy(&column.values, column.cells.get(at).copied().map(u64::from))?);
        }
        let mut take = |name: &str| cell.remove(name).unwrap_or_default();
        let [findings, messages] = ["findings", "messages"].map(&mut take);
        let [alone, client, server, also_to_fix] =
            ["alone", "client_witness", "server_witness", "also_to_fix"].map(&mut take);
        let (findings, messages) = findings.as_array().zip(messages.as_array()).ok_or_else(missing)?;
        let finding = |(finding, messages): (&Value, &Value)| {
            let mut finding = copy(&self.distinct_findings, finding.as_u64())?;
            finding["messages"] = copy(&self.distinct_messages, messages.as_u64())?;
            Ok(finding)
        };
        let findings = findings.iter().zip(messages).map(finding).collect::<Result<Vec<Value>, CompactError>>()?;
        cell.extend([
            ("id".to_owned(), "".into()),
            ("findings".to_owned(), findings.into()),
            ("duration_us".to_owned(), self.duration_us.get(at).copied().into()),
            ("transcript".to_owned(), Value::Null),
        ]);
        let mut cell: CellRecord = serde_json::from_value(cell.into()).map_err(CompactError::Syntax)?;
        let name = cell.cell();
        let names =
            (name.client.as_str().len() + name.server.as_str().len()).saturating_mul(cell.reason.matches('{').count());
        *left = left.checked_sub(names as u64).ok_or(CompactError::TooLarge("texts"))?;
        (cell.id, cell.reason) = (name.id(), with_names(&cell.reason, &name)?);
        if !alone.is_null() {
            let id = |client: &str, server: &str, transport: &str| {
                format!("{}::{client}::{server}::{transport}", name.scenario)
            };
            let client = witness(client, |peer, transport| id(name.client.as_str(), peer, transport));
            let server = witness(server, |peer, transport| id(peer, name.server.as_str(), transport));
            let triangle = json!({"alone": alone, "client": client, "server": server, "also_to_fix": also_to_fix});
            cell.triangle = serde_json::from_value(triangle).map_err(CompactError::Syntax)?;
        }
        Ok(cell)
    }
}

/// Gives a witness the id of its cell, which may be written as what it has in place of the other peer.
fn witness(mut witness: Value, id: impl Fn(&str, &str) -> String) -> Value {
    if let Value::Object(members) = &mut witness
        && let Some(place) = members.remove("place")
    {
        let with = place["with"][0].as_str().zip(place["with"][1].as_str());
        let cell = with.map_or_else(|| place["cell"].clone(), |(peer, transport)| id(peer, transport).into());
        members.insert("cell".to_owned(), cell);
    }
    witness
}
