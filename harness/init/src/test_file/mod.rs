//! A test of a server, for the runner of its project: a file, its baseline, and how it is run.
//!
//! The test needs the helper of mcp-compat for that runner, which is added to the project by a command: no manifest is
//! changed here.

mod cargo;
mod node;
mod parts;
mod pytest;

use crate::{Found, Runner};
use parts::TestFile;

/// The test of a server. `None` if there is no helper for its language.
pub(crate) fn of(found: &Found, version: &str) -> Option<TestFile> {
    match found.runner.as_ref()? {
        Runner::Cargo { binary } => Some(cargo::of(found, binary.as_deref(), version)),
        Runner::Node { packages, vitest, folder } => Some(node::of(found, *packages, *vitest, folder, version)),
        Runner::Pytest { uv, folder } => Some(pytest::of(found, *uv, folder, version)),
    }
}
