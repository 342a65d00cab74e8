//! The table of variations. A row says what is sent, the answer that is due, the rule, who sends it and what they lose.
//!
//! A row is added where a report of a failing pairing shows that a released client sends it.

use super::super::audit_rule::AuditRule;
use super::rules::{
    DECLARED_LISTS_ARE_SERVED, DECLARED_REQUESTS_ARE_SERVED, NOTIFICATIONS_ARE_NOT_ANSWERED,
    OPTIONAL_PARAMS_ARE_OPTIONAL, PING_IS_ANSWERED, REQUEST_HEADERS_ARE_READ, REQUEST_IDS_ARE_RETURNED,
    UNKNOWN_METHOD_IS_REFUSED, UNLISTED_TOOL_IS_REFUSED,
};
use crate::probe::Sent;

/// A variation of what clients send.
pub(super) struct Variation {
    /// Subject of the sentence about it.
    pub(super) what: &'static str,
    /// Id of the request as JSON text; `None` for a notification.
    pub(super) id: Option<&'static str>,
    pub(super) method: &'static str,
    /// Members of `params`.
    pub(super) params: Option<&'static str>,
    /// A header that is set, or left out.
    pub(super) header: Option<(&'static str, Option<&'static str>)>,
    pub(super) due: Due,
    pub(super) when: When,
    pub(super) rule: &'static AuditRule,
    /// Clients that send it, with what they lose.
    pub(super) lost: &'static str,
}

/// Answer that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// Any answer with the id.
    Answer,
    Result,
    /// A result with an array under this key.
    List(&'static str),
    /// An error, or a result that is marked as one.
    Error,
    /// None, and an answer to the next request.
    Silence,
}

