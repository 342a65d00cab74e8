//! Value or error that the user of the client gets for a result: after validation, by policy, and by quirk.

use crate::wire::deviations::Deviations;
use crate::wire::jsonrpc::quote;
use crate::wire::object::Object;
use crate::wire::rewrite::without_nulls;
use mcp_compat_model::observation::{Layer, PeerError};
use mcp_compat_model::peer_contract::{StepAnswer, Structured};
use serde_json::value::RawValue;

use crate::client::call_result::{CallResult, kind};
use crate::client::policy::{Preference, Validation};
use crate::client::quirk::ClientQuirk;
use crate::client::schema::{Schema, Violation};
use crate::client::spec::ClientSpec;
use crate::client::value::readable;

/// Number of characters that a client with the quirk `truncates-text` keeps.
const SHOWN_OF_TEXT: usize = 10_000;

/// Result that a client returns for a refused call, if it does not raise the error.
pub(crate) fn refused(spec: &ClientSpec, error: &PeerError) -> Option<StepAnswer> {
    let swallowed = spec.does(ClientQuirk::SwallowsProtocolErrors) && error.layer == Layer::Protocol;
    swallowed.then(|| StepAnswer {
        structured: Some(Structured { present: false, value: None }),
        content: Some(Vec::new()),
        is_error: Some(false),
        ..StepAnswer::default()
    })
}

/// Turns a result into the answer of the step.
///
/// # Errors
/// [`Violation::Endless`] when the answer never comes, [`Violation::BeyondTheMock`] when it is not known.
pub(crate) fn deliver(
    spec: &ClientSpec,
    reading: &CallResult<'_>,
    schema: Option<&Schema>,
) -> Result<StepAnswer, Violation> {
    if reading.is_error && spec.does(ClientQuirk::MasksToolErrors) {
        return Ok(StepAnswer::from((Layer::Tool, "the tool failed".to_owned())));
    }
    if let Some(schema) = schema
        && let Err(violation) = validate(spec, reading, schema)
    {
        let message = match violation {
            Violation::Found(message) => message,
            // The value is returned either way.
            Violation::BeyondTheMock(limit) if spec.validation() == Validation::Warn => limit,
            Violation::BeyondTheMock(_) | Violation::Endless => return Err(violation),
        };
        match spec.validation() {
            Validation::Reject => return Ok(StepAnswer::from((Layer::Validate, message))),
            Validation::Warn => tracing::warn!(message, "returned although it violates the schema"),
            Validation::Skip => {}
        }
    }
    let withheld = spec.policy.preference == Preference::Content;
    let value = if withheld { None } else { handed_out(spec, reading, schema) };
    let alone = spec.policy.preference == Preference::Structured && value.is_some();
    let blocks: &[&RawValue] = if alone || spec.does(ClientQuirk::DropsContent) { &[] } else { &reading.content };
    let shown = if spec.does(ClientQuirk::FirstBlockOnly) { 1 } else { blocks.len() };
    let blocks = blocks.iter().filter(|block| !spec.does(ClientQuirk::DropsNonText) || is_text(block)).take(shown);
    Ok(StepAnswer {
        structured: Some(Structured { present: value.is_some(), value }),
        content: Some(blocks.map(|block| block_of(spec, block)).collect()),
        is_error: Some(reading.is_error && !spec.does(ClientQuirk::IgnoresIsError)),
        ..StepAnswer::default()
    })
}

/// Validates a result by its tool's schema. The result of a failed tool need not conform.
fn validate(spec: &ClientSpec, reading: &CallResult<'_>, schema: &Schema) -> Result<(), Violation> {
    let needs_not = reading.is_error
        && !spec.does(ClientQuirk::ValidatesErrors)
        && !(spec.does(ClientQuirk::ValidatesErrorValues) && reading.structured.is_some());
    if spec.validation() == Validation::Skip || needs_not {
        return Ok(());
    }
    match reading.structured.as_deref() {
        None => {
            let message = "the tool has an output schema, but its result has no structured content".to_owned();
            Err(Violation::Found(message))
        }
        Some(value) => schema.check(value),
    }
}

/// A content block as it arrived, unless a quirk changes it.
fn block_of(spec: &ClientSpec, block: &RawValue) -> Box<RawValue> {
    let cut = if spec.does(ClientQuirk::TruncatesText) { cut(block) } else { None };
    cut.unwrap_or_else(|| block.to_owned())
}

/// A truncated text block. `None` if its text is short enough.
fn cut(block: &RawValue) -> Option<Box<RawValue>> {
    let mut block = Object::read(block.get())?;
    let text: String = serde_json::from_str(block.get("text")?).ok()?;
    let (end, _) = text.char_indices().nth(SHOWN_OF_TEXT)?;
    block.replace("text", quote(&text[..end]));
    RawValue::from_string(block.write()).ok()
}

/// The structured content as the client returns it.
fn handed_out(spec: &ClientSpec, reading: &CallResult<'_>, schema: Option<&Schema>) -> Option<Box<RawValue>> {
    let held = reading.structured.as_deref().map(ToOwned::to_owned);
    if spec.deviations == Deviations::None {
        return held;
    }
    let does = |quirk| spec.does(quirk);
    let dropped = does(ClientQuirk::DropsValue)
        || (does(ClientQuirk::DropsErrorStructure) && reading.is_error)
        || (does(ClientQuirk::NeedsSchema) && schema.is_none());
    if dropped {
        return None;
    }
    if does(ClientQuirk::PrefersTextParse) {
        return first_text(reading).and_then(|text| RawValue::from_string(text).ok());
    }
    let value = held?.get().to_owned();
    let value = if does(ClientQuirk::StripsNulls) { without_nulls(&value) } else { value };
    let value = if does(ClientQuirk::UnwrapsResult) { unwrapped(&value).unwrap_or(value) } else { value };
    let wraps = does(ClientQuirk::WrapsValue) && !value.starts_with('{');
    let value = if wraps { format!(r#"{{"result":{value}}}"#) } else { value };
    let value = if does(ClientQuirk::DoubleEncodes) { quote(&value) } else { value };
    RawValue::from_string(value).ok()
}

/// The value of `result`, if that is the only member.
fn unwrapped(value: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wrapped<'a> {
        #[serde(borrow)]
        result: &'a RawValue,
    }
    serde_json::from_str::<Wrapped<'_>>(value).ok().map(|wrapped| wrapped.result.get().to_owned())
}

fn is_text(block: &RawValue) -> bool {
    kind(block).is_some_and(|kind| kind == "text")
}

/// The text of the first text block.
fn first_text(reading: &CallResult<'_>) -> Option<String> {
    let blocks = reading.content.iter().filter_map(|block| readable(block).ok());
    let text = blocks.into_iter().find(|block| block["type"] == "text")?;
    text["text"].as_str().map(ToOwned::to_owned)
}
