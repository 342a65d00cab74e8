//! Members that have nearly the name of one that the specification defines, and members in the wrong object. Clients
//! ignore both, so that what they say is lost without an error.

use mcp_compat_json::{Json, Object};
use mcp_compat_model::Revision;
use mcp_compat_model::count::nth;
use mcp_compat_model::excerpt::{excerpt, tool_name};
use mcp_compat_model::shapes::{Kind, LIST, Official, RESULT, Reader, Shape, TOOL, block};
use mcp_compat_model::tool::{ToolResult, block_type_since};
use mcp_compat_model::verdict::Party;

use super::rule::{Affects, Check, Fix, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::Facts;
use crate::wire::message::Message;

/// Rule about members under another name.
pub static MEMBER_NAMES: Rule = Rule {
    id: "member-names",
    level: Levels::SHOULD,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Value,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#calltoolresult",
    title: "A member that the specification defines is written as the specification writes it.",
    violation: "a member under another name, such as `is_error` for `isError`",
    explanation: "Clients ignore members that they do not know. With `is_error`, every failure looks like a success; with \
                  `structured_content` or `output_schema`, the value or its schema is lost, and no client reports an error. \
                  The usual cause is a serialiser that writes the names of the program's own fields.",
    remedy: "write the names of members as the specification writes them, such as `isError` and `structuredContent`",
    fix: Some(Fix::CorrectNames),
    check: Check::Wire(misnamed),
};

/// Rule about members in another object.
pub static MEMBER_PLACES: Rule = Rule {
    id: "member-places",
    title: "A member stands in the object for which the specification defines it.",
    violation: "a member in the wrong object, such as a value within a block",
    explanation: "Clients read `structuredContent` and `isError` from the result of a call, and `outputSchema` from the \
                  definition of a tool. In a content block, in `_meta` or in a text that holds a whole result, they are \
                  ignored: the value is lost, or a failure looks like a success.",
    remedy: "put `structuredContent` and `isError` beside `content` in the result, and `outputSchema` beside `inputSchema` \
             in the definition of the tool",
    fix: None,
    check: Check::Wire(misplaced),
    ..MEMBER_NAMES
};

/// Sections of the schema that define the members of an object.
const OF_LIST: &str = "https://modelcontextprotocol.io/specification/2026-07-28/schema#listtoolsresult";
const OF_TOOL: &str = "https://modelcontextprotocol.io/specification/2026-07-28/schema#tool";
const OF_BLOCK: &str = "https://modelcontextprotocol.io/specification/2026-07-28/schema#contentblock";

/// An object of the protocol.
#[derive(Clone, Copy)]
enum Owner {
    List,
    Tool,
    Hints,
    Result,
    Block(&'static Shape),
}

impl Owner {
    /// The members that a revision defines, but for `_meta`.
    fn defined(self, revision: Revision) -> Vec<&'static str> {
        let modern = revision.has_any_value_output();
        let structured = revision.has_structured_output();
        let (shape, others): (&Shape, &[(&'static str, bool)]) = match self {
            Self::List => {
                (&LIST, &[("tools", true), ("resultType", modern), ("ttlMs", modern), ("cacheScope", modern)])
            }
            Self::Tool => (&TOOL, &[("name", true), ("outputSchema", structured)]),
            Self::Hints => match TOOL.members.iter().find(|member| member.name == "annotations").map(|it| it.kind) {
                Some(Kind::Object(shape)) => (shape, &[]),
                Some(_) | None => return Vec::new(),
            },
            Self::Result => (&RESULT, &[("content", true), ("structuredContent", structured), ("resultType", modern)]),
            Self::Block(shape) => (shape, &[]),
        };
        let known = shape.members.iter().filter(|member| Official(revision).knows(member)).map(|member| member.name);
        let others = others.iter().filter(|(_, is_defined)| *is_defined).map(|(name, _)| *name);
        known.chain(others).filter(|name| !name.starts_with('_')).collect()
    }
}

/// Members with nearly the name of one that is defined and not there, each with that name.
fn near(json: &Json, owner: Owner, revision: Revision) -> Vec<(&str, &'static str, &Json)> {
    let Some(object) = json.as_object() else { return Vec::new() };
    let defined = owner.defined(revision);
    let mut missing: Vec<&'static str> = defined.iter().copied().filter(|name| !object.contains_key(name)).collect();
    let own = object.iter().filter_map(|(key, value)| Some((key.as_str()?, value)));
    let own = own.filter(|(key, value)| !value.is_null() && !defined.contains(key));
    own.filter_map(|(key, value)| {
        let meant = missing.iter().position(|name| is_near(key, name))?;
        Some((key, missing.swap_remove(meant), value))
    })
    .collect()
}

/// The shortest name of which one letter may be wrong.
const LONG_NAME: usize = 7;

/// Returns true if a name is another one in other letters: in another case or with other separators, or, for a long name,
/// with one letter more, less or exchanged.
fn is_near(name: &str, defined: &str) -> bool {
    let letters = |name: &str| -> Vec<char> {
        name.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
    };
    if name == defined || name.len() > 2 * defined.len() {
        return false;
    }
    let (one, other) = (letters(name), letters(defined));
    one == other || (defined.len() >= LONG_NAME && is_one_edit(&one, &other))
}

/// Returns true if one letter is added, left out or replaced, or two neighbours are exchanged.
fn is_one_edit(one: &[char], other: &[char]) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let begin = short.iter().zip(long).take_while(|(one, other)| one == other).count();
    let (short, long) = (&short[begin..], &long[begin..]);
    match long.len() - short.len() {
        0 => match (short, long) {
            ([a, b, rest @ ..], [c, d, others @ ..]) if (a, b) == (d, c) => rest == others,
            ([_, rest @ ..], [_, others @ ..]) => rest == others,
            _ => false,
        },
        1 => *short == long[1..],
        _ => false,
    }
}

/// The object with the names that are defined in the place of those that are near to them. `None` if it has none.
fn renamed(json: &Json, owner: Owner, revision: Revision) -> Option<Json> {
    let wrong = near(json, owner, revision);
    let right = |key: &str| wrong.iter().find(|(name, ..)| *name == key).map(|(_, meant, _)| *meant);
    let members = json.as_object()?.iter().map(|(key, value)| {
        let meant = key.as_str().and_then(right).map_or_else(|| key.clone(), Into::into);
        (meant, value.clone())
    });
    (!wrong.is_empty()).then(|| Json::Object(members.collect()))
}

/// The result of a call with the right names; `None` if they are right.
pub fn renamed_in_result(result: &Json, revision: Revision) -> Option<Json> {
    renamed(result, Owner::Result, revision)
}

/// The definition of a tool with the right names; `None` if they are right.
pub fn renamed_in_definition(definition: &Json, revision: Revision) -> Option<Json> {
    renamed(definition, Owner::Tool, revision)
}

/// Returns true if a result is marked as an error under a name or in a place where no client looks for it.
pub fn has_unseen_error_flag(result: &Json, revision: Revision) -> bool {
    let is_flag = |(_, meant, value): &(&str, &str, &Json)| *meant == "isError" && value.as_bool() == Some(true);
    near(result, Owner::Result, revision).iter().any(is_flag)
        || (result.get("isError").is_none() && ToolResult::new(result).content().iter().any(is_flagged))
}

/// Remedy for a result whose value clients do not find: it has another name, or stands in another place.
pub(super) fn remedy_of_value(result: &Json, revision: Revision) -> Option<&'static str> {
    let is_value = |(_, meant, _): &(&str, &str, &Json)| *meant == "structuredContent";
    if near(result, Owner::Result, revision).iter().any(is_value) {
        return Some("write the name of the member as `structuredContent`");
    }
    let is_value = |name: &'static str| name == "structuredContent";
    if in_blocks(result, revision).or_else(|| in_meta(result, revision)).is_some_and(|found| is_value(found.name)) {
        return Some("put `structuredContent` beside `content` in the result");
    }
    packed(result).map(|packed| packed.remedy)
}

fn is_flagged(json: &Json) -> bool {
    json.get("isError").and_then(Json::as_bool) == Some(true)
}

fn misnamed(facts: &Facts<'_>) -> Vec<Violation> {
    let Some(revision) = facts.revision() else { return Vec::new() };
    let mut violations = Vec::new();
    let mut add = |object: Named<'_>, of: &str, place: &str, tool: Option<&str>| {
        for (name, meant, value) in near(object.json, object.owner, revision) {
            let name = excerpt(name);
            let is_error = meant == "isError" && value.as_bool() == Some(true);
            let lost = if is_error { ", so the failure looks like a success" } else { "" };
            let detail = format!("`{name}` of {of} is not `{meant}`, which clients read{lost}");
            let violation = Violation::new(detail, [object.seq]).at(format!("{place}/{name}")).cited(object.source);
            let violation = Violation { tool: tool.map(str::to_owned), ..violation };
            violations.push(if is_error { violation.mended_by(WRITE_IS_ERROR) } else { violation });
        }
    };
    for (_, exchange) in facts.exchanges_of("tools/list") {
        if let Some((message, json)) = facts.result_of(exchange) {
            let list = Named { json, owner: Owner::List, seq: message.seq, source: OF_LIST };
            add(list, "the result of `tools/list`", "", None);
        }
    }
    for (message, tool, json) in results(facts) {
        let seq = message.seq;
        let of = format!("the result of {}", tool_name(tool));
        add(Named { json, owner: Owner::Result, seq, source: MEMBER_NAMES.source }, &of, "", Some(tool));
        for (index, json) in ToolResult::new(json).content().iter().enumerate() {
            let kind = json.get("type").and_then(Json::as_str).filter(|kind| block_type_since(kind).is_some());
            let Some(shape) = kind.and_then(block) else { continue };
            let of = format!("{} of {of}", nth(index, "content block"));
            let block = Named { json, owner: Owner::Block(shape), seq, source: OF_BLOCK };
            add(block, &of, &format!("/content/{index}"), Some(tool));
        }
    }
    let controls = facts.controls();
    for listing in &facts.listings {
        let Some(definition) = facts.definition(*listing) else { continue };
        let (tool, seq) = (definition.name().unwrap_or_default(), facts.messages[listing.message].seq);
        // A control has its tool's definition: what is wrong with it has been said.
        if controls.contains(tool) {
            continue;
        }
        let (json, source) = (definition.json(), OF_TOOL);
        add(Named { json, owner: Owner::Tool, seq, source }, &tool_name(tool), "", Some(tool));
        if let Some(json) = json.get("annotations") {
            let of = format!("the annotations of {}", tool_name(tool));
            add(Named { json, owner: Owner::Hints, seq, source }, &of, "/annotations", Some(tool));
        }
    }
    violations
}

