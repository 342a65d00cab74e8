//! Whether every value of one schema is one of another: a table of pairs, what hostile schemas may not do, and what holds
//! for any pair.

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
