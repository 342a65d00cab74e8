//! `transcripts.jsonl`: what happened in the cells of a run, a line for each cell, and a footer.
//!
//! ```text
//! Evidence ── TranscriptWriter: numbers for what the file has already ──> line ── Transcripts ──> Evidence
//! ```
//!
//! Whoever writes or reads evidence does it here. Neither holds the file in memory: the writer remembers digests of what it
//! wrote, the reader where in the file it stands. What a line may cost is bounded, whatever is in it.

mod expand;
mod pieces;
mod reader;
mod writer;

pub use reader::{TRANSCRIPTS, Transcripts};
pub use writer::TranscriptWriter;

#[cfg(test)]
mod tests;
