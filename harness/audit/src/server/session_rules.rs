//! The rules of an audit about sessions and lists as a whole: what takes a client the session, or every tool.

use super::audit_rule::AuditRule;

pub(super) const LIST_IS_ANSWERED: AuditRule = AuditRule::error(
    "list-is-answered",
    "A server that declares tools answers `tools/list` with its tools.",
    "answer `tools/list` with the tools, and omit those that cannot be described",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/server/tools#listing-tools");

/// An error, although no sentence forbids it: every client of the server has nothing to offer, and nobody is told.
pub(super) const DECLARED_TOOLS_ARE_LISTED: AuditRule = AuditRule::error(
    "declared-tools-are-listed",
    "A server that declares `tools` and nothing else lists at least one, or declares `listChanged`.",
    "list the tools; if they need a log-in, answer with an error that says so; if they come later, declare `listChanged` and \
     send `notifications/tools/list_changed`; if there are none, do not declare `tools`",
);

pub(super) const OFFERED_REVISION_IS_SERVED: AuditRule = AuditRule::error(
    "offered-revision-is-served",
    "A server serves every revision that it offers in `server/discover`, or agrees to in `initialize`.",
    "stop offering this revision, or answer requests at it",
)
.sourced("https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#protocol-version-negotiation");

pub(super) const STRING_IDS_ARE_RETURNED: AuditRule = AuditRule::error(
    "string-ids-are-returned",
    "A request whose id is a string is answered with the same string.",
    "copy the id of the request into the response as it is, a string or a number",
)
.sourced("https://modelcontextprotocol.io/specification/2026-07-28/basic/index#responses");

pub(super) const CAPABILITIES_ARE_ACCEPTED: AuditRule = AuditRule::error(
    "client-capabilities-are-accepted",
    "A server serves a client whatever capabilities and information of itself the client declares.",
    "ignore members that the server does not know, in place of refusing the request",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#capability-negotiation");

pub(super) const REVISION_IS_NEGOTIATED: AuditRule = AuditRule::error(
    "initialize-negotiates-the-revision",
    "A server that does not speak the revision which `initialize` asks for answers with one that it speaks.",
    "answer initialize with the newest revision that the server speaks, if it does not speak the one asked for",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation");

/// A warning: the page about transports has a server refuse an unsupported header with 400, and names no exception. SDKs
/// except `initialize` (modelcontextprotocol/ruby-sdk#347, modelcontextprotocol/java-sdk#958).
pub(super) const INITIALIZE_IS_NEGOTIATED_BY_ITS_BODY: AuditRule = AuditRule::warning(
    "initialize-is-negotiated-by-its-body",
    "A server negotiates the revision by the body of `initialize`, also where a header names a revision that it does not speak.",
    "check the header `MCP-Protocol-Version` on requests after `initialize` only, and answer `initialize` with a revision that \
     the server speaks",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation");

/// A note: a server may send no head before its first event, and the audit knows nothing of the answer then.
pub(super) const GET_IS_ANSWERED: AuditRule = AuditRule::note(
    "get-is-answered",
    "A GET is answered at once: with the head of an event stream, or with status 405.",
    "send the head of the stream at once, as by `flushHeaders`, or answer with status 405 if there is none; to test it, audit \
     again on a machine that is less busy",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server");

/// A warning, because no released client sends such a request yet.
pub(super) const UNKNOWN_REVISION_IS_REFUSED: AuditRule = AuditRule::warning(
    "unknown-revision-is-refused",
    "A request at a revision that the server does not speak is refused with error -32022.",
    "refuse requests at other revisions with error -32022, and list the supported ones in its data",
)
.sourced("https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#protocol-version-negotiation");

/// A warning: logging before `initialized` is named as allowed, and clients that wait for one answer end at it.
pub(super) const NOTHING_COMES_BEFORE_INITIALIZE: AuditRule = AuditRule::warning(
    "nothing-comes-before-initialize",
    "A server sends nothing before its answer to `initialize`: until then nothing is negotiated, `logging` neither.",
    "hold notifications back until `initialize` is answered, and log to standard error until then",
)
.sourced("https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization");
