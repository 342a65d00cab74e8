//! The shapes as the official schemas have them, such as
//! <https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2025-11-25/schema.json>, and those
//! schemas as a reader. The tests hold both against the schemas themselves.

use crate::Revision;
use base64::Engine;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use fluent_uri::Uri;
use mcp_compat_json::Json;

use crate::shapes::member::{Kind, Member, Shape};
use crate::shapes::read::{Reader, mismatches};

use Revision::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

/// The definition of a tool.
pub static TOOL: Shape = Shape {
    members: &[
        Member::optional("title", Kind::Text).since(V2025_06_18),
        Member::optional("description", Kind::Text),
        Member::optional("inputSchema", Kind::Object(&LEGACY_SCHEMA)).until(V2025_11_25),
        Member::optional("inputSchema", Kind::Object(&MODERN_SCHEMA)).since(V2026_07_28),
        Member::optional("outputSchema", Kind::Object(&LEGACY_SCHEMA)).since(V2025_06_18).until(V2025_11_25),
        Member::optional("outputSchema", Kind::Object(&MODERN_SCHEMA)).since(V2026_07_28),
        Member::optional("annotations", Kind::Object(&HINTS)).since(V2025_03_26),
        Member::optional("execution", Kind::Object(&EXECUTION)).since(V2025_11_25).until(V2025_11_25),
        Member::optional("icons", ICONS).since(V2025_11_25),
        Member::optional("_meta", Kind::Map).since(V2025_06_18),
    ],
    one_of: &[],
};

/// The result of a call.
pub static RESULT: Shape = Shape { members: &[Member::optional("isError", Kind::Flag), RESULT_META], one_of: &[] };

/// The result of `initialize`, without its `protocolVersion`.
pub static INITIALIZE: Shape = Shape {
    members: &[
        Member::required("protocolVersion", Kind::Text),
        Member::required("capabilities", Kind::Object(&CAPABILITIES)),
        Member::required("serverInfo", Kind::Object(&IMPLEMENTATION)),
        Member::optional("instructions", Kind::Text),
        Member::optional("_meta", Kind::Map),
    ],
    one_of: &[],
};

/// The result of `server/discover`.
pub static DISCOVER: Shape = Shape {
    members: &[
        Member::required("supportedVersions", Kind::List(&Kind::Text)),
        Member::required("capabilities", Kind::Object(&CAPABILITIES)),
        Member::required("resultType", Kind::Text),
        Member::required("ttlMs", Kind::Count),
        Member::required("cacheScope", Kind::OneOf(&["public", "private"])),
        Member::optional("instructions", Kind::Text),
        RESULT_META,
    ],
    one_of: &[],
};

/// The result of `tools/list`, without its tools and what the modern era adds.
pub static LIST: Shape = Shape { members: &[Member::optional("nextCursor", Kind::Text), RESULT_META], one_of: &[] };

/// The request `initialize`.
pub static INITIALIZE_REQUEST: Shape =
    Shape { members: &[Member::required("params", Kind::Object(&INITIALIZE_PARAMS))], one_of: &[] };

/// The request `tools/list`, and others that list something.
pub static LIST_REQUEST: Shape = Shape {
    members: &[
        Member::optional("params", Kind::Object(&LIST_PARAMS)).until(V2025_11_25),
        Member::required("params", Kind::Object(&LIST_PARAMS)).since(V2026_07_28),
    ],
    one_of: &[],
};

/// The request `tools/call`.
pub static CALL_REQUEST: Shape =
    Shape { members: &[Member::required("params", Kind::Object(&CALL_PARAMS))], one_of: &[] };

static INITIALIZE_PARAMS: Shape = Shape {
    members: &[
        Member::required("protocolVersion", Kind::Text),
        Member::required("capabilities", Kind::Object(&CLIENT_CAPABILITIES)),
        Member::required("clientInfo", Kind::Object(&IMPLEMENTATION)),
        REQUEST_META,
    ],
    one_of: &[],
};

static LIST_PARAMS: Shape = Shape { members: &[Member::optional("cursor", Kind::Text), REQUEST_META], one_of: &[] };

static CALL_PARAMS: Shape = Shape {
    members: &[Member::required("name", Kind::Text), Member::optional("arguments", Kind::Map), REQUEST_META],
    one_of: &[],
};

/// The `_meta` of a request of the legacy era. That of the modern era has members of its own.
const REQUEST_META: Member = Member::optional("_meta", Kind::Map).until(V2025_11_25);

