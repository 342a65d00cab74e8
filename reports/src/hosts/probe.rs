//! Hosts that their users measure: from the answer of a model that was pasted, and from what the server saw, to a row of the
//! table. Each tool of the probe has a word of its own in each place, so that what arrived is told by the words.

use std::collections::BTreeMap;

use mcp_compat_json::Json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::columns::{KINDS, Kind};
use super::reading::Reading;

/// A tool of the probe.
struct ProbeTool {
    /// The scenario of its kind.
    scenario: &'static str,
    name: &'static str,
    /// Words, and what a model read in whose answer they are. The first that is there decides.
    words: &'static [(&'static str, Reading)],
}

/// The tools of the probe, of both its servers.
const TOOLS: [ProbeTool; 9] = [
    ProbeTool { scenario: "root-type/object", name: "read_harbour", words: &[("heron-4127", Reading::Value)] },
    ProbeTool {
        scenario: "fallback/prose",
        name: "read_lighthouse",
        words: &[("otter-5093", Reading::Value), ("maple-2216", Reading::Text)],
    },
    ProbeTool { scenario: "fallback/empty-content", name: "read_ferry", words: &[("lynx-8341", Reading::Value)] },
    ProbeTool { scenario: "structured-missing/prose", name: "read_bridge", words: &[("cedar-6675", Reading::Text)] },
    ProbeTool {
        scenario: "error-result/conforming",
        name: "read_tide",
        words: &[("gull-3358", Reading::Told), ("stoat-9162", Reading::NoText)],
    },
    ProbeTool {
        scenario: "number/large-integer[beyond-double]",
        name: "read_depth",
        words: &[("9007199254740993", Reading::Value), ("900719925474099", Reading::Changed)],
    },
    ProbeTool {
        scenario: "content-types/resource-link",
        name: "read_chart",
        words: &[("brook-1489", Reading::Value), ("finch-7704", Reading::NoLink)],
    },
    ProbeTool { scenario: "pagination/second-page", name: "read_beacon", words: &[("crane-5520", Reading::Value)] },
    ProbeTool { scenario: "root-type/array", name: "read_buoys", words: &[("swift-6031", Reading::Value)] },
];

/// The tool beside `read_buoys`, and its word.
const BESIDE_ARRAY: (&str, &str) = ("read_pier", "wolf-2847");

/// Tools on the first page of the first server. A model that called all of them did the whole task.
const FIRST_PAGE: [&str; 7] =
    ["read_harbour", "read_lighthouse", "read_ferry", "read_bridge", "read_tide", "read_depth", "read_chart"];

/// Requests that the servers of a probe saw, in short.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// Name and version of the client.
    pub client: Option<String>,
    /// The revision that it asked for.
    pub revision: Option<String>,
    /// True if a second page of the list was asked for.
    pub second_page: bool,
    /// Names of the tools that were called.
    pub called: Vec<String>,
    /// True if the server with an array was asked for its tools.
    pub lists_array: bool,
    /// True if anything was asked.
    pub is_reached: bool,
}

impl Served {
    /// Reads messages of clients to both servers, one a line. What is no message is passed over.
    pub fn of(probe: &str, array: &str) -> Self {
        let messages = |lines: &str| lines.lines().filter_map(|line| Json::parse(line).ok()).collect::<Vec<_>>();
        let mut served = Self::default();
        messages(probe).iter().for_each(|message| served.add(message));
        let pages = served.second_page;
        for message in &messages(array) {
            served.add(message);
            served.lists_array |= message.get("method").and_then(Json::as_str) == Some("tools/list");
        }
        Self { second_page: pages, ..served }
    }

    fn add(&mut self, message: &Json) {
        self.is_reached = true;
        let Some(params) = message.get("params") else { return };
        let meta =
            |name: &str| params.get("_meta").and_then(|meta| meta.get(&format!("io.modelcontextprotocol/{name}")));
        let text = |value: &Json| value.as_str().map(ToOwned::to_owned);
        let client = params.get("clientInfo").or_else(|| meta("clientInfo"));
        if let Some(client) = client {
            let part = |name: &str| client.get(name).and_then(text).unwrap_or_default();
            self.client = Some(format!("{} {}", part("name"), part("version")).trim().to_owned());
        }
        let revision = params.get("protocolVersion").or_else(|| meta("protocolVersion")).and_then(text);
        self.revision = revision.or(self.revision.take());
        match message.get("method").and_then(Json::as_str) {
            Some("tools/list") => self.second_page |= params.get("cursor").and_then(Json::as_str).is_some(),
            Some("tools/call") => self.called.extend(params.get("name").and_then(text)),
            Some(_) | None => {}
        }
    }
}

