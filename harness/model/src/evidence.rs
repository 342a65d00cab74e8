//! Evidence of a cell, as it is kept: the wire and what the client's user saw.
//!
//! The judge sees everything. What is kept for reading is bounded: of a message of ten megabytes nobody reads more than
//! the beginning, and a run of thousands of cells must fit on a disk.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Cell;
use crate::observation::{Observation, Seen};
use crate::transcript::{Event, Raw, Transcript};
use mcp_compat_json::Json;

/// The longest message or value that is kept whole, in bytes.
pub const KEPT_WHOLE: usize = 256 << 10;

/// Number of bytes that are kept of a longer one.
const KEPT_OF_LONGER: usize = 4 << 10;

/// Evidence of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The cell.
    pub cell: Cell,
    /// The wire.
    pub transcript: Transcript,
    /// The client's user.
    pub observation: Observation,
    /// True if something was too long to be kept whole: then the verdict cannot be had again from this.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
}

impl Evidence {
    /// The evidence as it is kept: what is longer than [`KEPT_WHOLE`] by its beginning and its length.
    #[must_use]
    pub fn kept(cell: Cell, mut transcript: Transcript, mut observation: Observation) -> Self {
        let mut shortened = false;
        for entry in &mut transcript.entries {
            if let Event::Message { raw, .. } | Event::Overflow { start: raw, .. } = &mut entry.event {
                shortened |= shorten_raw(raw);
            }
        }
        // What was never on the wire as a long message is no long value either, so most cells are not looked through.
        if shortened {
            observation.steps.iter_mut().for_each(shorten_seen);
        }
        Self { cell, transcript, observation, shortened }
    }
}

fn shorten_raw(raw: &mut Raw) -> bool {
    let (Raw::Text(text) | Raw::Base64(text)) = &*raw;
    let Some(beginning) = beginning(text) else { return false };
    *raw = Raw::Text(beginning);
    true
}

/// Returns true if a message is kept by its beginning and its length.
#[must_use]
pub fn is_beginning(raw: &Raw) -> bool {
    let (Raw::Text(text) | Raw::Base64(text)) = raw;
    text.len() > KEPT_OF_LONGER && text.ends_with(LENGTH_OF_LONGER)
}

fn shorten_seen(seen: &mut Seen) {
    let values: Vec<&mut Json> = match seen {
        Seen::Listed { tools } => tools.iter_mut().filter_map(|tool| tool.output_schema.as_mut()).collect(),
        Seen::Called(result) => result.content.iter_mut().chain(&mut result.structured).collect(),
        Seen::Evolved { .. } | Seen::Failed(_) | Seen::NotReported {} => return,
    };
    for value in values {
        if let Some(beginning) = beginning(&value.to_compact()) {
            *value = Json::from(beginning.as_str());
        }
    }
}

/// The end of a text that stands for a longer one.
const LENGTH_OF_LONGER: &str = " bytes in all)";

/// The beginning of a text that is too long to be kept whole, and how long it is.
fn beginning(text: &str) -> Option<String> {
    if text.len() <= KEPT_WHOLE {
        return None;
    }
    let end = (0..=KEPT_OF_LONGER).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    Some(format!("{}… ({}{LENGTH_OF_LONGER}", &text[..end], text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::{CallResult, End};
    use crate::transcript::Entry;
    use crate::{CellId, Role};

    fn evidence(length: usize) -> Evidence {
        let text = "é".repeat(length / 2);
        let message = Event::Message { raw: Raw::Text(text.clone()), http: None };
        let result = CallResult { structured: Some(Json::from(text.as_str())), content: vec![], is_error: false };
        Evidence::kept(
            CellId::parse("a/one::mock/c::mock/s::memory").unwrap(),
            Transcript { entries: vec![Entry { seq: 0, at_us: 0, from: Role::Server, event: message }] },
            Observation { negotiated: None, steps: vec![Seen::Called(result)], end: End::Answered {} },
        )
    }

    #[test]
    fn what_is_long_is_kept_by_its_beginning() {
        let long = evidence(10 << 20);
        assert!(long.shortened);
        assert!(serde_json::to_string(&long).unwrap().len() < 3 * KEPT_OF_LONGER);
        assert!(serde_json::to_string(&long).unwrap().contains("(10485760 bytes in all)"));
    }

    #[test]
    fn what_is_not_long_is_kept_whole() {
        let short = evidence(KEPT_WHOLE - 2);
        assert!(!short.shortened);
        assert!(serde_json::to_string(&short).unwrap().len() > 2 * KEPT_WHOLE - 8);
    }
}
