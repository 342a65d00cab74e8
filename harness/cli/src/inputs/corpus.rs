//! Reads the scenarios to play: the embedded corpus, folders of scenarios, and single files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use mcp_compat_author::lint::clashes;
use mcp_compat_drive::files::input_file;
use mcp_compat_model::ScenarioId;
use mcp_compat_model::record::Record;
use mcp_compat_run::glob::{Glob, nothing};
use mcp_compat_scenario::{Diagnostic, Diagnostics, Placed, Scenario, load_placed};

/// Name of the folder of the corpus in a checkout of this project, and a file beside it.
const CHECKOUT: (&str, &str) = ("scenarios", "harness/scenario/Cargo.toml");

/// Largest size of a scenario file, in bytes.
const MAX_SIZE: u64 = 16 << 20;

/// Returns the embedded corpus with the scenarios of further folders and files.
pub fn load(places: &[PathBuf]) -> anyhow::Result<Vec<Arc<Scenario>>> {
    Ok(Corpus::gather(places, Embedded::Played, &[])?.scenarios)
}

/// Returns the scenarios of a file: a single one, or the members of a family.
pub fn load_file(path: &Path) -> anyhow::Result<Vec<Scenario>> {
    let (placed, mistakes) = Source::file(path)?.load();
    refuse(mistakes, &[path.to_owned()])?;
    Ok(placed.into_iter().map(|placed| placed.scenario).collect())
}

