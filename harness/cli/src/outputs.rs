//! The reports that a run also writes to files: opened before the run, so that a bad path fails early.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use mcp_compat_model::record::Record;
use mcp_compat_reports::{junit, markdown};

/// The files that were asked for.
#[derive(Debug)]
pub(crate) struct Outputs {
    junit: Option<PathBuf>,
    markdown: Option<PathBuf>,
}

impl Outputs {
    /// Makes sure that each file can be written; one that is there stays as it is until the run is over.
    pub(crate) fn open(junit: Option<&Path>, markdown: Option<&Path>) -> anyhow::Result<Self> {
        for path in [junit, markdown].into_iter().flatten() {
            open(path).with_context(|| format!("opening the report {}; nothing was run", path.display()))?;
        }
        Ok(Self { junit: junit.map(Path::to_owned), markdown: markdown.map(Path::to_owned) })
    }

    /// Writes them.
    pub(crate) fn write(&self, record: &Record) -> anyhow::Result<()> {
        if let Some(path) = &self.junit {
            write(path, &junit::render(record).map_err(|error| anyhow!("writing JUnit: {error}"))?)?;
        }
        if let Some(path) = &self.markdown {
            write(path, &markdown::render(record))?;
        }
        Ok(())
    }
}

fn open(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    OpenOptions::new().append(true).create(true).open(path).map(drop)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("writing the report {}", path.display()))
}
