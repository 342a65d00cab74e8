//! The commands of the lab, which play much and wait for peers that hang. `.ci/slow` runs these tests.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod commands;
#[path = "../../../cli/tests/cli/family.rs"]
#[expect(dead_code, reason = "shared with the tests of the command line, which use all of it")]
mod family;
mod fidelity;
#[path = "../../../cli/tests/cli/python.rs"]
mod python;
#[path = "../../../cli/tests/cli/sdk.rs"]
mod sdk;
mod sweep;
#[path = "../../../cli/tests/cli/workshop.rs"]
#[expect(dead_code, reason = "shared with the tests of the command line, which use all of it")]
mod workshop;
