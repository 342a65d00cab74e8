//! Reads transcripts, cell by cell or one cell of them.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{BufRead as _, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcp_compat_drive::files::input_file;
use mcp_compat_model::CellId;
use mcp_compat_model::record::{Evidence, TranscriptLine};
use mcp_compat_model::shared_evidence::SharedEvidence;

use super::expand::{expand, references};
use super::pieces::{Number, Pieces, Weighed, drain};
use crate::store::StoreError;

/// The name of the file in the folder of a run.
pub const TRANSCRIPTS: &str = "transcripts.jsonl";

/// Length limit of a line. The tap keeps 64 MiB of each side, and JSON may double that.
const LINE_BYTES: u64 = 256 << 20;

/// Size limit of the evidence of a cell once everything is written out.
const CELL_BYTES: usize = 256 << 20;

/// Weight of a reference beside the bytes of its piece.
const REFERENCE: usize = 128;

/// The evidence of a run, in the order of its cells.
#[derive(Debug)]
pub struct Transcripts<R = File> {
    path: PathBuf,
    file: BufReader<R>,
    /// Place in the file at which the next byte is read.
    at: u64,
    /// Places at which the lines of cells begin, as far as the file was read.
    lines: Vec<u64>,
    /// Place at which the first line begins that was not read yet.
    end: u64,
    /// True once the footer was read.
    has_ended: bool,
    /// Number of the next line, from 0.
    next: usize,
    pieces: Pieces,
    /// The lines of the cells that were read, by hashes of their ids.
    places: HashMap<u64, usize>,
    key: RandomState,
}

enum CellLine {
    Shared(SharedEvidence),
    WrittenOut(Evidence),
}

impl CellLine {
    fn id(&self) -> CellId {
        match self {
            Self::Shared(shared) => shared.cell.clone(),
            Self::WrittenOut(evidence) => evidence.cell.id(),
        }
    }
}

impl Transcripts {
    /// Opens the transcripts in the folder of a run.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(TRANSCRIPTS);
        let file = input_file::open(&path).map_err(|error| StoreError::Read { path: path.clone(), error })?;
        Ok(Self::of_file(path, file))
    }
}

impl<R: Read + Seek> Transcripts<R> {
    /// Reads transcripts from a file that is open, from its beginning. Errors name `path`.
    pub fn of_file(path: PathBuf, file: R) -> Self {
        Self {
            path,
            file: BufReader::new(file),
            at: 0,
            lines: Vec::new(),
            end: 0,
            has_ended: false,
            next: 0,
            pieces: Pieces::default(),
            places: HashMap::new(),
            key: RandomState::new(),
        }
    }

    /// Reads the evidence of the next cell; `None` after the last one.
    ///
    /// # Errors
    /// If the file cannot be read, or is not what a run writes: a line is torn, refers to what the file does not have, or
    /// is more than a cell can be, or the footer is missing or has another number of cells.
    pub fn next_cell(&mut self) -> Result<Option<Evidence>, StoreError> {
        let Some(line) = self.next_line()? else { return Ok(None) };
        self.evidence(line, self.next - 1).map(Some)
    }

    /// Reads the id of the next cell and passes over its evidence; `None` after the last one.
    pub fn next_id(&mut self) -> Result<Option<CellId>, StoreError> {
        Ok(self.next_line()?.map(|line| line.id()))
    }

    /// Reads the id of the next cell, and whether its evidence is kept whole; `None` after the last one.
    pub fn next_outline(&mut self) -> Result<Option<(CellId, bool)>, StoreError> {
        let outline = |line: CellLine| match line {
            CellLine::Shared(shared) => (shared.cell, !shared.shortened),
            CellLine::WrittenOut(evidence) => (evidence.cell.id(), !evidence.shortened),
        };
        Ok(self.next_line()?.map(outline))
    }

    /// Reads the evidence of a cell. The next cell stays the same.
    ///
    /// # Errors
    /// If the file cannot be read, is not what a run writes, or does not have the cell.
    pub fn of_cell(&mut self, cell: &CellId) -> Result<Evidence, StoreError> {
        let hash = self.key.hash_one(cell);
        let (line, number) = loop {
            if let Some(number) = self.places.get(&hash).copied() {
                break (self.known_line(number)?, number);
            }
            if self.read_on()?.is_none() {
                return Err(StoreError::NoTranscript { path: self.path.clone(), cell: cell.clone() });
            }
        };
        self.evidence(line, number)
    }

    fn next_line(&mut self) -> Result<Option<CellLine>, StoreError> {
        let line = if self.next < self.lines.len() { Some(self.known_line(self.next)?) } else { self.read_on()? };
        self.next += usize::from(line.is_some());
        Ok(line)
    }

