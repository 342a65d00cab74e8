//! What the specification asks of messages: the rules, as data with a check each.
//!
//! A rule names one requirement, whom it binds, the revisions in which it holds, and where it stands. Its check looks
//! at the facts of a cell and returns the places where it is not kept. Rules decide nothing about a cell: the verdict
//! does, and it names the party at fault by the rules that the broken step violates.

mod acceptance;
mod apply;
mod content;
mod envelope;
mod http;
mod interim;
mod lifecycle;
mod metadata;
mod notifications;
mod output_schema;
mod pages;
mod result_type;
mod stateless;
mod structured_content;
mod tool_names;
mod tools_list;
mod vigilance;

use mcp_compat_model::Revision;
use mcp_compat_model::verdict::{Level, Party};

pub use apply::{Found, apply, findings};
pub(crate) use content::block_since;
pub(crate) use lifecycle::CLIENT_LEAVES_UNKNOWN_REVISION;
pub(crate) use vigilance::REFERENCES_NOT_FETCHED;

use crate::facts::Facts;

/// A requirement of the specification.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its stable name, in kebab case.
    pub id: &'static str,
    /// How binding it is.
    pub level: Level,
    /// The revisions in which it holds.
    pub revisions: RevisionRange,
    /// Whom it binds.
    pub party: Party,
    /// What it is about.
    pub scope: Scope,
    /// The specification's address.
    pub source: &'static str,
    /// What must hold, in one sentence.
    pub title: &'static str,
    /// What goes wrong when it does not hold, whom that hurts, and what to do.
    pub explanation: &'static str,
    /// What the party has to do, so that it reads on after "the server must".
    pub remedy: &'static str,
    /// Finds where it is not kept.
    pub check: fn(&Facts<'_>) -> Vec<Hit>,
}

impl Rule {
    /// Whether it holds in a cell and is not kept there.
    pub(crate) fn is_broken(&self, facts: &Facts<'_>) -> bool {
        self.revisions.holds_at(facts.revision()) && !(self.check)(facts).is_empty()
    }
}

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// What the scenario varies: definitions, results, and how a client takes them. A mock that breaks such a rule
    /// does what it was told.
    Payload,
    /// The protocol around it. A mock that breaks such a rule is broken, and so is every cell that it plays in.
    Protocol,
}

/// The revisions in which a rule holds, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RevisionRange {
    /// The first.
    pub from: Revision,
    /// The last.
    pub to: Revision,
}

impl RevisionRange {
    /// Every revision.
    pub const ALL: Self = Self { from: Revision::V2024_11_05, to: Revision::NEWEST };
    /// Those that open with a handshake.
    pub const LEGACY: Self = Self { from: Revision::V2024_11_05, to: Revision::NEWEST_LEGACY };
    /// Those without one.
    pub const MODERN: Self = Self { from: Revision::V2026_07_28, to: Revision::NEWEST };
    /// Those with structured output.
    pub const STRUCTURED: Self = Self { from: Revision::V2025_06_18, to: Revision::NEWEST };
    /// Those in which structured output is an object.
    pub const OBJECTS: Self = Self { from: Revision::V2025_06_18, to: Revision::NEWEST_LEGACY };

    /// Whether the rule holds at what was negotiated. A rule that holds everywhere also holds where nothing was.
    #[must_use]
    pub fn holds_at(self, negotiated: Option<Revision>) -> bool {
        match negotiated {
            Some(revision) => self.from <= revision && revision <= self.to,
            None => self == Self::ALL,
        }
    }
}

/// A place where a rule is not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// What was wrong here, in one sentence without its full stop.
    pub detail: String,
    /// The transcript entries that show it.
    pub messages: Vec<u32>,
    /// Where in a value or schema, as a JSON Pointer.
    pub pointer: Option<String>,
}

impl Hit {
    fn new(detail: impl Into<String>, messages: impl Into<Vec<u32>>) -> Self {
        Self { detail: detail.into(), messages: messages.into(), pointer: None }
    }

    fn at(self, pointer: impl Into<String>) -> Self {
        Self { pointer: Some(pointer.into()), ..self }
    }
}

