//! Installing releases, with real processes, and the lock files of the fleet; one binary for all of it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod installing;
mod locks;
#[cfg(target_os = "linux")]
mod processes;
