//! Tests of inclusion: a table of pairs, hostile schemas, and properties of any pair.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bounds;
mod hostile;
mod properties;
mod schemas;
mod table;
mod values;

use mcp_compat_json::Json;

pub(crate) fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
