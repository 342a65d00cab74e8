//! Scenarios made by chance from a seed: a tool that declares a schema and returns a value. The same seed gives the same
//! scenarios.
//!
//! ```text
//! seed ─> Keywords (keywords.json) ─ schema ─> outputSchema ┐
//!                                  └ value ──> value        ┴─> Pair ─> Scenario
//! ```
//!
//! They are for comparing a profile with the SDK that it emulates. Whether a value is valid is not asked: both get the
//! same messages, and both have to do the same.

mod keywords;
mod reduce;
mod schema;
mod value;

use std::sync::Arc;

use fastrand::Rng;
use mcp_compat_model::ScenarioId;
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::suite::one_tool;
use serde_json::{Value, json};

use self::keywords::Keywords;
pub use self::reduce::smaller;

/// A schema and a value, not necessarily valid by it.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The `outputSchema` of the tool; always an object.
    pub schema: Value,
    /// Its `structuredContent`.
    pub value: Value,
}

impl Pair {
    /// The scenario in which a tool declares the schema and returns the value.
    #[must_use]
    pub fn scenario(&self, id: ScenarioId) -> Arc<Scenario> {
        let title = format!("{} by {}", self.value, self.schema);
        Arc::new(one_tool(id, title, &self.schema.to_string(), &self.value.to_string()))
    }
}

/// So many pairs of a seed. Of two seeds the pairs have nothing in common but by chance.
#[must_use]
pub fn pairs(seed: u64, count: usize) -> Vec<Pair> {
    let keywords = Keywords::load();
    let mut rng = Rng::with_seed(seed);
    (0..count).map(|_| pair(&keywords, &mut rng)).collect()
}

/// Nine of ten are objects with the value in a property, as SDKs make them; the others have the value at the root.
fn pair(keywords: &Keywords, rng: &mut Rng) -> Pair {
    let inner = schema::schema(keywords, rng, 2);
    let value = value::value(keywords, rng, &inner);
    let (mut schema, value) = if rng.u8(..10) == 0 && inner.is_object() {
        (inner, value)
    } else {
        let root = json!({ "type": "object", "properties": { "value": inner }, "required": ["value"] });
        (root, json!({ "value": value }))
    };
    schema::finish_root(keywords, rng, &mut schema);
    Pair { schema, value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_pairs_and_another_seed_gives_others() {
        assert_eq!(pairs(7, 50), pairs(7, 50));
        assert_ne!(pairs(7, 50), pairs(8, 50));
        assert_eq!(pairs(7, 50), pairs(7, 80)[..50], "more of them begin with the same ones");
    }

    #[test]
    fn a_pair_is_played_as_one_tool() {
        let pair = Pair { schema: json!({ "type": "object" }), value: json!({ "a": 1 }) };
        let scenario = pair.scenario(ScenarioId::new("generated/pair").unwrap());
        let tool = &scenario.stages[0].tools[0];
        assert_eq!(
            tool.definition,
            r#"{"name":"value","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}"#
        );
    }

    #[test]
    fn every_kind_of_schema_comes_up() {
        let text: String = pairs(1, 2_000).iter().map(|pair| pair.schema.to_string()).collect();
        for part in
            ["\"pattern\"", "\"$ref\"", "\"strng\"", "\"unevaluatedProperties\"", "draft-07", "\"oneOf\"", "\"$defs\""]
        {
            assert!(text.contains(part), "{part}");
        }
    }
}
