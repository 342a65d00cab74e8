//! Rules of clients: accept results and lists that break no rule.
//!
//! These rules compare the wire with what the user saw. They see what the server violated: a client may refuse a message
//! that breaks a rule.

use mcp_compat_json::Json;
use mcp_compat_model::excerpt::{quoted, tool_name};
use mcp_compat_model::observation::{Layer, Seen};
use mcp_compat_model::tool::{ToolResult, root_type};
use mcp_compat_model::verdict::Party;
use mcp_compat_model::{Era, Revision};
use mcp_compat_scenario::scenario::Step;

use super::metadata::SERVER_META_KEYS;
use super::rule::{Affects, Check, Levels, RevisionRange, Rule, Scope, ServerViolations, Violation};
use super::structured_content::repeated_key;
use crate::facts::{CallFacts, Facts};
use crate::wire::message::Message;
use crate::without_rule::misses_a_format;
use mcp_compat_schema::inclusion::{Conformance, Dialect, Validity, dialect};

pub(super) static CLIENT_TAKES_ANY_VALUE: Rule = Rule {
    id: "client-takes-any-value",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#structured-content",
    title: "From 2026-07-28 on, a client accepts any JSON value as structured content.",
    violation: "values that are not objects are rejected, at 2026-07-28",
    explanation: "Arrays, strings, numbers, booleans and null are all allowed. A client that still types the member as \
                  an object rejects valid results, and its users blame the server. Read the member as any JSON value, \
                  and distinguish null from absent.",
    remedy: "accept any JSON value as structuredContent",
    fix: None,
    check: Check::AfterServer(any_value),
};

pub(super) static CLIENT_TAKES_ANY_OUTPUT_SCHEMA: Rule = Rule {
    id: "client-takes-any-output-schema",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool",
    title: "From 2026-07-28 on, a client accepts an `outputSchema` with any type at its root.",
    violation: "schemas without `type: object` are rejected, at 2026-07-28",
    explanation: "`type: object` at the root is no longer required. A client that insists on it rejects the list, and \
                  loses every tool of the server because of one schema.",
    remedy: "accept an outputSchema with any type at its root, and never reject a list because of one tool",
    fix: None,
    check: Check::AfterServer(any_output_schema),
};

pub(super) static CLIENT_TAKES_CONFORMING_RESULT: Rule = Rule {
    id: "client-takes-conforming-result",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result",
    title: "A client accepts a result that conforms to the negotiated revision.",
    violation: "valid results are rejected",
    explanation: "The result violated no rule, but the client raised an error. Its user gets no value, and the error \
                  blames the server. The usual cause is a type in the client that is narrower than the \
                  specification's.",
    remedy: "accept every result that the negotiated revision allows",
    fix: None,
    check: Check::AfterServer(conforming_result),
};

/// Rule about a client that refuses a legal list.
pub static CLIENT_TAKES_CONFORMING_LIST: Rule = Rule {
    id: "client-takes-conforming-list",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#listing-tools",
    title: "A client accepts a list of tools that conforms to the negotiated revision.",
    violation: "valid lists of tools are rejected",
    explanation: "The list violated no rule, but the client raised an error. Its user loses every tool of this server.",
    remedy: "accept every list that the negotiated revision allows",
    fix: None,
    check: Check::AfterServer(conforming_list),
};

pub(super) static CLIENT_SUPPORTS_2020_12: Rule = Rule {
    id: "client-supports-2020-12",
    level: Levels::MUST,
    revisions: RevisionRange { from: Revision::V2025_11_25, to: Revision::NEWEST },
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#implementation-requirements",
    title: "A client supports JSON Schema 2020-12, the default dialect.",
    violation: "JSON Schema 2020-12 is not supported",
    explanation: "Some validators are set up for an older draft, or reject formats and keywords that they do not know. \
                  They fail on a valid schema before the tool is even called. Configure the validator for 2020-12, and \
                  ignore unknown keywords and formats.",
    remedy: "support valid JSON Schema 2020-12",
    fix: None,
    check: Check::AfterServer(supports_2020_12),
};

/// Returns true if the user got an error that the server did not send.
pub(super) fn refused(seen: &Seen, result: &Json) -> bool {
    match seen {
        Seen::Failed(error) => match error.layer {
            Layer::Decode | Layer::Validate | Layer::Protocol | Layer::Tool => true,
            Layer::Connect | Layer::Timeout => false,
        },
        Seen::Called(seen) => seen.is_error && !ToolResult::new(result).is_error(),
        Seen::Listed { .. } | Seen::Evolved { .. } | Seen::NotReported {} => false,
    }
}

