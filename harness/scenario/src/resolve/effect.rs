//! Checks that every given key has an effect. A key that changes nothing on the wire, or an expectation that cannot be
//! met, is a mistake that would otherwise be noticed only in the results of a run.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_json::{Json, Object};
use mcp_compat_model::peer_contract::AnsweredMethod;

use crate::file::document::File;
use crate::file::extras::{AlsoExpect, Answer};
use crate::file::payload::JsonObject;
use crate::file::table::{At, Field};
use crate::file::tool::Tool;
use crate::sink::{Sink, Span};
use crate::words::both;

/// Members that a server adds to the result of a call.
const OF_A_RESULT: [&str; 1] = ["resultType"];

/// Members that a server writes into the result of `tools/list`.
const OF_A_LIST: [&str; 5] = ["resultType", "ttlMs", "cacheScope", "tools", "nextCursor"];

/// Parts of a tool's result that `also-expect` can refer to.
pub(super) struct Sent<'f> {
    /// The types of its content blocks.
    types: BTreeSet<&'f str>,
    has_value: bool,
}

impl<'f> Sent<'f> {
    pub(super) fn of(result: &'f Object) -> Self {
        let content = result.get("content").and_then(Json::as_array).unwrap_or_default();
        let types = content.iter().filter_map(type_of).collect();
        Self { types, has_value: result.contains_key("structuredContent") }
    }
}

/// Returns whether each `[[answer]]` is used: the first that fits a request answers it.
pub(super) fn answers_are_used(answers: &[At<Answer>], sink: &mut Sink<'_>) -> bool {
    let mut first = BTreeMap::new();
    let mut valid = true;
    for At { value: answer, .. } in answers {
        let Some(to) = answer.to.given() else { continue };
        if answer.page.is_broken() {
            continue;
        }
        let page = answer.page.given().map(|page| page.value.0);
        let method = to.value.as_str();
        let earlier = first.get(&(method, None)).or_else(|| first.get(&(method, page))).copied();
        let Some(earlier) = earlier else {
            first.insert((method, page), &answer.header);
            continue;
        };
        let mistake = sink
            .mistake(&answer.header, "this `[[answer]]` is never used")
            .label("the first one that matches is used")
            .context(Span::clone(earlier), format!("answers `{method}` already"));
        sink.report(match to.value {
            AnsweredMethod::ListTools => {
                mistake.help("give each a `page` of its own, and put the one without `page` last")
            }
            AnsweredMethod::Initialize | AnsweredMethod::Discover => mistake.help("leave one of the two out"),
        });
        valid = false;
    }
    valid
}

/// Returns whether the list has every member that `list-without` names.
pub(super) fn list_has_removed_members(file: &File, sink: &mut Sink<'_>) -> bool {
    let Some(words) = file.list_without.given() else { return true };
    are_members(&words.value, &OF_A_LIST, file.list.given().map(|list| &list.value.members), "the list", sink)
}

/// Returns whether the result of a tool has every member that `without` names.
pub(super) fn result_has_removed_members(tool: &Tool, sink: &mut Sink<'_>) -> bool {
    let Some(words) = tool.without.given() else { return true };
    // The cases of a family may replace the result by another kind of answer.
    let Some(result) = tool.reply.returns.given() else { return true };
    are_members(&words.value, &OF_A_RESULT, Some(&result.value.members), "the result", sink)
}

/// Returns whether each word is a member that the server adds or that the file gives.
fn are_members(
    words: &[At<String>],
    added: &[&str],
    written: Option<&Object>,
    whose: &str,
    sink: &mut Sink<'_>,
) -> bool {
    let written: BTreeSet<&str> =
        written.into_iter().flat_map(Object::iter).filter_map(|(name, _)| name.as_str()).collect();
    let is_member = |word: &str| added.contains(&word) || written.contains(word);
    let mut valid = true;
    for word in words.iter().filter(|word| !is_member(&word.value)) {
        let known = added.iter().chain(&written).copied();
        let help = match sink.nearest(&word.value, known) {
            Some(near) => format!("the nearest member is `{near}`"),
            None => format!("the server adds {}", both(added.iter().copied())),
        };
        let mistake = sink
            .mistake(&word.span, format!("{whose} has no member `{}`", word.value))
            .label("nothing to leave out")
            .help(help);
        sink.report(mistake);
        valid = false;
    }
    valid
}

/// Returns whether a control is a success. An error need not conform to a schema, so a client may accept it.
pub(super) fn control_is_a_success(control: &At<JsonObject>, sink: &mut Sink<'_>) -> bool {
    let is_error = control.value.members.get("isError").and_then(Json::as_bool) == Some(true);
    if is_error {
        let mistake = sink.mistake(&control.key, "a control that is an error proves nothing");
        sink.report(mistake.label("an error need not conform to the `outputSchema`").help("leave `isError` out"));
    }
    !is_error
}

/// Returns whether the tool's result has the parts that `also-expect` asks for: blocks of these types, and structured
/// content. Their values are compared when the scenario is played.
pub(super) fn also_expect_is_sent(also: &Field<AlsoExpect>, sent: Option<&Sent<'_>>, sink: &mut Sink<'_>) -> bool {
    let (Some(also), Some(sent)) = (also.given(), sent) else { return true };
    let mut valid = true;
    if let Some(blocks) = also.value.blocks.given()
        && let Some(kind) = blocks.value.0.iter().filter_map(type_of).find(|kind| !sent.types.contains(kind))
    {
        let mistake = sink.mistake(&blocks.span, format!("the tool sends no `{kind}` block"));
        sink.report(mistake.label("its `content` has no block of this type"));
        valid = false;
    }
    if let Some(value) = also.value.value.given()
        && !sent.has_value
    {
        let mistake = sink.mistake(&value.span, "the tool sends no `structuredContent`");
        sink.report(mistake.label("this value cannot reach the user"));
        valid = false;
    }
    valid
}

fn type_of(block: &Json) -> Option<&str> {
    block.get("type").and_then(Json::as_str)
}

/// Returns whether the arguments have an object that a JSON Pointer can add a member to.
pub(super) fn has_place(arguments: &Json, into: &At<String>, sink: &mut Sink<'_>) -> bool {
    let parent = into.value.rsplit_once('/').map_or("", |(parent, _)| parent);
    if arguments.pointer(parent).is_some_and(|found| found.as_object().is_some()) {
        return true;
    }
    let mistake = sink
        .mistake(&into.span, format!("the arguments have no place for `{}`", into.value))
        .label(format!("expected an object at `{parent}` in `arguments`"))
        .help("add that object to `arguments`; it may be empty");
    sink.report(mistake);
    false
}
