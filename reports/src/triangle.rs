//! What mocks in the place of each of two real peers say of their break, in words.

use mcp_compat_model::CellId;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::triangle::{Testimony, Triangle, Witness};

/// Whose fault it is, and what that rests on, in a word or two.
pub(crate) fn fault(cell: &CellRecord) -> Option<String> {
    let fault = cell.fault?;
    Some(match &cell.triangle {
        Some(triangle) if triangle.tells() => format!("fault: {fault} (mocks show it)"),
        Some(triangle) if triangle.only_together() => format!("fault: {fault} (only together)"),
        Some(_) | None => format!("fault: {fault}"),
    })
}

/// What each of the two does with a mock; nothing, where neither was played with one.
pub(crate) fn said(cell: &CellRecord, triangle: &Triangle) -> Option<String> {
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
    let alone = (cell.fault != Some(triangle.alone)).then(|| format!("; by this cell alone: {}", triangle.alone));
    Some(format!("{}{}", said.join("; "), alone.unwrap_or_default()))
}

/// The mock of a cell, as its id tells.
fn mock(witness: &Witness, of: impl Fn(mcp_compat_model::Cell) -> mcp_compat_model::PeerId) -> String {
    CellId::parse(witness.cell.as_str()).map_or_else(|_| "a mock".to_owned(), |cell| of(cell).to_string())
}

fn testimony(witness: &Witness) -> String {
    match witness.says {
        Testimony::Guilty => format!("`{}` too, by its own fault", witness.outcome),
        Testimony::Clear => "works".to_owned(),
        Testimony::Unclear => format!("`{}`, which tells nothing of it", witness.outcome),
    }
}
