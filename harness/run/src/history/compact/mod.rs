//! The compact form of a run: `.mcpc.gz`.
//!
//! Lines of JSON, compressed with gzip: a head that names the format and sums the run up, the record without its cells,
//! and the cells (`cells`). All of a record comes back but the lines of transcripts and the exact durations: see
//! [`kept`].
//!
//! Every format that was ever written is read for ever. An addition to the record keeps the format: a reader passes
//! over properties that it does not know. Anything else raises [`VERSION`].

mod cells;
mod format_1;
mod summary;

use std::io::{self, BufRead, BufReader, Read, Write as _};

use cells::{Cells, rounded};
use flate2::bufread::GzDecoder;
use flate2::{Compression, GzBuilder};
use mcp_compat_model::record::{Record, SCHEMA_VERSION};
use mcp_compat_model::run_verdicts::RunVerdicts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

pub use cells::{Names, Row};
pub use summary::Summary;
pub(crate) use summary::hex;

/// The version of the compact form.
pub const VERSION: u32 = 2;

/// Returns the part of a record that the compact form keeps: all of it but the lines of transcripts and the exact
/// durations.
pub fn kept(record: &Record) -> Record {
    let mut kept = record.clone();
    for cell in &mut kept.cells {
        cell.transcript = None;
        cell.duration_us = rounded(cell.duration_us);
    }
    kept
}

/// Name of the format, in every head.
const FORMAT: &str = "mcp-compat-run";

/// Length limit of a head.
const HEAD_BYTES: u64 = 64 << 10;

/// Number of bytes that there may be once it is decompressed: several times a run of the whole fleet.
const BYTES: u64 = 128 << 20;

/// The first line of a compact run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Head {
    /// `mcp-compat-run`
    pub format: String,
    /// The version of the format.
    pub version: u32,
    /// The digest of all that follows this line, without the last line feed: SHA-256, in hexadecimal digits.
    pub sha256: String,
    /// Sums of the run.
    pub summary: Summary,
    /// The name of the evidence of its breaks in the history: `evidence/<name>.gz`. The file may be gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

/// The second line of a compact run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Beginning {
    /// The record, without its cells.
    pub record: Record,
    /// The names that its cells have.
    pub names: Names,
}

/// Writes the compact form of a record. Equal records give equal bytes.
///
/// `evidence` is the name of the evidence of its breaks, if that is kept.
///
/// # Errors
/// If the record contradicts itself, or is larger than any run.
pub fn encode(record: &Record, evidence: Option<&str>) -> Result<Vec<u8>, CompactError> {
    let (names, lines) = cells::write(&record.cells)?;
    let beginning = serde_json::to_string(&Beginning { record: without_cells(record), names });
    let body = format!("{}\n{lines}", beginning.map_err(CompactError::Syntax)?);
    let body = body.trim_end();
    let head = Head {
        format: FORMAT.to_owned(),
        version: VERSION,
        sha256: hex(&Sha256::digest(body)),
        summary: Summary::of(record),
        evidence: evidence.map(str::to_owned),
    };
    let head = serde_json::to_vec(&head).map_err(CompactError::Syntax)?;
    if head.len() as u64 >= HEAD_BYTES || (head.len() + body.len()) as u64 > BYTES {
        return Err(CompactError::TooLarge("bytes"));
    }
    // No time and no system in the header: the same run gives the same bytes everywhere.
    let mut gzip = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    let written = [&head[..], b"\n", body.as_bytes(), b"\n"].iter().try_for_each(|part| gzip.write_all(part));
    written.and_then(|()| gzip.finish()).map_err(CompactError::Damaged)
}

/// Returns a record without its cells, which are not copied.
fn without_cells(record: &Record) -> Record {
    Record {
        schema_version: record.schema_version,
        tool_version: record.tool_version.clone(),
        judge: record.judge.clone(),
        platform: record.platform.clone(),
        started: record.started.clone(),
        duration_us: record.duration_us,
        complete: record.complete,
        division: record.division.clone(),
        corpus: record.corpus.clone(),
        peers: record.peers.clone(),
        scenarios: record.scenarios.clone(),
        cells: Vec::new(),
        left_out: record.left_out.clone(),
        stale: record.stale.clone(),
    }
}

/// Reads the head and the record of a compact run.
///
/// # Errors
/// If it is none, is of a later format, is damaged, or contradicts itself.
pub fn decode(bytes: &[u8]) -> Result<(Head, Record), CompactError> {
    let (head, body) = read(bytes)?;
    let record = if head.version == 1 {
        checked(format_1::read(&body)?)?
    } else {
        let (record, cells) = parts(&body)?;
        Record { cells: cells.all()?, ..record }
    };
    if Summary::of(&record) != head.summary {
        return Err(CompactError::Unsound("its first line sums up another run".to_owned()));
    }
    Ok((head, record))
}

