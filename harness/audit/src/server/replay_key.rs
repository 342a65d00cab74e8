//! Of a server with very many tools, those that no client can tell apart are played once, and the others have the outcomes
//! of the one that was played.
//!
//! ```text
//! snapshots of each tool ─ replay key ─> PlayedFor ─┬─ scenarios     what is replayed
//!                                                   └─ add_outcomes  the cells of the others
//! ```
//!
//! Two tools have the same key if they differ only in their name, title and description, and, where a schema asks for
//! types, limits and simple patterns alone and the value conforms to it, in the names of its members, in the patterns, and
//! in the words and numbers of limits and values. What is unusual about a name, a text or a number, such as `constructor`,
//! an empty text, zero or a number of ten digits, is part of the key.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use mcp_compat_inclusion::{Conformance, check};
use mcp_compat_json::{Json, Object};
use mcp_compat_model::ScenarioId;
use mcp_compat_model::record::Record;
use mcp_compat_model::unseen::neutralised;
use mcp_compat_scenario::write::Answer;

use super::judging_time::JudgingTime;
use super::member_names::MemberNames;
use super::observed::ObservedServer;
use super::plain::{is_plain_number, is_plain_text};
use super::replay::ReplayScenarios;
use super::snapshot::ToolSnapshot;

/// Up to how many tools each one is played, whatever its key.
const ALL_ARE_PLAYED: usize = 500;

/// Which tool is played in the place of another.
#[derive(Clone, Debug, Default)]
pub(super) struct PlayedFor(BTreeMap<String, String>);

impl PlayedFor {
    /// Those of a server.
    pub(super) fn of(observed: &ObservedServer, judging: &JudgingTime) -> Self {
        if observed.planned.len() <= ALL_ARE_PLAYED {
            return Self::default();
        }
        let keys = observed.planned.iter().map(|planned| {
            if judging.is_over() {
                return None;
            }
            observed.snapshots.get(&planned.name).and_then(|snapshots| replay_key(snapshots))
        });
        let mut first: HashMap<String, &str> = HashMap::new();
        let mut others = BTreeMap::new();
        for (planned, key) in observed.planned.iter().zip(keys) {
            let Some(key) = key else { continue };
            let played = *first.entry(key).or_insert(&planned.name);
            if played != planned.name {
                others.insert(planned.name.clone(), played.to_owned());
            }
        }
        Self(others)
    }

    /// The tool that is played in the place of this one; `None` if it is played itself.
    pub(super) fn tool(&self, tool: &str) -> Option<&str> {
        self.0.get(tool).map(String::as_str)
    }

    /// The scenarios to replay. `ids` has the scenario of each tool.
    pub(super) fn scenarios(&self, all: &ReplayScenarios, ids: &BTreeMap<String, ScenarioId>) -> ReplayScenarios {
        let left_out: BTreeSet<&ScenarioId> = self.0.keys().filter_map(|tool| ids.get(tool)).collect();
        let mut played = all.clone();
        for of_revision in played.values_mut() {
            of_revision.retain(|scenario| !left_out.contains(&scenario.id));
        }
        played
    }

    /// Adds the cells of the tools that were not played themselves, and sorts all by id.
    pub(super) fn add_outcomes(&self, record: &mut Record, ids: &BTreeMap<String, ScenarioId>) {
        let mut others: HashMap<&ScenarioId, Vec<(&str, &str)>> = HashMap::new();
        for (tool, played) in &self.0 {
            if let Some(id) = ids.get(played) {
                others.entry(id).or_default().push((tool, played));
            }
        }
        let mut added = Vec::new();
        for cell in &record.cells {
            for (tool, played) in others.get(&cell.scenario).into_iter().flatten() {
                let Some(scenario) = ids.get(*tool) else { continue };
                let mut of_other = cell.clone();
                of_other.scenario = scenario.clone();
                of_other.id = of_other.cell().id();
                // The findings and the reason are about the tool that was played, with its name and its values.
                of_other.findings.clear();
                let [played, tool] = [*played, *tool].map(neutralised);
                of_other.reason = format!(
                    "`{tool}` was not played. `{played}`, which differs only in names, words and numbers, was: {}",
                    cell.reason
                );
                added.push(of_other);
            }
        }
        if !added.is_empty() {
            record.cells.extend(added);
            record.cells.sort_by(|one, other| one.id.cmp(&other.id));
        }
    }
}

