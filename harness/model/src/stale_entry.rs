//! Entries of a baseline that no longer hold.

use std::fmt;

use crate::CellId;
use crate::count::{counted, thousands};

/// An entry that no longer holds, or holds for some of its cells only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleEntry {
    /// Its pattern.
    pub cells: String,
    /// The signature that it asks for.
    pub cause: Option<String>,
    /// The cells that no longer break as it says; at least one.
    pub gone: Vec<CellId>,
    /// Number of its cells that still break.
    pub still: usize,
}

impl fmt::Display for StaleEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cells, cause, gone, still } = self;
        let first = gone.first().map_or("", |cell| cell.as_str());
        write!(f, "`cells = \"{cells}\"` is stale: {first} no longer breaks")?;
        if let Some(cause) = cause {
            write!(f, " for `{cause}`")?;
        }
        match gone.len() {
            0 | 1 => {}
            2 => write!(f, ", nor does 1 other")?,
            many => write!(f, ", nor do {}", counted(many - 1, "other"))?,
        }
        match still {
            0 => Ok(()),
            1 => write!(f, "; 1 other still breaks, so narrow the entry"),
            many => write!(f, "; {} others still break, so narrow the entry", thousands(*many as u64)),
        }
    }
}
