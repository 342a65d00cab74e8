//! The record of a run on disk: a folder with `run.json` and `transcripts.jsonl`.
//!
//! ```text
//! Evidence… ── Store::take ──> transcripts.jsonl, while the run goes on
//! Record ───── Store::close ─> run.json, when it has ended        read_record, Transcripts read them back
//! ```
//!
//! - [`Store`] writes the folder of a run, which no other run may write to at the same time, and reads its record.
//! - [`transcripts`] is the format of the evidence: each distinct message once.
//!
//! Files may be a stranger's: their size is bounded, and every error names the file and what to do.

mod error;
mod run_folder;
pub mod transcripts;

pub use error::StoreError;
pub use run_folder::{FILES, Store, read_evidence, read_record};
