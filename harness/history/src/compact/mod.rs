//! The compact form of a run: `.mcpc.gz`.
//!
//! Two lines of JSON, compressed with gzip: a head that says what it is and sums the run up, and the run itself. The run
//! is the record without its cells, and the cells as columns ([`Columns`]). What a record says of a run is all there, but
//! for the lines of transcripts and the exact durations: [`kept`] says what comes back.
//!
//! Why JSON in gzip: a browser reads it without help, a person with `zcat`, and a run of the whole fleet is a few hundred
//! kilobytes. Bits that are packed by hand save a third of that, and nothing but a program of ours reads them.
//!
//! Every format that was ever written is read for ever. An addition to the record keeps the format: a reader passes
//! over properties that it does not know. Anything else raises [`VERSION`].

mod column;
mod columns;
mod duration;
mod error;
mod file;
mod names;
mod summary;
mod witness;

pub use column::Column;
pub use columns::Columns;
pub use error::CompactError;
pub use file::{CompactLine, CompactRun, Head, decode, decode_verdicts, encode, read_head};
pub use summary::Summary;
pub(crate) use summary::hex;

use mcp_compat_model::record::Record;

/// The version of the compact form.
pub const VERSION: u32 = 1;

/// What the compact form keeps of a record: all of it but the lines of transcripts and the exact durations.
#[must_use]
pub fn kept(record: &Record) -> Record {
    let mut kept = record.clone();
    for cell in &mut kept.cells {
        cell.transcript = None;
        cell.duration_us = duration::rounded(cell.duration_us);
    }
    kept
}
