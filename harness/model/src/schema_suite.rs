//! The JSON Schema Test Suite in a run: which of its tests a scenario is, and what the suite says of it.
//!
//! A run of the suite is a run like any other, with one scenario a test. What a report needs besides, to say how
//! faithfully a client validates, stands here: the suite's own names, its word on each value, and what takes a test
//! out of the count.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell::ScenarioId;

/// The suite, as far as it was played in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SuiteRun {
    /// The folder of the checkout, as it was named for the run.
    pub folder: String,
    /// The tests that were played, ordered by scenario.
    pub tests: Vec<SuiteTest>,
}

/// A test of the suite: a schema, a value, and whether the value is valid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SuiteTest {
    /// The scenario that plays it.
    pub scenario: ScenarioId,
    /// The draft that it is about.
    pub draft: SuiteDraft,
    /// The name of its file, most often a keyword: `anyOf`.
    pub keyword: String,
    /// What the suite says of the schema.
    pub group: String,
    /// What the suite says of the value.
    pub test: String,
    /// Where its schema stands in the checkout: `tests/draft2020-12/anyOf.json#/0/schema`.
    pub schema: String,
    /// What the suite says: whether the value is valid by the schema.
    pub valid: bool,
    /// An address that the schema refers to and that would have to be fetched. No client may do that by itself, so
    /// none is held to the suite's word here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// What the harness's own validator says, where that is not what the suite says. The suite is right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dissent: Option<String>,
}

/// A draft of JSON Schema, as the suite names the folder of its tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum SuiteDraft {
    /// The default of MCP.
    #[serde(rename = "draft2020-12")]
    Draft202012,
    /// The draft that most older tools speak.
    #[serde(rename = "draft7")]
    Draft7,
}

impl SuiteDraft {
    /// Those that are played, the default of MCP first.
    pub const ALL: [Self; 2] = [Self::Draft202012, Self::Draft7];

    /// The folder below `tests`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Draft202012 => "draft2020-12",
            Self::Draft7 => "draft7",
        }
    }

    /// The `$schema` of its schemas.
    #[must_use]
    pub const fn address(self) -> &'static str {
        match self {
            Self::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
            Self::Draft7 => "http://json-schema.org/draft-07/schema#",
        }
    }
}

impl fmt::Display for SuiteDraft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
