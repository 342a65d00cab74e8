//! The workspace checks itself: architecture, public surface, fidelity, published schemas, the JSON Schema Test Suite.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod architecture;
mod fidelity;
mod public_surface;
mod schema_suite;
mod schemas;
mod support;
