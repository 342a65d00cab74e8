//! The messages of a transcript, each read once.
//!
//! Reading is lenient: a message that looks like a response is read as one, whatever else is wrong with it, because the
//! client may have done the same. A byte order mark is skipped. What is wrong is kept beside the message, for the rules.
//!
//! Once read, a value of two bytes takes forty bytes or more, and a message of a batch two hundred. A side that sends many of either
//! is bounded by its bytes where it is recorded, and by a budget where it is read.

use std::borrow::Cow;

use mcp_compat_json::{Json, JsonError, MAX_VALUES};
use mcp_compat_model::Role;
use mcp_compat_model::read_limit::{MAX_MESSAGES, MAX_VALUES_TOGETHER, ReadLimit};
use mcp_compat_model::transcript::{Entry, Event, Head, Raw, Start, Transcript};

/// Mark that some platforms write before every text. JSON forbids to send it and allows to skip it (RFC 8259, section
/// 8.1).
const BYTE_ORDER_MARK: char = '\u{feff}';

/// One JSON-RPC message, or what came in its place.
#[derive(Debug)]
pub struct Message<'t> {
    /// The transcript entry it came in.
    pub seq: u32,
    pub from: Role,
    /// The HTTP head it came with.
    pub http: Option<&'t Head>,
    pub shape: Shape,
    /// The message as JSON; null where it cannot be read.
    pub json: Json,
    /// Defect by JSON-RPC, or by MCP's use of it.
    pub defect: Option<Cow<'static, str>>,
    /// True if it came in an array with others.
    pub batched: bool,
}

/// Kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// It has a method and an id.
    Request,
    /// It has a method and no id.
    Notification,
    Result,
    Error,
    /// It is not JSON, or none of the above.
    Unreadable,
    /// It is larger than mcp-compat reads. It may be any of the above.
    NotRead(ReadLimit),
}

impl Message<'_> {
    /// The method of a request or notification.
    pub fn method(&self) -> Option<&str> {
        self.json.get("method").and_then(Json::as_str)
    }

    /// The id of a request or response.
    pub fn id(&self) -> Option<&Json> {
        self.json.get("id").filter(|id| !id.is_null())
    }

    pub fn param(&self, name: &str) -> Option<&Json> {
        self.json.get("params")?.get(name)
    }

    /// A member of the parameters' `_meta`.
    pub fn meta(&self, name: &str) -> Option<&Json> {
        self.param("_meta")?.get(name)
    }

    pub fn result(&self) -> Option<&Json> {
        if self.shape == Shape::Result { self.json.get("result") } else { None }
    }

    /// The code of an error response.
    pub fn error_code(&self) -> Option<i64> {
        self.json.get("error")?.get("code")?.as_number()?.as_i64()
    }

    /// The words of an error response.
    pub fn error_message(&self) -> Option<&str> {
        self.json.get("error")?.get("message")?.as_str()
    }

    /// The status of the HTTP response that it came with.
    pub fn status(&self) -> Option<u16> {
        match self.http?.start {
            Start::Response { status } => Some(status),
            Start::Request { .. } => None,
        }
    }
}

/// The first message that is larger than mcp-compat reads: who sent it, and in what it is too large. `None` for a peer that
/// fills the session with what is no JSON-RPC message: that violates a rule.
pub fn first_not_read(messages: &[Message<'_>]) -> Option<(Role, ReadLimit)> {
    let is_noise = |from: Role| messages.iter().any(|it| it.from == from && it.shape == Shape::Unreadable);
    let limit = |message: &Message<'_>| if let Shape::NotRead(limit) = message.shape { Some(limit) } else { None };
    let first = messages.iter().find_map(|message| Some((message.from, limit(message)?)));
    first.filter(|(from, limit)| !limit.is_of_all() || !is_noise(*from))
}

/// Reads every message of the transcript, in order.
pub fn messages(transcript: &Transcript) -> Vec<Message<'_>> {
    let mut messages = Vec::with_capacity(transcript.entries.len());
    let (mut of_client, mut of_server) = (Budget::default(), Budget::default());
    for entry in &transcript.entries {
        match &entry.event {
            Event::Message { raw, http } => {
                let budget = match entry.from {
                    Role::Client => &mut of_client,
                    Role::Server => &mut of_server,
                };
                read_raw(entry, raw, http.as_ref(), budget, &mut messages);
            }
            Event::Overflow { limit, start } => {
                let of = if start.to_bytes().is_empty() { ReadLimit::Together } else { ReadLimit::Length };
                messages.push(not_read(entry, None, of(*limit)));
            }
            Event::Head { .. }
            | Event::Fetched { .. }
            | Event::Closed {}
            | Event::Exited { .. }
            | Event::Stopped { .. } => {}
        }
    }
    messages
}

