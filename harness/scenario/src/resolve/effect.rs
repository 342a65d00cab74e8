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
use crate::words::{both, nearest};

/// Members that a server adds to the result of a call.
const OF_A_RESULT: [&str; 1] = ["resultType"];

/// Members that a server writes into the result of `tools/list`.
const OF_A_LIST: [&str; 5] = ["resultType", "ttlMs", "cacheScope", "tools", "nextCursor"];

/// So many pairs of blocks are compared at most. What is in a file with more is not looked for.
const MOST_PAIRS: usize = 1_000_000;

/// Whether each `[[answer]]` is given: the first that fits a request answers it.
pub(super) fn answers_are_given(answers: &[At<Answer>], sink: &mut Sink<'_>) -> bool {
    let mut first = BTreeMap::new();
    let mut well = true;
    for At { value: answer, .. } in answers {
        let Some(to) = answer.to.given() else { continue };
        let page = answer.page.given().map(|page| page.value.0);
        let method = to.value.as_str();
        let earlier = first.get(&(method, None)).or_else(|| first.get(&(method, page))).copied();
        let Some(earlier) = earlier else {
            first.insert((method, page), &answer.header);
            continue;
        };
        let mistake = sink
            .mistake(&answer.header, "this `[[answer]]` is never given")
            .label("the first one that fits a request answers it")
            .context(Span::clone(earlier), format!("answers `{method}` already"));
        sink.report(match to.value {
            AnsweredMethod::ListTools => mistake.help("give each a `page` of its own, the one for all pages last"),
            AnsweredMethod::Initialize | AnsweredMethod::Discover => mistake.help("leave one of the two out"),
        });
        well = false;
    }
    well
}

/// Whether the list has the members that it is sent without.
pub(super) fn list_has_what_it_goes_without(file: &File, sink: &mut Sink<'_>) -> bool {
    let Some(words) = file.list_without.given() else { return true };
    are_members(&words.value, &OF_A_LIST, file.list.given().map(|list| &list.value.members), "the list", sink)
}

/// Whether the result of a tool has the members that it is sent without.
pub(super) fn result_has_what_it_goes_without(tool: &Tool, sink: &mut Sink<'_>) -> bool {
    let Some(words) = tool.without.given() else { return true };
    let way = tool.reply.ways().first().map(|(way, _)| *way);
    match (tool.reply.returns.given(), way) {
        (Some(result), _) => are_members(&words.value, &OF_A_RESULT, Some(&result.value.members), "the result", sink),
        // That is wrong already.
        (None, None | Some("returns")) => true,
        (None, Some(way)) => {
            let mistake = sink.mistake(&words.key, format!("`without` changes nothing beside `{way}`"));
            sink.report(mistake.label("only a result, which `returns` gives, has members to leave out"));
            false
        }
    }
}

/// Whether each word is a member: one that a server adds, or one that is written.
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
        let help = match nearest(&word.value, added.iter().copied()) {
            Some(near) => format!("the nearest member is `{near}`"),
            None => format!("those that a server writes: {}", both(added.iter().copied())),
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

/// Whether a control is no error: an error need not conform to a schema, so a client may well take it.
pub(super) fn control_is_a_success(control: &At<JsonObject>, sink: &mut Sink<'_>) -> bool {
    let is_error = control.value.members.get("isError").and_then(Json::as_bool) == Some(true);
    if is_error {
        let mistake = sink.mistake(&control.key, "a control that is an error proves nothing");
        sink.report(mistake.label("an error need not conform to the `outputSchema`").help("leave `isError` out"));
    }
    !is_error
}

/// Whether what the user must get besides is in the result of the tool, if it is one.
pub(super) fn besides_are_sent(also: &Field<AlsoExpect>, result: Option<&Object>, sink: &mut Sink<'_>) -> bool {
    const HELP: &str = "write it as it stands in `returns`";
    let (Some(also), Some(result)) = (also.given(), result) else { return true };
    let mut well = true;
    let sent = result.get("content").and_then(Json::as_array).unwrap_or_default();
    if let Some(blocks) = also.value.blocks.given()
        && blocks.value.0.len().saturating_mul(sent.len()) <= MOST_PAIRS
        && let Some(missing) = blocks.value.0.iter().find(|block| !sent.contains(block))
    {
        let kind = missing.get("type").and_then(Json::as_str).map(|kind| format!("`{kind}` ")).unwrap_or_default();
        let mistake = sink.mistake(&blocks.span, format!("the tool does not send this {kind}block"));
        sink.report(mistake.label("no block of its `content` is equal to it").help(HELP));
        well = false;
    }
    if let Some(value) = also.value.value.given()
        && result.get("structuredContent") != Some(&value.value.value)
    {
        let mistake = sink.mistake(&value.span, "the tool does not send this value");
        sink.report(mistake.label("its `structuredContent` is another one, or missing").help(HELP));
        well = false;
    }
    well
}

/// Whether the arguments have a place for what comes into them at a JSON Pointer: an object that it can be a member of.
pub(super) fn has_place(arguments: &Json, into: &At<String>, sink: &mut Sink<'_>) -> bool {
    let parent = into.value.rsplit_once('/').map_or("", |(parent, _)| parent);
    if arguments.pointer(parent).is_some_and(|found| found.as_object().is_some()) {
        return true;
    }
    let mistake = sink
        .mistake(&into.span, format!("the arguments have no place for `{}`", into.value))
        .label(format!("expected an object at `{parent}` in `arguments`"))
        .help("write the object in `arguments`, empty if need be");
    sink.report(mistake);
    false
}
