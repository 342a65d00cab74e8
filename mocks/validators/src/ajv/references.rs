//! References: `getSchemaRefs`, `resolveRef` and `getJsonPointer` of `compile/resolve.ts` and `compile/index.ts`.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::class::{Engine, is_truthy};
use crate::refusal::Refusal;
use crate::uri::{decoded, join, without_fragment};

/// How many references in a row are followed. Ajv follows them until the stack is full.
const CHAIN: u16 = 128;

/// A schema that a function is written for, and the address by which references in it are resolved.
#[derive(Clone, Debug)]
pub(super) struct Env<'s> {
    pub(super) schema: &'s Value,
    pub(super) base: String,
}

/// What references lead to.
#[derive(Debug)]
pub(super) struct References<'s> {
    engine: Engine,
    root: Env<'s>,
    /// Paths by the address of an id or an anchor.
    paths: HashMap<String, String>,
    /// Schemas by an anchor that has no address.
    local: HashMap<String, &'s Value>,
}

impl<'s> References<'s> {
    /// Finds the ids and anchors of a document.
    ///
    /// # Errors
    /// When an id is no text, an anchor is invalid, or two schemas have the same name.
    pub(super) fn new(engine: Engine, schema: &'s Value) -> Result<Self, Refusal> {
        let base = match schema.get("$id") {
            Some(Value::String(id)) => normalized(id).to_owned(),
            Some(id) if is_truthy(id) => return Refusal::schema("$id is no string"),
            Some(_) | None => String::new(),
        };
        let root = Env { schema, base: base.clone() };
        let mut references = Self { engine, root, paths: HashMap::new(), local: HashMap::new() };
        let prefix = format!("{}#", without_fragment(&base).0);
        let mut search = Search { references: &mut references, prefix, seen: HashSet::new() };
        search.walk(schema, String::new(), &base, true)?;
        if !base.is_empty() && !base.starts_with('#') && references.paths.contains_key(&base) {
            return Refusal::schema(format!("schema with key or id \"{base}\" already exists"));
        }
        references.paths.remove(&base);
        Ok(references)
    }

    pub(super) fn root(&self) -> &Env<'s> {
        &self.root
    }

    /// The schema that a reference leads to.
    ///
    /// # Errors
    /// When it leads to nothing, or around in a circle.
    pub(super) fn resolve(&self, base: &str, reference: &str) -> Result<Env<'s>, Refusal> {
        let reference = self.joined(base, reference)?;
        let mut known = reference.as_str();
        while let Some(path) = self.paths.get(known).filter(|path| *path != known) {
            known = path;
        }
        if known == self.root.base {
            return Ok(self.root.clone());
        }
        if let Some(found) = self.document(known, 0)? {
            return Ok(found);
        }
        match self.local.get(&reference) {
            Some(schema) => Ok(Env { schema, base: base.to_owned() }),
            None => Refusal::schema(format!("can't resolve reference {reference} from id {base}")),
        }
    }

    fn joined(&self, base: &str, reference: &str) -> Result<String, Refusal> {
        let joined = join(base, normalized(reference));
        let broken = |rest: &str| !rest.get(..2).is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        if joined.split('%').skip(1).any(broken) {
            return Refusal::schema("URI is malformed");
        }
        Ok(joined)
    }

    /// `resolveSchema`.
    fn document(&self, reference: &str, depth: u16) -> Result<Option<Env<'s>>, Refusal> {
        if depth > CHAIN {
            return Refusal::schema("Maximum call stack size exceeded");
        }
        let (path, fragment) = without_fragment(reference);
        let root_path = without_fragment(&self.root.base).0;
        let is_empty = self.root.schema.as_object().is_some_and(Map::is_empty);
        if !is_empty && path == root_path {
            return self.pointer(fragment, self.root.clone(), depth);
        }
        let Some(known) = self.paths.get(normalized(path)) else { return Ok(None) };
        match self.document(known, depth + 1)? {
            Some(env) if env.schema.is_object() => self.pointer(fragment, env, depth),
            Some(_) | None => Ok(None),
        }
    }

    /// `getJsonPointer`.
    fn pointer(&self, pointer: &str, env: Env<'s>, depth: u16) -> Result<Option<Env<'s>>, Refusal> {
        let Some(pointer) = pointer.strip_prefix('/') else { return Ok(None) };
        let Env { mut schema, mut base } = env;
        for part in pointer.split('/') {
            let Some(name) = decoded(part) else { return Refusal::schema("URI malformed") };
            let name = name.replace("~1", "/").replace("~0", "~");
            let next = match schema {
                Value::Object(members) => members.get(&name),
                Value::Array(items) => name.parse().ok().and_then(|index: usize| items.get(index)),
                Value::Null => return Refusal::schema("Cannot read properties of null"),
                Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
            };
            let Some(next) = next else { return Ok(None) };
            schema = next;
            if schema.is_null() {
                return Refusal::schema("Cannot read properties of null");
            }
            let keeps = ["properties", "patternProperties", "enum", "dependencies", "definitions"].contains(&part);
            if let Some(id) = schema.get("$id").filter(|id| !keeps && is_truthy(id)) {
                base = self.joined(&base, text(id)?)?;
            }
        }
        let mut found = None;
        if let Some(members) = schema.as_object().filter(|members| self.engine.is_mere_reference(members)) {
            let reference = self.joined(&base, text(&members["$ref"])?)?;
            found = self.document(&reference, depth + 1)?;
        }
        let found = found.unwrap_or(Env { schema, base });
        Ok(if std::ptr::eq(found.schema, self.root.schema) { None } else { Some(found) })
    }
}

