//! Audits of servers that this crate is given: in memory, one binary for all of them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod failures;
mod handshakes_and_lists;
mod over_http;
mod own_server;
mod remedies;
mod server_audit;
mod sessions;
mod time;
mod variations;