/// Splits `FILE.toml` or `FILE.toml[case]` into the path of a scenario file and the case.
pub fn scenario_file(name: &str) -> Option<(&str, Option<&str>)> {
    if name.ends_with(".toml") {
        return Some((name, None));
    }
    if !name.ends_with(']') {
        return None;
    }
    let place = name.rfind(".toml[")? + ".toml".len();
    Some((&name[..place], Some(&name[place..])))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Embedded {
    /// Plays the embedded scenarios, too.
    Played,
    /// Plays only the scenarios of the user.
    NotPlayed,
}

/// Scenarios to play, with their origin.
pub struct Corpus {
    /// The scenarios, sorted by id.
    pub scenarios: Vec<Arc<Scenario>>,
    /// Folder or file of each scenario that is not embedded, with the text of the file.
    origins: BTreeMap<ScenarioId, (PathBuf, Arc<str>)>,
}

impl Corpus {
    /// Reads all places and reports all mistakes at once. With patterns, only the embedded scenarios that they can
    /// select are read, unless a pattern selects nothing: then all are read, for the nearest names.
    pub fn gather(places: &[PathBuf], embedded: Embedded, patterns: &[String]) -> anyhow::Result<Self> {
        let globs: Vec<Glob> = patterns.iter().filter_map(|pattern| Glob::new(pattern).ok()).collect();
        // An invalid pattern is reported where it is used to select.
        let narrow = !patterns.is_empty() && globs.len() == patterns.len() && embedded == Embedded::Played;
        if narrow && globs.iter().all(|glob| !glob.beginning().is_empty()) {
            let may_be_selected = |file: &str, is_given| is_given || globs.iter().any(|glob| may_select(glob, file));
            let some = Self::of_loaded(Loaded::read_with(places, may_be_selected)?, places)?;
            let selects = |glob: &Glob| some.scenarios.iter().any(|scenario| glob.matches(scenario.id.as_str()));
            if globs.iter().all(selects) {
                return Ok(some);
            }
        }
        Self::of_loaded(Loaded::read_with(places, |_, _| embedded == Embedded::Played)?, places)
    }

    fn of_loaded(mut loaded: Loaded, places: &[PathBuf]) -> anyhow::Result<Self> {
        let taken = loaded.embedded.iter().map(|scenario| scenario.id.clone()).collect();
        let set: Vec<Placed> = loaded.given.iter().map(|(_, placed)| placed.clone()).collect();
        loaded.mistakes.extend(clashes(&set, &taken));
        refuse(loaded.mistakes, places)?;
        let mut scenarios: Vec<_> = loaded.embedded.into_iter().map(Arc::new).collect();
        let mut origins = BTreeMap::new();
        for (place, mut placed) in loaded.given {
            // The author of a scenario wants to see the result with every client.
            placed.scenario.is_smoke = true;
            origins.insert(placed.scenario.id.clone(), (place, placed.text));
            scenarios.push(Arc::new(placed.scenario));
        }
        scenarios.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(Self { scenarios, origins })
    }

    /// Returns the scenarios that are not embedded.
    pub fn own(&self) -> BTreeSet<ScenarioId> {
        self.origins.keys().cloned().collect()
    }

    /// Notes in a record where its scenarios were read, so that `show` and `shrink` find them again.
    pub fn mark(&self, record: &mut Record) {
        for scenario in &mut record.scenarios {
            scenario.read_from = self.origins.get(&scenario.id).map(|(place, _)| place.display().to_string());
        }
    }

    /// Returns the scenarios that are new or differ from those in `before`.
    pub fn changed_since(&self, before: &Self) -> BTreeSet<ScenarioId> {
        let is_as_before = |scenario: &Scenario| {
            let Some((_, text)) = self.origins.get(&scenario.id) else { return true };
            let known = before.scenarios.iter().find(|known| known.id == scenario.id);
            let text_before = before.origins.get(&scenario.id).map(|(_, text)| text);
            // Raw files are not part of the text, but they are played.
            let same = |known: &Arc<Scenario>| digest(known) == digest(scenario);
            text_before == Some(text) && known.is_some_and(same)
        };
        let changed = self.scenarios.iter().filter(|scenario| !is_as_before(scenario));
        changed.map(|scenario| scenario.id.clone()).collect()
    }
}

/// Returns whether a pattern can select a scenario of a file: the case of a family stands in brackets behind the name
/// of its file.
fn may_select(glob: &Glob, file: &str) -> bool {
    let beginning = glob.beginning();
    file.starts_with(beginning) || beginning.strip_prefix(file).is_some_and(|case| case.starts_with('['))
}

fn digest(scenario: &Scenario) -> String {
    mcp_compat_scenario::corpus::digest([scenario])
}

/// Returns the mistakes as an error, if there are any.
fn refuse(mistakes: Diagnostics, places: &[PathBuf]) -> anyhow::Result<()> {
    if mistakes.is_empty() {
        return Ok(());
    }
    let places: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
    Err(anyhow::Error::new(mistakes)
        .context(format!("the scenarios in {} have mistakes; nothing was run", places.join(", "))))
}

/// Scenarios of the given places, and those of the embedded corpus.
pub struct Loaded {
    /// The given scenarios, each with its folder or file.
    pub given: Vec<(PathBuf, Placed)>,
    /// Embedded scenarios, without those that a checkout replaces.
    pub embedded: Vec<Scenario>,
    /// The mistakes in files that do not load.
    pub mistakes: Diagnostics,
}

impl Loaded {
    /// Reads folders and files, and the files of the embedded corpus with the same ids.
    pub fn read(places: &[PathBuf]) -> anyhow::Result<Self> {
        Self::read_with(places, |_, is_given| is_given)
    }

    /// Reads folders and files, and the files of the embedded corpus that are wanted. `is_wanted` gets the beginning of
    /// the ids of an embedded file, and whether a given file has the same.
    fn read_with(places: &[PathBuf], is_wanted: impl Fn(&str, bool) -> bool) -> anyhow::Result<Self> {
        let mut loaded = Self { given: Vec::new(), embedded: Vec::new(), mistakes: Diagnostics::default() };
        let mut of_checkout = BTreeSet::new();
        for place in places {
            let source = Source::read(place)?;
            let (placed, mistakes) = source.load();
            loaded.mistakes.extend(mistakes);
            if source.is_checkout() {
                // The embedded scenarios were made from these.
                of_checkout.extend(placed.iter().map(|placed| placed.scenario.id.clone()));
            }
            for placed in placed {
                // A file that is named together with its folder counts once.
                let same = |other: &Placed| other.scenario.id == placed.scenario.id && other.path == placed.path;
                if !loaded.given.iter().any(|(_, other)| same(other)) {
                    loaded.given.push((place.clone(), placed));
                }
            }
        }
        let given: BTreeSet<&str> = loaded.given.iter().map(|(_, placed)| placed.scenario.id.file()).collect();
        let embedded = mcp_compat_scenario::corpus::load_of(|file| is_wanted(file, given.contains(file)));
        loaded.embedded = embedded.context("the built-in scenarios have mistakes")?;
        loaded.embedded.retain(|scenario| !of_checkout.contains(&scenario.id));
        Ok(loaded)
    }
}

/// Content of a folder of scenario files, or of a single file.
struct Source {
    /// The folder that ids and raw files are relative to.
    root: PathBuf,
    /// Paths of the files below it, with their content.
    files: Vec<(String, Vec<u8>)>,
}

impl Source {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let is_toml = path.extension().is_some_and(|extension| extension == "toml");
        if path.is_file() && !is_toml {
            let name = path.display();
            bail!(
                "{name} is not a scenario file: the name of a scenario file ends in .toml. If it is a bug report, make \
                 a scenario of it with `mcp-compat new my-bug.toml --from {name}`"
            );
        }
        let is_file = path.is_file() || (!path.is_dir() && is_toml);
        if is_file { Self::file(path) } else { Self::folder(path) }
    }

    fn folder(folder: &Path) -> anyhow::Result<Self> {
        let mut files = Vec::new();
        collect(folder, folder, &mut files)
            .with_context(|| format!("cannot read the scenarios in {}", folder.display()))?;
        if files.is_empty() {
            bail!("{} holds no scenario: expected files such as my-class/my-scenario.toml", folder.display());
        }
        files.sort();
        Ok(Self { root: folder.to_owned(), files })
    }

    fn file(path: &Path) -> anyhow::Result<Self> {
        let bytes = read(path).with_context(|| format!("cannot read the scenario {}", path.display()))?;
        let (root, name) = place(path);
        Ok(Self { root: root.to_owned(), files: vec![(name, bytes)] })
    }

    /// Returns the scenarios of the files that load, and the mistakes of the others.
    fn load(&self) -> (Vec<Placed>, Diagnostics) {
        let (mut placed, mut mistakes) = (Vec::new(), Diagnostics::default());
        let beside = |path: &str| self.beside(path);
        for (path, bytes) in &self.files {
            let loaded = match std::str::from_utf8(bytes) {
                Ok(text) => load_placed(path, text, &beside),
                Err(error) => Err(not_text(path, bytes, error.valid_up_to())),
            };
            match loaded {
                Ok(scenarios) => placed.extend(scenarios),
                Err(found) => mistakes.extend(found.below(&self.root)),
            }
        }
        for placed in &mut placed {
            placed.path = self.root.join(&placed.path).display().to_string();
        }
        (placed, mistakes)
    }

    /// Returns the content of a file beside a scenario, unless it is a link out of the folder.
    fn beside(&self, path: &str) -> Option<Vec<u8>> {
        let path = self.root.join(path);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = path.canonicalize().ok()?;
        if !file.starts_with(folder.canonicalize().ok()?) {
            return None;
        }
        input_file::read(&file, MAX_SIZE).ok()
    }

    /// Returns whether this is the folder that the embedded corpus is made from.
    fn is_checkout(&self) -> bool {
        let (name, beside) = CHECKOUT;
        let root = if self.root.as_os_str().is_empty() { Path::new(".") } else { &self.root };
        let Ok(root) = fs::canonicalize(root) else { return false };
        root.file_name().is_some_and(|found| found == name) && root.with_file_name(beside).is_file()
    }
}

