//! Of a server with very many tools, one of each shape is played to the clients, and the others of that shape have its
//! outcomes.
//!
//! ```text
//! snapshots of each tool ─ shape ─> PlayedFor ─┬─ scenarios     what is replayed
//!                                              └─ add_outcomes  the cells of the others
//! ```
//!
//! Two tools have the same shape if no client can treat them differently: they differ in their name, title and
//! description, and in the words and numbers of results whose schema asks for types alone. What is unusual about a value,
//! such as zero, an empty text or a number of ten digits, is part of the shape.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use mcp_compat_json::{Json, Object};
use mcp_compat_model::ScenarioId;
use mcp_compat_model::record::Record;
use mcp_compat_model::unseen::neutralised;
use mcp_compat_parallel::in_parallel;
use mcp_compat_scenario::write::Answer;

use super::observed::{ObservedServer, TOOLS_WORTH_A_THREAD};
use super::replay::ReplayScenarios;
use super::snapshot::ToolSnapshot;

/// Up to how many tools each one is played, whatever its shape.
const ALL_ARE_PLAYED: usize = 500;

/// Which tool is played in the place of another.
#[derive(Clone, Debug, Default)]
pub(super) struct PlayedFor(BTreeMap<String, String>);

impl PlayedFor {
    /// Those of a server.
    pub(super) fn of(observed: &ObservedServer) -> Self {
        if observed.planned.len() <= ALL_ARE_PLAYED {
            return Self::default();
        }
        let shapes = in_parallel(&observed.planned, TOOLS_WORTH_A_THREAD, |planned| {
            observed.snapshots.get(&planned.name).and_then(|snapshots| shape(snapshots))
        });
        let mut first: HashMap<String, &str> = HashMap::new();
        let mut others = BTreeMap::new();
        for (planned, shape) in observed.planned.iter().zip(shapes) {
            let Some(shape) = shape else { continue };
            let played = *first.entry(shape).or_insert(&planned.name);
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
            others.entry(&ids[played]).or_default().push((tool, played));
        }
        let mut added = Vec::new();
        for cell in &record.cells {
            for (tool, played) in others.get(&cell.scenario).into_iter().flatten() {
                let mut of_other = cell.clone();
                of_other.scenario = ids[*tool].clone();
                of_other.id = of_other.cell().id();
                let [played, tool] = [played, tool].map(|name| format!("`{}`", neutralised(name)));
                of_other.reason = cell.reason.replace(&played, &tool);
                added.push(of_other);
            }
        }
        if !added.is_empty() {
            record.cells.extend(added);
            record.cells.sort_by(|one, other| one.id.cmp(&other.id));
        }
    }
}

/// All of a tool that decides how a client treats it, at each revision. `None` if its name may decide that.
fn shape(snapshots: &[ToolSnapshot]) -> Option<String> {
    let mut shape = String::new();
    let mut before: Option<&ToolSnapshot> = None;
    for snapshot in snapshots {
        let _ = write!(shape, "{} ", snapshot.revision);
        // Most servers say the same at all revisions.
        match before.is_some_and(|before| before.is_alike(snapshot)) {
            true => shape.push_str("the same\n"),
            false => add_snapshot(&mut shape, snapshot)?,
        }
        before = Some(snapshot);
    }
    Some(shape)
}

fn add_snapshot(shape: &mut String, snapshot: &ToolSnapshot) -> Option<()> {
    if !is_plain_name(&snapshot.tool.name) {
        return None;
    }
    let definition = Json::parse(&snapshot.tool.definition).ok()?;
    let described = without_words(definition.as_object()?);
    let _ = writeln!(shape, "{}", described.to_compact());
    let Some(call) = &snapshot.call else {
        shape.push_str("not called\n");
        return Some(());
    };
    let _ = writeln!(shape, "{}", call.arguments.as_deref().unwrap_or("no arguments"));
    match &call.answer {
        Answer::Returns(text) => match Json::parse(text) {
            Ok(Json::Object(result)) if !result.has_duplicates() => {
                let is_plain = definition.get("outputSchema").is_none_or(asks_for_types_alone);
                add_result(shape, &result, is_plain);
            }
            Ok(_) | Err(_) => shape.push_str(text),
        },
        Answer::Error(text) => {
            let _ = write!(shape, "error {text}");
        }
        Answer::Raw(raw) => {
            let _ = write!(shape, "raw {raw:?}");
        }
        Answer::Hang => shape.push_str("hangs"),
        Answer::Exit => shape.push_str("ends"),
    }
    shape.push('\n');
    Some(())
}

