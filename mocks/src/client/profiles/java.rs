//! The official Java SDK. Lines are those of its sources at the tag of the release.

use crate::wire::deviations::{Carrier, LEGACY, ObservedQuirk};
use mcp_compat_model::Mode;

use super::ClientProfile;
use crate::client::policy::{Lists, Policy, Preference, Roots, Types, Typing, Validation};
use crate::client::quirk::ClientQuirk;

/// The address of lines of release 2.0.1.
macro_rules! at {
    ($lines:literal) => {
        concat!(
            "https://github.com/modelcontextprotocol/java-sdk/blob/v2.0.1/mcp-core/src/main/java/io/modelcontextprotocol/",
            $lines
        )
    };
}

/// The client of 2.x.
pub(super) const CLIENT_2: ClientProfile = ClientProfile {
    name: "java@2",
    sdk: "mcp-core 2.x, the official Java SDK",
    measured: "2.1.0",
    revisions: LEGACY,
    modes: &[Mode::Legacy],
    policy: Policy {
        validation: Validation::Skip,
        preference: Preference::Both,
        typing: Typing::Any,
        roots: Roots::Open,
        types: Types::Jackson,
        lists: Lists::Afresh,
    },
    observed: &[
        ObservedQuirk::of(
            ClientQuirk::RoundsDecimals,
            "values are `Object`, in which Jackson reads a decimal as a double",
            at!("spec/McpSchema.java#L3207"),
        ),
        ObservedQuirk::of(
            ClientQuirk::LastKeyWins,
            "objects are maps, in which a key stands once",
            at!("spec/McpSchema.java#L3207"),
        ),
        ObservedQuirk::of(
            ClientQuirk::NullAsAbsent,
            "a null is null, and so is no value",
            at!("spec/McpSchema.java#L3215-L3223"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ReplacesBadUtf8,
            "an InputStreamReader writes U+FFFD for bytes that are not UTF-8",
            at!("client/transport/StdioClientTransport.java#L280"),
        ),
        ObservedQuirk::of(
            ClientQuirk::StopsReading,
            "the loop over the lines ends at one that does not parse, and the requests are not told",
            at!("client/transport/StdioClientTransport.java#L292-L297"),
        )
        .over(Carrier::Lines),
        ObservedQuirk::of(
            ClientQuirk::IgnoresForeignAnswers,
            "an answer to an unknown id is noted in the log",
            at!("spec/McpClientSession.java#L138-L141"),
        ),
        ObservedQuirk::of(
            ClientQuirk::StreamsInNewest,
            "the stream is opened before the revision is noted, and a status 400 or 404 ends the session",
            at!("client/transport/HttpClientStreamableHttpTransport.java#L324-L427"),
        )
        .over(Carrier::Http),
        ObservedQuirk::of(
            ClientQuirk::WantsToolsDeclared,
            "without the capability, listing and calling fail before anything is sent",
            at!("client/McpAsyncClient.java#L691-L693"),
        ),
        ObservedQuirk::of(
            ClientQuirk::CompletesLists,
            "a list without `tools` is an empty one, and a missing name the empty one",
            at!("spec/McpSchema.java#L2636-L2643"),
        ),
        ObservedQuirk::of(
            ClientQuirk::WantsObjectSchemas,
            "`outputSchema` is a map in the type of a tool",
            at!("spec/McpSchema.java#L2868"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ReadsOutputEarly,
            "the type of a result has `structuredContent`, whatever was negotiated",
            at!("spec/McpSchema.java#L3207"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RejectsUnknownBlocks,
            "content blocks are an interface with a class for each known type",
            at!("spec/McpSchema.java#L5866-L5872"),
        ),
    ],
};
