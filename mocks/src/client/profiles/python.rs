//! The official Python SDK. Lines are those of the sources in the published packages.

use crate::wire::deviations::{Carrier, LEGACY, ObservedQuirk};
use mcp_compat_model::{Mode, Revision};

use super::ClientProfile;
use crate::client::policy::{Lists, Policy, Preference, Roots, Types, Typing, Validation};
use crate::client::quirk::ClientQuirk;

/// The address of lines of release 1.30.0.
macro_rules! at_1 {
    ($lines:literal) => {
        concat!("https://github.com/modelcontextprotocol/python-sdk/blob/v1.30.0/src/mcp/", $lines)
    };
}

/// The address of lines of release 2.3.0.
macro_rules! at_2 {
    ($lines:literal) => {
        concat!("https://github.com/modelcontextprotocol/python-sdk/blob/v2.3.0/src/", $lines)
    };
}

/// The client of 1.x.
pub(super) const CLIENT_1: ClientProfile = ClientProfile {
    name: "python@1",
    sdk: "mcp 1.x, the official Python SDK",
    measured: "1.30.0",
    revisions: LEGACY,
    modes: &[Mode::Legacy],
    policy: Policy {
        validation: Validation::Reject,
        preference: Preference::Both,
        typing: Typing::Any,
        roots: Roots::Open,
        types: Types::Pydantic1,
        lists: Lists::Afresh,
    },
    observed: &[
        ObservedQuirk::of(
            ClientQuirk::RoundsDecimals,
            "numbers are Python's: integers of any size, and floats",
            at_1!("types.py#L1367"),
        ),
        ObservedQuirk::of(ClientQuirk::LastKeyWins, "objects are dictionaries", at_1!("types.py#L1367")),
        ObservedQuirk::of(
            ClientQuirk::RefusesLoneSurrogates,
            "pydantic's parser makes no string of half a pair",
            at_1!("client/stdio/__init__.py#L155"),
        ),
        ObservedQuirk::of(
            ClientQuirk::DepthLimit200,
            "pydantic's parser goes no deeper",
            at_1!("client/stdio/__init__.py#L155"),
        ),
        ObservedQuirk::of(
            ClientQuirk::IgnoresBrokenMessages,
            "what does not parse is handed to the message handler as an exception, and the next message is read",
            at_1!("client/stdio/__init__.py#L154-L159"),
        ),
        ObservedQuirk::of(
            ClientQuirk::IgnoresBrokenBodies,
            "so is a body, and the request waits on",
            at_1!("client/streamable_http.py#L408-L418"),
        )
        .over(Carrier::Http),
        ObservedQuirk::of(
            ClientQuirk::ChokesOnBadUtf8,
            "the reader of the server's output decodes strictly, and ends with the error",
            at_1!("client/stdio/__init__.py#L96"),
        )
        .over(Carrier::Lines),
        ObservedQuirk::of(
            ClientQuirk::IgnoresForeignAnswers,
            "an answer to an unknown id is handed to the message handler as an exception",
            at_1!("shared/session.py#L518"),
        )
        .over(Carrier::Lines),
        ObservedQuirk::of(
            ClientQuirk::WantsObjectSchemas,
            "`outputSchema` is a dictionary in the type of a tool",
            at_1!("types.py#L1322"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RejectsNonObject,
            "`structuredContent` is a dictionary in the type of a result",
            at_1!("types.py#L1367"),
        ),
        ObservedQuirk::of(ClientQuirk::NullAsAbsent, "`structuredContent` defaults to None", at_1!("types.py#L1367")),
        ObservedQuirk::of(ClientQuirk::RequiresContent, "`content` has no default", at_1!("types.py#L1366")),
        ObservedQuirk::of(
            ClientQuirk::RefusesNullIsError,
            "`isError` is a bool with a default",
            at_1!("types.py#L1369"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ReadsOutputEarly,
            "the type of a result has `structuredContent`, whatever was negotiated",
            at_1!("types.py#L1367"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RejectsUnknownBlocks,
            "content blocks are a union without a member for others",
            at_1!("types.py#L1206"),
        ),
        ObservedQuirk::of(
            ClientQuirk::LooksUpFirstPage,
            "a tool without a known schema is looked up with one `tools/list`",
            at_1!("client/session.py#L419-L428"),
        ),
        ObservedQuirk::of(
            ClientQuirk::IgnoresUnknownDialects,
            "jsonschema.validate takes its newest draft where it does not know the dialect",
            at_1!("client/session.py#L441"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ChokesOnCircles,
            "jsonschema follows such a schema until the stack is full",
            at_1!("client/session.py#L441"),
        ),
        ObservedQuirk::of(
            ClientQuirk::KnowsNoBound,
            "jsonschema runs until it has its answer, and nothing else runs meanwhile",
            at_1!("client/session.py#L441"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ReadsPythonPatterns,
            "jsonschema compiles and matches patterns with re, which is also its check of the format in the meta-schemas",
            at_1!("client/session.py#L441"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ResolvesLate,
            "jsonschema resolves a reference when a value is validated by it",
            at_1!("client/session.py#L441"),
        ),
    ],
};

/// The client of 2.x.
pub(super) const CLIENT_2: ClientProfile = ClientProfile {
    name: "python@2",
    sdk: "mcp 2.x, the official Python SDK",
    measured: "2.3.0",
    revisions: &Revision::ALL,
    modes: &[Mode::Auto, Mode::Legacy, Mode::Modern],
    policy: Policy {
        validation: Validation::Reject,
        preference: Preference::Both,
        typing: Typing::AsSpoken,
        roots: Roots::Pydantic,
        types: Types::Pydantic2,
        lists: Lists::WhileFreshIfModern,
    },
    observed: &[
        ObservedQuirk::of(
            ClientQuirk::RoundsDecimals,
            "numbers are Python's: integers of any size, and floats",
            at_2!("mcp-types/mcp_types/_types.py#L1474"),
        ),
        ObservedQuirk::of(
            ClientQuirk::LastKeyWins,
            "objects are dictionaries",
            at_2!("mcp-types/mcp_types/_types.py#L1474"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RefusesLoneSurrogates,
            "pydantic's parser makes no string of half a pair",
            at_2!("mcp/client/stdio.py#L222"),
        ),
        ObservedQuirk::of(
            ClientQuirk::DepthLimit200,
            "pydantic's parser goes no deeper",
            at_2!("mcp/client/stdio.py#L222"),
        ),
        ObservedQuirk::of(
            ClientQuirk::IgnoresBrokenMessages,
            "what does not parse is handed to the message handler as an exception, and the next message is read",
            at_2!("mcp/client/stdio.py#L219-L226"),
        )
        .over(Carrier::Lines),
        ObservedQuirk::of(
            ClientQuirk::ChokesOnBadUtf8,
            "the reader of the server's output decodes strictly, and ends with the error",
            at_2!("mcp/client/stdio.py#L151"),
        )
        .over(Carrier::Lines),
        ObservedQuirk::of(
            ClientQuirk::IgnoresForeignAnswers,
            "an answer to an unknown id is let go",
            at_2!("mcp/shared/jsonrpc_dispatcher.py#L680-L682"),
        )
        .over(Carrier::Lines),
        ObservedQuirk::of(
            ClientQuirk::ConfusesIds,
            "over an answer on the stream of a request the id of that request is written",
            at_2!("mcp/client/streamable_http.py#L193-L195"),
        )
        .over(Carrier::Http),
        ObservedQuirk::of(
            ClientQuirk::EndsAtLostProbe,
            "an outage is never taken for the answer of an older server",
            at_2!("mcp/client/_probe.py#L96-L97"),
        )
        .over(Carrier::Http),
        ObservedQuirk::of(
            ClientQuirk::WaitsForProbe,
            "silence is waited out for ten seconds, longer than a job waits by default",
            at_2!("mcp/client/session.py#L748"),
        ),
        ObservedQuirk::of(
            ClientQuirk::AssumesModern,
            "with a revision for its mode the client makes up what a server would have answered",
            at_2!("mcp/client/client.py#L467"),
        ),
        ObservedQuirk::of(
            ClientQuirk::WantsObjectSchemas,
            "`outputSchema` is a model in the type of a tool",
            at_2!("mcp-types/mcp_types/_v2026_07_28/__init__.py#L1062"),
        ),
        ObservedQuirk::of(
            ClientQuirk::WantsObjectInput,
            "`type` is the literal 'object' in the type of an input schema",
            at_2!("mcp-types/mcp_types/_v2026_07_28/__init__.py#L1059"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RequiresContent,
            "`content` has no default",
            at_2!("mcp-types/mcp_types/_types.py#L1472"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RefusesNullIsError,
            "`isError` is a bool with a default",
            at_2!("mcp-types/mcp_types/_types.py#L1480"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ReadsOutputEarly,
            "the types of 2025-11-25 stand for all legacy revisions",
            at_2!("mcp-types/mcp_types/_v2025_11_25/__init__.py#L3077"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RejectsUnknownBlocks,
            "content blocks are a union without a member for others",
            at_2!("mcp-types/mcp_types/_v2026_07_28/__init__.py#L2344"),
        ),
        ObservedQuirk::of(
            ClientQuirk::IgnoresResultType,
            "`resultType` may be any string, and only one that an extension claims is looked at again",
            at_2!("mcp-types/mcp_types/_types.py#L160-L162"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RequiresResultType,
            "`resultType` is a string without a default in the types of the revision",
            at_2!("mcp-types/mcp_types/_v2026_07_28/__init__.py#L3012"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RequiresHints,
            "both have no default in the type of a list",
            at_2!("mcp-types/mcp_types/_v2026_07_28/__init__.py#L2655-L2684"),
        ),
        ObservedQuirk::of(
            ClientQuirk::LooksUpFirstPage,
            "a tool without a known schema is looked up with one `tools/list`",
            at_2!("mcp/client/session.py#L1125-L1127"),
        ),
        ObservedQuirk::of(
            ClientQuirk::IgnoresUnknownDialects,
            "validator_for takes the newest draft where it does not know the dialect",
            at_2!("mcp/client/session.py#L1175"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ChokesOnCircles,
            "jsonschema follows such a schema until the stack is full",
            at_2!("mcp/client/session.py#L1144"),
        ),
        ObservedQuirk::of(
            ClientQuirk::KnowsNoBound,
            "jsonschema runs until it has its answer, and nothing else runs meanwhile",
            at_2!("mcp/client/session.py#L1144"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ReadsPythonPatterns,
            "jsonschema compiles and matches patterns with re, which is also its check of the format in the meta-schemas",
            at_2!("mcp/client/session.py#L1144"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ResolvesLate,
            "jsonschema resolves a reference when a value is validated by it",
            at_2!("mcp/client/session.py#L1144"),
        ),
    ],
};
