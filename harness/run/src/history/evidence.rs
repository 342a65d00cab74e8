//! The evidence of the breaks of a run in the history: `evidence/<sha256>.gz`, transcripts as a run writes them.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use crate::store::StoreError;
use crate::store::transcripts::{TranscriptWriter, Transcripts};
use flate2::bufread::GzDecoder;
use flate2::{Compression, GzBuilder};
use mcp_compat_drive::files::input_file;
use mcp_compat_model::CellId;
use mcp_compat_model::record::Record;
use mcp_compat_model::verdict::Rating;

pub(crate) const FOLDER: &str = "evidence";

/// Number of bytes of evidence that there may be once it is decompressed.
const BYTES: u64 = 1 << 30;

pub(crate) fn file_name(digest: &str) -> String {
    format!("{digest}.gz")
}

pub(crate) fn is_file_name(name: &str) -> bool {
    name.strip_suffix(".gz")
        .is_some_and(|digest| digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Opens the evidence of a run in `DIR/runs`, if it is still in `DIR/evidence`.
pub(crate) fn open_beside(run: &Path, digest: &str) -> Option<Transcripts> {
    let name = file_name(digest);
    let history = run.canonicalize().ok()?.parent()?.parent()?.to_owned();
    if !is_file_name(&name) {
        return None;
    }
    let path = history.join(FOLDER).join(&name);
    let file = input_file::open(&path).ok()?;
    Some(Transcripts::of_file(path, decompressed(file).ok()?))
}

/// Decompresses a file to an unnamed file, in which a reader can seek.
fn decompressed(file: File) -> io::Result<File> {
    let mut plain = tempfile::tempfile()?;
    let mut reader = GzDecoder::new(io::BufReader::new(file)).take(BYTES);
    io::copy(&mut reader, &mut plain)?;
    plain.rewind()?;
    Ok(plain)
}

/// Returns the evidence of the breaks of a record as the content of a file. The same evidence gives the same bytes.
pub(crate) fn of_breaks(record: &Record, transcripts: &mut Transcripts) -> Result<Vec<u8>, StoreError> {
    let breaks = record.cells.iter().filter(|cell| cell.rating == Rating::Breaks);
    let breaks: HashSet<&CellId> = breaks.map(|cell| &cell.id).collect();
    let gzip = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    let mut writer = TranscriptWriter::new(gzip);
    // The writer writes only to memory.
    let in_memory = |error| StoreError::Write { path: FOLDER.into(), error };
    while let Some(evidence) = transcripts.next_cell()? {
        if breaks.contains(&evidence.cell.id()) {
            writer.write(&evidence).map_err(in_memory)?;
        }
    }
    writer.finish().and_then(flate2::write::GzEncoder::finish).map_err(in_memory)
}
