//! The command line where it has to wait: peers that hang, flood or die, a busy machine, interruptions, huge files.
//!
//! `.ci/slow` runs these tests; `cargo test` alone does not.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../cli/family.rs"]
#[expect(dead_code, reason = "shared with the other tests of the command line, which use all of it")]
mod family;
mod hostile_files;
mod hostile_servers;
mod hosts;
mod interruption;
mod load;
mod misbehaving_peers;
mod moments;
mod peer_contract;
mod peers_interrupted;
#[path = "../cli/python.rs"]
mod python;
mod variations;
mod watchdog;
mod whole;
#[path = "../cli/workshop.rs"]
#[expect(dead_code, reason = "shared with the other tests of the command line, which use all of it")]
mod workshop;
