//! Disk usage of a folder.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The size of a block, as `stat` counts them.
const BLOCK: u64 = 512;

/// The bytes on disk of a file, or of a folder and everything in it. Links are not followed. What cannot be read counts
/// as nothing.
pub(super) fn bytes_of(path: &Path) -> u64 {
    let Ok(found) = fs::symlink_metadata(path) else { return 0 };
    let own = found.blocks() * BLOCK;
    if !found.is_dir() {
        return own;
    }
    let below = fs::read_dir(path).into_iter().flatten().flatten();
    own + below.map(|entry| bytes_of(&entry.path())).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_not_followed_and_what_is_missing_is_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("one")).unwrap();
        fs::write(folder.path().join("one/file"), vec![1; 100_000]).unwrap();
        let one = bytes_of(&folder.path().join("one"));
        assert!((100_000..200_000).contains(&one), "{one}");
        std::os::unix::fs::symlink(folder.path(), folder.path().join("one/back")).unwrap();
        assert!(bytes_of(folder.path()) < 200_000);
        assert_eq!(bytes_of(&folder.path().join("absent")), 0);
    }
}
