//! The workspace checks itself: architecture, fidelity, published schemas, and the commands of the lab.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod architecture;
mod commands;
#[path = "../../../cli/tests/cli/family.rs"]
#[expect(dead_code, reason = "shared with the tests of the command line, which use all of it")]
mod family;
mod fidelity;
mod fidelity_command;
#[path = "../../../audit/tests/audit/own_server.rs"]
#[expect(dead_code, reason = "shared with the tests of the audit, which use all of it")]
mod own_server;
#[path = "../../../cli/tests/cli/python.rs"]
mod python;
mod replay;
mod schemas;
#[path = "../../../cli/tests/cli/sdk.rs"]
mod sdk;
mod support;
mod sweep;
#[path = "../../../cli/tests/cli/workshop.rs"]
#[expect(dead_code, reason = "shared with the tests of the command line, which use all of it")]
mod workshop;
