//! The transports, as far as a message with a value can get lost in them.

use super::Gap::Unplayed;
use super::Judged::{ByRules, ByVerdict, Not};
use super::Whom::{Both, Client, Server};
use super::{SINCE_2025_11_25, Statement, must, should};
use crate::rules::RevisionRange;

const STRUCTURED: RevisionRange = RevisionRange::STRUCTURED;
const MODERN: RevisionRange = RevisionRange::MODERN;
const OBJECTS: RevisionRange = RevisionRange::OBJECTS;

pub(super) const STATEMENTS: &[Statement] = &[
    must(
        Both,
        STRUCTURED,
        "2026-07-28/basic/transports/index#messages",
        "encode messages in UTF-8",
        ByRules(&["server-speaks-json-rpc", "client-speaks-json-rpc"]),
    ),
    must(
        Server,
        STRUCTURED,
        "2026-07-28/basic/transports/stdio",
        "write nothing but messages to its standard output, each on a line of its own",
        ByRules(&["server-speaks-json-rpc"]),
    ),
    must(
        Client,
        STRUCTURED,
        "2026-07-28/basic/transports/stdio",
        "write nothing but messages to the server's standard input, each on a line of its own",
        ByRules(&["client-speaks-json-rpc"]),
    ),
    must(
        Client,
        MODERN,
        "2026-07-28/basic/transports/stdio#sending-messages",
        "send no responses",
        ByRules(&["client-sends-no-responses"]),
    ),
    should(
        Client,
        SINCE_2025_11_25,
        "2026-07-28/basic/transports/stdio",
        "not take what a server writes to standard error for an error",
        ByVerdict("A client that does is `rejected` or `unreachable` where the wire holds the value."),
    ),
    must(
        Client,
        STRUCTURED,
        "2026-07-28/basic/transports/streamable-http#sending-messages",
        "accept JSON and event streams, and read an answer in either form",
        ByRules(&["http-accept"]),
    ),
    must(
        Client,
        STRUCTURED,
        "2026-07-28/basic/transports/streamable-http#sending-messages",
        "send one message with each POST",
        ByRules(&["client-speaks-json-rpc"]),
    ),
    must(
        Server,
        STRUCTURED,
        "2026-07-28/basic/transports/streamable-http#sending-messages",
        "answer a request with JSON or an event stream",
        ByVerdict("An answer in another form holds no message, and the request stays open."),
    ),
    should(
        Server,
        OBJECTS,
        "2025-11-25/basic/transports#sending-messages-to-the-server",
        "send the response before it ends the event stream",
        ByVerdict("The request stays open, and the call is `hung` by the server's fault or an error of the client's."),
    ),
    must(
        Client,
        OBJECTS,
        "2025-11-25/basic/transports#protocol-version-header",
        "name the revision in a header after the handshake",
        ByRules(&["http-version-header"]),
    ),
    should(
        Client,
        OBJECTS,
        "2025-11-25/basic/transports#protocol-version-header",
        "name in it the revision that was negotiated",
        ByRules(&["http-version-is-negotiated"]),
    ),
    should(
        Server,
        OBJECTS,
        "2025-11-25/basic/transports#protocol-version-header",
        "take a request without the header for 2025-03-26, if it has no other way to know",
        Not(Unplayed, "Every mock client sends the header."),
    ),
    must(
        Server,
        OBJECTS,
        "2025-11-25/basic/transports#protocol-version-header",
        "refuse a revision in the header that it does not support with status 400",
        Not(Unplayed, "No mock client names another revision than the negotiated one."),
    ),
    must(
        Client,
        OBJECTS,
        "2025-11-25/basic/transports#session-management",
        "send back the session id that it was given",
        ByRules(&["http-session-id"]),
    ),
    must(
        Client,
        OBJECTS,
        "2025-11-25/basic/transports#session-management",
        "open another session when its own is not known any more",
        Not(Unplayed, "No mock server forgets a session."),
    ),
    must(
        Client,
        MODERN,
        "2026-07-28/basic/transports/streamable-http#standard-request-headers",
        "say revision, method and name in headers, as in the body",
        ByRules(&["http-request-headers"]),
    ),
    must(
        Client,
        MODERN,
        "2026-07-28/basic/transports/streamable-http#value-encoding",
        "encode a name that no header can hold",
        ByRules(&["http-request-headers"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/basic/transports/streamable-http#value-encoding",
        "decode an encoded name before comparing it with the body",
        ByRules(&["http-headers-are-decoded"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/basic/transports/streamable-http#server-validation",
        "refuse a request whose headers and body differ with status 400 and -32020",
        ByRules(&["http-error-status"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/basic/transports/streamable-http#protocol-version-header",
        "refuse a revision that it does not implement with status 400, and a method with 404",
        ByRules(&["http-error-status"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/basic/transports/streamable-http#receiving-messages",
        "send only notifications of the request before its answer",
        ByRules(&["progress-token-known", "log-only-where-asked", "list-changed-where-asked"]),
    ),
];
