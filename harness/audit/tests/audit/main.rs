//! Audits of servers that this crate is given: in memory, one binary for all of them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod failures;
mod handshakes_and_lists;
mod own_server;
mod server_audit;
mod sessions;
mod time;
mod variations;
