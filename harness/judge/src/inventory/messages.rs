//! Messages and their ids, results and errors, in the page on the base protocol.

use super::Gap::{Inside, Open, Unplayed};
use super::Judged::{ByRules, Not};
use super::Whom::{Both, Client, Server};
use super::{Statement, must, should};
use crate::rules::RevisionRange;

const STRUCTURED: RevisionRange = RevisionRange::STRUCTURED;
const MODERN: RevisionRange = RevisionRange::MODERN;
const OBJECTS: RevisionRange = RevisionRange::OBJECTS;

pub(super) const STATEMENTS: &[Statement] = &[
    must(
        Both,
        STRUCTURED,
        "2026-07-28/basic/index#messages",
        "send only messages that follow JSON-RPC 2.0",
        ByRules(&["server-speaks-json-rpc", "client-speaks-json-rpc"]),
    ),
    must(
        Both,
        STRUCTURED,
        "2026-07-28/basic/index#requests",
        "give a request an id that is a string or an integer, and not null",
        ByRules(&["client-speaks-json-rpc"]),
    ),
    must(
        Both,
        OBJECTS,
        "2025-11-25/basic/index#requests",
        "not use an id again on the same session",
        ByRules(&["request-id-fresh"]),
    ),
    must(
        Both,
        MODERN,
        "2026-07-28/basic/index#requests",
        "not use the id of a request that is still open",
        ByRules(&["request-id-fresh"]),
    ),
    must(
        Both,
        STRUCTURED,
        "2026-07-28/basic/index#result-responses",
        "answer under the id of the request",
        ByRules(&["response-matches-request"]),
    ),
    must(
        Both,
        STRUCTURED,
        "2026-07-28/basic/index#result-responses",
        "put a `result` or an `error` into a response, and not both",
        ByRules(&["server-speaks-json-rpc"]),
    ),
    must(
        Both,
        STRUCTURED,
        "2026-07-28/basic/index#error-responses",
        "give an error an integer code and a message",
        ByRules(&["server-speaks-json-rpc"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/basic/index#result-responses",
        "put a `resultType` into every result",
        ByRules(&["result-type-present"]),
    ),
    must(
        Both,
        MODERN,
        "2026-07-28/basic/index#resulttype",
        "know the result types of the core protocol and of the extensions that it declares, and no others",
        ByRules(&["result-type-known", "client-refuses-unknown-result-type"]),
    ),
    must(
        Client,
        MODERN,
        "2026-07-28/basic/index#resulttype",
        "take a result of an unknown type for invalid",
        ByRules(&["client-refuses-unknown-result-type"]),
    ),
    must(
        Client,
        MODERN,
        "2026-07-28/basic/index#resulttype",
        "take a result without a type for complete",
        ByRules(&["client-takes-absent-result-type"]),
    ),
    must(
        Both,
        MODERN,
        "2026-07-28/basic/index#error-codes",
        "send no code from -32020 to -32099 that is not defined, and none that is of the past",
        ByRules(&["error-code-defined"]),
    ),
    must(
        Both,
        MODERN,
        "2026-07-28/basic/index#error-codes",
        "send a defined code only in its defined meaning",
        Not(Open, "Whether a header really did not match, or a capability really was needed, only the server knows."),
    ),
    must(
        Both,
        MODERN,
        "2026-07-28/basic/index#error-codes",
        "read no meaning into the codes from -32000 to -32019",
        Not(Inside, "Whatever the code is, a tool error has to be told."),
    ),
    should(
        Both,
        MODERN,
        "2026-07-28/basic/index#error-codes",
        "choose codes of its own outside of what JSON-RPC reserves",
        Not(Open, "The wire does not show whether a code is new, or which purpose it has."),
    ),
    must(
        Both,
        STRUCTURED,
        "2026-07-28/basic/index#notifications",
        "not answer a notification, and give it no id",
        ByRules(&["response-matches-request"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/basic/index#statelessness",
        "not go by what earlier requests on the connection said",
        Not(Unplayed, "Every mock says the same with each of its requests."),
    ),
    must(Server, MODERN, "2026-07-28/basic/patterns/index", "send no requests", ByRules(&["server-sends-no-requests"])),
];
