//! Tools that a model calls from a program: it writes TypeScript, which the host runs, and names them as functions.

use super::conversation::{OfferedTool, Part};

/// Names of tools that run a program of the model.
const RUNNERS: [&str; 1] = ["run_typescript"];

/// Finds the tool of the host that runs programs.
pub(super) fn runner(offered: &[OfferedTool]) -> Option<&OfferedTool> {
    offered.iter().find(|tool| RUNNERS.contains(&&*tool.name))
}

/// The functions of a ranked list in the answer to a search, such as `1. mcp_srv.count_ships - 15.9`. The group is the
/// namespace.
pub(super) fn functions(part: &Part) -> Vec<OfferedTool> {
    let Part::Text(text) = part else { return Vec::new() };
    let function = |line: &str| {
        let (place, rest) = line.split_once(". ")?;
        let (group, name) = rest.split_whitespace().next()?.split_once('.')?;
        place.parse::<u32>().ok()?;
        let namespace = Some(group.to_owned());
        Some(OfferedTool { namespace, name: name.to_owned(), description: None, schema: None })
    };
    text.lines().filter_map(function).collect()
}

/// Arguments for a runner: a program that returns what a function returns. `arguments` is the JSON text of an object.
pub(super) fn program(function: &OfferedTool, arguments: &str) -> String {
    let group = function.namespace.as_deref().unwrap_or_default();
    let call = format!("tools.{group}.{}({arguments})", function.name);
    serde_json::json!({ "code": format!("async function main() {{ return await {call} }}") }).to_string()
}
