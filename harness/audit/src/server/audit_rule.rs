//! The rules of an audit that no single session can show: each with what a finding needs of it.
//!
//! The rules of the specification are those of `mcp_compat_judge`. These are the checks of the audit itself.

use std::borrow::Cow;

use mcp_compat_judge::rules::{Affects, Fix, section_at};
use mcp_compat_model::Revision;
use mcp_compat_model::audit::{AuditFinding, Loss, Severity};
use mcp_compat_model::observation::Layer;
use mcp_compat_model::verdict::{BlastRadius, Outcome};

use super::variations::rules as varied;

use super::session_rules::{
    CAPABILITIES_ARE_ACCEPTED, DECLARED_TOOLS_ARE_LISTED, GET_IS_ANSWERED, INITIALIZE_IS_NEGOTIATED_BY_ITS_BODY,
    LIST_IS_ANSWERED, NOTHING_COMES_BEFORE_INITIALIZE, OFFERED_REVISION_IS_SERVED, REVISION_IS_NEGOTIATED,
    STRING_IDS_ARE_RETURNED, UNKNOWN_REVISION_IS_REFUSED,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditRule {
    pub id: &'static str,
    /// Requirement, in a sentence.
    pub title: &'static str,
    pub severity: Severity,
    /// The page of the specification that it follows from, if there is one.
    pub source: Option<&'static str>,
    pub remedy: &'static str,
    /// The change to a tool that ends the violation, where a change to one tool can.
    pub(super) fix: Option<Fix>,
    /// Rules of the specification that say less about the same violation: those that affect this.
    pub(super) subsumes: Option<Affects>,
    /// Checked only at revisions with structured output.
    pub(super) of_structured_output: bool,
    /// Losses that a violation may explain.
    explains: Explains,
}

/// Losses of which a violation may be the reason, if no rule of the specification is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Explains {
    Nothing,
    Calls,
    /// A client cannot use the schema, or refuses a value by it.
    Validation,
    /// A client cannot read a message, or reads another value.
    Reading,
    /// A client that reads only the text gets no value, or another one.
    Text,
}

/// The page that says how references are resolved.
const REFERENCES: &str = "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#ref-resolution";

const STRUCTURED: &str = "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#structured-content";

const OUTPUT_SCHEMA: &str = "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema";

/// The revisions from 2025-06-18 on have these sections too. The other sections are named in one revision only.
const SINCE_STRUCTURED_OUTPUT: [&str; 2] = [STRUCTURED, OUTPUT_SCHEMA];

pub(super) const INITIALIZE_IS_ANSWERED: AuditRule = AuditRule::error(
    "initialize-is-answered",
    "A server answers `initialize` at every revision, if only with a revision that it speaks.",
    "answer initialize at every revision, if only with a revision that the server speaks",
);

pub(super) const SERVER_STAYS: AuditRule = AuditRule::error(
    "server-stays",
    "A server does not end a session by itself.",
    "answer every request, with an error if necessary, and end only when the input ends",
);

/// The limits are those of pydantic-core in the Python SDK and of `serde_json` in rmcp.
pub(super) const NESTING_DEPTH: AuditRule = AuditRule::error(
    "nesting-depth",
    "Messages nest no deeper than clients read: rmcp reads 128 levels, and the Python SDK 200.",
    "return a flatter value",
);

pub(super) const LIST_ENDS: AuditRule = AuditRule::warning(
    "list-ends",
    "A list of tools ends, after as many tools as a model can choose from. An audit reads 5,000 tools, 1,000 pages and 3 MB.",
    "leave nextCursor out of the last page, and list fewer tools",
);

pub(super) const LISTED_TOOL_IS_KNOWN: AuditRule = AuditRule::error(
    "listed-tool-is-known",
    "A tool is listed only if the server knows it when it is called.",
    "list only tools that can be called",
)
.explaining(Explains::Calls);