/// All of a tool that decides how a client treats it, at each revision. `None` if its name or its definition may decide
/// that by itself.
fn replay_key(snapshots: &[ToolSnapshot]) -> Option<String> {
    let mut key = String::new();
    let mut before: Option<&ToolSnapshot> = None;
    for snapshot in snapshots {
        let _ = write!(key, "{} ", snapshot.revision);
        // Most servers say the same at all revisions.
        match before.is_some_and(|before| before.is_alike(snapshot)) {
            true => key.push_str("the same\n"),
            false => add_snapshot(&mut key, snapshot)?,
        }
        before = Some(snapshot);
    }
    Some(key)
}

fn add_snapshot(key: &mut String, snapshot: &ToolSnapshot) -> Option<()> {
    if !is_plain_name(&snapshot.tool.name) {
        return None;
    }
    let definition = Json::parse(&snapshot.tool.definition).ok()?;
    let arguments = snapshot.call.as_ref().and_then(|call| Json::parse(call.arguments.as_deref()?).ok());
    let result = snapshot.result();
    let input = names_of(definition.get("inputSchema"), arguments.as_ref());
    let value = result.as_ref().and_then(|result| result.get("structuredContent"));
    // A value in the text may be tried as structured content: then all of the schema counts.
    let output = match (value, snapshot.hidden_value()) {
        (None, Some(_)) => None,
        (value, _) => names_of(definition.get("outputSchema"), value),
    };
    let schemas = [("inputSchema", &input), ("outputSchema", &output)];
    let schemas = schemas.map(|(key, schema)| (key, schema.as_ref().map(|(_, renamed)| renamed)));
    let described = without_words(definition.as_object().filter(|definition| !definition.has_duplicates())?, &schemas);
    let _ = writeln!(key, "{} {} {}", input.is_some(), output.is_some(), described.to_compact());
    let no_names = MemberNames::default();
    let Some(call) = &snapshot.call else {
        key.push_str("not called\n");
        return Some(());
    };
    key.push_str("called with ");
    match (call.arguments.as_deref(), &input) {
        (None, _) => key.push_str("nothing"),
        (Some(arguments), Some((names, _))) => add_kind(key, &Json::parse(arguments).ok()?, names),
        (Some(arguments), None) => key.push_str(arguments),
    }
    key.push('\n');
    if snapshot.own_validation_error().is_some() {
        key.push_str("and refused by its own server\n");
    }
    match &call.answer {
        Answer::Returns(text) => match Json::parse(text) {
            Ok(Json::Object(result)) if !result.has_duplicates() => {
                // Without a schema, no value is held to anything.
                let is_free = definition.get("outputSchema").is_none();
                add_result(key, &result, output.as_ref().map(|(names, _)| names).or(is_free.then_some(&no_names)));
            }
            Ok(_) | Err(_) => {
                let _ = write!(key, "text {text}");
            }
        },
        Answer::Error(text) => {
            let _ = write!(key, "error {text}");
        }
        Answer::Raw(raw) => {
            let _ = write!(key, "raw {raw:?}");
        }
        Answer::Hang => key.push_str("hangs"),
        Answer::Exit => key.push_str("ends"),
    }
    key.push('\n');
    Some(())
}

/// The names of a schema, and the schema without them; `None` if it says more than types and limits, or the value is not
/// within these.
fn names_of(schema: Option<&Json>, value: Option<&Json>) -> Option<(MemberNames, Json)> {
    let schema = schema?;
    let conforms = || value.is_none_or(|value| matches!(check(schema, value), Conformance::Conforms));
    MemberNames::of_schema(schema).filter(|(names, _)| !names.has_limits || conforms())
}

/// A name that no client has reason to refuse.
fn is_plain_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=64).contains(&name.len()) && name.chars().all(is_plain)
}

/// A tool's definition without what is written for people, and with these schemas in the place of its own. What is no
/// Unicode string stays: clients may refuse it.
fn without_words(definition: &Object, schemas: &[(&str, Option<&Json>)]) -> Json {
    let mut kept = Object::new();
    for (key, value) in definition.iter() {
        let is_words = value.as_str().is_some();
        match (key.as_str(), value) {
            (Some("name" | "title" | "description"), _) if is_words => {}
            (Some("annotations"), Json::Object(annotations)) if !annotations.has_duplicates() => {
                let mut hints = Object::new();
                for (key, value) in annotations.iter() {
                    if key.as_str() != Some("title") || value.as_str().is_none() {
                        hints.push(key.clone(), value.clone());
                    }
                }
                kept.push(key.clone(), Json::Object(hints));
            }
            (_, _) => {
                let renamed = schemas.iter().find(|(of, _)| key.as_str() == Some(of)).and_then(|(_, schema)| *schema);
                kept.push(key.clone(), renamed.unwrap_or(value).clone());
            }
        }
    }
    Json::Object(kept)
}

