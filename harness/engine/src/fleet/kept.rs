//! Where what set-ups make is kept.
//!
//! ```text
//! <target>/mcp-compat-peers/
//!   <language>/              {build}: what the peers of a language share, with its lock
//!   homes/<name>/<version>/  one release: the copy of its peer's folder ({home}), those it needs, and a stamp
//!   logs/<id>.log            what its set-up printed
//! ```

use std::path::{Path, PathBuf};

use mcp_compat_model::PeerId;

use super::version::Version;

/// The folder for all peers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    folder: PathBuf,
}

/// What the name of a folder ends with that is not whole yet.
const PART: &str = ".part";

impl Kept {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: absolute(folder) }
    }

    /// What the peers of a language share.
    pub(super) fn build(&self, language: &str) -> PathBuf {
        self.folder.join(language)
    }

    /// Everything of one release.
    pub(super) fn home(&self, name: &str, version: &Version) -> PathBuf {
        self.folder.join("homes").join(name).join(version.as_str())
    }

    /// The releases of a family of which anything is there.
    pub(super) fn versions(&self, name: &str) -> Vec<Version> {
        let entries = std::fs::read_dir(self.folder.join("homes").join(name)).into_iter().flatten().flatten();
        let release = |entry: std::fs::DirEntry| Version::parse(entry.file_name().to_str()?).ok();
        let mut versions: Vec<Version> = entries.filter(|entry| !is_part(&entry.path())).filter_map(release).collect();
        versions.sort();
        versions
    }

    /// What a set-up printed.
    pub(super) fn log(&self, peer: &PeerId) -> PathBuf {
        self.folder.join("logs").join(format!("{}.log", file_name(peer)))
    }
}

/// Where a release is copied to before it has its name.
pub(super) fn part(home: &Path) -> PathBuf {
    let mut part = home.as_os_str().to_owned();
    part.push(PART);
    part.into()
}

fn is_part(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(PART.as_bytes())
}

/// A peer's id as the name of a file.
pub(super) fn file_name(peer: &PeerId) -> String {
    peer.as_str().replace('/', "-")
}

/// The folder in which it is kept: in cargo's target folder, where `cargo clean` takes it away.
///
/// That is the one that `CARGO_TARGET_DIR` names, else the one that the running program was built into, else `target`
/// in the current folder. Under `cargo test` a program runs in the folder of its package, so the current folder is the
/// last to be asked, and so is a relative `CARGO_TARGET_DIR`, which was meant from where cargo was called.
#[must_use]
pub fn kept_folder() -> PathBuf {
    let asked = std::env::var_os("CARGO_TARGET_DIR").filter(|asked| !asked.is_empty()).map(PathBuf::from);
    let program = std::env::current_exe().ok();
    absolute(&target_folder(asked, program.as_deref()).join("mcp-compat-peers"))
}

fn target_folder(asked: Option<PathBuf>, program: Option<&Path>) -> PathBuf {
    match asked {
        Some(asked) if asked.is_absolute() => asked,
        asked => program.and_then(built_into).or(asked).unwrap_or_else(|| PathBuf::from("target")),
    }
}

/// The target folder that holds a program. Cargo marks each one as a cache, for backups to leave it out.
fn built_into(program: &Path) -> Option<PathBuf> {
    program.ancestors().skip(1).find(|folder| folder.join("CACHEDIR.TAG").is_file()).map(Path::to_owned)
}

/// The path as seen from anywhere: commands run in other folders.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_kept_is_kept_in_the_target_folder() {
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

    #[test]
    fn a_copy_that_was_not_finished_is_no_release() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::new(folder.path());
        let home = kept.home("sdk", &Version::parse("1.0.0").unwrap());
        fs::create_dir_all(part(&home)).unwrap();
        assert_eq!(kept.versions("sdk"), []);
        fs::create_dir(&home).unwrap();
        assert_eq!(kept.versions("sdk"), [Version::parse("1.0.0").unwrap()]);
    }
}