pub(super) const CALL_IS_ANSWERED: AuditRule = AuditRule::error(
    "call-is-answered",
    "Every call is answered.",
    "answer every call, with an error if necessary, within the time that clients wait",
)
.explaining(Explains::Calls);

pub(super) const CALL_WORKS_AT_EVERY_REVISION: AuditRule = AuditRule::error(
    "call-works-at-every-revision",
    "A call that returns a result at one revision returns one at every revision.",
    "return the result at every revision that the server speaks",
)
.explaining(Explains::Calls);

pub(super) const CAN_BE_REPLAYED: AuditRule = AuditRule::warning(
    "can-be-replayed",
    "A scenario can be made of the tool, so that it can be replayed to clients.",
    "return smaller answers, give the tool a short name, and make sure that its definition is valid JSON and valid under \
     the protocol",
);

pub(super) const HANDSHAKE_IS_REPLAYED: AuditRule = AuditRule::warning(
    "opening-is-replayed",
    "A result of `initialize` or `server/discover` that violates the specification can be replayed to clients.",
    "send fewer members in this result",
);

pub(super) const MEMBERS_OF_LATER_REVISIONS: AuditRule = AuditRule {
    fix: Some(Fix::CorrectOpening),
    ..AuditRule::warning(
        "members-of-later-revisions",
        "A member that only later revisions define is as they define it: many clients decode it at any revision.",
        "omit members of the result of `initialize` that the revision does not define, or give them the types that later \
         revisions define",
    )
};

pub(super) const TOOL_AT_EVERY_REVISION: AuditRule = AuditRule::warning(
    "tool-at-every-revision",
    "Every tool is listed at every revision.",
    "list the same tools at every revision that the server speaks",
);

pub(super) const LIST_HOLDS: AuditRule = AuditRule::warning(
    "list-holds",
    "Two sessions list the same tools.",
    "list the same tools, in the same order and with the same definitions, in every session",
);

pub(super) const SCHEMA_STANDS_ALONE: AuditRule = AuditRule {
    source: Some(REFERENCES),
    fix: Some(Fix::OmitSchema),
    explains: Explains::Validation,
    ..AuditRule::warning(
        "schema-stands-alone",
        "A schema does not refer to another document.",
        "move what the schema refers to under `$defs` of the schema",
    )
};

pub(super) const SCHEMA_CAN_BE_USED: AuditRule = AuditRule {
    id: "schema-can-be-used",
    title: "A client can validate against a schema.",
    remedy: "declare what the reference leads to under `$defs` of the schema, or correct the reference",
    ..SCHEMA_STANDS_ALONE
};

/// A schema is within what mcp-compat can check.
pub(super) const SCHEMA_CAN_BE_CHECKED: AuditRule = AuditRule::note(
    "schema-can-be-checked",
    "mcp-compat can check the schema.",
    "no change is needed; to have it checked, use a smaller schema or a dialect that mcp-compat knows",
);

pub(super) const ANSWERS_ALIKE: AuditRule = AuditRule::warning(
    "answers-alike",
    "A tool that promises to change nothing answers the same call in the same shape.",
    "answer the same call in one shape, or remove the annotation",
);

pub(super) const LIST_STAYS_A_LIST: AuditRule = AuditRule {
    source: Some(STRUCTURED),
    // The text, which is the list, is right.
    subsumes: Some(Affects::TextFallback),
    explains: Explains::Text,
    ..AuditRule::warning(
        "list-stays-a-list",
        "A list is sent as a list, and not as an object with the keys 0, 1 and so on.",
        "send the list itself as structuredContent to clients of 2026-07-28, and to older ones an object that holds it under one \
         key; do not copy a list into an object, as `{...list}` and `Object.assign` do",
    )
};

pub(super) const VALUE_IS_STRUCTURED: AuditRule = AuditRule {
    source: Some(STRUCTURED),
    fix: Some(Fix::SendStructuredContent),
    ..AuditRule::note(
        "value-is-structured",
        "A JSON value is structured content, and not only text.",
        "declare an outputSchema that is an object, and return the value as structuredContent beside the text; a list needs a key of its own, as in {\"items\": […]}",
    )
};

