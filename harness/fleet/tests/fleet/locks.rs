//! The lock files of the fleet's releases lock those releases. One that locks another would have a release's name stand
//! over what its neighbour does.

use std::fs;
use std::path::{Path, PathBuf};

/// Names of the SDKs in a lock file, and the text before and after the version there.
const FORMS: &[(&str, &[&str], &str)] = &[
    (
        "Cargo.lock",
        &[
            "name = \"rmcp\"\nversion = \"",
            "name = \"tower-mcp\"\nversion = \"",
            "name = \"rust-mcp-sdk\"\nversion = \"",
            "name = \"pmcp\"\nversion = \"",
        ],
        "\"",
    ),
    ("requirements.txt", &["\nfastmcp=="], "\n"),
    ("requirements.txt", &["\nmcp=="], "\n"),
    ("go.mod", &["github.com/modelcontextprotocol/go-sdk v", "github.com/mark3labs/mcp-go v"], "\n"),
    (
        "package-lock.json",
        &[
            "\"node_modules/@modelcontextprotocol/sdk\": {\n      \"version\": \"",
            "\"node_modules/@modelcontextprotocol/client\": {\n      \"version\": \"",
            "\"node_modules/@modelcontextprotocol/server\": {\n      \"version\": \"",
            "\"node_modules/@modelcontextprotocol/sdk\": {\n      \"name\": \"@olaservo/mcp-sdk\",\n      \"version\": \"",
            "\"node_modules/@ai-sdk/mcp\": {\n      \"version\": \"",
            "\"node_modules/tmcp\": {\n      \"version\": \"",
        ],
        "\"",
    ),
];

/// The versions of the SDK that a lock file of this name locks.
fn locked<'t>(name: &str, text: &'t str) -> Vec<&'t str> {
    // FastMCP brings the SDK along, so its own form comes first.
    let is_there = |prefixes: &[&str]| prefixes.iter().any(|prefix| text.contains(prefix));
    let found = FORMS.iter().find(|(form, prefixes, _)| *form == name && is_there(prefixes));
    let Some((_, prefixes, end)) = found else { panic!("{name} is new, or locks no SDK") };
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
            if file.components().any(|part| part.as_os_str() == "hosts") {
                let pins = [format!("=={version} "), format!("{version}\"")];
                assert!(pins.iter().any(|pin| text.contains(pin)), "{}: not {version}", file.display());
                continue;
            }
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

/// The requirements of a lock of Python that have no hash.
fn without_hash(text: &str) -> Vec<&str> {
    let requirements = text.replace("\\\n", " ");
    let pinned = requirements.lines().filter(|line| !line.starts_with('#') && line.contains("=="));
    let bare = pinned.filter(|line| !line.contains("--hash=sha256:"));
    bare.filter_map(|line| text.lines().find(|known| line.starts_with(*known))).collect()
}

#[test]
fn python_installs_what_is_in_the_lock_by_its_hashes_and_builds_nothing() {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers/python");
    let mut checked = 0;
    for adapter in folders(&python) {
        let Ok(manifest) = fs::read_to_string(adapter.join("peer.toml")) else { continue };
        let locked = manifest.split("\nlocked = [").nth(1).and_then(|rest| rest.split("\n]").next()).unwrap();
        for option in ["\"--require-hashes\"", "\"--only-binary\", \":all:\"", "\"--no-deps\""] {
            assert!(locked.contains(option), "{} installs without {option}", adapter.display());
        }
        for release in folders(&adapter.join("locks")) {
            let lock = release.join("requirements.txt");
            let text = fs::read_to_string(&lock).unwrap();
            assert_eq!(without_hash(&text), [""; 0], "{}", lock.display());
            checked += 1;
        }
    }
    assert!(checked > 5, "{checked}");
    assert_eq!(without_hash("a==1 \\\n    --hash=sha256:0\nb==2\n"), ["b==2"]);
}

#[test]
fn a_lock_file_of_another_release_is_noticed() {
    let text = "[[package]]\nname = \"rmcp\"\nversion = \"2.2.0\"\n\n[[package]]\nname = \"rmcp-macros\"\n";
    assert_eq!(locked("Cargo.lock", text), ["2.2.0"]);
    assert_eq!(locked("requirements.txt", "# x\nfastmcp==3.4.11 \\\n    --hash=sha256:0\nmcp==1.9.4\n"), ["3.4.11"]);
    assert_eq!(locked("go.mod", "require github.com/mark3labs/mcp-go v1.2.1 // indirect\n"), ["1.2.1"]);
}
