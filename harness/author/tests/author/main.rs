//! Authoring, from outside: drafts of evidence, lint, and shrinking, by example and by property.
//!
//! `shapes` makes schemas, `values` makes what conforms to them and what violates them. `delivery` plays them and checks
//! the outcome; `shrinking` makes them break and checks what is left. `pairs` holds the peers that play.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod any_evidence;
mod delivery;
mod lint;
mod masking;
mod new_and_lint;
mod pairs;
mod recording;
mod report;
mod shapes;
mod shrinking;
mod values;
mod wire;
