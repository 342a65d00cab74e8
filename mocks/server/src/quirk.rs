//! The named ways in which a server can break the rules.
//!
//! A harness that cannot fail proves nothing. Each quirk is one deviation that real servers have shown or that a rule
//! forbids; everything else about a sabotaged server stays correct, so that whatever is reported can only come from it.

use mcp_compat_mock_wire::quirks;

quirks! {
    /// One deviation from correct behaviour.
    pub enum ServerQuirk {
        /// Declares an output schema and leaves `structuredContent` out of every result.
        DropsValue = "drops-value", "leaves structuredContent out of every result";
        /// Sends a value that is an array as text only.
        ArrayAsText = "array-as-text", "sends a value that is an array as text only";
        /// Puts every value and every output schema under one key, `result`, in any revision.
        WrapsAlways = "wraps-always", "puts every value and output schema under `result`, in any revision";
        /// Sends the value as a string that holds its JSON.
        StringifiesValue = "stringifies-value", "sends the value as a string that holds its JSON";
        /// Empties `content`.
        ForgetsText = "forgets-text", "empties content";
        /// Leaves `content` out, which every revision requires.
        ForgetsContent = "forgets-content", "leaves content out of results";
        /// Writes every number of a value as the nearest double.
        RoundsNumbers = "rounds-numbers", "writes every number of a value as the nearest double";
        /// Leaves out whatever is `null` in a value, the value itself included.
        NullAsAbsent = "null-as-absent", "leaves out whatever is null in a value, the value itself included";
        /// Writes absent optional members as `null`.
        ExplicitNulls = "explicit-nulls", "writes absent optional members as null";
        /// Leaves `isError` out of results.
        SwallowsError = "swallows-error", "leaves isError out of results";
        /// Leaves `outputSchema` out of definitions.
        HidesSchema = "hides-schema", "leaves outputSchema out of definitions";
        /// Adds `additionalProperties: false` to the root of every output schema.
        ClosesSchema = "closes-schema", "adds additionalProperties: false to the root of every output schema";
        /// Answers `tools/list` with an internal error.
        FailsList = "fails-list", "answers tools/list with an internal error";
        /// Ends the list after its first page.
        LosesPageTwo = "loses-page-two", "ends the list after its first page";
        /// Goes on listing the first tools after they changed.
        StaleList = "stale-list", "goes on listing the first tools after they changed";
        /// Never tells that the tools changed.
        Untold = "untold", "never tells that the tools changed";
        /// Names a revision that nobody asked for and that does not exist.
        AnswersWrongRevision = "answers-wrong-revision", "names a revision that does not exist when it negotiates";
        /// Leaves `resultType` out of modern results.
        ForgetsResultType = "forgets-result-type", "leaves resultType out of modern results";
        /// Leaves `ttlMs` and `cacheScope` out of modern results that need them.
        ForgetsCacheHints = "forgets-cache-hints", "leaves ttlMs and cacheScope out of modern results that need them";
        /// Answers with the request's id as a string, whatever it was.
        StringifiesId = "stringifies-id", "answers with the request's id as a string, whatever it was";
        /// Writes a line that is no message first. Visible on byte streams only: HTTP has no such place.
        NoiseOnStdout = "noise-on-stdout", "writes a line that is no message first (byte streams only)", only over Lines;
        /// Answers one request after the other: behind a call that takes its time nothing else is answered, and nothing is
        /// read. As python-sdk did (modelcontextprotocol/python-sdk#188), tower-mcp (joshrotenberg/tower-mcp#1231) and,
        /// over HTTP too, cxxmcp (caomengxuan666/cxxmcp#51).
        AnswersInRequestOrder = "answers-in-request-order", "answers nothing else while a call takes its time";
        /// Answers with an internal error where an output schema or a value is one that the revision spoken does not know.
        /// As the Python SDK from 2.0 on.
        FailsOnForeignOutput = "fails-on-foreign-output", "answers with an error what the revision spoken does not know";
        /// Wraps schemas and values that a legacy revision does not know, each by what it is: a value beside a schema
        /// that it violates may be wrapped alone. As the TypeScript SDK from 2.0 on.
        WrapsApart = "wraps-apart", "wraps in the legacy era what is no object, schema and value each for itself";
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_quirk_has_a_name_and_a_description_of_its_own() {
        let names: BTreeSet<_> = ServerQuirk::ALL.into_iter().map(ServerQuirk::as_str).collect();
        let abouts: BTreeSet<_> = ServerQuirk::ALL.into_iter().map(ServerQuirk::about).collect();
        assert_eq!((names.len(), abouts.len()), (ServerQuirk::ALL.len(), ServerQuirk::ALL.len()));
        let kebab =
            |name: &&str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        assert!(names.iter().all(kebab));
    }
}
