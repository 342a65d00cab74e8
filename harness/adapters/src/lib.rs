//! The adapters of `peers/`, embedded, so that an installed program can install real SDKs without a checkout.
//!
//! ```text
//! peers/ ── build.rs ──> FILES ── unpack ──> <cache>/adapters-<digest>/peers
//! ```
//!
//! The crate knows nothing of what is in the files. Who unpacks them reads the folder like any other folder of peers.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// A file of the adapters.
#[derive(Clone, Copy, Debug)]
pub struct File {
    /// Its path in the folder of peers, with `/` between the parts.
    pub path: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

/// Every file, sorted by path.
pub static FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// How many bytes of the digest the name of the folder has.
const DIGEST_BYTES: usize = 8;

/// The text of a file, by its path.
#[must_use]
pub fn text(path: &str) -> Option<&'static str> {
    FILES.iter().find(|file| file.path == path).and_then(|file| std::str::from_utf8(file.bytes).ok())
}

/// The folder of peers that [`unpack`] makes in this cache folder. It depends on the content of the adapters, so that a
/// newer program does not use those of an older one.
#[must_use]
pub fn folder(cache: &Path) -> PathBuf {
    let mut hasher = Sha256::new();
    for File { path, bytes } in FILES {
        for part in [path.as_bytes(), bytes] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    let digest: String = hasher.finalize().iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect();
    cache.join(format!("adapters-{digest}/peers"))
}

/// Writes the adapters below a cache folder and returns their folder of peers. If they are there already, nothing is
/// written.
///
/// # Errors
/// If a file or a folder cannot be written. Then there is no folder of peers, rather than a part of one.
pub fn unpack(cache: &Path) -> io::Result<PathBuf> {
    let peers = folder(cache);
    if peers.is_dir() {
        return Ok(peers);
    }
    fs::create_dir_all(cache)?;
    let unfinished = tempfile::Builder::new().prefix("adapters-").tempdir_in(cache)?;
    for File { path, bytes } in FILES {
        let target = unfinished.path().join("peers").join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(target, bytes)?;
    }
    let Some(whole) = peers.parent() else { return Ok(peers) };
    match fs::rename(unfinished.path(), whole) {
        // Another program has unpacked the same files meanwhile.
        Err(_) if peers.is_dir() => Ok(peers),
        Err(error) => Err(error),
        Ok(()) => Ok(peers),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_adapters_are_unpacked_once_and_as_they_are() {
        let cache = tempfile::tempdir().unwrap();
        assert!(!folder(cache.path()).exists());
        let peers = unpack(cache.path()).unwrap();
        assert_eq!(peers, folder(cache.path()));
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers");
        for name in ["fleet.toml", "rust/rmcp-3/Cargo.toml", "rust/rmcp-3/Cargo.lock", "typescript/sdk-2/peer.toml"] {
            assert_eq!(fs::read(peers.join(name)).unwrap(), fs::read(checkout.join(name)).unwrap(), "{name}");
        }
        fs::write(peers.join("fleet.toml"), "mine").unwrap();
        assert_eq!(unpack(cache.path()).unwrap(), peers);
        assert_eq!(fs::read(peers.join("fleet.toml")).unwrap(), b"mine");
        assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_builds_leave_behind_is_no_part_of_them() {
        assert!(FILES.len() > 200, "{}", FILES.len());
        for file in FILES {
            let built = ["/target/", "/node_modules/", "/__pycache__/"].iter().find(|part| file.path.contains(*part));
            assert!(built.is_none() && !file.path.ends_with(".file"), "{}", file.path);
        }
    }
}
