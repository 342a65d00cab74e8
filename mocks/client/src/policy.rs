//! How a client reads results: what it does with one that violates its schema, what it hands out, what it can hold.

use mcp_compat_model::Revision;

/// How a client reads results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// What it does with a result that violates its schema.
    pub validation: Validation,
    /// What it hands out of a result.
    pub preference: Preference,
    /// What its types can hold.
    pub typing: Typing,
}

/// What a client does with a result that violates its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validation {
    /// Raises an error.
    Reject,
    /// Hands it out all the same.
    Warn,
    /// Does not look.
    Skip,
}

/// What a client hands out of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// All of it, the value and the blocks. The default.
    Both,
    /// The structured content alone, where there is any: the blocks beside it vanish, as they do in some hosts.
    Structured,
    /// The blocks alone.
    Content,
}

/// What a client's types can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typing {
    /// Schemas whose root is `type: "object"`, and objects: the wire format of 2025. One tool with another schema
    /// makes the whole list unreadable.
    StrictObject,
    /// Any JSON value, and any schema.
    Any,
    /// What the revision that is spoken admits: the wire format of 2025 in the legacy era, anything in the modern one.
    AsSpoken,
}

impl Typing {
    /// Whether, in this revision, values are objects and schemas those of objects.
    pub(crate) fn is_of_objects(self, revision: Revision) -> bool {
        match self {
            Self::StrictObject => true,
            Self::Any => false,
            Self::AsSpoken => !revision.has_any_value_output(),
        }
    }
}

impl Policy {
    /// The policy of a client that knows these revisions, unless its id says otherwise: it validates, and its types
    /// hold what the newest of them can send.
    pub(crate) fn of(revisions: &[Revision]) -> Self {
        let any = revisions.iter().any(|revision| revision.has_any_value_output());
        Self {
            validation: Validation::Reject,
            preference: Preference::Both,
            typing: if any { Typing::Any } else { Typing::StrictObject },
        }
    }
}

/// What the part of an id after the revisions says: one thing that the client does otherwise than by default.
#[derive(Clone, Copy)]
pub(crate) enum Variant {
    Structured,
    Content,
    Warn,
    Skip,
    Lenient,
    Strict,
}

impl Variant {
    pub(crate) const ALL: [Self; 6] =
        [Self::Structured, Self::Content, Self::Warn, Self::Skip, Self::Lenient, Self::Strict];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Structured => "structured",
            Self::Content => "content",
            Self::Warn => "warn",
            Self::Skip => "skip",
            Self::Lenient => "lenient",
            Self::Strict => "strict",
        }
    }

    pub(crate) const fn apply(self, policy: Policy) -> Policy {
        match self {
            Self::Structured => Policy { preference: Preference::Structured, ..policy },
            Self::Content => Policy { preference: Preference::Content, ..policy },
            Self::Warn => Policy { validation: Validation::Warn, ..policy },
            Self::Skip => Policy { validation: Validation::Skip, ..policy },
            Self::Lenient => Policy { typing: Typing::Any, ..policy },
            Self::Strict => Policy { typing: Typing::StrictObject, ..policy },
        }
    }
}
