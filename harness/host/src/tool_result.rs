//! The result of a call, from the parts that a model was sent.

use mcp_compat_json::{Json, first_value, minify};
use mcp_compat_mocks::scripted_model::{Part, ToolAnswer};
use mcp_compat_model::peer_contract::{StepAnswer, Structured};
use regex::Regex;
use serde_json::value::RawValue;

use crate::answer::Reading;

/// Reads what a model got: a part that is JSON and no text is a value, other text is text. A whole result of MCP as text
/// is what its members are.
pub(crate) fn step_answer(answer: &ToolAnswer, reading: &Reading) -> StepAnswer {
    let Reading { strip, errors, content_as_json, .. } = reading;
    let texts: Vec<String> = answer.parts.iter().filter_map(|part| shown(part, strip)).collect();
    let is_told = texts.iter().any(|text| errors.iter().any(|it| it.is_match(text)));
    let read = Read::of(&texts, *content_as_json);
    // Without a mark in the interface, only what is told can say that it is an error.
    let is_error = (is_told || read.is_error || answer.is_error == Some(true)).then_some(true).or(answer.is_error);
    StepAnswer {
        structured: Some(Structured { present: read.value.is_some(), value: read.value }),
        content: Some(read.content),
        is_error,
        ..StepAnswer::default()
    }
}

/// The text of a part without what the host puts around it; `None` if nothing else is there.
fn shown(part: &Part, strip: &[Regex]) -> Option<String> {
    let text = match part {
        Part::Text(text) => text.clone(),
        Part::Other(value) => value.to_string(),
    };
    let stripped = strip.iter().fold(text.clone(), |text, pattern| pattern.replace_all(&text, "").into_owned());
    (!stripped.is_empty() || stripped == text).then_some(stripped).filter(|text| !text.is_empty() && text != "{}")
}

#[derive(Debug, Default)]
struct Read {
    value: Option<Box<RawValue>>,
    content: Vec<Box<RawValue>>,
    is_error: bool,
}

impl Read {
    fn of(texts: &[String], content_as_json: bool) -> Self {
        if let [text] = texts
            && let Some(envelope) = Self::of_envelope(text, content_as_json)
        {
            return envelope.with_values_of_texts();
        }
        let mut read = Self::default();
        for text in texts {
            let (value, words) = value_and_words(text);
            if let (Some(value), None) = (value, &read.value) {
                read.value = raw(value);
            }
            for text in [value, words].into_iter().flatten() {
                read.content.extend(raw(&serde_json::json!({ "type": "text", "text": text }).to_string()));
            }
        }
        read
    }

    /// A model reads a value from its JSON, wherever that stands.
    fn with_values_of_texts(mut self) -> Self {
        let text = |block: &RawValue| Some(Json::parse(block.get()).ok()?.get("text")?.as_str()?.to_owned());
        let is_value = |text: &String| Json::parse(text).is_ok_and(|value| value.as_str().is_none());
        if self.value.is_none() {
            self.value = self.content.iter().filter_map(|block| text(block)).find(is_value).and_then(|text| raw(&text));
        }
        self
    }

    /// A whole result of MCP, or its `content` alone, as text.
    fn of_envelope(text: &str, content_as_json: bool) -> Option<Self> {
        let parsed = Json::parse(text).ok()?;
        let is_block = |block: &Json| block.get("type").and_then(Json::as_str).is_some();
        let (blocks, value, is_error) = match &parsed {
            Json::Array(blocks) if content_as_json && blocks.iter().all(is_block) => (&blocks[..], None, false),
            Json::Object(members) if members.get("content").is_some_and(|content| content.as_array().is_some()) => (
                members.get("content").and_then(Json::as_array).unwrap_or_default(),
                members.get("structuredContent"),
                members.get("isError").and_then(Json::as_bool) == Some(true),
            ),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => {
                return None;
            }
        };
        let content = blocks.iter().filter_map(|block| raw(&block.to_string())).collect();
        Some(Self { value: value.and_then(|value| raw(&value.to_string())), content, is_error })
    }
}

/// A value as JSON and the text after it, of which hosts make one text; the lines part them.
fn value_and_words(text: &str) -> (Option<&str>, Option<&str>) {
    let is_value = |text: &str| Json::parse(text).is_ok_and(|value| value.as_str().is_none());
    match first_value(text) {
        Ok((value, rest)) if is_value(value) && rest.trim().is_empty() => (Some(value), None),
        Ok((value, rest)) if is_value(value) && rest.starts_with('\n') => (Some(value), Some(rest.trim_start())),
        Ok(_) | Err(_) => (None, Some(text)),
    }
}

/// JSON in one line, as answers are.
fn raw(text: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(minify(text).ok()?).ok()
}
