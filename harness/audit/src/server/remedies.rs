//! Changes that a server's author can make to a tool, applied to a snapshot so that it can be replayed.

use std::sync::Arc;

use mcp_compat_author::capture::sample::placeholder_call;
use mcp_compat_author::capture::{CapturedCall, CapturedTool};
use mcp_compat_json::{Json, Object, Place, map_numbers};
use mcp_compat_judge::rules::{self, Fix, SET_IS_ERROR, renamed_in_definition, renamed_in_result, tells_of_failure};
use mcp_compat_model::audit::AuditFinding;
use mcp_compat_model::{Era, Revision};
use mcp_compat_scenario::write::Answer;
use mcp_compat_schema::inclusion::{Conformance, Schemas, Validity, check, endless_reference, schema_is_valid};

use super::audit_rule::AuditRule;
use super::members::{with_member, without, without_blocks, without_in_definition, without_in_result};
use super::results::{is_error, violates_a_format};
use super::snapshot::ToolSnapshot;
use super::unmarked_failure::marked;
use super::unusable_result::unwrapped;
use super::value_checks::is_beyond_double;

/// Advice for a server that speaks these revisions.
pub(super) fn words(fix: Fix, spoken: &[Revision]) -> &'static str {
    let speaks = |era: Era| spoken.iter().any(|revision| revision.era() == era);
    match fix {
        Fix::CorrectNames => {
            "write the names of members as the specification writes them, such as `isError` and `structuredContent`"
        }
        Fix::MarkError => SET_IS_ERROR,
        Fix::AddTextBlock => "send the value in a text block too, as serialised JSON",
        Fix::CorrectText => "make the text block repeat the value of structuredContent, as serialised JSON",
        Fix::WrapInObject if speaks(Era::Legacy) && speaks(Era::Modern) => {
            "put the value under one key of an object, in the outputSchema and in the result, at least for \
             clients up to 2025-11-25"
        }
        Fix::WrapInObject => "put the value under one key of an object, in the outputSchema and in the result",
        Fix::SendStructuredContent => {
            "return the value as structuredContent, beside the text, and put a list under one key of an object"
        }
        Fix::MatchSchema => "return what the outputSchema declares, or declare what is returned",
        Fix::RemoveEndlessReference => "remove the reference that leads back to itself",
        Fix::OmitSchema => {
            "omit the outputSchema, or declare one that is valid, with ECMA-262 patterns, and refers to no other document"
        }
        Fix::OmitFormats => "send values of the declared format, or remove `format` from the outputSchema",
        Fix::UseDoubles => "send numbers within the range of a double, and others as strings",
        Fix::OmitErrorValue => "omit structuredContent from error results, or make it conform to the outputSchema",
        Fix::OmitNulls => "omit optional members that have no value, instead of sending null",
        // In the words of the rules.
        Fix::CorrectDefinition => {
            "give the members of a tool's definition the types that the schema of the revision defines, or omit them"
        }
        Fix::CorrectOpening => {
            "give the results of `initialize` and `server/discover` every member that the schema requires (`serverInfo` has \
             `name` and `version`), each with the type that it defines, and omit optional members that have no value"
        }
        Fix::CorrectList => "send `_meta` of a list as an object and `nextCursor` as a string, or omit them",
        Fix::CorrectResult => "send `isError` as a boolean and `_meta` as an object, or omit them",
        Fix::CorrectBlocks => "send only content blocks that the schema of the negotiated revision allows",
        Fix::AddContent => "give every result a content array, which may be empty",
        Fix::AddResultType => "put `\"resultType\": \"complete\"` into every result of 2026-07-28",
        Fix::DropSchema => "omit the outputSchema, or declare a simpler one: no smaller change was found",
    }
}

/// The fix for a finding, from the rule of the specification or of the audit that is violated.
pub(super) fn fix_of(finding: &AuditFinding) -> Option<Fix> {
    fix_of_rule(&finding.rule)
}

/// The fix for violations of a rule.
pub(super) fn fix_of_rule(id: &str) -> Option<Fix> {
    match rules::find(id) {
        Some(rule) => rule.fix,
        None => AuditRule::find(id)?.fix,
    }
}

