//! The folder of a site: written beside, and then given its name.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use mcp_compat_site::{Files, MARK};

use crate::exit::HarnessFailed;

/// Makes sure that nothing but a site is replaced.
pub(super) fn check(out: &Path) -> anyhow::Result<()> {
    if !out.exists() || is_empty(out) || out.join(MARK).is_file() {
        return Ok(());
    }
    bail!("{} is there and is not a site of mcp-compat: choose another folder, or empty it", out.display());
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Writes the files. Until all are written, what was there stays.
pub(super) fn write(out: &Path, files: &Files) -> anyhow::Result<()> {
    let parent = out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let failed = || HarnessFailed("writing the site");
    fs::create_dir_all(parent).with_context(failed)?;
    let new = tempfile::Builder::new().prefix(".site-").tempdir_in(parent).with_context(failed)?;
    for (path, bytes) in files {
        let path: PathBuf = new.path().join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(failed)?;
        }
        fs::write(&path, bytes).with_context(|| format!("writing {}", path.display())).with_context(failed)?;
    }
    readable(new.path()).with_context(failed)?;
    // Two renames: between them there is no site, and never half of one.
    let old = tempfile::Builder::new().prefix(".site-old-").tempdir_in(parent).with_context(failed)?;
    if out.exists() {
        fs::rename(out, old.path().join("site")).with_context(failed)?;
    }
    let new = new.keep();
    fs::rename(&new, out).with_context(failed)
}

/// Temporary folders are for their owner alone; a site is for all whom the umask allows.
#[cfg(unix)]
fn readable(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    // What a folder gets that is made the usual way.
    let sample = folder.join("assets");
    let mode = fs::metadata(sample)?.permissions().mode();
    fs::set_permissions(folder, fs::Permissions::from_mode(mode))
}
