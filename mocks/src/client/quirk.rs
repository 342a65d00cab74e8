//! What a sabotaged client does wrong: one named deviation each, so that a check can be shown to notice it.

use std::fmt;

/// One deviation of a client from what an honest one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClientQuirk {
    /// Never hands out structured content.
    DropsValue,
    /// Reads every number into a 64-bit float, and writes it again.
    RoundsNumbers,
    /// Takes `structuredContent: null` for no structured content.
    NullAsAbsent,
    /// Takes structured content that is `null`, `false`, `0` or `""` for no structured content.
    Truthiness,
    /// Leaves out the members of objects that are `null`.
    StripsNulls,
    /// Hands out `x` where the value is `{"result": x}`.
    UnwrapsResult,
    /// Hands out `{"result": x}` where the value is no object.
    WrapsValue,
    /// Hands out a string with the value's JSON text in it.
    DoubleEncodes,
    /// Hands out what the first text block parses to, and ignores the structured content.
    PrefersTextParse,
    /// Never hands out content blocks.
    DropsContent,
    /// Hands out a tool error as a success.
    IgnoresIsError,
    /// Raises an error of its own for every tool error, without the tool's words.
    MasksToolErrors,
    /// Hands out a JSON-RPC error as an empty success.
    SwallowsProtocolErrors,
    /// Validates nothing, whatever its policy says.
    SkipsValidation,
    /// Validates the results of tool errors too.
    ValidatesErrors,
    /// Refuses structured content that is no object.
    RejectsNonObject,
    /// Reads every schema as draft-07.
    Draft07Only,
    /// Takes a schema that it cannot use as one that allows everything.
    PermissiveSchemas,
    /// Loses the whole list over one schema that it cannot use.
    LosesListOnBadSchema,
    /// Fetches a `$ref` into the network before it uses the schema (on loopback only).
    FetchesRef,
    /// Keeps its list whatever the server tells.
    IgnoresListChanged,
    /// Lists the first page only.
    FirstPageOnly,
    /// Takes a result of any `resultType` as complete.
    IgnoresResultType,
    /// Leaves the protocol's members out of `_meta`.
    OmitsMeta,
    /// Never sends `notifications/initialized`.
    SkipsInitialized,
    /// Sends no request before the last one is answered, however many its user makes at once. As the MCP host in
    /// llama.cpp (ggml-org/llama.cpp#26062).
    OneAtATime,
    /// Pairs answers with requests by their order, not by their ids. Seen where several calls are open or one was given
    /// up: anthropics/claude-code#83457 and #91958, dcc-mcp/dcc-mcp-core#2417.
    ConfusesIds,
    /// Takes a notification that comes before an answer for a broken answer. To the client of vercel/ai every
    /// notification was an error (vercel/ai#16353); that of A3S-Lab/Code took one for an answer without an id (#137).
    ChokesOnNotifications,
    /// Ends the session at a line that is no message. As rmcp 0.17 (`transport/async_rw.rs`).
    ChokesOnNoise,
    /// Refuses a result for a content block of a type that it does not know. As the TypeScript and Python SDKs
    /// (use-agent-os/agent-os#2020) and rmcp.
    RejectsUnknownBlocks,
    /// Hands out text blocks and no others. As agentscope-ai/agentscope (#2798), agno-agi/agno (#10009) and more.
    DropsNonText,
    /// Drops the structured content of tool errors. As langchain-ai/langchain-mcp-adapters (#619).
    DropsErrorStructure,
    /// Takes a probe that fails for the end, instead of going on with `initialize`. As go-sdk and rmcp 3.9, where the
    /// server ends at the probe (modelcontextprotocol/go-sdk#1177).
    NoFallback,
    /// Calls no tool that its user has not listed. As hosts that keep a registry of what they listed; lastmile-ai/mcp-agent
    /// answers such a call itself.
    RefusesUnlisted,
    /// Keeps of equal keys in a value the last one. As whatever reads JSON into maps: rmcp (`serde_json::Value`), the
    /// TypeScript SDK (`JSON.parse`), the Python SDK (`json`).
    LastKeyWins,
    /// Refuses tools and results with a key in `_meta` that the grammar does not have. As tower-mcp
    /// (joshrotenberg/tower-mcp#1212), which lost every tool of such a server.
    StrictMeta,
    /// Takes `format` for an assertion. As the TypeScript SDK with ajv-formats (Automattic/mcp-wordpress-remote#50).
    AssertsFormat,
    /// Cannot read JSON nested deeper than 64 levels: the default of .NET's `System.Text.Json`. The Python SDK's reader
    /// gives up at 200, rmcp's at 128.
    DepthLimit,
    /// Cannot read a message of more than 64 KiB: the default of Go's `bufio.Scanner`. As mark3labs/mcp-go (#155, #588)
    /// and ThinkInAIXYZ/go-mcp (#128).
    SizeLimit,
    /// Goes on whatever revision `initialize` names, and asks with it where the probe found no revision of both. As rmcp
    /// 0.17 and 3.9, where they open with `initialize`.
    IgnoresVersion,
    /// Goes on after `initialize` was refused.
    OpensRegardless,
    /// Refuses a result that has neither a block nor a value. As rmcp did (modelcontextprotocol/rust-sdk#681).
    WantsContent,
    /// Takes content that is no list for none.
    ContentOrNothing,
    /// Hands out the first content block only. Reported of NousResearch/hermes-agent (#101330).
    FirstBlockOnly,
    /// Cuts text blocks after 10,000 characters. Clients cut to save tokens; in seangalliher/ProbOS (#1217) nothing was left
    /// of the only block.
    TruncatesText,
    /// Drops the value of a tool that declares no output schema. As langgenius/dify (#39418).
    NeedsSchema,
    /// Loses the list over one schema that it cannot use, and validates nothing after a list that failed. As the TypeScript
    /// SDK (modelcontextprotocol/typescript-sdk#2614).
    ForgetsSchemasOnFailedList,
}

