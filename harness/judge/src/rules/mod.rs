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
mod http_answers;
mod input_requests;
mod interim;
mod lifecycle;
mod list;
mod member_names;
mod members;
mod metadata;
mod nearly_json;
mod notifications;
mod output_schema;
mod pages;
mod requests;
mod result_type;
mod rule;
mod schemas;
mod source;
mod stateless;
mod structured_content;
mod texts;
mod tool_names;
mod tools_list;

pub use acceptance::CLIENT_TAKES_CONFORMING_LIST;
pub use apply::{RuleFinding, check_clients, check_servers, reported};
pub use client_checks::CLIENT_VALIDATES;
pub(crate) use client_checks::{NETWORK_REFERENCES_NOT_FOLLOWED, REFERENCES_NOT_FETCHED};
pub use content::{CONTENT_ARRAY, TOOL_ERROR_IN_RESULT};
pub use envelope::{RESPONSE_MATCHES_REQUEST, SERVER_SPEAKS_JSON_RPC};
pub use http::HTTP_HEADERS_ARE_DECODED;
pub(crate) use http::HTTP_VERSION_IS_NEGOTIATED;
pub use http_answers::{
    HTTP_ANSWER_ON_OWN_STREAM, HTTP_ANSWER_TYPE, HTTP_GET_STREAM_OR_405, HTTP_NOTIFICATION_ACCEPTED,
};
pub use input_requests::SERVER_REQUESTS_DECLARED;
pub(crate) use lifecycle::CLIENT_LEAVES_UNKNOWN_REVISION;
pub use lifecycle::{INITIALIZE_NAMES_A_HANDSHAKE_REVISION, INITIALIZED_IS_TOLD};
pub use list::{all, find};
pub use member_names::{
    MEMBER_NAMES, MEMBER_PLACES, has_unseen_error_flag, inner_result, is_packed, renamed_in_definition,
    renamed_in_result,
};
pub use members::{
    CONTENT_BLOCKS, DISCOVER_MEMBERS, INITIALIZE_MEMBERS, OPTIONAL_MEMBERS_NOT_NULL, RESULT_MEMBERS,
    TOOL_DEFINITION_MEMBERS,
};
pub use nearly_json::is_name_of_object;
pub use notifications::PROGRESS_TOKEN_KNOWN;
pub use output_schema::OUTPUT_SCHEMA_OBJECT_ROOT;
pub(crate) use pages::CLIENT_LISTS_EVERY_PAGE;
pub use pages::CURSOR_ADVANCES;
pub use result_type::RESULT_TYPE_PRESENT;
pub use rule::{Affects, Check, Fix, Levels, RevisionRange, Rule, Scope, ServerViolations, Violation};
pub use schemas::SCHEMA_TERMINATES;
pub use source::{section_at, source_at};
pub(crate) use stateless::CLIENT_SPEAKS_A_LISTED_REVISION;
pub use structured_content::{STRUCTURED_CONTENT_CONFORMS, STRUCTURED_CONTENT_OBJECT, STRUCTURED_CONTENT_PRESENT};
pub use texts::{FAILED_CALL_IS_MARKED, SET_IS_ERROR, TEXT_IS_JSON, tells_of_failure};
pub use tool_names::{TOOL_NAMES_PLAIN, TOOL_NAMES_UNIQUE};
pub use tools_list::{STRUCTURED_OUTPUT_KNOWN, TOOLS_LIST_ANSWERED, TOOLS_LIST_SHAPE};
