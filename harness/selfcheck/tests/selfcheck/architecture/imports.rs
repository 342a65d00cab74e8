//! Which module of a crate imports which, and the cycles among them.
//!
//! A module is a file; modules inside a file belong to it. A path leads to the module in which its item stands, also
//! through re-exports. What the compiler finds by type alone (methods, traits in scope) is not seen.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use super::source::{SourceFile, attributes, is_for_tests};

type Module = Vec<String>;

/// How many re-exports are followed one after another.
const MAX_REEXPORTS: usize = 8;

/// The cycles of a crate, each with the imports that make it.
pub(crate) fn cycles(files: &[SourceFile]) -> Vec<String> {
    let index = Index::new(files);
    let imports: Vec<_> = files.iter().map(|file| index.imports(file)).collect();
    let mut graph = DiGraphMap::<usize, ()>::new();
    let place = |module: &Module| files.iter().position(|file| file.module == *module).unwrap();
    for (from, imports) in imports.iter().enumerate() {
        for to in imports.keys() {
            graph.add_edge(from, place(to), ());
        }
    }
    let mut cycles: Vec<_> = tarjan_scc(&graph).into_iter().filter(|members| members.len() > 1).collect();
    for cycle in &mut cycles {
        cycle.sort_unstable();
    }
    cycles.sort();
    cycles.into_iter().map(|members| said(&members, files, &imports)).collect()
}

fn said(members: &[usize], files: &[SourceFile], imports: &[BTreeMap<Module, BTreeSet<String>>]) -> String {
    let name = |module: &Module| if module.is_empty() { "the root".to_owned() } else { module.join("::") };
    let names: Vec<String> = members.iter().map(|member| name(&files[*member].module)).collect();
    let mut said = format!("a cycle of {}", names.join(", "));
    for from in members {
        let SourceFile { module, path, .. } = &files[*from];
        for (to, paths) in &imports[*from] {
            if members.iter().any(|member| files[*member].module == *to) {
                let paths: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
                let (from, to, paths) = (name(module), name(to), paths.join(", "));
                write!(said, "\n    {from} -> {to} by {paths} in {}", path.display()).unwrap();
            }
        }
    }
    said
}

/// The names that a module has from elsewhere.
#[derive(Default)]
struct Names {
    /// Each name with the path that it stands for.
    imported: BTreeMap<String, Vec<String>>,
    /// The names that others see too.
    reexported: BTreeSet<String>,
    /// What `pub use path::*` re-exports.
    reexported_whole: Vec<Vec<String>>,
    /// The names of its own items.
    defined: BTreeSet<String>,
}

/// The modules of a crate, each with its names.
struct Index(BTreeMap<Module, Names>);

impl Index {
    fn new(files: &[SourceFile]) -> Self {
        let names = |file: &SourceFile| {
            let mut names = Names::default();
            for item in file.syntax.items.iter().filter(|item| !is_for_tests(attributes(item))) {
                let syn::Item::Use(item) = item else {
                    names.defined.extend(defined(item));
                    continue;
                };
                for Imported { path, name } in imported(&item.tree) {
                    let reexported = !matches!(item.vis, syn::Visibility::Inherited);
                    match name {
                        Some(name) => {
                            if reexported {
                                names.reexported.insert(name.clone());
                            }
                            names.imported.insert(name, path);
                        }
                        None if reexported => names.reexported_whole.push(path),
                        None => {}
                    }
                }
            }
            (file.module.clone(), names)
        };
        Self(files.iter().map(names).collect())
    }

    /// The module in which the item of a path stands; `None` outside of the crate.
    fn resolve(&self, from: &[String], path: &[String], depth: usize) -> Option<Module> {
        let (first, rest) = path.split_first()?;
        let mut module = from.to_vec();
        let mut rest = rest;
        match first.as_str() {
            "crate" => module.clear(),
            "self" => {}
            "super" => {
                module.pop()?;
                while let Some(("super", after)) = rest.split_first().map(|(first, after)| (first.as_str(), after)) {
                    module.pop()?;
                    rest = after;
                }
            }
            child if self.0.contains_key(&[from, &[child.to_owned()]].concat()) => module.push(child.to_owned()),
            name => {
                let meant = self.0.get(from)?.imported.get(name)?;
                if depth == 0 || meant.first().is_some_and(|first| first == name) {
                    return None;
                }
                return self.resolve(from, &[meant, rest].concat(), depth - 1);
            }
        }
        while let Some((name, after)) = rest.split_first() {
            let child = [&module[..], std::slice::from_ref(name)].concat();
            if self.0.contains_key(&child) {
                (module, rest) = (child, after);
                continue;
            }
            return Some(self.owner(&module, name, after, depth).unwrap_or(module));
        }
        Some(module)
    }

    /// Where an item stands that a module re-exports.
    fn owner(&self, module: &[String], name: &str, after: &[String], depth: usize) -> Option<Module> {
        let depth = depth.checked_sub(1)?;
        let names = self.0.get(module)?;
        if names.defined.contains(name) {
            return None;
        }
        if names.reexported.contains(name) {
            return self.resolve(module, &[names.imported.get(name)?, after].concat(), depth);
        }
        names.reexported_whole.iter().find_map(|whole| {
            let other = self.resolve(module, whole, depth)?;
            let has = self.0.get(&other)?;
            let has = has.defined.contains(name) || has.reexported.contains(name);
            has.then(|| self.resolve(&other, &[&["self".to_owned(), name.to_owned()], after].concat(), depth)).flatten()
        })
    }

    /// The modules that a file imports, each with the paths that do so.
    fn imports(&self, file: &SourceFile) -> BTreeMap<Module, BTreeSet<String>> {
        let mut imports = Imports { index: self, module: &file.module, inside: 0, found: BTreeMap::new() };
        imports.visit_file(&file.syntax);
        imports.found
    }
}

