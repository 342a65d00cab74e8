//! `transcripts.jsonl`: what happened in the cells of a run, a line for each cell, and a footer.
//!
//! ```text
//! Evidence ── TranscriptWriter: numbers for what the file has already ──> line ── Transcripts ──> Evidence
//! ```
//!
//! All evidence is written and read here. The file is never held in memory: the writer remembers digests of what it
//! wrote, the reader its offset in the file. The cost of a line is bounded, whatever its content.

mod expand;
mod pieces;
mod reader;
mod writer;

pub use reader::{TRANSCRIPTS, Transcripts};
pub use writer::TranscriptWriter;

#[cfg(test)]
mod tests;
