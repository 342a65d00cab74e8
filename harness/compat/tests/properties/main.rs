//! What holds for any schema and any value, not only for those that somebody thought of.
//!
//! `shapes` makes schemas, `values` what fits them and what is broken on purpose; `delivery` plays them and looks at the
//! outcome, `shrinking` makes them break and looks at what is left.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod delivery;
mod shapes;
mod shrinking;
mod table;
mod values;
