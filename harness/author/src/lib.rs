//! For authors of scenarios: a draft of what somebody pasted or recorded, its checks, and the least that still breaks.
//!
//! ```text
//! report     a bug report's text ─ documents ─┐
//! recording  a transcript ─ masking ──────────┴─> Captured ─ capture::compose ─> Draft
//! template   nothing but an id ──────────────────────────────────────────────────> Draft
//!
//! Scenario ─ lint ───> what is unclear, and what it does not tell apart (the sabotages of selftest)
//!          ─ shrink ─> a smaller scenario that breaks in the same way
//!          ─ wire_preview > what it puts on the wire at each revision
//! ```

pub mod capture;
mod documents;
pub mod lint;
pub mod masking;
pub mod recording;
pub mod report;
pub mod selftest;
pub mod shrink;
mod template;
pub mod wire_preview;

pub use template::template;
