//! `peer.toml`: what a family of real peers is, how one of its releases is installed, and how it is started.
//!
//! ```text
//! text ── form ──> what serde reads ── check ──> Manifest: complete and consistent
//! ```
//!
//! `peers/README.md` documents every key.

mod check;
mod form;
#[cfg(test)]
mod tests;
mod types;

use std::path::Path;

use mcp_compat_drive::files::input_file;

pub use form::{ClientCommand, Registry, Revisions, ServerCommand, Tool};
pub use types::{How, Manifest, ManifestError, Serves, Setup};

use super::toml_file::TomlFile;
use form::Form;

pub const FILE: &str = "peer.toml";

/// Largest number of bytes that a manifest may have.
const LONGEST: u64 = 16 << 20;

/// The text of a file that describes peers.
///
/// # Errors
/// When it is not a file, is too long, or cannot be read.
pub fn text(path: &Path) -> Result<String, ManifestError> {
    input_file::read_text(path, LONGEST).map_err(|error| ManifestError::Unreadable { path: path.to_owned(), error })
}

impl Manifest {
    /// Reads the manifest in `path`.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a manifest; the error shows each mistake in its line.
    pub fn read(path: &Path) -> Result<Self, ManifestError> {
        Self::parse(path, &text(path)?)
    }

    /// Reads a manifest from its text; `path` stands in errors.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ManifestError> {
        let path = path.display().to_string();
        let (form, mut file) = TomlFile::read::<Form>(&path, text)?;
        let manifest = check::manifest(form, &mut file);
        Ok(file.finish(manifest)?.unwrap_or_else(|| unreachable!("an incomplete manifest has a mistake")))
    }
}

/// The JSON Schema of a `peer.toml`, as the JSON that its TOML stands for.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Form)
}