/// A result without fault that the client refused.
struct Refusal<'f, 'a> {
    call: &'f CallFacts<'a>,
    message: &'f Message<'a>,
    result: &'f Json,
    structured: Option<&'f Json>,
    /// True if the client says that the value does not conform to the schema that was declared for it.
    by_schema: bool,
}

impl Refusal<'_, '_> {
    /// Returns true if it may be for the type of the value alone, in a revision that has values of any type.
    fn may_be_for_type(&self) -> bool {
        !self.by_schema && self.structured.is_some_and(|value| value.as_object().is_none())
    }
}

fn refusals<'f, 'a>(facts: &'f Facts<'a>, server: &'f ServerViolations) -> impl Iterator<Item = Refusal<'f, 'a>> {
    facts.calls.iter().filter_map(move |call| {
        let (message, result) = facts.result_of(call.exchange?)?;
        let kind = ToolResult::new(result).result_type().and_then(Json::as_str);
        let interim = facts.era() != Some(Era::Legacy) && kind.is_some_and(|kind| kind != "complete");
        if ToolResult::new(result).is_error() || interim || !refused(call.seen?, result) {
            return None;
        }
        let structured = ToolResult::new(result).structured_content();
        // JSON leaves open what a parser makes of a key that stands twice.
        let is_ambiguous = structured.is_some_and(|value| repeated_key(value).is_some());
        let validated = matches!(call.seen?, Seen::Failed(error) if error.layer == Layer::Validate);
        // A validation of the value does not look at the keys of `_meta`.
        let beside: &[&Rule] = if validated { &[&SERVER_META_KEYS] } else { &[] };
        let is_for_a_format = validated && misses_a_format(facts, call);
        let faultless = server.conforms_but_for(facts, call, beside)
            && !call.is_stale
            // Without the list, a client has no schema to judge the result by.
            && facts.list_error(call).is_none()
            && !is_ambiguous
            && !is_for_a_format
            // Where validation need not end, a client may refuse any value.
            && !facts.declared_schema(call).is_some_and(|schema| is_endless(facts, schema))
            // Where it cannot be said whether the value conforms, a client that refuses it is not at fault.
            && !matches!(facts.conformance(call), Some(Conformance::Undecided { .. }));
        let by_schema = validated && structured.is_some() && facts.declared_schema(call).is_some();
        faultless.then_some(Refusal { call, message, result, structured, by_schema })
    })
}

fn any_value(facts: &Facts<'_>, server: &ServerViolations) -> Vec<Violation> {
    let mut violations = Vec::new();
    for refusal in refusals(facts, server).filter(Refusal::may_be_for_type) {
        if let Some(value) = refusal.structured {
            let tool = tool_name(&refusal.call.call.tool);
            let detail = format!("the structuredContent of {tool} is a JSON {}, which is allowed", value.kind());
            let violation = Violation::new(detail, [refusal.message.seq]).of_tool(&refusal.call.call.tool);
            violations.push(violation.at("/structuredContent"));
        }
    }
    violations
}

/// Part of a result that the revision allows, and the types of a client may not.
enum Unexpected {
    /// No block at all, and no structured content either.
    EmptyContent,
    /// Something other than an object in a member that the revision does not define.
    Undefined(Revision),
}

impl Unexpected {
    fn of(refusal: &Refusal<'_, '_>, facts: &Facts<'_>) -> Option<Self> {
        let revision = facts.revision()?;
        match refusal.structured {
            Some(value) if !revision.has_structured_output() && value.as_object().is_none() => {
                Some(Self::Undefined(revision))
            }
            Some(_) => None,
            None => {
                let content = refusal.result.get("content").and_then(Json::as_array);
                // Who knows of a schema may miss the structured content instead.
                let is_it = content.is_some_and(<[Json]>::is_empty) && facts.declared_schema(refusal.call).is_none();
                is_it.then_some(Self::EmptyContent)
            }
        }
    }

    fn violation(&self, refusal: &Refusal<'_, '_>) -> Violation {
        let tool = &refusal.call.call.tool;
        let of_result = |detail| Violation::new(detail, [refusal.message.seq]).of_tool(tool);
        let tool = tool_name(tool);
        match self {
            Self::EmptyContent => of_result(format!("the result of {tool} has an empty `content`, which is allowed"))
                .at("/content")
                .mended_by("accept an empty `content`"),
            Self::Undefined(revision) => of_result(format!(
                "the result of {tool} has a member `structuredContent`, which {revision} allows, although it does not define it"
            ))
            .at("/structuredContent")
            .mended_by("ignore members of results that the negotiated revision does not define"),
        }
    }
}