pub(super) const REVISIONS_AGREE: AuditRule = AuditRule::note(
    "revisions-agree",
    "A tool has one definition and one shape of answer at every revision.",
    "make sure that both are intended: clients of both revisions read the same documentation",
);

pub(super) const OWN_RESULT_ACCEPTED: AuditRule = AuditRule {
    source: Some(OUTPUT_SCHEMA),
    explains: Explains::Calls,
    ..AuditRule::error(
        "own-result-accepted",
        "A server returns what its own validation accepts.",
        "return a value that conforms to the outputSchema, or change the outputSchema",
    )
};

pub(super) const ERROR_VALUE_CONFORMS: AuditRule = AuditRule {
    source: Some(OUTPUT_SCHEMA),
    fix: Some(Fix::OmitErrorValue),
    // Older clients know no structured content, so they do not validate it.
    of_structured_output: true,
    explains: Explains::Calls,
    ..AuditRule::warning(
        "error-value-conforms",
        "The structured content of an error result conforms to the output schema, or is left out.",
        "omit structuredContent from error results",
    )
};

pub(super) const TEXT_AGREES: AuditRule = AuditRule {
    source: Some(STRUCTURED),
    fix: Some(Fix::CorrectText),
    // A text block that contradicts the value is not also missing.
    subsumes: Some(Affects::TextFallback),
    explains: Explains::Text,
    ..AuditRule::error(
        "text-agrees",
        "Text and structured content of one result state the same value.",
        "make the text block repeat the value of structuredContent",
    )
};

pub(super) const TEXT_REPEATS_VALUE: AuditRule = AuditRule {
    source: Some(STRUCTURED),
    fix: Some(Fix::CorrectText),
    explains: Explains::Text,
    ..AuditRule::warning(
        "text-repeats-value",
        "A text block that is JSON repeats the structured content, without more and without less.",
        "make the text block repeat the value of structuredContent, as serialised JSON",
    )
};

pub(super) const TEXT_REPEATS_WRAPPER: AuditRule = AuditRule {
    source: Some(STRUCTURED),
    ..AuditRule::note(
        "text-repeats-wrapper",
        "The text of a value that is wrapped under one key repeats the whole object. SDKs that wrap a plain value send \
         the value alone as text, and some send a text block for each item of a list.",
        "nothing has to be done; a tool that returns an object has it whole in the text",
    )
};

pub(super) const VALUE_MATCHES_FORMAT: AuditRule = AuditRule {
    source: Some("https://json-schema.org/draft/2020-12/json-schema-validation#section-7.2"),
    fix: Some(Fix::OmitFormats),
    explains: Explains::Validation,
    ..AuditRule::warning(
        "value-matches-format",
        "A value has the formats that its schema declares.",
        "send values of the declared format, or remove `format`",
    )
};

pub(super) const NUMBERS_FIT_A_DOUBLE: AuditRule = AuditRule {
    source: Some("https://www.rfc-editor.org/rfc/rfc8259#section-6"),
    fix: Some(Fix::UseDoubles),
    explains: Explains::Reading,
    ..AuditRule::warning(
        "numbers-fit-a-double",
        "Numbers are within the range of a double.",
        "send numbers within the range of a double, and others as strings",
    )
};

pub(super) const INTEGERS_FIT_A_DOUBLE: AuditRule = AuditRule {
    source: Some("https://www.rfc-editor.org/rfc/rfc8259#section-6"),
    explains: Explains::Reading,
    ..AuditRule::warning(
        "integers-fit-a-double",
        "Integers are exact as doubles, as all are up to 2^53. JavaScript and others read numbers as doubles.",
        "send integers beyond 2^53 as strings",
    )
};

/// A large integer in a text: a client hands it on as it is, and who parses it rounds.
pub(super) const INTEGERS_OF_TEXT: AuditRule = AuditRule { severity: Severity::Note, ..INTEGERS_FIT_A_DOUBLE };

