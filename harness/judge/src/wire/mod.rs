//! Reading of a transcript, before anybody judges it.
//!
//! ```text
//! transcript ─ message ─> each message, read once ─ exchange ─> requests with their answers ─ session ─> what was agreed
//! ```
//!
//! Nothing here is an error: whatever peers send is read as far as it goes, and what is wrong with it is kept beside it.

pub mod exchange;
pub mod message;
pub mod session;
