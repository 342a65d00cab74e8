//! Placeholder results for tools that were not called. The draft marks them as placeholders.

use mcp_compat_json::{Json, text_at};
use mcp_compat_scenario::write::{Answer, DraftTool};

use super::captured::{CapturedCall, CapturedTool};
use super::sample;

/// A call of a tool with a result that conforms to its schema, or with a text if none is found.
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

/// Marks the result of a tool as a placeholder.
pub fn mark_placeholder(tool: &mut DraftTool) {
    if let Some(answer) = &mut tool.answer {
        answer.note = Some("This result is a placeholder: replace it by what the tool really returns.".to_owned());
    }
}