/// An object whose names are looked at.
struct Named<'j> {
    json: &'j Json,
    owner: Owner,
    /// The entry of the transcript.
    seq: u32,
    /// The section that defines its members.
    source: &'static str,
}

const WRITE_IS_ERROR: &str = "write the flag of a failed call as `isError`";

fn results<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = (&'f Message<'f>, &'f str, &'f Json)> {
    facts.exchanges_of("tools/call").filter_map(|(request, exchange)| {
        let (message, result) = facts.result_of(exchange)?;
        Some((message, request.param("name").and_then(Json::as_str).unwrap_or_default(), result))
    })
}

fn misplaced(facts: &Facts<'_>) -> Vec<Violation> {
    let Some(revision) = facts.revision() else { return Vec::new() };
    let mut violations = Vec::new();
    for (message, tool, result) in results(facts) {
        let found = in_blocks(result, revision).or_else(|| in_meta(result, revision));
        violations.extend(found.map(|Misplaced { name, pointer, place }| {
            let detail =
                format!("`{name}` stands in {place} of the result of {}, where no client reads it", tool_name(tool));
            Violation::new(detail, [message.seq]).of_tool(tool).at(pointer)
        }));
        if let Some(Packed { index, what, remedy }) = packed(result) {
            let block = nth(index, "content block");
            let detail = format!("the text of {block} of the result of {} is {what}, as text", tool_name(tool));
            let violation = Violation::new(detail, [message.seq]).of_tool(tool).at(format!("/content/{index}/text"));
            violations.push(violation.mended_by(remedy));
        }
    }
    if revision.has_structured_output() {
        for listing in &facts.listings {
            let Some(definition) = facts.definition(*listing) else { continue };
            let (tool, seq) = (definition.name().unwrap_or_default(), facts.messages[listing.message].seq);
            let json = definition.json();
            let places = ["inputSchema", "annotations", "_meta"].into_iter();
            let place = places.filter(|_| definition.output_schema().is_none()).find(|place| {
                let declared = json.get(place).and_then(|within| within.get("outputSchema"));
                declared.is_some_and(|declared| declared.as_object().is_some())
            });
            violations.extend(place.map(|place| {
                let detail =
                    format!("`outputSchema` stands in the `{place}` of {}, where no client reads it", tool_name(tool));
                let violation = Violation::new(detail, [seq]).of_tool(tool).at(format!("/{place}/outputSchema"));
                violation.cited(OF_TOOL)
            }));
        }
    }
    violations
}