/// A name that no client has reason to refuse.
fn is_plain_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=64).contains(&name.len()) && name.chars().all(is_plain)
}

/// A tool's definition without what is written for people.
fn without_words(definition: &Object) -> Json {
    let mut kept = Object::new();
    for (key, value) in definition.iter() {
        match (key.as_str(), value) {
            (Some("name" | "title" | "description"), Json::String(_)) => {}
            (Some("annotations"), Json::Object(annotations)) => {
                let mut hints = Object::new();
                for (key, value) in annotations.iter().filter(|(key, _)| key.as_str() != Some("title")) {
                    hints.push(key.clone(), value.clone());
                }
                kept.push(key.clone(), Json::Object(hints));
            }
            (_, _) => kept.push(key.clone(), value.clone()),
        }
    }
    Json::Object(kept)
}

/// Whether a schema says of values only of which type they are, so that one word or number is as good as another.
fn asks_for_types_alone(schema: &Json) -> bool {
    let Some(schema) = schema.as_object() else { return false };
    schema.iter().all(|(key, value)| match key.as_str() {
        Some("$schema" | "type" | "title" | "description" | "required") => true,
        Some("properties") => value
            .as_object()
            .is_some_and(|properties| properties.iter().all(|(_, property)| asks_for_types_alone(property))),
        Some("items") => asks_for_types_alone(value),
        Some("additionalProperties") => value.as_bool().is_some() || asks_for_types_alone(value),
        Some(_) | None => false,
    })
}

/// A result. Its words and numbers are left out if its schema asks for types alone.
fn add_result(shape: &mut String, result: &Object, is_plain: bool) {
    let value = result.get("structuredContent");
    for (key, member) in result.iter() {
        let _ = write!(shape, "{} ", key.to_string_lossy());
        match (key.as_str(), member) {
            (Some("structuredContent"), _) if is_plain => add_kind(shape, member),
            (Some("content"), Json::Array(blocks)) => {
                for block in blocks {
                    shape.push_str(known_block(block, value).unwrap_or(&block.to_compact()));
                    shape.push(' ');
                }
            }
            (_, _) => shape.push_str(&member.to_compact()),
        }
        shape.push(' ');
    }
}

/// What a block without anything unusual is, beside this structured content: the value as text, or words alone.
fn known_block(block: &Json, value: Option<&Json>) -> Option<&'static str> {
    let block = block.as_object().filter(|block| block.len() == 2)?;
    let is_text = block.get("type").and_then(Json::as_str) == Some("text");
    let text = block.get("text").and_then(Json::as_str).filter(|_| is_text)?;
    match (Json::parse(text), value) {
        (Ok(text), Some(value)) if text == *value => Some("the value"),
        (Err(_), None) if is_plain_text(text) => Some("words"),
        (_, _) => None,
    }
}

/// The types of a value, and of its words and numbers only what is unusual.
fn add_kind(shape: &mut String, value: &Json) {
    match value {
        Json::Object(members) => {
            shape.push('{');
            for (key, member) in members.iter() {
                let _ = write!(shape, "{}:", Json::String(key.clone()).to_compact());
                add_kind(shape, member);
                shape.push(',');
            }
            shape.push('}');
        }
        Json::Array(items) => {
            shape.push('[');
            for item in items {
                add_kind(shape, item);
                shape.push(',');
            }
            shape.push(']');
        }
        Json::Number(_) if is_plain_number(&value.to_compact()) => shape.push_str("number"),
        Json::String(_) if value.as_str().is_some_and(is_plain_text) => shape.push_str("word"),
        Json::Number(_) | Json::String(_) | Json::Bool(_) | Json::Null => shape.push_str(&value.to_compact()),
    }
}

/// A natural number of at most nine digits, as it is always written.
fn is_plain_number(lexeme: &str) -> bool {
    lexeme.len() <= 9 && !lexeme.starts_with('0') && lexeme.bytes().all(|byte| byte.is_ascii_digit())
}

