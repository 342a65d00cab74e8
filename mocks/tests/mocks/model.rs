//! The scripted model against requests written by hand, in the form of each interface.

use std::error::Error;

use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use mcp_compat_mocks::scripted_model::{
    Interface, ModelView, Part, Plan, PlannedCall, Refusal, ScriptedModel, SeenResult, ToolAnswer, refusals,
};
use serde_json::{Value, json};

fn plan(calls: &[(&str, &str)]) -> Plan {
    let call =
        |(tool, arguments): &(&str, &str)| PlannedCall { tool: (*tool).to_owned(), arguments: (*arguments).to_owned() };
    Plan { calls: calls.iter().map(call).collect() }
}

/// Sends a request; returns the status and the body.
async fn sent(address: &str, path: &str, body: &Value) -> Result<(u16, String), Box<dyn Error>> {
    let client = Client::builder(TokioExecutor::new()).build_http::<Full<bytes::Bytes>>();
    let request = Request::post(format!("{address}{path}")).body(Full::from(body.to_string()))?;
    let response = client.request(request).await?;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await?.to_bytes();
    Ok((status, String::from_utf8(body.to_vec())?))
}

async fn post(address: &str, path: &str, body: &Value) -> (u16, String) {
    sent(address, path, body).await.unwrap_or_else(|error| panic!("{path}: {error}"))
}

async fn said(address: &str, path: &str, body: &Value) -> Value {
    let (status, body) = post(address, path, body).await;
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"))
}

/// Answers each call of a model over chat completions with the next of these results. Returns the arguments of the calls, and
/// the answer to the last request.
async fn talk(address: &str, tools: &Value, results: &[&str]) -> (Vec<String>, Value) {
    let (mut messages, mut arguments) = (Vec::new(), Vec::new());
    for result in results {
        let asked = json!({ "messages": messages, "tools": tools });
        let answer = said(address, "/chat/completions", &asked).await;
        let call = &answer["choices"][0]["message"]["tool_calls"][0];
        arguments.push(call["function"]["arguments"].as_str().unwrap_or_default().to_owned());
        messages.push(json!({ "role": "assistant", "tool_calls": [call] }));
        messages.push(json!({ "role": "tool", "tool_call_id": call["id"], "content": result }));
    }
    let end = said(address, "/chat/completions", &json!({ "messages": messages, "tools": tools })).await;
    (arguments, end)
}

fn text(text: &str, is_error: Option<bool>) -> SeenResult {
    SeenResult::Answered(ToolAnswer { parts: vec![Part::Text(text.to_owned())], is_error })
}