/// The capabilities of a client.
static CLIENT_CAPABILITIES: Shape = Shape {
    members: &[
        Member::optional("experimental", Kind::MapOf(&Kind::Settings)),
        Member::optional("roots", Kind::Object(&LISTED)).until(V2025_11_25),
        Member::optional("sampling", Kind::Presence),
        Member::optional("elicitation", Kind::Presence).since(V2025_06_18),
    ],
    one_of: &[],
};

/// The `_meta` of a result.
const RESULT_META: Member = Member::optional("_meta", Kind::Object(&ABOUT_RESULT));

static ABOUT_RESULT: Shape = Shape {
    members: &[Member::optional("io.modelcontextprotocol/serverInfo", Kind::Object(&IMPLEMENTATION)).since(V2026_07_28)],
    one_of: &[],
};

/// The capabilities of a server.
static CAPABILITIES: Shape = Shape {
    members: &[
        Member::optional("experimental", Kind::MapOf(&Kind::Settings)),
        Member::optional("logging", Kind::Presence),
        Member::optional("completions", Kind::Presence).since(V2025_03_26),
        Member::optional("prompts", Kind::Object(&LISTED)),
        Member::optional("resources", Kind::Object(&RESOURCES)),
        Member::optional("tools", Kind::Object(&LISTED)),
        Member::optional("tasks", Kind::Object(&TASKS)).since(V2025_11_25).until(V2025_11_25),
        Member::optional("extensions", Kind::MapOf(&Kind::Settings)).since(V2026_07_28),
    ],
    one_of: &[],
};

/// The capability to list something.
static LISTED: Shape = Shape { members: &[Member::optional("listChanged", Kind::Flag)], one_of: &[] };

static RESOURCES: Shape = Shape {
    members: &[Member::optional("subscribe", Kind::Flag), Member::optional("listChanged", Kind::Flag)],
    one_of: &[],
};

static TASKS: Shape = Shape {
    members: &[
        Member::optional("cancel", Kind::Presence),
        Member::optional("list", Kind::Presence),
        Member::optional("requests", Kind::Object(&TASK_REQUESTS)),
    ],
    one_of: &[],
};

static TASK_REQUESTS: Shape = Shape { members: &[Member::optional("tools", Kind::Object(&TASK_CALLS))], one_of: &[] };

static TASK_CALLS: Shape = Shape { members: &[Member::optional("call", Kind::Presence)], one_of: &[] };

/// The name and version of a server.
static IMPLEMENTATION: Shape = Shape {
    members: &[
        Member::required("name", Kind::Text),
        Member::required("version", Kind::Text),
        Member::optional("title", Kind::Text).since(V2025_06_18),
        Member::optional("description", Kind::Text).since(V2025_11_25),
        Member::optional("icons", ICONS).since(V2025_11_25),
        // No SDK holds it against the format that the schema gives it.
        Member::optional("websiteUrl", Kind::Text).since(V2025_11_25),
    ],
    one_of: &[],
};

/// The root of a schema up to 2025-11-25, without its `type`.
static LEGACY_SCHEMA: Shape = Shape {
    members: &[
        Member::optional("$schema", Kind::Text).since(V2025_11_25),
        Member::optional("properties", Kind::MapOf(&Kind::Map)),
        Member::optional("required", Kind::List(&Kind::Text)),
    ],
    one_of: &[],
};

/// The root of a schema from 2026-07-28 on, without its `type`.
static MODERN_SCHEMA: Shape = Shape { members: &[Member::optional("$schema", Kind::Text)], one_of: &[] };

/// The annotations of a tool.
static HINTS: Shape = Shape {
    members: &[
        Member::optional("title", Kind::Text),
        Member::optional("readOnlyHint", Kind::Flag),
        Member::optional("destructiveHint", Kind::Flag),
        Member::optional("idempotentHint", Kind::Flag),
        Member::optional("openWorldHint", Kind::Flag),
    ],
    one_of: &[],
};

static EXECUTION: Shape = Shape {
    members: &[Member::optional("taskSupport", Kind::OneOf(&["forbidden", "optional", "required"]))],
    one_of: &[],
};

const ICONS: Kind = Kind::List(&Kind::Object(&ICON));

static ICON: Shape = Shape {
    members: &[
        Member::required("src", Kind::ImageUri),
        Member::optional("mimeType", Kind::Text),
        Member::optional("sizes", Kind::List(&Kind::Text)),
        Member::optional("theme", Kind::OneOf(&["light", "dark"])),
    ],
    one_of: &[],
};

/// The annotations of a content block.
static ANNOTATIONS: Shape = Shape {
    members: &[
        Member::optional("audience", Kind::List(&Kind::OneOf(&["user", "assistant"]))),
        Member::optional("priority", Kind::Share),
        Member::optional("lastModified", Kind::Time).since(V2025_06_18),
    ],
    one_of: &[],
};

