//! The Python that runs the servers of these tests: the interpreter itself, without the packages of this machine. The
//! scripts of a version manager and those packages take seven eighths of its start, and an audit starts it five times.

use std::env;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tempfile::NamedTempFile;

/// The search path of this process, with that Python before all others.
pub(crate) fn search_path() -> OsString {
    static SEARCH_PATH: LazyLock<OsString> = LazyLock::new(|| {
        let inherited = env::var_os("PATH").unwrap_or_default();
        let Some(interpreter) = interpreter() else { return inherited };
        let folders = [starter(&interpreter)].into_iter().chain(env::split_paths(&inherited));
        env::join_paths(folders).unwrap()
    });
    SEARCH_PATH.clone()
}

/// The file of the interpreter that `python3` starts. `None` where there is none.
fn interpreter() -> Option<PathBuf> {
    let told = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
    told.status.success().then(|| PathBuf::from(String::from_utf8(told.stdout).unwrap().trim()))
}

/// A folder with a `python3` that starts the interpreter without packages. Tests that run in other processes have it too.
fn starter(interpreter: &Path) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-without-packages");
    fs::create_dir_all(&folder).unwrap();
    let mut file = NamedTempFile::new_in(&folder).unwrap();
    writeln!(file, "#!/bin/sh\nexec '{}' -S \"$@\"", interpreter.display().to_string().replace('\'', r"'\''")).unwrap();
    file.as_file().set_permissions(Permissions::from_mode(0o755)).unwrap();
    file.into_temp_path().persist(folder.join("python3")).unwrap();
    folder
}
