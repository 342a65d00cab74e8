//! generateContent. Source: <https://ai.google.dev/api/generate-content>.

use mcp_compat_json::Json;
use serde_json::{Value, json};

use super::super::conversation::{Conversation, MadeCall, OfferedTool, Part, ToolAnswer, array_at, text_at};
use super::super::plan::Say;
use super::value_of;

pub(super) fn read(request: &Json) -> Conversation {
    let parts: Vec<&Json> =
        array_at(request, "contents").iter().flat_map(|content| array_at(content, "parts")).collect();
    let mut answers: Vec<&Json> = parts.iter().filter_map(|part| part.get("functionResponse")).collect();
    let calls = parts.iter().filter_map(|part| part.get("functionCall")).filter_map(|call| {
        let (id, name) = (text_at(call, "id"), text_at(call, "name")?);
        // Without ids, calls and responses of one name are in the same order.
        let is_it = |answer: &&Json| match &id {
            Some(id) if text_at(answer, "id").is_some() => text_at(answer, "id").as_ref() == Some(id),
            Some(_) | None => text_at(answer, "name").as_ref() == Some(&name),
        };
        let answer = answers.iter().position(is_it).map(|at| answered(answers.remove(at)));
        let arguments = call.get("args").map_or_else(|| "{}".to_owned(), Json::to_string);
        Some(MadeCall { id, name, arguments, answer })
    });
    let calls = calls.collect();
    let declared = array_at(request, "tools").iter().flat_map(|tool| array_at(tool, "functionDeclarations"));
    let offered = declared.filter_map(|tool| {
        Some(OfferedTool {
            namespace: None,
            name: text_at(tool, "name")?,
            description: text_at(tool, "description"),
            schema: tool.get("parametersJsonSchema").or_else(|| tool.get("parameters")).cloned(),
        })
    });
    Conversation { offered: offered.collect(), calls, streams: false }
}

/// A response is an object. By convention `output` holds the result, and `error` the error.
fn answered(answer: &Json) -> ToolAnswer {
    let response = answer.get("response");
    let only = |key: &str| {
        let object = response?.as_object()?;
        (object.len() == 1).then(|| object.get(key)).flatten()
    };
    let mut read = match (only("output"), only("error")) {
        (Some(output), _) => ToolAnswer::of(Some(output), Some(false)),
        (None, Some(error)) => ToolAnswer::of(Some(error), Some(true)),
        (None, None) => {
            ToolAnswer { parts: response.cloned().map(Part::Other).into_iter().collect(), is_error: Some(false) }
        }
    };
    read.parts.extend(array_at(answer, "parts").iter().cloned().map(Part::Other));
    read
}

pub(super) fn whole(say: &Say) -> Value {
    let part = match say {
        Say::Text(text) => json!({ "text": text }),
        Say::Call { id, name, arguments, .. } => {
            json!({ "functionCall": { "id": id, "name": name, "args": value_of(arguments) } })
        }
    };
    json!({
        "candidates": [{ "content": { "role": "model", "parts": [part] }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 },
        "modelVersion": "scripted",
    })
}
