//! The keywords of JSON Schema, each with arguments that are usual, at an edge, or wrong.

use std::collections::BTreeMap;

use fastrand::Rng;
use serde::Deserialize;
use serde_json::Value;

/// The types of JSON that a schema can name.
const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "null", "array", "object"];

/// A keyword and the arguments to choose from.
type Choices = BTreeMap<String, Vec<Value>>;

/// Content of `keywords.json`, from which schemas and values are made.
#[derive(Debug, Deserialize)]
pub(super) struct Keywords {
    /// Keywords that apply to any type.
    any: Choices,
    /// Arguments that the meta-schema does not allow.
    malformed: Choices,
    /// Arguments of `$schema`.
    dialects: Vec<Value>,
    values: Vec<Value>,
    /// Keywords by type.
    #[serde(flatten)]
    typed: BTreeMap<String, Choices>,
}

impl Keywords {
    pub(super) fn load() -> Self {
        serde_json::from_str(include_str!("keywords.json"))
            .unwrap_or_else(|error| unreachable!("keywords.json is part of this program: {error}"))
    }

    /// Returns the name of a random type.
    pub(super) fn any_type(rng: &mut Rng) -> &'static str {
        TYPES[rng.usize(..TYPES.len())]
    }

    /// Returns a keyword for a type, with an argument.
    pub(super) fn of_type(&self, rng: &mut Rng, name: &str) -> Option<(&str, &Value)> {
        choose(rng, self.typed.get(name)?)
    }

    /// Returns a keyword for any type, with an argument.
    pub(super) fn general(&self, rng: &mut Rng) -> Option<(&str, &Value)> {
        choose(rng, &self.any)
    }

    /// Returns a keyword with an argument that the meta-schema does not allow.
    pub(super) fn malformed(&self, rng: &mut Rng) -> Option<(&str, &Value)> {
        choose(rng, &self.malformed)
    }

    /// Returns an argument of `$schema`.
    pub(super) fn dialect(&self, rng: &mut Rng) -> Value {
        self.dialects[rng.usize(..self.dialects.len())].clone()
    }

    /// Returns a value of any type.
    pub(super) fn value(&self, rng: &mut Rng) -> Value {
        self.values[rng.usize(..self.values.len())].clone()
    }

    /// Returns a value for which the condition holds, or any value if there is none.
    pub(super) fn value_where(&self, rng: &mut Rng, holds: impl Fn(&Value) -> bool) -> Value {
        let fitting: Vec<&Value> = self.values.iter().filter(|value| holds(value)).collect();
        if fitting.is_empty() { self.value(rng) } else { fitting[rng.usize(..fitting.len())].clone() }
    }
}

fn choose<'k>(rng: &mut Rng, choices: &'k Choices) -> Option<(&'k str, &'k Value)> {
    let (keyword, arguments) = choices.iter().nth(rng.usize(..choices.len().max(1)))?;
    Some((keyword, arguments.get(rng.usize(..arguments.len().max(1)))?))
}
