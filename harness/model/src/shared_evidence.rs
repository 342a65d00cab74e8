//! The evidence of a cell as it stands in `transcripts.jsonl`: what many cells have in common stands once in the file.
//!
//! The messages of a run repeat: a run of 7,137 cells has 92,904, and 5,727 of them are distinct. So each distinct message,
//! HTTP head and step stands where the file has it first, and every other place refers to it by its number. Numbers begin
//! with 0 and go on from line to line, for messages, heads and steps each. A line that has no new ones has no list of them.
//!
//! ```text
//! {"evidence":{"cell":"…","messages":["{\"jsonrpc\":…"],"wire":[{"at":12,"client":0},{"at":31,"server":7}],…}}
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell::CellId;
use crate::observation::{End, Seen};
use crate::transcript::{Raw, Start, StopStage};

/// Evidence of a cell, in terms of what the file has up to here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedEvidence {
    /// The cell.
    pub cell: CellId,
    /// Messages that the file did not have before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
    /// HTTP heads that the file did not have before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heads: Vec<SharedHead>,
    /// Result of a client's step, where the file did not have the same before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<Seen>,
    /// Entries of the tap between client and server, in order.
    pub wire: Vec<WireEntry>,
    /// The revision that the client says was negotiated, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negotiated: Option<String>,
    /// Results of the steps, by their numbers.
    pub steps: Vec<u32>,
    /// End of the session.
    pub end: End,
    /// True if something was too long to be kept whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
}

/// A message: text where it is valid UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Message {
    /// Valid UTF-8, verbatim.
    Text(String),
    /// Anything else.
    Bytes {
        /// In base64.
        base64: String,
    },
}

impl From<Raw> for Message {
    fn from(raw: Raw) -> Self {
        match raw {
            Raw::Text(text) => Self::Text(text),
            Raw::Base64(base64) => Self::Bytes { base64 },
        }
    }
}

impl From<Message> for Raw {
    fn from(message: Message) -> Self {
        match message {
            Message::Text(text) => Self::Text(text),
            Message::Bytes { base64 } => Self::Base64(base64),
        }
    }
}

/// An HTTP head without the number of its exchange.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedHead {
    /// The first line.
    pub start: Start,
    /// The headers, names in lower case, in the order sent.
    pub headers: Vec<(String, String)>,
}

/// One thing that the tap saw: of the client or of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WireEntry {
    /// When, in microseconds since the cell began.
    pub at: u64,
    /// Act of the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Act>,
    /// Act of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<Act>,
    /// The HTTP head that it came with: the exchange, and the number of the head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<(u32, u32)>,
}

/// Act of one side on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Act {
    /// It sent a message: the number of it.
    Message(u32),
    /// It did something else.
    Event(SharedEvent),
}

/// Act of one side on the wire but for sending a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SharedEvent {
    /// It sent an HTTP head without a message. The entry has the head.
    Head {},
    /// It sent a message that is longer than the tap's limit; the rest was dropped.
    Overflow {
        /// The bound, in bytes.
        limit: u64,
        /// The beginning of what came.
        start: Message,
    },
    /// It fetched an address that a schema names.
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
