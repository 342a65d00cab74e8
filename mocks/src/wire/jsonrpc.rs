//! JSON-RPC messages whose values stay the text that they arrived as.
//!
//! Nothing here builds a tree: a message is read into slices of its own line, and written by putting raw JSON text between
//! its members. Numbers keep their digits and keys their order.
//!
//! ```text
//! a line, a body  ->  Message::read                               ->  Request | Notification | Response | Failure
//! raw JSON text   ->  request, notification, response, failure    ->  bytes without a line end
//! ```

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The most bytes that one message may have. Longer ones are refused before they are stored.
pub const MESSAGE_LIMIT: usize = 16 * 1024 * 1024;

/// Invalid JSON.
pub const PARSE_ERROR: i64 = -32700;
/// JSON that is not a JSON-RPC message, or a message at the wrong time.
pub const INVALID_REQUEST: i64 = -32600;
/// A method that the receiver does not have.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// Parameters that the method cannot take.
pub const INVALID_PARAMS: i64 = -32602;
/// A failure of the receiver itself.
pub const INTERNAL_ERROR: i64 = -32603;
/// An HTTP header that is missing, malformed, or at odds with the body (2026-07-28).
pub const HEADER_MISMATCH: i64 = -32020;
/// A protocol version that the server does not serve (2026-07-28).
pub const UNSUPPORTED_VERSION: i64 = -32022;

/// The `_meta` key that carries a modern request's revision.
pub const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The `_meta` key that carries a modern client's capabilities.
pub const META_CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The `_meta` key that names a modern client.
pub const META_CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The `_meta` key that names a modern server.
pub const META_SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The `_meta` key that ties a notification to its `subscriptions/listen` request.
pub const META_SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Message, borrowed from the bytes that it was read from.
#[derive(Clone, Debug)]
pub enum Message<'a> {
    /// Expects an answer.
    Request {
        /// A string or an integer, as it stands on the wire.
        id: &'a RawValue,
        method: Cow<'a, str>,
        /// The parameters, of any JSON type.
        params: Option<&'a RawValue>,
    },
    /// Expects no answer.
    Notification {
        method: Cow<'a, str>,
        /// The parameters, of any JSON type.
        params: Option<&'a RawValue>,
    },
    /// An answer with a result.
    Response {
        /// The request's id.
        id: &'a RawValue,
        /// The result, of any JSON type.
        result: &'a RawValue,
    },
    /// An answer with an error.
    Failure {
        /// The request's id, unless it could not be read.
        id: Option<&'a RawValue>,
        /// The error, of any JSON type; [`ErrorObject::read`] looks into it.
        error: &'a RawValue,
    },
}

/// Reason why bytes are not a JSON-RPC message.
#[derive(Debug, thiserror::Error)]
pub enum Malformed {
    #[error("not JSON: {0}")]
    Syntax(serde_json::Error),
    #[error("not a JSON-RPC message: {0}")]
    Members(serde_json::Error),
    /// JSON without `jsonrpc`, `id` and `result`, such as the entry of a log.
    #[error("not a JSON-RPC message: it has no `jsonrpc`, `id` and `result`")]
    Foreign,
    #[error("not a JSON-RPC message: {reason}")]
    Shape {
        /// The id as JSON text, when it could be read.
        id: Option<String>,
        /// Description of the problem.
        reason: &'static str,
    },
}

impl Malformed {
    /// The JSON-RPC error code that answers such bytes.
    pub const fn code(&self) -> i64 {
        match self {
            Self::Syntax(_) => PARSE_ERROR,
            Self::Members(_) | Self::Foreign | Self::Shape { .. } => INVALID_REQUEST,
        }
    }

    /// The request's id as JSON text, when it could be read.
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Syntax(_) | Self::Members(_) | Self::Foreign => None,
            Self::Shape { id, .. } => id.as_deref(),
        }
    }
}

/// The members that any message may have. A member that is `null` is `Some`; an absent one is `None`.
#[derive(Deserialize)]
struct Members<'a> {
    #[serde(default, borrow)]
    jsonrpc: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(default, borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

impl Members<'_> {
    fn are_foreign(&self) -> bool {
        self.jsonrpc.is_none() && self.id.is_none() && self.result.is_none()
    }
}

