//! The adapters as files: written once, whole or not at all, and looked after when they are used again.
//!
//! The folder is named after a digest of its content, so that a newer program does not use the adapters of an older one,
//! and both keep theirs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::adapters::{DIGEST, FILES};

/// Beginning of the folder's name.
pub const PREFIX: &str = "adapters-";

/// Beginning of the name of a folder that is still being written.
pub const UNFINISHED: &str = "unpacking-";

/// State of the adapters in a cache folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unpacked {
    /// They were not unpacked there.
    Absent,
    Whole,
    /// So many files are missing, or have another size than they should.
    Damaged(usize),
}

/// Result of [`unpack`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpacking {
    pub peers: PathBuf,
    /// Path of the damaged files that were there before.
    pub aside: Option<PathBuf>,
}

/// The folder of peers that [`unpack`] makes in this cache folder.
pub fn folder(cache: &Path) -> PathBuf {
    cache.join(format!("{PREFIX}{DIGEST}")).join("peers")
}

/// Returns the state of the adapters in this cache folder.
pub fn state(cache: &Path) -> Unpacked {
    let peers = folder(cache);
    if !peers.exists() {
        return Unpacked::Absent;
    }
    let is_whole = |path: &str, size: usize| {
        fs::metadata(peers.join(path)).is_ok_and(|found| found.is_file() && found.len() == size as u64)
    };
    match FILES.iter().filter(|file| !is_whole(file.path, file.size)).count() {
        0 => Unpacked::Whole,
        damaged => Unpacked::Damaged(damaged),
    }
}

/// Writes the adapters below a cache folder. If they are there already, nothing is written. If a part of them is there,
/// it is moved aside, and nothing of it is lost.
///
/// # Errors
/// If a file or a folder cannot be written. Then what was there is still there.
pub fn unpack(cache: &Path) -> io::Result<Unpacking> {
    let peers = folder(cache);
    if state(cache) == Unpacked::Whole {
        return Ok(Unpacking { peers, aside: None });
    }
    fs::create_dir_all(cache)?;
    // Only one of several programs unpacks; the others find its result. A file system without locks is used
    // without one.
    let only_one = fs::File::open(cache)?;
    let _ = only_one.lock();
    let found = state(cache);
    if found == Unpacked::Whole {
        return Ok(Unpacking { peers, aside: None });
    }
    let unfinished = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(cache)?;
    for file in FILES {
        let target = unfinished.path().join("peers").join(file.path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(target, file.bytes())?;
    }
    let Some(whole) = peers.parent() else { return Ok(Unpacking { peers, aside: None }) };
    let aside = match found {
        Unpacked::Damaged(_) => Some(set_aside(cache, whole)?),
        Unpacked::Absent | Unpacked::Whole => None,
    };
    match fs::rename(unfinished.path(), whole) {
        // Another program has unpacked the same files meanwhile.
        Err(_) if state(cache) == Unpacked::Whole => Ok(Unpacking { peers, aside }),
        Err(error) => Err(error),
        Ok(()) => Ok(Unpacking { peers, aside }),
    }
}

/// Gives a damaged folder another name.
fn set_aside(cache: &Path, damaged: &Path) -> io::Result<PathBuf> {
    let place = tempfile::Builder::new().prefix(&format!("{PREFIX}{DIGEST}-damaged-")).tempdir_in(cache)?;
    fs::rename(damaged, place.path())?;
    Ok(place.keep())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(cache: &Path) -> usize {
        fs::read_dir(cache).unwrap().count()
    }

    #[test]
    fn the_adapters_are_unpacked_once_and_as_they_are() {
        let cache = tempfile::tempdir().unwrap();
        assert_eq!(state(cache.path()), Unpacked::Absent);
        let unpacking = unpack(cache.path()).unwrap();
        assert_eq!(unpacking, Unpacking { peers: folder(cache.path()), aside: None });
        assert_eq!(state(cache.path()), Unpacked::Whole);
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers");
        for name in ["fleet.toml", "rust/rmcp-3/Cargo.toml", "rust/rmcp-3/Cargo.lock", "typescript/sdk-2/peer.toml"] {
            assert_eq!(fs::read(unpacking.peers.join(name)).unwrap(), fs::read(checkout.join(name)).unwrap(), "{name}");
        }
        let written = fs::metadata(unpacking.peers.join("fleet.toml")).unwrap().modified().unwrap();
        assert_eq!(unpack(cache.path()).unwrap(), unpacking);
        assert_eq!(fs::metadata(unpacking.peers.join("fleet.toml")).unwrap().modified().unwrap(), written);
        assert_eq!(entries(cache.path()), 1);
    }

    #[test]
    fn a_part_of_them_is_moved_aside_and_nothing_of_it_is_lost() {
        let cache = tempfile::tempdir().unwrap();
        let peers = unpack(cache.path()).unwrap().peers;
        fs::remove_dir_all(peers.join("rust")).unwrap();
        fs::write(peers.join("fleet.toml"), "mine").unwrap();
        assert!(matches!(state(cache.path()), Unpacked::Damaged(files) if files > 10));
        let aside = unpack(cache.path()).unwrap().aside.unwrap();
        assert_eq!(fs::read(aside.join("peers/fleet.toml")).unwrap(), b"mine");
        assert_eq!(state(cache.path()), Unpacked::Whole);
        assert_eq!(entries(cache.path()), 2);
    }

    #[test]
    fn of_several_programs_one_replaces_what_is_damaged() {
        let cache = tempfile::tempdir().unwrap();
        let peers = unpack(cache.path()).unwrap().peers;
        for _ in 0..4 {
            fs::remove_file(peers.join("fleet.toml")).unwrap();
            let before = entries(cache.path());
            std::thread::scope(|scope| {
                let programs: Vec<_> = (0..4).map(|_| scope.spawn(|| unpack(cache.path()).unwrap())).collect();
                let done = programs.into_iter().map(|program| program.join().unwrap());
                let aside = done.filter(|unpacking| unpacking.aside.is_some()).count();
                assert_eq!(aside, 1);
            });
            assert_eq!((state(cache.path()), entries(cache.path())), (Unpacked::Whole, before + 1));
        }
    }

    #[test]
    fn what_another_version_unpacked_stays() {
        let cache = tempfile::tempdir().unwrap();
        let other = cache.path().join("adapters-0123456789abcdef/peers/fleet.toml");
        fs::create_dir_all(other.parent().unwrap()).unwrap();
        fs::write(&other, "other").unwrap();
        unpack(cache.path()).unwrap();
        assert_eq!(fs::read(&other).unwrap(), b"other");
    }

    #[test]
    fn where_nothing_can_be_written_nothing_is_left() {
        let cache = tempfile::tempdir().unwrap();
        let file = cache.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(unpack(&file.join("cache")).is_err());
        assert_eq!(entries(cache.path()), 1);
    }
}
