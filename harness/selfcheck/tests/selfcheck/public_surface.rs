//! The public surface of the library `mcp-compat`, kept as a snapshot so that a change of it is seen in review.
//!
//! It is read from the sources: the public items of `harness/compat`, and what it re-exports from the other crates of
//! the workspace, without comments and bodies. `cargo public-api` knows more (auto traits, blanket implementations), but
//! reads the JSON of a nightly rustdoc, whose format changes with the compiler.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Fields, ImplItem, Item, ItemImpl, ItemUse, TraitItem, UseTree, Visibility};

use crate::architecture::{SourceFile, is_for_tests, members, read_crate};

#[test]
fn the_public_surface_of_the_library() {
    let workspace = Workspace::read();
    let mut surface = Vec::new();
    workspace.write_module("mcp_compat", &[], &mut surface);
    let text = text_of(&surface);
    assert!(text.contains("pub struct ServerUnderTest") && text.contains("pub fn cargo_bin"), "{text}");
    insta::assert_snapshot!(text.replace(" {}\n", ";\n"));
}

/// The crates of the workspace by the names that code has for them.
struct Workspace(BTreeMap<String, Vec<SourceFile>>);

/// Where something stands: a crate and a module of it.
type Place<'w> = (&'w str, &'w SourceFile);

impl Workspace {
    fn read() -> Self {
        let libraries = members().into_iter().filter(|member| member.folder.join("src/lib.rs").is_file());
        let read = |path: &std::path::Path| std::fs::read_to_string(path).ok();
        let files = |member: &crate::architecture::Member| read_crate(&member.folder.join("src/lib.rs"), &read);
        Self(libraries.map(|member| (member.name.replace('-', "_"), files(&member))).collect())
    }

