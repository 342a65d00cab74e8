//! The program without a checkout: its own adapters, the user's cache, and where records go.

use std::fs;
use std::path::PathBuf;

use crate::family::{Family, workshop};
use crate::workshop::{ONE_CELL, Ran, Workshop, to_its_end};

/// A few cells of the mocks, as a run without a selection of peers plays them.
const PLAIN: [&str; 4] = ["run", "--scenario=root-type/object", "--transport=memory", "--server=mock/dual"];

/// The adapters of the program, unpacked.
fn adapters(workshop: &Workshop) -> PathBuf {
    let cache = workshop.path().join("cache/mcp-compat");
    let entries = fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path());
    let mut found = entries.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("adapters-"));
    found.next().unwrap().join("peers")
}

fn with_cache(workshop: &Workshop, args: &[&str], cache: &str) -> Ran {
    let mut command = workshop.command(args);
    to_its_end(command.env("XDG_CACHE_HOME", workshop.path().join(cache)).spawn().unwrap())
}

#[test]
fn a_run_needs_no_checkout_and_no_tools() {
    let workshop = Workshop::new();
    let mut command = workshop.command(PLAIN);
    let ran = to_its_end(command.env("PATH", "/nowhere").spawn().unwrap()).ends_with(0);
    ran.shows(&["OK  nothing breaks"]);
    assert!(!workshop.path().join("cache").exists(), "nothing was unpacked");
    let ran = workshop.run(["run", "--client", "typescript@2.4.0", "--server", "mock/dual"]).ends_with(2);
    ran.says(&["typescript@2.4.0 is not installed. Install it with `mcp-compat peers install typescript@2.4.0`"]);
    // The adapters are there, and no release of them is: a run builds none by itself.
    workshop.run(["peers", "list"]).ends_with(0).shows(&["rmcp@3.11.0", "not installed"]);
    let mut command = workshop.command(PLAIN);
    let ran = to_its_end(command.env("PATH", "/nowhere").spawn().unwrap()).ends_with(0);
    ran.says(&["Skipping 1 SDK release that is not installed (rmcp@3.11.0"]);
}

#[test]
fn records_are_in_a_folder_of_their_own_or_in_cargos() {
    let workshop = Workshop::new();
    workshop.run(ONE_CELL).ends_with(0);
    assert_eq!(fs::read_to_string(workshop.path().join(".mcp-compat/.gitignore")).unwrap(), "*\n");
    assert!(!workshop.path().join("target").exists());
    workshop.run(["report"]).ends_with(0);
    let rust = Workshop::new();
    rust.write("Cargo.toml", "");
    fs::create_dir(rust.path().join("target")).unwrap();
    rust.run(ONE_CELL).ends_with(0);
    assert!(rust.path().join("target/mcp-compat/run.json").is_file());
    assert!(!rust.path().join(".mcp-compat").exists());
    rust.run(["report"]).ends_with(0);
    rust.run(ONE_CELL.into_iter().chain(["--out", "here"])).ends_with(0);
    assert!(rust.path().join("here/run.json").is_file());
}

#[test]
fn a_cache_that_cannot_be_written_is_reported_and_a_run_goes_on() {
    let workshop = Workshop::new();
    workshop.write("file", "");
    for args in [&["peers", "install", "rmcp@3.11.0"][..], &["peers", "list"]] {
        let ran = with_cache(&workshop, args, "file/cache").ends_with(2);
        ran.says(&["cannot unpack the adapters to", "file/cache/mcp-compat: Not a directory", "XDG_CACHE_HOME="]);
    }
    with_cache(&workshop, &PLAIN, "file/cache").ends_with(0);
    // Somebody installed a release, and the adapters of this version cannot be written beside it.
    workshop.write("full/mcp-compat/homes/rmcp/3.11.0/0123/.ready", "");
    let cache = workshop.path().join("full/mcp-compat");
    let mut read_only = fs::metadata(&cache).unwrap().permissions();
    read_only.set_readonly(true);
    fs::set_permissions(&cache, read_only).unwrap();
    let ran = with_cache(&workshop, &PLAIN, "full").ends_with(0);
    // Whoever may write everywhere gets the adapters.
    let is_skipped = ran.stderr.contains("Skipping real SDKs: cannot unpack the adapters to");
    assert!(is_skipped || ran.stderr.contains("Skipping 1 SDK release"), "{}", ran.stderr);
}

