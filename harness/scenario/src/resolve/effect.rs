//! What is written has an effect. A word that changes nothing on the wire, or asks for what cannot come, is a slip of the
//! author's, and would be found only when a run is read closely.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_json::{Json, Object};
use mcp_compat_model::peer_contract::AnsweredMethod;

use crate::file::besides::{AlsoExpect, Answer};
use crate::file::document::File;
use crate::file::payload::JsonObject;
use crate::file::table::{At, Field};
use crate::file::tool::Tool;
use crate::sink::{Sink, Span};
use crate::words::both;

/// Members that a server adds to the result of a call.
const OF_A_RESULT: [&str; 1] = ["resultType"];

/// Members that a server writes into the result of `tools/list`.
const OF_A_LIST: [&str; 5] = ["resultType", "ttlMs", "cacheScope", "tools", "nextCursor"];

/// What is in the result of a tool that can be what the user must get besides.
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
    let mut well = true;
    for At { value: answer, .. } in answers {
        let Some(to) = answer.to.given().filter(|_| !answer.page.is_broken()) else { continue };
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
        well = false;
    }
    well
}

/// Returns whether the list has the members that it is sent without.
pub(super) fn list_has_what_it_goes_without(file: &File, sink: &mut Sink<'_>) -> bool {
    let Some(words) = file.list_without.given() else { return true };
    are_members(&words.value, &OF_A_LIST, file.list.given().map(|list| &list.value.members), "the list", sink)
}

/// Returns whether the result of a tool has the members that it is sent without.
pub(super) fn result_has_what_it_goes_without(tool: &Tool, sink: &mut Sink<'_>) -> bool {
    let Some(words) = tool.without.given() else { return true };
    // The cases of a family may answer otherwise, with what is no result.
    let Some(result) = tool.reply.returns.given() else { return true };
    are_members(&words.value, &OF_A_RESULT, Some(&result.value.members), "the result", sink)
}

/// Returns whether each word is a member: one that a server adds, or one that is written.
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
    let mut well = true;
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
        well = false;
    }
    well
}

/// Returns whether a control is no error: an error need not conform to a schema, so a client may well take it.
pub(super) fn control_is_a_success(control: &At<JsonObject>, sink: &mut Sink<'_>) -> bool {
    let is_error = control.value.members.get("isError").and_then(Json::as_bool) == Some(true);
    if is_error {
        let mistake = sink.mistake(&control.key, "a control that is an error proves nothing");
        sink.report(mistake.label("an error need not conform to the `outputSchema`").help("leave `isError` out"));
    }
    !is_error
}

/// Returns whether there is anything in the result of the tool, if it is one, that can be what the user must get
/// besides: blocks of these types, and structured content. What exactly has to come is compared when the scenario is
/// played.
pub(super) fn besides_are_sent(also: &Field<AlsoExpect>, sent: Option<&Sent<'_>>, sink: &mut Sink<'_>) -> bool {
    let (Some(also), Some(sent)) = (also.given(), sent) else { return true };
    let mut well = true;
    if let Some(blocks) = also.value.blocks.given()
        && let Some(kind) = blocks.value.0.iter().filter_map(type_of).find(|kind| !sent.types.contains(kind))
    {
        let mistake = sink.mistake(&blocks.span, format!("the tool sends no `{kind}` block"));
        sink.report(mistake.label("its `content` has no block of this type"));
        well = false;
    }
    if let Some(value) = also.value.value.given()
        && !sent.has_value
    {
        let mistake = sink.mistake(&value.span, "the tool sends no `structuredContent`");
        sink.report(mistake.label("this value cannot reach the user"));
        well = false;
    }
    well
}

fn type_of(block: &Json) -> Option<&str> {
    block.get("type").and_then(Json::as_str)
}

/// Returns whether the arguments have a place for what comes into them at a JSON Pointer: an object that it can be a
/// member of.
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
