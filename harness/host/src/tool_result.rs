//! The result of a call, from the parts that a model was sent.

use mcp_compat_json::{Json, first_value, minify};
use mcp_compat_mocks::scripted_model::{Part, ToolAnswer};
use mcp_compat_model::peer_contract::{StepAnswer, Structured};
use regex::Regex;
use serde_json::value::RawValue;

use crate::answer::Reading;
use crate::form::Wrapper;

/// Reads what a model got: a part that is JSON and no text is a value, other text is text. A whole result of MCP as text
/// is what its members are.
pub(crate) fn step_answer(answer: &ToolAnswer, reading: &Reading) -> StepAnswer {
    let Reading { strip, errors, texts_as_json, .. } = reading;
    let shown = answer.parts.iter().filter_map(|part| shown(part, strip));
    let texts: Vec<String> = shown.map(|text| if *texts_as_json { of_json_string(text) } else { text }).collect();
    let is_told = texts.iter().any(|text| errors.iter().any(|it| it.is_match(text)));
    let read = Read::of(&texts, reading);
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

/// The text that a JSON string stands for; any other text as it is.
fn of_json_string(text: String) -> String {
    Json::parse(&text).ok().and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or(text)
}

#[derive(Debug, Default)]
struct Read {
    value: Option<Box<RawValue>>,
    content: Vec<Box<RawValue>>,
    is_error: bool,
}

impl Read {
    fn of(texts: &[String], reading: &Reading) -> Self {
        if let [text] = texts {
            if let Some(wrapped) = reading.wrapper.as_ref().and_then(|wrapper| Self::of_wrapper(text, wrapper)) {
                return wrapped;
            }
            if let Some(envelope) = Self::of_envelope(text, reading.content_as_json) {
                return envelope.with_values_of_texts();
            }
        }
        Self::of_texts(texts)
    }

    fn of_texts(texts: &[impl AsRef<str>]) -> Self {
        let mut read = Self::default();
        for text in texts {
            let (value, words) = value_and_words(text.as_ref());
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

    /// An object of the host, with the text of a result and its value.
    fn of_wrapper(text: &str, wrapper: &Wrapper) -> Option<Self> {
        let parsed = Json::parse(text).ok()?;
        let error = parsed.get(&wrapper.error).filter(|error| **error != Json::Null);
        let (told, is_error) = match (error, parsed.get(&wrapper.result)) {
            (Some(error), _) => (error, true),
            (None, Some(result)) => (result, false),
            (None, None) => return None,
        };
        let text = told.as_str().map_or_else(|| told.to_string(), ToOwned::to_owned);
        let mut read = Self { is_error, ..Self::of_texts(&[text]) };
        if let Some(value) = parsed.get("structuredContent") {
            read.value = raw(&value.to_string());
        }
        Some(read)
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

#[cfg(test)]
mod tests {
    use mcp_compat_mocks::scripted_model::{Part, ToolAnswer};
    use serde_json::{Value, json};

    use super::step_answer;
    use crate::answer::Reading;
    use crate::form::Wrapper;

    /// The value, the texts and the flag of an error that are read of one text.
    fn read(text: &str, reading: &Reading) -> Value {
        let answer = ToolAnswer { parts: vec![Part::Text(text.to_owned())], is_error: None };
        let step = step_answer(&answer, reading);
        let content = serde_json::to_value(step.content).unwrap();
        let texts: Vec<Value> = content.as_array().into_iter().flatten().map(|block| block["text"].clone()).collect();
        json!([step.structured.and_then(|it| it.value), texts, step.is_error])
    }

    fn reading(wrapper: Option<(&str, &str)>, texts_as_json: bool) -> Reading {
        let wrapper = wrapper.map(|(result, error)| Wrapper { result: result.to_owned(), error: error.to_owned() });
        Reading { wrapper, texts_as_json, ..Reading::default() }
    }

    #[test]
    fn the_wrapper_of_a_host_is_no_part_of_the_result() {
        let wrapped = reading(Some(("result", "error")), false);
        let both = r#"{"result": "Three.", "structuredContent": {"count": 3}}"#;
        assert_eq!(read(both, &wrapped), json!([{ "count": 3 }, ["Three."], null]));
        assert_eq!(read(r#"{"result": {"count":3}}"#, &wrapped), json!([{ "count": 3 }, [r#"{"count":3}"#], null]));
        assert_eq!(read(r#"{"error": "No table"}"#, &wrapped), json!([null, ["No table"], true]));
        assert_eq!(read(r#"{"count":3}"#, &wrapped), json!([{ "count": 3 }, [r#"{"count":3}"#], null]));
        let bare = reading(None, false);
        assert_eq!(read(r#"{"error": "No table"}"#, &bare)[0], json!({ "error": "No table" }));
    }

    #[test]
    fn a_json_string_is_a_text_where_the_host_sends_texts_as_json() {
        assert_eq!(read(r#""open""#, &reading(None, true)), json!([null, ["open"], null]));
        assert_eq!(read(r#""open""#, &reading(None, false)), json!([null, [r#""open""#], null]));
        assert_eq!(read(r#"{"count":3}"#, &reading(None, true)), json!([{ "count": 3 }, [r#"{"count":3}"#], null]));
    }
}
