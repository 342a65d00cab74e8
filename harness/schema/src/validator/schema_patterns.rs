//! The patterns of a schema, written for the validator's engine, and restored in violations.

use serde_json::{Map, Value};

use crate::validator::patterns::{PatternDialect, PatternProblem};
use crate::validator::subschemas::each_schema;
use crate::validator::{Violation, ViolationKind};

/// The patterns of a schema as they were, by what is in their place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Originals(Vec<(String, String)>);

/// Returns true if a schema has a pattern anywhere, even in data.
pub(crate) fn has_patterns(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.contains_key("pattern")
                || members.contains_key("patternProperties")
                || members.values().any(has_patterns)
        }
        Value::Array(items) => items.iter().any(has_patterns),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Replaces the patterns of a schema.
///
/// # Errors
/// The first pattern that is invalid, or that the engine cannot run.
pub(crate) fn rewrite(schema: &mut Value, dialect: PatternDialect) -> Result<Originals, Violation> {
    let mut originals = Originals::default();
    each_schema(schema, &mut |pointer, members| {
        if let Some(Value::String(pattern)) = members.get_mut("pattern") {
            let written = translated(dialect, pattern, &format!("{pointer}/pattern"))?;
            originals.add(&written, pattern);
            *pattern = written;
        }
        if let Some(Value::Object(named)) = members.get_mut("patternProperties") {
            let mut renamed = Map::new();
            for (pattern, schema) in std::mem::take(named) {
                let mut written = translated(dialect, &pattern, &property(pointer, &pattern))?;
                // Two patterns may come to the same text, and both apply.
                while renamed.contains_key(&written) {
                    written.push_str("(?:)");
                }
                originals.add(&written, &pattern);
                renamed.insert(written, schema);
            }
            *named = renamed;
        }
        Ok(())
    })?;
    Ok(originals)
}

/// A pattern of a schema that its dialect refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedPattern {
    /// JSON Pointer of its place.
    pub pointer: String,
    pub pattern: String,
    /// Reason for which it is refused.
    pub reason: String,
}

/// The first pattern of a schema that a dialect refuses.
pub fn refused_pattern(schema: &Value, dialect: PatternDialect) -> Option<RefusedPattern> {
    if !has_patterns(schema) {
        return None;
    }
    let refused = |pointer: String, pattern: &str| match dialect.check(pattern) {
        Ok(()) => Ok(()),
        Err(reason) => Err(RefusedPattern { pointer, pattern: pattern.to_owned(), reason }),
    };
    let found = each_schema(&mut schema.clone(), &mut |pointer, members| {
        if let Some(Value::String(pattern)) = members.get("pattern") {
            refused(format!("{pointer}/pattern"), pattern)?;
        }
        if let Some(Value::Object(named)) = members.get("patternProperties") {
            named.keys().try_for_each(|pattern| refused(property(pointer, pattern), pattern))?;
        }
        Ok(())
    });
    found.err()
}

fn property(pointer: &str, pattern: &str) -> String {
    format!("{pointer}/patternProperties/{}", escape(pattern))
}

fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

fn translated(dialect: PatternDialect, pattern: &str, pointer: &str) -> Result<String, Violation> {
    dialect.translate(pattern).map_err(|problem| {
        let (kind, message) = match problem {
            PatternProblem::Invalid(reason) => {
                (ViolationKind::Pattern, format!("{pattern:?} is not {}: {reason}", dialect.about()))
            }
            PatternProblem::Unsupported(reason) => {
                (ViolationKind::PatternUnsupported, format!("{pattern:?} cannot be checked: {reason}"))
            }
        };
        Violation {
            kind,
            instance_pointer: pointer.to_owned(),
            schema_pointer: pointer.to_owned(),
            keyword: "pattern".to_owned(),
            message,
        }
    })
}

impl Originals {
    fn add(&mut self, written: &str, original: &str) {
        if written != original {
            self.0.push((written.to_owned(), original.to_owned()));
        }
    }

    /// A violation in the words of the schema that was given: its location has patterns of `patternProperties` as whole
    /// tokens, and its message ends with a `pattern` in quotes.
    pub(crate) fn restore(&self, violation: Violation) -> Violation {
        let of_token = |token: &str| {
            let original = self.0.iter().find(|(written, _)| escape(written) == token);
            original.map_or_else(|| token.to_owned(), |(_, original)| escape(original))
        };
        let tokens: Vec<String> = violation.schema_pointer.split('/').map(of_token).collect();
        let of_message = |(written, original): &(String, String)| {
            let before = violation.message.strip_suffix(&format!("\"{written}\""))?;
            Some(format!("{before}\"{original}\""))
        };
        let message = self.0.iter().find_map(of_message);
        Violation {
            schema_pointer: tokens.join("/"),
            message: message.unwrap_or_else(|| violation.message.clone()),
            ..violation
        }
    }
}
