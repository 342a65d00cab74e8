//! From a transcript to a draft: what a server listed and answered while a client worked with it.
//!
//! Only tools that were called go into the file, unless the others are asked for. What looks like a secret is masked.

use mcp_compat_model::transcript::Transcript;
use mcp_compat_scenario::write::{Draft, DraftTool};

use super::masking::{Masked, mask};
use crate::capture::captured::{Captured, CapturedCall, CapturedRequest};
use crate::capture::compose::{Composed, Origin, compose};
use crate::capture::from_transcript::{Capture, capture};
use crate::capture::sample::{mark_placeholder, placeholder_call};

pub use crate::capture::from_transcript::Uncalled;

/// Number of calls in a file. Beyond that it is no scenario any more.
pub const CALLS: usize = 200;

#[derive(Clone, Debug)]
pub struct Recorded {
    /// The draft; `None` if no call was answered.
    pub draft: Option<Draft>,
    pub masked: Vec<Masked>,
    /// The tools that were listed, called or not.
    pub listed: Vec<String>,
    /// Number of answered calls that were recorded.
    pub calls: usize,
    /// Number of these that are not in the draft, because they prove nothing.
    pub omitted: usize,
    /// Things that could not be written down, a line each.
    pub left_out: Vec<String>,
}

/// Turns what was recorded into a draft, with everything masked that looks like a secret, or is one of those `known`.
pub fn read(transcript: &Transcript, uncalled: Uncalled, known: &[String]) -> Recorded {
    let Capture { mut captured, listed, left_out } = capture(transcript, uncalled, CALLS);
    let revision = captured.revision;
    let mut recorded =
        Recorded { draft: None, masked: Vec::new(), listed, calls: captured.calls().count(), omitted: 0, left_out };
    let masking = mask(&mut captured, known);
    // Made for the definitions as they are written down, and nobody's secret.
    let made_up = unseen(&captured);
    if recorded.calls > 0 || !made_up.is_empty() {
        captured.requests.extend(made_up.iter().cloned().map(CapturedRequest::Called));
        recorded.masked = masking.masked;
        recorded.left_out.extend(masking.misfits.iter().map(|tool| {
            format!(
                "a result of `{tool}` as valid as it was: its outputSchema takes no mask; put a made-up value there"
            )
        }));
        let heading = match revision {
            Some(revision) => format!("Recorded from real traffic, on a session of revision {revision}."),
            None => "Recorded from real traffic.".to_owned(),
        };
        let Composed { mut draft, omitted } = compose(&captured, Origin { heading, sources: Vec::new() });
        recorded.left_out.extend(omitted.iter().map(ToString::to_string));
        recorded.omitted = omitted.iter().map(|of_tool| of_tool.calls).sum();
        let is_made_up = |tool: &&mut DraftTool| {
            made_up.iter().any(|call| tool.answer.as_ref().is_some_and(|answer| answer.value == call.answer))
        };
        draft.tools.iter_mut().filter(is_made_up).for_each(mark_placeholder);
        recorded.draft = Some(draft);
    }
    recorded
}

/// Calls of the tools that are wanted in the last stage and that nobody called.
fn unseen(captured: &Captured) -> Vec<CapturedCall> {
    let last = captured.stages.len().saturating_sub(1);
    let tools = captured.stages.iter().skip(last).flat_map(|stage| &stage.tools);
    let uncalled = tools.filter(|tool| captured.calls().all(|call| call.tool != tool.name));
    uncalled.map(|tool| placeholder_call(tool, last)).collect()
}
