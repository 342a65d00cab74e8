//! rmcp, the official Rust SDK. Lines are those of the commit that the release was published from.

use crate::wire::deviations::{Carrier, ObservedQuirk};
use mcp_compat_model::{Mode, Revision};

use super::ClientProfile;
use crate::client::policy::{Lists, Policy, Preference, Roots, Types, Typing, Validation};
use crate::client::quirk::ClientQuirk;

/// The address of lines of the crate's source.
macro_rules! at {
    ($lines:literal) => {
        concat!(
            "https://github.com/modelcontextprotocol/rust-sdk/blob/165f8fd514afb8f6d1be3e86260ee9abfce58541/",
            "crates/rmcp/src/",
            $lines
        )
    };
}

const REVISIONS: &[Revision] = &Revision::ALL;

/// The client of rmcp 3.x.
pub(super) const CLIENT_3: ClientProfile = ClientProfile {
    name: "rmcp@3",
    sdk: "rmcp 3.x, the official Rust SDK",
    measured: "3.11.0",
    revisions: REVISIONS,
    modes: &[Mode::Legacy, Mode::Auto, Mode::Modern],
    policy: Policy {
        validation: Validation::Skip,
        preference: Preference::Both,
        typing: Typing::Any,
        roots: Roots::Open,
        types: Types::Serde,
        lists: Lists::Afresh,
    },
    observed: &[
        ObservedQuirk::of(
            ClientQuirk::RoundsBeyondWords,
            "values are `serde_json::Value`, with the default features of serde_json",
            at!("model.rs#L4152-L4157"),
        ),
        ObservedQuirk::of(
            ClientQuirk::LastKeyWins,
            "objects are `serde_json::Map`, where a key stands once",
            at!("model.rs#L4152-L4157"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RefusesHugeNumbers,
            "serde_json reads no number out of range",
            at!("transport/async_rw.rs#L315-L324"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RefusesLoneSurrogates,
            "strings are UTF-8, which has no half of a surrogate pair",
            at!("transport/async_rw.rs#L315-L324"),
        ),
        ObservedQuirk::of(
            ClientQuirk::DepthLimit128,
            "serde_json has a recursion limit of 128 by default",
            at!("transport/async_rw.rs#L315-L324"),
        ),
        ObservedQuirk::of(
            ClientQuirk::IgnoresBrokenMessages,
            "a line or an event that does not parse is noted in the log, and the next one is read",
            at!("transport/async_rw.rs#L315-L324"),
        ),
        ObservedQuirk::of(
            ClientQuirk::SkipsByteOrderMark,
            "the mark is stripped from a line before it is parsed",
            at!("transport/async_rw.rs#L464"),
        )
        .over(Carrier::Lines),
        ObservedQuirk::of(
            ClientQuirk::IgnoresForeignAnswers,
            "an answer that nobody waits for is let go",
            at!("service.rs#L1791-L1805"),
        )
        .over(Carrier::Lines),
        ObservedQuirk::of(
            ClientQuirk::WantsObjectSchemas,
            "`output_schema` is a JSON object in the type of a tool",
            at!("model/tool.rs#L30"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RefusesOddHints,
            "`ttlMs` is read as a 64-bit integer and `cacheScope` as one of two words, in lists of any revision",
            at!("model.rs#L1865-L1890"),
        ),
        ObservedQuirk::of(
            ClientQuirk::ReadsOutputEarly,
            "the type of a result has `structuredContent`, whatever was negotiated",
            at!("model.rs#L4152-L4157"),
        ),
        ObservedQuirk::of(
            ClientQuirk::RejectsUnknownBlocks,
            "content blocks are an enum without a variant for others",
            at!("model/content.rs#L256-L259"),
        ),
        ObservedQuirk::of(
            ClientQuirk::AlwaysReadsResultType,
            "`resultType` is looked at in results of any revision",
            at!("model.rs#L4225-L4233"),
        ),
        ObservedQuirk::of(
            ClientQuirk::NullResultType,
            "`resultType` is an `Option`, which decodes null as `None`",
            at!("model.rs#L4214"),
        ),
        ObservedQuirk::of(
            ClientQuirk::IgnoresEra,
            "the session goes on at the version that is named, without a handshake if that one has none",
            at!("service/client.rs#L1025-L1038"),
        ),
        ObservedQuirk::of(
            ClientQuirk::IgnoresVersion,
            "a version is a string, and any is taken; over HTTP its header gives it away",
            at!("service/client.rs#L1025-L1038"),
        )
        .over(Carrier::Lines),
        ObservedQuirk::of(
            ClientQuirk::FallsBackOnErrors,
            "the probe is followed by `initialize` after a JSON-RPC error, and after ten seconds, which no job waits for",
            at!("service/client.rs#L1160-L1170"),
        ),
    ],
};
