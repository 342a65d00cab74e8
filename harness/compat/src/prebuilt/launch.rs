//! Starts a server, and builds a binary of the package under test.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::SuiteError;
use crate::cargo_messages::{executable, profile};
use crate::test_run::TestRun;

/// Command that starts a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program: a path, or a name that is looked up in `PATH`.
    pub(super) program: OsString,
    pub(super) args: Vec<OsString>,
    pub(super) env: BTreeMap<String, OsString>,
    /// True if the program is a binary of the package, which is built first.
    is_bin: bool,
}

impl Launch {
    /// Creates the launch of a program without arguments.
    #[must_use]
    pub fn new(program: impl Into<OsString>) -> Self {
        Self { program: program.into(), args: Vec::new(), env: BTreeMap::new(), is_bin: false }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of the environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Builds the program, if it is a binary of the package: once a process, and once a run under nextest.
    pub(super) fn build(&mut self, run: Option<&TestRun>) -> Result<(), SuiteError> {
        if !self.is_bin {
            return Ok(());
        }
        let bin = self.program.to_string_lossy().into_owned();
        let test =
            std::env::current_exe().map_err(|error| SuiteError::new(format!("cannot find this test: {error}")))?;
        let built: PathBuf = match run {
            Some(run) => run.once(&format!("{bin} {}", test.display()), || build(&bin, &test))?,
            None => build(&bin, &test)?,
        };
        (self.program, self.is_bin) = (built.into(), false);
        Ok(())
    }
}

/// Returns the launch of a binary of the package whose test this is. It is built when it is first needed.
///
/// The build uses the default features of the package and the target folder of the test. It has nothing to do if no
/// dev-dependency turns on a feature of a dependency of the package; this crate turns on none.
///
/// # Errors
/// When `CARGO_MANIFEST_DIR` is not set.
pub fn cargo_bin(name: &str) -> Result<Launch, SuiteError> {
    manifest(name)?;
    Ok(Launch { is_bin: true, ..Launch::new(name) })
}

fn manifest(bin: &str) -> Result<PathBuf, SuiteError> {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").ok_or_else(|| {
        SuiteError::new(format!(
            "cannot build `{bin}`: CARGO_MANIFEST_DIR is not set; run the test by cargo or nextest"
        ))
    })?;
    Ok(Path::new(&folder).join("Cargo.toml"))
}

/// Builds a binary. The output of cargo is shown at once.
fn build(bin: &str, test: &Path) -> Result<PathBuf, SuiteError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsStr::new("cargo").to_owned());
    let mut command = Command::new(cargo);
    command.args(["build", "--message-format", "json-render-diagnostics", "--bin", bin, "--manifest-path"]);
    command.arg(manifest(bin)?).args(["--profile", profile(test).as_deref().unwrap_or("dev")]);
    if let Some(target) =
        test.ancestors().find(|folder| folder.ends_with("deps")).and_then(|deps| deps.ancestors().nth(2))
    {
        command.arg("--target-dir").arg(target);
    }
    let built = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let built = built.map_err(|error| SuiteError::new(format!("cannot build `{bin}`: cannot start cargo: {error}")))?;
    if !built.status.success() {
        return Err(SuiteError::new(format!(
            "cannot build `{bin}`: cargo ended with {}; it says why above",
            built.status
        )));
    }
    executable(&String::from_utf8_lossy(&built.stdout), bin)
        .ok_or_else(|| SuiteError::new(format!("cannot build `{bin}`: cargo does not say where it put the program")))
}