pub(super) const STRINGS_ARE_UNICODE: AuditRule = AuditRule {
    source: Some("https://www.rfc-editor.org/rfc/rfc8259#section-8.2"),
    explains: Explains::Reading,
    ..AuditRule::warning(
        "strings-are-unicode",
        "Strings have no half of a surrogate pair. Clients replace it, or cannot read the message at all.",
        "send only whole characters",
    )
};

pub(super) const SCHEMA_DIALECT_IS_CURRENT: AuditRule = AuditRule {
    source: Some("https://modelcontextprotocol.io/specification/2025-11-25/basic/index#json-schema-usage"),
    explains: Explains::Validation,
    ..AuditRule::warning(
        "schema-dialect-is-current",
        "A schema is written in a dialect that clients know.",
        "write the outputSchema in JSON Schema 2020-12",
    )
};

pub(super) const ACCEPTS_ITS_OWN_ARGUMENTS: AuditRule = AuditRule {
    source: Some("https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool"),
    ..AuditRule::warning(
        "accepts-its-own-arguments",
        "A tool accepts the arguments that its inputSchema allows.",
        "make the inputSchema say what the tool checks: declare what it requires, and accept what is declared",
    )
};

/// A warning: no sentence of the specification is about errors of the program.
pub(super) const CALLS_DO_NOT_CRASH: AuditRule = AuditRule::warning(
    "calls-do-not-crash",
    "A call that the inputSchema allows does not fail with an error of the program.",
    "mend the program of the tool, or the SDK or generator that runs it: the arguments fit the inputSchema",
);

/// A warning: the specification allows these names, and users of Claude Desktop have none of the tools.
pub(super) const NAMES_FIT_MODELS: AuditRule = AuditRule {
    source: Some("https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use"),
    ..AuditRule::warning(
        "names-fit-models",
        "The interfaces of models take the name of a tool: ASCII letters, digits, `_` and `-`, and of OpenAI models, claude.ai \
         and Claude Desktop at most 64 of them.",
        "name tools with ASCII letters, digits, `_` and `-`, at most 64 characters",
    )
};

/// A warning: the specification allows these schemas, and users of Claude Code do not have the tools.
pub(super) const SCHEMAS_FIT_MODELS: AuditRule = AuditRule {
    source: Some("https://github.com/anthropics/claude-code/issues/95504"),
    ..AuditRule::warning(
        "schemas-fit-models",
        "The interface of Claude models takes no `oneOf`, `anyOf` or `allOf` at the root of an inputSchema.",
        "move `oneOf`, `anyOf` or `allOf` from the root of the inputSchema into a property, or check it in the tool",
    )
};

/// A warning: JSON Schema allows these schemas, and users of VS Code do not have the tools.
pub(super) const ARRAYS_HAVE_ITEMS: AuditRule = AuditRule {
    source: Some("https://github.com/microsoft/vscode/issues/246119"),
    ..AuditRule::warning(
        "arrays-have-items",
        "An array in an inputSchema says what its items are. The interface of OpenAI models takes no other.",
        "give every array in the inputSchema `items`, as in `\"items\": {\"type\": \"string\"}`",
    )
};

pub(super) const LIST_IS_SHORT: AuditRule = AuditRule::note(
    "list-is-short",
    "A list of tools leaves room in the context of a model. The specification sets no limit.",
    "no change is needed; fewer tools, shorter descriptions and smaller schemas fit into more hosts",
);

pub(super) const CLIENTS_TAKE_THE_TOOL: AuditRule = AuditRule::warning(
    "clients-accept-the-tool",
    "Clients accept the tool as it is.",
    "see why each of these clients fails, and change that if your users have them",
);

