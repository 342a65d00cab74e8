//! The official TypeScript SDK. Lines are those of its sources, as the source maps of the published packages give them.

use crate::wire::deviations::{Carrier, LEGACY, ObservedQuirk};
use mcp_compat_model::{Mode, Revision};

use super::ClientProfile;
use crate::client::policy::{Lists, Policy, Preference, Roots, Types, Typing, Validation};
use crate::client::quirk::ClientQuirk;

/// The address of lines of release 1.32.2.
macro_rules! at_1 {
    ($lines:literal) => {
        concat!("https://github.com/modelcontextprotocol/typescript-sdk/blob/v1.32.2/", $lines)
    };
}

/// The address of lines of the client of release 2.4.0.
macro_rules! at_2 {
    ($lines:literal) => {
        concat!(
            "https://github.com/modelcontextprotocol/typescript-sdk/blob/%40modelcontextprotocol/client%402.4.0/packages/",
            $lines
        )
    };
}

/// The client of 1.x.
pub(super) const CLIENT_1: ClientProfile = ClientProfile {
    name: "typescript@1",
    sdk: "@modelcontextprotocol/sdk 1.x, the official TypeScript SDK",
    measured: "1.32.2",
    revisions: LEGACY,
    modes: &[Mode::Legacy],
    policy: Policy {
        validation: Validation::Reject,
        preference: Preference::Both,
        typing: Typing::StrictObject,
        roots: Roots::Zod,
        types: Types::Zod1,
        lists: Lists::Afresh,
    },
    observed: &[
        ObservedQuirk::of(
            ClientQuirk::RoundsNumbers,
            "messages are read with JSON.parse, whose numbers are doubles",
            at_1!("src/shared/stdio.ts#L46"),
        ),
        ObservedQuirk::of(
            ClientQuirk::LastKeyWins,
            "messages are read with JSON.parse, which keeps the last of equal keys",
            at_1!("src/shared/stdio.ts#L46"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ReplacesBadUtf8,
            "bytes become text with replacement characters, which no API refuses",
            at_1!("src/shared/stdio.ts#L35"),
        ),
        ObservedQuirk::of(
            ClientQuirk::SkipsByteOrderMark,
            "a body is read with response.json(), which skips the mark",
            at_1!("src/client/streamableHttp.ts#L629"),
        )
        .over(Carrier::Http),
        ObservedQuirk::of(
            ClientQuirk::IgnoresBrokenMessages,
            "a line or an event that does not parse goes to onerror, and the next one is read",
            at_1!("src/client/stdio.ts#L206-L213"),
        ),
        ObservedQuirk::of(
            ClientQuirk::IgnoresForeignAnswers,
            "an answer to an unknown id goes to onerror",
            at_1!("src/shared/protocol.ts#L936"),
        ),
        ObservedQuirk::of(
            ClientQuirk::WantsObjectProperties,
            "the type of a tool has a record of objects in the properties of a schema",
            at_1!("src/types.ts#L1406"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RefusesNulls,
            "optional members are optional() in the types, which admits no null",
            at_1!("src/types.ts#L1380-L1430"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ReadsOutputEarly,
            "the type of a result has `structuredContent`, whatever was negotiated",
            at_1!("src/types.ts#L1458"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RejectsUnknownBlocks,
            "content blocks are a union without a member for others",
            at_1!("src/types.ts#L1272"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ListsOnRequest,
            "the validators are made of the lists that the user asks for",
            at_1!("src/client/index.ts#L817-L821"),
        ),
        ObservedQuirk::of(
            ClientQuirk::KeepsLastPage,
            "each page clears the validators of the one before",
            at_1!("src/client/index.ts#L788"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ForgetsSchemasOnFailedList,
            "the validators are cleared before those of the list are made, and one that cannot be made ends the list",
            at_1!("src/client/index.ts#L787-L797"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ReadsLikeAjv,
            "the validator is the default class of Ajv, and what a schema declares is not looked at",
            at_1!("src/validation/ajv-provider.ts#L10-L13"),
        ),
        ObservedQuirk::of(
            ClientQuirk::HonoursNullable,
            "Ajv knows the keyword of OpenAPI",
            at_1!("src/validation/ajv-provider.ts#L10"),
        ),
        ObservedQuirk::of(
            ClientQuirk::CompilesLikeAjv,
            "Ajv compiles with validateSchema: false, so no meta-schema is asked",
            at_1!("src/validation/ajv-provider.ts#L10-L15"),
        ),
        ObservedQuirk::of(
            ClientQuirk::AssertsFormat,
            "ajv-formats makes assertions of formats",
            at_1!("src/validation/ajv-provider.ts#L17-L18"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ValidatesErrorValues,
            "structuredContent is validated wherever it is there",
            at_1!("src/client/index.ts#L741-L744"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ChokesOnCircles,
            "the function that Ajv makes of such a schema calls itself until the stack is full",
            at_1!("src/client/index.ts#L744"),
        ),
        ObservedQuirk::of(
            ClientQuirk::KnowsNoBound,
            "a validator runs until it has its answer, and nothing else runs meanwhile",
            at_1!("src/client/index.ts#L744"),
        ),
    ],
};

/// The client of 2.x.
pub(super) const CLIENT_2: ClientProfile = ClientProfile {
    name: "typescript@2",
    sdk: "@modelcontextprotocol/client 2.x, the official TypeScript SDK",
    measured: "2.4.0",
    revisions: &Revision::ALL,
    modes: &[Mode::Legacy, Mode::Auto, Mode::Modern],
    policy: Policy {
        validation: Validation::Reject,
        preference: Preference::Both,
        typing: Typing::AsSpoken,
        roots: Roots::Zod,
        types: Types::Zod2,
        lists: Lists::WhileFresh,
    },
    observed: &[
        ObservedQuirk::of(
            ClientQuirk::RoundsNumbers,
            "messages are read with JSON.parse, whose numbers are doubles",
            at_2!("core-internal/src/shared/stdio.ts#L57"),
        ),
        ObservedQuirk::of(
            ClientQuirk::LastKeyWins,
            "messages are read with JSON.parse, which keeps the last of equal keys",
            at_2!("core-internal/src/shared/stdio.ts#L57"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ReplacesBadUtf8,
            "bytes become text with replacement characters, which no API refuses",
            at_2!("core-internal/src/shared/stdio.ts#L33"),
        ),
        ObservedQuirk::of(
            ClientQuirk::SkipsByteOrderMark,
            "a body is read with response.json(), which skips the mark",
            at_2!("client/src/client/streamableHttp.ts#L1202"),
        )
        .over(Carrier::Http),
        ObservedQuirk::of(
            ClientQuirk::IgnoresBrokenMessages,
            "a line or an event that does not parse goes to onerror or nowhere, and the next one is read",
            at_2!("core-internal/src/shared/stdio.ts#L36-L46"),
        ),
        ObservedQuirk::of(
            ClientQuirk::IgnoresForeignAnswers,
            "an answer to an unknown id goes to onerror",
            at_2!("core-internal/src/shared/protocol.ts#L1218"),
        ),
        ObservedQuirk::of(
            ClientQuirk::EndsAtLostProbe,
            "over HTTP only what the server answers tells its era, and a lost connection is an outage",
            at_2!("client/src/client/probeClassifier.ts#L165-L176"),
        )
        .over(Carrier::Http),
        ObservedQuirk::of(
            ClientQuirk::WaitsForProbe,
            "the probe has the time of any request, a minute",
            at_2!("client/src/client/versionNegotiation.ts#L469"),
        ),
        ObservedQuirk::of(
            ClientQuirk::WantsObjectSchemas,
            "`outputSchema` is an object in the type of a tool",
            at_2!("core-internal/src/wire/rev2026-07-28/buildSchemas.ts#L728-L732"),
        ),
        ObservedQuirk::of(
            ClientQuirk::WantsObjectInput,
            "`type` is the literal 'object' in the type of an input schema",
            at_2!("core-internal/src/wire/rev2026-07-28/buildSchemas.ts#L723-L726"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RefusesNulls,
            "optional members are optional() in the types, which admits no null",
            at_2!("core-internal/src/wire/rev2026-07-28/buildSchemas.ts#L718-L735"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RequiresContent,
            "`content` is required in the type of a result",
            at_2!("core-internal/src/wire/rev2026-07-28/buildSchemas.ts#L807"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ReadsOutputEarly,
            "the types of 2025-11-25 stand for all legacy revisions",
            at_2!("core-internal/src/wire/rev2025-11-25/buildSchemas.ts#L1239"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RejectsUnknownBlocks,
            "content blocks are a union without a member for others",
            at_2!("core-internal/src/wire/rev2026-07-28/buildSchemas.ts#L455-L461"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RequiresResultType,
            "its absence is a violation of the revision that has it",
            at_2!("core-internal/src/wire/rev2026-07-28/codec.ts#L179-L190"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RequiresHints,
            "both are required in the type of a list",
            at_2!("core-internal/src/wire/rev2026-07-28/buildSchemas.ts#L812-L817"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ListsOnRequest,
            "a call never asks for a list, and is validated by what is in the cache",
            at_2!("client/src/client/client.ts#L2393-L2400"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ForgetsOnChange,
            "a change empties the cache, validators and all",
            at_2!("client/src/client/client.ts#L2207-L2235"),
        ),
        ObservedQuirk::of(
            ClientQuirk::HonoursNullable,
            "Ajv knows the keyword of OpenAPI",
            at_2!("core-internal/src/validators/ajvProvider.ts#L31-L36"),
        ),
        ObservedQuirk::of(
            ClientQuirk::CompilesLikeAjv,
            "Ajv compiles with validateSchema: false, so no meta-schema is asked",
            at_2!("core-internal/src/validators/ajvProvider.ts#L31-L36"),
        ),
        ObservedQuirk::of(
            ClientQuirk::AssertsFormat,
            "ajv-formats makes assertions of formats",
            at_2!("core-internal/src/validators/ajvProvider.ts#L37"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ChokesOnCircles,
            "the function that Ajv makes of such a schema calls itself until the stack is full",
            at_2!("client/src/client/client.ts#L2506"),
        ),
        ObservedQuirk::of(
            ClientQuirk::KnowsNoBound,
            "a validator runs until it has its answer, and nothing else runs meanwhile",
            at_2!("client/src/client/client.ts#L2506"),
        ),
    ],
};