/// The tool with the fix applied. `None` if there is nothing to change.
pub(super) fn applied(fix: Fix, snapshot: &ToolSnapshot) -> Option<ToolSnapshot> {
    let definition = Json::parse(&snapshot.tool.definition).ok()?;
    let result = if snapshot.failure().is_none() { snapshot.result() } else { None };
    match fix {
        Fix::CorrectNames => {
            let renamed = renamed_in_definition(&definition, snapshot.revision);
            let result = snapshot.result().and_then(|result| renamed_in_result(&result, snapshot.revision));
            let changed = renamed.map(|definition| with_definition(snapshot, &definition));
            match result {
                Some(result) => Some(with_result(changed.as_ref().unwrap_or(snapshot), &result)),
                None => changed,
            }
        }
        Fix::MarkError => {
            let result = result.filter(|result| tells_of_failure(result, definition.get("outputSchema")).is_some())?;
            Some(with_result(snapshot, &with_member(&result, "isError", Json::Bool(true))))
        }
        Fix::AddTextBlock => {
            let has_text = snapshot.other_text().is_some() || snapshot.copied_list().is_some();
            if has_text || snapshot.has_null_for_nothing() {
                return None;
            }
            Some(with_result(snapshot, &with_text_block(result?)?))
        }
        Fix::CorrectText => {
            let (text, value) = snapshot.other_text()?;
            Some(with_result(snapshot, &with_text_replaced(&result?, &text, &value)))
        }
        Fix::WrapInObject if snapshot.has_null_for_nothing() => None,
        Fix::WrapInObject => wrapped(snapshot, &definition, result.as_ref()),
        Fix::SendStructuredContent => {
            let value = snapshot.hidden_value()?;
            // A value under another name needs the right name alone.
            let renamed = renamed_in_result(&snapshot.result()?, Revision::NEWEST);
            if renamed.is_some_and(|renamed| renamed.get("structuredContent").is_some()) {
                return None;
            }
            // A whole result as text is no value of the schema.
            let is_result = value.get("content").and_then(Json::as_array).is_some();
            let violates = |schema: &Json| matches!(check(schema, &value), Conformance::Violates { .. });
            if is_result && definition.get("outputSchema").is_some_and(violates) {
                return None;
            }
            // The text of a failure is no value.
            if tells_of_failure(&snapshot.result()?, definition.get("outputSchema")).is_some() {
                return None;
            }
            // Without a declared schema there is no need to send a value that older clients do not accept.
            if snapshot.output_schema().is_none() && value.as_object().is_none() {
                return None;
            }
            Some(with_result(snapshot, &with_member(&result?, "structuredContent", value)))
        }
        Fix::MatchSchema => {
            if !matches!(snapshot.conformance()?, Conformance::Violates { .. }) {
                return None;
            }
            if snapshot.has_null_for_nothing() {
                let Answer::Returns(text) = placeholder_call(&snapshot.tool, 0).answer else { return None };
                return Some(with_result(snapshot, &Json::parse(&text).ok()?));
            }
            // Any schema that describes what is returned will do.
            let declared = object([("type", Json::from(result?.get("structuredContent")?.kind()))]);
            Some(with_definition(snapshot, &with_member(&definition, "outputSchema", declared)))
        }
        Fix::RemoveEndlessReference => {
            let mut schema = definition.get("outputSchema")?.clone();
            let Validity::Endless { .. } = schema_is_valid(&schema) else { return None };
            // Each turn removes a reference at least.
            while let Some(reference) = endless_reference(&schema) {
                schema = without_reference(&schema, &reference);
            }
            Some(with_definition(snapshot, &with_member(&definition, "outputSchema", schema)))
        }
        Fix::OmitSchema => {
            let declared = definition.get("outputSchema")?;
            let useless = !matches!(schema_is_valid(declared), Validity::Valid | Validity::Endless { .. })
                || Schemas::default().outside(declared).is_some();
            useless.then(|| without_schema(snapshot, &definition))
        }
        Fix::OmitFormats => {
            let (schema, value) = snapshot.declared_and_sent()?;
            if !violates_a_format(&schema, &value) {
                return None;
            }
            let changed = with_member(&definition, "outputSchema", without_formats(&schema));
            Some(with_definition(snapshot, &changed))
        }
        Fix::UseDoubles => {
            let Answer::Returns(text) = &snapshot.call.as_ref()?.answer else { return None };
            let largest = |_: &Place<'_>, lexeme: &str| {
                let sign = if lexeme.starts_with('-') { "-" } else { "" };
                is_beyond_double(lexeme).then(|| format!("{sign}{:e}", f64::MAX))
            };
            let changed = map_numbers(text, largest).ok().filter(|changed| changed != text)?;
            Some(with_result(snapshot, &Json::parse(&changed).ok()?))
        }
        Fix::OmitErrorValue => {
            let result = snapshot.result().filter(is_error)?;
            let checked = check(definition.get("outputSchema")?, result.get("structuredContent")?);
            if !matches!(checked, Conformance::Violates { .. }) {
                return None;
            }
            Some(with_result(snapshot, &without(&result, |key, _| key == "structuredContent")))
        }
        Fix::DropSchema => {
            definition.get("outputSchema")?;
            // A value that is missing is not there without a schema either.
            let has_value = result.is_none_or(|result| result.get("structuredContent").is_some());
            has_value.then(|| without_schema(snapshot, &definition))
        }
        Fix::OmitNulls => without_nulls(snapshot, &definition, result.as_ref()),
        Fix::CorrectDefinition => without_in_definition(&definition, snapshot.revision)
            .map(|definition| with_definition(snapshot, &definition)),
        Fix::CorrectOpening => {
            let handshake = snapshot.handshake.corrected()?;
            Some(ToolSnapshot { handshake, ..snapshot.clone() })
        }
        Fix::CorrectList => {
            let list = snapshot.list.as_ref()?.without_wrong(snapshot.revision)?;
            Some(ToolSnapshot { list: Some(Arc::new(list)), ..snapshot.clone() })
        }
        Fix::CorrectResult => {
            without_in_result(result.as_ref()?, snapshot.revision).map(|result| with_result(snapshot, &result))
        }
        Fix::CorrectBlocks => {
            let marked = marked(result.as_ref()?);
            let right = without_blocks(marked.as_ref().or(result.as_ref())?, snapshot.revision);
            right.or(marked).map(|result| with_result(snapshot, &result))
        }
        Fix::AddContent => {
            let result = result.filter(|result| result.get("content").and_then(Json::as_array).is_none())?;
            let changed = unwrapped(&result, snapshot.revision)
                .unwrap_or_else(|| with_member(&result, "content", Json::Array(Vec::new())));
            Some(with_result(snapshot, &changed))
        }
        Fix::AddResultType => with_result_type(snapshot),
    }
}