    fn module<'w>(&'w self, in_crate: &str, module: &[String]) -> Option<Place<'w>> {
        let (name, files) = self.0.get_key_value(in_crate)?;
        files.iter().find(|file| file.module == module).map(|file| (name.as_str(), file))
    }

    /// Writes down the public items of a module.
    fn write_module(&self, in_crate: &str, module: &[String], surface: &mut Vec<Item>) {
        let place = self.module(in_crate, module).unwrap();
        self.write_items(place, module, &place.1.syntax.items, surface);
    }

    fn write_items(&self, place: Place<'_>, module: &[String], items: &[Item], surface: &mut Vec<Item>) {
        let in_crate = place.0;
        // Sorted: the order of declarations is not part of the surface.
        let mut sorted = BTreeMap::new();
        for item in items {
            match item {
                Item::Use(item) if is_public(&item.vis) => {
                    for (path, renamed) in paths(item) {
                        let mut written = Vec::new();
                        self.write_reexported(in_crate, module, &path, &renamed, &mut written);
                        sorted.insert(text_of(&written), written);
                    }
                }
                Item::Mod(item) if is_public(&item.vis) && !is_for_tests(&item.attrs) && item.content.is_none() => {
                    let below = [module, &[item.ident.to_string()]].concat();
                    let mut written = Vec::new();
                    self.write_nested(in_crate, &below, &item.ident.to_string(), &mut written);
                    sorted.insert(text_of(&written), written);
                }
                item => {
                    let mut written = Vec::new();
                    self.write_item(place, item, &mut written);
                    sorted.insert(text_of(&written), written);
                }
            }
        }
        surface.extend(sorted.into_values().flatten());
    }

    /// Writes down a module as one.
    fn write_nested(&self, in_crate: &str, module: &[String], name: &str, surface: &mut Vec<Item>) {
        let mut inner = Vec::new();
        self.write_module(in_crate, module, &mut inner);
        let mut nested: syn::ItemMod = syn::parse_str(&format!("pub mod {name} {{}}")).unwrap();
        nested.content.as_mut().unwrap().1 = inner;
        surface.push(Item::Mod(nested));
    }

    /// Writes down what a path leads to.
    fn write_reexported(
        &self,
        in_crate: &str,
        module: &[String],
        path: &[String],
        renamed: &str,
        surface: &mut Vec<Item>,
    ) {
        let (in_crate, mut at, rest) = match path[0].as_str() {
            "crate" => (in_crate, Vec::new(), &path[1..]),
            "self" => (in_crate, module.to_vec(), &path[1..]),
            "super" => (in_crate, module[..module.len() - 1].to_vec(), &path[1..]),
            other if self.0.contains_key(other) => (other, Vec::new(), &path[1..]),
            child if self.module(in_crate, &[module, &[child.to_owned()]].concat()).is_some() => {
                (in_crate, module.to_vec(), path)
            }
            _ => {
                surface.push(syn::parse_str(&format!("pub use {};", path.join("::"))).unwrap());
                return;
            }
        };
        for (place, name) in rest.iter().enumerate() {
            let child = [&at[..], std::slice::from_ref(name)].concat();
            if self.module(in_crate, &child).is_some() && !(place + 1 == rest.len() && self.has(in_crate, &at, name)) {
                at = child;
                continue;
            }
            assert_eq!(place + 1, rest.len(), "{path:?} leads into an item");
            self.write_named(in_crate, &at, name, surface);
            return;
        }
        self.write_nested(in_crate, &at, renamed, surface);
    }

    /// Whether a module has an item of a name, beside a module.
    fn has(&self, in_crate: &str, module: &[String], name: &str) -> bool {
        let Some((_, file)) = self.module(in_crate, module) else { return false };
        file.syntax.items.iter().any(|item| {
            named(item).is_some_and(|is| is == name)
                || matches!(item, Item::Use(item) if paths(item).iter().any(|(_, renamed)| renamed == name))
        })
    }

    /// Writes down an item of a module, wherever that has it from.
    fn write_named(&self, in_crate: &str, module: &[String], name: &str, surface: &mut Vec<Item>) {
        let place = self.module(in_crate, module).unwrap();
        let items = &place.1.syntax.items;
        if let Some(item) = items.iter().find(|item| named(item).is_some_and(|is| is == name)) {
            return self.write_item(place, item, surface);
        }
        let uses = items.iter().filter_map(|item| if let Item::Use(item) = item { Some(item) } else { None });
        let found = uses.flat_map(paths).find(|(_, renamed)| renamed == name);
        let (path, renamed) = found.unwrap_or_else(|| panic!("no `{name}` in {in_crate}::{}", module.join("::")));
        self.write_reexported(in_crate, module, &path, &renamed, surface);
    }

    /// Writes down an item without what only its module sees, and with its implementations.
    fn write_item(&self, place: Place<'_>, item: &Item, surface: &mut Vec<Item>) {
        let mut item = item.clone();
        let ident = match &mut item {
            Item::Struct(item) if is_public(&item.vis) => {
                keep_attributes(&mut item.attrs);
                hide_private(&mut item.fields);
                Some(item.ident.to_string())
            }
            Item::Enum(item) if is_public(&item.vis) => {
                keep_attributes(&mut item.attrs);
                for variant in &mut item.variants {
                    variant.attrs.clear();
                    variant.fields.iter_mut().for_each(|field| field.attrs.clear());
                }
                Some(item.ident.to_string())
            }
            Item::Trait(item) if is_public(&item.vis) => {
                item.attrs.clear();
                for member in &mut item.items {
                    if let TraitItem::Fn(member) = member {
                        member.attrs.clear();
                        member.default = None;
                    }
                }
                None
            }
            Item::Fn(item) if is_public(&item.vis) => {
                item.attrs.clear();
                item.block.stmts.clear();
                None
            }
            Item::Const(item) if is_public(&item.vis) => {
                item.attrs.clear();
                None
            }
            Item::Type(item) if is_public(&item.vis) => {
                item.attrs.clear();
                None
            }
            Item::Mod(item) if is_public(&item.vis) && !is_for_tests(&item.attrs) => {
                item.attrs.clear();
                let (_, items) = item.content.as_mut().unwrap();
                let inside = std::mem::take(items);
                self.write_items(place, &[], &inside, items);
                None
            }
            _ => return,
        };
        surface.push(item);
        if let Some(ident) = ident {
            surface.extend(self.implementations(place, &ident));
        }
    }

    /// The implementations of a type, as others see them.
    fn implementations(&self, (in_crate, defined_in): Place<'_>, ident: &str) -> Vec<Item> {
        let imports = |file: &SourceFile| {
            let uses = file.syntax.items.iter();
            let uses = uses.filter_map(|item| if let Item::Use(item) = item { Some(item) } else { None });
            uses.flat_map(paths).any(|(_, renamed)| renamed == ident)
        };
        let (mut own, mut of_traits) = (Vec::new(), BTreeSet::new());
        let files = self.0[in_crate].iter().filter(|file| file.module == defined_in.module || imports(file));
        for item in files.flat_map(|file| &file.syntax.items) {
            let Item::Impl(block) = item else { continue };
            if self_type(block).is_none_or(|is| is != ident) || is_for_tests(&block.attrs) {
                continue;
            }
            let mut block = block.clone();
            block.attrs.clear();
            if block.trait_.is_some() {
                block.items.clear();
                of_traits.insert(text_of(&[Item::Impl(block)]));
                continue;
            }
            block.items.retain(|item| match item {
                ImplItem::Fn(item) => is_public(&item.vis) && !is_for_tests(&item.attrs),
                ImplItem::Const(item) => is_public(&item.vis),
                _ => false,
            });
            for item in &mut block.items {
                match item {
                    ImplItem::Fn(item) => {
                        item.attrs.clear();
                        item.block.stmts.clear();
                    }
                    ImplItem::Const(item) => item.attrs.clear(),
                    _ => {}
                }
            }
            if !block.items.is_empty() {
                own.push(Item::Impl(block));
            }
        }
        own.extend(of_traits.iter().map(|text| syn::parse_str(text).unwrap()));
        own
    }
}

