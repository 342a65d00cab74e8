//! Every message on the wire of one cell, raw and in order.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Role;

/// Record of the tap between client and server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Transcript {
    /// The entries; `entries[n].seq == n`. Messages are in the order in which the tap saw them. Over HTTP, heads without a
    /// message have fixed places, because the protocol leaves open when they pass.
    pub entries: Vec<Entry>,
}

impl Transcript {
    /// The entry at a place.
    #[must_use]
    pub fn entry(&self, seq: u32) -> Option<&Entry> {
        self.entries.get(usize::try_from(seq).ok()?)
    }

    /// The message at a place. `None` if something else is there, or only the beginning of a message.
    #[must_use]
    pub fn message(&self, seq: u32) -> Option<&Raw> {
        self.entry(seq)?.event.message()
    }

    /// Number of bytes of its messages, as they are stored.
    #[must_use]
    pub fn message_bytes(&self) -> usize {
        let messages = self.entries.iter().filter_map(|entry| entry.event.message());
        messages.map(|(Raw::Text(text) | Raw::Base64(text))| text.len()).sum()
    }
}

/// One thing that the tap saw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its place in the transcript, from 0.
    pub seq: u32,
    /// When, in microseconds since the cell began.
    pub at_us: u64,
    /// Its sender.
    pub from: Role,
    /// The event.
    pub event: Event,
}

/// Act of one side on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Event {
    /// It sent a message: a line on stdio, a body or the data of one server-sent event over HTTP.
    Message {
        /// The bytes, without the framing.
        raw: Raw,
        /// The HTTP head that it came with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        http: Option<Head>,
    },
    /// It sent an HTTP head without a message: a GET or DELETE, a 202, the opening of an event stream.
    Head {
        /// The head.
        http: Head,
    },
    /// It sent a message that is longer than the limit, or in all more than the limit. The rest was dropped.
    Overflow {
        /// The limit, in bytes.
        limit: u64,
        /// The beginning of the message. Empty if the limit is that of all messages together.
        start: Raw,
    },
    /// It fetched an address that a schema names, which nobody asked it to.
    Fetched {
        /// The path and query of the address.
        path: String,
    },
    /// It closed its sending side.
    Closed {},
    /// Its process ended.
    Exited {
        /// The exit status, or the signal, in words.
        how: String,
    },
    /// The harness pressed it to end.
    Stopped {
        /// The stage that the harness had to go to.
        stage: StopStage,
    },
}

impl Event {
    /// The head that came over HTTP, of a message or alone.
    #[must_use]
    pub const fn head(&self) -> Option<&Head> {
        match self {
            Self::Message { http, .. } => http.as_ref(),
            Self::Head { http } => Some(http),
            Self::Overflow { .. }
            | Self::Fetched { .. }
            | Self::Closed {}
            | Self::Exited { .. }
            | Self::Stopped { .. } => None,
        }
    }

    /// The message, if all of it was kept.
    #[must_use]
    pub const fn message(&self) -> Option<&Raw> {
        if let Self::Overflow { .. } = self { None } else { self.message_or_its_start() }
    }

    /// The message, or the beginning of one that was too long to keep.
    #[must_use]
    pub const fn message_or_its_start(&self) -> Option<&Raw> {
        if let Self::Message { raw, .. } | Self::Overflow { start: raw, .. } = self { Some(raw) } else { None }
    }
}

/// Stage that the harness had to go to in order to end a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StopStage {
    /// Its input was closed, and it ended.
    InputClosed,
    /// Its process group was asked to end (SIGTERM).
    Terminated,
    /// Its process group was killed (SIGKILL).
    Killed,
}

/// The head of an HTTP request or response, as far as it matters to the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The exchange of the cell, from 0: a request and everything that answers it share it.
    pub exchange: u32,
    /// The first line.
    pub start: Start,
    /// The headers that the protocol gives a meaning, names in lower case, in the order sent.
    pub headers: Vec<(String, String)>,
}

impl Head {
    /// The first header of that name (in lower case).
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The first line of an HTTP message.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Start {
    /// Start of a request.
    Request {
        /// The method, such as `POST`.
        method: String,
    },
    /// Start of a response.
    Response {
        /// The status code.
        status: u16,
    },
}

/// Bytes from the wire: text where they are valid UTF-8, base64 where not.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Raw {
    /// Valid UTF-8, verbatim.
    Text(String),
    /// Anything else, in base64.
    Base64(String),
}

impl Raw {
    /// Keeps the bytes as they are.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Base64(STANDARD.encode(bytes)),
        }
    }

    /// The text, when the bytes are valid UTF-8.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Base64(_) => None,
        }
    }

    /// The bytes. Base64 that was damaged in a stored file gives no bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.as_bytes().to_vec(),
            Self::Base64(text) => STANDARD.decode(text).unwrap_or_default(),
        }
    }
}

/// Returns true for bytes that begin like a message, an array of messages, or a byte order mark before one. Other lines on
/// standard output are banners and logs, of which many begin with a time in brackets.
pub fn begins_as_message(bytes: &[u8]) -> bool {
    match bytes.trim_ascii_start() {
        [0xef, 0xbb, 0xbf, rest @ ..] => begins_as_message(rest),
        [b'{', ..] => true,
        [b'[', rest @ ..] => matches!(rest.trim_ascii_start(), [] | [b'{' | b']', ..]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_line_with_a_time_in_brackets_begins_as_no_message() {
        let messages = [&br#"{"jsonrpc""#[..], b" [ {\"id\":1", b"[]", "\u{feff}{".as_bytes()];
        assert!(messages.iter().all(|line| begins_as_message(line)));
        let full_width = "\u{ff3b}INFO\u{ff3d} ready";
        let others = [&b"[2026-11-29] ready"[..], b"[INFO] ready", b"listening", b"", full_width.as_bytes()];
        assert!(!others.iter().any(|line| begins_as_message(line)));
    }

    #[test]
    fn bytes_come_back_as_they_were() {
        for bytes in [b"{\"a\":1}".as_slice(), b"\xff\xfe", b"", "\u{feff}{}".as_bytes()] {
            let raw = Raw::from_bytes(bytes);
            let text = serde_json::to_string(&raw).unwrap();
            assert_eq!(serde_json::from_str::<Raw>(&text).unwrap().to_bytes(), bytes);
        }
    }
}