/// Words that mean nothing else, and that nobody needs to escape.
fn is_plain_text(text: &str) -> bool {
    const MEANS_A_VALUE: [&str; 6] = ["true", "false", "null", "none", "nan", "infinity"];
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " _-.,:/".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.len() <= 1_000
        && text.chars().all(is_plain)
        && !MEANS_A_VALUE.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use mcp_compat_capture::{CapturedCall, CapturedTool};
    use mcp_compat_model::Revision;
    use rstest::rstest;

    use super::*;

    const NUMBER: &str = r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#;

    fn shape_of(name: &str, schema: &str, result: &str) -> Option<String> {
        let definition = format!(r#"{{"name":"{name}","description":"Reads {name}","outputSchema":{schema}}}"#);
        let call = CapturedCall {
            stage: 0,
            tool: name.to_owned(),
            arguments: None,
            answer: Answer::Returns(result.to_owned()),
        };
        let tool = CapturedTool { name: name.to_owned(), definition };
        shape(&[ToolSnapshot { revision: Revision::NEWEST, tool, call: Some(call) }])
    }

    fn result(value: &str, text: &str) -> String {
        let text = Json::from(text).to_compact();
        format!(r#"{{"content":[{{"type":"text","text":{text}}}],"structuredContent":{value}}}"#)
    }

    #[rstest]
    #[case::another_number(NUMBER, r#"{"n":8}"#, r#"{"n": 8}"#)]
    #[case::a_longer_number(NUMBER, r#"{"n":123456}"#, r#"{"n":123456}"#)]
    fn tools_of_one_shape(#[case] schema: &str, #[case] value: &str, #[case] text: &str) {
        let seven = shape_of("a", NUMBER, &result(r#"{"n":7}"#, r#"{"n":7}"#));
        assert!(seven.is_some());
        assert_eq!(shape_of("b", schema, &result(value, text)), seven);
    }

    #[rstest]
    #[case::zero(NUMBER, r#"{"n":0}"#, r#"{"n":0}"#)]
    #[case::negative(NUMBER, r#"{"n":-7}"#, r#"{"n":-7}"#)]
    #[case::long(NUMBER, r#"{"n":9007199254740993}"#, r#"{"n":9007199254740993}"#)]
    #[case::another_text(NUMBER, r#"{"n":7}"#, r#"{"n":8}"#)]
    #[case::prose(NUMBER, r#"{"n":7}"#, "seven")]
    #[case::another_type(NUMBER, r#"{"n":"seven"}"#, r#"{"n":"seven"}"#)]
    #[case::another_member(NUMBER, r#"{"m":7}"#, r#"{"m":7}"#)]
    #[case::another_schema(r#"{"type":"object"}"#, r#"{"n":7}"#, r#"{"n":7}"#)]
    fn tools_of_another_shape(#[case] schema: &str, #[case] value: &str, #[case] text: &str) {
        let seven = shape_of("a", NUMBER, &result(r#"{"n":7}"#, r#"{"n":7}"#));
        assert_ne!(shape_of("b", schema, &result(value, text)), seven);
    }

    #[test]
    fn a_schema_that_says_more_than_types_keeps_the_values_apart() {
        let limited = r#"{"type":"object","properties":{"n":{"maximum":7}}}"#;
        let [seven, eight] = ["7", "8"].map(|n| {
            let value = format!(r#"{{"n":{n}}}"#);
            shape_of("a", limited, &result(&value, &value))
        });
        assert_ne!(seven, eight);
    }

    #[test]
    fn a_name_that_may_be_refused_has_no_shape() {
        assert_eq!(shape_of("a b", NUMBER, &result("{}", "{}")), None);
        assert_eq!(shape_of(&"a".repeat(65), NUMBER, &result("{}", "{}")), None);
    }

    #[rstest]
    #[case("Read 17 files", true)]
    #[case("17", false)]
    #[case("True", false)]
    #[case("", false)]
    #[case("a\u{e9}", false)]
    fn plain_text_means_nothing_but_itself(#[case] text: &str, #[case] is_plain: bool) {
        assert_eq!(is_plain_text(text), is_plain);
    }
}
