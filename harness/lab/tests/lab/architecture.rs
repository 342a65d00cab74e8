//! Checks of the architecture of the workspace: which crate depends on which, and how doc comments begin.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Prefix of the name of every crate but the library `mcp-compat`, which is `compat` here.
const PREFIX: &str = "mcp-compat-";

/// Largest share of doc comments, in per mille, that may begin with a word of [`RELATIVE`].
const RELATIVE_SHARE: usize = 60;

/// Words with which a doc comment should not begin: it begins with a verb or a noun.
const RELATIVE: [&str; 13] = [
    "How ",
    "Of ",
    "That ",
    "The one ",
    "The ones ",
    "Those ",
    "What ",
    "When ",
    "Where ",
    "Whether ",
    "Which ",
    "Who ",
    "Why ",
];

/// Crates with those that they depend on.
type Arrows = BTreeMap<String, BTreeSet<String>>;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Returns the packages of the workspace, as `cargo metadata` prints them.
fn packages() -> Vec<Value> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).current_dir(workspace());
    let printed = cargo.output().unwrap();
    assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
    let metadata: Value = serde_json::from_slice(&printed.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn short(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or("compat")
}

/// Returns the crates with the crates of the workspace that they need outside of tests.
fn arrows(packages: &[Value]) -> Arrows {
    let needed = |package: &Value| {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let names = dependencies.filter(|it| it["kind"].is_null()).map(|it| it["name"].as_str().unwrap());
        names
            .filter(|name| *name == "mcp-compat" || name.starts_with(PREFIX))
            .map(|name| short(name).to_owned())
            .collect()
    };
    packages.iter().map(|package| (short(package["name"].as_str().unwrap()).to_owned(), needed(package))).collect()
}

/// Returns the list under "Crates" in a page: the first word of a line is a crate, the others are those that it needs.
fn listed(page: &str) -> Vec<(String, BTreeSet<String>)> {
    let section = page.split("\n## ").find_map(|section| section.trim_start_matches("## ").strip_prefix("Crates\n"));
    let list = section.and_then(|section| section.split("```").nth(1)).expect("a list under \"## Crates\"");
    let line = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        Some((words.next()?, words.collect()))
    };
    list.lines().skip(1).filter_map(line).collect()
}

/// Describes how the crates differ from the list, and the lines of the list that name a crate below them.
fn differences(listed: &[(String, BTreeSet<String>)], is: &Arrows) -> String {
    let mut differences = String::new();
    let mut above = BTreeSet::new();
    for (name, needed) in listed {
        for upward in needed.iter().filter(|needed| !above.contains(needed)) {
            writeln!(differences, "{name} is listed above {upward}, which it depends on").unwrap();
        }
        above.insert(name);
    }
    let listed: Arrows = listed.iter().cloned().collect();
    let none = BTreeSet::new();
    let names: BTreeSet<&String> = listed.keys().chain(is.keys()).collect();
    for name in names {
        match (listed.contains_key(name), is.contains_key(name)) {
            (false, _) => writeln!(differences, "{name} is not in the list").unwrap(),
            (_, false) => writeln!(differences, "{name} is no crate of the workspace").unwrap(),
            (true, true) => {}
        }
        let (may, does) = (listed.get(name).unwrap_or(&none), is.get(name).unwrap_or(&none));
        for needed in does.difference(may) {
            writeln!(differences, "{name} depends on {needed}, which it may not").unwrap();
        }
        for needed in may.difference(does) {
            writeln!(differences, "{name} no longer depends on {needed}").unwrap();
        }
    }
    differences
}

#[test]
fn crates_depend_on_each_other_as_architecture_md_says() {
    let listed = listed(&fs::read_to_string(workspace().join("harness/ARCHITECTURE.md")).unwrap());
    let report = differences(&listed, &arrows(&packages()));
    assert!(report.is_empty(), "{report}Change the manifest, or the list under \"Crates\" in harness/ARCHITECTURE.md.");
}

#[test]
fn an_arrow_that_the_list_lacks_is_reported_and_so_are_one_that_nothing_makes_and_one_upward() {
    let list = listed("## Crates\n\n```text\njson\nmodel   json\njudge   json model\n```\n");
    let crates = |is: &[(&str, &[&str])]| -> Arrows {
        is.iter()
            .map(|(name, needed)| ((*name).to_owned(), needed.iter().map(|it| (*it).to_owned()).collect()))
            .collect()
    };
    let same = crates(&[("json", &[]), ("model", &["json"]), ("judge", &["json", "model"])]);
    assert_eq!(differences(&list, &same), "");
    let other = crates(&[("json", &["model"]), ("model", &["json"]), ("judge", &["json"])]);
    let expected = "json depends on model, which it may not\njudge no longer depends on model\n";
    assert_eq!(differences(&list, &other), expected);
    let list = listed("## Crates\n\n```text\njson model\nmodel json\n```\n");
    let cycle = crates(&[("json", &["model"]), ("model", &["json"])]);
    assert_eq!(differences(&list, &cycle), "json is listed above model, which it depends on\n");
}

/// Returns the first line of each doc comment in a text.
fn doc_comments(text: &str) -> impl Iterator<Item = &str> {
    let mut before = "";
    text.lines().map(str::trim_start).filter_map(move |line| {
        let mark = ["///", "//!"].into_iter().find(|mark| line.starts_with(mark)).unwrap_or_default();
        let opens = !mark.is_empty() && mark != before && !line.starts_with("////");
        before = mark;
        opens.then(|| line[3..].trim())
    })
}

/// Adds the Rust files of a folder and of the folders in it.
fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn doc_comments_begin_with_a_verb_or_a_noun() {
    let mut files = Vec::new();
    for package in packages() {
        rust_files(&Path::new(package["manifest_path"].as_str().unwrap()).with_file_name("src"), &mut files);
    }
    let (mut all, mut relative) = (0, 0);
    for path in files {
        let text = fs::read_to_string(path).unwrap();
        for comment in doc_comments(&text) {
            all += 1;
            relative += usize::from(RELATIVE.iter().any(|word| comment.starts_with(word)));
        }
    }
    assert!(all > 1_000, "{all} doc comments");
    let share = relative * 1_000 / all;
    assert!(
        share < RELATIVE_SHARE,
        "{relative} of {all} doc comments ({share} per mille) begin with a word such as What, Whether or How; begin with \
         a verb or a noun: \"Returns …\", \"Error message for …\""
    );
}

#[test]
fn only_the_first_line_of_a_doc_comment_counts() {
    let text = "//! The crate.\n//!\n//! What it is.\n\n/// What it does.\n/// Of it.\nfn f() {}\n    /// A field.\n// What.\n";
    assert_eq!(doc_comments(text).collect::<Vec<_>>(), ["The crate.", "What it does.", "A field."]);
}
