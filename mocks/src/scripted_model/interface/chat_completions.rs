//! Chat completions. Source: <https://platform.openai.com/docs/api-reference/chat>.

use mcp_compat_json::Json;
use serde_json::{Value, json};

use super::super::conversation::{Conversation, MadeCall, OfferedTool, ToolAnswer, array_at, text_at};
use super::super::plan::Say;
use super::{Written, events};

pub(super) fn read(request: &Json) -> Conversation {
    let messages = array_at(request, "messages");
    let answer = |id: &str| {
        let is_it = |message: &&Json| {
            text_at(message, "role").as_deref() == Some("tool")
                && text_at(message, "tool_call_id").as_deref() == Some(id)
        };
        messages.iter().find(is_it).map(|message| ToolAnswer::of(message.get("content"), None))
    };
    let calls = messages.iter().flat_map(|message| array_at(message, "tool_calls")).filter_map(|call| {
        let (id, function) = (text_at(call, "id"), call.get("function")?);
        Some(MadeCall {
            name: text_at(function, "name")?,
            arguments: text_at(function, "arguments").unwrap_or_default(),
            answer: id.as_deref().and_then(answer),
            id,
        })
    });
    let offered = array_at(request, "tools").iter().filter_map(|tool| {
        let function = tool.get("function")?;
        Some(OfferedTool {
            namespace: None,
            name: text_at(function, "name")?,
            description: text_at(function, "description"),
            schema: function.get("parameters").cloned(),
        })
    });
    Conversation {
        offered: offered.collect(),
        calls: calls.collect(),
        streams: request.get("stream").and_then(Json::as_bool) == Some(true),
    }
}

fn usage() -> Value {
    json!({ "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 })
}

fn call(say: &Say) -> Option<Value> {
    let Say::Call { id, name, arguments, .. } = say else { return None };
    Some(json!({
        "index": 0, "id": id, "type": "function", "function": { "name": name, "arguments": arguments },
    }))
}

/// The message, and the reason why it ends.
fn said(say: &Say) -> (Value, &'static str) {
    match (call(say), say) {
        (Some(call), _) => (json!({ "role": "assistant", "content": null, "tool_calls": [call] }), "tool_calls"),
        (None, Say::Text(text)) => (json!({ "role": "assistant", "content": text }), "stop"),
        (None, Say::Call { .. }) => (json!({ "role": "assistant", "content": "" }), "stop"),
    }
}

pub(super) fn whole(say: &Say) -> Value {
    let (message, reason) = said(say);
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "scripted",
        "choices": [{ "index": 0, "message": message, "finish_reason": reason }],
        "usage": usage(),
    })
}

pub(super) fn stream(say: &Say) -> Written {
    let chunk = |choices: Value, usage: Value| {
        let chunk = json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": "scripted",
            "choices": choices, "usage": usage,
        });
        (None, chunk)
    };
    let (message, reason) = said(say);
    let mut written = events([
        chunk(json!([{ "index": 0, "delta": message, "finish_reason": null }]), Value::Null),
        chunk(json!([{ "index": 0, "delta": {}, "finish_reason": reason }]), Value::Null),
        chunk(json!([]), usage()),
    ]);
    written.body.push_str("data: [DONE]\n\n");
    written
}
