//! Files that are written as a whole, or not at all.

use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Replaces a file; behind a link, the one that it leads to.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // As the one that was there, or as any new file, not as a temporary one: it is committed, and read by others.
    let permissions = match std::fs::metadata(&path) {
        Ok(there) => there.permissions(),
        Err(_) => std::fs::Permissions::from_mode(0o666),
    };
    let mut file = tempfile::Builder::new().permissions(permissions).tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok(())
}
