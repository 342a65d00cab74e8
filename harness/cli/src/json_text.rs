//! Values as JSON on standard output.

use anyhow::Context as _;
use mcp_compat_model::invisible_chars::neutralised_json;
use serde::Serialize;

use crate::exit::HarnessFailed;

/// Returns a value as indented JSON that is harmless on a terminal.
pub fn json_text(value: &impl Serialize) -> anyhow::Result<String> {
    let text = serde_json::to_string_pretty(value).context(HarnessFailed("writing JSON"))?;
    Ok(neutralised_json(&text) + "\n")
}
