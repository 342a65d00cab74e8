//! Writes a file completely or not at all.
//!
//! The text goes into a temporary file in the same folder, which then gets the name. Nobody ever reads half a file, and
//! an error leaves the old one in place.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::NamedTempFile;

/// The permissions of a file that others may read, if the user's umask allows that.
const OTHERS_MAY_READ: u32 = 0o666;

/// The permissions of a file that only the user may read.
pub const PRIVATE: u32 = 0o600;

/// Writes a file. If it exists, the new one replaces it with the same permissions; a link stays, and the file behind it
/// is replaced.
///
/// # Errors
/// If the file cannot be written. The old one stays.
pub fn replace(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    replace_with(path, |file| file.write_all(bytes.as_ref()))
}

/// As [`replace`], with what `write` writes.
///
/// # Errors
/// If `write` fails or the file cannot be written. The old one stays.
pub fn replace_with(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let old = std::fs::metadata(&path).ok().map(|old| old.permissions());
    temporary(&path, old.unwrap_or_else(|| Permissions::from_mode(OTHERS_MAY_READ)), write)?.persist(&path)?;
    Ok(())
}

/// As [`replace_with`], for a file that holds what peers sent: only the user may read it, whatever was there before. A
/// link is replaced, and the file behind it stays.
///
/// # Errors
/// If `write` fails or the file cannot be written. The old one stays.
pub fn replace_private_with(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    temporary(path, Permissions::from_mode(PRIVATE), write)?.persist(path)?;
    Ok(())
}

/// Writes a file that must not exist yet.
///
/// # Errors
/// If there is a file of this name, or if it cannot be written.
pub fn create(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    create_with_mode(path, OTHERS_MAY_READ, bytes.as_ref())
}

/// As [`create`], for a file that holds what peers sent: only the user may read it.
///
/// # Errors
/// If there is a file of this name, or if it cannot be written.
pub fn create_private(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    create_with_mode(path, PRIVATE, bytes.as_ref())
}

fn create_with_mode(path: &Path, mode: u32, bytes: &[u8]) -> io::Result<()> {
    temporary(path, Permissions::from_mode(mode), |file| file.write_all(bytes))?.persist_noclobber(path)?;
    Ok(())
}

/// A complete file beside `path` that has no name of its own yet.
fn temporary(
    path: &Path,
    permissions: Permissions,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = io::BufWriter::new(tempfile::Builder::new().permissions(permissions).tempfile_in(folder)?);
    write(&mut file)?;
    file.into_inner().map_err(io::IntoInnerError::into_error)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_replaced_and_keeps_its_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        replace(&path, "a").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        replace(&path, "b").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "b");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn what_peers_sent_is_for_the_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let [path, public, link, created] = ["file", "public", "link", "created"].map(|name| folder.path().join(name));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        fs::write(&public, "public").unwrap();
        fs::set_permissions(&public, Permissions::from_mode(0o644)).unwrap();
        std::os::unix::fs::symlink(&public, &link).unwrap();
        for written in [&path, &link] {
            replace_private_with(written, |file| file.write_all(b"a")).unwrap();
            assert_eq!(mode(written), 0o600);
        }
        assert_eq!(fs::read_to_string(&public).unwrap(), "public", "the link was replaced");
        replace_private_with(&public, |file| file.write_all(b"a")).unwrap();
        create_private(&created, "a").unwrap();
        assert_eq!([mode(&public), mode(&created)], [0o600; 2]);
    }

    #[test]
    fn the_file_behind_a_link_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&path, "a").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        replace(&link, "b").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "b");
    }

    #[test]
    fn an_error_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        create(&path, "a").unwrap();
        assert_eq!(create(&path, "b").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        let half = |file: &mut dyn Write| file.write_all(b"c").and_then(|()| Err(io::Error::other("full")));
        assert_eq!(replace_with(&path, half).unwrap_err().to_string(), "full");
        assert_eq!(fs::read_to_string(&path).unwrap(), "a");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
