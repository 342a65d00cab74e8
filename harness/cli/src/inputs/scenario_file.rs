//! A new scenario file: it never replaces an existing file, and is written whole or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use mcp_compat_drive::files::atomic_file;
use mcp_compat_model::ScenarioId;
use mcp_compat_scenario::write::{Draft, Written};

use crate::inputs::corpus;

/// Number of parent folders that are searched for the schema of the format.
const ABOVE: usize = 4;

/// File name of the schema of the format.
const SCHEMA: &str = "scenario.schema.json";

/// Path of a scenario file to be written.
#[derive(Debug)]
pub struct ScenarioFile {
    path: PathBuf,
    /// File name without `.toml`.
    stem: String,
    /// Files that were written by this program, which it may replace.
    made: Vec<PathBuf>,
}

impl ScenarioFile {
    /// Checks that the file can be a scenario, does not exist and can be written.
    pub fn claim(path: &Path) -> anyhow::Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = name.strip_suffix(".toml").unwrap_or_default().to_owned();
        if ScenarioId::new(stem.as_str()).is_err() || stem.contains(['[', '/']) {
            bail!(
                "{} cannot be a scenario, which is named after its file: expected a name of lower-case letters, \
                 digits and hyphens, such as my-bug.toml",
                path.display()
            );
        }
        if path.symlink_metadata().is_ok() {
            bail!("{} exists already: nothing was written; name another file, or remove this one", path.display());
        }
        // Checked before any work, so that no result is lost. Missing folders are made with the file.
        let folder = folder(path);
        let wanted = folder.display();
        let folder = folder.ancestors().find(|folder| folder.symlink_metadata().is_ok()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            bail!("cannot make the folder {wanted}: {} is not a folder", folder.display());
        }
        tempfile::tempfile_in(folder).with_context(|| format!("cannot write to the folder {}", folder.display()))?;
        Ok(Self { path: path.to_owned(), stem, made: Vec::new() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn text(&self, draft: &Draft) -> Written {
        let schema = || {
            // The folder may not exist yet.
            let folder = folder(&self.path);
            let folder = fs::canonicalize(folder).or_else(|_| std::path::absolute(folder)).ok()?;
            let levels = folder.ancestors().take(ABOVE).position(|above| above.join(SCHEMA).is_file())?;
            Some("../".repeat(levels) + SCHEMA)
        };
        Draft { schema: schema(), ..draft.clone() }.write(&self.stem)
    }

    /// Writes the file and those beside it, each whole or not at all, and replaces earlier versions of this program.
    pub fn write(&mut self, written: &Written) -> anyhow::Result<()> {
        for beside in &written.beside {
            self.put(&folder(&self.path).join(&beside.name), &beside.bytes)?;
        }
        self.put(&self.path.clone(), written.text.as_bytes())
    }

    fn put(&mut self, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        let folder = folder(path);
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let is_ours = self.made.iter().any(|made| made == path);
        let written = if is_ours { atomic_file::replace(path, bytes) } else { atomic_file::create(path, bytes) };
        written.with_context(|| format!("cannot write {}", path.display()))?;
        if !is_ours {
            self.made.push(path.to_owned());
        }
        Ok(())
    }

    /// Returns the commands to run next, one on each line.
    pub fn next_steps(&self) -> anyhow::Result<String> {
        let path = self.path.display();
        let scenarios =
            corpus::load_file(&self.path).context("what was written cannot be read, a defect of mcp-compat")?;
        let id = scenarios.first().map(|scenario| scenario.id.file().to_owned()).unwrap_or_default();
        let glob = if scenarios.len() > 1 { format!("'{id}*'") } else { id };
        Ok(format!("  mcp-compat lint {path}\n  mcp-compat run --scenarios {path} --scenario {glob}"))
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
