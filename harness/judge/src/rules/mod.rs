//! Requirements of the specification: the rules, as data with a check each.
//!
//! A rule names one requirement, whom it binds, the revisions in which it holds, and where it stands (`rule`). Its check
//! looks at the facts of a cell and returns the places where it is not kept. Servers are checked first (`apply`); the
//! rules of clients see the server's violations, because a client may refuse what breaks a rule. Rules decide nothing
//! about a cell: the verdict does, and it names the responsible party by the rules that the broken step violates.
//!
//! The other files hold one family of rules each, and `list` names them all.

mod acceptance;
mod apply;
mod client_checks;
mod content;
mod envelope;
mod header_params;
mod http;
mod interim;
mod lifecycle;
mod list;
mod members;
mod metadata;
mod notifications;
mod output_schema;
mod pages;
mod result_type;
mod rule;
mod source;
mod stateless;
mod structured_content;
mod tool_names;
mod tools_list;

pub use apply::{RuleFinding, check_clients, check_servers, reported};
pub use client_checks::CLIENT_VALIDATES;
pub(crate) use client_checks::{NETWORK_REFERENCES_NOT_FOLLOWED, REFERENCES_NOT_FETCHED};
pub use content::{CONTENT_ARRAY, TOOL_ERROR_IN_RESULT};
pub(crate) use envelope::RESPONSE_MATCHES_REQUEST;
pub use envelope::SERVER_SPEAKS_JSON_RPC;
pub(crate) use http::HTTP_VERSION_IS_NEGOTIATED;
pub(crate) use lifecycle::{CLIENT_LEAVES_UNKNOWN_REVISION, INITIALIZE_NAMES_A_HANDSHAKE_REVISION};
pub use list::{all, find};
pub use members::{DISCOVER_MEMBERS, OPTIONAL_MEMBERS_NOT_NULL};
pub use output_schema::OUTPUT_SCHEMA_OBJECT_ROOT;
pub(crate) use pages::CLIENT_LISTS_EVERY_PAGE;
pub use pages::CURSOR_ADVANCES;
pub use rule::{Affects, Check, Fix, RevisionRange, Rule, Scope, ServerViolations, Violation};
pub use source::{section_at, source_at};
pub(crate) use stateless::CLIENT_SPEAKS_A_LISTED_REVISION;
pub use structured_content::{STRUCTURED_CONTENT_CONFORMS, STRUCTURED_CONTENT_OBJECT};
pub use tools_list::{STRUCTURED_OUTPUT_KNOWN, TOOLS_LIST_SHAPE};
