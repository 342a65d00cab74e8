//! A scenario file that does not exist yet: never written over another, and never half-written.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use mcp_compat_drive::files::atomic_file;
use mcp_compat_model::ScenarioId;
use mcp_compat_scenario::write::{Draft, Written};

use crate::inputs::corpus;

/// How far above a file the format's schema is looked for.
const ABOVE: usize = 4;

/// What the format's schema is called.
const SCHEMA: &str = "scenario.schema.json";

/// The place of a file that this program is about to make.
#[derive(Debug)]
pub struct ScenarioFile {
    path: PathBuf,
    /// What it is called, without `.toml`.
    stem: String,
    /// The files that this program has made so far, and so may write anew.
    made: Vec<PathBuf>,
}

impl ScenarioFile {
    /// Makes sure that a file of that name can be a scenario, and that it is not there yet.
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
        // Found out now, not when there is something to be lost. Folders that are missing are made with the file.
        let folder = folder(path);
        let wanted = folder.display();
        let folder = folder.ancestors().find(|folder| folder.symlink_metadata().is_ok()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            bail!("cannot make the folder {wanted}: {} is not a folder", folder.display());
        }
        tempfile::tempfile_in(folder).with_context(|| format!("cannot write to the folder {}", folder.display()))?;
        Ok(Self { path: path.to_owned(), stem, made: Vec::new() })
    }

    /// Where the file will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The draft as the text of this file.
    pub fn text(&self, draft: &Draft) -> Written {
        let schema = || {
            // It may be that the folder is yet to be made.
            let folder = folder(&self.path);
            let folder = fs::canonicalize(folder).or_else(|_| std::path::absolute(folder)).ok()?;
            let levels = folder.ancestors().take(ABOVE).position(|above| above.join(SCHEMA).is_file())?;
            Some("../".repeat(levels) + SCHEMA)
        };
        Draft { schema: schema(), ..draft.clone() }.write(&self.stem)
    }

    /// Writes the file and those beside it, each whole or not at all, in the place of what was written here before.
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

    /// What to do with the file, a line each.
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
