//! The result of a call: which members it has, and whether they have the right types.

use std::borrow::Cow;

use crate::wire::jsonrpc::present;
use crate::wire::object::Object;
use crate::wire::rewrite::{Numbers, rounded, with_last_keys};
use mcp_compat_model::observation::{Layer, PeerError};
use mcp_compat_model::shapes::{RESULT, block};
use mcp_compat_model::{Era, Revision};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::client::client_error::undecodable;
use crate::client::policy::Roots;
use crate::client::quirk::ClientQuirk;
use crate::client::spec::ClientSpec;
use crate::client::{meta_names, types, value};

/// The result of a call, borrowed from its text.
pub(crate) struct CallResult<'a> {
    /// The structured content as this client's types hold it. `Some` for a `null` on the wire.
    pub(crate) structured: Option<Cow<'a, RawValue>>,
    pub(crate) content: Vec<&'a RawValue>,
    pub(crate) is_error: bool,
}

#[derive(Deserialize)]
struct ResultMembers<'a> {
    #[serde(borrow, default, rename = "structuredContent", deserialize_with = "present")]
    structured: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    content: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "isError", deserialize_with = "present")]
    is_error: Option<&'a RawValue>,
}

/// The known types of content blocks.
const BLOCKS: [&str; 5] = ["text", "image", "audio", "resource_link", "resource"];

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, default, rename = "type", deserialize_with = "present")]
    kind: Option<&'a RawValue>,
}

/// The type of a content block, if it has one.
pub(crate) fn kind(block: &RawValue) -> Option<Cow<'_, str>> {
    value::string(serde_json::from_str::<Block<'_>>(block.get()).ok()?.kind?)
}

#[derive(Deserialize)]
struct ResultType<'a> {
    #[serde(borrow, default, rename = "resultType", deserialize_with = "present")]
    result_type: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "inputRequests", deserialize_with = "present")]
    input_requests: Option<&'a RawValue>,
}

/// Reads the result of a call.
///
/// # Errors
/// When it cannot be read as one.
pub(crate) fn read<'a>(
    spec: &ClientSpec,
    revision: Revision,
    result: &'a RawValue,
) -> Result<CallResult<'a>, PeerError> {
    require_complete(spec, revision, result)?;
    let members: ResultMembers<'_> = serde_json::from_str(result.get())
        .map_err(|error| undecodable(format!("the result of tools/call cannot be read: {error}")))?;
    if spec.does(ClientQuirk::RefusesNulls) {
        require_no_nulls(result, &members)?;
    }
    let content = match members.content.filter(|content| content.get() != "null") {
        // In the legacy types of the TypeScript SDK, `content` has a default.
        None if spec.does(ClientQuirk::RequiresContent)
            && !(spec.policy.roots == Roots::Zod && revision.era() == Era::Legacy) =>
        {
            return Err(undecodable("the result has no content".to_owned()));
        }
        None => Vec::new(),
        Some(content) if spec.does(ClientQuirk::ContentOrNothing) && !content.get().starts_with('[') => Vec::new(),
        Some(content) => serde_json::from_str::<Vec<&RawValue>>(content.get())
            .map_err(|_| undecodable("content is not an array".to_owned()))?,
    };
    if let Some(index) = content.iter().position(|block| !block.get().starts_with('{')) {
        return Err(undecodable(format!("content[{index}] is not an object")));
    }
    if spec.does(ClientQuirk::RejectsUnknownBlocks)
        && let Some(index) = content.iter().position(|block| !kind(block).is_some_and(|kind| BLOCKS.contains(&&*kind)))
    {
        return Err(undecodable(format!("content[{index}] is of no known type")));
    }
    if spec.does(ClientQuirk::StrictMeta) {
        meta_names::require_names(result.get(), "the result")?;
    }
    types::require(spec.policy.types, revision, &RESULT, result.get(), "the result")?;
    for (index, text) in content.iter().enumerate() {
        if let Some(shape) = kind(text).and_then(|kind| block(&kind)) {
            types::require(spec.policy.types, revision, shape, text.get(), &format!("content[{index}]"))?;
        }
    }
    let is_error = match members.is_error.map(RawValue::get) {
        Some("null") if spec.does(ClientQuirk::RefusesNullIsError) => {
            return Err(undecodable("isError is null".to_owned()));
        }
        None | Some("null") => false,
        Some(flag) => {
            types::flag(spec.policy.types, flag).ok_or_else(|| undecodable("isError is not a boolean".to_owned()))?
        }
    };
    let structured = if spec.reads_output(revision) { members.structured } else { None };
    let structured = structured.filter(|value| !counts_as_absent(spec, value));
    let objects_only = spec.policy.typing.is_of_objects(revision) || spec.does(ClientQuirk::RejectsNonObject);
    if objects_only && structured.is_some_and(|value| !value.get().starts_with('{')) {
        return Err(undecodable("structuredContent is not an object".to_owned()));
    }
    if spec.does(ClientQuirk::WantsContent) && structured.is_none() && content.is_empty() {
        return Err(undecodable("the result has neither content nor structuredContent".to_owned()));
    }
    Ok(CallResult { structured: structured.map(|value| held(spec, value)), content, is_error })
}