    /// The first line that was not read yet, or `None` after the last one.
    fn read_on(&mut self) -> Result<Option<CellLine>, StoreError> {
        if self.has_ended {
            return Ok(None);
        }
        let (offset, number) = (self.end, self.lines.len());
        let text = self.read_line(offset, number)?;
        let line = if text.is_empty() {
            let why = "the file ends before its last line, which has the number of cells";
            return Err(self.wrong(number, why));
        } else {
            self.parse(&text, number)?
        };
        self.end = self.at;
        let mut line = match line {
            TranscriptLine::Evidence(shared) => CellLine::Shared(shared),
            TranscriptLine::Cell(evidence) => CellLine::WrittenOut(evidence.into_owned()),
            TranscriptLine::Footer { cells } if cells == number as u64 => {
                self.has_ended = true;
                return Ok(None);
            }
            TranscriptLine::Footer { cells } => {
                return Err(self.wrong(number, format!("the footer counts {cells} cells; the file has {number}")));
            }
        };
        if let CellLine::Shared(shared) = &mut line {
            self.pieces.take(shared, offset).map_err(|why| self.wrong(number, why))?;
            if let Some((kind, missing)) = references(shared).find(|number| !self.pieces.has(*number)) {
                let kind = kind.as_str();
                return Err(self.wrong(number, format!("it refers to {kind} {missing}, which the file does not have")));
            }
        }
        self.lines.push(offset);
        self.places.entry(self.key.hash_one(line.id())).or_insert(number);
        Ok(Some(line))
    }

    /// A line that was read before.
    fn known_line(&mut self, number: usize) -> Result<CellLine, StoreError> {
        let offset = self.lines[number];
        let text = self.read_line(offset, number)?;
        match self.parse(&text, number)? {
            TranscriptLine::Evidence(shared) => Ok(CellLine::Shared(shared)),
            TranscriptLine::Cell(evidence) => Ok(CellLine::WrittenOut(evidence.into_owned())),
            TranscriptLine::Footer { .. } => Err(self.changed(number)),
        }
    }

    fn evidence(&mut self, line: CellLine, number: usize) -> Result<Evidence, StoreError> {
        let shared = match line {
            CellLine::Shared(shared) => shared,
            CellLine::WrittenOut(evidence) => return Ok(evidence),
        };
        let pieces = self.resolve(&shared, number)?;
        let weight = references(&shared).map(|number| pieces.get(&number).map_or(0, |piece| piece.size) + REFERENCE);
        if weight.fold(0, usize::saturating_add) > CELL_BYTES {
            return Err(self.wrong(number, format!("its messages have more than {} MiB", CELL_BYTES >> 20)));
        }
        expand(shared, &pieces).map_err(|why| self.wrong(number, why))
    }

    /// Everything that a line refers to. Each line of the file is read again once at most.
    fn resolve(&mut self, shared: &SharedEvidence, number: usize) -> Result<HashMap<Number, Arc<Weighed>>, StoreError> {
        let mut missing: Vec<Number> = references(shared).collect();
        missing.sort_unstable();
        missing.dedup();
        let mut found = HashMap::new();
        missing.retain(|number| match self.pieces.cached(*number) {
            Some(piece) => found.insert(*number, Arc::clone(piece)).is_some(),
            None => true,
        });
        let mut size: usize = found.values().map(|piece| piece.size).sum();
        for wanted in &missing {
            if found.contains_key(wanted) {
                continue;
            }
            let (offset, first) = self.pieces.place(*wanted).ok_or_else(|| self.changed(number))?;
            let text = self.read_line(offset, number)?;
            let TranscriptLine::Evidence(mut line) = self.parse(&text, number)? else {
                return Err(self.changed(number));
            };
            for (number, piece) in drain(&mut line, first) {
                if missing.binary_search(&number).is_ok() {
                    let piece = Arc::new(Weighed::from(piece));
                    size = size.saturating_add(piece.size);
                    self.pieces.remember(number, Arc::clone(&piece));
                    found.insert(number, piece);
                }
            }
            if size > CELL_BYTES {
                return Err(self.wrong(number, format!("its messages have more than {} MiB", CELL_BYTES >> 20)));
            }
        }
        Ok(found)
    }

    /// The line that begins at a place of the file; empty at its end.
    fn read_line(&mut self, offset: u64, number: usize) -> Result<String, StoreError> {
        let unreadable = |path: &Path, error| StoreError::Read { path: path.to_owned(), error };
        if offset != self.at {
            // Both are within a file, whose length is less than half of what the type can hold.
            let distance = offset.cast_signed() - self.at.cast_signed();
            self.file.seek_relative(distance).map_err(|error| unreadable(&self.path, error))?;
            self.at = offset;
        }
        let mut line = Vec::new();
        let read = self.file.by_ref().take(LINE_BYTES + 1).read_until(b'\n', &mut line);
        self.at += line.len() as u64;
        read.map_err(|error| unreadable(&self.path, error))?;
        if line.len() as u64 > LINE_BYTES {
            return Err(self.wrong(number, format!("it is longer than {} MiB", LINE_BYTES >> 20)));
        }
        String::from_utf8(line).map_err(|_| self.wrong(number, "it is not UTF-8"))
    }

    fn parse(&self, text: &str, number: usize) -> Result<TranscriptLine<'static>, StoreError> {
        let torn = if text.ends_with('\n') { "" } else { "it is cut off: " };
        serde_json::from_str(text).map_err(|error| self.wrong(number, format!("{torn}{error}")))
    }

    fn wrong(&self, number: usize, why: impl Into<String>) -> StoreError {
        StoreError::Transcript { path: self.path.clone(), line: number as u64 + 1, why: why.into() }
    }

    fn changed(&self, number: usize) -> StoreError {
        self.wrong(number, "the file changed while it was read")
    }
}
