//! Names of the schemas in a document: by `$id`, by anchor and by JSON Pointer.

use std::collections::HashMap;

use mcp_compat_schema::validator::{Draft, Holds, holds};
use serde_json::Value;

/// The places of a document that a reference may name.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    /// JSON Pointers by address, with the name of an anchor as its fragment.
    pointers: HashMap<String, String>,
    /// Address of the document.
    root: String,
    /// Reason for which Ajv refuses the document.
    pub(crate) problem: Option<String>,
    /// Keyword of an id, which draft-04 spells in another way.
    id: &'static str,
    /// True if they are those that Ajv finds.
    by_ajv: bool,
}

impl Addresses {
    /// All places of a document that have a name.
    pub(crate) fn of(schema: &Value, draft: Draft) -> Self {
        Self::found(false, schema, draft)
    }

    /// The places that Ajv finds: it passes over anchors of the root (`compile/resolve.ts`, `getSchemaRefs`), and
    /// json-schema-traverse, which walks schemas for it, has no `prefixItems` (`index.js`, `arrayKeywords`).
    pub(crate) fn of_ajv(schema: &Value, draft: Draft) -> Self {
        Self::found(true, schema, draft)
    }

    fn found(by_ajv: bool, schema: &Value, draft: Draft) -> Self {
        let id = if draft == Draft::Draft4 { "id" } else { "$id" };
        let mut addresses = Self { id, by_ajv, ..Self::default() };
        addresses.root = addresses.base_of(schema, "");
        let root = addresses.root.clone();
        addresses.survey(schema, String::new(), &root);
        addresses
    }

    /// Address by which references in a schema are resolved, within one of another address.
    pub(crate) fn base_of(&self, schema: &Value, base: &str) -> String {
        match schema.get(self.id).and_then(Value::as_str) {
            Some(id) if !id.starts_with('#') => join(base, id.trim_end_matches('#')),
            Some(_) | None => base.to_owned(),
        }
    }

    fn survey(&mut self, schema: &Value, pointer: String, base: &str) {
        let Value::Object(members) = schema else { return };
        let own = self.base_of(schema, base);
        let mut names = Vec::new();
        let has_id = members.get(self.id).and_then(Value::as_str).is_some_and(|id| !id.starts_with('#'));
        if has_id || pointer.is_empty() {
            names.push(own.clone());
        }
        let anchors: &[&str] =
            if self.by_ajv && pointer.is_empty() { &[] } else { &["$anchor", "$dynamicAnchor", self.id] };
        for &keyword in anchors {
            match members.get(keyword).and_then(Value::as_str) {
                Some(name) if keyword != self.id => names.push(format!("{own}#{name}")),
                Some(name) if name.starts_with('#') => names.push(format!("{own}{name}")),
                Some(_) | None => {}
            }
        }
        for name in names {
            if name.split_once('#').is_some_and(|(_, anchor)| !is_anchor(anchor)) {
                self.problem = Some(format!("invalid anchor {name}"));
            }
            if self.pointers.insert(name.clone(), pointer.clone()).is_some() {
                self.problem = Some(format!("reference \"{name}\" resolves to more than one schema"));
            }
        }
        for (keyword, value) in members {
            if self.by_ajv && keyword == "prefixItems" {
                continue;
            }
            let inside = format!("{pointer}/{}", escaped(keyword));
            match (holds(keyword), value) {
                (Holds::NamedSchemas, Value::Object(named)) => {
                    named
                        .iter()
                        .for_each(|(name, schema)| self.survey(schema, format!("{inside}/{}", escaped(name)), &own));
                }
                (Holds::Schema | Holds::Schemas, Value::Array(schemas)) => {
                    schemas
                        .iter()
                        .enumerate()
                        .for_each(|(at, schema)| self.survey(schema, format!("{inside}/{at}"), &own));
                }
                (Holds::Schema, schema) => self.survey(schema, inside, &own),
                _ => {}
            }
        }
    }

    /// JSON Pointer of the schema that a reference names, if the document has it.
    pub(crate) fn resolve(&self, document: &Value, base: &str, reference: &str) -> Option<String> {
        let full = join(base, reference);
        let (address, fragment) = full.split_once('#').unwrap_or((&full, ""));
        let start = self.pointers.get(address).or_else(|| self.pointers.get(&self.root).filter(|_| address.is_empty()));
        if fragment.is_empty() || fragment.starts_with('/') {
            let pointer = format!("{}{}", start?, decoded(fragment)?);
            return document.pointer(&pointer).map(|_| pointer);
        }
        self.pointers.get(&format!("{address}#{fragment}")).cloned()
    }

    /// Address by which references in the schema at a place are resolved.
    pub(crate) fn base_at(&self, document: &Value, pointer: &str) -> String {
        let around = self.base_around(document, pointer);
        document.pointer(pointer).map_or_else(|| around.clone(), |schema| self.base_of(schema, &around))
    }

    /// Address by which the id of the schema at a place is resolved.
    pub(crate) fn base_around(&self, document: &Value, pointer: &str) -> String {
        let ends = pointer.match_indices('/').map(|(end, _)| &pointer[..end]);
        ends.filter_map(|outer| document.pointer(outer)).fold(String::new(), |base, schema| self.base_of(schema, &base))
    }

    /// JSON Pointer of the schema whose address is a base.
    pub(crate) fn resource(&self, base: &str) -> Option<&str> {
        self.pointers.get(base).map(String::as_str)
    }
}

/// Resolves a reference. Paths are joined as far as schemas need it: the last segment is replaced.
fn join(base: &str, reference: &str) -> String {
    let document = base.split('#').next().unwrap_or_default();
    let has_scheme = reference.split_once(':').is_some_and(|(scheme, _)| !scheme.contains(['/', '#', '?']));
    if document.is_empty() || has_scheme {
        return reference.to_owned();
    }
    if reference.is_empty() || reference.starts_with('#') {
        return format!("{document}{reference}");
    }
    let path = document.find("://").map_or(0, |at| {
        let authority = &document[at + 3..];
        document.len() - authority.len() + authority.find('/').unwrap_or(authority.len())
    });
    let (authority, path) = document.split_at(path);
    match path.rfind('/') {
        _ if reference.starts_with('/') => format!("{authority}{reference}"),
        Some(last) => format!("{authority}{}{reference}", &path[..=last]),
        None if authority.is_empty() => reference.to_owned(),
        None => format!("{authority}/{reference}"),
    }
}

/// Returns whether Ajv takes a name for an anchor (`compile/resolve.ts`, `ANCHOR`).
fn is_anchor(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
}

/// A member's name in a JSON Pointer.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Text of a fragment without its escapes. `None` if an escape is broken.
fn decoded(fragment: &str) -> Option<String> {
    let mut pieces = fragment.split('%');
    let mut bytes = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        bytes.push(u8::from_str_radix(piece.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

/// A JSON Pointer as the fragment of a reference.
pub(crate) fn fragment(pointer: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/~$-_.".contains(&byte);
    let written = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    std::iter::once("#".to_owned()).chain(pointer.bytes().map(written)).collect()
}
