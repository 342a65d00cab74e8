//! The crate against real processes and sockets, most of which misbehave.
//!
//! The peers here are shell scripts and bare sockets: they share nothing with what they test.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client_adapter;
mod client_command;
mod fake;
mod forward;
mod link;
#[cfg(target_os = "linux")]
mod memory_limit;
mod process;
mod proxy;
mod relay;
mod server_adapter;
