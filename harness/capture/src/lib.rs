//! From evidence to a draft: the tools and calls that a transcript shows, and the scenario that they make.
//!
//! ```text
//! Transcript ─ seeing ─> Captured ─ compose ─> Draft ─ scene ─> Scenario
//!                                      ├ infer   since, meaning, title, control
//!                                      └ sample  a value, where none was seen
//! ```
//!
//! Everything here decides and touches nothing. JSON stays text throughout, as it was spelt; it is parsed only to be
//! looked at.

pub mod captured;
pub mod compose;
pub mod from_transcript;
pub mod infer;
pub mod placeholder;
pub mod sample;
pub mod tool_scenario;

pub use captured::{Captured, CapturedCall, CapturedRequest, CapturedStage, CapturedTool};
