//! The bytes of a compact run.

use std::io::{BufRead, BufReader, Read, Write as _};

use flate2::bufread::GzDecoder;
use flate2::{Compression, GzBuilder};
use mcp_compat_model::record::{Record, SCHEMA_VERSION};
use mcp_compat_model::run_verdicts::RunVerdicts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::VERSION;
use super::columns::Columns;
use super::error::CompactError;
use super::summary::{Summary, hex};

/// What every head says of itself.
const FORMAT: &str = "mcp-compat-run";

/// How long a head may be.
const HEAD_BYTES: u64 = 64 << 10;

/// How much there may be once it is decompressed: sixteen times a run of the whole fleet.
const BYTES: u64 = 128 << 20;

/// The first line of a compact run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Head {
    /// `mcp-compat-run`
    pub format: String,
    /// The version of the format.
    pub version: u32,
    /// The digest of the second line: SHA-256, in hexadecimal digits.
    pub sha256: String,
    /// What the run comes to.
    pub summary: Summary,
    /// The name of the evidence of its breaks in the history: `evidence/<name>.gz`. The file may be gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

/// The second line of a compact run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompactRun {
    /// The record, without its cells.
    pub record: Record,
    /// The cells.
    pub cells: Columns,
}

/// The compact form of a record. Equal records give equal bytes.
///
/// `evidence` is the name of the evidence of its breaks, if that is kept.
///
/// # Errors
/// If the record contradicts itself, or is larger than any run.
pub fn encode(record: &Record, evidence: Option<&str>) -> Result<Vec<u8>, CompactError> {
    let cells = Columns::of(&record.cells)?;
    let body =
        serde_json::to_vec(&CompactRun { record: without_cells(record), cells }).map_err(CompactError::Syntax)?;
    let head = Head {
        format: FORMAT.to_owned(),
        version: VERSION,
        sha256: hex(&Sha256::digest(&body)),
        summary: Summary::of(record),
        evidence: evidence.map(str::to_owned),
    };
    let head = serde_json::to_vec(&head).map_err(CompactError::Syntax)?;
    if head.len() as u64 >= HEAD_BYTES || (head.len() + body.len()) as u64 > BYTES {
        return Err(CompactError::TooLarge("bytes"));
    }
    // No time and no system in the header: the same run gives the same bytes everywhere.
    let mut gzip = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    let written = [&head[..], b"\n", &body, b"\n"].iter().try_for_each(|part| gzip.write_all(part));
    written.and_then(|()| gzip.finish()).map_err(CompactError::Damaged)
}

/// A record without its cells. They are not copied.
fn without_cells(record: &Record) -> Record {
    Record {
        schema_version: record.schema_version,
        tool_version: record.tool_version.clone(),
        judge: record.judge.clone(),
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

/// The head and the record of a compact run.
///
/// # Errors
/// If it is none, is of a later format, is damaged, or contradicts itself.
pub fn decode(bytes: &[u8]) -> Result<(Head, Record), CompactError> {
    let (head, CompactRun { mut record, cells }) = read(bytes)?;
    record.cells = cells.cells()?;
    if Summary::of(&record) != head.summary {
        return Err(CompactError::Unsound("its first line sums up another run".to_owned()));
    }
    Ok((head, record))
}

/// The verdicts of a compact run. They are much quicker to read than its record.
///
/// # Errors
/// As those of [`decode`], but that neither the first line nor what verdicts do not need is compared with the rest.
pub fn decode_verdicts(bytes: &[u8]) -> Result<RunVerdicts, CompactError> {
    let (_, CompactRun { record, cells }) = read(bytes)?;
    cells.verdicts(record)
}

/// The head of a compact run, and the run.
fn read(bytes: &[u8]) -> Result<(Head, CompactRun), CompactError> {
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
    let run: CompactRun = serde_json::from_slice(&body).map_err(CompactError::Syntax)?;
    if run.record.schema_version > SCHEMA_VERSION {
        return Err(CompactError::Newer { found: run.record.schema_version });
    }
    if !run.record.cells.is_empty() {
        return Err(CompactError::Unsound("it has cells beside its columns".to_owned()));
    }
    Ok((head, run))
}

/// The head of a compact run, without reading more of it. Whether the rest is whole is not checked.
///
/// # Errors
/// If it is no compact run, or of a later format.
pub fn read_head(reader: impl Read) -> Result<Head, CompactError> {
    head_of(&mut BufReader::new(GzDecoder::new(BufReader::new(reader))))
}

/// What a head of any version has.
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

/// A line of a compact run: the head, and then the run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CompactLine {
    /// The first line.
    Head(Box<Head>),
    /// The second line.
    Run(Box<CompactRun>),
}
