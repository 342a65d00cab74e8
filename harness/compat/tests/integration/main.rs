//! The engine as its users see it: real processes, real sockets, one binary for all of it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so, and why")]

mod adapter_messages;
mod bad_peers;
mod baseline;
mod canary;
mod cargo_bin;
mod determinism;
mod eras;
mod features;
mod in_process;
mod leftovers;
mod official_schemas;
#[path = "../../../audit/tests/audit/own_server.rs"]
#[expect(dead_code, reason = "shared with the tests of the audit, which use all of it")]
mod own_server;
#[cfg(target_os = "linux")]
#[path = "../../../fleet/tests/fleet/processes.rs"]
mod processes;
mod real;
mod rmcp;
mod sep_2106;
mod server_under_test;
mod skip;
mod suite;
mod support;
mod weight;
