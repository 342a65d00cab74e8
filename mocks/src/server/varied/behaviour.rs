//! Behaviour of a varied server, as data: a plain server by default, and one field for each thing that may differ.

use std::time::Duration;

/// The members of a JSON object, each value as JSON text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members(Vec<(String, String)>);

impl Members {
    /// Members with these values.
    pub fn of(members: &[(&str, &str)]) -> Self {
        Self(members.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect())
    }

    /// Sets a member, and keeps its place if it is there.
    pub fn set(&mut self, key: &str, value: &str) {
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, known)) => value.clone_into(known),
            None => self.0.push((key.to_owned(), value.to_owned())),
        }
    }

    pub fn remove(&mut self, key: &str) {
        self.0.retain(|(known, _)| known != key);
    }

    /// The object as JSON text.
    pub fn text(&self) -> String {
        let members: Vec<String> =
            self.0.iter().map(|(key, value)| format!("{}:{value}", crate::wire::jsonrpc::quote(key))).collect();
        format!("{{{}}}", members.join(","))
    }
}

/// Form of the event streams of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamForm {
    /// Lines end with CRLF.
    pub crlf: bool,
    /// No space follows `data:`, and no line names the event's type.
    pub terse: bool,
    /// Comment lines before and between the events.
    pub comments: bool,
    /// `id:` and `retry:` lines at each event.
    pub numbered: bool,
    /// An event with an id and without data comes first.
    pub primed: bool,
    /// The data of an event stands in several lines.
    pub lines: bool,
    /// The bytes arrive in pieces that end inside an event, and inside a character.
    pub pieces: bool,
    /// The stream of the call ends after an event with an id and without data. A GET that names this event resumes it.
    pub resumed: bool,
    /// The stream begins with a byte order mark.
    pub marked: bool,
    /// An event of another type comes first.
    pub foreign: bool,
    /// Time that the stream of a list stays open after its last event.
    pub linger: Duration,
}

/// Answer to a notification or a response over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    pub status: u16,
    pub content_type: Option<&'static str>,
    /// The empty body is sent in chunks, without `Content-Length`.
    pub is_chunked: bool,
}

/// Answer to a GET of the endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Get {
    /// 405.
    #[default]
    NotAllowed,
    /// An event stream that stays open.
    Open,
    /// An event stream that ends at once.
    Closed,
    /// 404.
    NotFound,
    /// 200 and JSON.
    Json,
}

/// Refusal of requests that lack something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// 406 for a POST whose `Accept` does not list both types.
    Accept,
    /// 415 for a POST whose `Content-Type` is not `application/json`.
    ContentType,
    /// 400 for a request after `initialize` without `MCP-Protocol-Version`.
    VersionHeader,
    /// 400 for a request before `notifications/initialized`.
    NotInitialized,
    /// 400 for a request after `initialize` without the session id, 404 for one with another id.
    Session,
}

/// Time at which a session ends: from then on its id is answered with 404.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// With the first call, which is not answered.
    AtCall,
    /// After the answer to the first call.
    AfterCall,
}

/// Answer that replaces that of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instead {
    /// The method that it answers.
    pub method: &'static str,
    pub status: u16,
    pub headers: &'static [(&'static str, &'static str)],
    /// The body, in which `{id}` stands for the id of the request. Over standard streams, an empty one is no answer.
    pub body: &'static str,
    /// False if it is given once.
    pub always: bool,
}

/// Error that answers each call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    /// The error object, as JSON text.
    pub object: String,
    pub status: u16,
}