impl ClientQuirk {
    /// Every quirk, grouped by where it strikes.
    pub const ALL: [Self; 47] = [
        Self::DropsValue,
        Self::RoundsNumbers,
        Self::NullAsAbsent,
        Self::Truthiness,
        Self::StripsNulls,
        Self::UnwrapsResult,
        Self::WrapsValue,
        Self::DoubleEncodes,
        Self::PrefersTextParse,
        Self::DropsContent,
        Self::IgnoresIsError,
        Self::MasksToolErrors,
        Self::SwallowsProtocolErrors,
        Self::SkipsValidation,
        Self::ValidatesErrors,
        Self::RejectsNonObject,
        Self::Draft07Only,
        Self::PermissiveSchemas,
        Self::LosesListOnBadSchema,
        Self::FetchesRef,
        Self::IgnoresListChanged,
        Self::FirstPageOnly,
        Self::IgnoresResultType,
        Self::OmitsMeta,
        Self::SkipsInitialized,
        Self::OneAtATime,
        Self::ConfusesIds,
        Self::ChokesOnNotifications,
        Self::ChokesOnNoise,
        Self::RejectsUnknownBlocks,
        Self::DropsNonText,
        Self::DropsErrorStructure,
        Self::NoFallback,
        Self::RefusesUnlisted,
        Self::LastKeyWins,
        Self::StrictMeta,
        Self::AssertsFormat,
        Self::DepthLimit,
        Self::SizeLimit,
        Self::IgnoresVersion,
        Self::OpensRegardless,
        Self::WantsContent,
        Self::ContentOrNothing,
        Self::FirstBlockOnly,
        Self::TruncatesText,
        Self::NeedsSchema,
        Self::ForgetsSchemasOnFailedList,
    ];