const BLOCK_ANNOTATIONS: Member = Member::optional("annotations", Kind::Object(&ANNOTATIONS));
const BLOCK_META: Member = Member::optional("_meta", Kind::Map).since(V2025_06_18);

static TEXT: Shape =
    Shape { members: &[Member::required("text", Kind::Text), BLOCK_ANNOTATIONS, BLOCK_META], one_of: &[] };

/// An image or a recording.
static MEDIA: Shape = Shape {
    members: &[
        Member::required("data", Kind::Base64),
        Member::required("mimeType", Kind::Text),
        BLOCK_ANNOTATIONS,
        BLOCK_META,
    ],
    one_of: &[],
};

static EMBEDDED: Shape = Shape {
    members: &[Member::required("resource", Kind::Object(&RESOURCE)), BLOCK_ANNOTATIONS, BLOCK_META],
    one_of: &[],
};

static RESOURCE: Shape = Shape {
    members: &[
        Member::required("uri", Kind::Uri),
        Member::optional("mimeType", Kind::Text),
        Member::optional("text", Kind::Text),
        Member::optional("blob", Kind::Base64),
        BLOCK_META,
    ],
    one_of: &["text", "blob"],
};

static LINK: Shape = Shape {
    members: &[
        Member::required("uri", Kind::Uri),
        Member::required("name", Kind::Text),
        Member::optional("title", Kind::Text),
        Member::optional("description", Kind::Text),
        Member::optional("mimeType", Kind::Text),
        Member::optional("size", Kind::Integer),
        Member::optional("icons", ICONS).since(V2025_11_25),
        BLOCK_ANNOTATIONS,
        BLOCK_META,
    ],
    one_of: &[],
};

/// The shape of a content block of this type; `None` if no revision defines the type.
#[must_use]
pub fn block(kind: &str) -> Option<&'static Shape> {
    match kind {
        "text" => Some(&TEXT),
        "image" | "audio" => Some(&MEDIA),
        "resource" => Some(&EMBEDDED),
        "resource_link" => Some(&LINK),
        _ => None,
    }
}

/// The official schema of a revision, with its formats.
#[derive(Clone, Copy, Debug)]
pub struct Official(pub Revision);

/// Member of a result of `initialize` that its own revision does not define and allows, and that a later revision does
/// not allow, in words. `None` too if its own revision does not allow it.
#[must_use]
pub fn later_member(result: &Json, revision: Revision) -> Option<String> {
    if !mismatches(&Official(revision), &INITIALIZE, result).is_empty() {
        return None;
    }
    let mut later = Revision::ALL.into_iter().filter(|later| *later > revision);
    later.find_map(|later| {
        let found = mismatches(&Official(later), &INITIALIZE, result).into_iter().next()?;
        Some(format!("`{}` of the result of `initialize` {}", found.path(), found.problem))
    })
}

/// Returns true for what tolerant decoders read: with line breaks, without padding, or in the alphabet of addresses.
pub(super) fn is_loose_base64(text: &str) -> bool {
    let loose = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let bare: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    [alphabet::STANDARD, alphabet::URL_SAFE]
        .iter()
        .any(|alphabet| GeneralPurpose::new(alphabet, loose).decode(&bare).is_ok())
}

impl Reader for Official {
    fn knows(&self, member: &Member) -> bool {
        member.since <= self.0 && self.0 <= member.until
    }

    fn requires(&self, member: &Member) -> bool {
        member.required
    }

    fn takes(&self, kind: Kind, value: &Json) -> bool {
        match (kind, value) {
            (Kind::Text | Kind::Time, Json::String(_)) | (Kind::Flag, Json::Bool(_)) => true,
            (Kind::Uri | Kind::ImageUri, Json::String(_)) => {
                value.as_str().is_some_and(|text| Uri::parse(text).is_ok())
            }
            (Kind::Base64, Json::String(_)) => value.as_str().is_some_and(|text| STANDARD.decode(text).is_ok()),
            (Kind::OneOf(words), Json::String(_)) => value.as_str().is_some_and(|text| words.contains(&text)),
            (Kind::Integer, Json::Number(number)) => number.is_integer(),
            (Kind::Count, Json::Number(number)) => {
                number.is_integer() && number.lexeme().parse::<f64>().is_ok_and(|number| number >= 0.0)
            }
            (Kind::Share, Json::Number(number)) => {
                number.lexeme().parse::<f64>().is_ok_and(|number| (0.0..=1.0).contains(&number))
            }
            (Kind::Map | Kind::Presence | Kind::Settings | Kind::MapOf(_) | Kind::Object(_), Json::Object(_))
            | (Kind::List(_), Json::Array(_)) => true,
            _ => false,
        }
    }
}
