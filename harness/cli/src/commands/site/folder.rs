//! The folder of a site: written beside, and then given its name.

use std::path::Path;
use std::{fs, io};

use anyhow::{Context as _, bail};
use mcp_compat_reports::site::{Files, MARK};

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
    written(out, files).with_context(|| format!("cannot write the site {}, which stays as it was", out.display()))
}

fn written(out: &Path, files: &Files) -> io::Result<()> {
    let parent = out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    let new = tempfile::Builder::new().prefix(".site-").tempdir_in(parent)?;
    for (path, bytes) in files {
        let path = new.path().join(path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(&path, bytes)?;
    }
    readable(new.path())?;
    // Two renames: between them there is no site, and never half of one.
    let old = tempfile::Builder::new().prefix(".site-old-").tempdir_in(parent)?;
    let was_there = out.exists();
    let aside = old.path().join("site");
    if was_there {
        fs::rename(out, &aside)?;
    }
    fs::rename(new.path(), out).inspect_err(|_| {
        // What was there goes back, as far as that is possible.
        let _ = if was_there { fs::rename(&aside, out) } else { Ok(()) };
    })?;
    let _ = new.keep();
    Ok(())
}

/// Temporary folders are for their owner alone; a site is for all whom the umask allows.
#[cfg(unix)]
fn readable(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    // What a folder gets that is made the usual way.
    let sample = folder.join("assets");
    let mode = fs::metadata(sample)?.permissions().mode();
    fs::set_permissions(folder, fs::Permissions::from_mode(mode))
}