/// Servers that a variation concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    Always,
    /// Those that speak a revision with `initialize`.
    Legacy,
    Declared(&'static str),
    Undeclared(&'static str),
    /// Servers that declare it at a revision with `initialize`.
    LegacyDeclared(&'static str),
    /// Servers that answer `ping`.
    Pings,
    /// Those that speak 2025-03-26, which has no such header, and a later revision with `initialize`.
    KnowsRevisionWithoutHeader,
}

const ROW: Variation = Variation {
    what: "",
    id: Some("1001"),
    method: "tools/list",
    params: None,
    header: None,
    due: Due::Answer,
    when: When::Always,
    rule: &REQUEST_IDS_ARE_RETURNED,
    lost: "",
};

const PING: Variation = Variation {
    what: "`ping`",
    method: "ping",
    due: Due::Result,
    when: When::Legacy,
    rule: &PING_IS_ANSWERED,
    // Report: NousResearch/hermes-agent#50063, trycua/cua#4001, vshulcz/deja-vu#1720.
    lost: "clients that check a server by `ping`, such as Hermes Agent and gateways, which restart it: the session",
    ..ROW
};

const INSPECTOR: &str =
    "the Inspector, which sends `_meta`, and clients that take a server for dead whose `ping` fails: the session";

/// `ping` with its optional members: sent if the bare one is answered. dart-lang/ai#238.
const PINGS: [Variation; 2] = [
    Variation {
        what: "`ping` with empty `params`",
        params: Some(""),
        when: When::Pings,
        rule: &OPTIONAL_PARAMS_ARE_OPTIONAL,
        lost: INSPECTOR,
        ..PING
    },
    Variation {
        what: "`ping` with a progress token in `_meta`",
        params: Some(r#""_meta":{"progressToken":"mcp-compat-3"}"#),
        when: When::Pings,
        rule: &OPTIONAL_PARAMS_ARE_OPTIONAL,
        lost: INSPECTOR,
        ..PING
    },
];

/// Ids. In the legacy era `ping` is sent with them, if it is answered.
const IDS: [Variation; 4] = [
    Variation {
        what: "a request with the id \"1\", a string of digits,",
        id: Some("\"1\""),
        // Report: modelcontextprotocol/python-sdk#961 and #1025.
        lost: "Microsoft Copilot Studio, whose ids are such strings: the session",
        ..ROW
    },
    Variation {
        what: "a request whose id is a UUID",
        id: Some("\"5f0c2b1e-6a57-4d0f-9c58-0a4f5f0b7d11\""),
        // Report: WordPress/mcp-adapter#157, SparkDevNetwork/Rock#7039.
        lost: "Mistral and OpenAI, whose ids are strings: the session",
        ..ROW
    },
    Variation {
        what: "a request with the id 0",
        id: Some("0"),
        lost: "the TypeScript and Python SDKs, whose first id is 0: the session",
        ..ROW
    },
    Variation {
        what: "a request with the id 1764323000123, a time in milliseconds,",
        id: Some("1764323000123"),
        lost: "clients whose ids are times: the session",
        ..ROW
    },
];

const ASKS_ANYWAY: &str = "Cline and opencode, which ask every server for resources and prompts: the session";

const LISTS: &str =
    "Cursor, Cline and other hosts that list resources and prompts when they connect: these, or the session";

/// Other messages.
const MESSAGES: [Variation; 14] = [
    Variation {
        what: "`tools/list` without `params`",
        due: Due::List("tools"),
        rule: &OPTIONAL_PARAMS_ARE_OPTIONAL,
        when: When::Legacy,
        lost: "the TypeScript SDK, which sends none: all tools",
        ..ROW
    },
    Variation {
        what: "`tools/list` with a progress token in `_meta`",
        params: Some(r#""_meta":{"progressToken":"mcp-compat-1"}"#),
        due: Due::List("tools"),
        rule: &OPTIONAL_PARAMS_ARE_OPTIONAL,
        lost: "clients that show progress: all tools",
        ..ROW
    },
    Variation {
        what: "a request of an unknown method",
        method: "mcp-compat/unknown",
        params: Some(""),
        due: Due::Error,
        rule: &UNKNOWN_METHOD_IS_REFUSED,
        lost: "clients that ask for more than this server has: the session",
        ..ROW
    },
    Variation {
        what: "`resources/list`, which the server does not declare,",
        method: "resources/list",
        params: Some(""),
        when: When::Undeclared("resources"),
        rule: &UNKNOWN_METHOD_IS_REFUSED,
        // Report: DeusData/codebase-memory-mcp#1015, gustavoeenriquez/MakerAi#109, colbymchenry/codegraph#621.
        lost: ASKS_ANYWAY,
        ..ROW
    },
    Variation {
        what: "`prompts/list`, which the server does not declare,",
        method: "prompts/list",
        params: Some(""),
        when: When::Undeclared("prompts"),
        rule: &UNKNOWN_METHOD_IS_REFUSED,
        lost: ASKS_ANYWAY,
        ..ROW
    },
    Variation {
        what: "`resources/list`, which the server declares,",
        method: "resources/list",
        params: Some(""),
        due: Due::List("resources"),
        when: When::Declared("resources"),
        rule: &DECLARED_LISTS_ARE_SERVED,
        // Report: FreePeak/db-mcp-server#35.
        lost: LISTS,
        ..ROW
    },
    Variation {
        what: "`prompts/list`, which the server declares,",
        method: "prompts/list",
        params: Some(""),
        due: Due::List("prompts"),
        when: When::Declared("prompts"),
        rule: &DECLARED_LISTS_ARE_SERVED,
        lost: LISTS,
        ..ROW
    },
    Variation {
        what: "`resources/templates/list` of a server that declares resources",
        method: "resources/templates/list",
        params: Some(""),
        due: Due::List("resourceTemplates"),
        when: When::Declared("resources"),
        rule: &DECLARED_LISTS_ARE_SERVED,
        // Report: justadityaraj/shim-mcp#19, micronaut-projects/micronaut-mcp#99, punkpeye/fastmcp#327, metabase/metabase#76721.
        lost: "mcp-cli and other hosts that list templates with resources, over HTTP the gateway of AWS AgentCore too: the session",
        ..ROW
    },
    Variation {
        what: "`logging/setLevel`, which the server declares by `logging`,",
        method: "logging/setLevel",
        params: Some(r#""level":"info""#),
        due: Due::Result,
        when: When::LegacyDeclared("logging"),
        rule: &DECLARED_REQUESTS_ARE_SERVED,
        // Report: isaacphi/mcp-language-server#79, PortSwigger/mcp-server#43, IBM/ibmi-mcp-server#15, obot-platform/obot#4149.
        lost: "the Inspector and others that set the level when they connect: the session",
        ..ROW
    },
    Variation {
        what: "a call of a tool that the server does not list",
        method: "tools/call",
        params: Some(r#""name":"mcp_compat_unlisted_tool","arguments":{}"#),
        due: Due::Error,
        rule: &UNLISTED_TOOL_IS_REFUSED,
        // Report: Jason-Vaughan/Medusa#26.
        lost: "every client that calls a tool which is gone or misspelt: the call, without an error",
        ..ROW
    },
    Variation {
        what: "`notifications/cancelled`",
        id: None,
        method: "notifications/cancelled",
        params: Some(r#""requestId":424242,"reason":"a test""#),
        due: Due::Silence,
        rule: &NOTIFICATIONS_ARE_NOT_ANSWERED,
        lost: ANSWERED,
        ..ROW
    },
    Variation {
        what: "`notifications/roots/list_changed`",
        id: None,
        method: "notifications/roots/list_changed",
        due: Due::Silence,
        when: When::Legacy,
        rule: &NOTIFICATIONS_ARE_NOT_ANSWERED,
        // Report: HatriGt/hana-mcp-server#22.
        lost: ANSWERED,
        ..ROW
    },
    Variation {
        what: "a request with the header `Accept: text/event-stream, application/json`",
        header: Some(("accept", Some("text/event-stream, application/json"))),
        params: Some(""),
        due: Due::List("tools"),
        rule: &REQUEST_HEADERS_ARE_READ,
        // rmcp 3.9.0, transport/common/reqwest/streamable_http_client.rs.
        lost: "rmcp, which names the types in this order: the session",
        ..ROW
    },
    Variation {
        what: "a request with the header `Content-Type: application/json; charset=utf-8`",
        header: Some(("content-type", Some("application/json; charset=utf-8"))),
        params: Some(""),
        due: Due::List("tools"),
        rule: &REQUEST_HEADERS_ARE_READ,
        // Report: modelcontextprotocol/csharp-sdk#1527.
        lost: "the C# SDK up to 1.2, and others on .NET: the session",
        ..ROW
    },
];

const WITHOUT_VERSION: Variation = Variation {
    what: "a request without the header `MCP-Protocol-Version`",
    header: Some(("mcp-protocol-version", None)),
    params: Some(""),
    due: Due::List("tools"),
    when: When::KnowsRevisionWithoutHeader,
    rule: &REQUEST_HEADERS_ARE_READ,
    lost: "clients of 2025-03-26, which has no such header: every request",
    ..ROW
};

/// Clients that close the connection at the answer to a notification: shaun0927/openchrome#144,
/// Report: zeenix/rust-analyzer-mcp#15 and #21, pzalutski-pixel/sharplens-mcp#6, chrisns/govreposcrape#356.
pub(super) const ANSWERED: &str = "Claude Code, Codex, Gemini CLI and Copilot Studio, in releases that end the session at such an answer: the session";

/// All rows in the order in which they are sent.
pub(super) fn rows() -> impl Iterator<Item = &'static Variation> {
    static ROWS: [Variation; 1] = [PING];
    static PING_ROWS: [Variation; 2] = PINGS;
    static ID_ROWS: [Variation; 4] = IDS;
    static MESSAGE_ROWS: [Variation; 14] = MESSAGES;
    static LAST: [Variation; 1] = [WITHOUT_VERSION];
    ROWS.iter().chain(&PING_ROWS).chain(&ID_ROWS).chain(&MESSAGE_ROWS).chain(&LAST)
}

impl Variation {
    pub(super) fn sent(&self, pings: bool) -> Sent {
        let asks_for_any = self.due == Due::Answer && self.method == "tools/list";
        let method = if asks_for_any && pings { "ping" } else { self.method };
        let sent = match self.id {
            Some(id) => Sent::request(id, method, self.params),
            None => Sent::notification(method, self.params),
        };
        match self.header {
            Some((name, value)) => sent.with_header(name, value),
            None => sent,
        }
    }
}