/// A host, as its user measured it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasuredHost {
    /// Its name.
    pub host: String,
    /// Its version.
    pub version: String,
    /// The day, such as `2026-11-29`.
    pub date: String,
    /// The person who saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Name and version that the host gave the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The revision that it asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Words of the table, by scenario. A kind that was not seen is absent.
    pub read: BTreeMap<String, String>,
}

impl MeasuredHost {
    /// The words of the table, from the answer of a model and what the server saw.
    pub fn read(answer: &str, served: &Served) -> BTreeMap<String, String> {
        let words = TOOLS.iter().filter_map(|tool| {
            let reading = reading(tool, answer, served)?;
            Some((tool.scenario.to_owned(), reading.word().to_owned()))
        });
        words.collect()
    }

    pub(crate) fn reading(&self, kind: &Kind) -> Reading {
        self.read.get(kind.scenario).and_then(|word| Reading::named(word)).unwrap_or(Reading::Untested)
    }

    /// Returns whether every scenario and word is one of the table.
    pub fn is_of_the_table(&self) -> bool {
        self.read.iter().all(|(scenario, word)| {
            KINDS.iter().any(|kind| kind.scenario == scenario) && Reading::named(word).is_some()
        })
    }
}

/// Reading of a tool by a model; `None` if nothing says.
fn reading(tool: &ProbeTool, answer: &str, served: &Served) -> Option<Reading> {
    // Models part the digits of long numbers.
    let digits: String = answer.chars().filter(|c| !matches!(c, ',' | '_' | ' ' | '\u{a0}' | '\u{202f}')).collect();
    let answer_of = if tool.name == "read_depth" { &digits } else { answer };
    let found = tool.words.iter().find(|(word, _)| answer_of.contains(word)).map(|(_, reading)| *reading);
    if found.is_some() {
        return found;
    }
    let is_called = |name: &str| served.called.iter().any(|called| called == name);
    if is_called(tool.name) {
        return Some(Reading::Nothing);
    }
    let did_the_task = FIRST_PAGE.iter().all(|name| is_called(name));
    match tool.name {
        "read_beacon" if did_the_task && !served.second_page => Some(Reading::NoTool),
        "read_buoys" if is_called(BESIDE_ARRAY.0) || answer.contains(BESIDE_ARRAY.1) => Some(Reading::NoTool),
        "read_buoys" if did_the_task && served.lists_array => Some(Reading::NoTools),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

    fn read(answer: &str, log: &str) -> BTreeMap<String, String> {
        MeasuredHost::read(answer, &Served::of(log, LIST))
    }

    fn call(tool: &str) -> String {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\"}}}}\n")
    }

    #[test]
    fn what_arrived_is_told_by_its_words() {
        let answer = "read_harbour: {\"word\": \"heron-4127\"}\nread_lighthouse: The lighthouse says maple-2216.\n\
                      read_depth: 9007199254740992\nread_tide: Error: gull-3358";
        let read = read(answer, "");
        let words: Vec<_> = read.iter().map(|(kind, word)| (kind.as_str(), word.as_str())).collect();
        let expected = [
            ("error-result/conforming", "told"),
            ("fallback/prose", "text"),
            ("number/large-integer[beyond-double]", "changed"),
            ("root-type/object", "value"),
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn a_call_without_its_words_is_nothing_and_a_page_that_was_not_asked_for_has_no_tool() {
        let task: String = FIRST_PAGE.iter().map(|tool| call(tool)).collect();
        let row = read("read_ferry: (empty)", &task);
        assert_eq!(row["fallback/empty-content"], "nothing");
        assert_eq!(row["pagination/second-page"], "no tool");
        assert_eq!(row["root-type/array"], "no tools");
        assert_eq!(read("", &(task + &call("read_pier")))["root-type/array"], "no tool");
        // A model that stopped early, or a server that was not added, says nothing of the others.
        let early = read("", &call("read_harbour"));
        assert_eq!(early.len(), 1, "{early:?}");
    }

    #[test]
    fn a_long_number_is_read_with_its_digits_parted() {
        assert_eq!(read("9,007,199,254,740,993", "")["number/large-integer[beyond-double]"], "value");
    }

    #[test]
    fn what_the_server_saw_is_read_from_both_eras() {
        let log = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"editor","version":"1.2"}}}
no message
{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"2"}}"#;
        let served = Served::of(log, "");
        assert_eq!(served.client.as_deref(), Some("editor 1.2"));
        assert_eq!(served.revision.as_deref(), Some("2025-06-18"));
        assert!(served.second_page && served.called.is_empty());
        let modern = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        assert_eq!(Served::of(modern, "").revision.as_deref(), Some("2026-07-28"));
    }
}
