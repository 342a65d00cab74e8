//! The file of a baseline: read before a run, and rewritten after it if the user asks for it.
//!
//! ```text
//! file ── open ── check against the matrix ── (run) ── settle the record, or renew the file and settle with that
//! ```

use std::io;
use std::path::{Path, PathBuf};

use mcp_compat_drive::files::{atomic_file, input_file};
use mcp_compat_model::Cell;
use mcp_compat_model::record::Record;

use crate::baseline::{Baseline, BaselineError, Renewal};

/// The variable that says what becomes of a baseline: `update` makes it anew.
pub const VARIABLE: &str = "MCP_COMPAT_BASELINE";

/// A baseline and where it is kept.
#[derive(Clone, Debug)]
pub struct BaselineFile {
    path: PathBuf,
    text: String,
    baseline: Baseline,
    renews: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum BaselineFileError {
    #[error("cannot read the baseline {}: {error}{}", .path.display(), how_to_begin(.error))]
    Unread { path: PathBuf, error: io::Error },
    #[error("cannot write the baseline {}: {error}", .path.display())]
    Unwritten { path: PathBuf, error: io::Error },
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    #[error("{VARIABLE} is {0:?}, but can only be `update`: unset it to compare the run with the baseline")]
    Variable(String),
}

fn how_to_begin(error: &io::Error) -> String {
    let missing = error.kind() == io::ErrorKind::NotFound;
    if missing { format!("; {VARIABLE}=update begins one with what breaks today") } else { String::new() }
}

impl BaselineFile {
    /// Reads a baseline; [`VARIABLE`] says whether it is to be rewritten. Then it need not exist yet.
    ///
    /// # Errors
    /// If it does not exist, is not a baseline, or the variable has an unknown value.
    pub fn open(path: &Path) -> Result<Self, BaselineFileError> {
        Self::read(path, is_renewal_wanted()?)
    }

    fn read(path: &Path, renews: bool) -> Result<Self, BaselineFileError> {
        let text = match input_file::read_named(path) {
            Ok(text) => text,
            Err(error) if renews && error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(BaselineFileError::Unread { path: path.to_owned(), error }),
        };
        let baseline = Baseline::parse(&path.display().to_string(), &text)?;
        Ok(Self { path: path.to_owned(), text, baseline, renews })
    }

    /// Content of the file.
    pub fn baseline(&self) -> &Baseline {
        &self.baseline
    }

    /// Returns true if the run that it was opened for makes it anew.
    pub fn renews(&self) -> bool {
        self.renews
    }

    /// Marks the known breaks of a record, and notes the entries that no longer hold. If the file is rewritten, that
    /// comes first, and what was done is returned; `matrix` has every cell that could be played.
    ///
    /// # Errors
    /// When the file cannot be written. The record is settled with the one that is there.
    pub fn settle(&self, record: &mut Record, matrix: &[Cell]) -> Result<Option<Renewal>, BaselineFileError> {
        if !self.renews {
            self.baseline.settle(record);
            return Ok(None);
        }
        match self.renew(record, matrix) {
            Ok((renewal, baseline)) => {
                baseline.settle(record);
                Ok(Some(renewal))
            }
            Err(error) => {
                self.baseline.settle(record);
                Err(error)
            }
        }
    }

    fn renew(&self, record: &Record, matrix: &[Cell]) -> Result<(Renewal, Baseline), BaselineFileError> {
        let path = self.path.display().to_string();
        let renewal = Renewal::of(&path, &self.text, record, matrix)?;
        let baseline = Baseline::parse(&path, &renewal.text)?;
        // A baseline is written even if nothing breaks, so that the next run can be compared with it.
        if renewal.text != self.text || !self.path.exists() {
            let unwritten = |error| BaselineFileError::Unwritten { path: self.path.clone(), error };
            atomic_file::replace(&self.path, &renewal.text).map_err(unwritten)?;
        }
        Ok((renewal, baseline))
    }
}

/// Returns true if the environment asks for the baseline to be rewritten.
pub fn is_renewal_wanted() -> Result<bool, BaselineFileError> {
    wants_renewal(std::env::var_os(VARIABLE))
}

fn wants_renewal(said: Option<std::ffi::OsString>) -> Result<bool, BaselineFileError> {
    match said {
        None => Ok(false),
        Some(word) if word == "update" => Ok(true),
        Some(word) => Err(BaselineFileError::Variable(word.to_string_lossy().into_owned())),
    }
}
