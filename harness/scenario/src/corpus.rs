//! The corpus of scenarios that this project ships, embedded in the binary.

use include_dir::{Dir, DirEntry, File, include_dir};
use mcp_compat_model::ScenarioId;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::scenario::{Call, Means, Scenario, Step};
use crate::{Diagnostics, load as load_one, load_all};

static CORPUS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/corpus");

/// How many bytes of the hash a digest shows: enough to tell corpora apart, few enough to be read aloud.
const DIGEST_BYTES: usize = 8;

/// Every scenario of the corpus, sorted by id.
///
/// # Errors
/// Every mistake in every file.
pub fn load() -> Result<Vec<Scenario>, Diagnostics> {
    let mut files = Vec::new();
    collect(&CORPUS, &mut files);
    load_all(&files, &beside)
}

/// The scenario of this id, read alone: the whole corpus takes a while, and a program may be waited for.
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

/// A short hash over what is played and what must come of it; titles, reasons and sources can change without it. The
/// order of the scenarios does not matter.
#[must_use]
pub fn digest<'a>(scenarios: impl IntoIterator<Item = &'a Scenario>) -> String {
    let mut played: Vec<String> = scenarios.into_iter().map(played).collect();
    played.sort_unstable();
    let mut hasher = Sha256::new();
    for scenario in played {
        // The length keeps two scenarios from passing for one.
        hasher.update((scenario.len() as u64).to_le_bytes());
        hasher.update(scenario);
    }
    hasher.finalize().iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

fn played(scenario: &Scenario) -> String {
    // The script and the jobs go in as text: as JSON values their numbers would be rounded.
    let script = serde_json::to_string(&scenario.script()).unwrap_or_default();
    let job = serde_json::to_string(&scenario.job_steps()).unwrap_or_default();
    let asked: Vec<_> = scenario.steps.iter().map(asked).collect();
    json!([script, job, scenario.since.as_str(), asked]).to_string()
}

fn asked(step: &Step) -> serde_json::Value {
    match step {
        Step::List | Step::Evolve { .. } => serde_json::Value::Null,
        Step::Call(Call { means, expect, .. }) => {
            let (kind, words) = match means {
                Means::Value(value) => ("value", value.to_compact()),
                Means::Text(text) => ("text", text.clone()),
                Means::ToolError(words) => ("tool-error", words.clone()),
                Means::Invalid => ("invalid", String::new()),
            };
            json!([kind, words, expect.legacy.as_str(), expect.modern.as_str()])
        }
    }
}
