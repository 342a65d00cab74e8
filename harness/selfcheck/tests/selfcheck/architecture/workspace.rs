//! The crates of the workspace, and which knows which.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use toml::Table;

/// What the name of every crate begins with.
const PREFIX: &str = "mcp-compat-";

/// A crate of the workspace.
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    manifest: Table,
}

/// The workspace's folder.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The crates of the workspace.
pub(crate) fn members() -> Vec<Member> {
    let read = |folder: &Path| std::fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse::<Table>().unwrap();
    let members = read(&folder())["workspace"]["members"].clone();
    let member = |path: &toml::Value| {
        let folder = folder().join(path.as_str().unwrap());
        let manifest = read(&folder);
        Member { name: manifest["package"]["name"].as_str().unwrap().to_owned(), folder, manifest }
    };
    members.as_array().unwrap().iter().map(member).collect()
}

impl Member {
    /// The name without what all of them begin with; `compat` for the library.
    pub(crate) fn short_name(&self) -> &str {
        short(&self.name)
    }

    /// The files at which its crates begin.
    pub(crate) fn roots(&self) -> Vec<PathBuf> {
        let roots = ["src/lib.rs", "src/main.rs"].map(|root| self.folder.join(root));
        let roots: Vec<_> = roots.into_iter().filter(|root| root.is_file()).collect();
        assert!(!roots.is_empty(), "{} has no sources", self.name);
        roots
    }

    /// The crates of the workspace that it depends on, but for tests.
    pub(crate) fn known(&self) -> BTreeSet<String> {
        let dependencies = self.manifest.get("dependencies").and_then(toml::Value::as_table);
        let names = dependencies.into_iter().flat_map(Table::keys);
        names
            .filter(|name| *name == "mcp-compat" || name.starts_with(PREFIX))
            .map(|name| short(name).to_owned())
            .collect()
    }
}

fn short(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or("compat")
}

/// The list under "Crates" in a page: the first word of a line is a crate, the others are those that it depends on.
pub(crate) fn said(page: &str) -> BTreeMap<String, BTreeSet<String>> {
    let section = page.split("\n## ").find_map(|section| section.trim_start_matches("## ").strip_prefix("Crates\n"));
    let list = section.and_then(|section| section.split("```").nth(1)).expect("a list under \"## Crates\"");
    let mut said = BTreeMap::new();
    for line in list.lines().skip(1) {
        let mut words = line.split_whitespace().map(str::to_owned);
        said.extend(words.next().map(|name| (name, words.collect())));
    }
    said
}

/// How the crates differ from what is said of them.
pub(crate) fn differences(
    said: &BTreeMap<String, BTreeSet<String>>,
    is: &BTreeMap<String, BTreeSet<String>>,
) -> String {
    let mut differences = String::new();
    let none = BTreeSet::new();
    let names: BTreeSet<&String> = said.keys().chain(is.keys()).collect();
    for name in names {
        match (said.contains_key(name), is.contains_key(name)) {
            (false, _) => writeln!(differences, "{name} is not in the list").unwrap(),
            (_, false) => writeln!(differences, "{name} is no crate of the workspace").unwrap(),
            (true, true) => {}
        }
        let (said, is) = (said.get(name).unwrap_or(&none), is.get(name).unwrap_or(&none));
        for known in is.difference(said) {
            writeln!(differences, "{name} depends on {known}, which it may not").unwrap();
        }
        for known in said.difference(is) {
            writeln!(differences, "{name} no longer depends on {known}").unwrap();
        }
    }
    differences
}