/// Behaviour of a server towards one client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behaviour {
    /// The tool that the client calls.
    pub tool: String,
    /// The result of `initialize`, without the revision.
    pub initialize: Members,
    /// The revision that `initialize` is answered with, whichever was asked for.
    pub revision: Option<&'static str>,
    /// The definition of the tool, without its name.
    pub definition: Members,
    /// Definitions of other tools, as JSON text. They are listed before it.
    pub others: Vec<String>,
    /// The cursors of the pages after the first one; the tool is on the last page.
    pub cursors: Vec<&'static str>,
    /// Blocks of the result of a call, as JSON text.
    pub content: Vec<String>,
    /// The other members of that result.
    pub result: Members,
    pub error: Option<CallError>,
    /// Messages ahead of the answer to a call, as JSON text. `{token}` stands for the progress token of the call, without
    /// which such a message is not sent. The answer waits a moment for the answers to requests among them.
    pub before: Vec<String>,
    /// Messages ahead of the answer to `tools/list`, in the same form.
    pub before_list: Vec<String>,
    /// The list has another tool after the first call.
    pub grows: bool,
    /// Calls get `notifications/cancelled` in place of an answer.
    pub gives_up: bool,
    /// Form of the answers over HTTP. `None`: JSON.
    pub stream: Option<StreamForm>,
    /// The `Content-Type` of answers in JSON.
    pub json_type: &'static str,
    pub accepted: Accepted,
    /// Names of headers are written in lower case, and not as `Content-Type`.
    pub lower_names: bool,
    /// Answers in JSON are compressed, if the client accepts gzip.
    pub gzip: bool,
    /// Each response ends its connection.
    pub closes: bool,
    /// End of the lines over standard streams.
    pub line_end: &'static str,
    /// Lines over standard streams arrive in pieces.
    pub cut_lines: bool,
    /// Line ahead of all messages over standard streams.
    pub noise: Option<&'static str>,
    /// Number of lines that the server writes to its standard error before the first message.
    pub log_lines: usize,
    /// The id that sessions get.
    pub session: Option<&'static str>,
    pub session_end: Option<SessionEnd>,
    /// The status of a DELETE.
    pub delete: u16,
    pub get: Get,
    pub refusals: Vec<Refusal>,
    pub instead: Option<Instead>,
    /// Every request is redirected with 307 to the same path with a slash.
    pub redirects: bool,
    /// Lists that were not declared are answered, as empty ones.
    pub lenient: bool,
}

impl Behaviour {
    /// A plain server with one tool of this name. It declares tools alone and answers in JSON.
    pub fn plain(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            initialize: Members::of(&[
                ("capabilities", r#"{"tools":{}}"#),
                ("serverInfo", r#"{"name":"mcp-compat-varied","version":"1.0.0"}"#),
            ]),
            revision: None,
            definition: Members::of(&[
                // `audit-client` looks at how the integer is written.
                ("description", r#""Adds two numbers.""#),
                (
                    "inputSchema",
                    r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"number"}},"required":["a","b"]}"#,
                ),
            ]),
            others: Vec::new(),
            cursors: Vec::new(),
            content: Vec::new(),
            result: Members::default(),
            error: None,
            before: Vec::new(),
            before_list: Vec::new(),
            grows: false,
            gives_up: false,
            stream: None,
            json_type: "application/json",
            accepted: Accepted { status: 202, content_type: None, is_chunked: false },
            lower_names: false,
            gzip: false,
            closes: false,
            line_end: "\n",
            cut_lines: false,
            noise: None,
            log_lines: 0,
            session: None,
            session_end: None,
            delete: 405,
            get: Get::NotAllowed,
            refusals: Vec::new(),
            instead: None,
            redirects: false,
            lenient: false,
        }
    }

    /// Adds another tool, with these members beside its name.
    pub fn other(&mut self, name: &str, members: &str) {
        self.others.push(format!("{{\"name\":\"{name}\",{members}}}"));
    }

    /// Returns true if lists or calls over HTTP are answered with event streams.
    pub fn answers_in_events(&self) -> bool {
        self.stream.is_some() || self.gives_up || !self.before.is_empty() || !self.before_list.is_empty()
    }

    /// Returns the form of the answers as events, to be changed.
    pub fn events(&mut self) -> &mut StreamForm {
        self.stream.get_or_insert_default()
    }
}