fn conforming_result(facts: &Facts<'_>, server: &ServerViolations) -> Vec<Violation> {
    let modern = facts.revision().is_some_and(Revision::has_any_value_output);
    let mut violations = Vec::new();
    for refusal in refusals(facts, server) {
        // Other values than objects have a rule of their own.
        if modern && refusal.may_be_for_type() {
            continue;
        }
        let tool = tool_name(&refusal.call.call.tool);
        let detail = if refusal.by_schema {
            let foreign =
                facts.declared_schema(refusal.call).and_then(|schema| facts.schemas.refused_by_python(schema));
            let pattern = foreign.map_or_else(String::new, |refused| {
                format!(", whose pattern {} is an ECMA-262 regular expression", quoted(&refused.pattern))
            });
            format!("the structuredContent of {tool} conforms to its outputSchema{pattern}")
        } else if let Some(member) = Unexpected::of(&refusal, facts) {
            violations.push(member.violation(&refusal));
            continue;
        } else {
            format!("the result of {tool} breaks no rule")
        };
        violations.push(Violation::new(detail, [refusal.message.seq]).of_tool(&refusal.call.call.tool));
    }
    violations
}

/// The lists that the client's user did not get although they are without fault, with whether they hold a schema
/// that is not of an object.
fn refused_lists(facts: &Facts<'_>, server: &ServerViolations) -> Vec<(Vec<u32>, bool)> {
    let mut refused = Vec::new();
    for (step, what) in facts.scenario.steps.iter().enumerate() {
        let (Step::List, Some(Seen::Failed(error))) = (what, facts.observation.steps.get(step)) else { continue };
        let own = matches!(error.layer, Layer::Decode | Layer::Validate | Layer::Tool | Layer::Protocol);
        let answers: Option<Vec<u32>> = facts
            .exchanges_of("tools/list")
            .map(|(_, exchange)| facts.result_of(exchange).map(|(message, _)| message.seq))
            .collect();
        // One page that was refused by the server is reason enough for the client.
        let Some(answers) = answers.filter(|answers| own && !answers.is_empty()) else { continue };
        if server.any_in(&answers) || has_doubtful_schema(facts) {
            continue;
        }
        let other_root = facts.listings.iter().filter_map(|listing| facts.definition(*listing)).any(|definition| {
            let schema = definition.output_schema();
            schema.is_some_and(|schema| root_type(schema) != Some("object"))
        });
        refused.push((answers, other_root));
    }
    refused
}

fn is_endless(facts: &Facts<'_>, schema: &Json) -> bool {
    matches!(facts.schemas.validity(schema), Validity::Endless { .. })
}

fn has_doubtful_schema(facts: &Facts<'_>) -> bool {
    let is_usable =
        |schema: &Json| matches!(facts.schemas.validity(schema), Validity::Valid | Validity::Invalid { .. });
    facts.listings.iter().filter_map(|listing| facts.definition(*listing)).any(|definition| {
        definition.output_schema().is_some_and(|schema| !is_usable(schema))
            || definition.input_schema().is_some_and(|schema| is_endless(facts, schema))
    })
}

fn any_output_schema(facts: &Facts<'_>, server: &ServerViolations) -> Vec<Violation> {
    let lists = refused_lists(facts, server).into_iter().filter(|(_, other_root)| *other_root);
    let detail = "an outputSchema of the list has no type object at its root, which is allowed";
    lists.map(|(answers, _)| Violation::new(detail, answers).at("/outputSchema/type")).collect()
}

fn conforming_list(facts: &Facts<'_>, server: &ServerViolations) -> Vec<Violation> {
    let modern = facts.revision().is_some_and(Revision::has_any_value_output);
    let lists = refused_lists(facts, server).into_iter().filter(|(_, other_root)| !(modern && *other_root));
    lists.map(|(answers, _)| Violation::new("the result of tools/list breaks no rule", answers)).collect()
}

fn supports_2020_12(facts: &Facts<'_>, server: &ServerViolations) -> Vec<Violation> {
    let mut violations = Vec::new();
    for call in facts.calls.iter().filter(|call| call.exchange.is_none()) {
        let Some(Seen::Failed(error)) = call.seen else { continue };
        let (Some(listing), Some(schema)) = (call.listing, facts.declared_schema(call)) else { continue };
        let valid = facts.schemas.validity(schema) == Validity::Valid && dialect(schema) == Some(Dialect::Draft202012);
        if error.layer == Layer::Validate && valid && server.conforms_but_for(facts, call, &[]) {
            let detail = format!("the outputSchema of {} is valid JSON Schema 2020-12", tool_name(&call.call.tool));
            let seq = facts.messages[listing.message].seq;
            violations.push(Violation::new(detail, [seq]).of_tool(&call.call.tool).at("/outputSchema"));
        }
    }
    violations
}
