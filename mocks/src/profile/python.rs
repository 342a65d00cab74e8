//! The official Python SDK. Lines are those of the sources in the published packages.

use mcp_compat_model::{Mode, Revision};

use super::{ClientProfile, ServerProfile};
use crate::client::{ClientQuirk, Policy, Preference, Typing, Validation};
use crate::deviations::{Carrier, Trait};
use crate::server::{Answering, Conduct, ServerQuirk};

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

/// The low-level server of 1.x.
pub(super) const SERVER_1: ServerProfile = ServerProfile {
    name: "python@1",
    sdk: "mcp 1.x, the official Python SDK, by its low-level `Server`",
    measured: "1.30.0",
    revisions: LEGACY,
    conduct: Conduct::Naive,
    answering: Answering::Sse,
    traits: &[],
};

/// The client of 2.x.
pub(super) const CLIENT_2: ClientProfile = ClientProfile {
    name: "python@2",
    sdk: "mcp 2.x, the official Python SDK",
    measured: "2.3.0",
    revisions: &Revision::ALL,
    modes: &[Mode::Auto, Mode::Legacy, Mode::Modern],
    policy: Policy { validation: Validation::Reject, preference: Preference::Both, typing: Typing::AsSpoken },
    traits: &[
        Trait::of(
            ClientQuirk::RoundsDecimals,
            "numbers are Python's: integers of any size, and floats",
            at_2!("mcp-types/mcp_types/_types.py#L1474"),
        ),
        Trait::of(ClientQuirk::LastKeyWins, "objects are dictionaries", at_2!("mcp-types/mcp_types/_types.py#L1474")),
        Trait::of(
            ClientQuirk::RefusesLoneSurrogates,
            "pydantic's parser makes no string of half a pair",
            at_2!("mcp/client/stdio.py#L222"),
        ),
        Trait::of(ClientQuirk::DepthLimit200, "pydantic's parser goes no deeper", at_2!("mcp/client/stdio.py#L222")),
        Trait::of(
            ClientQuirk::IgnoresBrokenMessages,
            "what does not parse is handed to the message handler as an exception, and the next message is read",
            at_2!("mcp/client/stdio.py#L219-L226"),
        )
        .over(Carrier::Lines),
        Trait::of(
            ClientQuirk::IgnoresForeignAnswers,
            "an answer to an unknown id is let go",
            at_2!("mcp/shared/jsonrpc_dispatcher.py#L680-L682"),
        )
        .over(Carrier::Lines),
        Trait::of(
            ClientQuirk::ConfusesIds,
            "over an answer on the stream of a request the id of that request is written",
            at_2!("mcp/client/streamable_http.py#L193-L195"),
        )
        .over(Carrier::Http),
        Trait::of(
            ClientQuirk::EndsAtLostProbe,
            "an outage is never taken for the answer of an older server",
            at_2!("mcp/client/_probe.py#L96-L97"),
        )
        .over(Carrier::Http),
        Trait::of(
            ClientQuirk::WaitsForProbe,
            "silence is waited out for ten seconds, longer than a job waits by default",
            at_2!("mcp/client/session.py#L748"),
        ),
        Trait::of(
            ClientQuirk::AssumesModern,
            "with a revision for its mode the client makes up what a server would have answered",
            at_2!("mcp/client/client.py#L467"),
        ),
        Trait::of(
            ClientQuirk::WantsObjectSchemas,
            "`outputSchema` is a model in the type of a tool",
            at_2!("mcp-types/mcp_types/_v2026_07_28/__init__.py#L1062"),
        ),
        Trait::of(
            ClientQuirk::WantsObjectInput,
            "`type` is the literal 'object' in the type of an input schema",
            at_2!("mcp-types/mcp_types/_v2026_07_28/__init__.py#L1059"),
        ),
        Trait::of(
            ClientQuirk::RequiresContent,
            "`content` has no default",
            at_2!("mcp-types/mcp_types/_types.py#L1472"),
        ),
        Trait::of(
            ClientQuirk::RefusesNullIsError,
            "`isError` is a bool with a default",
            at_2!("mcp-types/mcp_types/_types.py#L1480"),
        ),
        Trait::of(
            ClientQuirk::RejectsUnknownBlocks,
            "content blocks are a union without a member for others",
            at_2!("mcp-types/mcp_types/_v2026_07_28/__init__.py#L2344"),
        ),
        Trait::of(
            ClientQuirk::IgnoresResultType,
            "`resultType` may be any string, and only one that an extension claims is looked at again",
            at_2!("mcp-types/mcp_types/_types.py#L160-L162"),
        ),
        Trait::of(
            ClientQuirk::RequiresResultType,
            "`resultType` is a string without a default in the types of the revision",
            at_2!("mcp-types/mcp_types/_v2026_07_28/__init__.py#L3012"),
        ),
        Trait::of(
            ClientQuirk::RequiresHints,
            "both have no default in the type of a list",
            at_2!("mcp-types/mcp_types/_v2026_07_28/__init__.py#L2655-L2684"),
        ),
        Trait::of(
            ClientQuirk::LooksUpFirstPage,
            "a tool without a known schema is looked up with one `tools/list`",
            at_2!("mcp/client/session.py#L1125-L1127"),
        ),
        Trait::of(
            ClientQuirk::IgnoresUnknownDialects,
            "validator_for takes the newest draft where it does not know the dialect",
            at_2!("mcp/client/session.py#L1175"),
        ),
        Trait::of(
            ClientQuirk::ChokesOnCircles,
            "jsonschema follows such a schema until the stack is full",
            at_2!("mcp/client/session.py#L1144"),
        ),
        Trait::of(
            ClientQuirk::KnowsNoBound,
            "jsonschema runs until it has its answer, and nothing else runs meanwhile",
            at_2!("mcp/client/session.py#L1144"),
        ),
    ],
};

/// The low-level server of 2.x.
pub(super) const SERVER_2: ServerProfile = ServerProfile {
    name: "python@2",
    sdk: "mcp 2.x, the official Python SDK, by its low-level `Server`",
    measured: "2.3.0",
    revisions: &Revision::ALL,
    conduct: Conduct::Naive,
    answering: Answering::Sse,
    traits: &[Trait::of(
        ServerQuirk::FailsOnForeignOutput,
        "a result is held against the types of the revision spoken before it is sent",
        at_2!("mcp/server/runner.py#L379-L386"),
    )],
};
