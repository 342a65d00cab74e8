//! Which places of a value are said to be of which format, wherever in the schema that is said.

use std::collections::BTreeSet;

use mcp_compat_json::Json;

/// How many places are looked at.
const MANY: usize = 5_000;

/// How deep they are looked for.
const DEPTH: usize = 64;

/// A step into a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// A property that the schema names.
    Named(String),
    /// Any other one, or an element.
    Any(String),
}

/// The way to a place of a value.
type Way = Vec<Step>;

/// The formats that a schema speaks of.
#[derive(Debug, Default)]
pub(super) struct Formats {
    /// The places of which something is said.
    places: BTreeSet<Way>,
    /// The places of which a format is said.
    said: BTreeSet<(Way, String)>,
}

impl Formats {
    /// Those of a schema; nothing where there are too many places to look at.
    pub(super) fn of(schema: &Json) -> Option<Self> {
        let mut walk = Walk { root: schema, way: Vec::new(), entered: Vec::new(), left: MANY, found: Self::default() };
        walk.schema(schema, 0)?;
        Some(walk.found)
    }

    /// A format that is said here and not in another schema.
    pub(super) fn beyond<'a>(&'a self, other: &Self) -> Option<&'a str> {
        self.said.iter().filter(|said| !other.said.contains(said)).map(|(_, format)| format.as_str()).next()
    }

    /// The same, but for the properties of which the other schema does not speak at all.
    pub(super) fn beyond_where_declared<'a>(&'a self, other: &Self) -> Option<&'a str> {
        let undeclared = |way: &Way| {
            let first = (1..=way.len()).find(|end| !other.places.contains(&way[..*end]));
            first.is_some_and(|end| matches!(way[end - 1], Step::Named(_)))
        };
        self.said
            .iter()
            .filter(|said| !other.said.contains(said))
            .find(|(way, _)| !undeclared(way))
            .map(|(_, format)| format.as_str())
    }
}

struct Walk<'s> {
    root: &'s Json,
    way: Way,
    /// The references that lead to where the walk is.
    entered: Vec<&'s str>,
    left: usize,
    found: Formats,
}

impl<'s> Walk<'s> {
    /// Nothing, where it is too much.
    fn schema(&mut self, schema: &'s Json, depth: usize) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        self.found.places.insert(self.way.clone());
        let Some(object) = schema.as_object() else { return Some(()) };
        if depth > DEPTH {
            return None;
        }
        for (key, value) in object.iter() {
            let key = key.as_str().unwrap_or_default();
            match (key, value) {
                ("format", Json::String(format)) => {
                    self.found.said.insert((self.way.clone(), format.to_string_lossy().into_owned()));
                }
                ("$ref", Json::String(reference)) => self.follow(reference.as_str().unwrap_or_default(), depth)?,
                ("properties", Json::Object(members)) => {
                    for (name, below) in members.iter() {
                        self.step(Step::Named(name.to_string_lossy().into_owned()), below, depth)?;
                    }
                }
                ("patternProperties", Json::Object(members)) => {
                    for (name, below) in members.iter() {
                        self.step(Step::Any(name.to_string_lossy().into_owned()), below, depth)?;
                    }
                }
                ("dependentSchemas" | "dependencies", Json::Object(members)) => {
                    for (_, below) in members.iter() {
                        self.schema(below, depth + 1)?;
                    }
                }
                ("prefixItems" | "items", Json::Array(elements)) => {
                    for (at, below) in elements.iter().enumerate() {
                        self.step(Step::Any(at.to_string()), below, depth)?;
                    }
                }
                ("allOf" | "anyOf" | "oneOf", Json::Array(elements)) => {
                    for below in elements {
                        self.schema(below, depth + 1)?;
                    }
                }
                (
                    "items"
                    | "additionalItems"
                    | "unevaluatedItems"
                    | "contains"
                    | "additionalProperties"
                    | "unevaluatedProperties"
                    | "propertyNames",
                    below,
                ) => self.step(Step::Any(key.to_owned()), below, depth)?,
                ("not" | "if" | "then" | "else", below) => self.schema(below, depth + 1)?,
                _ => {}
            }
        }
        Some(())
    }

    fn step(&mut self, step: Step, below: &'s Json, depth: usize) -> Option<()> {
        self.way.push(step);
        self.schema(below, depth + 1)?;
        self.way.pop();
        Some(())
    }

    /// A reference that leads back to where the walk has come from says nothing new; one by a name that is no pointer is
    /// not followed.
    fn follow(&mut self, reference: &'s str, depth: usize) -> Option<()> {
        let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        if let Some(target) = target.filter(|_| !self.entered.contains(&reference)) {
            self.entered.push(reference);
            self.schema(target, depth + 1)?;
            self.entered.pop();
        }
        Some(())
    }
}
