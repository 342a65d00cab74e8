//! The dialects of JSON Schema, and which of them a schema names.

use crate::validator::Draft;
use mcp_compat_json::Json;

/// Returns the dialect that a schema names, or else 2020-12; `None` if it names an unknown one.
#[must_use]
pub fn dialect(schema: &Json) -> Option<Dialect> {
    match schema.get("$schema") {
        None => Some(Dialect::Draft202012),
        Some(named) => match Draft::from_schema_uri(named.as_str()?) {
            Draft::Draft4 => Some(Dialect::Draft4),
            Draft::Draft6 => Some(Dialect::Draft6),
            Draft::Draft7 => Some(Dialect::Draft7),
            Draft::Draft201909 => Some(Dialect::Draft201909),
            Draft::Draft202012 => Some(Dialect::Draft202012),
            // The enum may grow: a dialect that is not listed here is unknown.
            _ => None,
        },
    }
}

/// A dialect of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Draft 4.
    Draft4,
    /// Draft 6.
    Draft6,
    /// Draft 7.
    Draft7,
    /// 2019-09.
    Draft201909,
    /// 2020-12, the default of MCP.
    Draft202012,
}

impl Dialect {
    /// Returns true for 2019-09 and later.
    pub(crate) const fn is_new(self) -> bool {
        matches!(self, Self::Draft201909 | Self::Draft202012)
    }

    pub(crate) const fn draft(self) -> Draft {
        match self {
            Self::Draft4 => Draft::Draft4,
            Self::Draft6 => Draft::Draft6,
            Self::Draft7 => Draft::Draft7,
            Self::Draft201909 => Draft::Draft201909,
            Self::Draft202012 => Draft::Draft202012,
        }
    }
}
