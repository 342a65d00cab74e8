//! The quirks of servers: named deviations from the specification.
//!
//! Each quirk was seen in a real server, or is forbidden by a rule. Everything else about a sabotaged server is correct, so
//! that every reported problem comes from the quirk.

use crate::wire::deviations::quirks;

quirks! {
    /// Deviation from correct behaviour.
    pub enum ServerQuirk {
        DropsValue = "drops-value", "omits structuredContent from every result";
        ArrayAsText = "array-as-text", "sends a value that is an array as text only";
        WrapsAlways = "wraps-always", "puts every value and output schema under `result`, in any revision";
        StringifiesValue = "stringifies-value", "sends the value as a string that holds its JSON";
        ForgetsText = "forgets-text", "empties content";
        ForgetsContent = "forgets-content", "omits content from results";
        RoundsNumbers = "rounds-numbers", "writes every number of a value as the nearest double";
        NullAsAbsent = "null-as-absent", "removes everything that is null from a value, including the value itself";
        ExplicitNulls = "explicit-nulls", "writes absent optional members as null";
        SwallowsError = "swallows-error", "omits isError from results";
        HidesSchema = "hides-schema", "omits outputSchema from definitions";
        ClosesSchema = "closes-schema", "adds additionalProperties: false to the root of every output schema";
        FailsList = "fails-list", "answers tools/list with an internal error";
        LosesPageTwo = "loses-page-two", "ends the list after its first page";
        StaleList = "stale-list", "keeps listing the first tools after they changed";
        Untold = "untold", "never sends the notification that the tools changed";
        /// Negotiates a revision that nobody requested and that does not exist.
        AnswersWrongRevision = "answers-wrong-revision", "negotiates a revision that does not exist";
        ForgetsResultType = "forgets-result-type", "omits resultType from modern results";
        ForgetsCacheHints = "forgets-cache-hints", "omits ttlMs and cacheScope from modern results that need them";
        StringifiesId = "stringifies-id", "answers with the request's id as a string, whatever it was";
        /// Writes a line that is not a message first. HTTP has no place for it.
        NoiseOnStdout = "noise-on-stdout", "writes a line that is not a message first (byte streams only)", only over Lines;
        /// Answers one request after the other: during a slow call it answers and reads nothing else. As python-sdk did (modelcontextprotocol/python-sdk#188), tower-mcp (joshrotenberg/tower-mcp#1231) and,
        /// over HTTP too, cxxmcp (caomengxuan666/cxxmcp#51).
        AnswersInRequestOrder = "answers-in-request-order", "answers nothing else during a slow call";
        /// Answers with an internal error if the revision spoken does not support an output schema or a value, like the
        /// Python SDK since 2.0.
        FailsOnForeignOutput = "fails-on-foreign-output", "answers with an error if the revision spoken does not support a schema or value";
        /// Decides for each schema and each value whether a legacy revision needs it wrapped: a value that violates its
        /// schema may be wrapped alone. Like the TypeScript SDK since 2.0.
        WrapsApart = "wraps-apart", "wraps schemas and values that are not objects in the legacy era, each for itself";
        /// Drops what a legacy revision does not support, each schema and each value for itself, and sends such a value as
        /// text. Like rmcp since 3.11.
        StripsForeignOutput = "strips-foreign-output", "in the legacy era, omits schemas that are not of objects, and sends values that are not objects as text";
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
