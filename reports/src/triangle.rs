//! Where the fix of a break between two real peers belongs, and what each of them does with a mock in the other's place.

use mcp_compat_model::CellId;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::triangle::{Testimony, Triangle, Witness};

use crate::wording;

/// Where the fix belongs, and what shows it, in a word or two.
#[must_use]
pub fn to_fix(cell: &CellRecord) -> Option<String> {
    let to_fix = wording::to_fix(cell.fault?);
    Some(match &cell.triangle {
        Some(triangle) if triangle.tells() => format!("to fix: {to_fix} (mocks confirm it)"),
        Some(triangle) if triangle.only_together() => format!("to fix: {to_fix} (breaks only with this peer)"),
        Some(_) | None => format!("to fix: {to_fix}"),
    })
}

/// What each of the two does with a mock; nothing, where neither was played with one.
#[must_use]
pub fn said(cell: &CellRecord, triangle: &Triangle) -> Option<String> {
    let mut said = Vec::new();
    if let Some(witness) = &triangle.client {
        said.push(format!("{} with {}: {}", cell.client, mock(witness, |mock| mock.server), testimony(witness)));
    }
    if let Some(witness) = &triangle.server {
        said.push(format!("{} with {}: {}", cell.server, mock(witness, |mock| mock.client), testimony(witness)));
    }
    if said.is_empty() {
        return None;
    }
    let alone = (cell.fault != Some(triangle.alone))
        .then(|| format!("; judged by this cell alone, to fix: {}", wording::to_fix(triangle.alone)));
    Some(format!("{}{}", said.join("; "), alone.unwrap_or_default()))
}

/// The mock of a cell, as its id tells.
fn mock(witness: &Witness, of: impl Fn(mcp_compat_model::Cell) -> mcp_compat_model::PeerId) -> String {
    CellId::parse(witness.cell.as_str()).map_or_else(|_| "a mock".to_owned(), |cell| of(cell).to_string())
}

fn testimony(witness: &Witness) -> String {
    match witness.says {
        Testimony::Guilty => format!("also `{}`, by its own fault", witness.outcome),
        Testimony::Clear => "works".to_owned(),
        Testimony::Unclear => format!("`{}`, which shows nothing about it", witness.outcome),
    }
}
