//! The scenarios to play: the embedded corpus, folders beside it, and single files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use mcp_compat::glob::nothing;
use mcp_compat_model::ScenarioId;
use mcp_compat_scenario::Scenario;

/// The embedded corpus with the scenarios of further folders.
pub(crate) fn load(folders: &[PathBuf]) -> anyhow::Result<Vec<Arc<Scenario>>> {
    let mut corpus = mcp_compat_scenario::corpus::load().context("the embedded corpus has mistakes")?;
    for folder in folders {
        let scenarios = load_folder(folder)?;
        if let Some(twin) = scenarios.iter().find(|new| corpus.iter().any(|old| old.id == new.id)) {
            bail!("{} has a scenario {}, and so has the corpus: rename its file", folder.display(), twin.id);
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
    let scenarios = mcp_compat_scenario::load_all(&files, &beside).map_err(|mistakes| mistakes.below(folder));
    scenarios.with_context(|| format!("the scenarios in {} have mistakes; nothing was run", folder.display()))
}

/// The scenarios of one file: one, or a family.
pub(crate) fn load_file(path: &Path) -> anyhow::Result<Vec<Scenario>> {
    let text = fs::read_to_string(path).with_context(|| format!("reading the scenario {}", path.display()))?;
    let (folder, name) = place(path);
    let beside = |path: &str| fs::read(folder.join(path)).ok();
    let scenarios = mcp_compat_scenario::load(&name, &text, &beside).map_err(|mistakes| mistakes.below(folder));
    scenarios.with_context(|| format!("the scenario {} has mistakes", path.display()))
}

/// The one scenario of this name: an id of the corpus, a file, or `FILE[CASE]` for one of a family.
pub(crate) fn find(name: &str) -> anyhow::Result<Scenario> {
    if let Some((path, case)) = scenario_file(name) {
        let scenarios = load_file(Path::new(path))?;
        let wanted = |scenario: &&Scenario| case.is_none_or(|case| scenario.id.as_str().ends_with(case));
        let mut found = scenarios.iter().filter(wanted);
        return match (found.next(), found.next()) {
            (Some(only), None) => Ok(only.clone()),
            (Some(_), Some(_)) | (None, _) => {
                let file = |scenario: &Scenario| scenario.id.as_str().replacen(scenario.id.file(), path, 1);
                let cases: Vec<_> = scenarios.iter().map(file).collect();
                bail!("{path} is a family of scenarios: name one of them, as in '{}'", cases.join("', '"))
            }
        };
    }
    let corpus = load(&[])?;
    match corpus.iter().find(|scenario| scenario.id.as_str() == name) {
        Some(scenario) => Ok(Scenario::clone(scenario)),
        None => Err(anyhow!(nothing("scenario", name, corpus.iter().map(|scenario| scenario.id.as_str())))),
    }
}

/// The path of a scenario file, and which of its cases is meant: `FILE.toml` or `FILE.toml[case]`.
fn scenario_file(name: &str) -> Option<(&str, Option<&str>)> {
    if name.ends_with(".toml") {
        return Some((name, None));
    }
    let place = name.rfind(".toml[").filter(|_| name.ends_with(']'))? + ".toml".len();
    Some((&name[..place], Some(&name[place..])))
}

/// The folder that a file's id is counted from, and the path below it: a class and a file where the folder can be a
/// class, else the file alone.
fn place(path: &Path) -> (&Path, String) {
    let nowhere = Path::new("");
    let folder = path.parent().unwrap_or(nowhere);
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let classed = format!("{}/{}", name(folder), name(path));
    match ScenarioId::new(classed.trim_end_matches(".toml")) {
        Ok(_) => (folder.parent().unwrap_or(nowhere), classed),
        Err(_) => (folder, name(path)),
    }
}

/// The scenario files below a folder, with their texts.
fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            files.push((name, fs::read_to_string(&path).with_context(|| path.display().to_string())?));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_folder_where_that_can_be_a_class() {
        let placed = |path: &'static str| {
            let (folder, name) = place(Path::new(path));
            (folder.to_str().unwrap(), name)
        };
        assert_eq!(placed("/some/where/root-type/array.toml"), ("/some/where", "root-type/array.toml".to_owned()));
        assert_eq!(placed("root-type/array.toml"), ("", "root-type/array.toml".to_owned()));
        assert_eq!(placed("array.toml"), ("", "array.toml".to_owned()));
        assert_eq!(placed("/My Files/array.toml"), ("/My Files", "array.toml".to_owned()));
    }
}
