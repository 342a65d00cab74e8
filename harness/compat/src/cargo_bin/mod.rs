//! A binary of the package under test, built as its users build it.
//!
//! ```text
//! cargo metadata ── package ──> what to build, or why not ── cargo build ── artifact ──> Launch
//! ```
//!
//! `cargo test` unifies features: what a dev-dependency turns on, such as `serde_json/raw_value` by this very crate, is
//! on in the package's binaries as well, `CARGO_BIN_EXE_*` included. With features of `serde_json` an SDK puts other
//! bytes on the wire. So the binary comes from a cargo invocation and a target folder of its own, which no
//! dev-dependency has a part in.

mod package;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use mcp_compat_drive::{Exit, Launch, Preparation};
use sha2::{Digest as _, Sha256};

use crate::cargo_messages::{executable, profile};
use crate::test_run::TestRun;
use mcp_compat_drive::{Output, OutputError, OutputReport, output_with_reports};
use mcp_compat_run::runtime;
use package::{Package, PackageError, unifies_always};

/// Default time limit for a build, including the time that it waits for other builds.
const BUILD_TIMEOUT: Duration = Duration::from_secs(600);

/// Time limit for `cargo metadata`.
const METADATA_TIMEOUT: Duration = Duration::from_secs(60);

/// Interval between two reports of a running build.
const REPORT_EVERY: Duration = Duration::from_secs(15);

/// Number of the last lines of cargo that an error shows.
const LAST_LINES: usize = 20;

/// Binary of a package, built without the features of its tests.
///
/// It is built in `mcp-compat/` below the package's target folder, in the profile of the test that asks, once a
/// process, and once a run under nextest; builds of concurrent processes wait for each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CargoBin {
    name: String,
    folder: Option<PathBuf>,
    features: Vec<String>,
    default_features: bool,
    timeout: Duration,
}

/// Source and target folder of a build.
struct Source {
    /// The folder of its package.
    folder: PathBuf,
    /// The package's manifest.
    manifest: PathBuf,
    /// The target folder.
    target: PathBuf,
}

/// Reason why there is no binary.
#[derive(Debug, thiserror::Error)]
pub enum CargoBinError {
    /// The package is not known.
    #[error(
        "building `{0}`: CARGO_MANIFEST_DIR is not set; run the test by cargo or nextest, or name the folder of the \
         package with `CargoBin::package`"
    )]
    NoPackage(String),
    /// Cargo could not be run.
    #[error("cannot build `{bin}`: `{command}` {why}")]
    NotRun {
        /// The binary.
        bin: String,
        /// The command line.
        command: String,
        /// Reason why not.
        why: String,
    },
    /// Cargo failed.
    #[error("cannot build `{bin}`: `{command}` ended with {exit}; its last lines:\n{tail}")]
    Failed {
        /// The binary.
        bin: String,
        /// The command line.
        command: String,
        /// The end of the process.
        exit: Exit,
        /// The last lines of its output.
        tail: String,
    },
    /// The package cannot be built.
    #[error("cannot build `{bin}`: {why}")]
    Package {
        /// The binary.
        bin: String,
        /// Reason why not.
        why: String,
    },
}

/// Returns the launch of a binary of the package whose test this is, built without the features of the test.
///
/// This function checks that the package has the binary. It is built when a suite first needs it, after the input of
/// the suite, such as its baseline, has been checked.
///
/// ```no_run
/// use mcp_compat::{ServerPeer, Suite, cargo_bin};
///
/// # fn main() -> Result<(), mcp_compat::SuiteError> {
/// let server = ServerPeer::command("my-sdk@0.1.0", cargo_bin("compat-server")?)?;
/// Suite::new().peer(server).run()?.assert_no_breaks();
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// When the package has no such binary.
pub fn cargo_bin(name: &str) -> Result<Launch, CargoBinError> {
    CargoBin::new(name).launch()
}

