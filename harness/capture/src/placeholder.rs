//! Tools that nobody was seen to call: a result is made for each, and the file says so.

use mcp_compat_json::{Json, text_at};
use mcp_compat_scenario::write::{Answer, DraftTool};

use super::captured::{CapturedCall, CapturedTool};
use super::sample;

/// A call of a tool with a result that conforms to its schema, if one is found; else with a text.
pub fn placeholder_call(tool: &CapturedTool, stage: usize) -> CapturedCall {
    let schema = text_at(&tool.definition, "/outputSchema").and_then(|schema| Json::parse(schema).ok());
    let result = match schema.and_then(|schema| sample::conforming(&schema)) {
        Some(value) => {
            let value = value.to_compact();
            let text = Json::from(value.as_str()).to_compact();
            format!(r#"{{"structuredContent":{value},"content":[{{"type":"text","text":{text}}}]}}"#)
        }
        None => r#"{"content":[{"type":"text","text":"…"}]}"#.to_owned(),
    };
    CapturedCall { stage, tool: tool.name.clone(), arguments: None, answer: Answer::Returns(result) }
}

/// Says of a tool that its result was made up.
pub fn mark_placeholder(tool: &mut DraftTool) {
    if let Some(answer) = &mut tool.answer {
        answer.note =
            Some("Nobody saw this result, it was made up: put what the tool really returns in its place.".to_owned());
    }
}
