//! The documentation as a whole: the table of contents is complete, links lead somewhere, and the README is short.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::pages::{page, root};

/// What a page says about other places.
#[derive(Debug, Default)]
struct Outline {
    /// The anchors of its headings.
    anchors: BTreeSet<String>,
    /// The targets of its links.
    links: Vec<String>,
    /// Its code spans.
    code: Vec<String>,
}

/// The anchor of a heading, as GitHub and mdBook make it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[expect(clippy::wildcard_enum_match_arm, reason = "an outline needs a few kinds of events, and the parser has many")]
fn outline(text: &str) -> Outline {
    let mut outline = Outline::default();
    let mut heading: Option<String> = None;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                outline.anchors.extend(heading.take().map(|text| anchor(&text)));
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                outline.links.push(dest_url.into_string());
            }
            Event::Text(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            Event::Code(code) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&code);
                }
                outline.code.push(code.into_string());
            }
            _ => {}
        }
    }
    outline
}

/// The Markdown files of the repository, from its root.
fn markdown() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            let path = folder.join(&name);
            let skipped = [".git", "target", "node_modules", "venv", "snapshots", "build"].contains(&name.as_str());
            match entry.file_type().unwrap() {
                kind if kind.is_dir() && !skipped => folders.push(path),
                kind if kind.is_file() && name.ends_with(".md") => found.push(path),
                _ => {}
            }
        }
    }
    // What tools printed is as they printed it.
    found.retain(|path| !path.starts_with("harness/cli/tests"));
    found.sort();
    found
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => assert!(plain.pop(), "{} is outside of the repository", path.display()),
            std::path::Component::CurDir => {}
            part @ (std::path::Component::Prefix(_)
            | std::path::Component::RootDir
            | std::path::Component::Normal(_)) => plain.push(part),
        }
    }
    plain
}

#[test]
fn every_relative_link_and_anchor_resolves() {
    let mut broken = Vec::new();
    let mut read: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    for path in markdown() {
        let outlined = outline(&page(path.to_str().unwrap()));
        for link in &outlined.links {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { plain(&path.parent().unwrap().join(file)) };
            let place = root().join(&target);
            let resolves = place.exists() && {
                let anchors = || outline(&fs::read_to_string(&place).unwrap()).anchors;
                fragment.is_empty() || read.entry(target).or_insert_with(anchors).contains(fragment)
            };
            if !resolves {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

/// A built book has no files but its own, so its pages name those of the repository in code spans.
#[test]
fn pages_of_the_book_link_only_to_each_other() {
    for path in markdown().iter().filter(|path| path.starts_with("docs")) {
        for link in outline(&page(path.to_str().unwrap())).links {
            let inside = link.contains("://") || !link.contains('/');
            assert!(inside, "{}: {link} is not a page of the book; name it in a code span", path.display());
        }
    }
}

#[test]
fn every_path_in_a_code_span_exists() {
    let folders = ["harness/", "scenarios/", "mocks/", "peers/", "reports/", "docs/", ".github/", ".ci/"];
    let mut missing = Vec::new();
    // The changelog names what is no longer there.
    for path in markdown().into_iter().filter(|path| path != Path::new("CHANGELOG.md")) {
        for code in outline(&page(path.to_str().unwrap())).code {
            let is_path = folders.iter().any(|folder| code.starts_with(folder))
                && !code.contains([' ', '*', '<', '{', '…', ':', '@']);
            let from_here = path.parent().unwrap().join(&code);
            if is_path && !root().join(&code).exists() && !root().join(from_here).exists() {
                missing.push(format!("{}: {code}", path.display()));
            }
        }
    }
    assert!(missing.is_empty(), "paths that do not exist:\n{}", missing.join("\n"));
}

#[test]
fn every_test_that_the_security_page_names_exists() {
    let sources: String =
        ["harness", "mocks", "reports"].into_iter().flat_map(|folder| sources(&root().join(folder))).collect();
    let named = outline(&page("SECURITY.md")).code.into_iter().filter(|code| code.matches('_').count() > 2);
    let named: Vec<String> = named.filter(|code| code.chars().all(|c| c == '_' || c.is_ascii_lowercase())).collect();
    assert!(named.len() > 20, "{named:?}");
    let missing: Vec<&String> = named.iter().filter(|name| !sources.contains(&format!("fn {name}("))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The text of each Rust file in a folder and below it.
fn sources(folder: &Path) -> Vec<String> {
    let below = |entry: fs::DirEntry| match entry.path() {
        path if path.file_name().is_some_and(|name| name == "target") => Vec::new(),
        path if path.is_dir() => sources(&path),
        path if path.extension().is_some_and(|extension| extension == "rs") => vec![fs::read_to_string(path).unwrap()],
        _ => Vec::new(),
    };
    fs::read_dir(folder).unwrap().map(Result::unwrap).flat_map(below).collect()
}

#[test]
fn the_table_of_contents_lists_every_page_once() {
    let listed = outline(&page("docs/src/SUMMARY.md")).links;
    let mut pages: Vec<String> = fs::read_dir(root().join("docs/src"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "SUMMARY.md")
        .collect();
    pages.sort();
    let mut sorted = listed.clone();
    sorted.sort();
    assert_eq!(sorted, pages);
}

#[test]
fn the_readme_fits_on_a_page() {
    let lines = page("README.md").lines().count();
    assert!(lines <= 150, "{lines} lines: move the rest to docs/");
}

#[test]
fn anchors_are_those_of_github() {
    assert_eq!(anchor("A client command"), "a-client-command");
    assert_eq!(anchor("The manifest: `peer.toml`").replace('`', ""), "the-manifest-peertoml");
}
