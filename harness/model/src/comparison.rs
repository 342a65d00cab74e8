//! Two versions of a server's tools compared: what changed, and whom it breaks.
//!
//! What a server returns must stay within what its older `outputSchema` allowed, and what callers may send must stay
//! within what its newer `inputSchema` allows. An [`Effect`] is said of each change in that sense.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Revision;
use mcp_compat_json::Json;

/// Two versions of a server's tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The version of mcp-compat that compared.
    pub tool_version: String,
    /// The server's name.
    pub server: String,
    /// The version that it was.
    pub old: String,
    /// The version that it is.
    pub new: String,
    /// The revisions at which the two were compared, oldest first.
    pub revisions: Vec<Revision>,
    /// Changes of the server itself: of the revisions that it speaks.
    pub changes: Vec<Change>,
    /// The tools that changed, the worst first.
    pub tools: Vec<ToolComparison>,
    /// Number of tools that did not.
    pub unchanged: usize,
}

/// A tool that changed, alike at some revisions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolComparison {
    /// Its name.
    pub tool: String,
    /// The revisions at which it changed so; the same tool may stand here again for others.
    pub revisions: Vec<Revision>,
    /// Changes, the worst first.
    pub changes: Vec<Change>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// The part that changed.
    pub part: Part,
    /// Place in that part, as a JSON Pointer.
    pub pointer: String,
    /// The kind of change.
    pub kind: ChangeKind,
    /// Description in words.
    pub what: String,
    /// Whom it breaks.
    pub effect: Effect,
    /// Reason, where the change alone does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// A value that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
    /// Number of changes that it stands for, if they are not listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlisted: Option<u64>,
}

/// A value that one of the two schemas takes and the other refuses, by the validator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Witness {
    /// The value: of an output, one that the new schema allows; of an input, one that the old schema allowed.
    pub value: Json,
    /// Objection of the other schema.
    pub message: String,
}

/// Part of a tool that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The server as a whole.
    Server,
    /// The tool's definition, but for its schemas.
    Tool,
    /// Arguments that callers send.
    Input,
    /// Result that the server returns.
    Output,
}

/// Whom a change breaks, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Nobody: whatever worked works still.
    Safe,
    /// It cannot be said.
    Unknown,
    /// Clients that do some thing which others do not.
    BreaksSomeClients,
    /// Callers and readers that rely on the recorded schema.
    BreaksCallers,
}

/// Kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// A revision is spoken that was not.
    RevisionAdded,
    /// A revision is no longer spoken.
    RevisionRemoved,
    /// A tool is there that was not.
    ToolAdded,
    /// A tool is no longer there.
    ToolRemoved,
    /// Only words changed: titles, descriptions, examples, icons.
    Words,
    /// Behaviour of the tool, as the server describes it.
    Annotations,
    /// Ways to call the tool.
    Execution,
    /// Some other member of the definition.
    Member,
    /// There is a schema where none was.
    SchemaAdded,
    /// There is no schema where one was.
    SchemaRemoved,
    /// A property is described that was not.
    PropertyAdded,
    /// A property is no longer described.
    PropertyRemoved,
    /// A property must be there that need not have been.
    RequiredAdded,
    /// A property need not be there that had to be.
    RequiredRemoved,
    /// The type of a place.
    Type,
    /// The type of the whole value.
    RootType,
    /// Values may be there that could not.
    EnumWidened,
    /// Values may no longer be there.
    EnumNarrowed,
    /// Both of it.
    EnumChanged,
    /// Properties that are not described may no longer be there.
    AdditionalPropertiesClosed,
    /// Properties that are not described may be there.
    AdditionalPropertiesOpened,
    /// Bounds, lengths, counts and multiples.
    Limit,
    /// Pattern that a text must match.
    Pattern,
    /// Format of a text.
    Format,
    /// Value that is taken where nothing is given.
    Default,
    /// The dialect that a schema names.
    Dialect,
    /// Target of a reference.
    Reference,
    /// There is a branch or a place that was not.
    BranchAdded,
    /// There is no longer a branch or a place that was.
    BranchRemoved,
    /// Any other keyword.
    Keyword,
    /// Effect of several changes together.
    Together,
}

impl Effect {
    /// The words for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unknown => "unknown",
            Self::BreaksSomeClients => "breaks some clients",
            Self::BreaksCallers => "breaks callers",
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Part {
    /// The member of a tool's definition that it is, or the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Tool => "tool",
            Self::Input => "inputSchema",
            Self::Output => "outputSchema",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl ToolComparison {
    /// The worst of its changes.
    #[must_use]
    pub fn effect(&self) -> Effect {
        worst(&self.changes)
    }
}

impl Comparison {
    /// Whom the new version breaks.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.tools.iter().map(ToolComparison::effect).fold(worst(&self.changes), Effect::max)
    }

    /// Every change, those of the server first.
    pub fn all_changes(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().chain(self.tools.iter().flat_map(|tool| &tool.changes))
    }

    /// Number of changes with that effect.
    #[must_use]
    pub fn count(&self, effect: Effect) -> usize {
        self.all_changes().filter(|change| change.effect == effect).count()
    }
}

fn worst(changes: &[Change]) -> Effect {
    changes.iter().map(|change| change.effect).max().unwrap_or(Effect::Safe)
}