/// Reads the messages of an entry, as far as there is budget.
fn read_raw<'t>(
    entry: &Entry,
    raw: &'t Raw,
    http: Option<&'t Head>,
    budget: &mut Budget,
    messages: &mut Vec<Message<'t>>,
) {
    let (marked, json) = match raw {
        Raw::Text(text) => match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => (true, budget.read(rest)),
            None => (false, budget.read(text)),
        },
        Raw::Base64(_) => (false, budget.read_bytes(&raw.to_bytes())),
    };
    let before = messages.len();
    match json {
        Ok(Json::Array(batch)) if !batch.is_empty() => {
            messages.extend(batch.into_iter().map(|json| readable(entry, http, json, true)));
        }
        Ok(json) => messages.push(readable(entry, http, json, false)),
        Err(Unread::TooLarge(limit)) => messages.push(not_read(entry, http, limit)),
        Err(Unread::NotJson(error)) => {
            messages.push(unreadable(entry, http, format!("it is not JSON: {error}").into()));
        }
    }
    if marked {
        let defect = || Some("it begins with a byte order mark".into());
        messages[before..].iter_mut().for_each(|message| message.defect = message.defect.take().or_else(defect));
    }
}

fn unreadable<'t>(entry: &Entry, http: Option<&'t Head>, defect: Cow<'static, str>) -> Message<'t> {
    Message {
        seq: entry.seq,
        from: entry.from,
        http,
        shape: Shape::Unreadable,
        json: Json::Null,
        defect: Some(defect),
        batched: false,
    }
}

fn not_read<'t>(entry: &Entry, http: Option<&'t Head>, limit: ReadLimit) -> Message<'t> {
    Message { shape: Shape::NotRead(limit), defect: None, ..unreadable(entry, http, Cow::Borrowed("")) }
}

fn readable<'t>(entry: &Entry, http: Option<&'t Head>, json: Json, batched: bool) -> Message<'t> {
    let (shape, defect) = classify(&json);
    Message { seq: entry.seq, from: entry.from, http, shape, json, defect, batched }
}

fn classify(json: &Json) -> (Shape, Option<Cow<'static, str>>) {
    let Some(object) = json.as_object() else {
        return (Shape::Unreadable, Some(format!("a JSON {} instead of an object", json.kind()).into()));
    };
    let (mut id, mut method, mut result, mut error, mut version) = (None, None, None, None, None);
    for (key, value) in object.iter() {
        match key.as_str() {
            Some("id") => id = Some(value),
            Some("method") => method = Some(value),
            Some("result") => result = Some(value),
            Some("error") => error = Some(value),
            Some("jsonrpc") => version = Some(value),
            Some(_) | None => {}
        }
    }
    let (shape, defect) = match (method, result, error) {
        (Some(method), None, None) => {
            let shape = if id.is_some() { Shape::Request } else { Shape::Notification };
            (shape, (method.as_str().is_none()).then_some("its method is not a string"))
        }
        (None, Some(result), None) => {
            let defect = match (id, result) {
                (None | Some(Json::Null), _) => Some("a result without an id"),
                (_, Json::Object(_)) => None,
                (_, _) => Some("its result is not an object"),
            };
            (Shape::Result, defect)
        }
        (None, None, Some(error)) => (Shape::Error, error_defect(error)),
        (None, Some(_), Some(_)) => (Shape::Result, Some("both a result and an error")),
        (Some(_), _, _) => (Shape::Unreadable, Some("both a method and a result or error")),
        (None, None, None) => (Shape::Unreadable, Some("neither a method, a result nor an error")),
    };
    let versioned = version.and_then(Json::as_str) == Some("2.0");
    let defect = defect
        .or((!versioned).then_some("its jsonrpc is not \"2.0\""))
        .or_else(|| id.and_then(|id| id_defect(shape, id)))
        .or_else(|| object.has_duplicates().then_some("a key is given more than once"));
    (shape, defect.map(Cow::Borrowed))
}

