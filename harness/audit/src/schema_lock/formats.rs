//! Formats by location of a value, wherever the schema declares them.

use std::collections::BTreeSet;

use mcp_compat_json::Json;

/// Number of locations that are visited.
const MANY: usize = 5_000;

/// Depth up to which a schema is searched.
const DEPTH: usize = 64;

/// A step into a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// A property that the schema names.
    Named(String),
    /// Any other property, or an element.
    Any(String),
}

/// The path to a location of a value.
type Path = Vec<Step>;

#[derive(Debug, Default)]
pub(crate) struct Formats {
    /// The locations that the schema describes.
    places: BTreeSet<Path>,
    /// The locations that have a format.
    said: BTreeSet<(Path, String)>,
}

impl Formats {
    /// Returns the formats of a schema. `None` if it has too many locations to visit.
    pub(crate) fn of(schema: &Json) -> Option<Self> {
        let mut walk = Walk { root: schema, path: Vec::new(), entered: Vec::new(), left: MANY, found: Self::default() };
        walk.schema(schema, 0)?;
        Some(walk.found)
    }

    /// Returns a format that this schema declares and the other does not.
    pub(crate) fn beyond<'a>(&'a self, other: &Self) -> Option<&'a str> {
        self.said.iter().filter(|said| !other.said.contains(said)).map(|(_, format)| format.as_str()).next()
    }

    /// Like [`Formats::beyond`], but ignores properties that the other schema does not declare.
    pub(crate) fn beyond_where_declared<'a>(&'a self, other: &Self) -> Option<&'a str> {
        let undeclared = |path: &Path| {
            let first = (1..=path.len()).find(|end| !other.places.contains(&path[..*end]));
            first.is_some_and(|end| matches!(path[end - 1], Step::Named(_)))
        };
        self.said
            .iter()
            .filter(|said| !other.said.contains(said))
            .find(|(path, _)| !undeclared(path))
            .map(|(_, format)| format.as_str())
    }
}

struct Walk<'s> {
    root: &'s Json,
    path: Path,
    /// The references that lead to where the walk is.
    entered: Vec<&'s str>,
    left: usize,
    found: Formats,
}

impl<'s> Walk<'s> {
    /// Visits a schema. `None` if there is too much to visit.
    fn schema(&mut self, schema: &'s Json, depth: usize) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        self.found.places.insert(self.path.clone());
        let Some(object) = schema.as_object() else { return Some(()) };
        if depth > DEPTH {
            return None;
        }
        for (key, value) in object.iter() {
            let key = key.as_str().unwrap_or_default();
            match (key, value) {
                ("format", Json::String(format)) => {
                    self.found.said.insert((self.path.clone(), format.to_string_lossy().into_owned()));
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
        self.path.push(step);
        self.schema(below, depth + 1)?;
        self.path.pop();
        Some(())
    }

    /// Follows a reference, unless it leads back to a schema that is being visited, or is not a JSON Pointer.
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
