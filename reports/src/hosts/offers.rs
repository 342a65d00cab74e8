//! Cells of hosts in which what the model is offered decides, and not what it reads.

use std::collections::BTreeSet;

use mcp_compat_json::Json;
use mcp_compat_model::CellId;
use mcp_compat_model::observation::{Seen, SeenTool};

/// Cells by what their models are offered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    /// The interface of the model refuses a tool, with all others.
    pub refused: BTreeSet<CellId>,
    /// No schema of arguments has a union at its root.
    pub without_union: BTreeSet<CellId>,
}

impl Offers {
    /// Adds a cell, with what its client saw.
    pub fn add(&mut self, cell: &CellId, steps: &[Seen]) {
        let tools = || steps.iter().flat_map(listed);
        if tools().any(|tool| tool.refused.is_some()) {
            self.refused.insert(cell.clone());
        }
        let mut schemas = tools().filter_map(|tool| tool.input_schema.as_ref()).peekable();
        if schemas.peek().is_some() && !schemas.any(has_union) {
            self.without_union.insert(cell.clone());
        }
    }
}

fn listed(seen: &Seen) -> &[SeenTool] {
    match seen {
        Seen::Listed { tools } => tools,
        Seen::Called(_) | Seen::Failed(_) | Seen::Evolved { .. } | Seen::NotReported {} => &[],
    }
}

fn has_union(schema: &Json) -> bool {
    ["anyOf", "oneOf", "allOf"].iter().any(|key| schema.get(key).is_some())
}