fn error_defect(error: &Json) -> Option<&'static str> {
    let code = error.get("code").and_then(Json::as_number);
    if !code.is_some_and(mcp_compat_json::Number::is_integer) {
        Some("its error has no integer code")
    } else if error.get("message").and_then(Json::as_str).is_none() {
        Some("its error has no message")
    } else {
        None
    }
}

fn id_defect(shape: Shape, id: &Json) -> Option<&'static str> {
    match id {
        Json::String(_) => None,
        Json::Number(number) if number.is_integer() => None,
        // An error to a request whose id could not be read has none.
        Json::Null if shape == Shape::Error => None,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
            Some("its id is neither a string nor an integer")
        }
    }
}

/// Reason why a text is no message.
#[derive(Debug)]
enum Unread {
    TooLarge(ReadLimit),
    NotJson(JsonError),
}

/// Rest of the budget for reading one side.
struct Budget {
    values: usize,
    messages: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { values: MAX_VALUES_TOGETHER, messages: MAX_MESSAGES }
    }
}

impl Budget {
    /// Reads a message or a batch of them. One for which there is no budget takes none.
    fn read(&mut self, text: &str) -> Result<Json, Unread> {
        let read = Json::parse_at_most(self.values, text);
        self.admit(read)
    }

    /// Reads bytes that need not be UTF-8.
    fn read_bytes(&mut self, bytes: &[u8]) -> Result<Json, Unread> {
        let read = Json::parse_bytes_at_most(self.values, bytes);
        self.admit(read)
    }

