//! The reports that a run also writes to files. Whether they can be written is tried before the run, so that a bad path
//! fails early. Each is written whole or not at all.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use mcp_compat_files::atomic_file;
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
            open(path).with_context(|| format!("cannot open the report {}; nothing was run", path.display()))?;
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

/// Makes the folder of a report, and tries whether the report can be written there. The report is not made yet.
fn open(path: &Path) -> std::io::Result<()> {
    if path.exists() {
        return OpenOptions::new().append(true).open(path).map(drop);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    tempfile::tempfile_in(folder).map(drop)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let is_device = path.metadata().is_ok_and(|there| !there.is_file());
    let written = if is_device { fs::write(path, text) } else { atomic_file::replace(path, text) };
    written.with_context(|| format!("cannot write the report {}", path.display()))
}
