//! The baseline that a run is compared with: the known breaks that ship, or a file of the user.

use std::path::Path;

use crate::inputs::corpus::Embedded;
use crate::inputs::shipped_breaks::Shipped;
use anyhow::{Result, bail};
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::{Cell, ScenarioId};
use mcp_compat_run::baseline::Renewal;
use mcp_compat_run::baseline_file::{BaselineFile, BaselineFileError};
use mcp_compat_run::request::RequestError;

/// Value of `--baseline` for no baseline.
const NONE: &str = "none";

/// Reason for which a file in YAML is not read.
const YAML: &str = "baselines are TOML; the YAML of the official conformance suite is not read. \
    Give a .toml; MCP_COMPAT_BASELINE=update makes it from what breaks";

/// A baseline that was read, but not yet compared with what can be played.
#[derive(Debug)]
pub(crate) enum Unchecked {
    Shipped(Shipped),
    Own(BaselineFile),
}

#[derive(Debug)]
pub(crate) enum KnownBreaks {
    /// Known breaks that ship: those of released peers, and of mocks that are built to break.
    Shipped(Shipped),
    Own {
        file: BaselineFile,
        /// Every cell that could be played, if the file is rewritten.
        matrix: Vec<Cell>,
    },
}

/// Returns whether the value of `--baseline` names a file.
pub(crate) fn is_own(named: &Path) -> bool {
    named != Path::new(NONE)
}

pub(crate) fn open(path: &Path) -> Result<BaselineFile> {
    if path.extension().is_some_and(|extension| extension == "yml" || extension == "yaml") {
        bail!("cannot read the baseline {}: {YAML}", path.display());
    }
    Ok(BaselineFile::open(path)?)
}

impl Unchecked {
    /// Returns the baseline of a run: the file that is named, or the one that ships. `None` if the user wants none.
    pub(crate) fn of_run(named: Option<&Path>, corpus: Embedded) -> Result<Option<Self>> {
        match named {
            None => Ok(Some(Self::Shipped(Shipped::of(corpus)))),
            Some(path) if !is_own(path) => Ok(None),
            Some(path) => Ok(Some(Self::Own(open(path)?))),
        }
    }

    /// Compares the entries with all cells that can be played; `matrix` plans the cells of the scenarios that the
    /// predicate accepts.
    pub(crate) fn checked(self, matrix: impl Fn(&dyn Fn(&ScenarioId) -> bool) -> Vec<Cell>) -> Result<KnownBreaks> {
        Ok(match self {
            Self::Own(file) => {
                if !file.renews() && file.baseline().check(&matrix(&file.baseline().may_name())).is_ok() {
                    return Ok(KnownBreaks::Own { matrix: Vec::new(), file });
                }
                // Rewriting needs all cells, and so does an error, which names the nearest one.
                let matrix = matrix(&|_| true);
                file.baseline().check(&matrix).map_err(RequestError::from)?;
                KnownBreaks::Own { matrix: if file.renews() { matrix } else { Vec::new() }, file }
            }
            // It names releases that may not be installed, so it is not checked.
            Self::Shipped(shipped) => KnownBreaks::Shipped(shipped),
        })
    }
}

impl KnownBreaks {
    /// Rewrites the file if that is wanted, then marks the known breaks of a record and notes the entries that no
    /// longer apply.
    pub(crate) fn settle(&self, record: &mut Record) -> Result<Option<Renewal>, BaselineFileError> {
        match self {
            Self::Own { file, matrix } => file.settle(record, matrix),
            Self::Shipped(shipped) => {
                shipped.settle(record);
                Ok(None)
            }
        }
    }

    /// Returns whether the break of a cell is known. `is_own` tells the scenarios of the user.
    pub(crate) fn has(&self, cell: &CellRecord, is_own: impl Fn(&ScenarioId) -> bool) -> bool {
        let mut cells = [cell.clone()];
        match self {
            Self::Own { file, .. } => file.baseline().mark_cells(&mut cells, |_| true),
            Self::Shipped(shipped) => shipped.mark(&mut cells, is_own),
        }
        cells[0].known.is_some()
    }

    /// Returns the shipped breaks that no longer break, given the record of a run of everything.
    pub(crate) fn gone(&self, record: &Record) -> Vec<String> {
        match self {
            Self::Shipped(shipped) => shipped.gone(record),
            Self::Own { .. } => Vec::new(),
        }
    }

    /// Marks the known breaks as [`settle`](Self::settle) does, without rewriting the file.
    pub(crate) fn hold(&self, record: &mut Record) {
        match self {
            Self::Own { file, .. } => file.baseline().settle(record),
            Self::Shipped(shipped) => shipped.settle(record),
        }
    }
}