/// Reads the verdicts of a compact run, which is much quicker than to read its record.
///
/// # Errors
/// As those of [`decode`], but that neither the first line nor what verdicts do not need is compared with the rest.
pub fn decode_verdicts(bytes: &[u8]) -> Result<RunVerdicts, CompactError> {
    let (head, body) = read(bytes)?;
    if head.version == 1 {
        return Ok(RunVerdicts::of(&checked(format_1::read(&body)?)?));
    }
    let (record, cells) = parts(&body)?;
    cells.verdicts(record)
}

/// Reads the head of a compact run, and what follows it.
fn read(bytes: &[u8]) -> Result<(Head, String), CompactError> {
    let mut reader = BufReader::new(GzDecoder::new(bytes));
    let head = head_of(&mut reader)?;
    let mut body = Vec::new();
    reader.by_ref().take(BYTES + 1).read_to_end(&mut body).map_err(CompactError::Damaged)?;
    if body.len() as u64 > BYTES {
        return Err(CompactError::TooLarge("bytes"));
    }
    if !reader.into_inner().into_inner().is_empty() {
        return Err(CompactError::Trailing);
    }
    if body.pop() != Some(b'\n') || hex(&Sha256::digest(&body)) != head.sha256 {
        return Err(CompactError::Digest);
    }
    let body = String::from_utf8(body).map_err(|_| CompactError::Unsound("it is not UTF-8".to_owned()))?;
    Ok((head, body))
}

/// Reads the record without its cells, and the cells.
fn parts(body: &str) -> Result<(Record, Cells), CompactError> {
    let (beginning, lines) = body.split_once('\n').unwrap_or((body, ""));
    let Beginning { record, names } = serde_json::from_str(beginning).map_err(CompactError::Syntax)?;
    let record = checked(record)?;
    if record.cells.is_empty() {
        Ok((record, Cells::read(names, lines)?))
    } else {
        Err(CompactError::Unsound("its second line has cells".to_owned()))
    }
}

/// Refuses a record of a later format.
fn checked(record: Record) -> Result<Record, CompactError> {
    if record.schema_version > SCHEMA_VERSION {
        return Err(CompactError::Newer { found: record.schema_version });
    }
    Ok(record)
}

/// Reads the head of a compact run and no more of it. Whether the rest is whole is not checked.
///
/// # Errors
/// If it is no compact run, or of a later format.
pub fn read_head(reader: impl Read) -> Result<Head, CompactError> {
    head_of(&mut BufReader::new(GzDecoder::new(BufReader::new(reader))))
}

/// Members of a head of any version.
#[derive(Deserialize)]
struct AnyHead {
    format: String,
    version: u32,
}

fn head_of<R: BufRead>(reader: &mut BufReader<GzDecoder<R>>) -> Result<Head, CompactError> {
    let mut line = Vec::new();
    let read = reader.by_ref().take(HEAD_BYTES).read_until(b'\n', &mut line);
    read.map_err(|error| match reader.get_ref().header() {
        Some(_) => CompactError::Damaged(error),
        None => CompactError::Foreign(format!("it is not a gzip file ({error})")),
    })?;
    let any = serde_json::from_slice::<AnyHead>(&line).ok().filter(|head| head.format == FORMAT);
    let any = any.ok_or_else(|| CompactError::Foreign("its first line does not say that it is one".to_owned()))?;
    if any.version > VERSION {
        return Err(CompactError::Newer { found: any.version });
    }
    serde_json::from_slice(&line).map_err(CompactError::Syntax)
}

/// A line of a compact run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CompactLine {
    /// The first line.
    Head(Box<Head>),
    /// The second line.
    Beginning(Box<Beginning>),
    /// A verdict: a cell as run.json has it, without id, names, transport, duration and line of transcripts. In its
    /// reason and in the ids of its triangle, `{scenario}`, `{client}` and `{server}` stand for names, and `{{` for a brace.
    Verdict(Map<String, Value>),
    /// A cell: scenario, client and server by their places among the names, transport, verdict by its place among the
    /// verdicts, and duration in microseconds.
    Cell(Row),
}

/// Reason why a compact run cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum CompactError {
    #[error("it is not a compact run of mcp-compat: {0}")]
    Foreign(String),
    #[error("it is of format {found}; this version of mcp-compat reads up to {}: update mcp-compat", VERSION)]
    Newer { found: u32 },
    #[error("it is cut off or damaged ({0}): copy it again")]
    Damaged(io::Error),
    #[error("it is damaged: its content does not have the digest that its first line states. Copy it again")]
    Digest,
    #[error("it is damaged: something follows its end. Copy it again")]
    Trailing,
    #[error("it has too many {0} for a run")]
    TooLarge(&'static str),
    #[error("its content is not that of a run: {0}")]
    Syntax(serde_json::Error),
    #[error("cell {} has the {what} {number}, which does not exist", .cell + 1)]
    NoValue {
        /// Kind of thing that it names.
        what: &'static str,
        /// The cell, from 0.
        cell: usize,
        number: u32,
    },
    #[error("the run contradicts itself: {0}")]
    Unsound(String),
}
