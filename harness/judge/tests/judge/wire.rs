//! The lines of a session that is right in every respect, and what a test may change about them.

use mcp_compat_json::Json;
use mcp_compat_model::{Era, Revision, Role};

/// One line on the wire.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) from: Role,
    pub(crate) text: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) status: u16,
    /// True if the server sends it on a stream that a GET opened.
    pub(crate) is_aside: bool,
}

/// A change to the lines.
#[derive(Clone, Debug)]
pub(crate) enum Edit {
    Swap(String, String),
    Drop(String),
    First(String),
    After(String, Role, String),
    Header(String, String, Option<String>),
    Status(String, u16),
    Aside(String),
    From(String),
}

impl Edit {
    pub(crate) fn apply(&self, lines: &mut Vec<Line>) {
        let holds = |line: &Line, needle: &str| line.text.contains(needle);
        match self {
            Edit::Swap(from, to) => lines.iter_mut().for_each(|line| line.text = line.text.replace(from, to)),
            Edit::Drop(needle) => lines.retain(|line| !holds(line, needle)),
            Edit::First(text) => {
                let headers = lines[0].headers.clone();
                lines.insert(0, Line { from: Role::Client, text: text.clone(), headers, status: 200, is_aside: false });
            }
            Edit::After(needle, from, text) => {
                let at = lines.iter().position(|line| holds(line, needle)).expect(needle);
                let (from, text, headers) = (*from, text.clone(), lines[at].headers.clone());
                let line = Line { from, text, headers, status: 200, is_aside: false };
                lines.insert(at + 1, line);
            }
            Edit::Header(needle, name, value) => {
                for line in lines.iter_mut().filter(|line| holds(line, needle)) {
                    line.headers.retain(|(key, _)| key != name);
                    line.headers.extend(value.clone().map(|value| (name.clone(), value)));
                }
            }
            Edit::Status(needle, status) => {
                lines.iter_mut().filter(|line| holds(line, needle)).for_each(|line| line.status = *status);
            }
            Edit::Aside(needle) => {
                lines.iter_mut().filter(|line| holds(line, needle)).for_each(|line| line.is_aside = true);
            }
            Edit::From(needle) => {
                let at = lines.iter().position(|line| holds(line, needle)).expect(needle);
                lines.truncate(at);
            }
        }
    }
}

/// The lines being written.
pub(crate) struct Wire {
    revision: Revision,
    pub(crate) lines: Vec<Line>,
    id: u32,
}

impl Wire {
    /// A session of that revision, opened.
    pub(crate) fn opened(revision: Revision) -> Self {
        let mut wire = Self { revision, lines: Vec::new(), id: 0 };
        wire.open();
        wire
    }

    pub(crate) fn line(&mut self, from: Role, text: String) {
        let parsed = Json::parse(&text).ok();
        let member = |pointer: &str| {
            parsed.as_ref().and_then(|json| json.pointer(pointer)).and_then(Json::as_str).map(str::to_owned)
        };
        let mut headers = vec![("accept".to_owned(), "application/json, text/event-stream".to_owned())];
        let mut put = |name: &str, value: Option<String>| headers.extend(value.map(|value| (name.to_owned(), value)));
        match self.revision.era() {
            Era::Legacy => {
                put("mcp-protocol-version", Some(self.revision.to_string()));
                put("mcp-session-id", Some("s1".to_owned()));
            }
            Era::Modern => {
                put("mcp-protocol-version", member("/params/_meta/io.modelcontextprotocol~1protocolVersion"));
                put("mcp-method", member("/method"));
                put("mcp-name", member("/params/name"));
            }
        }
        put("content-type", Some("application/json".to_owned()));
        self.lines.push(Line { from, text, headers, status: 200, is_aside: false });
    }

    fn open(&mut self) {
        let capabilities = r#""capabilities":{"tools":{"listChanged":true}}"#;
        let revision = self.revision;
        match revision.era() {
            Era::Legacy => {
                self.exchange(
                    "initialize",
                    &format!(r#""protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}"#),
                    &format!(r#"{{"protocolVersion":"{revision}",{capabilities},"serverInfo":{{"name":"s","version":"1"}}}}"#),
                );
                self.line(Role::Client, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned());
            }
            Era::Modern => {
                let versions = r#""supportedVersions":["2026-07-28"],"ttlMs":0,"cacheScope":"public""#;
                self.exchange("server/discover", "", &format!("{{{versions},{capabilities}}}"));
            }
        }
    }

    pub(crate) fn exchange(&mut self, method: &str, params: &str, result: &str) {
        self.request(method, params);
        self.result(result);
    }

    pub(crate) fn request(&mut self, method: &str, params: &str) {
        self.id += 1;
        let meta = match self.revision.era() {
            Era::Legacy => String::new(),
            Era::Modern => format!(
                r#""_meta":{{"io.modelcontextprotocol/protocolVersion":"{}","io.modelcontextprotocol/clientCapabilities":{{}}}}"#,
                self.revision
            ),
        };
        let comma = if meta.is_empty() || params.is_empty() { "" } else { "," };
        let id = self.id;
        self.line(
            Role::Client,
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{meta}{comma}{params}}}}}"#),
        );
    }

    pub(crate) fn result(&mut self, result: &str) {
        let id = self.id;
        let result = match self.revision.era() {
            Era::Modern if !result.contains("resultType") => format!(r#"{{"resultType":"complete",{}"#, &result[1..]),
            Era::Modern | Era::Legacy => result.to_owned(),
        };
        self.line(Role::Server, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
    }
}
