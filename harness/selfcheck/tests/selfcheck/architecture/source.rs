//! The files of a crate, found by its `mod` declarations, without what is for tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// A file of product code, which is a module.
pub(crate) struct SourceFile {
    /// The names down to the module; none for the crate's root.
    pub(crate) module: Vec<String>,
    pub(crate) path: PathBuf,
    pub(crate) syntax: syn::File,
    /// How many lines it has, without those of inline tests.
    pub(crate) lines: usize,
}

/// Reads a crate from its root file on.
pub(crate) fn read_crate(root: &Path, read: &dyn Fn(&Path) -> Option<String>) -> Vec<SourceFile> {
    let mut files = Vec::new();
    let mut waiting = vec![(Vec::new(), root.to_owned(), root.parent().unwrap().to_owned())];
    while let Some((module, path, below)) = waiting.pop() {
        let text = read(&path).unwrap_or_else(|| panic!("cannot read {}", path.display()));
        let syntax = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for item in &syntax.items {
            let syn::Item::Mod(declared) = item else { continue };
            if declared.content.is_some() || is_for_tests(&declared.attrs) {
                continue;
            }
            let name = declared.ident.to_string();
            let beside = below.join(format!("{name}.rs"));
            let folder = below.join(&name);
            let path = if read(&beside).is_some() { beside } else { folder.join("mod.rs") };
            waiting.push(([&module[..], &[name]].concat(), path, folder));
        }
        let lines = text.lines().count() - lines_of_tests(&syntax);
        files.push(SourceFile { module, path, syntax, lines });
    }
    files.sort_by(|one, other| one.module.cmp(&other.module));
    files
}

/// Whether an item has `#[cfg(test)]` or `#[test]`.
pub(crate) fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg_test = || attribute.parse_args::<syn::Ident>().is_ok_and(|condition| condition == "test");
        attribute.path().is_ident("test") || attribute.path().is_ident("cfg") && is_cfg_test()
    })
}

/// The attributes of an item.
pub(crate) fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn lines_of_tests(syntax: &syn::File) -> usize {
    #[derive(Default)]
    struct Tests(BTreeSet<usize>);
    impl<'s> Visit<'s> for Tests {
        fn visit_item(&mut self, item: &'s syn::Item) {
            if is_for_tests(attributes(item)) {
                self.0.extend(item.span().start().line..=item.span().end().line);
            } else {
                visit::visit_item(self, item);
            }
        }
    }
    let mut tests = Tests::default();
    tests.visit_file(syntax);
    tests.0.len()
}
