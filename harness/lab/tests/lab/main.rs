//! The workspace checks itself: architecture, fidelity, published schemas.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod architecture;
mod fidelity;
#[path = "../../../audit/tests/audit/own_server.rs"]
#[expect(dead_code, reason = "shared with the tests of the audit, which use all of it")]
mod own_server;
mod projection;
mod replay;
mod schemas;
mod support;
