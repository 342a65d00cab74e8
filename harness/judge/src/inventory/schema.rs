//! The schema: what a type requires is a MUST, whether or not a page says so in words.

use super::Judged::ByRules;
use super::Whom::{Both, Client, Server};
use super::{Statement, must, should};
use crate::rules::RevisionRange;

const STRUCTURED: RevisionRange = RevisionRange::STRUCTURED;
const MODERN: RevisionRange = RevisionRange::MODERN;
const OBJECTS: RevisionRange = RevisionRange::OBJECTS;

pub(super) const STATEMENTS: &[Statement] = &[
    must(
        Server,
        STRUCTURED,
        "2026-07-28/schema#calltoolresult-content",
        "give every result of a tool a `content` array",
        ByRules(&["content-array"]),
    ),
    must(
        Server,
        STRUCTURED,
        "2026-07-28/schema#contentblock",
        "send only content blocks that the revision defines",
        ByRules(&["content-blocks"]),
    ),
    must(
        Server,
        OBJECTS,
        "2025-11-25/schema#calltoolresult-structuredcontent",
        "send an object as `structuredContent`",
        ByRules(&["structured-content-object"]),
    ),
    must(
        Client,
        MODERN,
        "2026-07-28/schema#calltoolresult-structuredcontent",
        "take any JSON value as `structuredContent`",
        ByRules(&["client-takes-any-value"]),
    ),
    should(
        Server,
        STRUCTURED,
        "2026-07-28/schema#calltoolresult-iserror",
        "report an error of the tool in a result with `isError`, not as a JSON-RPC error",
        ByRules(&["tool-error-in-result"]),
    ),
    should(
        Server,
        STRUCTURED,
        "2026-07-28/schema#calltoolresult-iserror",
        "answer a call of a tool that is not there with a JSON-RPC error",
        ByRules(&["unknown-tool-code"]),
    ),
    must(
        Server,
        OBJECTS,
        "2025-11-25/schema#tool-outputschema",
        "give an `outputSchema` `type: object` at its root",
        ByRules(&["output-schema-object-root"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/schema#tool-outputschema",
        "declare an `outputSchema` as an object, not as a boolean or null",
        ByRules(&["output-schema-is-object"]),
    ),
    must(
        Client,
        MODERN,
        "2026-07-28/schema#tool-outputschema",
        "take an `outputSchema` with any root",
        ByRules(&["client-takes-any-output-schema"]),
    ),
    must(
        Server,
        STRUCTURED,
        "2026-07-28/schema#tool-inputschema",
        "give a tool an `inputSchema` with `type: object` at its root",
        ByRules(&["input-schema-object-root"]),
    ),
    must(
        Server,
        STRUCTURED,
        "2026-07-28/schema#listtoolsresult-tools",
        "list tools as an array of objects, each with a name",
        ByRules(&["tools-list-shape"]),
    ),
    must(
        Both,
        STRUCTURED,
        "2026-07-28/schema#tool",
        "leave out an optional member that has no value",
        ByRules(&["optional-members-not-null"]),
    ),
    must(
        Client,
        STRUCTURED,
        "2026-07-28/schema#calltoolresult",
        "take every result that is as the schema has it",
        ByRules(&["client-takes-conforming-result"]),
    ),
    must(
        Client,
        STRUCTURED,
        "2026-07-28/schema#listtoolsresult",
        "take every list that is as the schema has it",
        ByRules(&["client-takes-conforming-list"]),
    ),
];
