//! The official Python SDK. Lines are those of the sources in the published packages.

use mcp_compat_model::{Mode, Revision};

use super::ClientProfile;
use crate::client::{ClientQuirk, Policy, Preference, Typing, Validation};
use crate::deviations::{Carrier, Trait};

/// The address of lines of release 1.30.0.
macro_rules! at_1 {
    ($lines:literal) => {
        concat!("https://github.com/modelcontextprotocol/python-sdk/blob/v1.30.0/src/mcp/", $lines)
    };
}

const LEGACY: &[Revision] =
    &[Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];

/// The client of 1.x.
pub(super) const CLIENT_1: ClientProfile = ClientProfile {
    name: "python@1",
    sdk: "mcp 1.x, the official Python SDK",
    measured: "1.30.0",
    revisions: LEGACY,
    modes: &[Mode::Legacy],
    policy: Policy { validation: Validation::Reject, preference: Preference::Both, typing: Typing::Any },
    traits: &[
        Trait::of(
            ClientQuirk::RoundsDecimals,
            "numbers are Python's: integers of any size, and floats",
            at_1!("types.py#L1367"),
        ),
        Trait::of(ClientQuirk::LastKeyWins, "objects are dictionaries", at_1!("types.py#L1367")),
        Trait::of(
            ClientQuirk::RefusesLoneSurrogates,
            "pydantic's parser makes no string of half a pair",
            at_1!("client/stdio/__init__.py#L155"),
        ),
        Trait::of(
            ClientQuirk::DepthLimit200,
            "pydantic's parser goes no deeper",
            at_1!("client/stdio/__init__.py#L155"),
        ),
        Trait::of(
            ClientQuirk::IgnoresBrokenMessages,
            "what does not parse is handed to the message handler as an exception, and the next message is read",
            at_1!("client/stdio/__init__.py#L154-L159"),
        ),
        Trait::of(
            ClientQuirk::IgnoresBrokenBodies,
            "so is a body, and the request waits on",
            at_1!("client/streamable_http.py#L408-L418"),
        )
        .over(Carrier::Http),
        Trait::of(
            ClientQuirk::ChokesOnBadUtf8,
            "the reader of the server's output decodes strictly, and ends with the error",
            at_1!("client/stdio/__init__.py#L96"),
        )
        .over(Carrier::Lines),
        Trait::of(
            ClientQuirk::IgnoresForeignAnswers,
            "an answer to an unknown id is handed to the message handler as an exception",
            at_1!("shared/session.py#L518"),
        )
        .over(Carrier::Lines),
        Trait::of(
            ClientQuirk::WantsObjectSchemas,
            "`outputSchema` is a dictionary in the type of a tool",
            at_1!("types.py#L1322"),
        ),
        Trait::of(
            ClientQuirk::RejectsNonObject,
            "`structuredContent` is a dictionary in the type of a result",
            at_1!("types.py#L1367"),
        ),
        Trait::of(ClientQuirk::NullAsAbsent, "`structuredContent` is None where it is absent", at_1!("types.py#L1367")),
        Trait::of(ClientQuirk::RequiresContent, "`content` has no default", at_1!("types.py#L1366")),
        Trait::of(ClientQuirk::RefusesNullIsError, "`isError` is a bool with a default", at_1!("types.py#L1369")),
        Trait::of(
            ClientQuirk::RejectsUnknownBlocks,
            "content blocks are a union without a member for others",
            at_1!("types.py#L1206"),
        ),
        Trait::of(
            ClientQuirk::LooksUpFirstPage,
            "a tool without a known schema is looked up with one `tools/list`",
            at_1!("client/session.py#L419-L428"),
        ),
        Trait::of(
            ClientQuirk::IgnoresUnknownDialects,
            "jsonschema.validate takes its newest draft where it does not know the dialect",
            at_1!("client/session.py#L441"),
        ),
        Trait::of(
            ClientQuirk::ChokesOnCircles,
            "jsonschema follows such a schema until the stack is full",
            at_1!("client/session.py#L441"),
        ),
        Trait::of(
            ClientQuirk::KnowsNoBound,
            "jsonschema runs until it has its answer, and nothing else runs meanwhile",
            at_1!("client/session.py#L441"),
        ),
    ],
};