#[tokio::test]
async fn chat_completions() {
    let model = ScriptedModel::bind().await.unwrap();
    let plan = plan(&[("count", r#"{"n":9007199254740993}"#)]);
    let address = model.host(plan.clone());
    let tools =
        json!([{ "type": "function", "function": { "name": "srv_count", "parameters": { "type": "object" } } }]);
    let asked = json!({ "model": "m", "messages": [{ "role": "user", "content": "go" }], "tools": tools });
    let answer = said(&address, "/v1/chat/completions", &asked).await;
    let call = &answer["choices"][0]["message"]["tool_calls"][0];
    assert_eq!(call["function"], json!({ "name": "srv_count", "arguments": r#"{"n":9007199254740993}"# }));
    assert_eq!(answer["choices"][0]["finish_reason"], "tool_calls");

    let result = json!({ "role": "tool", "tool_call_id": call["id"], "content": [{ "type": "text", "text": "7" }] });
    let history = json!([{ "role": "assistant", "tool_calls": [call] }, result]);
    let (_, streamed) =
        post(&address, "/chat/completions", &json!({ "stream": true, "messages": history, "tools": tools })).await;
    assert!(streamed.contains(r#""content":"Done.""#) && streamed.ends_with("data: [DONE]\n\n"), "{streamed}");
    let view = ModelView::of(&model.requests(&address), &plan);
    assert_eq!((view.interface, view.results), (Some(Interface::ChatCompletions), vec![text("7", None)]));
}

#[tokio::test]
async fn responses_with_a_namespace() {
    let model = ScriptedModel::bind().await.unwrap();
    let plan = plan(&[("count", "{}")]);
    let address = model.host(plan.clone());
    let tools = json!([
        { "type": "web_search" },
        { "type": "namespace", "name": "mcp__srv", "tools": [{ "type": "function", "name": "count" }] },
    ]);
    let (_, streamed) = post(&address, "/responses", &json!({ "stream": true, "input": [], "tools": tools })).await;
    assert!(streamed.contains(r#""namespace":"mcp__srv""#), "{streamed}");
    assert!(streamed.contains("event: response.function_call_arguments.done\n"), "{streamed}");
    assert!(streamed.contains("event: response.completed\n"), "{streamed}");
    let input = json!([
        { "type": "function_call", "call_id": "call_planned_0", "name": "count", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "call_planned_0", "output": "7" },
    ]);
    let answer = said(&address, "/responses", &json!({ "input": input, "tools": tools })).await;
    assert_eq!(answer["output"][0]["content"][0]["text"], "Done.");
    assert_eq!(ModelView::of(&model.requests(&address), &plan).results, [text("7", None)]);
}

#[tokio::test]
async fn messages_with_a_flag_of_errors() {
    let model = ScriptedModel::bind().await.unwrap();
    let plan = plan(&[("count", r#"{"n":1}"#)]);
    let address = model.host(plan.clone());
    let tools = json!([{ "name": "mcp__srv__count", "input_schema": { "type": "object" } }]);
    let answer = said(&address, "/v1/messages", &json!({ "messages": [], "tools": tools })).await;
    assert_eq!((&answer["stop_reason"], &answer["content"][0]["input"]), (&json!("tool_use"), &json!({ "n": 1 })));
    let result = json!({ "type": "tool_result", "tool_use_id": "call_planned_0", "content": "no", "is_error": true });
    let history = json!([
        { "role": "assistant", "content": answer["content"] },
        { "role": "user", "content": [result] },
    ]);
    let (_, streamed) =
        post(&address, "/v1/messages", &json!({ "stream": true, "messages": history, "tools": tools })).await;
    assert!(streamed.contains("event: message_stop\n"), "{streamed}");
    assert_eq!(ModelView::of(&model.requests(&address), &plan).results, [text("no", Some(true))]);
}

#[tokio::test]
async fn generate_content_without_ids() {
    let model = ScriptedModel::bind().await.unwrap();
    let plan = plan(&[("count", "{}"), ("count", "{}")]);
    let address = model.host(plan.clone());
    let path = "/v1beta/models/gemini:streamGenerateContent?alt=sse";
    let tools = json!([{ "functionDeclarations": [{ "name": "mcp_srv_count", "parametersJsonSchema": {} }] }]);
    let call = json!({ "functionCall": { "name": "mcp_srv_count", "args": {} } });
    let result =
        |output: &str| json!({ "functionResponse": { "name": "mcp_srv_count", "response": { "output": output } } });
    let once = json!([{ "role": "model", "parts": [call] }, { "role": "user", "parts": [result("1")] }]);
    let (_, streamed) = post(&address, path, &json!({ "contents": once, "tools": tools })).await;
    assert!(streamed.starts_with("data: ") && streamed.contains("functionCall"), "{streamed}");
    let twice = json!([
        { "role": "model", "parts": [call] }, { "role": "user", "parts": [result("1")] },
        { "role": "model", "parts": [call] }, { "role": "user", "parts": [result("2")] },
    ]);
    let (_, streamed) = post(&address, path, &json!({ "contents": twice, "tools": tools })).await;
    assert!(streamed.contains("Done."), "{streamed}");
    let results = ModelView::of(&model.requests(&address), &plan).results;
    assert_eq!(results, [text("1", Some(false)), text("2", Some(false))]);
}

#[tokio::test]
async fn a_tool_behind_a_search_is_called_through_the_bridge() {
    let model = ScriptedModel::bind().await.unwrap();
    let plan = plan(&[("count", "{}")]);
    let address = model.host(plan.clone());
    let function =
        |name: &str, schema: Value| json!({ "type": "function", "function": { "name": name, "parameters": schema } });
    let tools = json!([
        function("tool_search", json!({ "properties": { "query": { "type": "string" } }, "required": ["query"] })),
        function("tool_call", json!({ "properties": { "name": {}, "arguments": { "type": "object" } } })),
    ]);
    let found = r#"found: {"name": "mcp__srv__count", "parameters": {"required": ["why"]}}"#;
    let (arguments, _) = talk(&address, &tools, &[found, "7"]).await;
    assert_eq!(arguments, [r#"{"query":"count"}"#, r#"{"name":"mcp__srv__count","arguments":{"why":"test"}}"#]);
    assert_eq!(ModelView::of(&model.requests(&address), &plan).results, [text("7", None)]);
}

#[tokio::test]
async fn a_tool_behind_a_search_is_called_from_a_program() {
    let model = ScriptedModel::bind().await.unwrap();
    let plan = plan(&[("harbour.count", r#"{"of":"ships"}"#), ("absent", "{}")]);
    let address = model.host(plan.clone());
    let function =
        |name: &str, schema: Value| json!({ "type": "function", "function": { "name": name, "parameters": schema } });
    let tools = json!([
        function("search_tool_functions", json!({ "properties": { "mode": {}, "query": { "type": "string" } } })),
        function("run_typescript", json!({ "properties": { "code": { "type": "string" } }, "required": ["code"] })),
    ]);
    let ranked = "# Candidates\n\n1. mcp_srv.harbour_count - 15.9\n2. agents.spawn - 5.1\n";
    let (arguments, end) = talk(&address, &tools, &[ranked, "7", "# Candidates\n\n1. agents.spawn - 5.1\n"]).await;
    assert_eq!(end["choices"][0]["message"]["content"], "Done.");
    let program = r#"async function main() { return await tools.mcp_srv.harbour_count({"of":"ships"}) }"#;
    let expected = [json!({ "query": "harbour_count" }), json!({ "code": program }), json!({ "query": "absent" })];
    assert_eq!(arguments, expected.map(|it| it.to_string()));
    let results = ModelView::of(&model.requests(&address), &plan).results;
    assert_eq!(results, [text("7", None), SeenResult::NotOffered]);
}

#[tokio::test]
async fn requests_without_tools_are_asides_and_what_is_unknown_is_refused() {
    let model = ScriptedModel::bind().await.unwrap();
    let plan = plan(&[("count", "{}")]);
    let address = model.host(plan.clone());
    let title = said(&address, "/chat/completions", &json!({ "messages": [] })).await;
    assert_eq!(title["choices"][0]["message"]["content"], "A test");
    let view = ModelView::of(&model.requests(&address), &plan);
    assert_eq!((view.interface, view.results), (None, vec![SeenResult::NotOffered]));
    assert_eq!(post(&address, "/embeddings", &json!({})).await.0, 404);
    let elsewhere = address.replace('a', "b") + "x";
    assert_eq!(post(&elsewhere, "/chat/completions", &json!({})).await.0, 404);
}

#[test]
fn what_a_real_interface_refuses() {
    let request = json!({ "tools": [
        { "type": "function", "function": { "name": "fine", "parameters": { "type": "object" } } },
        { "type": "function", "function": { "name": "a.b", "parameters": { "type": "object" } } },
        { "type": "function", "function": { "name": "rootless", "parameters": { "anyOf": [] } } },
    ] });
    let request = mcp_compat_json::Json::parse(&request.to_string()).unwrap();
    let offered = Interface::ChatCompletions.read(&request).offered;
    let refused = |tool: &str, why| Refusal { tool: tool.to_owned(), why };
    let found = refusals(Interface::ChatCompletions, &offered);
    let expected = [
        refused("a.b", "the name does not match ^[a-zA-Z0-9_-]{1,64}$"),
        refused("rootless", "the schema of the parameters has no `type: \"object\"` at its root"),
    ];
    assert_eq!(found, expected);
    assert_eq!(refusals(Interface::GenerateContent, &offered), []);
}
