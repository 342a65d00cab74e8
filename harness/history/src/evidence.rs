//! The evidence of the breaks of a run in the history: `evidence/<sha256>.gz`, transcripts as a run writes them.

use std::io::{self, Read as _, Seek as _};
use std::path::Path;

use flate2::bufread::GzDecoder;
use mcp_compat_drive::input_file;
use mcp_compat_run::transcripts::Transcripts;

/// The folder of evidence in a history.
pub(crate) const FOLDER: &str = "evidence";

/// How much evidence there may be once it is decompressed.
const BYTES: u64 = 1 << 30;

/// The evidence of a run in `DIR/runs`, if it is still in `DIR/evidence`.
pub(crate) fn open_beside(run: &Path, name: &str) -> Option<Transcripts> {
    let is_digest = name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let history = run.canonicalize().ok()?.parent()?.parent()?.to_owned();
    let path = history.join(FOLDER).join(format!("{name}.gz"));
    let file = input_file::open(&path).ok().filter(|_| is_digest)?;
    let mut plain = tempfile::tempfile().ok()?;
    let mut reader = GzDecoder::new(io::BufReader::new(file)).take(BYTES);
    io::copy(&mut reader, &mut plain).ok()?;
    plain.rewind().ok()?;
    Some(Transcripts::of_file(path, plain))
}
