//! The named ways in which a sabotaged server breaks the rules, one at a time.
//!
//! A harness that cannot fail proves nothing. Each quirk is one deviation that real servers have shown or that a rule
//! forbids; everything else about the server stays correct, so that whatever is reported can only come from it.

use std::fmt;
use std::str::FromStr;

/// One deviation from correct behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ServerQuirk {
    /// Declares an output schema and leaves `structuredContent` out of every result.
    DropsValue,
    /// Sends a value that is an array as text only.
    ArrayAsText,
    /// Puts every value and every output schema under one key, `result`, in any revision.
    WrapsAlways,
    /// Sends the value as a string that holds its JSON.
    StringifiesValue,
    /// Empties `content`.
    ForgetsText,
    /// Leaves `content` out, which every revision requires.
    ForgetsContent,
    /// Writes every number of a value as the nearest double.
    RoundsNumbers,
    /// Leaves out whatever is `null` in a value, the value itself included.
    NullAsAbsent,
    /// Writes absent optional members as `null`.
    ExplicitNulls,
    /// Leaves `isError` out of results.
    SwallowsError,
    /// Leaves `outputSchema` out of definitions.
    HidesSchema,
    /// Adds `additionalProperties: false` to the root of every output schema.
    ClosesSchema,
    /// Answers `tools/list` with an internal error.
    FailsList,
    /// Ends the list after its first page.
    LosesPageTwo,
    /// Goes on listing the first tools after they changed.
    StaleList,
    /// Never tells that the tools changed.
    Untold,
    /// Names a revision that nobody asked for and that does not exist.
    AnswersWrongRevision,
    /// Leaves `resultType` out of modern results.
    ForgetsResultType,
    /// Leaves `ttlMs` and `cacheScope` out of modern results that need them.
    ForgetsCacheHints,
    /// Answers with the request's id as a string, whatever it was.
    StringifiesId,
    /// Writes a line that is no message first. Visible on byte streams only: HTTP has no such place.
    NoiseOnStdout,
    /// Answers one request after the other: behind a call that takes its time nothing else is answered, and nothing is
    /// read. As python-sdk did (modelcontextprotocol/python-sdk#188), tower-mcp (joshrotenberg/tower-mcp#1231) and,
    /// over HTTP too, cxxmcp (caomengxuan666/cxxmcp#51).
    AnswersInRequestOrder,
}

impl ServerQuirk {
    /// Every quirk.
    pub const ALL: [Self; 22] = [
        Self::DropsValue,
        Self::ArrayAsText,
        Self::WrapsAlways,
        Self::StringifiesValue,
        Self::ForgetsText,
        Self::ForgetsContent,
        Self::RoundsNumbers,
        Self::NullAsAbsent,
        Self::ExplicitNulls,
        Self::SwallowsError,
        Self::HidesSchema,
        Self::ClosesSchema,
        Self::FailsList,
        Self::LosesPageTwo,
        Self::StaleList,
        Self::Untold,
        Self::AnswersWrongRevision,
        Self::ForgetsResultType,
        Self::ForgetsCacheHints,
        Self::StringifiesId,
        Self::NoiseOnStdout,
        Self::AnswersInRequestOrder,
    ];

    /// The name in peer ids: `sabotaged/<name>`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DropsValue => "drops-value",
            Self::ArrayAsText => "array-as-text",
            Self::WrapsAlways => "wraps-always",
            Self::StringifiesValue => "stringifies-value",
            Self::ForgetsText => "forgets-text",
            Self::ForgetsContent => "forgets-content",
            Self::RoundsNumbers => "rounds-numbers",
            Self::NullAsAbsent => "null-as-absent",
            Self::ExplicitNulls => "explicit-nulls",
            Self::SwallowsError => "swallows-error",
            Self::HidesSchema => "hides-schema",
            Self::ClosesSchema => "closes-schema",
            Self::FailsList => "fails-list",
            Self::LosesPageTwo => "loses-page-two",
            Self::StaleList => "stale-list",
            Self::Untold => "untold",
            Self::AnswersWrongRevision => "answers-wrong-revision",
            Self::ForgetsResultType => "forgets-result-type",
            Self::ForgetsCacheHints => "forgets-cache-hints",
            Self::StringifiesId => "stringifies-id",
            Self::NoiseOnStdout => "noise-on-stdout",
            Self::AnswersInRequestOrder => "answers-in-request-order",
        }
    }

    /// What the server does wrong, in a line.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::DropsValue => "leaves structuredContent out of every result",
            Self::ArrayAsText => "sends a value that is an array as text only",
            Self::WrapsAlways => "puts every value and output schema under `result`, in any revision",
            Self::StringifiesValue => "sends the value as a string that holds its JSON",
            Self::ForgetsText => "empties content",
            Self::ForgetsContent => "leaves content out of results",
            Self::RoundsNumbers => "writes every number of a value as the nearest double",
            Self::NullAsAbsent => "leaves out whatever is null in a value, the value itself included",
            Self::ExplicitNulls => "writes absent optional members as null",
            Self::SwallowsError => "leaves isError out of results",
            Self::HidesSchema => "leaves outputSchema out of definitions",
            Self::ClosesSchema => "adds additionalProperties: false to the root of every output schema",
            Self::FailsList => "answers tools/list with an internal error",
            Self::LosesPageTwo => "ends the list after its first page",
            Self::StaleList => "goes on listing the first tools after they changed",
            Self::Untold => "never tells that the tools changed",
            Self::AnswersWrongRevision => "names a revision that does not exist when it negotiates",
            Self::ForgetsResultType => "leaves resultType out of modern results",
            Self::ForgetsCacheHints => "leaves ttlMs and cacheScope out of modern results that need them",
            Self::StringifiesId => "answers with the request's id as a string, whatever it was",
            Self::NoiseOnStdout => "writes a line that is no message first (byte streams only)",
            Self::AnswersInRequestOrder => "answers nothing else while a call takes its time",
        }
    }
}

impl fmt::Display for ServerQuirk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ServerQuirk {
    type Err = UnknownQuirk;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|quirk| quirk.as_str() == text).ok_or(UnknownQuirk)
    }
}

/// A name that no quirk has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no quirk of the mock server has this name")]
pub struct UnknownQuirk;