impl CargoBin {
    /// Names a binary of the package whose test this is.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), folder: None, features: Vec::new(), default_features: true, timeout: BUILD_TIMEOUT }
    }

    /// Takes the binary from the package in this folder.
    #[must_use]
    pub fn package(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Turns on a feature of the package. Call it again to add more.
    #[must_use]
    pub fn feature(mut self, feature: impl Into<String>) -> Self {
        self.features.push(feature.into());
        self
    }

    /// Turns off the default features of the package.
    #[must_use]
    pub fn no_default_features(mut self) -> Self {
        self.default_features = false;
        self
    }

    /// Sets the time limit for the build, 10 minutes by default.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Returns the launch of the binary, which is built when it is first needed.
    ///
    /// # Errors
    /// When the package has no such binary.
    pub fn launch(&self) -> Result<Launch, CargoBinError> {
        if let Some(program) = TestRun::current().and_then(|run| run.kept::<PathBuf>(&self.words())) {
            return Ok(Launch::new(program));
        }
        self.source()?;
        let bin = self.clone();
        Ok(Launch::new(&self.name).prepared_by(Preparation::new(move || Ok(bin.build()?.program))))
    }

    /// Builds the binary now, unless this process has built it.
    ///
    /// # Errors
    /// When there is no such binary, or cargo does not build it.
    pub fn build(&self) -> Result<Launch, CargoBinError> {
        static BUILT: Mutex<BTreeMap<CargoBin, PathBuf>> = Mutex::new(BTreeMap::new());
        let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = built.get(self) {
            return Ok(Launch::new(program));
        }
        let program = match TestRun::current() {
            Some(run) => run.once(&self.words(), || self.build_anew())?,
            None => self.build_anew()?,
        };
        built.insert(self.clone(), program.clone());
        Ok(Launch::new(program))
    }

    /// Returns a text of everything that the build depends on.
    fn words(&self) -> String {
        format!("{self:?} {:?} {:?}", std::env::var_os("CARGO_MANIFEST_DIR"), std::env::current_exe())
    }

    /// Returns the source of the binary, after a check that cargo can build it alone.
    fn source(&self) -> Result<Source, CargoBinError> {
        let named = || std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let folder = self.folder.clone().or_else(named).ok_or_else(|| CargoBinError::NoPackage(self.name.clone()))?;
        let manifest = folder.join("Cargo.toml");
        let asked = words(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"], &manifest);
        let package = Package::read(&self.cargo(&asked, &folder, METADATA_TIMEOUT)?.stdout, &manifest);
        let package = package.map_err(|why| self.unfit(&why))?;
        package.offers(&self.name).map_err(|why| self.unfit(&why))?;
        let root = package.workspace.join("Cargo.toml");
        // Cargo has reported an error for a manifest that cannot be read.
        if unifies_always(&std::fs::read_to_string(&root).unwrap_or_default()) {
            return Err(self.unfit(&PackageError::OldResolver(root)));
        }
        let target = package.target.join("mcp-compat").join(self.compartment());
        Ok(Source { folder, manifest, target })
    }

    fn build_anew(&self) -> Result<PathBuf, CargoBinError> {
        let Source { folder, manifest, target } = self.source()?;
        let command = self.command(&manifest, &target, std::env::current_exe().ok().as_deref());
        let output = self.cargo(&command, &folder, self.timeout)?;
        executable(&output.stdout, &self.name).ok_or_else(|| self.unfit(&PackageError::NoArtifact))
    }

    /// Returns the name of the folder for builds with these features.
    fn compartment(&self) -> String {
        if self.features.is_empty() && self.default_features {
            return "default".to_owned();
        }
        let sum = Sha256::digest(format!("{:?} {}", self.features, self.default_features));
        sum.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    fn command(&self, manifest: &Path, target: &Path, test: Option<&Path>) -> Vec<String> {
        let mut command = words(["build", "--message-format", "json-render-diagnostics", "--manifest-path"], manifest);
        command.extend(words(["--color", "never", "--target-dir"], target));
        command.extend(["--bin".to_owned(), self.name.clone(), "--profile".to_owned()]);
        command.push(test.and_then(profile).unwrap_or_else(|| "dev".to_owned()));
        if !self.features.is_empty() {
            command.extend(["--features".to_owned(), self.features.join(",")]);
        }
        if !self.default_features {
            command.push("--no-default-features".to_owned());
        }
        command
    }

    fn cargo(&self, words: &[String], folder: &Path, timeout: Duration) -> Result<Output, CargoBinError> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsStr::new("cargo").to_owned());
        let mut all = vec![cargo.to_string_lossy().into_owned()];
        all.extend_from_slice(words);
        let command = || format!("cargo {}", words.join(" "));
        let bin = || self.name.clone();
        let not_run = |why: String| CargoBinError::NotRun { bin: bin(), command: command(), why };
        // Runners capture what a test prints, but not what is written to standard error directly. So a long build does
        // not look like a test that hangs.
        let print = |elapsed: Duration, line: &str| {
            let _ = writeln!(std::io::stderr(), "{}", still_running(&self.name, words, elapsed, line));
        };
        let report = || OutputReport { every: REPORT_EVERY, to: &print };
        let ran = runtime::finish(|| output_with_reports(&all, folder, timeout, report()));
        let ran = ran.map_err(|error| not_run(format!("could not be waited for: {error}")))?;
        let ran = ran.map_err(|error: OutputError| not_run(error.to_string()))?;
        if !ran.exit.is_success() {
            let tail = tail(&ran.stderr);
            return Err(CargoBinError::Failed { bin: bin(), command: command(), exit: ran.exit, tail });
        }
        Ok(ran)
    }

    fn unfit(&self, why: &PackageError) -> CargoBinError {
        CargoBinError::Package { bin: self.name.clone(), why: why.to_string() }
    }
}

