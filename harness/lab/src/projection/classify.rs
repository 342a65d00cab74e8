//! Classifies what a server sent for one input. Pure functions of a scenario and its evidence.

use std::collections::BTreeMap;

use mcp_compat_json::Json;
use mcp_compat_judge::facts::Facts;
use mcp_compat_judge::outcome::{told_in_text, wraps};
use mcp_compat_judge::wire::exchange::Answer;
use mcp_compat_model::Role;
use mcp_compat_model::observation::End;
use mcp_compat_model::projection::{Projection, SentSchema, SentValue};
use mcp_compat_model::record::Evidence;
use mcp_compat_model::tool::{ToolDefinition, ToolResult, root_type};
use mcp_compat_reports::text::clipped;
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::Means;
use mcp_compat_schema::inclusion::Schemas;

/// Longest text of an error or a reason that is kept.
const WORDS: usize = 200;

/// Returns what the server sent for the only tool of a scenario; `None` if the messages do not show it.
pub(super) fn projection(scenario: &Scenario, evidence: &Evidence) -> Option<Projection> {
    if let End::Unsupported { by: Role::Server, reason } = &evidence.observation.end {
        // Warnings of its language come first.
        return Some(Projection::Refused(clipped(reason.trim().lines().last().unwrap_or_default(), WORDS)));
    }
    let schemas = Schemas::default();
    let facts = Facts::gather(scenario, &evidence.cell, &evidence.transcript, &evidence.observation, &schemas);
    let error = |answer| match answer {
        Answer::Error(at) => Some(clipped(facts.messages[at].error_message().unwrap_or_default(), WORDS)),
        Answer::Result(_) | Answer::Unreadable(_) | Answer::Status { .. } | Answer::None => None,
    };
    let lists = || facts.exchanges_of("tools/list").map(|(_, exchange)| exchange.answer);
    if !lists().any(|answer| matches!(answer, Answer::Result(_))) {
        return lists().find_map(error).map(Projection::ListFails);
    }
    let tool = scenario.stages.first()?.tools.first()?;
    let declared = Json::parse(&tool.definition).ok()?;
    let mut listed = facts.listings.iter().filter_map(|listing| facts.definition(*listing));
    let listed = listed.find(|definition| definition.name() == Some(tool.name.as_str()));
    let call = facts.calls.iter().find(|call| call.call.tool == tool.name)?;
    let Means::Value(returned) = &call.call.means else { return None };
    let value = match call.exchange?.answer {
        Answer::Result(_) => value(returned, ToolResult::new(facts.result_of_call(call)?.1)),
        answer @ (Answer::Error(_) | Answer::Unreadable(_) | Answer::Status { .. } | Answer::None) => {
            SentValue::Error(error(answer)?)
        }
    };
    let is_typed = evidence.cell.server.flavour().is_some();
    Some(Projection::Sent { schema: schema(ToolDefinition::new(&declared), listed, is_typed), value })
}

/// Classifies the output schema of a listed tool by the declared one, which is not of objects by its root type. A typed API makes
/// its schema of types: the root alone is compared.
fn schema(declared: ToolDefinition<'_>, listed: Option<ToolDefinition<'_>>, is_typed: bool) -> SentSchema {
    let Some(listed) = listed else { return SentSchema::ToolOmitted };
    let Some(sent) = listed.output_schema() else { return SentSchema::Omitted };
    if root_type(sent) != Some("object") {
        let is_raw = declared.output_schema().is_some_and(|schema| {
            if is_typed { has_root_of(schema, sent) } else { without_dialect(schema) == without_dialect(sent) }
        });
        return if is_raw { SentSchema::Raw } else { SentSchema::Changed };
    }
    let is_declared = |key: &str| {
        let properties = declared.output_schema().and_then(|schema| schema.get("properties"));
        properties.is_some_and(|properties| properties.get(key).is_some())
    };
    let properties = sent.get("properties").and_then(Json::as_object);
    let mut keys = properties.into_iter().flat_map(|properties| properties.iter()).map(|(key, _)| key.as_str());
    match (keys.next().flatten(), keys.next()) {
        (Some(key), None) if !is_declared(key) => SentSchema::Wrapped(key.to_owned()),
        _ => SentSchema::ObjectRoot,
    }
}

/// Members of a schema in the order of their names, apart from `$schema`.
fn without_dialect(schema: &Json) -> BTreeMap<&str, &Json> {
    let members = schema.as_object().into_iter().flat_map(|members| members.iter());
    members.filter_map(|(key, member)| Some((key.as_str()?, member))).filter(|(key, _)| *key != "$schema").collect()
}

/// Returns true if a schema says something, and its root has no other type than the declared one.
fn has_root_of(declared: &Json, sent: &Json) -> bool {
    !without_dialect(sent).is_empty() && sent.get("type").is_none_or(|of_root| declared.get("type") == Some(of_root))
}

