//! A binary under test is built without the features of its tests. The leak is real: it is shown first.

use crate::skip::skipped;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use mcp_compat::{CargoBin, CargoBinError, ServerPeer, ServerUnderTest, Suite, SuiteError};

use crate::real::cannot_fetch;

/// As `serde_json` prints a number of 30 digits that it has rounded.
const ROUNDED: &str = "1.2345678901234568e+29";

/// The same number with `arbitrary_precision`.
const EXACT: &str = "123456789012345678901234567890";

/// A copy of the package, so that nothing is built in this one.
fn package() -> tempfile::TempDir {
    let (from, to) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/leak"), tempfile::tempdir().unwrap());
    for file in ["Cargo.toml", "Cargo.lock", "src/main.rs", "tests/inside.rs"] {
        let target = to.path().join(file);
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(from.join(file), target).unwrap();
    }
    to
}

fn printed(program: impl AsRef<std::ffi::OsStr>) -> String {
    String::from_utf8(Command::new(program).output().unwrap().stdout).unwrap().trim().to_owned()
}

/// What was built; nothing, said aloud, where cargo cannot fetch a crate.
fn built(bin: &CargoBin) -> Option<PathBuf> {
    match bin.build() {
        Ok(launch) => Some(launch.program.into()),
        Err(CargoBinError::Failed { tail, .. }) if cannot_fetch(&tail) => {
            skipped(&tail);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_feature_of_a_dev_dependency_reaches_the_binary_of_a_test_and_not_the_one_built_here() {
    let package = package();
    let bin = CargoBin::new("leak").package(package.path());
    let Some(program) = built(&bin) else { return };
    assert_eq!(printed(&program), ROUNDED, "as its users have it");

    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut test = Command::new(cargo);
    test.args(["test", "--locked", "--target-dir"]).arg(package.path().join("of-its-tests"));
    let test = test.args(["--", "--nocapture"]).current_dir(package.path()).output().unwrap();
    let (stdout, log) = (String::from_utf8_lossy(&test.stdout), String::from_utf8_lossy(&test.stderr));
    assert!(test.status.success(), "{log}");
    assert!(stdout.contains(&format!("inside: {EXACT}")), "the leak that this is about: {stdout}");

    // Once a process: what has gone since is not missed.
    std::fs::remove_file(package.path().join("src/main.rs")).unwrap();
    assert_eq!(built(&bin), Some(program));
}

#[test]
fn what_cannot_be_built_is_told_in_cargos_words() {
    let package = package();
    let bin = |name: &str| CargoBin::new(name).package(package.path());
    let error = bin("laek").build().unwrap_err().to_string();
    assert!(error.contains("in the package `leak`") && error.contains("did you mean"), "{error}");

    let error = bin("leak").feature("no-such").build().unwrap_err().to_string();
    assert!(error.contains("ended with exit status 101") && error.contains("no-such"), "{error}");

    std::fs::write(package.path().join("src/main.rs"), "fn main() { broken }").unwrap();
    let error = bin("leak").build().unwrap_err();
    let CargoBinError::Failed { tail, .. } = &error else { panic!("{error}") };
    assert!(cannot_fetch(tail) || tail.contains("cannot find value `broken`"), "{tail}");

    let error = bin("leak").timeout(Duration::ZERO).build().unwrap_err().to_string();
    assert!(error.contains("did not end within"), "{error}");

    let manifest = package.path().join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).unwrap().replace("[workspace]", "[workspace]\nresolver = \"1\"");
    std::fs::write(&manifest, text).unwrap();
    let error = bin("leak").build().unwrap_err().to_string();
    assert!(error.contains("resolver = \"2\""), "{error}");

    let error = CargoBin::new("leak").package("/there/is/none").build().unwrap_err().to_string();
    assert!(error.contains("/there/is/none"), "{error}");
}

#[test]
fn what_a_suite_is_given_is_checked_before_a_binary_is_built() {
    let package = package();
    std::fs::write(package.path().join("src/main.rs"), "fn main() { broken }").unwrap();
    let launch = || CargoBin::new("leak").package(package.path()).launch().unwrap();
    let missing = package.path().join("no-baseline.toml");

    let server = ServerPeer::command("leak@0.1.0", launch()).unwrap();
    let suite = |server: &ServerPeer| Suite::new().peer(server.clone());
    let error = suite(&server).baseline(&missing).run().unwrap_err().to_string();
    assert!(error.contains("no-baseline.toml"), "{error}");
    let error = suite(&server).scenarios("no-such/*").run().unwrap_err().to_string();
    assert!(error.contains("no-such/*"), "{error}");
    let error = ServerUnderTest::command(launch()).baseline(&missing).run().unwrap_err().to_string();
    assert!(error.contains("no-baseline.toml"), "{error}");
    let error = ServerUnderTest::command(launch()).against("no-such-client").run().unwrap_err().to_string();
    assert!(error.contains("no-such-client"), "{error}");

    for error in [suite(&server).run().unwrap_err(), ServerUnderTest::command(launch()).run().unwrap_err()] {
        let SuiteError::Binary(CargoBinError::Failed { tail, .. }) = &error else { panic!("{error}") };
        assert!(cannot_fetch(tail) || tail.contains("cannot find value `broken`"), "{tail}");
    }
    let error = CargoBin::new("laek").package(package.path()).launch().unwrap_err().to_string();
    assert!(error.contains("did you mean"), "{error}");
}
