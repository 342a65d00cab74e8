//! Members of the results of `initialize`, `server/discover` and `tools/list`, of tool definitions and of results that hold
//! what their revision does not allow: null, a value of another type, or nothing where something is required. The shapes of
//! the official schemas decide.

use crate::wire::exchange::Exchange;
use crate::wire::message::Message;
use crate::wire::session::{is_of_modern_server, named_revision};
use mcp_compat_json::Json;
use mcp_compat_model::Revision;
use mcp_compat_model::count::nth;
use mcp_compat_model::excerpt::{quoted, tool_name};
use mcp_compat_model::shapes::{
    DISCOVER, INITIALIZE, LIST, Mismatch, Official, RESULT, Shape, TOOL, block, mismatches,
};
use mcp_compat_model::tool::{ToolResult, block_type_since};
use mcp_compat_model::verdict::Party;

use super::rule::{Affects, Check, Fix, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::Facts;

/// Remedy for both results that open a session.
const OPENING_REMEDY: &str = "give the results of `initialize` and `server/discover` every member that the schema requires \
                              (`serverInfo` has `name` and `version`), each with the type that it defines, and omit \
                              optional members that have no value";

/// Rule about the members of the result of `initialize`.
pub static INITIALIZE_MEMBERS: Rule = Rule {
    id: "initialize-members",
    level: Levels::MUST,
    // If the client rejects the result, no revision is negotiated, and only rules of all revisions are checked.
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2025-11-25/schema#initializeresult",
    title: "The result of `initialize` has the members that the revision requires, and each has its type.",
    violation: "`initialize` result with members missing or of the wrong type",
    explanation: "Typed clients decode this result before anything else. Without the `version` of `serverInfo`, or with \
                  `true` for a capability, most of them open no session, and their users have none of the tools. The \
                  TypeScript SDK rejects null for an optional member, too.",
    remedy: OPENING_REMEDY,
    fix: Some(Fix::CorrectOpening),
    check: Check::Wire(opening),
};

/// Rule about the result of `server/discover`.
pub static DISCOVER_MEMBERS: Rule = Rule {
    id: "discover-members",
    level: Levels::MUST,
    // If the client rejects the result, no revision is negotiated, and only rules of all revisions are checked.
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#discoverresult",
    title: "The result of `server/discover` has the members that the revision requires, and each has its type.",
    violation: "`server/discover` result with members missing or of the wrong type",
    explanation: "Typed clients decode this result before anything else. With `true` for a capability, most clients of both \
                  eras take the server for a legacy one, and go on with `initialize`. With a server that has no handshake, \
                  their users have none of its tools. The TypeScript SDK rejects null for an optional member, too.",
    remedy: OPENING_REMEDY,
    fix: Some(Fix::CorrectOpening),
    check: Check::Wire(discovered),
};

pub(super) static LIST_MEMBERS: Rule = Rule {
    id: "list-members",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#listtoolsresult",
    title: "`_meta` of a list is an object, and `nextCursor` is a string.",
    violation: "`tools/list` result with a wrong `_meta` or `nextCursor`",
    explanation: "Strictly typed clients reject the whole list, and their users have none of the tools. Over stdio, the \
                  TypeScript SDK does not take a list whose `_meta` is no object for an answer: its user waits until the \
                  request times out.",
    remedy: "send `_meta` of a list as an object and `nextCursor` as a string, or omit them",
    fix: Some(Fix::CorrectList),
    check: Check::Wire(lists),
};

/// Rule about the members of a tool's definition.
pub static TOOL_DEFINITION_MEMBERS: Rule = Rule {
    id: "tool-definition-members",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#tool",
    title: "The members of a tool's definition have the types that the revision defines.",
    violation: "tool definition with members of the wrong type",
    explanation: "Typed clients decode the list as a whole. One `description` that is a number, one hint that is a string \
                  or one icon without `src` costs their users every tool of the server.",
    remedy: "give the members of a tool's definition the types that the schema of the revision defines",
    fix: Some(Fix::CorrectDefinition),
    check: Check::Wire(definitions),
};

/// Rule about the members of results.
pub static RESULT_MEMBERS: Rule = Rule {
    id: "result-members",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#calltoolresult",
    title: "`isError` of a result is a boolean, and `_meta` is an object.",
    violation: "result with a wrong `isError` or `_meta`",
    explanation: "Strictly typed clients reject the whole result, and the value in it is lost. The Python SDK takes \
                  `\"false\"` for a boolean; the TypeScript and Go SDKs and rmcp do not. Over stdio, the TypeScript SDK does \
                  not take a message whose `_meta` is no object for an answer: its user waits until the call times out.",
    remedy: "send `isError` as a boolean and `_meta` as an object, or omit them",
    fix: Some(Fix::CorrectResult),
    check: Check::Wire(results),
};

/// Rule about content blocks and their members.
pub static CONTENT_BLOCKS: Rule = Rule {
    id: "content-blocks",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Content,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#contentblock",
    title: "Every content block has a type that the revision defines, and the members of that type.",
    violation: "content block of an unknown type or with wrong members",
    explanation: "Clients decode blocks as a closed set of types. One block of an unknown type, without its text or its \
                  `mimeType`, or with bytes that are not base64, makes many of them reject the whole result, including \
                  the structured content.",
    remedy: "send only content blocks that the schema of the negotiated revision allows",
    fix: Some(Fix::CorrectBlocks),
    check: Check::Wire(blocks),
};

/// Rule about null in the place of an optional member.
pub static OPTIONAL_MEMBERS_NOT_NULL: Rule = Rule {
    id: "optional-members-not-null",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#tool",
    title: "An optional member without a value is omitted, not null.",
    violation: "an optional member that is null",
    explanation: "The schema does not allow null for these members. Some serialisers write every field of a record and \
                  send null. Clients that distinguish absent from null reject the result or the whole list. Over stdio, \
                  the TypeScript SDK does not take a result whose `_meta` is null for an answer: its user waits until \
                  the call times out.",
    remedy: "omit optional members instead of sending null",
    fix: Some(Fix::OmitNulls),
    check: Check::Wire(nulls),
};

fn opening(facts: &Facts<'_>) -> Vec<Violation> {
    in_results_of(facts, "initialize", |result| {
        // A client that rejects the result has negotiated no revision.
        let is_named = result.get("protocolVersion").is_some_and(|named| named.as_str().is_some());
        let revision = if is_named { named_revision(result)? } else { Revision::NEWEST_LEGACY };
        Some((revision, &INITIALIZE))
    })
}

fn discovered(facts: &Facts<'_>) -> Vec<Violation> {
    in_results_of(facts, "server/discover", |result| {
        is_of_modern_server(result).then_some((Revision::NEWEST, &DISCOVER))
    })
}

fn lists(facts: &Facts<'_>) -> Vec<Violation> {
    in_lists(facts, false)
}

fn definitions(facts: &Facts<'_>) -> Vec<Violation> {
    in_definitions(facts, false)
}

fn results(facts: &Facts<'_>) -> Vec<Violation> {
    in_results(facts, false)
}

/// Remedy for a failure in a block of a type of its own. No revision has one.
const FAILURE_IN_TEXT: &str =
    "send the words of a failure in a block of type `text`, and set `isError: true` on the result";

const ENCODE_BYTES: &str = "send the bytes themselves in base64, without a prefix such as `data:image/png;base64,`; for an address, a \
                            block of type `resource_link` (since 2025-06-18)";

const GIVE_A_SCHEME: &str = "give the address a scheme, as in `https://…`, `file:///…` or one of the server's own";

const TEXT_BLOCK: &str = "send words and JSON in blocks of type `text`: `{\"type\": \"text\", \"text\": …}`";

const EMPTY_OBJECT: &str =
    "send `{}` for an object without members, which PHP and Lua serialise as `[]`, or omit the member";

const SCHEMA_AS_OBJECT: &str = "write `{}` for the schema `true`, which libraries generate for a value of any type, and \
                                `{\"not\": {}}` for `false`";

/// The exact remedy, if all that is wrong with a definition has the same.
fn remedy_of(wrong: &[Mismatch<'_>]) -> Option<&'static str> {
    if wrong.is_empty() {
        return None;
    }
    if wrong.iter().all(Mismatch::is_empty_array_for_object) {
        return Some(EMPTY_OBJECT);
    }
    wrong.iter().all(|mismatch| mismatch.boolean_schema().is_some()).then_some(SCHEMA_AS_OBJECT)
}

fn blocks(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = in_blocks(facts, false);
    for (message, result) in results_of_calls(facts) {
        let content = ToolResult::new(result).content();
        let wrong = content.iter().enumerate().find_map(|(at, block)| Some((at, wrong_type(block, facts.revision())?)));
        violations.extend(wrong.map(|(index, wrong)| {
            let detail = format!("{} {wrong}", nth(index, "content block"));
            let violation = Violation::new(detail, [message.seq]).at(format!("/content/{index}/type"));
            let named = content[index].get("type").and_then(Json::as_str);
            let is_text = named.is_none_or(|named| block_type_since(named).is_none())
                && content[index].get("text").is_some_and(|text| text.as_str().is_some());
            match (named, is_text) {
                (Some("error"), _) => violation.mended_by(FAILURE_IN_TEXT),
                (_, true) => violation.mended_by(TEXT_BLOCK),
                (_, false) => violation,
            }
        }));
    }
    violations
}

fn nulls(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = in_lists(facts, true);
    violations.extend(in_definitions(facts, true));
    violations.extend(in_results(facts, true));
    violations.extend(in_blocks(facts, true));
    violations
}

/// Mismatches with the official schema of the negotiated revision: optional members that are null, or all else.
fn found<'j>(facts: &Facts<'_>, shape: &'static Shape, value: &'j Json, nulls: bool) -> Vec<Mismatch<'j>> {
    let found = facts.revision().map_or(Vec::new(), |revision| mismatches(&Official(revision), shape, value));
    found.into_iter().filter(|mismatch| mismatch.is_dispensable_null() == nulls).collect()
}

/// Mismatches with a shape in the results of a method: nulls and all else.
fn in_results_of(
    facts: &Facts<'_>,
    method: &str,
    held: impl Fn(&Json) -> Option<(Revision, &'static Shape)>,
) -> Vec<Violation> {
    let of_result = |(message, result): (&Message<'_>, &Json)| {
        let (revision, shape) = held(result)?;
        let mut wrong = mismatches(&Official(revision), shape, result);
        wrong.retain(|mismatch| !OF_OTHER_RULES.contains(&mismatch.pointer.as_str()));
        violation(&wrong, "", &format!("the result of `{method}`"), message.seq)
    };
    let results = facts.exchanges_of(method).filter_map(|(_, exchange)| facts.result_of(exchange));
    results.filter_map(of_result).collect()
}

fn in_lists(facts: &Facts<'_>, nulls: bool) -> Vec<Violation> {
    let of_exchange = |exchange: &Exchange| {
        let method = facts.messages[exchange.request].method().filter(|method| method.ends_with("/list"))?;
        let (message, result) = facts.result_of(*exchange)?;
        let (wrong, owner) = (found(facts, &LIST, result, nulls), format!("the result of `{method}`"));
        Some(violation(&wrong, "", &owner, message.seq)?.cited(LIST_MEMBERS.source))
    };
    facts.exchanges.all.iter().filter_map(of_exchange).collect()
}

fn in_definitions(facts: &Facts<'_>, nulls: bool) -> Vec<Violation> {
    let controls = facts.controls();
    let mut violations = Vec::new();
    for listing in &facts.listings {
        let Some(definition) = facts.definition(*listing) else { continue };
        let tool = definition.name().unwrap_or_default();
        // A control has its tool's definition: what is wrong with it has been said.
        if controls.contains(tool) {
            continue;
        }
        let seq = facts.messages[listing.message].seq;
        let owner = || tool_name(tool);
        let mut wrong = found(facts, &TOOL, definition.json(), nulls);
        wrong.retain(|mismatch| !mismatch.is_bad_schema());
        let remedy = remedy_of(&wrong);
        violations.extend(violation(&wrong, "", &owner(), seq).map(|violation| {
            let violation = violation.of_tool(tool);
            match remedy {
                Some(remedy) => violation.mended_by(remedy),
                None => violation,
            }
        }));
    }
    violations
}

fn in_results(facts: &Facts<'_>, nulls: bool) -> Vec<Violation> {
    let of_result = |(message, result): (&Message<'_>, &Json)| {
        let wrong = found(facts, &RESULT, result, nulls);
        Some(violation(&wrong, "", "a result", message.seq)?.cited(RESULT_MEMBERS.source))
    };
    results_of_calls(facts).filter_map(of_result).collect()
}

fn in_blocks(facts: &Facts<'_>, nulls: bool) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (message, result) in results_of_calls(facts) {
        for (index, content) in ToolResult::new(result).content().iter().enumerate() {
            let kind = content.get("type").and_then(Json::as_str);
            let Some(shape) = kind.and_then(block) else { continue };
            if wrong_type(content, facts.revision()).is_some() {
                continue;
            }
            let (place, owner) = (format!("/content/{index}"), nth(index, "content block"));
            let wrong = found(facts, shape, content, nulls);
            let found = violation(&wrong, &place, &owner, message.seq);
            let found = found.map(|violation| violation.cited(CONTENT_BLOCKS.source));
            let is_of_bytes = !wrong.is_empty() && wrong.iter().all(Mismatch::is_text_for_bytes);
            let is_of_addresses = !wrong.is_empty() && wrong.iter().all(Mismatch::is_relative_uri);
            violations.extend(found.map(|found| match (is_of_bytes, is_of_addresses) {
                (true, _) => found.mended_by(ENCODE_BYTES),
                (_, true) => found.mended_by(GIVE_A_SCHEME),
                (false, false) => found,
            }));
        }
    }
    violations
}

fn results_of_calls<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = (&'f Message<'f>, &'f Json)> {
    facts.exchanges_of("tools/call").filter_map(|(_, exchange)| facts.result_of(exchange))
}

/// Members of the result of `server/discover` that other rules are about.
const OF_OTHER_RULES: [&str; 3] = ["/resultType", "/ttlMs", "/cacheScope"];

/// Most members that are named.
const NAMES: usize = 12;

/// One violation with everything that is wrong with a value, so that one reading is enough. `None` if nothing is.
fn violation(wrong: &[Mismatch<'_>], place: &str, owner: &str, seq: u32) -> Option<Violation> {
    let first = wrong.first()?;
    let mut by_problem: Vec<(String, Vec<String>)> = Vec::new();
    for mismatch in wrong.iter().take(NAMES) {
        let (problem, path) = (mismatch.problem.to_string(), format!("`{}`", mismatch.path()));
        match by_problem.iter_mut().find(|(known, _)| *known == problem) {
            Some((_, paths)) => paths.push(path),
            None => by_problem.push((problem, vec![path])),
        }
    }
    let parts = by_problem.iter().enumerate().map(|(index, (problem, paths))| {
        let owner = if index == 0 { format!(" of {owner}") } else { String::new() };
        let others = if paths.len() > 1 {
            format!(", and so {} {}", verb(paths.len()), paths[1..].join(", "))
        } else {
            String::new()
        };
        format!("{}{owner} {problem}{others}", paths[0])
    });
    let more = wrong.len().saturating_sub(NAMES);
    let more = (more > 0).then(|| format!("{more} more members are wrong"));
    let detail = parts.chain(more).collect::<Vec<_>>().join("; ");
    Some(Violation::new(detail, [seq]).at(format!("{place}{}", first.pointer)))
}

/// Verb of the names after the first.
const fn verb(names: usize) -> &'static str {
    if names == 2 { "is" } else { "are" }
}

fn wrong_type(block: &Json, revision: Option<Revision>) -> Option<String> {
    let Some(named) = block.get("type").and_then(Json::as_str) else { return Some("has no type".to_owned()) };
    let Some(since) = block_type_since(named) else {
        return Some(format!("has the type {}, which is not defined", quoted(named)));
    };
    let too_early = revision.is_some_and(|revision| revision < since);
    too_early.then(|| format!("has the type {named}, which {since} introduced"))
}
