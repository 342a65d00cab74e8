//! A test of the suite as a scenario: a tool with that schema which returns that value.

use mcp_compat_json::Json;
use mcp_compat_model::peer_contract::{BYSTANDER_TOOL, Reply};
use mcp_compat_model::schema_suite::SuiteDraft;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{Revision, ScenarioId};
use serde_json::value::RawValue;

use super::case::SuiteCase;
use super::read::Written;
use crate::scenario::{BYSTANDER_TEXT, Call, Expect, Means, Purpose, Scenario, ScenarioStage, SpecStance, Step, Tool};

/// The tool that every scenario of the suite has.
const TOOL: &str = "value";

/// Where the suite is published.
const SUITE: &str = "https://github.com/json-schema-org/JSON-Schema-Test-Suite/blob/main";

/// The schema as it goes over the wire: an object that names its dialect.
pub(super) fn schema(written: &Written<'_>, draft: SuiteDraft) -> (String, Json) {
    if written.json.get("$schema").is_some() {
        return (written.text.clone(), written.json.clone());
    }
    // The members that follow the opening brace, with the closing one.
    let rest = match written.json.as_bool() {
        Some(true) => "}",
        Some(false) => r#""not":{}}"#,
        None => &written.text[1..],
    };
    let comma = if rest == "}" { "" } else { "," };
    let text = format!(r#"{{"$schema":"{}"{comma}{rest}"#, draft.address());
    let json = Json::parse(&text).unwrap_or_else(|error| unreachable!("a member more made JSON unreadable: {error}"));
    (text, json)
}

/// A scenario in which one tool declares the schema and returns the value, each given as the text of its JSON. It may be
/// played at every revision that has structured output, whether the revision allows the two or not.
#[must_use]
pub fn one_tool(id: ScenarioId, title: String, schema: &str, value: &str) -> Scenario {
    let means = Json::parse(value).map_or(Means::Invalid, Means::Value);
    let call = Call::new(TOOL, Purpose::Subject, means, Expect::both(Outcome::Intact));
    played(id, title, tool(schema, value), call)
}

/// A scenario that lists, calls the tool, and then calls another one that has nothing to do with it.
fn played(id: ScenarioId, title: String, tool: Tool, call: Call) -> Scenario {
    let still_here = Means::Text(BYSTANDER_TEXT.to_owned());
    let bystander = Call::new(BYSTANDER_TOOL, Purpose::Bystander, still_here, Expect::both(Outcome::Intact));
    Scenario {
        id,
        title,
        why: String::new(),
        since: Revision::V2025_06_18,
        sources: Vec::new(),
        spec: SpecStance::Clear,
        stages: vec![ScenarioStage { tools: vec![tool], notified: false }],
        steps: vec![Step::List, Step::Call(call), Step::Call(bystander)],
        is_smoke: false,
        page_size: None,
        list: None,
        list_without: Vec::new(),
        answers: Vec::new(),
    }
}

fn tool(schema: &str, value: &str) -> Tool {
    let definition = format!(r#"{{"name":"{TOOL}","inputSchema":{{"type":"object"}},"outputSchema":{schema}}}"#);
    let text = serde_json::Value::from(value);
    let result = format!(r#"{{"structuredContent":{value},"content":[{{"type":"text","text":{text}}}]}}"#);
    let result = RawValue::from_string(result).unwrap_or_else(|error| unreachable!("JSON in JSON is: {error}"));
    Tool::new(TOOL, definition, Reply::Result(result))
}

impl SuiteCase {
    /// The scenario that plays it.
    #[must_use]
    pub fn scenario(&self) -> Scenario {
        let test = &self.test;
        let means = if test.valid { Means::Value(self.value.clone()) } else { Means::Invalid };
        let (title, why) = (format!("{}: {}: {}", test.keyword, test.group, test.test), self.why());
        let since = if self.is_legacy() { Revision::V2025_06_18 } else { Revision::V2026_07_28 };
        let sources = vec![format!("{SUITE}/{}", test.schema.split('#').next().unwrap_or_default())];
        let call = Call::new(TOOL, Purpose::Subject, means, self.expect());
        let tool = tool(&self.schema_text, &self.value_text);
        Scenario { since, why, sources, ..played(test.scenario.clone(), title, tool, call) }
    }

    /// Whether a legacy session knows such a schema and such a value.
    fn is_legacy(&self) -> bool {
        self.schema.get("type").and_then(Json::as_str) == Some("object") && self.value.as_object().is_some()
    }

    fn expect(&self) -> Expect {
        match (self.test.valid, &self.test.remote) {
            (true, None) if self.is_legacy() => Expect::both(Outcome::Intact),
            (true, None) => Expect { modern: Outcome::Intact, legacy: Outcome::Text },
            (false, None) => Expect::both(Outcome::Caught),
            // Who cannot know may do either.
            (true, Some(_)) => Expect::both(Outcome::Rejected),
            (false, Some(_)) => Expect::both(Outcome::Uncaught),
        }
    }

    fn why(&self) -> String {
        match (self.test.valid, &self.test.remote) {
            (true, None) => {
                "The JSON Schema Test Suite says that this value is valid in this schema. A client that validates returns \
                 it; a client that rejects it is stricter than JSON Schema."
            }
            (false, None) => {
                "The JSON Schema Test Suite says that this value is not valid in this schema. A client that validates \
                 rejects it; a client that returns it is laxer than JSON Schema."
            }
            (_, Some(_)) => {
                "The schema refers to another one that would have to be fetched, which a client may not do by default. \
                 Whether the value is valid cannot be known, so a client may reject it or return it."
            }
        }
        .to_owned()
    }
}
