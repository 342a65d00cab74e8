//! The library stays light for who has it as a dev-dependency: how many packages it brings is said, and held.

use crate::skip::skipped;
use std::collections::BTreeSet;
use std::process::Command;

use crate::real::cannot_fetch;

/// How many packages `mcp-compat` is, with itself and all that it depends on; the book says so too.
const PACKAGES: usize = 164;

/// How many it is without the engine.
const WITHOUT_ENGINE: usize = 12;

/// The packages that the library is with these options.
fn packages(options: &[&str]) -> Option<BTreeSet<String>> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let tree = ["tree", "-p", "mcp-compat", "-e", "normal", "--target", "x86_64-unknown-linux-gnu", "--prefix", "none"];
    let mut command = Command::new(cargo);
    command.args(tree).args(["--format", "{p}", "--locked"]).args(options).current_dir(root);
    let tree = command.output().unwrap();
    let log = String::from_utf8_lossy(&tree.stderr);
    if cannot_fetch(&log) {
        skipped(&log);
        return None;
    }
    assert!(tree.status.success(), "{log}");
    let tree = String::from_utf8(tree.stdout).unwrap();
    let package = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    Some(tree.lines().map(package).collect())
}

#[test]
fn the_library_brings_no_more_packages_than_the_book_says() {
    let (Some(packages), Some(few)) = (packages(&[]), packages(&["--no-default-features"])) else { return };
    assert!(packages.len() <= PACKAGES, "{} packages: does the newest earn its place?\n{packages:#?}", packages.len());
    let book = include_str!("../../../../docs/src/dependencies.md");
    for number in [PACKAGES, WITHOUT_ENGINE] {
        assert!(book.contains(&format!("{number} packages")), "docs/src/dependencies.md has another number");
    }
    assert_eq!(packages.len(), PACKAGES, "fewer than said: say so");
    assert_eq!(few.len(), WITHOUT_ENGINE, "{few:#?}");
    assert!(
        few.iter().all(|package| !package.starts_with("mcp-compat-") && !package.starts_with("tokio ")),
        "{few:#?}"
    );
    let has = |name: &str| packages.iter().any(|package| package.starts_with(&format!("{name} ")));
    assert!(has("tokio"), "the names are read: {packages:#?}");
    for name in ["anyhow", "indicatif", "notify", "quick-junit", "rmcp", "reqwest"] {
        assert!(!has(name), "{name} is for others");
    }
}
