//! One of the two runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One of the two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// What the user calls it: a folder, a file or a peer.
    pub name: String,
    /// When the run began, RFC 3339, UTC.
    pub started: String,
    /// The version of mcp-compat that ran.
    pub tool_version: String,
    /// The digest of the judge that gave the verdicts, if the record has it.
    pub judge: Option<String>,
    /// The digest of the scenarios that were played.
    pub corpus: String,
    /// Whether every planned cell has its verdict.
    pub complete: bool,
    /// How many cells it has.
    pub cells: u64,
    /// How many of them were judged anew, with the rules of today.
    pub judged_anew: u64,
}
