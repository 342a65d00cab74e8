//! The rules about variations of what clients send: each legal, and sent by some released client.

use super::super::audit_rule::AuditRule;

pub(in crate::server) const PING_IS_ANSWERED: AuditRule = AuditRule::error(
    "ping-is-answered",
    "Up to 2025-11-25, a server answers `ping` with an empty result.",
    "answer `ping` with an empty result, whatever the server declares",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping#behavior-requirements");

pub(in crate::server) const EARLY_REQUESTS_ARE_SURVIVED: AuditRule = AuditRule::error(
    "early-requests-are-survived",
    "A request between the answer to `initialize` and `notifications/initialized` is answered, if only with an error, and the \
     session goes on.",
    "answer a request that comes before `notifications/initialized`, with an error if it cannot be served yet, and go on \
     waiting for the notification",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization");

pub(in crate::server) const REQUEST_IDS_ARE_RETURNED: AuditRule = AuditRule::error(
    "request-ids-are-returned",
    "A response has the id of its request: the same value, and the same type.",
    "keep the id of a request as the JSON value that it is, and copy it into the response",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/index#responses");

pub(in crate::server) const OPTIONAL_PARAMS_ARE_OPTIONAL: AuditRule = AuditRule::error(
    "optional-params-are-optional",
    "A request is served without the members that are optional, and with a `_meta` of the client.",
    "serve `params` that are absent, empty or hold only `_meta` alike, read absent `arguments` as empty, and ignore members \
     of `_meta` that the server does not know",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/index#_meta");

/// A warning: the schema makes the member optional, and no sentence is about servers that require it.
pub(in crate::server) const ARGUMENTS_MAY_BE_ABSENT: AuditRule = AuditRule::warning(
    "arguments-may-be-absent",
    "A tool that requires no argument can be called without `arguments`, which is optional in every revision.",
    "read absent `arguments` as an empty object",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/schema#calltoolrequest");

pub(in crate::server) const UNKNOWN_METHOD_IS_REFUSED: AuditRule = AuditRule::error(
    "unknown-method-is-refused",
    "A request of a method that the server does not have is answered with error -32601, and the server goes on.",
    "answer requests of unknown methods with error -32601, and go on",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/index#responses");

pub(in crate::server) const DECLARED_LISTS_ARE_SERVED: AuditRule = AuditRule::warning(
    "declared-lists-are-served",
    "A server that declares resources or prompts answers the requests that list them.",
    "answer the list requests of declared capabilities, if only with an empty list, or do not declare the capability",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#capability-negotiation");

pub(in crate::server) const DECLARED_REQUESTS_ARE_SERVED: AuditRule = AuditRule::error(
    "declared-requests-are-served",
    "A server that declares a capability serves its requests.",
    "serve `logging/setLevel`, if only by ignoring the level, or do not declare `logging`",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#capability-negotiation");

pub(in crate::server) const LARGE_REQUESTS_ARE_ANSWERED: AuditRule = AuditRule::error(
    "large-requests-are-answered",
    "A server answers a request of 200 kB, if only with an error.",
    "raise the limit of the reader of lines or bodies, and answer a request beyond it with an error",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/index#responses");

pub(in crate::server) const FLUSHES_ITS_OUTPUT: AuditRule = AuditRule::error(
    "flushes-its-output",
    "Over stdio, a server sends each message when it is due, and not at the end of its input.",
    "flush standard output after each message, and read the input line by line",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio");

pub(in crate::server) const SESSIONS_ARE_MANY: AuditRule = AuditRule::error(
    "sessions-are-many",
    "A server over HTTP serves several clients, each with a session of its own.",
    "make a server object and a transport for each session, in place of one for all",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http");

pub(in crate::server) const NOTIFICATIONS_ARE_NOT_ANSWERED: AuditRule = AuditRule::error(
    "notifications-are-not-answered",
    "A notification is not answered, whether the server knows it or not.",
    "never answer a message without an id: handle `notifications/initialized`, and ignore what the server does not know",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/index#notifications");

pub(in crate::server) const NOTIFICATIONS_ARE_ACCEPTED: AuditRule = AuditRule::error(
    "notifications-are-accepted",
    "Over HTTP, a notification of the specification is answered with status 202.",
    "answer `notifications/initialized`, `notifications/cancelled` and the others with HTTP status 202 and no body",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server");

pub(in crate::server) const UNLISTED_TOOL_IS_REFUSED: AuditRule = AuditRule::error(
    "unlisted-tool-is-refused",
    "A call of a tool that the server does not have is answered with an error.",
    "answer the call of an unknown tool with JSON-RPC error -32602, or at least with `isError`",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling");

pub(in crate::server) const ARGUMENTS_ARE_UTF_8: AuditRule = AuditRule::error(
    "arguments-are-utf-8",
    "Text beyond ASCII is the same text as UTF-8 and as escapes of JSON.",
    "read the input as UTF-8, whatever the code page of the system is, and decode the escapes of JSON",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/transports");

pub(in crate::server) const REQUEST_HEADERS_ARE_READ: AuditRule = AuditRule::error(
    "request-headers-are-read",
    "A server reads the headers of requests as HTTP defines them.",
    "read `Accept` as a list in any order, `Content-Type` without its parameters, and an absent `MCP-Protocol-Version` as \
     2025-03-26",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header");

pub(in crate::server) const UNKNOWN_SESSION_IS_404: AuditRule = AuditRule::error(
    "unknown-session-is-404",
    "A request of a session that the server has ended, or does not know, is answered with HTTP status 404.",
    "answer an `Mcp-Session-Id` that the server does not know with HTTP status 404, so that clients open a new session; 400 \
     is for requests without the header",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management");

pub(in crate::server) const OWN_SESSION_IS_KNOWN: AuditRule = AuditRule::error(
    "own-session-is-known",
    "A server over HTTP serves each request with a session id that it has given and not ended.",
    "keep sessions where every instance reads them, let the balancer send a session to one instance, or give no \
     `Mcp-Session-Id`",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management");

pub(in crate::server) const SESSIONS_ARE_INDEPENDENT: AuditRule = AuditRule::error(
    "sessions-are-independent",
    "A server over HTTP opens a session while another one is open.",
    "make a server and a transport for each session, and keep them by `Mcp-Session-Id`",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http");

pub(in crate::server) const INITIALIZE_NEEDS_NO_HEADER: AuditRule = AuditRule::error(
    "initialize-needs-no-header",
    "`initialize` is served without the headers that are due on later requests only.",
    "require the header on requests after `initialize` only, and negotiate the revision in the body of `initialize`",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header");

pub(in crate::server) const MESSAGES_ARE_LINES: AuditRule = AuditRule::error(
    "stdio-messages-are-lines",
    "Over stdio, each message is one line.",
    "read and write each message as one line of JSON that ends with a newline, without a `Content-Length` header",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio");

pub(in crate::server) const DISCOVER_IS_REFUSED_PROPERLY: AuditRule = AuditRule::error(
    "discover-is-refused-properly",
    "A server that does not have `server/discover` answers it with an error that has the id of the request.",
    "answer requests of unknown methods with error -32601 and the id of the request, over HTTP with a status below 500; a \
     client does well to try `initialize` after any other answer too",
)
.sourced("https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#protocol-version-negotiation");

pub(in crate::server) const ENDS_WITH_ITS_INPUT: AuditRule = AuditRule::warning(
    "ends-with-its-input",
    "A server over stdio ends when its input is closed.",
    "end the process at the end of its input",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#shutdown");

pub(in crate::server) const REQUESTS_AT_ONCE_ARE_ANSWERED: AuditRule = AuditRule::error(
    "requests-at-once-are-answered",
    "Requests that are sent without waiting for the answers are all answered.",
    "split the input at newlines, not at the chunks in which it comes, and answer each request with its own id",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio");

/// A warning: `isError` is defined for this, and no sentence says MUST.
pub(in crate::server) const REFUSALS_ARE_MARKED: AuditRule = AuditRule::warning(
    "refusals-are-marked",
    "A result that refuses a call for its arguments has `isError: true`.",
    "set `isError: true` on a result that refuses a call, so that the model corrects its arguments",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling");

/// A warning: no sentence is about CR, which is white space to JSON.
pub(in crate::server) const LINES_MAY_END_WITH_CRLF: AuditRule = AuditRule::warning(
    "lines-may-end-with-crlf",
    "Over stdio, a message is read whether its line ends with LF or with CR LF.",
    "remove a CR at the end of a line, or parse the line with it: it is white space of JSON",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio");

/// A warning: no SDK sends batches.
pub(in crate::server) const BATCHES_ARE_TAKEN: AuditRule = AuditRule::warning(
    "batches-are-taken",
    "A server that answers `initialize` with 2025-03-26 takes an array of requests.",
    "read an array of requests and answer each, or speak 2025-06-18 or later, which have no batches",
)
.sourced("https://modelcontextprotocol.io/specification/2025-03-26/basic/index#batching");

/// A warning: clients go by the status, and their users do not see the reason.
pub(in crate::server) const REFUSALS_HAVE_AN_ERROR: AuditRule = AuditRule::warning(
    "refusals-have-an-error",
    "The body of a refused HTTP request is a JSON-RPC error, if it is a JSON-RPC response at all.",
    "put an `error` with a code and a message into the body, without an id or with that of the request, or send no body",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server");