/// Finds a scenario by name: a built-in id, a file, or `FILE[CASE]` for a member of a family.
pub fn find(name: &str) -> anyhow::Result<Scenario> {
    if let Some((path, case)) = scenario_file(name) {
        let scenarios = load_file(Path::new(path))?;
        let wanted = |scenario: &&Scenario| case.is_none_or(|case| scenario.id.as_str().ends_with(case));
        let mut found = scenarios.iter().filter(wanted);
        return match (found.next(), found.next()) {
            (Some(only), None) => Ok(only.clone()),
            (Some(_), Some(_)) | (None, _) => {
                let file = |scenario: &Scenario| scenario.id.as_str().replacen(scenario.id.file(), path, 1);
                let cases: Vec<_> = scenarios.iter().map(file).collect();
                Err(anyhow!(nothing("scenario", name, cases.iter().map(String::as_str))))
            }
        };
    }
    if let Ok(id) = ScenarioId::new(name)
        && let Some(scenario) =
            mcp_compat_scenario::corpus::find(&id).context("the built-in scenarios have mistakes")?
    {
        return Ok(scenario);
    }
    let corpus = load(&[])?;
    Err(anyhow!(nothing("scenario", name, corpus.iter().map(|scenario| scenario.id.as_str()))))
}

/// Splits a path into the folder that the id is relative to and the rest: class and file if the folder can be a class,
/// otherwise the file alone.
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

/// Returns the diagnostic for a file that is not text; `bad` is its first invalid byte.
fn not_text(path: &str, bytes: &[u8], bad: usize) -> Diagnostics {
    let text = String::from_utf8_lossy(bytes);
    let span = bad..bad + char::REPLACEMENT_CHARACTER.len_utf8();
    let help = "bytes that are no text go into a file beside it, named with `raw-file`";
    Diagnostics::of_file(path, &text, vec![Diagnostic::new(path, span, "not UTF-8").help(help)])
}

/// Collects the scenario files below a folder, with their content. Links to folders are not followed, because they may
/// form a cycle.
fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, Vec<u8>)>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            collect(root, &path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            let points_nowhere = !path.exists();
            if path.is_file() || points_nowhere {
                let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                files.push((name, read(&path).with_context(|| path.display().to_string())?));
            }
        }
    }
    Ok(())
}

/// Returns the content of a file that is not too large for a scenario.
fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    input_file::read(path, MAX_SIZE).map_err(|error| {
        let too_large = error.kind() == ErrorKind::FileTooLarge;
        if too_large { anyhow!("{error}, too large for a scenario") } else { anyhow!(error) }
    })
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
