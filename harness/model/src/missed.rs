//! A newer revision that client and server both know, and did not speak.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Revision;

/// The newest revision that both know, where they spoke an older one, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Missed {
    /// The revision that they could have spoken.
    pub revision: Revision,
    /// Reason why they did not.
    pub because: Because,
    /// Words on the wire about it, in short: a status, a code with its words, or dates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
}

/// Reason why two peers did not speak the newest revision that both know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Because {
    /// The client was asked to open with `initialize`, by its mode.
    ModeLegacy,
    /// The client opened with `initialize` by itself, and never asked in the modern way.
    NotProbed,
    /// The server left the probe without an answer.
    ProbeUnanswered,
    /// The server refused the probe.
    ProbeRefused,
    /// The server answered the probe, and the client opened with `initialize` all the same.
    ProbeAnswered,
    /// The client asked for an older revision.
    AskedForOlder,
    /// The server was asked for the newer revision, and named an older one.
    NamedOlder,
}

impl Because {
    /// The event, as a part of a sentence.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::ModeLegacy => "mode legacy: the client was asked to open with `initialize`",
            Self::NotProbed => "the client opened with `initialize`, and never asked in the modern way",
            Self::ProbeUnanswered => "the probe failed: the server left it unanswered",
            Self::ProbeRefused => "the probe failed: the server refused it",
            Self::ProbeAnswered => "the server answered the probe, but the client opened with `initialize`",
            Self::AskedForOlder => "the client asked for an older one",
            Self::NamedOlder => "the client asked for it, and the server named an older one",
        }
    }
}
