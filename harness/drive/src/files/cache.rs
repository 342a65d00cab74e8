//! Folders of the files that are kept from run to run.
//!
//! ```text
//! in a Cargo workspace that was built   target/mcp-compat, target/mcp-compat-peers
//! elsewhere                             .mcp-compat, .mcp-compat/peers
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::files::{atomic_file, input_file};

/// Largest size of a `CACHEDIR.TAG`.
const TAG_BYTES: u64 = 1 << 12;

/// The folder of ours in a project that is no Cargo workspace.
const OWN: &str = ".mcp-compat";

/// The folder for the records of a project: `target/mcp-compat` if `project` has a `Cargo.toml` and cargo's folder
/// `target`, else `.mcp-compat`. If there is a `.mcp-compat` already, it stays in use.
pub fn records_folder(project: &Path) -> PathBuf {
    let own = project.join(OWN);
    let is_built = project.join("Cargo.toml").is_file() && project.join("target").is_dir();
    if is_built && !own.is_dir() { project.join("target/mcp-compat") } else { own }
}

/// Makes a folder, and the folders above it. A `.mcp-compat` among them is kept out of git, as cargo keeps `target`.
///
/// # Errors
/// When a folder cannot be made.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let own = folder.ancestors().find(|above| above.file_name().is_some_and(|name| name == OWN));
    let ignored = own.map(|own| own.join(".gitignore")).filter(|file| file.symlink_metadata().is_err());
    match ignored.map(|file| atomic_file::create(&file, "*\n")) {
        Some(Err(error)) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Some(_) | None => Ok(()),
    }
}

/// As [`project_cache`], for the project in the current folder.
pub fn cache_folder() -> PathBuf {
    project_cache(Path::new(""))
}

/// The folder for the installed peers and the compiled helpers of a project. If it is in cargo's target folder,
/// `cargo clean` removes it.
///
/// The target folder is the one that `CARGO_TARGET_DIR` names, else the one that contains the running program, else
/// `target` in the project. Under `cargo test` the current folder is that of the package, so the current folder
/// comes last, and so does a relative `CARGO_TARGET_DIR`, which is relative to where cargo was called. Without a target
/// folder, it is below `.mcp-compat`.
pub fn project_cache(project: &Path) -> PathBuf {
    let requested = std::env::var_os("CARGO_TARGET_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let program = std::env::current_exe().ok();
    let folder = match target_folder(requested, program.as_deref()) {
        Some(target) => target.join("mcp-compat-peers"),
        None => beside_records(&records_folder(project)),
    };
    std::path::absolute(&folder).unwrap_or(folder)
}

fn beside_records(records: &Path) -> PathBuf {
    if records.ends_with(OWN) { records.join("peers") } else { records.with_file_name("mcp-compat-peers") }
}

fn target_folder(requested: Option<PathBuf>, program: Option<&Path>) -> Option<PathBuf> {
    match requested {
        Some(folder) if folder.is_absolute() => Some(folder),
        relative => program.and_then(target_of).or(relative),
    }
}

/// The target folder that contains a program. Cargo puts a `CACHEDIR.TAG` that names it into each one; other tools put
/// theirs into their caches and environments, from which programs run, too.
fn target_of(program: &Path) -> Option<PathBuf> {
    let is_cargos = |folder: &&Path| {
        let tag = input_file::read(&folder.join("CACHEDIR.TAG"), TAG_BYTES);
        tag.is_ok_and(|tag| String::from_utf8_lossy(&tag).contains("by cargo"))
    };
    program.ancestors().skip(1).find(is_cargos).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_in_the_target_folder() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("elsewhere");
        fs::create_dir_all(target.join("debug/deps")).unwrap();
        let program = target.join("debug/deps/compat-0a1b");
        assert_eq!(target_folder(None, Some(&program)), None, "not marked as one");
        let tag = |whose: &str| format!("Signature: 8a477f597d28d172789f06886806bc55\n# {whose}\n");
        fs::write(target.join("CACHEDIR.TAG"), tag("This file is a cache directory tag created by uv.")).unwrap();
        assert_eq!(target_folder(None, Some(&program)), None, "of another tool");
        fs::write(target.join("CACHEDIR.TAG"), tag("This file is a cache directory tag created by cargo.")).unwrap();
        let elsewhere = || Some(PathBuf::from("elsewhere"));
        assert_eq!(target_folder(None, Some(&program)), Some(target.clone()));
        assert_eq!(target_folder(elsewhere(), Some(&program)), Some(target), "relative to somewhere");
        assert_eq!(target_folder(elsewhere(), None), elsewhere());
        let asked = folder.path().join("asked");
        assert_eq!(target_folder(Some(asked.clone()), Some(&program)), Some(asked));
        assert_eq!(target_folder(None, None), None);
    }

    #[test]
    fn records_are_in_a_target_folder_that_is_there_or_in_a_folder_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let (own, target) = (folder.path().join(".mcp-compat"), folder.path().join("target/mcp-compat"));
        assert_eq!(records_folder(folder.path()), own);
        fs::write(folder.path().join("Cargo.toml"), "").unwrap();
        assert_eq!(records_folder(folder.path()), own, "not built yet");
        fs::create_dir(folder.path().join("target")).unwrap();
        assert_eq!(records_folder(folder.path()), target);
        assert_eq!(beside_records(&target), folder.path().join("target/mcp-compat-peers"));
        fs::create_dir(&own).unwrap();
        assert_eq!(records_folder(folder.path()), own, "a run before the first build made it");
        assert_eq!(beside_records(&own), own.join("peers"));
        fs::remove_dir(&own).unwrap();
        fs::remove_file(folder.path().join("Cargo.toml")).unwrap();
        assert_eq!(records_folder(folder.path()), own, "a folder that is called target is not cargo's");
    }

    #[test]
    fn a_folder_of_ours_is_kept_out_of_git() {
        let folder = tempfile::tempdir().unwrap();
        let ignored = folder.path().join(".mcp-compat/.gitignore");
        make_folder(&folder.path().join("else/where")).unwrap();
        assert!(!ignored.exists());
        make_folder(&folder.path().join(".mcp-compat/peers/sh")).unwrap();
        assert_eq!(fs::read_to_string(&ignored).unwrap(), "*\n");
        fs::write(&ignored, "mine").unwrap();
        make_folder(&folder.path().join(".mcp-compat")).unwrap();
        assert_eq!(fs::read_to_string(&ignored).unwrap(), "mine");
    }
}
