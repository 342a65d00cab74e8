//! The party responsible for the fix.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Role;

/// The party responsible for the fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Both of them.
    Both,
    /// The specification: two readings are defensible, or it says nothing.
    Spec,
    /// This project.
    Harness,
}

impl Fault {
    /// Every party.
    pub const ALL: [Self; 5] = [Self::Client, Self::Server, Self::Both, Self::Spec, Self::Harness];

    /// The fault of one side.
    #[must_use]
    pub const fn of(role: Role) -> Self {
        match role {
            Role::Client => Self::Client,
            Role::Server => Self::Server,
        }
    }

    /// The name used in files and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::Both => "both",
            Self::Spec => "spec",
            Self::Harness => "harness",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
