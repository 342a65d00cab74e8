//! What holds for any schema and any value, not only for those that somebody thought of.
//!
//! `shapes` makes schemas with values of which it is known whether they conform, `delivery` plays them and looks at the
//! outcome, `shrinking` makes them break and looks at what is left.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod delivery;
mod shapes;
mod shrinking;
mod table;