/// A result. Its names, words and numbers are left out if `names` has those of its schema.
fn add_result(key: &mut String, result: &Object, names: Option<&MemberNames>) {
    let value = result.get("structuredContent");
    key.push_str("result {");
    for (name, member) in result.iter() {
        let _ = write!(key, "{}:", Json::String(name.clone()).to_compact());
        match (name.as_str(), member, names) {
            (Some("structuredContent"), _, Some(names)) => add_kind(key, member, names),
            (Some("content"), Json::Array(blocks), _) => {
                key.push('[');
                for block in blocks {
                    key.push_str(known_block(block, value).unwrap_or(&block.to_compact()));
                    key.push(',');
                }
                key.push(']');
            }
            (_, _, _) => key.push_str(&member.to_compact()),
        }
        key.push(',');
    }
    key.push('}');
}

/// What a block without anything unusual is, beside this structured content: the value as text, or words alone.
fn known_block(block: &Json, value: Option<&Json>) -> Option<&'static str> {
    let block = block.as_object().filter(|block| block.len() == 2)?;
    let is_text = block.get("type").and_then(Json::as_str) == Some("text");
    let text = block.get("text").and_then(Json::as_str).filter(|_| is_text)?;
    match (Json::parse(text), value) {
        (Ok(text), Some(value)) if text == *value => Some("the value"),
        (Err(_), None) if is_plain_text(text) => Some("words alone"),
        (_, _) => None,
    }
}

