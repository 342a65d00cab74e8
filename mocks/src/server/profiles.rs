//! Mock servers that stand in for released SDKs, for machines without Node or Python.
//!
//! Each entry is what the real SDK was observed to do. If a profile and the real SDK differ, the real SDK is right:
//! `fidelity` of the lab plays both and reports the differences.

use crate::wire::deviations::{LEGACY, ObservedQuirk, about_profile};
use mcp_compat_model::{PeerId, Revision};

use crate::server::downgrade::Downgrade;
use crate::server::quirk::ServerQuirk;

/// A server that stands in for a release line of an SDK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerProfile {
    /// The SDK and the release line, such as `typescript@1`.
    pub name: &'static str,
    /// The SDK in words, with the API of it that is meant.
    pub sdk: &'static str,
    pub measured: &'static str,
    /// The revisions that it speaks, oldest first.
    pub revisions: &'static [Revision],
    /// Downgrade for clients whose revision is older than its results.
    pub downgrade: Downgrade,
    /// Format of its responses over HTTP.
    pub response_format: ResponseFormat,
    /// Differences from an honest server.
    pub observed: &'static [ObservedQuirk<ServerQuirk>],
}

impl ServerProfile {
    pub fn id(&self) -> PeerId {
        PeerId::profile(self.name)
    }

    /// Describes it in one line.
    pub(crate) fn about(&self) -> String {
        about_profile(self.sdk, self.measured, self.observed.len())
    }
}

/// The servers, by name.
static SERVERS: [ServerProfile; 5] = [
    ServerProfile {
        name: "python@1",
        sdk: "mcp 1.x, the official Python SDK, by its low-level `Server`",
        measured: "1.30.0",
        revisions: LEGACY,
        downgrade: Downgrade::Naive,
        response_format: ResponseFormat::Sse,
        observed: &[],
    },
    ServerProfile {
        name: "python@2",
        sdk: "mcp 2.x, the official Python SDK, by its low-level `Server`",
        measured: "2.3.0",
        revisions: &Revision::ALL,
        downgrade: Downgrade::Naive,
        response_format: ResponseFormat::Sse,
        observed: &[ObservedQuirk::of(
            ServerQuirk::FailsOnForeignOutput,
            "a result is validated against the types of the revision spoken before it is sent",
            "https://github.com/modelcontextprotocol/python-sdk/blob/v2.3.0/src/mcp/server/runner.py#L379-L386",
        )],
    },
    ServerProfile {
        name: "rmcp@3",
        sdk: "rmcp 3.x, the official Rust SDK, by its `ServerHandler`",
        measured: "3.11.0",
        revisions: &Revision::ALL,
        downgrade: Downgrade::Naive,
        response_format: ResponseFormat::Sse,
        observed: &[ObservedQuirk::of(
            ServerQuirk::StripsForeignOutput,
            "for a peer of an older revision, the schema of a tool and the value of a result are dropped, each if it is no object, and the value becomes the first text",
            "https://github.com/modelcontextprotocol/rust-sdk/blob/165f8fd514afb8f6d1be3e86260ee9abfce58541/crates/rmcp/src/model.rs#L5142-L5166",
        )],
    },
    ServerProfile {
        name: "typescript@1",
        sdk: "@modelcontextprotocol/sdk 1.x, the official TypeScript SDK, by its low-level `Server`",
        measured: "1.32.2",
        revisions: LEGACY,
        downgrade: Downgrade::Naive,
        response_format: ResponseFormat::Sse,
        observed: &[],
    },
    ServerProfile {
        name: "typescript@2",
        sdk: "@modelcontextprotocol/server 2.x, the official TypeScript SDK, by its low-level `Server`",
        measured: "2.4.0",
        revisions: &Revision::ALL,
        downgrade: Downgrade::Naive,
        response_format: ResponseFormat::Sse,
        observed: &[ObservedQuirk::of(
            ServerQuirk::WrapsApart,
            "the list wraps a schema by its root, and the result wraps a value by its type and by its schema",
            "https://github.com/modelcontextprotocol/typescript-sdk/blob/%40modelcontextprotocol/client%402.4.0/packages/core-internal/src/wire/rev2025-11-25/codec.ts#L91-L136",
        )],
    },
];

/// The servers, by name.
pub fn servers() -> impl Iterator<Item = &'static ServerProfile> {
    SERVERS.iter()
}

/// The server of this name, such as `typescript@1`.
pub(crate) fn server(name: &str) -> Option<&'static ServerProfile> {
    servers().find(|profile| profile.name == name)
}

/// Format of responses over HTTP, if the client accepts both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseFormat {
    /// A JSON object; an event stream only if messages precede the response.
    Json,
    /// An event stream, whenever the client accepts one.
    Sse,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_observed_quirk_has_its_cause_and_its_source() {
        for profile in servers() {
            assert_eq!(crate::wire::deviations::problem(profile.observed), None, "{}", profile.name);
            assert!(PeerId::new(profile.id().as_str()).is_ok() && !profile.revisions.is_empty());
            assert!(
                profile.observed.iter().all(|known| known.over.is_none()),
                "a server's answers are made for any wire"
            );
        }
    }
}