/// A member of the result that stands within another one.
struct Misplaced {
    name: &'static str,
    pointer: String,
    /// The place in words.
    place: String,
}

/// The members of a result that tell its value and its failure, at a revision.
fn telling(revision: Revision) -> impl Iterator<Item = &'static str> {
    ["structuredContent", "isError"].into_iter().skip(usize::from(!revision.has_structured_output()))
}

/// A member of the result that stands in a content block.
fn in_blocks(result: &Json, revision: Revision) -> Option<Misplaced> {
    ToolResult::new(result).content().iter().enumerate().find_map(|(index, block)| {
        let is_there = |name: &&str| result.get(name).is_none() && block.get(name).is_some_and(|it| !it.is_null());
        let name = telling(revision).find(is_there)?;
        Some(Misplaced { name, pointer: format!("/content/{index}/{name}"), place: nth(index, "content block") })
    })
}

fn in_meta(result: &Json, revision: Revision) -> Option<Misplaced> {
    let meta = result.get("_meta")?;
    let is_there = |name: &&str| result.get(name).is_none() && meta.get(name).is_some_and(|it| !it.is_null());
    let name = telling(revision).find(is_there)?;
    Some(Misplaced { name, pointer: format!("/_meta/{name}"), place: "the `_meta`".to_owned() })
}

