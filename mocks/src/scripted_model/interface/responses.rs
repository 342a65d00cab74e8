//! Responses. Source: <https://platform.openai.com/docs/api-reference/responses>.

use mcp_compat_json::Json;
use serde_json::{Value, json};

use super::super::conversation::{Conversation, MadeCall, OfferedTool, ToolAnswer, array_at, text_at};
use super::super::plan::Say;
use super::{Written, events};

pub(super) fn read(request: &Json) -> Conversation {
    let items = array_at(request, "input");
    let is_a = |item: &Json, kind: &str| text_at(item, "type").as_deref() == Some(kind);
    let answer = |id: &str| {
        let is_it =
            |item: &&Json| is_a(item, "function_call_output") && text_at(item, "call_id").as_deref() == Some(id);
        items.iter().find(is_it).map(|item| ToolAnswer::of(item.get("output"), None))
    };
    let calls = items.iter().filter(|item| is_a(item, "function_call")).filter_map(|item| {
        let id = text_at(item, "call_id");
        Some(MadeCall {
            name: text_at(item, "name")?,
            arguments: text_at(item, "arguments").unwrap_or_default(),
            answer: id.as_deref().and_then(answer),
            id,
        })
    });
    let offered = array_at(request, "tools").iter().flat_map(|tool| {
        if is_a(tool, "namespace") {
            let namespace = text_at(tool, "name");
            array_at(tool, "tools").iter().filter_map(|tool| function(tool, namespace.clone())).collect()
        } else {
            Vec::from_iter(function(tool, None))
        }
    });
    Conversation {
        offered: offered.collect(),
        calls: calls.collect(),
        streams: request.get("stream").and_then(Json::as_bool) == Some(true),
    }
}

fn function(tool: &Json, namespace: Option<String>) -> Option<OfferedTool> {
    Some(OfferedTool {
        namespace,
        name: text_at(tool, "name").or_else(|| text_at(tool, "type"))?,
        description: text_at(tool, "description"),
        schema: tool.get("parameters").cloned(),
    })
}

fn item(say: &Say) -> Value {
    match say {
        Say::Text(text) => json!({
            "type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        }),
        Say::Call { id, namespace, name, arguments } => {
            let mut item = json!({
                "type": "function_call", "id": "fc_1", "status": "completed", "call_id": id, "name": name,
                "arguments": arguments,
            });
            if let Some(namespace) = namespace {
                item["namespace"] = json!(namespace);
            }
            item
        }
    }
}

pub(super) fn whole(say: &Say) -> Value {
    json!({
        "id": "resp_1", "object": "response", "created_at": 0, "model": "scripted", "status": "completed",
        "error": null, "incomplete_details": null, "instructions": null, "metadata": {}, "parallel_tool_calls": false,
        "temperature": 1.0, "tool_choice": "auto", "tools": [], "top_p": 1.0, "output": [item(say)],
        "usage": {
            "input_tokens": 1, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": 1,
            "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 2,
        },
    })
}

pub(super) fn stream(say: &Say) -> Written {
    let item = item(say);
    let mut begun = item.clone();
    begun["status"] = json!("in_progress");
    let mut opened = whole(say);
    (opened["status"], opened["output"], opened["usage"]) = (json!("in_progress"), json!([]), Value::Null);
    let mut steps = vec![("response.created", json!({ "response": opened }))];
    let at = |mut data: Value| {
        (data["output_index"], data["item_id"]) = (json!(0), item["id"].clone());
        data
    };
    match say {
        Say::Text(text) => {
            begun["content"] = json!([]);
            let of_part = |mut data: Value| {
                data["content_index"] = json!(0);
                at(data)
            };
            let part = |text: &str| json!({ "type": "output_text", "text": text, "annotations": [] });
            steps.extend([
                ("response.output_item.added", json!({ "output_index": 0, "item": begun })),
                ("response.content_part.added", of_part(json!({ "part": part("") }))),
                ("response.output_text.delta", of_part(json!({ "delta": text }))),
                ("response.output_text.done", of_part(json!({ "text": text }))),
                ("response.content_part.done", of_part(json!({ "part": part(text) }))),
            ]);
        }
        Say::Call { name, arguments, .. } => {
            begun["arguments"] = json!("");
            steps.extend([
                ("response.output_item.added", json!({ "output_index": 0, "item": begun })),
                ("response.function_call_arguments.delta", at(json!({ "delta": arguments }))),
                ("response.function_call_arguments.done", at(json!({ "name": name, "arguments": arguments }))),
            ]);
        }
    }
    steps.push(("response.output_item.done", json!({ "output_index": 0, "item": item })));
    steps.push(("response.completed", json!({ "response": whole(say) })));
    events(steps.into_iter().enumerate().map(|(number, (name, mut data))| {
        (data["type"], data["sequence_number"]) = (json!(name), json!(number));
        (Some(name), data)
    }))
}
