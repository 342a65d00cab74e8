//! What must not become another thing while a scenario shrinks: how each call's meaning stands in its answer, and how
//! that answer stands to its schema.
//!
//! A value that conforms goes on to conform, one that violates its schema goes on to violate it, and by the same
//! keyword; an invalid schema stays invalid. So the scenario stays about what it was about, and `means` stays true.

use mcp_compat_inclusion::{Conformance, Schemas, Validity};
use mcp_compat_json::Json;
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{AlsoExpect, Call, Means, Purpose};

use super::location::ToolIndex;
use super::text_fallback::{self, TextFallback};
use super::{location, tree};

/// How the parts of a scenario stand to one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Invariants {
    tools: Vec<ToolInvariants>,
    calls: Vec<CallInvariants>,
}

/// A tool as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ToolInvariants {
    name: String,
    /// Whether it takes an object, as every tool must.
    takes_object: bool,
    /// Whether its schema says that it gives an object, or need not say so: before any value was allowed, it had to.
    gives_object: bool,
    schema: Soundness,
}

/// Whether a tool's output schema is one.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Soundness {
    Absent,
    Valid,
    /// It is not; by the keyword that is wrong.
    Invalid {
        keyword: String,
    },
    Undecided,
}

/// A call with its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CallInvariants {
    tool: String,
    purpose: Purpose,
    meaning: Meaning,
    structured: Structured,
    /// How the text blocks tell the structured content.
    told: TextFallback,
    /// Whether what must come besides is there.
    besides: [bool; 2],
    fit: Fit,
}

/// How what is meant stands in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Value { structured: bool, within: bool, told: TextFallback },
    Text { told: bool },
    ToolError { told: bool },
    Invalid,
}

/// The structured content of an answer: an object is for every revision, another value for the newest only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Structured {
    Absent,
    Object,
    Other,
}

/// How structured content stands to the output schema.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fit {
    /// One of the two is not there.
    Open,
    Conforms,
    Violates {
        keyword: String,
    },
    Undecided,
}

impl Invariants {
    /// Reads them off a scenario.
    pub(super) fn of(scenario: &Scenario, schemas: &Schemas) -> Self {
        let tools = location::tools(scenario).into_iter().filter_map(|index| {
            let name = scenario.stages.get(index.stage)?.tools.get(index.tool)?.name.clone();
            let definition = location::definition(scenario, index)?;
            let is_object = |schema: &str| {
                let of = definition.get(schema).and_then(|schema| schema.get("type"));
                of.and_then(Json::as_str) == Some("object")
            };
            Some(ToolInvariants {
                name,
                takes_object: is_object("inputSchema"),
                gives_object: scenario.since.has_any_value_output() || is_object("outputSchema"),
                schema: soundness(&definition, schemas),
            })
        });
        let calls = location::calls_with_tools(scenario).into_iter();
        let calls = calls.filter(|(_, call, _)| call.purpose != Purpose::Bystander);
        Self {
            tools: tools.collect(),
            calls: calls.map(|(_, call, index)| CallInvariants::of(scenario, call, index, schemas)).collect(),
        }
    }

    /// Whether everything that is here stands as it does there, where there may be more.
    pub(super) fn are_part_of(&self, whole: &Self) -> bool {
        is_subsequence(&self.tools, &whole.tools) && is_subsequence(&self.calls, &whole.calls)
    }
}

impl CallInvariants {
    fn of(scenario: &Scenario, call: &Call, index: Option<ToolIndex>, schemas: &Schemas) -> Self {
        let answer = index.and_then(|index| location::answer(scenario, index)).unwrap_or(Json::Null);
        let schema = index.and_then(|index| location::definition(scenario, index));
        let schema = schema.as_ref().and_then(|definition| definition.get("outputSchema"));
        let structured = text_fallback::structured(&answer);
        let fit = match (schema, structured) {
            (Some(schema), Some(value)) => match schemas.check(schema, value) {
                Conformance::Conforms => Fit::Conforms,
                Conformance::Violates { keyword, .. } => Fit::Violates { keyword },
                Conformance::Undecided { .. } => Fit::Undecided,
            },
            (Some(_), None) | (None, _) => Fit::Open,
        };
        Self {
            tool: call.tool.clone(),
            purpose: call.purpose,
            meaning: Meaning::of(&call.means, &answer),
            structured: match structured {
                None => Structured::Absent,
                Some(Json::Object(_)) => Structured::Object,
                Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_)) => {
                    Structured::Other
                }
            },
            told: structured.map_or(TextFallback::Absent, |value| text_fallback::fallback(&answer, value)),
            besides: besides(&call.also_expect, &answer),
            fit,
        }
    }
}

/// Whether an answer has the blocks, and the value, that must come besides.
fn besides(also: &AlsoExpect, answer: &Json) -> [bool; 2] {
    let content = answer.get("content").and_then(Json::as_array).unwrap_or_default();
    let value =
        |value: &Json| text_fallback::structured(answer).is_some_and(|structured| tree::holds(structured, value));
    [also.blocks.iter().all(|block| content.contains(block)), also.value.as_ref().is_none_or(value)]
}

impl Meaning {
    fn of(means: &Means, answer: &Json) -> Self {
        let message = answer.get("message").and_then(Json::as_str);
        match means {
            Means::Value(value) => {
                let structured = text_fallback::structured(answer);
                Self::Value {
                    structured: structured == Some(value),
                    within: structured.is_some_and(|structured| tree::holds(structured, value)),
                    told: text_fallback::fallback(answer, value),
                }
            }
            Means::Text(text) => Self::Text { told: text_fallback::texts(answer).any(|block| block == text) },
            Means::ToolError(words) => {
                let told = text_fallback::texts(answer).chain(message).any(|text| text.contains(words.as_str()));
                Self::ToolError { told }
            }
            Means::Invalid => Self::Invalid,
        }
    }
}

fn soundness(definition: &Json, schemas: &Schemas) -> Soundness {
    match definition.get("outputSchema").map(|schema| schemas.validity(schema)) {
        None => Soundness::Absent,
        Some(Validity::Valid) => Soundness::Valid,
        Some(Validity::Invalid { pointer, .. }) => {
            let is_index = |token: &&str| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
            let keyword = pointer.rsplit('/').find(|token| !is_index(token)).unwrap_or_default();
            Soundness::Invalid { keyword: keyword.to_owned() }
        }
        Some(Validity::ForeignPattern(_)) => Soundness::Invalid { keyword: "pattern".to_owned() },
        Some(Validity::Dangling { .. } | Validity::Undecided { .. }) => Soundness::Undecided,
    }
}

/// Whether the items of one list stand in the other in the same order.
fn is_subsequence<T: PartialEq>(part: &[T], whole: &[T]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|item| whole.any(|candidate| candidate == item))
}