/// The member of a result without `content` that holds a whole result in its place, with its name. Most clients do not know
/// the member: to them, the result is empty. The result of 2024-10-07 had `toolResult`.
pub fn inner_result(result: &Json, revision: Revision) -> Option<(&str, &Json)> {
    if ["content", "structuredContent"].iter().any(|member| result.get(member).is_some()) {
        return None;
    }
    let defined = Owner::Result.defined(revision);
    let others = result.as_object()?.iter().filter_map(|(key, value)| Some((key.as_str()?, value)));
    others.filter(|(key, _)| !defined.contains(key) && *key != "_meta").find(|(_, inner)| has_blocks(inner))
}

/// Returns true if a value has content blocks, as the result of a call has.
fn has_blocks(value: &Json) -> bool {
    value.get("content").is_some_and(are_blocks)
}

/// Returns true for a list of content blocks.
fn are_blocks(value: &Json) -> bool {
    value.as_array().is_some_and(|blocks| !blocks.is_empty() && blocks.iter().all(is_block))
}

/// Returns true for a content block with the members that its type requires. Data may have a `type` of the same name.
fn is_block(block: &Json) -> bool {
    let is_text = |key: &str| block.get(key).and_then(Json::as_str).is_some();
    match block.get("type").and_then(Json::as_str) {
        Some("text") => is_text("text"),
        Some("image" | "audio") => is_text("data") && is_text("mimeType"),
        Some("resource_link") => is_text("uri") && is_text("name"),
        Some("resource") => block.get("resource").is_some_and(|resource| resource.as_object().is_some()),
        Some(_) | None => false,
    }
}

/// The longest text that is looked into.
const LONGEST_TEXT: usize = 1 << 20;

/// A text block that holds the result of a tool, or its blocks, in place of a value.
struct Packed {
    /// The place of the block.
    index: usize,
    /// Content of the text, in words.
    what: &'static str,
    remedy: &'static str,
}

/// Returns true if a text of a result is a whole result, or its content blocks.
pub fn is_packed(result: &Json) -> bool {
    packed(result).is_some()
}

fn packed(result: &Json) -> Option<Packed> {
    if ToolResult::new(result).structured_content().is_some() {
        return None;
    }
    ToolResult::new(result).content().iter().enumerate().find_map(|(index, block)| {
        let text = block.get("text").and_then(Json::as_str)?;
        let is_text = block.get("type").and_then(Json::as_str) == Some("text");
        // Most texts are none.
        if !is_text
            || text.len() > LONGEST_TEXT
            || !text.trim_start().starts_with(['{', '['])
            || !text.contains("\"type\"")
        {
            return None;
        }
        let inner = Json::parse(text).ok()?;
        if has_blocks(&inner) && inner.as_object().is_some_and(has_only_members_of_result) {
            return Some(Packed {
                index,
                what: "a whole result",
                remedy: "return the result itself in place of its text",
            });
        }
        are_blocks(&inner).then_some(Packed {
            index,
            what: "a list of content blocks",
            remedy: "return these content blocks as `content`, in place of their text",
        })
    })
}

fn has_only_members_of_result(object: &Object) -> bool {
    const MEMBERS: [&str; 5] = ["content", "structuredContent", "isError", "_meta", "resultType"];
    object.iter().all(|(key, _)| key.as_str().is_some_and(|key| MEMBERS.contains(&key)))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::another_case("iserror", "isError", true)]
    #[case::separators("structured_content", "structuredContent", true)]
    #[case::of_another_language("StructuredContent", "structuredContent", true)]
    #[case::a_letter_too_many("contents", "content", true)]
    #[case::a_letter_missing("outputShema", "outputSchema", true)]
    #[case::two_exchanged("outputShcema", "outputSchema", true)]
    #[case::the_name_itself("isError", "isError", false)]
    #[case::a_short_name("icon", "icons", false)]
    #[case::another_name("error", "isError", false)]
    #[case::two_letters("strutcuredContnt", "structuredContent", false)]
    fn a_name_is_near_to_another(#[case] name: &str, #[case] defined: &str, #[case] expected: bool) {
        assert_eq!(is_near(name, defined), expected);
    }
}