fn words<const N: usize>(words: [&str; N], path: &Path) -> Vec<String> {
    words.iter().map(ToString::to_string).chain([path.display().to_string()]).collect()
}

/// Returns the line for a running build: the binary, the command, the elapsed time and the last line.
fn still_running(bin: &str, words: &[String], elapsed: Duration, last_line: &str) -> String {
    let command = words.first().map_or("", String::as_str);
    let line = format!("mcp-compat: building `{bin}`: cargo {command}, {} s so far", elapsed.as_secs());
    if last_line.is_empty() { line } else { format!("{line}: {last_line}") }
}

/// Returns the last lines of a log.
fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(bin: &CargoBin, test: &str) -> String {
        bin.command(Path::new("/p/Cargo.toml"), Path::new("/t"), Some(Path::new(test))).join(" ")
    }

    #[test]
    fn it_is_built_in_the_profile_of_the_test_with_its_own_features() {
        let bin = CargoBin::new("server");
        let plain = "build --message-format json-render-diagnostics --manifest-path /p/Cargo.toml --color never \
                     --target-dir /t --bin server --profile dev";
        assert_eq!(command(&bin, "/target/debug/deps/compat-0123"), plain);
        let bin = bin.feature("http").feature("tls").no_default_features();
        assert!(
            command(&bin, "/target/release/deps/compat-0123")
                .ends_with("--profile release --features http,tls --no-default-features")
        );
    }

    #[test]
    fn other_features_are_built_elsewhere() {
        let bin = || CargoBin::new("server");
        let folders = [bin(), bin().feature("a"), bin().feature("b"), bin().no_default_features()];
        let folders: std::collections::BTreeSet<String> = folders.iter().map(CargoBin::compartment).collect();
        assert_eq!(folders.len(), 4);
    }

    #[test]
    fn a_long_build_is_reported_with_its_time_and_last_line() {
        let (words, elapsed) = (["build".to_owned(), "--bin".to_owned()], Duration::from_millis(30_010));
        assert_eq!(
            still_running("server", &words, elapsed, "Compiling hyper v1.12.0"),
            "mcp-compat: building `server`: cargo build, 30 s so far: Compiling hyper v1.12.0"
        );
        assert_eq!(
            still_running("server", &words, elapsed, ""),
            "mcp-compat: building `server`: cargo build, 30 s so far"
        );
    }

    #[test]
    fn a_log_is_cut_to_its_end() {
        let log = (0..50).map(|line| format!("{line}\n")).collect::<String>();
        assert!(tail(&log).starts_with("30\n") && tail(&log).ends_with("\n49"));
        assert_eq!(tail(""), "");
    }
}