pub const AUDIT_RULES: [AuditRule; 74] = [
    INITIALIZE_IS_ANSWERED,
    SERVER_STAYS,
    NESTING_DEPTH,
    LIST_ENDS,
    LISTED_TOOL_IS_KNOWN,
    CALL_IS_ANSWERED,
    CALL_WORKS_AT_EVERY_REVISION,
    CAN_BE_REPLAYED,
    HANDSHAKE_IS_REPLAYED,
    MEMBERS_OF_LATER_REVISIONS,
    TOOL_AT_EVERY_REVISION,
    LIST_HOLDS,
    SCHEMA_STANDS_ALONE,
    SCHEMA_CAN_BE_USED,
    SCHEMA_CAN_BE_CHECKED,
    ANSWERS_ALIKE,
    VALUE_IS_STRUCTURED,
    LIST_STAYS_A_LIST,
    REVISIONS_AGREE,
    OWN_RESULT_ACCEPTED,
    ERROR_VALUE_CONFORMS,
    TEXT_AGREES,
    TEXT_REPEATS_VALUE,
    TEXT_REPEATS_WRAPPER,
    VALUE_MATCHES_FORMAT,
    NUMBERS_FIT_A_DOUBLE,
    INTEGERS_FIT_A_DOUBLE,
    STRINGS_ARE_UNICODE,
    SCHEMA_DIALECT_IS_CURRENT,
    CLIENTS_TAKE_THE_TOOL,
    DECLARED_TOOLS_ARE_LISTED,
    LIST_IS_ANSWERED,
    OFFERED_REVISION_IS_SERVED,
    STRING_IDS_ARE_RETURNED,
    CAPABILITIES_ARE_ACCEPTED,
    REVISION_IS_NEGOTIATED,
    INITIALIZE_IS_NEGOTIATED_BY_ITS_BODY,
    GET_IS_ANSWERED,
    UNKNOWN_REVISION_IS_REFUSED,
    ACCEPTS_ITS_OWN_ARGUMENTS,
    CALLS_DO_NOT_CRASH,
    NAMES_FIT_MODELS,
    SCHEMAS_FIT_MODELS,
    ARRAYS_HAVE_ITEMS,
    LIST_IS_SHORT,
    NOTHING_COMES_BEFORE_INITIALIZE,
    varied::PING_IS_ANSWERED,
    varied::EARLY_REQUESTS_ARE_SURVIVED,
    varied::REQUEST_IDS_ARE_RETURNED,
    varied::OPTIONAL_PARAMS_ARE_OPTIONAL,
    varied::ARGUMENTS_MAY_BE_ABSENT,
    varied::UNKNOWN_METHOD_IS_REFUSED,
    varied::DECLARED_LISTS_ARE_SERVED,
    varied::DECLARED_REQUESTS_ARE_SERVED,
    varied::LARGE_REQUESTS_ARE_ANSWERED,
    varied::FLUSHES_ITS_OUTPUT,
    varied::SESSIONS_ARE_MANY,
    varied::NOTIFICATIONS_ARE_NOT_ANSWERED,
    varied::NOTIFICATIONS_ARE_ACCEPTED,
    varied::UNLISTED_TOOL_IS_REFUSED,
    varied::ARGUMENTS_ARE_UTF_8,
    varied::REQUEST_HEADERS_ARE_READ,
    varied::UNKNOWN_SESSION_IS_404,
    varied::OWN_SESSION_IS_KNOWN,
    varied::SESSIONS_ARE_INDEPENDENT,
    varied::REFUSALS_ARE_MARKED,
    varied::LINES_MAY_END_WITH_CRLF,
    varied::BATCHES_ARE_TAKEN,
    varied::REFUSALS_HAVE_AN_ERROR,
    varied::INITIALIZE_NEEDS_NO_HEADER,
    varied::MESSAGES_ARE_LINES,
    varied::DISCOVER_IS_REFUSED_PROPERLY,
    varied::ENDS_WITH_ITS_INPUT,
    varied::REQUESTS_AT_ONCE_ARE_ANSWERED,
];

