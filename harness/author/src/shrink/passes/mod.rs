//! The passes of a reduction, from the outside in.
//!
//! - `structure` leaves out tools, controls, steps and evolutions.
//! - `json` leaves out members and elements, replaces a value by a part of it, and shortens strings and numbers.
//! - `schema_and_value` changes a schema and its value together.

mod json;
mod schema_and_value;
mod structure;

pub(super) use json::shrink_json;
pub(super) use structure::drop_structure;
