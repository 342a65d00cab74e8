//! The scenarios to play: the embedded corpus, and folders beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use mcp_compat_scenario::{Diagnostics, Scenario};

use crate::terminal;

/// The embedded corpus with the scenarios of further folders.
pub(crate) fn load(folders: &[PathBuf]) -> anyhow::Result<Vec<Arc<Scenario>>> {
    let mut corpus = mcp_compat_scenario::corpus::load().map_err(refused)?;
    for folder in folders {
        let scenarios = load_folder(folder)?;
        if let Some(twin) = scenarios.iter().find(|new| corpus.iter().any(|old| old.id == new.id)) {
            bail!("{} has a scenario {}, which the corpus has too: rename its file", folder.display(), twin.id);
        }
        corpus.extend(scenarios);
    }
    corpus.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(corpus.into_iter().map(Arc::new).collect())
}

/// The scenarios of a folder.
pub(crate) fn load_folder(folder: &Path) -> anyhow::Result<Vec<Scenario>> {
    let mut files = Vec::new();
    collect(folder, folder, &mut files).with_context(|| format!("reading the scenarios in {}", folder.display()))?;
    if files.is_empty() {
        bail!("{} holds no scenario: expected files such as my-class/my-scenario.toml", folder.display());
    }
    files.sort();
    let beside = |path: &str| fs::read(folder.join(path)).ok();
    mcp_compat_scenario::load_all(&files, &beside).map_err(refused)
}

/// The scenario files below a folder, with their texts.
fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            files.push((name, fs::read_to_string(&path)?));
        }
    }
    Ok(())
}

/// Mistakes in scenario files, as they are shown.
pub(crate) fn refused(diagnostics: Diagnostics) -> anyhow::Error {
    anyhow!("the scenarios have mistakes; nothing was run\n\n{}", diagnostics.render(terminal::style().colour))
}
