//! What a client can do otherwise than an honest one: one named deviation each, so that a check can be shown to notice it,
//! and so that what a released SDK does can be put together of them.

use mcp_compat_mock_wire::quirks;

quirks! {
    /// One deviation of a client from what an honest one does, roughly in the order in which real ones were met.
    pub enum ClientQuirk {
        /// Never hands out structured content.
        DropsValue = "drops-value", "never hands out structured content";
        /// Reads every number into a 64-bit float, and writes it again.
        RoundsNumbers = "rounds-numbers", "reads every number into a 64-bit float";
        /// Reads every number but integers of 64 bits into a 64-bit float. As whatever reads JSON with `serde_json`.
        RoundsBeyondWords = "rounds-beyond-words", "reads every number but integers of 64 bits into a 64-bit float";
        /// Reads every number with a fraction or an exponent into a 64-bit float. As Python.
        RoundsDecimals = "rounds-decimals", "reads every number that is no integer into a 64-bit float";
        /// Takes `structuredContent: null` for no structured content.
        NullAsAbsent = "null-as-absent", "takes a null value for no value";
        /// Takes structured content that is `null`, `false`, `0` or `""` for no structured content.
        Truthiness = "truthiness", "takes null, false, 0 and \"\" for no value";
        /// Leaves out the members of objects that are `null`.
        StripsNulls = "strips-nulls", "leaves out the members of objects that are null";
        /// Hands out `x` where the value is `{"result": x}`.
        UnwrapsResult = "unwraps-result", "hands out x where the value is {\"result\": x}";
        /// Hands out `{"result": x}` where the value is no object.
        WrapsValue = "wraps-value", "hands out {\"result\": x} where the value is no object";
        /// Hands out a string with the value's JSON text in it.
        DoubleEncodes = "double-encodes", "hands out a string with the value's JSON text in it";
        /// Hands out what the first text block parses to, and ignores the structured content.
        PrefersTextParse = "prefers-text-parse", "hands out what the first text block parses to";
        /// Never hands out content blocks.
        DropsContent = "drops-content", "never hands out content blocks";
        /// Hands out a tool error as a success.
        IgnoresIsError = "ignores-is-error", "hands out a tool error as a success";
        /// Raises an error of its own for every tool error, without the tool's words.
        MasksToolErrors = "masks-tool-errors", "raises its own error in place of the tool's words";
        /// Hands out a JSON-RPC error as an empty success.
        SwallowsProtocolErrors = "swallows-protocol-errors", "hands out a JSON-RPC error as an empty success";
        /// Validates nothing, whatever its policy says.
        SkipsValidation = "skips-validation", "validates nothing";
        /// Validates the results of tool errors too.
        ValidatesErrors = "validates-errors", "validates the results of tool errors too";
        /// Refuses structured content that is no object.
        RejectsNonObject = "rejects-non-object", "refuses structured content that is no object";
        /// Reads every schema as draft-07.
        Draft07Only = "draft-07-only", "reads every schema as draft-07";
        /// Takes a schema that it cannot use as one that allows everything.
        PermissiveSchemas = "permissive-schemas", "takes an unusable schema as one that allows everything";
        /// Loses the whole list over one schema that it cannot use.
        LosesListOnBadSchema = "loses-list-on-bad-schema", "loses the list over one unusable schema";
        /// Fetches a `$ref` into the network before it uses the schema (on loopback only).
        FetchesRef = "fetches-ref", "fetches a $ref into the network (on loopback only)";
        /// Keeps its list whatever the server tells.
        IgnoresListChanged = "ignores-list-changed", "keeps its list whatever the server tells";
        /// Lists the first page only.
        FirstPageOnly = "first-page-only", "lists the first page only";
        /// Takes a result of any `resultType` as complete.
        IgnoresResultType = "ignores-result-type", "takes a result of any resultType as complete";
        /// Leaves the protocol's members out of `_meta`.
        OmitsMeta = "omits-meta", "leaves the protocol's members out of _meta";
        /// Never sends `notifications/initialized`.
        SkipsInitialized = "skips-initialized", "never sends notifications/initialized";
        /// Sends no request before the last one is answered, however many its user makes at once. As the MCP host in
        /// llama.cpp (ggml-org/llama.cpp#26062).
        OneAtATime = "one-at-a-time", "sends no request before the last one is answered";
        /// Pairs answers with requests by their order, not by their ids. Seen where several calls are open or one was given
        /// up: anthropics/claude-code#83457 and #91958, dcc-mcp/dcc-mcp-core#2417.
        ConfusesIds = "confuses-ids", "pairs answers with requests by their order, not by their ids";
        /// Takes a notification that comes before an answer for a broken answer. To the client of vercel/ai every
        /// notification was an error (vercel/ai#16353); that of A3S-Lab/Code took one for an answer without an id (#137).
        ChokesOnNotifications = "chokes-on-notifications", "takes a notification before an answer for a broken answer";
        /// Ends the session at a line that is no message. As rmcp 0.17 (`transport/async_rw.rs`).
        ChokesOnNoise = "chokes-on-noise", "ends the session at a line that is no message";
        /// Refuses a result for a content block of a type that it does not know. As the TypeScript and Python SDKs
        /// (use-agent-os/agent-os#2020) and rmcp.
        RejectsUnknownBlocks = "rejects-unknown-blocks", "refuses a result for a content block of a type that it does not know";
        /// Hands out text blocks and no others. As agentscope-ai/agentscope (#2798), agno-agi/agno (#10009) and more.
        DropsNonText = "drops-non-text", "hands out text blocks and no others";
        /// Drops the structured content of tool errors. As langchain-ai/langchain-mcp-adapters (#619).
        DropsErrorStructure = "drops-error-structure", "drops the structured content of tool errors";
        /// Takes a probe that fails for the end, instead of going on with `initialize`. As go-sdk and rmcp 3.9, where the
        /// server ends at the probe (modelcontextprotocol/go-sdk#1177).
        NoFallback = "no-fallback", "takes a probe that fails for the end";
        /// Calls no tool that its user has not listed. As hosts that keep a registry of what they listed; lastmile-ai/mcp-agent
        /// answers such a call itself.
        RefusesUnlisted = "refuses-unlisted", "calls no tool that its user has not listed";
        /// Keeps of equal keys in a value the last one. As whatever reads JSON into maps: rmcp (`serde_json::Value`), the
        /// TypeScript SDK (`JSON.parse`), the Python SDK (`json`).
        LastKeyWins = "last-key-wins", "keeps of equal keys in a value the last one";
        /// Refuses tools and results with a key in `_meta` that the grammar does not have. As tower-mcp
        /// (joshrotenberg/tower-mcp#1212), which lost every tool of such a server.
        StrictMeta = "strict-meta", "refuses tools and results with a key in _meta that the grammar does not have";
        /// Takes `format` for an assertion. As the TypeScript SDK with ajv-formats (Automattic/mcp-wordpress-remote#50).
        AssertsFormat = "asserts-format", "takes `format` for an assertion";
        /// Cannot read JSON nested deeper than 64 levels: the default of .NET's `System.Text.Json`. The Python SDK's reader
        /// gives up at 200, rmcp's at 128.
        DepthLimit = "depth-limit", "cannot read JSON nested deeper than 64 levels";
        /// Cannot read a message of more than 64 KiB: the default of Go's `bufio.Scanner`. As mark3labs/mcp-go (#155, #588)
        /// and ThinkInAIXYZ/go-mcp (#128).
        SizeLimit = "size-limit", "cannot read a message of more than 64 KiB";
        /// Goes on whatever revision `initialize` names, and asks with it where the probe found no revision of both. As rmcp
        /// 0.17 and 3.9, where they open with `initialize`.
        IgnoresVersion = "ignores-version", "goes on whatever revision `initialize` names";
        /// Speaks its newest revision to whoever answers the probe, whatever the answer lists. As mark3labs/mcp-go 1.2.
        IgnoresListedVersions = "ignores-listed-versions", "speaks its newest revision whatever `server/discover` lists";
        /// Goes on after `initialize` was refused.
        OpensRegardless = "opens-regardless", "goes on after `initialize` was refused";
        /// Refuses a result that has neither a block nor a value. As rmcp did (modelcontextprotocol/rust-sdk#681).
        WantsContent = "wants-content", "refuses a result that has neither a block nor a value";
        /// Takes content that is no list for none.
        ContentOrNothing = "content-or-nothing", "takes content that is no list for none";
        /// Hands out the first content block only. Reported of NousResearch/hermes-agent (#101330).
        FirstBlockOnly = "first-block-only", "hands out the first content block only";
        /// Cuts text blocks after 10,000 characters. Clients cut to save tokens; in seangalliher/ProbOS (#1217) nothing was left
        /// of the only block.
        TruncatesText = "truncates-text", "cuts text blocks after 10,000 characters";
        /// Drops the value of a tool that declares no output schema. As langgenius/dify (#39418).
        NeedsSchema = "needs-schema", "drops the value of a tool that declares no output schema";
        /// Loses the list over one schema that it cannot use, and validates nothing after a list that failed. As the TypeScript
        /// SDK (modelcontextprotocol/typescript-sdk#2614).
        ForgetsSchemasOnFailedList = "forgets-schemas-on-failed-list", "loses the list over one unusable schema, and validates nothing after a list that failed";
        /// Lets go a message that it cannot read, and waits on. The bodies of HTTP, which can answer nothing else, are
        /// not meant.
        IgnoresBrokenMessages = "ignores-broken-messages", "lets go a message that it cannot read, and waits on";
        /// Lets go the body of an HTTP response that holds no answer, and waits on. Visible over HTTP only.
        IgnoresBrokenBodies = "ignores-broken-bodies", "lets go an HTTP body without an answer, and waits on (HTTP only)", only over Http;
        /// Lets go an answer to a request that nobody made, and waits on.
        IgnoresForeignAnswers = "ignores-foreign-answers", "lets go an answer to what was never asked, and waits on";
        /// Reads what is not UTF-8 with replacement characters in its place.
        ReplacesBadUtf8 = "replaces-bad-utf-8", "reads what is not UTF-8 as replacement characters";
        /// Ends the session at a line that is not UTF-8.
        ChokesOnBadUtf8 = "chokes-on-bad-utf-8", "ends the session at a line that is not UTF-8";
        /// Skips a byte order mark before a message.
        SkipsByteOrderMark = "skips-byte-order-mark", "skips a byte order mark before a message";
        /// Cannot read half a surrogate pair.
        RefusesLoneSurrogates = "refuses-lone-surrogates", "cannot read a message with half a surrogate pair";
        /// Cannot read a number that is beyond every double.
        RefusesHugeNumbers = "refuses-huge-numbers", "cannot read a message with a number beyond every double";
        /// Cannot read JSON nested deeper than 128 levels.
        DepthLimit128 = "depth-limit-128", "cannot read JSON nested deeper than 128 levels";
        /// Cannot read JSON nested deeper than 200 levels.
        DepthLimit200 = "depth-limit-200", "cannot read JSON nested deeper than 200 levels";
        /// Asks for no list on its own: it validates what its user has listed, and nothing else.
        ListsOnRequest = "lists-on-request", "asks for no list on its own, and validates only what its user listed";
        /// Validates the tools of the page that it read last, and no others.
        KeepsLastPage = "keeps-last-page", "validates only the tools of the page that it read last";
        /// Loses the list over one output schema that is no JSON object.
        WantsObjectSchemas = "wants-object-schemas", "loses the list over an output schema that is no JSON object";
        /// Loses the list over one output schema with a property whose schema is `true` or `false`.
        WantsObjectProperties = "wants-object-properties", "loses the list over a property whose schema is a boolean";
        /// Refuses lists and results with `null` in place of an optional member, but for a value that may be null.
        RefusesNulls = "refuses-nulls", "refuses lists and results with null for an optional member";
        /// Refuses a result whose `isError` is `null`.
        RefusesNullIsError = "refuses-null-is-error", "refuses a result whose isError is null";
        /// Refuses lists with a `ttlMs` or a `cacheScope` that cannot be, whatever the revision.
        RefusesOddHints = "refuses-odd-hints", "loses the list over a ttlMs or a cacheScope that cannot be";
        /// Refuses a result without `content`.
        RequiresContent = "requires-content", "refuses a result without content";
        /// Refuses a result of a `resultType` that it does not know in revisions that have none, too.
        AlwaysReadsResultType = "always-reads-result-type", "refuses an unknown resultType in revisions without it, too";
        /// Takes a `resultType` of `null` for none.
        NullResultType = "null-result-type", "takes a resultType of null for none";
        /// Validates the structured content of tool errors, where there is any.
        ValidatesErrorValues = "validates-error-values", "validates the structured content of tool errors";
        /// Takes `nullable: true` in a schema as OpenAPI means it.
        HonoursNullable = "honours-nullable", "takes `nullable: true` in a schema as OpenAPI means it";
        /// Reads every schema as the default class of Ajv does: as draft-07, with the references and the places of later drafts.
        ReadsLikeAjv = "reads-like-ajv", "reads every schema as draft-07 with the references of later drafts, as Ajv";
        /// Checks a value at any cost: where references make a check endless, it never comes back.
        KnowsNoBound = "knows-no-bound", "checks a value at any cost, so that some schemas keep it for ever";
        /// Reads a schema of a dialect that it does not know in its own.
        IgnoresUnknownDialects = "ignores-unknown-dialects", "reads a schema of an unknown dialect in its own";
        /// Cannot validate with a schema that refers to itself without going deeper into the value.
        ChokesOnCircles = "chokes-on-circles", "cannot validate with a schema that refers to itself in place";
        /// Goes on with `initialize` where the probe was answered with an error, and nowhere else.
        FallsBackOnErrors = "falls-back-on-errors", "falls back where the probe was answered with an error, and only there";
        /// Goes on in a revision without a handshake that the answer to `initialize` names.
        IgnoresEra = "ignores-era", "speaks a revision without a handshake that `initialize` names";
        /// Looks up a tool that it does not know on the first page of the list, and calls it whatever it finds there.
        LooksUpFirstPage = "looks-up-first-page", "looks up an unknown tool on the first page only, and calls it anyway";
        /// Loses a modern list that does not say how long it holds, and for whom.
        RequiresHints = "requires-hints", "loses a modern list without ttlMs or cacheScope";
        /// Refuses a modern result without a `resultType`, or with one that is no string.
        RequiresResultType = "requires-result-type", "refuses a modern result without resultType";
        /// Loses the list over one input schema whose root is not of `type: "object"`.
        WantsObjectInput = "wants-object-input", "loses the list over an input schema that is not of objects";
        /// Forgets its list when it is told of a change, and validates nothing until its user lists again.
        ForgetsOnChange = "forgets-on-change", "forgets its list at a change, and asks for no other on its own";
        /// Takes a server for a modern one without a probe. In a profile, where the mode is `modern`.
        AssumesModern = "assumes-modern", "takes a server for a modern one without asking";
        /// Takes a connection that is lost at the probe for the end. As the TypeScript and Python SDKs over HTTP.
        /// Visible over HTTP only: over stdio a server that ended is told as that.
        EndsAtLostProbe = "ends-at-lost-probe", "takes a connection lost at its probe for the end (HTTP only)", only over Http;
        /// Waits for the answer to its probe for as long as for any other.
        WaitsForProbe = "waits-for-probe", "takes silence after its probe for no answer, but waits on";
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
