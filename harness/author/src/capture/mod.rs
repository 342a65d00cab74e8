//! From a transcript to a draft of a scenario: the tools and calls that the transcript shows.
//!
//! ```text
//! Transcript ─ from_transcript ─> Captured ─ compose ─> Draft ─ tool_scenario ─> Scenario
//!                                              ├ infer   revision, meaning, title
//!                                              └ sample  a result for a tool that was not called
//! inputSchema ─ made_up ─> arguments that a tool may be called with
//! ```
//!
//! Nothing here has side effects. JSON stays text as it was spelt, and is parsed only to be inspected.

pub mod captured;
pub mod compose;
pub mod from_transcript;
pub mod infer;
pub mod made_up;
pub mod opening;
pub mod sample;

pub use captured::{Captured, CapturedCall, CapturedRequest, CapturedStage, CapturedTool};
