//! Every rule. A new rule is a static in the file of its family and a line here.

use super::rule::Rule;
use super::{
    acceptance, client_checks, content, envelope, header_params, http, http_answers, input_requests, interim,
    lifecycle, member_names, members, metadata, notifications, output_schema, pages, requests, result_type, schemas,
    stateless, structured_content, texts, tool_names, tools_list,
};

/// Every rule, the families in reading order.
static ALL: &[&Rule] = &[
    &envelope::SERVER_SPEAKS_JSON_RPC,
    &envelope::CLIENT_SPEAKS_JSON_RPC,
    &envelope::REQUEST_ID_FRESH,
    &envelope::RESPONSE_MATCHES_REQUEST,
    &envelope::SERVER_SENDS_NO_REQUESTS,
    &envelope::CLIENT_SENDS_NO_RESPONSES,
    &requests::REQUEST_MEMBERS,
    &metadata::SERVER_META_KEYS,
    &metadata::CLIENT_META_KEYS,
    &lifecycle::INITIALIZE_NAMES_A_HANDSHAKE_REVISION,
    &lifecycle::CLIENT_LEAVES_UNKNOWN_REVISION,
    &lifecycle::INITIALIZED_IS_TOLD,
    &lifecycle::TOOLS_CAPABILITY_DECLARED,
    &stateless::REQUEST_META,
    &stateless::MALFORMED_REQUEST_REFUSED,
    &stateless::DISCOVER_ANSWERED,
    &stateless::REFUSED_VERSION_NAMES_OTHERS,
    &stateless::CLIENT_SPEAKS_A_LISTED_REVISION,
    &stateless::PROBE_COMES_FIRST,
    &stateless::ERROR_CODE_DEFINED,
    &stateless::CACHE_HINTS,
    &result_type::RESULT_TYPE_PRESENT,
    &result_type::RESULT_TYPE_KNOWN,
    &result_type::CLIENT_TAKES_ABSENT_RESULT_TYPE,
    &result_type::CLIENT_REFUSES_UNKNOWN_RESULT_TYPE,
    &interim::INPUT_REQUIRED_WHERE_ALLOWED,
    &interim::INPUT_REQUIRED_ASKS,
    &input_requests::INPUT_REQUESTS_DECLARED,
    &input_requests::SERVER_REQUESTS_DECLARED,
    &notifications::PROGRESS_TOKEN_FRESH,
    &notifications::PROGRESS_TOKEN_KNOWN,
    &notifications::PROGRESS_INCREASES,
    &notifications::LOG_ONLY_WHERE_ASKED,
    &notifications::LOGGING_CAPABILITY_DECLARED,
    &notifications::LIST_CHANGED_WHERE_ASKED,
    &notifications::SUBSCRIPTION_ID_CARRIED,
    &tools_list::TOOLS_LIST_ANSWERED,
    &tools_list::TOOLS_LIST_SHAPE,
    &tools_list::TOOLS_ORDER_STABLE,
    &tool_names::TOOL_NAMES_UNIQUE,
    &tool_names::TOOL_NAMES_PLAIN,
    &members::INITIALIZE_MEMBERS,
    &members::DISCOVER_MEMBERS,
    &members::LIST_MEMBERS,
    &members::TOOL_DEFINITION_MEMBERS,
    &member_names::MEMBER_NAMES,
    &member_names::MEMBER_PLACES,
    &tools_list::INPUT_SCHEMA_OBJECT_ROOT,
    &schemas::INPUT_SCHEMA_VALID,
    &schemas::SCHEMA_TERMINATES,
    &tools_list::LIST_CHANGED_TOLD,
    &tools_list::STRUCTURED_OUTPUT_KNOWN,
    &output_schema::OUTPUT_SCHEMA_OBJECT_ROOT,
    &output_schema::OUTPUT_SCHEMA_IS_OBJECT,
    &output_schema::OUTPUT_SCHEMA_VALID,
    &output_schema::OUTPUT_SCHEMA_PATTERN,
    &output_schema::OUTPUT_SCHEMA_PATTERN_PORTABLE,
    &structured_content::STRUCTURED_CONTENT_OBJECT,
    &structured_content::STRUCTURED_CONTENT_PRESENT,
    &structured_content::STRUCTURED_CONTENT_CONFORMS,
    &structured_content::VALUE_KEYS_UNIQUE,
    &structured_content::TEXT_FALLBACK,
    &structured_content::TEXT_FALLBACK_FOR_NON_OBJECTS,
    &content::CONTENT_ARRAY,
    &members::CONTENT_BLOCKS,
    &members::RESULT_MEMBERS,
    &members::OPTIONAL_MEMBERS_NOT_NULL,
    &content::UNKNOWN_TOOL_CODE,
    &content::TOOL_ERROR_IN_RESULT,
    &texts::FAILED_CALL_IS_MARKED,
    &texts::TEXT_IS_JSON,
    &content::EMBEDDED_RESOURCE_CAPABILITY,
    &pages::CLIENT_LISTS_EVERY_PAGE,
    &pages::EMPTY_CURSOR_LEADS_ON,
    &pages::CURSOR_AS_GIVEN,
    &pages::CURSOR_ADVANCES,
    &pages::CACHE_SCOPE_UNIFORM,
    &header_params::HEADER_PARAMS_VALID,
    &header_params::HEADER_PARAMS_CHECKED,
    &http::HTTP_ACCEPT,
    &http::HTTP_VERSION_HEADER,
    &http::HTTP_VERSION_IS_NEGOTIATED,
    &http::HTTP_REQUEST_HEADERS,
    &http::HTTP_SESSION_ID,
    &http::HTTP_ERROR_STATUS,
    &http::HTTP_HEADERS_ARE_DECODED,
    &http_answers::HTTP_NOTIFICATION_ACCEPTED,
    &http_answers::HTTP_ANSWER_TYPE,
    &http_answers::HTTP_ANSWER_ON_OWN_STREAM,
    &http_answers::HTTP_GET_STREAM_OR_405,
    &acceptance::CLIENT_TAKES_ANY_VALUE,
    &acceptance::CLIENT_TAKES_ANY_OUTPUT_SCHEMA,
    &acceptance::CLIENT_TAKES_CONFORMING_RESULT,
    &acceptance::CLIENT_TAKES_CONFORMING_LIST,
    &acceptance::CLIENT_SUPPORTS_2020_12,
    &client_checks::CLIENT_TELLS_UNKNOWN_DIALECT,
    &client_checks::CLIENT_REFUSES_UNRESOLVED_REFERENCE,
    &client_checks::CLIENT_VALIDATES,
    &client_checks::CLIENT_TELLS_TOOL_ERRORS,
    &client_checks::REFERENCES_NOT_FETCHED,
    &client_checks::NETWORK_REFERENCES_NOT_FOLLOWED,
];

