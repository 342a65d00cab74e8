//! The architecture of the workspace, checked on every `cargo test`.
//!
//! ```text
//! Cargo.toml of each member ─ workspace ─> which crate knows which ─── compared with harness/ARCHITECTURE.md
//! sources of each member ──── source ───┬> lines of each file and crate
//!                                       └─ imports ─> which module knows which ─> cycles
//! ```
//!
//! The sources are parsed with `syn`. `cargo modules dependencies --acyclic` was considered: it sees more (it resolves
//! methods and traits), but it is a rust-analyzer that has to be compiled in CI, which takes minutes.

mod imports;
mod source;
mod workspace;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

pub(crate) use source::{SourceFile, is_for_tests, read_crate};
pub(crate) use workspace::{Member, members};

use workspace::folder;

/// The longest file of product code.
const LONGEST_FILE: usize = 450;

/// The largest crate, in lines of product code.
const LARGEST_CRATE: usize = 8_000;

#[test]
fn no_crate_has_a_cycle_between_its_modules() {
    let mut report = String::new();
    for member in members() {
        for root in member.roots() {
            let files = read_crate(&root, &|path| std::fs::read_to_string(path).ok());
            for cycle in imports::cycles(&files) {
                writeln!(report, "{}: {cycle}", member.name).unwrap();
            }
        }
    }
    assert!(
        report.is_empty(),
        "{report}\
         Way out: move what both sides need to a file of its own beside them, and let both import that. \
         A parent module counts as the contents of its mod.rs; `pub use child::Item` alone is no import."
    );
}

#[test]
fn files_and_crates_stay_small() {
    let mut report = String::new();
    for member in members() {
        let mut lines = BTreeMap::new();
        for root in member.roots() {
            let files = read_crate(&root, &|path| std::fs::read_to_string(path).ok());
            lines.extend(files.into_iter().map(|file| (file.path, file.lines)));
        }
        for (path, lines) in lines.iter().filter(|(_, lines)| **lines > LONGEST_FILE) {
            writeln!(report, "{} has {lines} lines; a file has at most {LONGEST_FILE}", path.display()).unwrap();
        }
        let sum: usize = lines.values().sum();
        if sum > LARGEST_CRATE {
            writeln!(report, "{} has {sum} lines; a crate has at most {LARGEST_CRATE}", member.name).unwrap();
        }
    }
    assert!(report.is_empty(), "{report}Way out: split by idea. Inline tests and test files are not counted.");
}

#[test]
fn crates_depend_on_each_other_as_architecture_md_says() {
    let said = workspace::said(&std::fs::read_to_string(folder().join("harness/ARCHITECTURE.md")).unwrap());
    let is: BTreeMap<String, BTreeSet<String>> =
        members().iter().map(|member| (member.short_name().to_owned(), member.known())).collect();
    assert!(is.len() > 10, "the manifests are read: {is:?}");
    let report = workspace::differences(&said, &is);
    assert!(report.is_empty(), "{report}Change the manifest, or the list under \"Crates\" in harness/ARCHITECTURE.md.");
}

/// The crate `lib.rs`, `a.rs`, ... made of these texts.
fn fixture(files: &[(&str, &str)]) -> Vec<SourceFile> {
    let texts: BTreeMap<_, _> = files.iter().copied().collect();
    read_crate("src/lib.rs".as_ref(), &|path| texts.get(path.to_str()?).map(|text| (*text).to_owned()))
}

#[test]
fn a_cycle_is_found_and_said_with_the_imports_that_make_it() {
    let cycles = imports::cycles(&fixture(&[
        ("src/lib.rs", "mod a; mod b; pub use a::A;"),
        ("src/a.rs", "use crate::b::B; pub struct A(B);"),
        ("src/b.rs", "pub struct B; fn back() -> Vec<super::A> { vec![] }"),
    ]));
    let said = "a cycle of a, b\n    a -> b by `crate::b::B` in src/a.rs\n    b -> a by `super::A` in src/b.rs";
    assert_eq!(cycles, [said]);
}

#[test]
fn a_parent_is_a_module_of_its_own() {
    let parent_uses_child = ("src/lib.rs", "mod a; pub struct Shared; fn f() { a::g() }");
    let child_uses_parent = ("src/a.rs", "pub(crate) fn g() { let _ = super::Shared; }");
    assert_eq!(imports::cycles(&fixture(&[parent_uses_child, child_uses_parent])).len(), 1);
    // The way out.
    let apart = [
        ("src/lib.rs", "mod a; mod shared; pub use shared::Shared; fn f() { a::g() }"),
        ("src/a.rs", "pub(crate) fn g() { let _ = super::Shared; }"),
        ("src/shared.rs", "pub struct Shared;"),
    ];
    assert!(imports::cycles(&fixture(&apart)).is_empty());
}

#[test]
fn imports_inside_macros_attributes_and_inline_modules_count_and_tests_do_not() {
    let with = |b: &'static str| {
        imports::cycles(&fixture(&[("src/lib.rs", "mod a; mod b;"), ("src/a.rs", "use super::b;"), ("src/b.rs", b)]))
    };
    let counted = [
        "fn f() { println!(\"{}\", crate::a::X); }",
        "struct S { #[serde(with = \"crate::a\")] x: u8 }",
        "mod inner { fn f() { super::super::a::f(); } }",
        "use crate as root; fn f() { root::a::f(); }",
    ];
    for text in counted {
        assert_eq!(with(text).len(), 1, "{text}");
    }
    for text in
        ["#[cfg(test)] mod tests { use crate::a; }", "#[cfg(test)] use crate::a;", "/// [`crate::a`]\nfn f() {}"]
    {
        assert!(with(text).is_empty(), "{text}");
    }
}

#[test]
fn lines_of_inline_tests_are_not_counted() {
    let text = "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() {}\n}\n";
    assert_eq!(fixture(&[("src/lib.rs", text)])[0].lines, 2);
}

#[test]
fn an_arrow_that_the_picture_lacks_is_said_and_so_is_one_that_nothing_makes() {
    let said = workspace::said("## Crates\n\n```text\njson\nmodel   json\njudge   json model\n```\n");
    let crates = |is: &[(&str, &[&str])]| -> BTreeMap<String, BTreeSet<String>> {
        is.iter().map(|(name, known)| ((*name).to_owned(), known.iter().map(|k| (*k).to_owned()).collect())).collect()
    };
    let same = crates(&[("json", &[]), ("model", &["json"]), ("judge", &["json", "model"])]);
    assert_eq!(workspace::differences(&said, &same), "");
    let other = crates(&[("json", &["model"]), ("model", &["json"]), ("judge", &["json"])]);
    let differences = workspace::differences(&said, &other);
    assert_eq!(differences, "json depends on model, which it may not\njudge no longer depends on model\n");
}
