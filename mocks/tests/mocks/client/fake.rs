//! Servers on a stream in memory that say what a test has them say.

use mcp_compat_mocks::client::{ClientSpec, play_stream};
use mcp_compat_model::observation::{Layer, PeerError};
use mcp_compat_model::peer_contract::{Answer, Deadlines, JobStep, StepAnswer};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

/// Short enough that silence costs little, long enough for a busy machine.
pub(crate) const DEADLINES: Deadlines = Deadlines { connect_ms: 2000, step_ms: 2000 };

/// A message of the client.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) method: String,
    pub(crate) id: Value,
    pub(crate) params: Value,
    pub(crate) line: String,
}

impl Heard {
    pub(crate) fn read(line: &str) -> Self {
        let message: Value = serde_json::from_str(line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        Self { method, id: message["id"].clone(), params: message["params"].clone(), line: line.to_owned() }
    }

    pub(crate) fn result(&self, result: &str) -> Vec<String> {
        vec![format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, self.id)]
    }

    pub(crate) fn error(&self, code: i64, data: &Value) -> Vec<String> {
        let data = if data.is_null() { String::new() } else { format!(r#","data":{data}"#) };
        vec![format!(r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":{code},"message":"no"{data}}}}}"#, self.id)]
    }

    pub(crate) fn is_modern(&self) -> bool {
        self.params["_meta"]["io.modelcontextprotocol/protocolVersion"].is_string()
    }
}

/// A server: the lines with which it answers a message.
pub(crate) type Says = Box<dyn FnMut(&Heard) -> Vec<String>>;

/// Plays steps against a server that answers each message with the lines that `server` gives. A line of its own,
/// `close`, ends the connection. Returns the answer, and what the server heard.
pub(crate) async fn play(
    client: &str,
    steps: &[JobStep],
    server: impl FnMut(&Heard) -> Vec<String>,
) -> (Answer, Vec<Heard>) {
    play_within(DEADLINES, client, steps, server).await
}

pub(crate) async fn play_within(
    deadlines: Deadlines,
    client: &str,
    steps: &[JobStep],
    mut server: impl FnMut(&Heard) -> Vec<String>,
) -> (Answer, Vec<Heard>) {
    let spec = ClientSpec::parse(client).unwrap();
    let (ours, theirs) = tokio::io::duplex(256 * 1024);
    let (read, write) = tokio::io::split(ours);
    let serving = async move {
        let (read, mut write) = tokio::io::split(theirs);
        let mut lines = BufReader::new(read).lines();
        let mut heard = Vec::new();
        while let Some(line) = lines.next_line().await.unwrap() {
            let message = Heard::read(&line);
            for line in server(&message) {
                if line == "close" {
                    heard.push(message);
                    return heard;
                }
                // The client may have gone.
                let _ = write.write_all(format!("{line}\n").as_bytes()).await;
            }
            heard.push(message);
        }
        heard
    };
    let (played, heard) = tokio::join!(play_stream(&spec, read, write, steps, deadlines), serving);
    (played.unwrap_or_else(Answer::from), heard)
}

/// A legacy server: it knows no probe, and takes whatever revision is asked for.
pub(crate) fn legacy(tools: &str, result: &str) -> impl FnMut(&Heard) -> Vec<String> + use<> {
    let (tools, result) = (tools.to_owned(), result.to_owned());
    move |heard| match heard.method.as_str() {
        "initialize" => heard.result(&initialized(heard.params["protocolVersion"].as_str().unwrap())),
        "tools/list" => heard.result(&format!(r#"{{"tools":[{tools}]}}"#)),
        "tools/call" => heard.result(&result),
        // A notification, or an answer of the client's.
        _ if heard.id.is_null() || heard.method.is_empty() => vec![],
        _ => heard.error(-32601, &Value::Null),
    }
}

/// A modern server, whose lists hold for an hour.
pub(crate) fn modern(tools: &str, result: &str) -> impl FnMut(&Heard) -> Vec<String> + use<> {
    let (tools, result) = (tools.to_owned(), result.to_owned());
    move |heard| match heard.method.as_str() {
        _ if heard.id.is_null() => vec![],
        _ if !heard.is_modern() => heard.error(-32602, &Value::Null),
        "server/discover" => heard.result(DISCOVERED),
        "tools/list" => heard.result(&format!(
            r#"{{"resultType":"complete","tools":[{tools}],"ttlMs":3600000,"cacheScope":"private"}}"#
        )),
        "tools/call" => heard.result(&result),
        "subscriptions/listen" => vec![acknowledged(heard)],
        _ => heard.error(-32601, &Value::Null),
    }
}

pub(crate) const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}"#;

pub(crate) fn initialized(version: &str) -> String {
    json!({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "fake", "version": "1"}})
        .to_string()
}

pub(crate) fn acknowledged(listen: &Heard) -> String {
    subscribed(listen, "notifications/subscriptions/acknowledged")
}

/// A notification on the subscription that `listen` asked for.
pub(crate) fn subscribed(listen: &Heard, method: &str) -> String {
    let meta = json!({"io.modelcontextprotocol/subscriptionId": listen.id});
    json!({"jsonrpc": "2.0", "method": method, "params": {"_meta": meta, "notifications": {"toolsListChanged": true}}})
        .to_string()
}

/// A tool with an output schema.
pub(crate) fn tool(name: &str, output_schema: &str) -> String {
    format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}},"outputSchema":{output_schema}}}"#)
}

pub(crate) const PLAIN: &str = r#"{"name":"plain","inputSchema":{"type":"object"}}"#;

pub(crate) const LIST: JobStep = JobStep::List {};

pub(crate) fn call(tool: &str) -> JobStep {
    JobStep::call(tool, RawValue::from_string("{}".to_owned()).unwrap())
}

pub(crate) fn methods(heard: &[Heard]) -> Vec<&str> {
    heard.iter().map(|heard| heard.method.as_str()).collect()
}

/// The structured content of a call's answer, as text; none when the client has none.
pub(crate) fn value(answer: &StepAnswer) -> Option<&str> {
    let structured = answer.structured.as_ref().unwrap_or_else(|| unreachable!("no call succeeded: {answer:?}"));
    assert_eq!(structured.present, structured.value.is_some());
    structured.value.as_deref().map(RawValue::get)
}

pub(crate) fn error(answer: &StepAnswer) -> &PeerError {
    answer.error.as_ref().unwrap_or_else(|| unreachable!("no error: {answer:?}"))
}

pub(crate) fn layer(answer: &StepAnswer) -> Layer {
    error(answer).layer
}

pub(crate) fn names(answer: &StepAnswer) -> Vec<&str> {
    answer.tools.as_ref().unwrap().iter().map(|tool| tool.name.as_str()).collect()
}

/// How many content blocks a call's answer has.
pub(crate) fn blocks(answer: &StepAnswer) -> usize {
    answer.content.as_ref().unwrap_or_else(|| unreachable!("no call succeeded: {answer:?}")).len()
}