    fn admit(&mut self, read: Result<(Json, usize), JsonError>) -> Result<Json, Unread> {
        let (json, values) = read.map_err(|error| match ReadLimit::of_json(error.kind) {
            Some(ReadLimit::Values) if self.values < MAX_VALUES => Unread::TooLarge(ReadLimit::ValuesTogether),
            Some(limit) => Unread::TooLarge(limit),
            None => Unread::NotJson(error),
        })?;
        let messages = json.as_array().map_or(1, |batch| batch.len().max(1));
        let left = self.messages.checked_sub(messages).ok_or(Unread::TooLarge(ReadLimit::Messages))?;
        (self.values, self.messages) = (self.values - values, left);
        Ok(json)
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_json::MAX_DEPTH;

    use super::*;

    fn entry(from: Role, text: &str) -> Entry {
        Entry { seq: 0, at_us: 0, from, event: Event::Message { raw: Raw::from_bytes(text.as_bytes()), http: None } }
    }

    fn message(text: &str) -> (Shape, Option<String>) {
        let transcript = Transcript { entries: vec![entry(Role::Server, text)] };
        let messages = messages(&transcript);
        (messages[0].shape, messages[0].defect.as_deref().map(str::to_owned))
    }

    #[test]
    fn well_formed_messages_have_no_defect() {
        for (text, shape) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, Shape::Request),
            (r#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#, Shape::Request),
            (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, Shape::Notification),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, Shape::Result),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#, Shape::Error),
            (r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}"#, Shape::Error),
        ] {
            assert_eq!(message(text), (shape, None), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_and_the_shape_is_still_told() {
        for (text, shape) in [
            ("log line", Shape::Unreadable),
            ("\u{feff}{}", Shape::Unreadable),
            ("\u{feff}\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", Shape::Unreadable),
            ("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", Shape::Result),
            ("[]", Shape::Unreadable),
            ("{}", Shape::Unreadable),
            (r#"{"id":1,"result":{}}"#, Shape::Result),
            (r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#, Shape::Result),
            (r#"{"jsonrpc":"2.0","id":1,"result":[]}"#, Shape::Result),
            (r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#, Shape::Result),
            (r#"{"jsonrpc":"2.0","result":{}}"#, Shape::Result),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Shape::Request),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"no"}}"#, Shape::Error),
            (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#, Shape::Result),
        ] {
            let (found, defect) = message(text);
            assert_eq!((found, defect.is_some()), (shape, true), "{text}");
        }
    }

    #[test]
    fn what_is_larger_than_is_read_is_no_defect() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert_eq!(message(&nested(MAX_DEPTH + 1)), (Shape::NotRead(ReadLimit::Depth), None));
        assert_eq!(message(&nested(MAX_DEPTH)).0, Shape::Unreadable);
        let result =
            |values: usize| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"a":[{}0]}}}}"#, "0,".repeat(values - 6));
        assert_eq!(message(&result(MAX_VALUES + 1)), (Shape::NotRead(ReadLimit::Values), None));
        assert_eq!(message(&result(MAX_VALUES)), (Shape::Result, None));
    }

    #[test]
    fn each_side_has_its_own_budget() {
        let batch = format!("[{}0]", "0,".repeat(MAX_MESSAGES));
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let entries = vec![entry(Role::Client, &batch), entry(Role::Server, ping), entry(Role::Client, ping)];
        let transcript = Transcript { entries };
        let shapes: Vec<_> = messages(&transcript).iter().map(|message| message.shape).collect();
        assert_eq!(shapes, [Shape::NotRead(ReadLimit::Messages), Shape::Request, Shape::Request]);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_unreadable() {
        let event = Event::Message { raw: Raw::from_bytes(b"\xff{}"), http: None };
        let transcript = Transcript { entries: vec![Entry { seq: 0, at_us: 0, from: Role::Client, event }] };
        assert_eq!(messages(&transcript)[0].shape, Shape::Unreadable);
    }

    #[test]
    fn a_batch_is_its_messages() {
        let event = Event::Message {
            raw: Raw::from_bytes(br#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"x"}]"#),
            http: None,
        };
        let transcript = Transcript { entries: vec![Entry { seq: 7, at_us: 0, from: Role::Server, event }] };
        let messages = messages(&transcript);
        let shapes: Vec<_> = messages.iter().map(|message| (message.seq, message.shape, message.batched)).collect();
        assert_eq!(shapes, [(7, Shape::Result, true), (7, Shape::Notification, true)]);
    }

    /// Reads texts, one after the other: `None` for JSON.
    fn read(texts: &[&str]) -> Vec<Option<ReadLimit>> {
        let mut budget = Budget::default();
        let read = texts.iter().map(|text| match budget.read(text) {
            Ok(_) => None,
            Err(Unread::TooLarge(limit)) => Some(limit),
            Err(Unread::NotJson(error)) => panic!("{error}"),
        });
        read.collect()
    }

    #[test]
    fn values_are_read_until_there_are_too_many_together() {
        let of = |values: usize| format!(r#"{{"a":[{}0]}}"#, "0,".repeat(values - 3));
        let (most, more) = (of(MAX_VALUES), of(MAX_VALUES + 1));
        let (most, more) = (most.as_str(), more.as_str());
        let together = Some(ReadLimit::ValuesTogether);
        assert_eq!(read(&[more, most, most, "0"]), [Some(ReadLimit::Values), None, None, together]);
        let half = of(MAX_VALUES / 2);
        let texts = [most, &half, most, &half];
        assert_eq!(read(&texts), [None, None, together, None], "what is not read takes no budget");
    }

    #[test]
    fn messages_are_read_until_there_are_too_many() {
        let of = |messages: usize| format!("[{}0]", "0,".repeat(messages - 1));
        let (most, more) = (of(MAX_MESSAGES), of(MAX_MESSAGES + 1));
        let too_many = Some(ReadLimit::Messages);
        assert_eq!(read(&[&more, &most, "{}", "[0]", "[]"]), [too_many, None, too_many, too_many, too_many]);
    }
}