/// The types of a value, and of its names, words and numbers only what is unusual.
fn add_kind(key: &mut String, value: &Json, names: &MemberNames) {
    match value {
        Json::Object(members) => {
            key.push('{');
            for (name, member) in members.iter() {
                let _ = write!(key, "{}:", Json::String(names.of_value(name)).to_compact());
                add_kind(key, member, names);
                key.push(',');
            }
            key.push('}');
        }
        Json::Array(items) => {
            key.push('[');
            for item in items {
                add_kind(key, item, names);
                key.push(',');
            }
            key.push(']');
        }
        Json::Number(_) if is_plain_number(&value.to_compact()) => key.push_str("number"),
        Json::String(_) if value.as_str().is_some_and(is_plain_text) => key.push_str("word"),
        Json::Number(_) | Json::String(_) | Json::Bool(_) | Json::Null => key.push_str(&value.to_compact()),
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_capture::{CapturedCall, CapturedTool};
    use mcp_compat_model::Revision;
    use rstest::rstest;

    use super::*;
    use crate::server::opening::Opening;

    const NUMBER: &str = r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#;

    fn key_of_definition(name: &str, rest: &str, result: &str) -> Option<String> {
        let call = CapturedCall {
            stage: 0,
            tool: name.to_owned(),
            arguments: None,
            answer: Answer::Returns(result.to_owned()),
        };
        let tool = CapturedTool { name: name.to_owned(), definition: format!(r#"{{"name":"{name}",{rest}}}"#) };
        replay_key(&[ToolSnapshot {
            revision: Revision::NEWEST,
            tool,
            call: Some(call),
            list: None,
            opening: Opening::default(),
        }])
    }

    fn key_of(name: &str, schema: &str, result: &str) -> Option<String> {
        key_of_definition(name, &format!(r#""description":"Reads {name}","outputSchema":{schema}"#), result)
    }

    fn result(value: &str, text: &str) -> String {
        let text = Json::from(text).to_compact();
        format!(r#"{{"content":[{{"type":"text","text":{text}}}],"structuredContent":{value}}}"#)
    }

    #[rstest]
    #[case::another_number(NUMBER, r#"{"n":8}"#, r#"{"n": 8}"#)]
    #[case::a_longer_number(NUMBER, r#"{"n":123456}"#, r#"{"n":123456}"#)]
    #[case::another_name(r#"{"type":"object","properties":{"m":{"type":"integer"}}}"#, r#"{"m":7}"#, r#"{"m":7}"#)]
    #[case::another_description(
        r#"{"type":"object","properties":{"n":{"type":"integer","description":"N"}}}"#,
        r#"{"n":7}"#,
        r#"{"n":7}"#
    )]
    fn tools_of_one_key(#[case] schema: &str, #[case] value: &str, #[case] text: &str) {
        let seven = key_of("a", NUMBER, &result(r#"{"n":7}"#, r#"{"n":7}"#));
        assert!(seven.is_some());
        assert_eq!(key_of("b", schema, &result(value, text)), seven);
    }

    #[rstest]
    #[case::zero(NUMBER, r#"{"n":0}"#, r#"{"n":0}"#)]
    #[case::negative(NUMBER, r#"{"n":-7}"#, r#"{"n":-7}"#)]
    #[case::long(NUMBER, r#"{"n":9007199254740993}"#, r#"{"n":9007199254740993}"#)]
    #[case::another_text(NUMBER, r#"{"n":7}"#, r#"{"n":8}"#)]
    #[case::prose(NUMBER, r#"{"n":7}"#, "seven")]
    #[case::another_type(NUMBER, r#"{"n":"seven"}"#, r#"{"n":"seven"}"#)]
    #[case::a_member_like_the_number_of_one(NUMBER, r##"{"#0":7}"##, r##"{"#0":7}"##)]
    #[case::another_member(NUMBER, r#"{"m":7}"#, r#"{"m":7}"#)]
    #[case::a_special_name(
        r#"{"type":"object","properties":{"result":{"type":"integer"}}}"#,
        r#"{"result":7}"#,
        r#"{"result":7}"#
    )]
    #[case::another_schema(r#"{"type":"object"}"#, r#"{"n":7}"#, r#"{"n":7}"#)]
    fn tools_of_another_key(#[case] schema: &str, #[case] value: &str, #[case] text: &str) {
        let seven = key_of("a", NUMBER, &result(r#"{"n":7}"#, r#"{"n":7}"#));
        assert_ne!(key_of("b", schema, &result(value, text)), seven);
    }

    #[rstest]
    #[case::title(r#""annotations":{"title":"A"}"#, r#""annotations":{"title":"B"}"#, true)]
    #[case::title_that_is_null(r#""annotations":{}"#, r#""annotations":{"title":null}"#, false)]
    #[case::description(r#""description":"A""#, r#""description":"B""#, true)]
    #[case::description_that_is_no_text(r#""description":"A""#, r#""description":"\ud800""#, false)]
    #[case::hint(r#""annotations":{"readOnlyHint":true}"#, r#""annotations":{"readOnlyHint":false}"#, false)]
    fn definitions(#[case] one: &str, #[case] other: &str, #[case] is_one_key: bool) {
        let [one, other] = [("a", one), ("b", other)].map(|(name, rest)| key_of_definition(name, rest, "{}"));
        assert_eq!(one == other, is_one_key, "{one:?}\n{other:?}");
    }

    #[test]
    fn what_is_repeated_or_refused_by_its_own_server_is_another_key() {
        assert_eq!(key_of_definition("a", r#""name":"a""#, "{}"), None);
        let error = |words: &str| format!(r#"{{"isError":true,"content":[{{"type":"text","text":"{words}"}}]}}"#);
        let [plain, refused] =
            ["No such file", "Output validation error"].map(|words| key_of("a", NUMBER, &error(words)));
        assert_ne!(plain, refused);
        assert_ne!(key_of("a", NUMBER, r#"{"isError true x":1}"#), key_of("a", NUMBER, r#"{"isError":true,"x":1}"#));
    }

    #[test]
    fn a_value_that_breaks_a_limit_of_its_schema_is_another_key() {
        let unique = r#"{"type":"array","items":{"type":"integer"},"uniqueItems":true}"#;
        let [twice, once] = ["[7,7]", "[7,8]"].map(|value| key_of("a", unique, &result(value, value)));
        assert_ne!(twice, once);
    }

    #[test]
    fn a_value_in_the_text_alone_may_become_structured_content_so_all_of_the_schema_counts() {
        let [five, nine] = ["5", "9"].map(|most| {
            let limited = format!(r#"{{"type":"object","properties":{{"n":{{"maximum":{most}}}}}}}"#);
            key_of("a", &limited, r#"{"content":[{"type":"text","text":"{\"n\":7}"}]}"#)
        });
        assert!(five.is_some());
        assert_ne!(five, nine);
    }

    #[rstest]
    #[case::within(9, "8", true)]
    #[case::beyond(7, "8", false)]
    #[case::another_type(9, "true", false)]
    fn limits_keep_apart_the_values_that_do_not_conform(#[case] most: u32, #[case] n: &str, #[case] is_one_key: bool) {
        let [seven, other] = [(7, "7"), (most, n)].map(|(most, n)| {
            let value = format!(r#"{{"n":{n}}}"#);
            let limited = format!(r#"{{"type":"object","properties":{{"n":{{"type":"integer","maximum":{most}}}}}}}"#);
            key_of("a", &limited, &result(&value, &value))
        });
        assert_eq!(seven == other, is_one_key, "{seven:?}\n{other:?}");
    }

    #[test]
    fn a_name_that_may_be_refused_has_no_key() {
        assert_eq!(key_of("a b", NUMBER, &result("{}", "{}")), None);
        assert_eq!(key_of(&"a".repeat(65), NUMBER, &result("{}", "{}")), None);
    }
}