/// Classifies the result of a call by the value that the tool returned.
fn value(returned: &Json, result: ToolResult<'_>) -> SentValue {
    if result.is_error() {
        return SentValue::ErrorResult(clipped(result.texts().next().unwrap_or_default(), WORDS));
    }
    if let Some(sent) = result.structured_content() {
        if returned.is_kept_in(sent) {
            return SentValue::Raw;
        }
        let mut keys = sent.as_object().into_iter().flat_map(|object| object.iter());
        return match keys.next().and_then(|(key, _)| key.as_str()) {
            Some(key) if wraps(sent, returned) => SentValue::Wrapped(key.to_owned()),
            _ => SentValue::Changed,
        };
    }
    let is_value = |text: &&str| Json::parse(text).is_ok_and(|json| returned.is_kept_in(&json));
    let other = result.texts().find(|text| !is_value(text));
    match (told_in_text(returned, result.content()), other) {
        (false, _) => SentValue::Nothing,
        (true, Some(message)) if result.texts().any(|text| is_value(&text)) => {
            SentValue::TextWithMessage(clipped(message, WORDS))
        }
        (true, _) => SentValue::Text,
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::Cell;
    use mcp_compat_model::CellId;
    use mcp_compat_model::observation::Observation;
    use mcp_compat_model::transcript::{Entry, Event, Raw, Transcript};

    use super::*;
    use crate::projection::inputs;

    const ARRAY: &str = r#"[{"id":"u1"},{"id":"u2"}]"#;

    fn schema_of(declared: &str, listed: Option<&str>) -> SentSchema {
        let tool = |schema: &str| Json::parse(&format!(r#"{{"name":"t"{schema}}}"#)).unwrap();
        let declared = tool(&format!(r#","outputSchema":{declared}"#));
        let listed = listed.map(tool);
        schema(ToolDefinition::new(&declared), listed.as_ref().map(ToolDefinition::new), false)
    }

    #[test]
    fn another_schema_without_a_root_of_objects_is_changed() {
        let declared = Json::parse(r#"{"outputSchema":{"type":"array","items":{"type":"string"}}}"#).unwrap();
        let sent = |schema: &str, is_typed| {
            let listed = Json::parse(&format!(r#"{{"outputSchema":{schema}}}"#)).unwrap();
            super::schema(ToolDefinition::new(&declared), Some(ToolDefinition::new(&listed)), is_typed)
        };
        for schema in ["{}", r#"{"$schema":"https://x"}"#, r#"{"type":["object","null"]}"#] {
            assert_eq!(
                [true, false].map(|is_typed| sent(schema, is_typed)),
                [SentSchema::Changed, SentSchema::Changed]
            );
        }
        let described = r#"{"type":"array","items":{"type":"string","title":"Name"}}"#;
        assert_eq!(sent(described, false), SentSchema::Changed);
        assert_eq!(sent(described, true), SentSchema::Raw, "made of types");
    }

    #[test]
    fn a_schema_is_raw_unless_its_root_is_of_objects() {
        let union = r#"{"anyOf":[{"type":"object"}]}"#;
        let sent = |schema: &str| schema_of(union, Some(&format!(r#","outputSchema":{schema}"#)));
        assert_eq!(sent(union), SentSchema::Raw);
        assert_eq!(sent(r#"{"$schema":"https://x","anyOf":[{"type":"object"}]}"#), SentSchema::Raw);
        assert_eq!(sent(r#"{"type":"object","anyOf":[{"type":"object"}]}"#), SentSchema::ObjectRoot);
        let wrapped = r#"{"type":"object","properties":{"result":{"anyOf":[]}},"required":["result"]}"#;
        assert_eq!(sent(wrapped), SentSchema::Wrapped("result".to_owned()));
        let two = r#"{"type":"object","properties":{"result":{},"type":{}}}"#;
        assert_eq!(sent(two), SentSchema::ObjectRoot);
        assert_eq!(schema_of(union, Some("")), SentSchema::Omitted);
        assert_eq!(schema_of(union, None), SentSchema::ToolOmitted);
    }

    #[test]
    fn the_only_property_of_an_object_is_no_wrapper_of_it() {
        let declared = r#"{"properties":{"temperature":{}}}"#;
        let sent = |schema: &str| schema_of(declared, Some(&format!(r#","outputSchema":{schema}"#)));
        assert_eq!(sent(r#"{"type":"object","properties":{"temperature":{}}}"#), SentSchema::ObjectRoot);
        let wrapped = r#"{"type":"object","properties":{"value":{"properties":{"temperature":{}}}}}"#;
        assert_eq!(sent(wrapped), SentSchema::Wrapped("value".to_owned()));
    }

    fn value_of(returned: &str, result: &str) -> SentValue {
        let result = Json::parse(&format!("{{{result}}}")).unwrap();
        value(&Json::parse(returned).unwrap(), ToolResult::new(&result))
    }

    fn text(text: &str) -> String {
        format!(r#"{{"type":"text","text":{}}}"#, serde_json::to_string(text).unwrap())
    }

    #[test]
    fn structured_content_is_the_value_or_holds_it_alone_or_is_another() {
        let sent =
            |returned: &str, structured: &str| value_of(returned, &format!(r#""structuredContent":{structured}"#));
        assert_eq!(sent(ARRAY, r#"[{"id":"u1"},{"id":"u2"}]"#), SentValue::Raw);
        assert_eq!(sent("null", "null"), SentValue::Raw);
        assert_eq!(sent("null", r#"{"result":null}"#), SentValue::Wrapped("result".to_owned()));
        assert_eq!(sent(ARRAY, &format!(r#"{{"items":{ARRAY}}}"#)), SentValue::Wrapped("items".to_owned()));
        assert_eq!(sent(ARRAY, &format!(r#"{{"items":{ARRAY},"total":2}}"#)), SentValue::Changed);
        assert_eq!(sent(ARRAY, r#"[{"id":"u1"}]"#), SentValue::Changed);
        assert_eq!(sent("null", "{}"), SentValue::Changed);
    }

    #[test]
    fn without_structured_content_the_text_counts() {
        let sent = |returned: &str, blocks: &[&str]| {
            let blocks: Vec<String> = blocks.iter().map(|block| text(block)).collect();
            value_of(returned, &format!(r#""content":[{}]"#, blocks.join(",")))
        };
        assert_eq!(sent(ARRAY, &[ARRAY]), SentValue::Text);
        assert_eq!(sent(ARRAY, &[r#"{"id":"u1"}"#, r#"{"id":"u2"}"#]), SentValue::Text, "a block an item");
        assert_eq!(sent("null", &["null"]), SentValue::Text);
        let warning = "The client is too old.";
        assert_eq!(sent(ARRAY, &[ARRAY, warning]), SentValue::TextWithMessage(warning.to_owned()));
        assert_eq!(sent(ARRAY, &[warning, ARRAY]), SentValue::TextWithMessage(warning.to_owned()));
        assert_eq!(sent(ARRAY, &[warning]), SentValue::Nothing);
        assert_eq!(sent("null", &[]), SentValue::Nothing);
    }

    #[test]
    fn an_error_is_one_whatever_else_the_result_has() {
        let words = text("no array");
        let error = format!(r#""structuredContent":{ARRAY},"content":[{words}],"isError":true"#);
        assert_eq!(value_of(ARRAY, &error), SentValue::ErrorResult("no array".to_owned()));
        let success = error.replace("true", "false");
        assert_eq!(value_of(ARRAY, &success), SentValue::Raw);
    }

    /// The projection of the array, with these answers of the server to `tools/list` and `tools/call`.
    fn played(list: &str, call: &str) -> Option<Projection> {
        let messages = [
            (Role::Client, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned()),
            (Role::Server, format!(r#"{{"jsonrpc":"2.0","id":1,{list}}}"#)),
            (
                Role::Client,
                r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_users"}}"#.to_owned(),
            ),
            (Role::Server, format!(r#"{{"jsonrpc":"2.0","id":2,{call}}}"#)),
        ];
        let entry = |(seq, (from, text)): (u32, (Role, String))| Entry {
            seq,
            at_us: 0,
            from,
            event: Event::Message { raw: Raw::Text(text), http: None },
        };
        let transcript = Transcript { entries: (0..).zip(messages).map(entry).collect() };
        of(transcript, End::Answered {})
    }

    fn of(transcript: Transcript, end: End) -> Option<Projection> {
        let array = inputs().unwrap().into_iter().find(|(input, _)| input.as_str() == "array").unwrap().1;
        let cell = format!("{}::mock/dual+legacy::go@1.8.0::stdio", array.id);
        let cell: Cell = CellId::parse(&cell).unwrap();
        let observation = Observation { negotiated: None, steps: Vec::new(), end };
        projection(&array, &Evidence::kept(cell, transcript, observation))
    }

    const TOOLS: &str = r#""result":{"tools":[{"name":"list_users","inputSchema":{}}]}"#;

    #[test]
    fn list_and_call_are_read_off_the_wire() {
        let result = format!(r#""result":{{"structuredContent":{ARRAY}}}"#);
        let sent = |schema, value| Some(Projection::Sent { schema, value });
        assert_eq!(played(TOOLS, &result), sent(SentSchema::Omitted, SentValue::Raw));
        let no_tool = r#""result":{"tools":[]}"#;
        assert_eq!(played(no_tool, &result), sent(SentSchema::ToolOmitted, SentValue::Raw));
        let error = r#""error":{"code":-32603,"message":"invalid"}"#;
        assert_eq!(played(TOOLS, error), sent(SentSchema::Omitted, SentValue::Error("invalid".to_owned())));
        assert_eq!(played(error, error), Some(Projection::ListFails("invalid".to_owned())));
    }

    #[test]
    fn an_api_that_refuses_is_told_apart_from_a_session_that_shows_nothing() {
        let end = End::Unsupported { by: Role::Server, reason: "a deprecation\nno arrays\n".to_owned() };
        assert_eq!(of(Transcript::default(), end), Some(Projection::Refused("no arrays".to_owned())));
        let by_client = End::Unsupported { by: Role::Client, reason: "no arrays".to_owned() };
        assert_eq!(of(Transcript::default(), by_client), None);
        assert_eq!(of(Transcript::default(), End::Answered {}), None);
    }
}
