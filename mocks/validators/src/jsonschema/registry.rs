//! References, as the library `referencing` resolves them: documents and anchors by their address.
//!
//! A document is searched for others only when an address is not known.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::LazyLock;

use serde_json::Value;

use super::draft::Draft;
use crate::refusal::Refusal;
use crate::uri::{decoded, join, without_fragment};

/// A schema, and how references in it are found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resource<'s> {
    pub(super) schema: &'s Value,
    draft: Draft,
}

/// The resources of a document, by address; and its anchors, by address and name.
#[derive(Debug, Default)]
struct Crawled<'s> {
    resources: HashMap<String, Resource<'s>>,
    anchors: HashMap<(String, String), (Resource<'s>, bool)>,
}

/// The meta-schemas, which are always known: those of the package `jsonschema_specifications`.
static META_SCHEMAS: LazyLock<HashMap<String, Vec<Value>>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("meta.json"))
        .unwrap_or_else(|error| unreachable!("meta.json is part of this crate: {error}"))
});

static SPECIFICATIONS: LazyLock<Crawled<'static>> = LazyLock::new(|| {
    let mut crawled = Crawled::default();
    for schema in META_SCHEMAS.values().flatten() {
        let draft = schema.get("$schema").and_then(Value::as_str).and_then(Draft::of_address).unwrap_or(Draft::LATEST);
        let resource = Resource { schema, draft };
        if let Ok(Some(id)) = draft.id_of(schema) {
            crawled.resources.insert(id.to_owned(), resource);
        }
        // They are sound.
        let _ = crawled.add(String::new(), resource);
    }
    crawled
});

impl<'s> Crawled<'s> {
    fn add(&mut self, address: String, resource: Resource<'s>) -> Result<(), Refusal> {
        let mut todo = vec![(address, resource)];
        while let Some((mut address, resource)) = todo.pop() {
            let Resource { schema, draft } = resource;
            if let Some(id) = draft.id_of(schema)? {
                address = join(&address, id);
                self.resources.insert(address.clone(), resource);
            }
            for (name, dynamic) in draft.anchors_of(schema)? {
                self.anchors.insert((address.clone(), name.to_owned()), (resource, dynamic));
            }
            for schema in subresources(draft, schema)? {
                let draft = match schema.get("$schema") {
                    Some(Value::String(declared)) => Draft::of_address(declared).unwrap_or(draft),
                    None | Some(Value::Null) => draft,
                    Some(_) => return Refusal::failure("$schema is no string"),
                };
                todo.push((address.clone(), Resource { schema, draft }));
            }
        }
        Ok(())
    }
}

/// The schemas directly in a schema.
fn subresources(draft: Draft, schema: &Value) -> Result<Vec<&Value>, Refusal> {
    let Value::Object(members) = schema else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (keyword, value) in members {
        if draft.in_value(keyword) {
            found.push(value);
        } else if draft.in_items(keyword) || (keyword == "items" && value.is_array() && draft < Draft::D202012) {
            match value {
                Value::Array(schemas) => found.extend(schemas),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                    return Refusal::failure(format!("{keyword} has no items"));
                }
            }
        } else if draft.in_members(keyword) {
            match value {
                Value::Object(named) => found.extend(named.values()),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                    return Refusal::failure(format!("{keyword} has no members"));
                }
            }
        } else if keyword == "items" && draft < Draft::D202012 && !value.is_null() {
            found.push(value);
        } else if keyword == "dependencies" && draft <= Draft::Seven {
            // The first decides whether all are schemas.
            let values: Vec<&Value> = value.as_object().into_iter().flat_map(|named| named.values()).collect();
            if values.first().is_some_and(|first| first.is_object()) {
                found.extend(values);
            }
        } else if draft == Draft::Four && draft.enters(keyword) && value.is_object() {
            found.push(value);
        }
    }
    Ok(found)
}

/// The documents that a validation knows.
#[derive(Debug)]
pub(super) struct Registry<'s> {
    root: Resource<'s>,
    address: String,
    crawled: OnceCell<Result<Crawled<'s>, Refusal>>,
}

/// Where a validation is: the address by which references are resolved, and those it came by.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    address: Rc<str>,
    previous: Option<Rc<Previous>>,
}

#[derive(Debug)]
struct Previous {
    address: Rc<str>,
    before: Option<Rc<Previous>>,
}

/// What a reference led to.
pub(super) struct Resolved<'s> {
    pub(super) schema: &'s Value,
    pub(super) scope: Scope,
}

impl Scope {
    /// The scope of a schema within: its id changes the address.
    pub(super) fn of(&self, draft: Draft, schema: &Value) -> Result<Self, Refusal> {
        Ok(match draft.id_of(schema)? {
            None => self.clone(),
            Some(id) => Self { address: join(&self.address, id).into(), previous: self.previous.clone() },
        })
    }

    fn evolved(&self, address: &str) -> Self {
        let mut previous = self.previous.clone();
        if !self.address.is_empty() && (previous.is_none() || address != &*self.address) {
            previous = Some(Rc::new(Previous { address: self.address.clone(), before: previous }));
        }
        Self { address: address.into(), previous }
    }

    /// The addresses of the dynamic scope, the latest first.
    fn dynamic(&self) -> impl Iterator<Item = &str> {
        let first = self.previous.as_deref();
        std::iter::successors(first, |previous| previous.before.as_deref()).map(|previous| &*previous.address)
    }
}

