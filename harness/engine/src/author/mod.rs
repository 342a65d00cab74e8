//! From evidence to a scenario file: what somebody pasted, or what went over a wire, becomes a draft.
//!
//! ```text
//! report     a bug report's text ─ documents ─┐
//! recording  a transcript ─ seeing ─ masking ─┴─> Sightings ─ compose ─> Draft
//!                                                               ├ infer   since, meaning, title, control
//!                                                               └ sample  a value, where none was seen
//! ```
//!
//! Everything here decides and touches nothing: texts and transcripts come in, drafts and what there is to say about
//! them go out. JSON stays text throughout, as it was spelt; it is only parsed to be looked at.

mod addresses;
mod compose;
mod documents;
mod infer;
pub mod masking;
pub mod recording;
pub mod report;
mod sample;
pub(crate) mod scene;
pub(crate) mod seeing;
mod sightings;
mod template;
mod unseen;

pub use sightings::{Moment, SeenCall, SeenStage, SeenTool, Sightings};
pub use template::template;