/// Reads a member that may be `null`, without reading `null` as absent.
///
/// # Errors
/// Never for JSON text: every value is raw text.
pub fn present<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl<'a> Message<'a> {
    /// Reads one message.
    ///
    /// # Errors
    /// When the bytes are not one JSON-RPC 2.0 message. A batch (an array) is not one.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let members: Members<'a> = serde_json::from_slice(bytes).map_err(|error| {
            // A log line such as `[2026-11-29] ready` fails as a list before its syntax does.
            let syntax = if error.is_data() { serde_json::from_slice::<IgnoredAny>(bytes).err() } else { None };
            match syntax {
                Some(syntax) => Malformed::Syntax(syntax),
                None if error.is_data() => Malformed::Members(error),
                None => Malformed::Syntax(error),
            }
        })?;
        if members.are_foreign() {
            return Err(Malformed::Foreign);
        }
        let usable_id = members.id.filter(|id| is_id(id));
        let shape = |reason| Malformed::Shape { id: usable_id.map(|id| id.get().to_owned()), reason };
        if members.jsonrpc.as_deref() != Some("2.0") {
            return Err(shape("`jsonrpc` has to be \"2.0\""));
        }
        match (members.method, members.id, members.result, members.error) {
            (Some(method), None, None, None) => Ok(Self::Notification { method, params: members.params }),
            (Some(method), Some(_), None, None) => {
                let id = usable_id.ok_or_else(|| shape("the `id` of a request has to be a string or an integer"))?;
                Ok(Self::Request { id, method, params: members.params })
            }
            (None, Some(id), Some(result), None) => Ok(Self::Response { id, result }),
            (None, id, None, Some(error)) => Ok(Self::Failure { id: id.filter(|id| id.get() != "null"), error }),
            (_, _, Some(_), _) | (_, _, _, Some(_)) => {
                Err(shape("expected exactly one of `method`, `result` and `error`, and an `id` with a result"))
            }
            (None, _, None, None) => Err(shape("expected `method`, `result` or `error`")),
        }
    }
}