    /// The name used in peer ids: `sabotaged/<name>`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.describe().0
    }

    /// What it does, in a line.
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.describe().1
    }

    const fn describe(self) -> (&'static str, &'static str) {
        match self {
            Self::DropsValue => ("drops-value", "never hands out structured content"),
            Self::RoundsNumbers => ("rounds-numbers", "reads every number into a 64-bit float"),
            Self::NullAsAbsent => ("null-as-absent", "takes a null value for no value"),
            Self::Truthiness => ("truthiness", "takes null, false, 0 and \"\" for no value"),
            Self::StripsNulls => ("strips-nulls", "leaves out the members of objects that are null"),
            Self::UnwrapsResult => ("unwraps-result", "hands out x where the value is {\"result\": x}"),
            Self::WrapsValue => ("wraps-value", "hands out {\"result\": x} where the value is no object"),
            Self::DoubleEncodes => ("double-encodes", "hands out a string with the value's JSON text in it"),
            Self::PrefersTextParse => ("prefers-text-parse", "hands out what the first text block parses to"),
            Self::DropsContent => ("drops-content", "never hands out content blocks"),
            Self::IgnoresIsError => ("ignores-is-error", "hands out a tool error as a success"),
            Self::MasksToolErrors => ("masks-tool-errors", "raises its own error in place of the tool's words"),
            Self::SwallowsProtocolErrors => {
                ("swallows-protocol-errors", "hands out a JSON-RPC error as an empty success")
            }
            Self::SkipsValidation => ("skips-validation", "validates nothing"),
            Self::ValidatesErrors => ("validates-errors", "validates the results of tool errors too"),
            Self::RejectsNonObject => ("rejects-non-object", "refuses structured content that is no object"),
            Self::Draft07Only => ("draft-07-only", "reads every schema as draft-07"),
            Self::PermissiveSchemas => ("permissive-schemas", "takes an unusable schema as one that allows everything"),
            Self::LosesListOnBadSchema => ("loses-list-on-bad-schema", "loses the list over one unusable schema"),
            Self::FetchesRef => ("fetches-ref", "fetches a $ref into the network (on loopback only)"),
            Self::IgnoresListChanged => ("ignores-list-changed", "keeps its list whatever the server tells"),
            Self::FirstPageOnly => ("first-page-only", "lists the first page only"),
            Self::IgnoresResultType => ("ignores-result-type", "takes a result of any resultType as complete"),
            Self::OmitsMeta => ("omits-meta", "leaves the protocol's members out of _meta"),
            Self::SkipsInitialized => ("skips-initialized", "never sends notifications/initialized"),
            Self::OneAtATime => ("one-at-a-time", "sends no request before the last one is answered"),
            Self::ConfusesIds => ("confuses-ids", "pairs answers with requests by their order, not by their ids"),
            Self::ChokesOnNotifications => {
                ("chokes-on-notifications", "takes a notification before an answer for a broken answer")
            }
            Self::ChokesOnNoise => ("chokes-on-noise", "ends the session at a line that is no message"),
            Self::RejectsUnknownBlocks => {
                ("rejects-unknown-blocks", "refuses a result for a content block of a type that it does not know")
            }
            Self::DropsNonText => ("drops-non-text", "hands out text blocks and no others"),
            Self::DropsErrorStructure => ("drops-error-structure", "drops the structured content of tool errors"),
            Self::NoFallback => ("no-fallback", "takes a probe that fails for the end"),
            Self::RefusesUnlisted => ("refuses-unlisted", "calls no tool that its user has not listed"),
            Self::LastKeyWins => ("last-key-wins", "keeps of equal keys in a value the last one"),
            Self::StrictMeta => {
                ("strict-meta", "refuses tools and results with a key in _meta that the grammar does not have")
            }
            Self::AssertsFormat => ("asserts-format", "takes `format` for an assertion"),
            Self::DepthLimit => ("depth-limit", "cannot read JSON nested deeper than 64 levels"),
            Self::SizeLimit => ("size-limit", "cannot read a message of more than 64 KiB"),
            Self::IgnoresVersion => ("ignores-version", "goes on whatever revision `initialize` names"),
            Self::OpensRegardless => ("opens-regardless", "goes on after `initialize` was refused"),
            Self::WantsContent => ("wants-content", "refuses a result that has neither a block nor a value"),
            Self::ContentOrNothing => ("content-or-nothing", "takes content that is no list for none"),
            Self::FirstBlockOnly => ("first-block-only", "hands out the first content block only"),
            Self::TruncatesText => ("truncates-text", "cuts text blocks after 10,000 characters"),
            Self::NeedsSchema => ("needs-schema", "drops the value of a tool that declares no output schema"),
            Self::ForgetsSchemasOnFailedList => (
                "forgets-schemas-on-failed-list",
                "loses the list over one unusable schema, and validates nothing after a list that failed",
            ),
        }
    }
}

impl fmt::Display for ClientQuirk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_quirk_has_a_name_and_a_description_of_its_own() {
        let names: BTreeSet<_> = ClientQuirk::ALL.into_iter().map(ClientQuirk::as_str).collect();
        let abouts: BTreeSet<_> = ClientQuirk::ALL.into_iter().map(ClientQuirk::about).collect();
        assert_eq!((names.len(), abouts.len()), (ClientQuirk::ALL.len(), ClientQuirk::ALL.len()));
        let kebab =
            |name: &&str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        assert!(names.iter().all(kebab));
    }
}