impl<'s> Registry<'s> {
    /// The registry of a document, and the scope of its root.
    ///
    /// # Errors
    /// When its id is no string.
    pub(super) fn new(draft: Draft, schema: &'s Value) -> Result<(Self, Scope), Refusal> {
        let address = draft.id_of(schema)?.unwrap_or_default().to_owned();
        let scope = Scope { address: address.as_str().into(), previous: None };
        Ok((Self { root: Resource { schema, draft }, address, crawled: OnceCell::new() }, scope))
    }

    fn crawled(&self) -> Result<&Crawled<'s>, Refusal> {
        let crawl = || {
            let mut crawled = Crawled::default();
            crawled.add(self.address.clone(), self.root).map(|()| crawled)
        };
        self.crawled.get_or_init(crawl).as_ref().map_err(Clone::clone)
    }

    fn resource(&self, address: &str) -> Result<Resource<'s>, Refusal> {
        if address == self.address {
            return Ok(self.root);
        }
        if let Some(resource) = SPECIFICATIONS.resources.get(address) {
            return Ok(*resource);
        }
        let known = self.crawled()?.resources.get(address).copied();
        known.ok_or_else(|| Refusal::Schema(format!("there is no document {address}")))
    }

    fn anchor(&self, address: &str, name: &str) -> Result<(Resource<'s>, bool), Refusal> {
        let key = (address.to_owned(), name.to_owned());
        if let Some(found) = SPECIFICATIONS.anchors.get(&key) {
            return Ok(*found);
        }
        let known = self.crawled()?.anchors.get(&key).copied();
        known.ok_or_else(|| Refusal::Schema(format!("there is no anchor {name}")))
    }

    /// Resolves a reference.
    ///
    /// # Errors
    /// When it leads to nothing.
    pub(super) fn lookup(&self, scope: &Scope, reference: &str) -> Result<Resolved<'s>, Refusal> {
        let joined;
        let (address, fragment) = match reference.strip_prefix('#') {
            Some(fragment) => (&*scope.address, fragment),
            None => {
                joined = join(&scope.address, reference);
                without_fragment(&joined)
            }
        };
        let resource = self.resource(address)?;
        let scope = scope.evolved(address);
        if fragment.starts_with('/') {
            return pointer(resource, fragment, scope);
        }
        if fragment.is_empty() {
            return Ok(Resolved { schema: resource.schema, scope });
        }
        let (anchored, dynamic) = self.anchor(address, fragment)?;
        if !dynamic {
            return Ok(Resolved { schema: anchored.schema, scope });
        }
        let mut last = anchored;
        for address in scope.dynamic() {
            if let Ok((resource, true)) = self.anchor(address, fragment) {
                last = resource;
            }
        }
        Ok(Resolved { schema: last.schema, scope: scope.of(last.draft, last.schema)? })
    }

    /// Resolves a `$recursiveRef`, which leads to the outermost of the documents that allow that.
    ///
    /// # Errors
    /// When there is no such document.
    pub(super) fn lookup_recursive(&self, scope: &Scope) -> Result<Resolved<'s>, Refusal> {
        let recursive =
            |schema: &Value| schema.get("$recursiveAnchor").is_some_and(|anchor| *anchor != Value::Bool(false));
        let mut resolved = self.lookup(scope, "#")?;
        if recursive(resolved.schema) {
            for address in scope.dynamic() {
                let next = self.lookup(scope, address)?;
                if !recursive(next.schema) {
                    break;
                }
                resolved = next;
            }
        }
        Ok(resolved)
    }
}

/// Follows a JSON Pointer. Schemas on the way change the scope.
fn pointer<'s>(resource: Resource<'s>, pointer: &str, mut scope: Scope) -> Result<Resolved<'s>, Refusal> {
    let Resource { mut schema, draft } = resource;
    let mut segments: Vec<String> = Vec::new();
    let text = decoded(&pointer[1..]).unwrap_or_else(|| pointer[1..].to_owned());
    for segment in text.split('/') {
        let (segment, next) = match schema {
            Value::Array(items) => (segment.to_owned(), segment.parse().ok().and_then(|index: usize| items.get(index))),
            Value::Object(members) => {
                let name = segment.replace("~1", "/").replace("~0", "~");
                let next = members.get(&name);
                (name, next)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => (segment.to_owned(), None),
        };
        let Some(next) = next else { return Refusal::schema(format!("{pointer} leads to nothing")) };
        schema = next;
        segments.push(segment);
        if enters_schema(draft, &segments, schema) {
            let entered = scope.of(draft, schema)?;
            if entered.address != scope.address {
                segments.clear();
            }
            scope = entered;
        }
    }
    Ok(Resolved { schema, scope })
}

/// Whether the segments of a pointer lead into a schema.
fn enters_schema(draft: Draft, segments: &[String], found: &Value) -> bool {
    let mut segments = segments.iter();
    while let Some(segment) = segments.next() {
        let of_both = segment == "items" || (segment == "dependencies" && draft <= Draft::Seven);
        if of_both && draft < Draft::D202012 && found.is_object() {
            return true;
        }
        let in_child = draft.in_members(segment) || draft.in_items(segment);
        if !draft.enters(segment) && (!in_child || segments.next().is_none()) {
            return false;
        }
    }
    true
}
