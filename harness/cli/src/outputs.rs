//! The reports that a run also writes to files. Whether they can be written is tried before the run, so that a bad path
//! fails early. Each is written whole or not at all.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use mcp_compat_drive::files::atomic_file;
use mcp_compat_model::record::Record;
use mcp_compat_reports::{junit, markdown};
use mcp_compat_run::store::FILES;

/// The files that were asked for.
#[derive(Debug)]
pub(crate) struct Outputs {
    junit: Option<PathBuf>,
    markdown: Option<PathBuf>,
}

impl Outputs {
    /// Makes sure that each file can be written, and is another one than those that a run keeps in `folder`. One that is
    /// there stays as it is until the run is over.
    pub(crate) fn open(folder: &Path, junit: Option<&Path>, markdown: Option<&Path>) -> anyhow::Result<Self> {
        let mut taken: Vec<PathBuf> = FILES.iter().map(|name| place(&folder.join(name))).collect();
        for path in [junit, markdown].into_iter().flatten() {
            let place = place(path);
            if taken.contains(&place) {
                bail!("{} is written for something else, too: give the report another name", path.display());
            }
            // What is no file, such as /dev/stdout, takes everything.
            if path.metadata().is_ok_and(|there| !there.is_file()) {
                continue;
            }
            taken.push(place);
        }
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

/// A path without links and detours in its folder, as far as that exists.
fn place(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (absolute.parent().and_then(|folder| folder.canonicalize().ok()), absolute.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        (_, _) => absolute,
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
