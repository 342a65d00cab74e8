//! Messages. Source: <https://docs.anthropic.com/en/api/messages>.

use mcp_compat_json::Json;
use serde_json::{Value, json};

use super::super::conversation::{Conversation, MadeCall, OfferedTool, ToolAnswer, array_at, text_at};
use super::super::plan::Say;
use super::{Written, events, value_of};

pub(super) fn read(request: &Json) -> Conversation {
    let blocks: Vec<&Json> =
        array_at(request, "messages").iter().flat_map(|message| array_at(message, "content")).collect();
    let of_kind = |kind: &'static str| {
        blocks.iter().copied().filter(move |block| text_at(block, "type").as_deref() == Some(kind))
    };
    let answer = |id: &str| {
        let block = of_kind("tool_result").find(|block| text_at(block, "tool_use_id").as_deref() == Some(id))?;
        let is_error = block.get("is_error").and_then(Json::as_bool).unwrap_or(false);
        Some(ToolAnswer::of(block.get("content"), Some(is_error)))
    };
    let calls = of_kind("tool_use").filter_map(|block| {
        let id = text_at(block, "id");
        Some(MadeCall {
            name: text_at(block, "name")?,
            arguments: block.get("input").map(Json::to_string).unwrap_or_default(),
            answer: id.as_deref().and_then(answer),
            id,
        })
    });
    let offered = array_at(request, "tools").iter().filter_map(|tool| {
        Some(OfferedTool {
            namespace: None,
            name: text_at(tool, "name")?,
            description: text_at(tool, "description"),
            schema: tool.get("input_schema").cloned(),
        })
    });
    Conversation {
        offered: offered.collect(),
        calls: calls.collect(),
        streams: request.get("stream").and_then(Json::as_bool) == Some(true),
    }
}

/// The block, and the reason why it ends.
fn said(say: &Say) -> (Value, &'static str) {
    match say {
        Say::Text(text) => (json!({ "type": "text", "text": text }), "end_turn"),
        Say::Call { id, name, arguments, .. } => {
            (json!({ "type": "tool_use", "id": id, "name": name, "input": value_of(arguments) }), "tool_use")
        }
    }
}

fn message(content: Value, reason: Option<&str>) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": content,
        "stop_reason": reason, "stop_sequence": null, "usage": { "input_tokens": 1, "output_tokens": 1 },
    })
}

pub(super) fn whole(say: &Say) -> Value {
    let (block, reason) = said(say);
    message(json!([block]), Some(reason))
}

pub(super) fn stream(say: &Say) -> Written {
    let (mut begun, reason) = said(say);
    let delta = match say {
        Say::Text(text) => {
            begun["text"] = json!("");
            json!({ "type": "text_delta", "text": text })
        }
        Say::Call { arguments, .. } => {
            begun["input"] = json!({});
            json!({ "type": "input_json_delta", "partial_json": arguments })
        }
    };
    let steps = [
        ("message_start", json!({ "message": message(json!([]), None) })),
        ("content_block_start", json!({ "index": 0, "content_block": begun })),
        ("content_block_delta", json!({ "index": 0, "delta": delta })),
        ("content_block_stop", json!({ "index": 0 })),
        (
            "message_delta",
            json!({ "delta": { "stop_reason": reason, "stop_sequence": null }, "usage": { "output_tokens": 1 } }),
        ),
        ("message_stop", json!({})),
    ];
    events(steps.into_iter().map(|(name, mut data)| {
        data["type"] = json!(name);
        (Some(name), data)
    }))
}