/// What a `use` brings: a path, and the name that it has here; none for `*`.
struct Imported {
    path: Vec<String>,
    name: Option<String>,
}

fn imported(tree: &syn::UseTree) -> Vec<Imported> {
    match tree {
        syn::UseTree::Path(path) => {
            let mut below = imported(&path.tree);
            for imported in &mut below {
                if imported.path.is_empty() {
                    imported.name = Some(path.ident.to_string());
                }
                imported.path.insert(0, path.ident.to_string());
            }
            below
        }
        syn::UseTree::Name(name) if name.ident == "self" => vec![Imported { path: Vec::new(), name: None }],
        syn::UseTree::Name(name) => {
            let name = name.ident.to_string();
            vec![Imported { path: vec![name.clone()], name: Some(name) }]
        }
        syn::UseTree::Rename(rename) => {
            let path = if rename.ident == "self" { Vec::new() } else { vec![rename.ident.to_string()] };
            vec![Imported { path, name: Some(rename.rename.to_string()) }]
        }
        syn::UseTree::Glob(_) => vec![Imported { path: Vec::new(), name: None }],
        syn::UseTree::Group(group) => group.items.iter().flat_map(imported).collect(),
    }
}

fn defined(item: &syn::Item) -> Option<String> {
    Some(match item {
        syn::Item::Const(item) => item.ident.to_string(),
        syn::Item::Enum(item) => item.ident.to_string(),
        syn::Item::Fn(item) => item.sig.ident.to_string(),
        syn::Item::Mod(item) if item.content.is_some() => item.ident.to_string(),
        syn::Item::Static(item) => item.ident.to_string(),
        syn::Item::Struct(item) => item.ident.to_string(),
        syn::Item::Trait(item) => item.ident.to_string(),
        syn::Item::Type(item) => item.ident.to_string(),
        _ => return None,
    })
}

/// Collects the imports of one file.
struct Imports<'i> {
    index: &'i Index,
    module: &'i Module,
    /// How many inline modules are around what is being looked at.
    inside: usize,
    found: BTreeMap<Module, BTreeSet<String>>,
}

impl Imports<'_> {
    /// Notes what a path leads to, if that is another module and not one `below` that is only re-exported.
    fn note(&mut self, path: &[String], only_reexported: bool) {
        let supers = path.iter().take_while(|segment| *segment == "super").count();
        let as_of_file = match self.inside {
            0 => path.to_vec(),
            // Within the file.
            inside if supers > 0 && supers < inside => return,
            inside if supers > 0 => {
                [&["self".to_owned()], &vec!["super".to_owned(); supers - inside][..], &path[supers..]].concat()
            }
            _ => path.to_vec(),
        };
        // `self::super` is `super`.
        let as_of_file = match &as_of_file[..] {
            [this, rest @ ..] if this == "self" && rest.first().is_some_and(|next| next == "super") => rest.to_vec(),
            _ => as_of_file,
        };
        let Some(to) = self.index.resolve(self.module, &as_of_file, MAX_REEXPORTS) else { return };
        let is_below = to.starts_with(self.module);
        if to != *self.module && !(only_reexported && is_below) {
            self.found.entry(to).or_default().insert(path.join("::"));
        }
    }

    /// Notes the paths among tokens that have no syntax tree: those of macros and attributes.
    fn tokens(&mut self, tokens: TokenStream, texts_are_paths: bool) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) if colons == 2 => path.push(ident.to_string()),
                TokenTree::Ident(ident) => {
                    self.note_longer(&path);
                    path = vec![ident.to_string()];
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() && colons < 2 => {
                    colons += 1;
                    continue;
                }
                TokenTree::Punct(_) => self.note_longer(&std::mem::take(&mut path)),
                TokenTree::Group(group) => {
                    self.note_longer(&std::mem::take(&mut path));
                    self.tokens(group.stream(), texts_are_paths);
                }
                TokenTree::Literal(literal) => {
                    self.note_longer(&std::mem::take(&mut path));
                    let text = syn::parse_str::<syn::LitStr>(&literal.to_string());
                    if let Ok(named) = text.and_then(|text| text.parse::<syn::Path>())
                        && texts_are_paths
                    {
                        self.visit_path(&named);
                    }
                }
            }
            colons = 0;
        }
        self.note_longer(&path);
    }

    fn note_longer(&mut self, path: &[String]) {
        if path.len() > 1 {
            self.note(path, false);
        }
    }
}

impl<'s> Visit<'s> for Imports<'_> {
    fn visit_item(&mut self, item: &'s syn::Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'s syn::ItemMod) {
        self.inside += 1;
        visit::visit_item_mod(self, item);
        self.inside -= 1;
    }

    fn visit_item_use(&mut self, item: &'s syn::ItemUse) {
        let only_reexported = !matches!(item.vis, syn::Visibility::Inherited);
        for Imported { path, .. } in imported(&item.tree) {
            self.note(&path, only_reexported);
        }
    }

    fn visit_path(&mut self, path: &'s syn::Path) {
        if path.leading_colon.is_none() {
            let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            // A single name is imported by a `use`, or it is one that this module re-exports.
            let reexported =
                || self.index.0.get(self.module).is_some_and(|names| names.reexported.contains(&segments[0]));
            if segments.len() > 1 || reexported() {
                self.note(&segments, false);
            }
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, invoked: &'s syn::Macro) {
        self.tokens(invoked.tokens.clone(), false);
    }

    fn visit_attribute(&mut self, attribute: &'s syn::Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            self.tokens(list.tokens.clone(), true);
        }
    }
}
