//! Answers of a client adapter: as they stand on the line, and read as what was seen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::observation::{CallResult, Layer, PeerError, Seen, SeenTool};
use mcp_compat_json::{Json, JsonError};

/// Answer of a client adapter to one `Job`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The job's id.
    pub id: u64,
    /// The revision that the SDK says it speaks with this server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negotiated: Option<String>,
    /// Reason why the job cannot be done at all; then there is nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
    /// Error that kept the session from being opened; then there are no steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<PeerError>,
    /// Results for the user of the API, one entry a step.
    #[serde(default)]
    pub steps: Vec<StepAnswer>,
}

/// Result of one step for the user of a client's API: `tools` for a list; `structured`, `content` and `is_error` for a
/// call; `evolved` for an evolution; or `error`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepAnswer {
    /// The tools that the API gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<ToolAnswer>>,
    /// The structured content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Structured>,
    /// The content blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<serde_json::Value>>")]
    pub content: Option<Vec<Box<RawValue>>>,
    /// True if the API presents the result as a tool error. Absent for a host, if its model is sent no mark of errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// The evolution went through; `true` when its notification was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evolved: Option<bool>,
    /// The error that the API raised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<PeerError>,
}

/// One tool as a client's API gives it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolAnswer {
    /// The tool's name.
    pub name: String,
    /// The output schema, if the API gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub output_schema: Option<Box<RawValue>>,
    /// For a host: the schema of the arguments as its model is offered it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub input_schema: Option<Box<RawValue>>,
    /// For a host: the reason why the interface of its model refuses a request with this tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// For a host: true if its model has to search for tools, so that those it did not search for are not known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub found: bool,
}

/// Structured content as a client's API gives it: present with a value (`null` included), or absent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Structured {
    /// True if the API has a value.
    pub present: bool,
    /// The value, when present. `null` and a missing member mean the same here: `present` tells them apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub value: Option<Box<RawValue>>,
}

/// Reason why an [`Answer`] does not follow the contract.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContractBreach {
    /// A step answer with none, or more than one, of its forms.
    #[error(
        "step {step}: expected one of `tools`, `structured` with `content` and `is_error`, `evolved` or `error`, found {found}"
    )]
    Form {
        /// The step, from 0.
        step: usize,
        /// The members that were there.
        found: String,
    },
    /// A value that is not JSON.
    #[error("step {step}: {error}")]
    Value {
        /// The step, from 0.
        step: usize,
        /// The mistake in it.
        error: JsonError,
    },
}

impl StepAnswer {
    /// Reads the answer to step number `step`.
    ///
    /// # Errors
    /// When the answer does not have exactly one of its forms.
    pub fn seen(&self, step: usize) -> Result<Seen, ContractBreach> {
        let json = |raw: &RawValue| Json::parse(raw.get()).map_err(|error| ContractBreach::Value { step, error });
        match (&self.tools, &self.structured, &self.content, self.is_error, self.evolved, &self.error) {
            (Some(tools), None, None, None, None, None) => {
                let tool = |answer: &ToolAnswer| {
                    Ok(SeenTool {
                        name: answer.name.clone(),
                        output_schema: answer.output_schema.as_deref().map(json).transpose()?,
                        input_schema: answer.input_schema.as_deref().map(json).transpose()?,
                        refused: answer.refused.clone(),
                        found: answer.found,
                    })
                };
                Ok(Seen::Listed { tools: tools.iter().map(tool).collect::<Result<_, _>>()? })
            }
            (None, Some(structured), Some(content), is_error, None, None) => {
                let structured = match (structured.present, structured.value.as_deref()) {
                    (false, _) => None,
                    (true, None) => Some(Json::Null),
                    (true, Some(value)) => Some(json(value)?),
                };
                let content = content.iter().map(|block| json(block)).collect::<Result<_, _>>()?;
                Ok(Seen::Called(CallResult { structured, content, is_error: is_error.unwrap_or_default() }))
            }
            (None, None, None, None, Some(told), None) => Ok(Seen::Evolved { told }),
            (None, None, None, None, None, Some(error)) => Ok(Seen::Failed(error.clone())),
            _ => Err(ContractBreach::Form { step, found: self.members() }),
        }
    }

    fn members(&self) -> String {
        let members = [
            ("tools", self.tools.is_some()),
            ("structured", self.structured.is_some()),
            ("content", self.content.is_some()),
            ("is_error", self.is_error.is_some()),
            ("evolved", self.evolved.is_some()),
            ("error", self.error.is_some()),
        ];
        let names: Vec<_> = members.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    }
}

impl From<(Layer, String)> for StepAnswer {
    fn from((layer, message): (Layer, String)) -> Self {
        Self { error: Some(PeerError { layer, code: None, message }), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Answer {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_null_value_is_not_an_absent_one() {
        let present =
            answer(r#"{"id":1,"steps":[{"structured":{"present":true,"value":null},"content":[],"is_error":false}]}"#);
        let absent = answer(r#"{"id":1,"steps":[{"structured":{"present":false},"content":[],"is_error":false}]}"#);
        let structured = |answer: &Answer| {
            let Seen::Called(result) = answer.steps[0].seen(0).unwrap() else { unreachable!("a call") };
            result.structured
        };
        assert_eq!((structured(&present), structured(&absent)), (Some(Json::Null), None));
    }

    #[test]
    fn a_value_keeps_its_digits() {
        let text = r#"{"id":1,"steps":[{"structured":{"present":true,"value":123456789012345678901234567890},"content":[],"is_error":false}]}"#;
        let Seen::Called(CallResult { structured: Some(Json::Number(number)), .. }) =
            answer(text).steps[0].seen(0).unwrap()
        else {
            unreachable!("a call with a number");
        };
        assert_eq!(number.lexeme(), "123456789012345678901234567890");
    }

    #[test]
    fn a_step_answer_has_exactly_one_form() {
        for text in [
            r#"{"id":1,"steps":[{}]}"#,
            r#"{"id":1,"steps":[{"structured":{"present":false}}]}"#,
            r#"{"id":1,"steps":[{"tools":[],"evolved":true}]}"#,
        ] {
            assert!(matches!(answer(text).steps[0].seen(0), Err(ContractBreach::Form { .. })), "{text}");
        }
    }
}