#[test]
fn damaged_adapters_are_reported_and_unpacked_again() {
    let workshop = Workshop::new();
    workshop.run(["peers", "list"]).ends_with(0);
    fs::remove_dir_all(adapters(&workshop).join("go")).unwrap();
    let ran = workshop.run(["peers", "list"]).ends_with(2);
    ran.says(&["are damaged:", "files are missing or have another size", "`mcp-compat peers install`"]);
    workshop.run(PLAIN).ends_with(0).says(&["Skipping real SDKs: the adapters in"]);
    workshop.run(PLAIN.into_iter().chain(["--fleet"])).ends_with(2).says(&["error: the adapters in", "are damaged:"]);
    let ran = workshop.run(["peers", "install", "rmcp@0.0.1"]).ends_with(2);
    ran.says(&["They are unpacked again. The damaged files are in", "-damaged-", "no adapter serves rmcp@0.0.1"]);
    workshop.run(["peers", "list"]).ends_with(0).shows(&["go@1.8.0"]);
    workshop.run(["peers", "prune"]).ends_with(0).shows(&["-damaged-", "in 1 place removed"]);
}

#[test]
fn what_another_version_left_is_pruned_on_demand_only() {
    let workshop = Workshop::new();
    workshop.run(["peers", "prune"]).ends_with(0).shows(&["Nothing to remove:"]);
    workshop.write("cache/mcp-compat/adapters-0123456789abcdef/peers/fleet.toml", "");
    let old = workshop.write("cache/mcp-compat/homes/rmcp/3.11.0/0123456789abcdef/.ready", "0123456789abcdef");
    workshop.write("cache/mcp-compat/homes/gone/1.0.0/0123456789abcdef/.ready", "0123456789abcdef");
    workshop.write("cache/mcp-compat/rust/.lock", "");
    workshop.write("cache/mcp-compat/rust/release/rmcp", "");
    workshop.run(["peers", "list"]).ends_with(0);
    let ran = workshop.run(["peers", "prune", "--dry-run"]).ends_with(0);
    ran.shows(&["adapters-0123456789abcdef\n", "rmcp/3.11.0/0123456789abcdef\n", "gone/1.0.0", "in 3 places would be"]);
    assert!(old.exists());
    workshop.run(["peers", "prune"]).ends_with(0).shows(&["in 3 places removed"]);
    assert!(!workshop.path().join("cache/mcp-compat/homes/rmcp").exists());
    assert!(
        adapters(&workshop).join("fleet.toml").is_file()
            && workshop.path().join("cache/mcp-compat/rust/release/rmcp").exists()
    );
    workshop.run(["peers", "prune"]).ends_with(0).shows(&["0 MB in 0 places removed"]);
    workshop.run(["peers", "prune", "--all"]).ends_with(0).shows(&["rust/release", "adapters-"]);
    let left = fs::read_dir(workshop.path().join("cache/mcp-compat")).unwrap();
    assert_eq!(left.map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>(), ["rust"], "its lock stays");
}

#[test]
fn lock_files_are_not_saved_beside_the_adapters_of_the_program() {
    let ran = Workshop::new().run(["peers", "install", "rmcp@3.11.0", "--lock"]).ends_with(2);
    ran.says(&["those of this program cannot be changed: name a folder with --peers DIR"]);
}

#[test]
fn without_a_network_what_is_installed_still_plays() {
    let steps = "test {version} = 2.0.0 || { echo ECONNREFUSED >&2; exit 1; }";
    let workshop = workshop(&Family::of(steps));
    let ran = workshop.run(["peers", "install"]).ends_with(1).shows(&["1 release installed"]);
    ran.says(&["did not answer", "Is there a network? Installed releases still work."]);
    let args =
        ["run", "--scenario=root-type/object", "--transport=stdio", "--client=sdk@2.0.0", "--server=mock/2025-11-25"];
    workshop.run(args).ends_with(0);
}
