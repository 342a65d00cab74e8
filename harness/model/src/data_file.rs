//! Files of data that ship with the program: a version of the format, and a line for each item.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Reason why a text is not such data.
#[derive(Debug, thiserror::Error)]
pub enum NotData {
    /// It is not JSON of the form.
    #[error("it does not have the form of such data: {0}")]
    Form(#[from] serde_json::Error),
    /// It is of a newer format.
    #[error("it has format version {found}; this program reads version {known}. Use a newer mcp-compat")]
    Newer {
        /// The version of the text.
        found: u32,
        /// The newest version that is known.
        known: u32,
    },
}

/// Reads data, if their format is not newer than the version that is known.
pub(crate) fn parse<T: DeserializeOwned>(text: &str, known: u32) -> Result<T, NotData> {
    #[derive(Deserialize)]
    struct Versioned {
        schema_version: u32,
    }
    let Versioned { schema_version: found } = serde_json::from_str(text)?;
    if found > known { Err(NotData::Newer { found, known }) } else { Ok(serde_json::from_str(text)?) }
}

/// Returns a line for each item, so that a difference of two files can be read.
pub(crate) fn lines<T: Serialize>(items: &[T]) -> Result<String, serde_json::Error> {
    let lines: Vec<String> = items.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    Ok(lines.join(",\n"))
}
