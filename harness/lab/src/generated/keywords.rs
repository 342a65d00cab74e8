//! The keywords of JSON Schema, each with arguments that are usual, at an edge, or wrong.

use std::collections::BTreeMap;

use fastrand::Rng;
use serde::Deserialize;
use serde_json::Value;

/// The types of JSON that a schema can name.
const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "null", "array", "object"];

/// A keyword and the arguments to choose from.
type Choices = BTreeMap<String, Vec<Value>>;

/// What schemas and values are made of; `keywords.json`.
#[derive(Debug, Deserialize)]
pub(super) struct Keywords {
    /// Keywords that say nothing of one type only.
    any: Choices,
    /// Arguments that the meta-schema does not allow.
    malformed: Choices,
    /// Arguments of `$schema`.
    dialects: Vec<Value>,
    values: Vec<Value>,
    /// By type.
    #[serde(flatten)]
    typed: BTreeMap<String, Choices>,
}

impl Keywords {
    pub(super) fn load() -> Self {
        serde_json::from_str(include_str!("keywords.json"))
            .unwrap_or_else(|error| unreachable!("keywords.json is part of this program: {error}"))
    }

    /// The name of a type.
    pub(super) fn any_type(rng: &mut Rng) -> &'static str {
        TYPES[rng.usize(..TYPES.len())]
    }

    /// A keyword for a type, with an argument.
    pub(super) fn of_type(&self, rng: &mut Rng, name: &str) -> Option<(&str, &Value)> {
        choose(rng, self.typed.get(name)?)
    }

    /// A keyword for any type, with an argument.
    pub(super) fn general(&self, rng: &mut Rng) -> Option<(&str, &Value)> {
        choose(rng, &self.any)
    }

    /// A keyword with an argument that it cannot have.
    pub(super) fn malformed(&self, rng: &mut Rng) -> Option<(&str, &Value)> {
        choose(rng, &self.malformed)
    }

    /// An argument of `$schema`.
    pub(super) fn dialect(&self, rng: &mut Rng) -> Value {
        self.dialects[rng.usize(..self.dialects.len())].clone()
    }

    /// A value of no type in particular.
    pub(super) fn value(&self, rng: &mut Rng) -> Value {
        self.values[rng.usize(..self.values.len())].clone()
    }

    /// A value that the condition holds of, if a few tries find one.
    pub(super) fn value_where(&self, rng: &mut Rng, holds: impl Fn(&Value) -> bool) -> Value {
        let fitting: Vec<&Value> = self.values.iter().filter(|value| holds(value)).collect();
        if fitting.is_empty() { self.value(rng) } else { fitting[rng.usize(..fitting.len())].clone() }
    }
}

fn choose<'k>(rng: &mut Rng, choices: &'k Choices) -> Option<(&'k str, &'k Value)> {
    let (keyword, arguments) = choices.iter().nth(rng.usize(..choices.len().max(1)))?;
    Some((keyword, arguments.get(rng.usize(..arguments.len().max(1)))?))
}
