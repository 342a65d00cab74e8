//! Locates the folder in which software that was built or installed stays from run to run.

use std::path::{Path, PathBuf};

/// The folder for installed peers and compiled helpers. It is in cargo's target folder, so `cargo clean` removes it.
///
/// The target folder is the one that `CARGO_TARGET_DIR` names, else the one that contains the running program, else
/// `target` in the current folder. Under `cargo test` the current folder is that of the package, so the current folder
/// comes last, and so does a relative `CARGO_TARGET_DIR`, which is relative to where cargo was called.
#[must_use]
pub fn cache_folder() -> PathBuf {
    let requested = std::env::var_os("CARGO_TARGET_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let program = std::env::current_exe().ok();
    let folder = target_folder(requested, program.as_deref()).join("mcp-compat-peers");
    std::path::absolute(&folder).unwrap_or(folder)
}

fn target_folder(requested: Option<PathBuf>, program: Option<&Path>) -> PathBuf {
    match requested {
        Some(folder) if folder.is_absolute() => folder,
        relative => program.and_then(target_of).or(relative).unwrap_or_else(|| PathBuf::from("target")),
    }
}

/// The target folder that contains a program. Cargo puts a `CACHEDIR.TAG` into each one.
fn target_of(program: &Path) -> Option<PathBuf> {
    program.ancestors().skip(1).find(|folder| folder.join("CACHEDIR.TAG").is_file()).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_cache_is_in_the_target_folder() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("elsewhere");
        fs::create_dir_all(target.join("debug/deps")).unwrap();
        let program = target.join("debug/deps/compat-0a1b");
        let here = PathBuf::from("target");
        assert_eq!(target_folder(None, Some(&program)), here, "not marked as one");
        fs::write(target.join("CACHEDIR.TAG"), "").unwrap();
        assert_eq!(target_folder(None, Some(&program)), target);
        assert_eq!(target_folder(Some(PathBuf::from("elsewhere")), Some(&program)), target, "relative to somewhere");
        assert_eq!(target_folder(Some(PathBuf::from("elsewhere")), None), PathBuf::from("elsewhere"));
        assert_eq!(target_folder(Some(folder.path().join("asked")), Some(&program)), folder.path().join("asked"));
        assert_eq!(target_folder(None, None), here);
    }
}