pub fn all() -> &'static [&'static Rule] {
    ALL
}

/// The rule of that name.
pub fn find(id: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Addresses of the specification of MCP, and of the standards that it builds on.
    const ORIGINS: [&str; 4] = [
        "https://modelcontextprotocol.io/",
        "https://json-schema.org/draft/2020-12/json-schema-core#",
        "https://json-schema.org/draft/2020-12/json-schema-validation#",
        "https://www.rfc-editor.org/rfc/rfc8259#",
    ];

    #[test]
    fn every_rule_has_a_name_of_its_own_and_says_what_it_is() {
        let ids: BTreeSet<_> = ALL.iter().map(|rule| rule.id).collect();
        let violations: BTreeSet<_> = ALL.iter().map(|rule| rule.violation).collect();
        assert_eq!((ids.len(), violations.len()), (ALL.len(), ALL.len()));
        for rule in ALL {
            assert!(rule.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{}", rule.id);
            assert!(ORIGINS.iter().any(|origin| rule.source.starts_with(origin)), "{}", rule.id);
            assert!(rule.title.ends_with('.') && rule.explanation.ends_with('.'), "{}", rule.id);
            assert!((10..=70).contains(&rule.violation.len()) && !rule.violation.ends_with('.'), "{}", rule.id);
            assert!(!rule.remedy.ends_with('.') && !rule.remedy.is_empty(), "{}", rule.id);
            assert!(rule.explanation.len() > 80 && rule.revisions.from <= rule.revisions.to, "{}", rule.id);
        }
    }

    #[test]
    fn a_rule_is_found_by_its_name() {
        assert_eq!(find("text-fallback").map(|rule| rule.id), Some("text-fallback"));
        assert!(find("zzz").is_none());
    }
}
