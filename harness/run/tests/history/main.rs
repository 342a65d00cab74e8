//! Runs over months.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod compact;
mod folder;
mod records;
