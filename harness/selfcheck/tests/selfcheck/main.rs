//! The workspace checks itself: architecture, public surface, fidelity, published schemas.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::wildcard_enum_match_arm, reason = "the enums of syn are open: a new kind of item is no mistake")]

mod architecture;
mod fidelity;
#[path = "../../../audit/tests/audit/own_server.rs"]
#[expect(dead_code, reason = "shared with the tests of the audit, which use all of it")]
mod own_server;
mod public_surface;
mod schemas;
mod support;
