//! The official Go SDK. Lines are those of its sources at the tag of the release.

use crate::wire::deviations::{Carrier, ObservedQuirk};
use mcp_compat_model::{Mode, Revision};

use super::ClientProfile;
use crate::client::policy::{Lists, Policy, Preference, Roots, Types, Typing, Validation};
use crate::client::quirk::ClientQuirk;

/// The address of lines of release 1.8.0.
macro_rules! at {
    ($lines:literal) => {
        concat!("https://github.com/modelcontextprotocol/go-sdk/blob/v1.8.0/", $lines)
    };
}

/// The client of 1.x.
pub(super) const CLIENT_1: ClientProfile = ClientProfile {
    name: "go@1",
    sdk: "go-sdk 1.x, the official Go SDK",
    measured: "1.8.0",
    revisions: &Revision::ALL,
    modes: &[Mode::Auto, Mode::Legacy],
    policy: Policy {
        validation: Validation::Skip,
        preference: Preference::Both,
        typing: Typing::Any,
        roots: Roots::Open,
        types: Types::Go,
        lists: Lists::WhileFreshIfModern,
    },
    observed: &[
        ObservedQuirk::of(
            ClientQuirk::RoundsNumbers,
            "values are an `any`, whose numbers are float64",
            at!("mcp/protocol.go#L287"),
        ),
        ObservedQuirk::of(
            ClientQuirk::LastKeyWins,
            "objects are maps, in which a key stands once",
            at!("mcp/protocol.go#L287"),
        ),
        ObservedQuirk::of(ClientQuirk::NullAsAbsent, "a null is nil, and so is no value", at!("mcp/protocol.go#L287")),
        ObservedQuirk::of(
            ClientQuirk::RefusesHugeNumbers,
            "a number that is no float64 is an error of the result",
            at!("mcp/protocol.go#L397"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ReplacesLoneSurrogates,
            "strings are UTF-8, and the decoder writes U+FFFD for half a pair",
            at!("internal/json/json.go#L14"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ReplacesBadUtf8,
            "so it does for bytes that are not UTF-8",
            at!("internal/json/json.go#L14"),
        ),
        ObservedQuirk::of(
            ClientQuirk::EndsAtBrokenMessages,
            "what does not decode as a message is an error of the connection, which fails every request",
            at!("mcp/transport.go#L515-L553"),
        ),
        ObservedQuirk::of(
            ClientQuirk::IgnoresForeignAnswers,
            "an answer that nobody waits for is let go",
            at!("internal/jsonrpc2/conn.go#L528-L533"),
        ),
        ObservedQuirk::of(
            ClientQuirk::WaitsForProbe,
            "the probe has the time of the whole connection",
            at!("mcp/client.go#L319-L379"),
        ),
        ObservedQuirk::of(
            ClientQuirk::IgnoresEra,
            "every revision that the SDK knows is taken from `initialize`",
            at!("mcp/client.go#L394-L397"),
        ),
        ObservedQuirk::of(
            ClientQuirk::CompletesLists,
            "an absent member of a struct has its zero value: no tools, an empty name",
            at!("mcp/protocol.go#L1335"),
        ),
        ObservedQuirk::of(
            ClientQuirk::EndsAtEmptyCursor,
            "the iterator over tools ends where the cursor is the zero value of a string",
            at!("mcp/client.go#L1617-L1620"),
        ),
        ObservedQuirk::of(
            ClientQuirk::WantsIntegerTtl,
            "`ttlMs` is an int, in lists of any revision",
            at!("mcp/protocol.go#L1166"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ReadsOutputEarly,
            "the type of a result has `structuredContent`, whatever was negotiated",
            at!("mcp/protocol.go#L287"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RejectsUnknownBlocks,
            "a content block of another type is an error of the result",
            at!("mcp/content.go#L421"),
        ),
        ObservedQuirk::of(
            ClientQuirk::GoesByInputRequests,
            "the middleware looks at `inputRequests` alone, and at results of any revision",
            at!("mcp/mrtr.go#L93-L96"),
        ),
        ObservedQuirk::of(
            ClientQuirk::SendsNamesUnencoded,
            "the name is set as the header as it is",
            at!("mcp/streamable_headers.go#L209-L211"),
        )
        .over(Carrier::Http),
    ],
};