/// Every rule, the families in reading order.
static ALL: &[&Rule] = &[
    &envelope::SERVER_SPEAKS_JSON_RPC,
    &envelope::CLIENT_SPEAKS_JSON_RPC,
    &envelope::REQUEST_ID_FRESH,
    &envelope::RESPONSE_MATCHES_REQUEST,
    &envelope::SERVER_SENDS_NO_REQUESTS,
    &envelope::CLIENT_SENDS_NO_RESPONSES,
    &metadata::SERVER_META_KEYS,
    &metadata::CLIENT_META_KEYS,
    &lifecycle::INITIALIZE_NAMES_A_HANDSHAKE_REVISION,
    &CLIENT_LEAVES_UNKNOWN_REVISION,
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
    &interim::INPUT_REQUESTS_DECLARED,
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
    &tools_list::INPUT_SCHEMA_OBJECT_ROOT,
    &tools_list::LIST_CHANGED_TOLD,
    &tools_list::STRUCTURED_OUTPUT_KNOWN,
    &output_schema::OUTPUT_SCHEMA_OBJECT_ROOT,
    &output_schema::OUTPUT_SCHEMA_IS_OBJECT,
    &output_schema::OUTPUT_SCHEMA_VALID,
    &structured_content::STRUCTURED_CONTENT_OBJECT,
    &structured_content::STRUCTURED_CONTENT_PRESENT,
    &structured_content::STRUCTURED_CONTENT_CONFORMS,
    &structured_content::TEXT_FALLBACK,
    &structured_content::TEXT_FALLBACK_FOR_NON_OBJECTS,
    &content::CONTENT_ARRAY,
    &content::CONTENT_BLOCKS,
    &content::OPTIONAL_MEMBERS_NOT_NULL,
    &content::UNKNOWN_TOOL_CODE,
    &content::TOOL_ERROR_IN_RESULT,
    &content::EMBEDDED_RESOURCE_CAPABILITY,
    &pages::CLIENT_LISTS_EVERY_PAGE,
    &pages::EMPTY_CURSOR_LEADS_ON,
    &pages::CURSOR_AS_GIVEN,
    &pages::CACHE_SCOPE_UNIFORM,
    &http::HTTP_ACCEPT,
    &http::HTTP_VERSION_HEADER,
    &http::HTTP_VERSION_IS_NEGOTIATED,
    &http::HTTP_REQUEST_HEADERS,
    &http::HTTP_SESSION_ID,
    &http::HTTP_ERROR_STATUS,
    &http::HTTP_HEADERS_ARE_DECODED,
    &acceptance::CLIENT_TAKES_ANY_VALUE,
    &acceptance::CLIENT_TAKES_ANY_OUTPUT_SCHEMA,
    &acceptance::CLIENT_TAKES_CONFORMING_RESULT,
    &acceptance::CLIENT_TAKES_CONFORMING_LIST,
    &acceptance::CLIENT_SUPPORTS_2020_12,
    &vigilance::CLIENT_TELLS_UNKNOWN_DIALECT,
    &vigilance::CLIENT_REFUSES_UNRESOLVED_REFERENCE,
    &vigilance::CLIENT_VALIDATES,
    &vigilance::CLIENT_TELLS_TOOL_ERRORS,
    &REFERENCES_NOT_FETCHED,
];

/// Every rule.
#[must_use]
pub fn all() -> &'static [&'static Rule] {
    ALL
}

/// The rule of that name.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.id == id)
}

/// The rule whose name is nearest to that text, if any is near enough to have been meant.
#[must_use]
pub fn nearest(id: &str) -> Option<&'static Rule> {
    let near = |rule: &&'static Rule| (strsim::jaro_winkler(rule.id, id), *rule);
    let best = ALL.iter().map(near).max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|(likeness, _)| *likeness > 0.8).map(|(_, rule)| rule)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_rule_has_a_name_of_its_own_and_says_what_it_is() {
        let ids: BTreeSet<_> = ALL.iter().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), ALL.len());
        for rule in ALL {
            assert!(rule.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{}", rule.id);
            assert!(rule.source.starts_with("https://modelcontextprotocol.io/"), "{}", rule.id);
            assert!(rule.title.ends_with('.') && rule.explanation.ends_with('.'), "{}", rule.id);
            assert!(!rule.remedy.ends_with('.') && !rule.remedy.is_empty(), "{}", rule.id);
            assert!(rule.explanation.len() > 80 && rule.revisions.from <= rule.revisions.to, "{}", rule.id);
        }
    }

    #[test]
    fn a_misspelt_rule_is_near_to_the_one_meant() {
        assert_eq!(find("text-fallback").map(|rule| rule.id), Some("text-fallback"));
        assert_eq!(nearest("output-schema-object-rot").map(|rule| rule.id), Some("output-schema-object-root"));
        assert!(nearest("zzz").is_none() && find("zzz").is_none());
    }

    #[test]
    fn only_a_rule_of_every_revision_holds_where_none_was_negotiated() {
        assert!(RevisionRange::ALL.holds_at(None) && !RevisionRange::MODERN.holds_at(None));
        assert!(RevisionRange::OBJECTS.holds_at(Some(Revision::V2025_11_25)));
        assert!(!RevisionRange::OBJECTS.holds_at(Some(Revision::V2026_07_28)));
        assert!(!RevisionRange::OBJECTS.holds_at(Some(Revision::V2025_03_26)));
    }
}
