//! The corpus of scenarios that this project ships, embedded in the binary.

use include_dir::{Dir, DirEntry, File, include_dir};
use mcp_compat_model::ScenarioId;

pub use crate::digest::{Digests, digest, digests};
use crate::scenario::Scenario;
use crate::{Diagnostics, load as load_one, load_all};

static CORPUS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/corpus");

/// Returns every scenario of the corpus, sorted by id.
///
/// # Errors
/// Every mistake in every file.
pub fn load() -> Result<Vec<Scenario>, Diagnostics> {
    load_of(|_| true)
}

/// Returns the scenarios of some of the files, sorted by id. `is_wanted` gets the beginning that the ids of a file
/// share, such as `root-type/primitive`. Reading all files takes a while, since some hold megabytes.
///
/// # Errors
/// Every mistake in these files.
pub fn load_of(is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Scenario>, Diagnostics> {
    let mut files = Vec::new();
    collect(&CORPUS, &mut files);
    files.retain(|(path, _)| is_wanted(path.trim_end_matches(".toml")));
    load_all(&files, &beside)
}

/// Returns the scenario with this id. Only its file is read, since the whole corpus takes a while.
///
/// # Errors
/// Every mistake in its file.
pub fn find(id: &ScenarioId) -> Result<Option<Scenario>, Diagnostics> {
    let path = format!("{}.toml", id.file());
    let Some(text) = CORPUS.get_file(&path).and_then(File::contents_utf8) else { return Ok(None) };
    let scenarios = load_one(&path, text, &beside)?;
    Ok(scenarios.into_iter().find(|scenario| scenario.id == *id))
}

fn beside(path: &str) -> Option<Vec<u8>> {
    CORPUS.get_file(path).map(|file| file.contents().to_vec())
}

fn collect(folder: &'static Dir<'_>, files: &mut Vec<(String, &'static str)>) {
    for entry in folder.entries() {
        match entry {
            DirEntry::Dir(folder) => collect(folder, files),
            DirEntry::File(file) => {
                let path = file.path().to_string_lossy().replace('\\', "/");
                if path.ends_with(".toml") {
                    // A file that is not UTF-8 counts as empty, and so is reported.
                    files.push((path, file.contents_utf8().unwrap_or_default()));
                }
            }
        }
    }
}
