//! Definitions and results as one server sends them in one revision: downgrade, then quirks, then what the revision adds.

use crate::wire::jsonrpc::{INTERNAL_ERROR, error_object, quote};
use crate::wire::object::{Object, elements, one_line};
use crate::wire::rewrite::{Numbers, rounded, without_nulls};
use mcp_compat_model::peer_contract::ScriptedTool;
use mcp_compat_model::{Era, Revision};
use serde_json::Value;

use crate::server::downgrade::{Treatment, Treatments, is_object_schema};
use crate::server::quirk::ServerQuirk;
use crate::server::spec::ServerSpec;
use crate::server::wrap;

/// The server's own name and version, as a JSON object.
pub(crate) const SERVER_INFO: &str =
    concat!(r#"{"name":"mcp-compat-mock","version":""#, env!("CARGO_PKG_VERSION"), r#""}"#);

/// Messages that a server sends in one revision.
#[derive(Clone, Copy)]
pub(crate) struct Rendering<'s> {
    pub(crate) spec: &'s ServerSpec,
    pub(crate) revision: Revision,
}

impl Rendering<'_> {
    /// Returns the treatment of a tool's structured output. `result` is the text of its result, if it has one.
    pub(crate) fn treatments(&self, tool: &ScriptedTool, result: Option<&str>) -> Treatments {
        if self.spec.has(ServerQuirk::WrapsAlways) {
            return Treatments::alike(Treatment::Wrap);
        }
        let definition = Object::read(tool.definition.get());
        let result = result.and_then(Object::read);
        let schema = definition.as_ref().and_then(|definition| definition.get("outputSchema"));
        let value = result.as_ref().and_then(|result| result.get("structuredContent"));
        if self.spec.has(ServerQuirk::WrapsApart) {
            return Treatments::apart(self.revision, schema, value);
        }
        if self.spec.has(ServerQuirk::StripsForeignOutput) {
            return Treatments::strip(self.revision, schema, value);
        }
        Treatments::alike(self.spec.downgrade.treatment(self.revision, schema, value))
    }

    /// The error that is sent in place of definitions or a result that the revision does not support. `None` for servers
    /// without that quirk.
    pub(crate) fn refusal(&self, definitions: &[String], result: Option<&str>) -> Option<String> {
        if self.revision.era() == Era::Modern || !self.spec.has(ServerQuirk::FailsOnForeignOutput) {
            return None;
        }
        let foreign_schema = definitions
            .iter()
            .filter_map(|definition| Object::read(definition))
            .any(|definition| definition.get("outputSchema").is_some_and(|schema| !is_object_schema(schema)));
        let result = result.and_then(Object::read);
        let value = result.as_ref().and_then(|result| result.get("structuredContent"));
        let foreign = foreign_schema || value.is_some_and(|value| !value.starts_with('{'));
        foreign.then(|| error_object(INTERNAL_ERROR, "the revision does not define this result", None))
    }

    /// A tool's definition. If it is not an object, it is sent unchanged.
    pub(crate) fn definition(&self, text: &str, treatment: Treatment) -> String {
        let text = one_line(text);
        let Some(mut definition) = Object::read(&text) else {
            return text.into_owned();
        };
        let schema = definition.get("outputSchema").map(str::to_owned);
        match (treatment, &schema) {
            (Treatment::Drop, _) => definition.remove("outputSchema"),
            (Treatment::Wrap, Some(schema)) => definition.replace("outputSchema", wrap::schema(schema)),
            (Treatment::Wrap, None) | (Treatment::Keep, _) => {}
        }
        if self.spec.has(ServerQuirk::HidesSchema) {
            definition.remove("outputSchema");
        }
        if self.spec.has(ServerQuirk::ClosesSchema)
            && let Some(mut closed) = schema.as_deref().and_then(Object::read)
        {
            closed.remove("additionalProperties");
            closed.add("additionalProperties", "false");
            definition.replace("outputSchema", closed.write());
        }
        if self.spec.has(ServerQuirk::ExplicitNulls) {
            for absent in ["title", "description", "annotations", "outputSchema"] {
                definition.add(absent, "null");
            }
        }
        definition.write()
    }

    /// A tool's result. If it is not an object, it is sent unchanged.
    ///
    /// A modern result gets a `resultType` if the script has none, and nothing else: the server's name in `_meta` is optional,
    /// and a scripted result is what the script says. `without` names the members that are left out.
    pub(crate) fn result(&self, text: &str, treatment: Treatment, without: &[String]) -> String {
        let text = one_line(text);
        let Some(mut result) = Object::read(&text) else {
            return text.into_owned();
        };
        let value = result.get("structuredContent").map(str::to_owned);
        match (treatment, &value) {
            (Treatment::Drop, value) => {
                result.remove("structuredContent");
                if self.spec.has(ServerQuirk::StripsForeignOutput) {
                    lead_with_text(&mut result, value.as_deref());
                }
            }
            (Treatment::Wrap, Some(value)) => result.replace("structuredContent", wrap::value(value)),
            (Treatment::Wrap, None) | (Treatment::Keep, _) => {}
        }
        self.deviate(&mut result, value.as_deref());
        self.complete(&mut result);
        leave_out(&mut result, without);
        result.write()
    }

    fn deviate(&self, result: &mut Object<'_>, value: Option<&str>) {
        let has = |quirk| self.spec.has(quirk);
        let is_array = value.is_some_and(|value| value.starts_with('['));
        if has(ServerQuirk::DropsValue)
            || (has(ServerQuirk::ArrayAsText) && is_array)
            || (has(ServerQuirk::NullAsAbsent) && value == Some("null"))
        {
            result.remove("structuredContent");
        }
        if has(ServerQuirk::NullAsAbsent) {
            change_value(result, without_nulls);
        }
        if has(ServerQuirk::RoundsNumbers) {
            change_value(result, |value| rounded(value, Numbers::Doubles));
        }
        if has(ServerQuirk::StringifiesValue) {
            change_value(result, quote);
        }
        if has(ServerQuirk::ForgetsText) {
            result.replace("content", "[]");
        }
        if has(ServerQuirk::ForgetsContent) {
            result.remove("content");
        }
        if has(ServerQuirk::SwallowsError) {
            result.remove("isError");
        }
        if has(ServerQuirk::ExplicitNulls) {
            for absent in ["structuredContent", "isError", "_meta"] {
                result.add(absent, "null");
            }
        }
    }

    /// A result of the server's own methods that clients may cache. `members` are those of the JSON object, without braces.
    pub(crate) fn cacheable(&self, members: &str, scripted: Option<&str>, without: &[String]) -> String {
        let text = format!("{{{members}}}");
        let scripted_text = scripted.map(one_line).unwrap_or_default();
        let Some(mut result) = Object::read(&text) else { return text };
        if let Some(mut scripted) = Object::read(&scripted_text) {
            // The script's members take precedence, except the tools, which it has elsewhere.
            scripted.remove("tools");
            result.retain(|member| member.key().is_none_or(|key| scripted.get(key).is_none()));
            result.extend(scripted);
        }
        self.cached(result, without)
    }

    /// Such a result if the script has all of it. If it is not an object, it is sent unchanged.
    pub(crate) fn cacheable_result(&self, text: &str, without: &[String]) -> String {
        let text = one_line(text);
        match Object::read(&text) {
            Some(mut result) => {
                if self.spec.has(ServerQuirk::LosesPageTwo) {
                    result.remove("nextCursor");
                }
                self.cached(result, without)
            }
            None => text.into_owned(),
        }
    }

    fn cached(&self, mut result: Object<'_>, without: &[String]) -> String {
        self.complete(&mut result);
        if self.revision.era() == Era::Modern {
            if !self.spec.has(ServerQuirk::ForgetsCacheHints) {
                result.add("ttlMs", "0");
                result.add("cacheScope", r#""private""#);
            }
            result.add("_meta", format!(r#"{{"{}":{SERVER_INFO}}}"#, crate::wire::jsonrpc::META_SERVER_INFO));
        }
        leave_out(&mut result, without);
        result.write()
    }

    /// Adds `resultType` to a modern result.
    fn complete(&self, result: &mut Object<'_>) {
        if self.revision.era() == Era::Modern && !self.spec.has(ServerQuirk::ForgetsResultType) {
            result.lead_with("resultType", r#""complete""#);
        }
    }
}

fn leave_out(result: &mut Object<'_>, without: &[String]) {
    for name in without {
        result.remove(name);
    }
}

/// Adds a value to the content as its first block, unless that block is its text already. Two texts are
/// equal if serde_json reads the same value from them.
fn lead_with_text(result: &mut Object<'_>, value: Option<&str>) {
    let Some(value) = value.and_then(|value| serde_json::from_str::<Value>(value).ok()) else { return };
    let Some(blocks) = elements(result.get("content").unwrap_or("[]")) else { return };
    let first = blocks.first().and_then(|block| serde_json::from_str::<Value>(block).ok());
    let text = first.as_ref().and_then(|block| block.get("text")?.as_str());
    if text.and_then(|text| serde_json::from_str(text).ok()).as_ref() == Some(&value) {
        return;
    }
    let text = format!(r#"{{"type":"text","text":{}}}"#, quote(&value.to_string()));
    let content = format!("[{}]", [&[text.as_str()], &blocks[..]].concat().join(","));
    result.set("content", content);
}

fn change_value(result: &mut Object<'_>, change: impl Fn(&str) -> String) {
    if let Some(changed) = result.get("structuredContent").map(change) {
        result.replace("structuredContent", changed);
    }
}