/// Returns whether JSON text may identify a request: a string, or a number without fraction and exponent.
fn is_id(raw: &RawValue) -> bool {
    match raw.get().as_bytes() {
        [b'"', ..] => true,
        [b'-' | b'0'..=b'9', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// The members of an error that a receiver acts on.
#[derive(Clone, Debug, Deserialize)]
pub struct ErrorObject<'a> {
    pub code: i64,
    #[serde(borrow)]
    pub message: Cow<'a, str>,
    /// Anything else that the sender adds.
    #[serde(default, borrow, deserialize_with = "present")]
    pub data: Option<&'a RawValue>,
}

impl<'a> ErrorObject<'a> {
    /// Looks into the error of a [`Message::Failure`].
    ///
    /// # Errors
    /// When it is not an object with an integer `code` and a string `message`.
    pub fn read(error: &'a RawValue) -> serde_json::Result<Self> {
        serde_json::from_str(error.get())
    }
}

/// A request. `id` and `params` are JSON text.
pub fn request(id: &str, method: &str, params: Option<&str>) -> Vec<u8> {
    with_method([r#"{"jsonrpc":"2.0","id":"#, id, ","], method, params)
}

/// A notification. `params` is JSON text.
pub fn notification(method: &str, params: Option<&str>) -> Vec<u8> {
    with_method([r#"{"jsonrpc":"2.0","#, "", ""], method, params)
}

/// An answer with a result. `id` and `result` are JSON text.
pub fn response(id: &str, result: &str) -> Vec<u8> {
    // All of it and a line end: a long result is not copied again to make room.
    let mut message = Vec::with_capacity(id.len() + result.len() + 40);
    for part in [r#"{"jsonrpc":"2.0","id":"#, id, r#","result":"#, result, "}"] {
        message.extend_from_slice(part.as_bytes());
    }
    message
}

/// An answer with an error object. All of it is JSON text. There is no id if the request's could not be read.
pub fn failure(id: Option<&str>, error: &str) -> Vec<u8> {
    let id = id.map(|id| format!(r#""id":{id},"#)).unwrap_or_default();
    format!(r#"{{"jsonrpc":"2.0",{id}"error":{error}}}"#).into_bytes()
}

/// An error object as JSON text; `data` is JSON text.
pub fn error_object(code: i64, message: &str, data: Option<&str>) -> String {
    let mut text = format!(r#"{{"code":{code},"message":{}"#, quote(message));
    if let Some(data) = data {
        text.push_str(r#","data":"#);
        text.push_str(data);
    }
    text.push('}');
    text
}

/// A string as JSON text.
pub fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn with_method(start: [&str; 3], method: &str, params: Option<&str>) -> Vec<u8> {
    // All of it and a line end: long parameters are not copied again to make room.
    let mut message = Vec::with_capacity(params.map_or(0, str::len) + method.len() + 80);
    let (before, params) = params.map_or(("", ""), |params| (r#","params":"#, params));
    for part in start.into_iter().chain([r#""method":"#, &quote(method), before, params, "}"]) {
        message.extend_from_slice(part.as_bytes());
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_keeps_the_text_of_its_parameters() {
        let line = br#"{"params":{"n":1e400, "a":1,"a":2},"method":"m","id":"x\u00e9","jsonrpc":"2.0"}"#;
        let Message::Request { id, method, params } = Message::read(line).unwrap() else { unreachable!("a request") };
        assert_eq!((id.get(), &*method), (r#""x\u00e9""#, "m"));
        assert_eq!(params.unwrap().get(), r#"{"n":1e400, "a":1,"a":2}"#);
    }

    #[test]
    fn a_null_result_is_a_result() {
        let message = Message::read(br#"{"jsonrpc":"2.0","id":1,"result":null}"#).unwrap();
        assert!(matches!(message, Message::Response { result, .. } if result.get() == "null"));
    }

    #[test]
    fn what_was_written_reads_back() {
        let out = request("7", "tools/call", Some("{}"));
        assert!(matches!(Message::read(&out).unwrap(), Message::Request { id, .. } if id.get() == "7"));
        let out = notification("notifications/initialized", None);
        assert!(matches!(Message::read(&out).unwrap(), Message::Notification { params: None, .. }));
        let out = failure(None, &error_object(INVALID_PARAMS, "a \"b\"\n", Some("[1]")));
        let Message::Failure { id: None, error } = Message::read(&out).unwrap() else { unreachable!("a failure") };
        let error = ErrorObject::read(error).unwrap();
        assert_eq!((error.code, &*error.message, error.data.unwrap().get()), (INVALID_PARAMS, "a \"b\"\n", "[1]"));
    }

    #[test]
    fn an_entry_of_a_log_is_told_from_a_broken_message() {
        let is_foreign = |line: &[u8]| matches!(Message::read(line), Err(Malformed::Foreign));
        assert!(is_foreign(br#"{"level":"info","msg":"ready"}"#));
        assert!(is_foreign(br#"{"error":"refused"}"#) && is_foreign(br#"{"method":"GET","path":"/"}"#));
        assert!(!is_foreign(br#"{"level":"info","id":1}"#) && !is_foreign(br#"{"id":1,"method":"m"}"#));
    }

    #[test]
    fn what_is_no_message_is_refused_with_the_code_that_answers_it() {
        for (bytes, code) in [
            (&b"{"[..], PARSE_ERROR),
            (b"\xff", PARSE_ERROR),
            (b"[2026-11-29] ready", PARSE_ERROR),
            (b"[]", INVALID_REQUEST),
            (b"{}", INVALID_REQUEST),
            (br#"{"jsonrpc":"1.0","id":1,"method":"m"}"#, INVALID_REQUEST),
            (br#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, INVALID_REQUEST),
            (br#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#, INVALID_REQUEST),
            (br#"{"jsonrpc":"2.0","id":1,"method":"m","result":1}"#, INVALID_REQUEST),
            (br#"{"jsonrpc":"2.0","result":1}"#, INVALID_REQUEST),
        ] {
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(Message::read(bytes).map(|_| ()).unwrap_err().code(), code, "{text}");
        }
    }
}