fn with_text_block(result: Json) -> Option<Json> {
    let value = result.get("structuredContent")?;
    let blocks = result.get("content").and_then(Json::as_array).unwrap_or_default();
    let parses = |block: &Json| {
        let text = block.get("text").and_then(Json::as_str)?;
        Json::parse(text).ok()
    };
    if blocks.iter().any(|block| parses(block).as_ref() == Some(value)) {
        return None;
    }
    let text = object([("type", Json::from("text")), ("text", Json::from(value.to_compact().as_str()))]);
    let blocks = blocks.iter().cloned().chain([text]).collect();
    Some(with_member(&result, "content", Json::Array(blocks)))
}

/// A result in which the text block that parses to `stated` repeats `value` instead.
fn with_text_replaced(result: &Json, stated: &Json, value: &Json) -> Json {
    let blocks = result.get("content").and_then(Json::as_array).unwrap_or_default();
    let replaced = blocks.iter().map(|block| {
        let text = block.get("text").and_then(Json::as_str).and_then(|text| Json::parse(text).ok());
        if text.as_ref() == Some(stated) {
            with_member(block, "text", Json::from(value.to_compact().as_str()))
        } else {
            block.clone()
        }
    });
    with_member(result, "content", Json::Array(replaced.collect()))
}

/// A schema without `format`, wherever the keyword stands. A property of that name stays.
fn without_formats(schema: &Json) -> Json {
    match schema {
        Json::Object(_) => {
            let kept = without(schema, |key, value| key == "format" && matches!(value, Json::String(_)));
            let members = kept.as_object().into_iter().flat_map(Object::iter);
            let members = members.map(|(key, value)| {
                let is_data = matches!(key.as_str(), Some("const" | "enum" | "default" | "examples"));
                (key.clone(), if is_data { value.clone() } else { without_formats(value) })
            });
            Json::Object(members.collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(without_formats).collect()),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => schema.clone(),
    }
}

/// A schema without a reference, wherever it stands.
fn without_reference(schema: &Json, reference: &str) -> Json {
    match schema {
        Json::Object(_) => {
            let kept = without(schema, |key, value| key == "$ref" && value.as_str() == Some(reference));
            let members = kept.as_object().into_iter().flat_map(Object::iter);
            let members = members.map(|(key, value)| (key.clone(), without_reference(value, reference)));
            Json::Object(members.collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(|item| without_reference(item, reference)).collect()),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => schema.clone(),
    }
}

fn without_schema(snapshot: &ToolSnapshot, definition: &Json) -> ToolSnapshot {
    with_definition(snapshot, &without(definition, |key, _| key == "outputSchema"))
}

fn wrapped(snapshot: &ToolSnapshot, definition: &Json, result: Option<&Json>) -> Option<ToolSnapshot> {
    let schema = definition.get("outputSchema").filter(|schema| !schema.is_null());
    let value = result.and_then(|result| result.get("structuredContent"));
    let is_object = |schema: &Json| schema.get("type").and_then(Json::as_str) == Some("object");
    let fits = schema.is_none_or(is_object) && value.is_none_or(|value| value.as_object().is_some());
    if fits || (schema.is_none() && value.is_none()) {
        return None;
    }
    let mut changed = snapshot.clone();
    if let Some(schema) = schema {
        // Definitions that the schema refers to must stay at the root.
        let mut members: Vec<(&str, Json)> = ["$schema", "$defs", "definitions"]
            .into_iter()
            .filter_map(|key| Some((key, schema.get(key)?.clone())))
            .collect();
        let inner = without(schema, |key, _| matches!(key, "$schema" | "$defs" | "definitions"));
        members.push(("type", Json::from("object")));
        members.push(("properties", object([("result", inner)])));
        members.push(("required", Json::Array(vec![Json::from("result")])));
        changed = with_definition(&changed, &with_member(definition, "outputSchema", object(members)));
    }
    if let (Some(result), Some(value)) = (result, value) {
        let wrapped = object([("result", value.clone())]);
        changed = with_result(&changed, &with_member(result, "structuredContent", wrapped));
    }
    Some(changed)
}

/// Without optional members that are null: in the list, the tool, its annotations, its result and the blocks of the result.
fn without_nulls(snapshot: &ToolSnapshot, definition: &Json, result: Option<&Json>) -> Option<ToolSnapshot> {
    let is_value = !snapshot.has_null_for_nothing();
    let is_kept = |key: &str| key == "resultType" || (is_value && key == "structuredContent");
    let dense = |json: &Json| without(json, |key, value| value.is_null() && !is_kept(key));
    let inner = |json: &Json, key: &str| match json.get(key) {
        Some(part @ Json::Object(_)) => with_member(json, key, dense(part)),
        Some(Json::Array(parts)) => {
            let parts = parts.iter().map(|part| if part.as_object().is_some() { dense(part) } else { part.clone() });
            with_member(json, key, Json::Array(parts.collect()))
        }
        Some(_) | None => json.clone(),
    };
    let other = inner(&dense(definition), "annotations");
    let answer = result.map(|result| inner(&dense(result), "content"));
    let list = snapshot.list.as_ref().and_then(|list| list.without_nulls());
    let changed = &other != definition || answer.as_ref() != result || list.is_some();
    changed.then(|| {
        let list = list.map(Arc::new).or_else(|| snapshot.list.clone());
        let snapshot = ToolSnapshot { list, ..with_definition(snapshot, &other) };
        answer.map_or(snapshot.clone(), |answer| with_result(&snapshot, &answer))
    })
}

/// With `resultType` in the list and in the result of the call, where it is missing or null. `None` if both have one.
fn with_result_type(snapshot: &ToolSnapshot) -> Option<ToolSnapshot> {
    let list = snapshot.list.as_ref().and_then(|list| list.with_result_type());
    let is_absent = |call: &CapturedCall| call.without.iter().any(|member| member == "resultType");
    let call = snapshot.call.clone().filter(is_absent).map(|call| CapturedCall { without: Vec::new(), ..call });
    let typed = snapshot.result().filter(|result| result.get("resultType").is_some_and(Json::is_null));
    let typed = typed.map(|result| without(&result, |key, _| key == "resultType"));
    (list.is_some() || call.is_some() || typed.is_some()).then(|| {
        let snapshot = ToolSnapshot {
            list: list.map(Arc::new).or_else(|| snapshot.list.clone()),
            call: call.or_else(|| snapshot.call.clone()),
            ..snapshot.clone()
        };
        typed.map_or(snapshot.clone(), |result| with_result(&snapshot, &result))
    })
}

fn with_definition(snapshot: &ToolSnapshot, definition: &Json) -> ToolSnapshot {
    let tool = CapturedTool { definition: definition.to_compact(), ..snapshot.tool.clone() };
    ToolSnapshot { tool, ..snapshot.clone() }
}

fn with_result(snapshot: &ToolSnapshot, result: &Json) -> ToolSnapshot {
    let answer = Answer::Returns(result.to_compact());
    let call = snapshot.call.clone().map(|call| CapturedCall { answer, ..call });
    ToolSnapshot { call, ..snapshot.clone() }
}

pub(super) fn object<'k>(members: impl IntoIterator<Item = (&'k str, Json)>) -> Json {
    Json::Object(members.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::server::handshake::Handshake;

    #[test]
    fn a_result_gets_the_type_that_it_lacks() {
        let complete = snapshot("", r#"{"content":[]}"#);
        assert!(applied(Fix::AddResultType, &complete).is_none());
        let mut bare = complete.clone();
        bare.call.as_mut().unwrap().without.push("resultType".to_owned());
        assert_eq!(applied(Fix::AddResultType, &bare).unwrap().call, complete.call);
    }

    fn snapshot(rest: &str, result: &str) -> ToolSnapshot {
        ToolSnapshot {
            revision: Revision::V2026_07_28,
            tool: CapturedTool { name: "a".to_owned(), definition: format!(r#"{{"name":"a"{rest}}}"#) },
            call: Some(CapturedCall {
                stage: 0,
                tool: "a".to_owned(),
                arguments: None,
                answer: Answer::Returns(result.to_owned()),
                without: Vec::new(),
            }),
            list: None,
            handshake: Handshake::default(),
        }
    }

    fn after(fix: Fix, rest: &str, result: &str) -> Option<(String, String)> {
        let snapshot = applied(fix, &snapshot(rest, result))?;
        let Answer::Returns(result) = snapshot.call.unwrap().answer else { unreachable!("a result stays one") };
        Some((snapshot.tool.definition, result))
    }

    #[rstest]
    #[case::the_name_of_a_flag(
        Fix::CorrectNames,
        r#","output_schema":{"type":"object"}"#,
        r#"{"is_error":true,"content":[{"type":"text","text":"no"}]}"#,
        r#"{"name":"a","outputSchema":{"type":"object"}}"#,
        r#"{"isError":true,"content":[{"type":"text","text":"no"}]}"#
    )]
    #[case::a_failure_in_words(
        Fix::MarkError,
        "",
        r#"{"content":[{"type":"text","text":"Error: no"}]}"#,
        r#"{"name":"a"}"#,
        r#"{"content":[{"type":"text","text":"Error: no"}],"isError":true}"#
    )]
    #[case::no_endless_reference(
        Fix::RemoveEndlessReference,
        r##","outputSchema":{"properties":{"b":{"$ref":"#/$defs/l"}},"$defs":{"l":{"$ref":"#/$defs/l"}}}"##,
        r#"{"structuredContent":{},"content":[]}"#,
        r#"{"name":"a","outputSchema":{"properties":{"b":{}},"$defs":{"l":{}}}}"#,
        r#"{"structuredContent":{},"content":[]}"#
    )]
    #[case::in_text(
        Fix::AddTextBlock,
        "",
        r#"{"structuredContent":[1.0],"content":[]}"#,
        r#"{"name":"a"}"#,
        r#"{"structuredContent":[1.0],"content":[{"type":"text","text":"[1.0]"}]}"#
    )]
    #[case::in_an_object(
        Fix::WrapInObject,
        r##","outputSchema":{"type":"array","items":{"$ref":"#/$defs/n"},"$defs":{"n":{}}}"##,
        r#"{"structuredContent":[1],"content":[]}"#,
        r##"{"name":"a","outputSchema":{"$defs":{"n":{}},"type":"object","properties":{"result":{"type":"array","items":{"$ref":"#/$defs/n"}}},"required":["result"]}}"##,
        r#"{"structuredContent":{"result":[1]},"content":[]}"#
    )]
    #[case::structured(
        Fix::SendStructuredContent,
        r#","outputSchema":{"type":"object"}"#,
        r#"{"content":[{"type":"text","text":"{\"n\":1}"}]}"#,
        r#"{"name":"a","outputSchema":{"type":"object"}}"#,
        r#"{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}"#
    )]
    #[case::a_schema_that_matches(
        Fix::MatchSchema,
        r#","outputSchema":{"type":"object","required":["n"]}"#,
        r#"{"structuredContent":{},"content":[]}"#,
        r#"{"name":"a","outputSchema":{"type":"object"}}"#,
        r#"{"structuredContent":{},"content":[]}"#
    )]
    #[case::no_schema(
        Fix::OmitSchema,
        r#","outputSchema":{"type":"objekt"}"#,
        r#"{"structuredContent":{},"content":[]}"#,
        r#"{"name":"a"}"#,
        r#"{"structuredContent":{},"content":[]}"#
    )]
    #[case::text_that_repeats(
        Fix::CorrectText,
        "",
        r#"{"structuredContent":{"n":1},"content":[{"type":"text","text":"{\"n\":2}"}]}"#,
        r#"{"name":"a"}"#,
        r#"{"structuredContent":{"n":1},"content":[{"type":"text","text":"{\"n\":1}"}]}"#
    )]
    #[case::no_formats(
        Fix::OmitFormats,
        r#","outputSchema":{"type":"object","properties":{"format":{"type":"string","format":"date"}}}"#,
        r#"{"structuredContent":{"format":"today"},"content":[]}"#,
        r#"{"name":"a","outputSchema":{"type":"object","properties":{"format":{"type":"string"}}}}"#,
        r#"{"structuredContent":{"format":"today"},"content":[]}"#
    )]
    #[case::no_value_of_an_error(
        Fix::OmitErrorValue,
        r#","outputSchema":{"type":"object","required":["n"]}"#,
        r#"{"structuredContent":{},"isError":true,"content":[]}"#,
        r#"{"name":"a","outputSchema":{"type":"object","required":["n"]}}"#,
        r#"{"isError":true,"content":[]}"#
    )]
    #[case::no_nulls(
        Fix::OmitNulls,
        r#","title":null"#,
        r#"{"structuredContent":null,"isError":null,"content":[{"type":"text","text":"","annotations":null}]}"#,
        r#"{"name":"a"}"#,
        r#"{"structuredContent":null,"content":[{"type":"text","text":""}]}"#
    )]
    #[case::no_null_for_a_value_of_the_schema(
        Fix::MatchSchema,
        r#","outputSchema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}"#,
        r#"{"structuredContent":null,"content":[]}"#,
        r#"{"name":"a","outputSchema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}}"#,
        r#"{"structuredContent":{"n":1},"content":[{"type":"text","text":"{\"n\":1}"}]}"#
    )]
    #[case::no_null_but_the_value(
        Fix::OmitNulls,
        r#","title":null,"outputSchema":{"type":"null"}"#,
        r#"{"structuredContent":null,"content":[]}"#,
        r#"{"name":"a","outputSchema":{"type":"null"}}"#,
        r#"{"structuredContent":null,"content":[]}"#
    )]
    #[case::members_of_the_definition(
        Fix::CorrectDefinition,
        r#","description":7,"annotations":{"readOnlyHint":"yes","title":"A"},"icons":[{}],"inputSchema":{"$schema":1}"#,
        r#"{"content":[]}"#,
        r#"{"name":"a","annotations":{"title":"A"},"inputSchema":{}}"#,
        r#"{"content":[]}"#
    )]
    #[case::members_of_the_result(
        Fix::CorrectResult,
        "",
        r#"{"_meta":"x","isError":"false","content":[]}"#,
        r#"{"name":"a"}"#,
        r#"{"content":[]}"#
    )]
    #[case::blocks(
        Fix::CorrectBlocks,
        "",
        r#"{"content":[{"type":"text"},{"type":"text","text":"a"},{"type":"image","data":"?","mimeType":"x"},{"type":"no"}]}"#,
        r#"{"name":"a"}"#,
        r#"{"content":[{"type":"text","text":"a"},{"type":"image","data":"AAAA","mimeType":"x"}]}"#
    )]
    #[case::content(
        Fix::AddContent,
        "",
        r#"{"structuredContent":{}}"#,
        r#"{"name":"a"}"#,
        r#"{"structuredContent":{},"content":[]}"#
    )]
    fn a_remedy_changes_what_is_wrong(
        #[case] fix: Fix,
        #[case] rest: &str,
        #[case] result: &str,
        #[case] definition: &str,
        #[case] changed: &str,
    ) {
        assert_eq!(after(fix, rest, result), Some((definition.to_owned(), changed.to_owned())));
    }

    #[test]
    fn null_is_a_value_since_2026_07_28_and_stands_for_nothing_before() {
        let null = r#"{"structuredContent":null,"content":[]}"#;
        let modern = snapshot("", null);
        assert_eq!(applied(Fix::OmitNulls, &modern).map(drop), None);
        let legacy = ToolSnapshot { revision: Revision::V2025_11_25, ..modern };
        let Answer::Returns(result) = applied(Fix::OmitNulls, &legacy).unwrap().call.unwrap().answer else {
            unreachable!("a result stays one")
        };
        assert_eq!(result, r#"{"content":[]}"#);
    }

    #[test]
    fn a_boolean_schema_of_a_property_becomes_an_object_up_to_2025_11_25() {
        let schemas =
            r#","inputSchema":{"properties":{"a/b":true}},"outputSchema":{"properties":{"n":true,"m":false}}"#;
        let modern = snapshot(schemas, r#"{"content":[]}"#);
        assert_eq!(applied(Fix::CorrectDefinition, &modern).map(drop), None);
        let legacy = ToolSnapshot { revision: Revision::V2025_11_25, ..modern };
        let changed = applied(Fix::CorrectDefinition, &legacy).unwrap().tool.definition;
        let schemas =
            r#""inputSchema":{"properties":{"a/b":{}}},"outputSchema":{"properties":{"n":{},"m":{"not":{}}}}"#;
        assert_eq!(changed, format!(r#"{{"name":"a",{schemas}}}"#));
    }

    #[test]
    fn what_is_right_is_left_alone() {
        let schema = r#","outputSchema":{"type":"object"}"#;
        let result = r#"{"structuredContent":{"n":1},"content":[{"type":"text","text":"{\"n\": 1}"}]}"#;
        // The last resort fits every schema; it is tried only if nothing else frees a client.
        for fix in Fix::ALL.into_iter().filter(|fix| *fix != Fix::DropSchema) {
            assert_eq!(after(fix, schema, result), None, "{fix:?}");
        }
    }
}
