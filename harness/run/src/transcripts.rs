//! Reads `transcripts.jsonl`: what happened in the cells of a run.
//!
//! Whoever reads evidence reads it here. The file is never in memory as a whole.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use mcp_compat_drive::input_file;
use mcp_compat_model::CellId;
use mcp_compat_model::record::{Evidence, TranscriptLine};

use crate::store::StoreError;

/// The name of the file in the folder of a run.
pub(crate) const TRANSCRIPTS: &str = "transcripts.jsonl";

/// The evidence of a run, in the order of its cells.
#[derive(Debug)]
pub struct Transcripts {
    path: PathBuf,
    file: BufReader<File>,
}

impl Transcripts {
    /// Opens the transcripts in the folder of a run.
    ///
    /// # Errors
    /// If they cannot be opened.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(TRANSCRIPTS);
        let file = input_file::open(&path).map_err(|error| StoreError::Read { path: path.clone(), error })?;
        Ok(Self::of_file(path, file))
    }

    /// Reads transcripts from a file that is open. Errors name `path`.
    #[must_use]
    pub fn of_file(path: PathBuf, file: File) -> Self {
        Self { path, file: BufReader::new(file) }
    }

    /// What happened in the next cell, or `None` after the last one.
    ///
    /// # Errors
    /// If the file cannot be read, or is not what a run writes.
    pub fn next_cell(&mut self) -> Result<Option<Evidence>, StoreError> {
        let mut line = String::new();
        let read = self.file.read_line(&mut line);
        read.map_err(|error| StoreError::Read { path: self.path.clone(), error })?;
        if line.is_empty() {
            return Ok(None);
        }
        let line = serde_json::from_str(&line);
        match line.map_err(|error| StoreError::Syntax { path: self.path.clone(), error })? {
            TranscriptLine::Cell(evidence) => Ok(Some(evidence.into_owned())),
            TranscriptLine::Footer { .. } => Ok(None),
        }
    }

    /// What happened in a cell. [`Self::next_cell`] goes on after it.
    ///
    /// # Errors
    /// If the file cannot be read, is not what a run writes, or does not have the cell.
    pub fn of_cell(&mut self, cell: &CellId) -> Result<Evidence, StoreError> {
        self.file.seek(SeekFrom::Start(0)).map_err(|error| StoreError::Read { path: self.path.clone(), error })?;
        while let Some(evidence) = self.next_cell()? {
            if evidence.cell.id() == *cell {
                return Ok(evidence);
            }
        }
        Err(StoreError::NoTranscript { path: self.path.clone(), cell: cell.clone() })
    }
}