/// Returns whether the violation of a rule of the audit may be the reason of a loss.
pub(super) fn may_explain(finding: &AuditFinding, loss: &Loss) -> bool {
    let error = loss.signature.as_ref().and_then(|signature| signature.error.as_ref());
    let is_validation = error.is_some_and(|error| error.layer == Layer::Validate);
    let ended = matches!(loss.outcome, Outcome::Hung | Outcome::Crashed);
    match AuditRule::of(finding).map(|rule| rule.explains) {
        Some(Explains::Calls) => loss.loses == BlastRadius::Call,
        Some(Explains::Validation) => is_validation || ended,
        Some(Explains::Reading) => !is_validation,
        Some(Explains::Text) => error.is_none() && !ended,
        Some(Explains::Nothing) | None => false,
    }
}

impl AuditRule {
    const fn new(severity: Severity, id: &'static str, title: &'static str, remedy: &'static str) -> Self {
        Self {
            id,
            title,
            severity,
            source: None,
            remedy,
            fix: None,
            subsumes: None,
            of_structured_output: false,
            explains: Explains::Nothing,
        }
    }

    /// The rule of the audit that a finding violates; `None` if it is one of the specification.
    pub(super) fn of(finding: &AuditFinding) -> Option<&'static Self> {
        Self::find(&finding.rule)
    }

    pub(super) fn find(id: &str) -> Option<&'static Self> {
        AUDIT_RULES.iter().find(|rule| rule.id == id)
    }

    pub(super) const fn sourced(self, source: &'static str) -> Self {
        Self { source: Some(source), ..self }
    }

    const fn explaining(self, explains: Explains) -> Self {
        Self { explains, ..self }
    }

    pub(super) const fn error(id: &'static str, title: &'static str, remedy: &'static str) -> Self {
        Self::new(Severity::Error, id, title, remedy)
    }

    pub(super) const fn warning(id: &'static str, title: &'static str, remedy: &'static str) -> Self {
        Self::new(Severity::Warning, id, title, remedy)
    }

    pub(super) const fn note(id: &'static str, title: &'static str, remedy: &'static str) -> Self {
        Self::new(Severity::Note, id, title, remedy)
    }

    /// A violation of this rule, seen at these revisions.
    pub(super) fn violated(&self, detail: String, at: Vec<Revision>) -> AuditFinding {
        AuditFinding {
            severity: self.severity,
            rule: self.id.to_owned(),
            detail,
            way: None,
            source: self.source_at(&at).map(String::from),
            at,
            remedy: self.remedy.to_owned(),
            wire: None,
            returned: None,
            required: None,
            lacks: Vec::new(),
            members: Vec::new(),
            lost_elsewhere: None,
            refused: None,
        }
    }

    /// The page that the rule follows from, of the newest of these revisions where it has the section.
    fn source_at(&self, at: &[Revision]) -> Option<Cow<'static, str>> {
        let newest = at.iter().max().copied().filter(|newest| *newest >= Revision::V2025_06_18);
        let source = self.source?;
        Some(if SINCE_STRUCTURED_OUTPUT.contains(&source) { section_at(source, newest) } else { Cow::Borrowed(source) })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use mcp_compat_judge::rules;

    use super::*;

    #[test]
    fn every_rule_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = AUDIT_RULES.iter().map(|rule| rule.id).collect();
        assert_eq!(names.len(), AUDIT_RULES.len());
        assert!(names.iter().all(|name| rules::find(name).is_none()), "the judge has a rule of that name");
    }

    #[test]
    fn a_finding_leads_to_the_revision_at_which_it_was_seen() {
        let source = |rule: AuditRule, at: &[Revision]| rule.violated(String::new(), at.to_vec()).source.unwrap();
        for at in [Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28] {
            let source = source(OWN_RESULT_ACCEPTED, &[Revision::V2024_11_05, at]);
            assert!(source.ends_with(&format!("/{at}/server/tools#output-schema")), "{source}");
        }
        assert_eq!(source(OWN_RESULT_ACCEPTED, &[Revision::V2025_03_26]), OUTPUT_SCHEMA, "it has no such section");
        assert_eq!(source(SCHEMA_STANDS_ALONE, &[Revision::V2025_06_18]), REFERENCES, "only the newest has it");
    }
}