/// A value as this client's types hold it.
fn held<'a>(spec: &ClientSpec, value: &'a RawValue) -> Cow<'a, RawValue> {
    const NUMBERS: [(ClientQuirk, Numbers); 3] = [
        (ClientQuirk::RoundsNumbers, Numbers::Doubles),
        (ClientQuirk::RoundsBeyondWords, Numbers::Words),
        (ClientQuirk::RoundsDecimals, Numbers::Integers),
    ];
    let mut text = Cow::Borrowed(value.get());
    if spec.does(ClientQuirk::LastKeyWins) {
        text = Cow::Owned(with_last_keys(&text));
    }
    if let Some((_, numbers)) = NUMBERS.into_iter().find(|(quirk, _)| spec.does(*quirk)) {
        text = Cow::Owned(rounded(&text, numbers));
    }
    match text {
        Cow::Borrowed(_) => Cow::Borrowed(value),
        Cow::Owned(text) => RawValue::from_string(text).map_or(Cow::Borrowed(value), Cow::Owned),
    }
}

/// Rejects a result with `null` for an optional member that this client knows. The value itself may be null.
///
/// # Errors
/// The first such member.
fn require_no_nulls(result: &RawValue, members: &ResultMembers<'_>) -> Result<(), PeerError> {
    no_null_members(result.get(), &["content", "isError", "_meta"], "the result")?;
    let blocks = members.content.and_then(|content| serde_json::from_str::<Vec<&RawValue>>(content.get()).ok());
    for (index, block) in blocks.into_iter().flatten().enumerate() {
        no_null_members(block.get(), &["annotations", "_meta"], &format!("content[{index}]"))?;
    }
    Ok(())
}

/// Rejects an object with `null` in one of these members.
///
/// # Errors
/// The first such member.
pub(crate) fn no_null_members(object: &str, members: &[&str], what: &str) -> Result<(), PeerError> {
    let Some(object) = Object::read(object) else { return Ok(()) };
    match members.iter().find(|member| object.get(member) == Some("null")) {
        None => Ok(()),
        Some(member) => Err(undecodable(format!("{member} of {what} is null"))),
    }
}

/// Rejects a modern result that is not complete. Without a `resultType` it counts as complete.
///
/// # Errors
/// When the result is not complete, or of a type that this client does not know.
pub(crate) fn require_complete(spec: &ClientSpec, revision: Revision, result: &RawValue) -> Result<(), PeerError> {
    if !result.get().starts_with('{') {
        return Err(undecodable("the result is not an object".to_owned()));
    }
    if spec.does(ClientQuirk::GoesByInputRequests) {
        return require_no_requests(result);
    }
    let modern = revision.era() == Era::Modern;
    if !modern && !spec.does(ClientQuirk::AlwaysReadsResultType) {
        return Ok(());
    }
    let members: ResultType<'_> = serde_json::from_str(result.get())
        .map_err(|error| undecodable(format!("the result cannot be read: {error}")))?;
    let is_said = members.result_type.and_then(value::string).is_some();
    if modern && !is_said && spec.does(ClientQuirk::RequiresResultType) {
        return Err(undecodable("the result does not say its type".to_owned()));
    }
    let Some(result_type) = members.result_type else { return Ok(()) };
    if spec.does(ClientQuirk::IgnoresResultType) {
        return Ok(());
    }
    match value::string(result_type).as_deref() {
        Some("complete") => Ok(()),
        None if result_type.get() == "null" && spec.does(ClientQuirk::NullResultType) => Ok(()),
        Some("input_required") => Err(wants_input()),
        Some(_) | None => Err(undecodable(format!("resultType {} is unknown", result_type.get()))),
    }
}

/// Rejects a result with requests for input, whatever type it has.
///
/// # Errors
/// When there are such requests, or the type is neither a string nor null.
fn require_no_requests(result: &RawValue) -> Result<(), PeerError> {
    let members: ResultType<'_> = serde_json::from_str(result.get())
        .map_err(|error| undecodable(format!("the result cannot be read: {error}")))?;
    if members.result_type.is_some_and(|kind| !kind.get().starts_with('"') && kind.get() != "null") {
        return Err(undecodable("resultType is not a string".to_owned()));
    }
    if members.input_requests.is_some_and(|requests| requests.get() != "null") { Err(wants_input()) } else { Ok(()) }
}

fn wants_input() -> PeerError {
    let message = "the server wants more input, and this client declared no way to give any".to_owned();
    PeerError { layer: Layer::Protocol, code: None, message }
}

fn counts_as_absent(spec: &ClientSpec, value: &RawValue) -> bool {
    match value.get() {
        "null" => spec.does(ClientQuirk::NullAsAbsent) || spec.does(ClientQuirk::Truthiness),
        "false" | "0" | "-0" | "0.0" | "\"\"" => spec.does(ClientQuirk::Truthiness),
        _ => false,
    }
}
