//! The lock files of the fleet's releases lock those releases. One that locks another would have a release's name stand
//! over what its neighbour does.

use std::fs;
use std::path::{Path, PathBuf};

/// How a lock file names the SDKs that it may be there for, and what precedes and follows the version there.
const FORMS: &[(&str, &[&str], &str)] = &[
    ("Cargo.lock", &["name = \"rmcp\"\nversion = \""], "\""),
    ("constraints.txt", &["\nmcp=="], "\n"),
    ("requirements.txt", &["\nfastmcp=="], "\n"),
    ("go.mod", &["github.com/modelcontextprotocol/go-sdk v", "github.com/mark3labs/mcp-go v"], "\n"),
    (
        "package-lock.json",
        &[
            "\"node_modules/@modelcontextprotocol/sdk\": {\n      \"version\": \"",
            "\"node_modules/@modelcontextprotocol/client\": {\n      \"version\": \"",
            "\"node_modules/@modelcontextprotocol/server\": {\n      \"version\": \"",
        ],
        "\"",
    ),
];

/// The versions of the SDK that a lock file of this name locks.
fn locked<'t>(name: &str, text: &'t str) -> Vec<&'t str> {
    let (_, prefixes, end) = FORMS.iter().find(|(form, ..)| *form == name).unwrap_or_else(|| panic!("{name} is new"));
    let version = |rest: &'t str| rest.split(end).next().map(|line| line.split(' ').next().unwrap_or(line));
    prefixes.iter().flat_map(|prefix| text.split(prefix).skip(1).filter_map(version)).collect()
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.is_dir()).collect()
}

#[test]
fn every_lock_file_locks_the_release_that_it_is_named_after() {
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers");
    let adapters = folders(&peers).into_iter().flat_map(|language| folders(&language));
    let mut checked = 0;
    for release in adapters.flat_map(|adapter| folders(&adapter.join("locks"))) {
        let files = fs::read_dir(&release).unwrap().flatten().map(|entry| entry.path());
        for file in files.filter(|file| !file.ends_with("go.sum")) {
            let name = file.file_name().unwrap().to_str().unwrap();
            let version = release.file_name().unwrap().to_str().unwrap();
            let text = fs::read_to_string(&file).unwrap();
            let locked = locked(name, &text);
            assert!(
                !locked.is_empty() && locked.iter().all(|locked| *locked == version),
                "{}: {locked:?}",
                file.display()
            );
            checked += 1;
        }
    }
    assert!(checked > 15, "{checked}");
}

#[test]
fn a_lock_file_of_another_release_is_noticed() {
    let text = "[[package]]\nname = \"rmcp\"\nversion = \"2.2.0\"\n\n[[package]]\nname = \"rmcp-macros\"\n";
    assert_eq!(locked("Cargo.lock", text), ["2.2.0"]);
    assert_eq!(locked("go.mod", "require github.com/mark3labs/mcp-go v1.2.1 // indirect\n"), ["1.2.1"]);
}
