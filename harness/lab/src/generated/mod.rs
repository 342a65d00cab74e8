//! Random scenarios from a seed: a tool that declares a schema and returns a value. The same seed gives the same
//! scenarios.
//!
//! ```text
//! seed ─> Keywords (keywords.json) ─ schema ─> outputSchema ┐
//!                                  └ value ──> value        ┴─> Pair ─> Scenario
//! ```
//!
//! They serve to compare a profile with the SDK that it emulates. A value need not be valid: both get the same
//! messages, and both have to do the same.

mod keywords;
mod reduce;
mod schema;

use std::sync::Arc;

use fastrand::Rng;
use mcp_compat_json::Json;
use mcp_compat_model::peer_contract::{BYSTANDER_TOOL, Reply};
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{Revision, ScenarioId};
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{
    BYSTANDER_TEXT, Call, Expect, Means, Purpose, ScenarioStage, SpecStance, Step, Tool,
};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use self::keywords::Keywords;
pub use self::reduce::smaller;

/// Name of the tool in every scenario.
const TOOL: &str = "value";

/// Schema and value; the value may violate the schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The `outputSchema` of the tool; always an object.
    pub schema: Value,
    /// Its `structuredContent`.
    pub value: Value,
}

impl Pair {
    /// Returns the scenario in which a tool declares the schema and returns the value, followed by a call of a second
    /// tool. It may be played at every revision that has structured output, whether the revision allows the two or not.
    pub fn scenario(&self, id: ScenarioId) -> Arc<Scenario> {
        let call = |tool, purpose, means| Step::Call(Call::new(tool, purpose, means, Expect::both(Outcome::Intact)));
        let means = Json::parse(&self.value.to_string()).map_or(Means::Invalid, Means::Value);
        let still_here = Means::Text(BYSTANDER_TEXT.to_owned());
        Arc::new(Scenario {
            id,
            title: format!("{} by {}", self.value, self.schema),
            why: String::new(),
            since: Revision::V2025_06_18,
            sources: Vec::new(),
            spec: SpecStance::Clear,
            stages: vec![ScenarioStage { tools: vec![self.tool()], notified: false }],
            steps: vec![
                Step::List,
                call(TOOL, Purpose::Subject, means),
                call(BYSTANDER_TOOL, Purpose::Bystander, still_here),
            ],
            is_smoke: false,
            page_size: None,
            list: None,
            list_without: Vec::new(),
            answers: Vec::new(),
        })
    }

    fn tool(&self) -> Tool {
        let Self { schema, value } = self;
        let definition = format!(r#"{{"name":"{TOOL}","inputSchema":{{"type":"object"}},"outputSchema":{schema}}}"#);
        let text = Value::from(value.to_string());
        let result = format!(r#"{{"structuredContent":{value},"content":[{{"type":"text","text":{text}}}]}}"#);
        let result = RawValue::from_string(result).unwrap_or_else(|error| unreachable!("JSON in JSON: {error}"));
        Tool::new(TOOL, definition, Reply::Result(result))
    }
}

/// Returns `count` random pairs.
pub fn pairs(seed: u64, count: usize) -> Vec<Pair> {
    let keywords = Keywords::load();
    let mut rng = Rng::with_seed(seed);
    (0..count).map(|_| pair(&keywords, &mut rng)).collect()
}

/// Returns a random pair. Nine of ten schemas are objects with the value in a property, as SDKs make them; the others
/// have the value at the root.
fn pair(keywords: &Keywords, rng: &mut Rng) -> Pair {
    let inner = schema::schema(keywords, rng, 2);
    let value = schema::value(keywords, rng, &inner);
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