/// Items as text that can be parsed again.
fn text_of(items: &[Item]) -> String {
    prettyplease::unparse(&syn::File { shebang: None, attrs: Vec::new(), items: items.to_vec() })
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn keep_attributes(attributes: &mut Vec<syn::Attribute>) {
    attributes.retain(|attribute| attribute.path().is_ident("derive") || attribute.path().is_ident("non_exhaustive"));
}

/// Leaves public fields, and a word for what is private.
fn hide_private(fields: &mut Fields) {
    match fields {
        Fields::Named(named) => {
            let all = named.named.len();
            named.named = std::mem::take(&mut named.named).into_iter().filter(|field| is_public(&field.vis)).collect();
            if named.named.len() < all {
                named.named.push(syn::parse_quote!(private: _));
            }
        }
        Fields::Unnamed(unnamed) => {
            for field in unnamed.unnamed.iter_mut().filter(|field| !is_public(&field.vis)) {
                field.ty = syn::parse_quote!(_);
            }
        }
        Fields::Unit => {}
    }
    fields.iter_mut().for_each(|field| field.attrs.clear());
}

fn named(item: &Item) -> Option<&syn::Ident> {
    match item {
        Item::Const(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Mod(item) if item.content.is_some() => Some(&item.ident),
        Item::Struct(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        _ => None,
    }
}

fn self_type(block: &ItemImpl) -> Option<&syn::Ident> {
    match &*block.self_ty {
        syn::Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        _ => None,
    }
}

/// The paths of a `use`, each with the name that it has here.
fn paths(item: &ItemUse) -> Vec<(Vec<String>, String)> {
    fn below(tree: &UseTree, path: &[String], found: &mut Vec<(Vec<String>, String)>) {
        match tree {
            UseTree::Path(tree) => below(&tree.tree, &[path, &[tree.ident.to_string()]].concat(), found),
            UseTree::Name(name) if name.ident == "self" => found.push((path.to_vec(), path.last().unwrap().clone())),
            UseTree::Name(name) => found.push(([path, &[name.ident.to_string()]].concat(), name.ident.to_string())),
            UseTree::Rename(tree) => {
                found.push(([path, &[tree.ident.to_string()]].concat(), tree.rename.to_string()));
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| below(tree, path, found)),
            UseTree::Glob(_) => {}
        }
    }
    let mut found = Vec::new();
    below(&item.tree, &[], &mut found);
    found
}