/// An id or a reference as text.
pub(super) fn text(value: &Value) -> Result<&str, Refusal> {
    value.as_str().map_or_else(|| Refusal::schema("id.replace is not a function"), Ok)
}

/// An address without an empty fragment.
fn normalized(id: &str) -> &str {
    id.strip_suffix("#/").or_else(|| id.strip_suffix('#')).unwrap_or(id)
}

/// The address of a schema with an id.
pub(super) fn rebased(base: &str, id: &Value) -> Result<String, Refusal> {
    Ok(join(base, normalized(text(id)?)))
}

/// The library `json-schema-traverse` with `allKeys`: it takes any object for a schema, except in data.
struct Search<'r, 's> {
    references: &'r mut References<'s>,
    prefix: String,
    seen: HashSet<String>,
}

impl<'s> Search<'_, 's> {
    fn walk(&mut self, schema: &'s Value, pointer: String, base: &str, is_root: bool) -> Result<(), Refusal> {
        let Value::Object(members) = schema else { return Ok(()) };
        let mut base = base.to_owned();
        if !is_root {
            self.names(members, schema, &pointer, &mut base)?;
        }
        for (key, value) in members {
            match value {
                Value::Array(items) if matches!(key.as_str(), "items" | "allOf" | "anyOf" | "oneOf") => {
                    for (index, item) in items.iter().enumerate() {
                        self.walk(item, format!("{pointer}/{key}/{index}"), &base, false)?;
                    }
                }
                Value::Array(_) => {}
                Value::Object(named)
                    if matches!(
                        key.as_str(),
                        "$defs" | "definitions" | "properties" | "patternProperties" | "dependencies"
                    ) =>
                {
                    for (name, schema) in named {
                        let name = name.replace('~', "~0").replace('/', "~1");
                        self.walk(schema, format!("{pointer}/{key}/{name}"), &base, false)?;
                    }
                }
                Value::Object(_) if !matches!(key.as_str(), "default" | "enum" | "const") => {
                    self.walk(value, format!("{pointer}/{key}"), &base, false)?;
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {}
            }
        }
        Ok(())
    }

    fn names(
        &mut self,
        members: &Map<String, Value>,
        schema: &'s Value,
        pointer: &str,
        base: &mut String,
    ) -> Result<(), Refusal> {
        if let Some(Value::String(id)) = members.get("$id") {
            *base = self.add(schema, pointer, base, id)?;
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(Value::String(anchor)) = members.get(keyword) {
                if !is_anchor(anchor) {
                    return Refusal::schema(format!("invalid anchor \"{anchor}\""));
                }
                self.add(schema, pointer, base, &format!("#{anchor}"))?;
            }
        }
        Ok(())
    }

    fn add(&mut self, schema: &'s Value, pointer: &str, base: &str, id: &str) -> Result<String, Refusal> {
        let address = normalized(&if base.is_empty() { id.to_owned() } else { join(base, id) }).to_owned();
        if !self.seen.insert(address.clone()) {
            return Refusal::schema(format!("reference \"{address}\" resolves to more than one schema"));
        }
        let path = format!("{}{pointer}", self.prefix);
        if address != normalized(&path) {
            if address.starts_with('#') {
                self.references.local.insert(address.clone(), schema);
            } else {
                self.references.paths.insert(address.clone(), path);
            }
        }
        Ok(address)
    }
}

fn is_anchor(text: &str) -> bool {
    let mut letters = text.bytes();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && letters.all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
}
