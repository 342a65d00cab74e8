//! The baseline that a run is compared with: what ships as known, a file of ours, or that of the official conformance
//! suite.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use anyhow::{Result, bail};
use mcp_compat_inputs::conformance;
use mcp_compat_inputs::corpus::Embedded;
use mcp_compat_model::count::counted;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::{Cell, ScenarioId};
use mcp_compat_run::baseline::{Baseline, ConformanceBaseline, Renewal};
use mcp_compat_run::baseline_file::{BaselineFile, BaselineFileError, VARIABLE, is_renewal_wanted};
use mcp_compat_run::request::RequestError;
use mcp_compat_scenario::Scenario;

use crate::output::eprintln;

/// What stands for no baseline at all.
const NONE: &str = "none";

/// The file of the adapters with the breaks that ship as known, and that with those that only a run of the fleet has.
const SHIPPED: &str = "known.toml";
const OF_FLEET: &str = "known-fleet.toml";

/// A baseline that was read, but not yet compared with what can be played.
#[derive(Debug)]
pub(crate) enum Unchecked {
    Shipped(Shipped),
    Own(BaselineFile),
    Conformance(ConformanceBaseline),
}

/// The baseline of a run.
#[derive(Debug)]
pub(crate) enum KnownBreaks {
    /// What ships as known: the breaks of released peers, and of mocks that are built to break.
    Shipped(Shipped),
    Own {
        file: BaselineFile,
        /// Every cell that could be played, if the file is rewritten.
        matrix: Vec<Cell>,
    },
    Conformance(ConformanceBaseline),
}

/// Whether a file is one of the conformance suite: those are YAML.
pub(crate) fn is_of_conformance(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yml" || extension == "yaml")
}

/// Reads a baseline of the conformance suite, and says how much of it is not about these scenarios.
pub(crate) fn of_conformance(path: &Path, scenarios: &[&ScenarioId]) -> Result<ConformanceBaseline> {
    if is_renewal_wanted()? {
        bail!(
            "{VARIABLE} cannot rewrite {}, because the conformance suite keeps entries of its own there: unset the \
             variable, or give a .toml as --baseline",
            path.display()
        );
    }
    let baseline = ConformanceBaseline::new(&path.display().to_string(), &conformance::read(path)?, scenarios)?;
    if baseline.passed_over() > 0 {
        let lines = counted(baseline.passed_over(), "line");
        eprintln!("the baseline: ignored {lines} of {} about other scenarios", path.display());
    }
    Ok(baseline)
}

impl Unchecked {
    /// The baseline of a run: the file that is named, or what ships. `None` if the user wants none.
    ///
    /// # Errors
    /// When the file cannot be read, or not as a baseline.
    pub(crate) fn of_run(named: Option<&Path>, corpus: Embedded, scenarios: &[Arc<Scenario>]) -> Result<Option<Self>> {
        match named {
            None => Ok(Some(Self::Shipped(Shipped::of(corpus)))),
            Some(path) if path == Path::new(NONE) => Ok(None),
            Some(path) => Self::open(path, scenarios).map(Some),
        }
    }

    /// Reads the file.
    ///
    /// # Errors
    /// When it cannot be read, or not as a baseline.
    pub(crate) fn open(path: &Path, scenarios: &[Arc<Scenario>]) -> Result<Self> {
        if !is_of_conformance(path) {
            return Ok(Self::Own(BaselineFile::open(path)?));
        }
        let ids: Vec<&ScenarioId> = scenarios.iter().map(|scenario| &scenario.id).collect();
        Ok(Self::Conformance(of_conformance(path, &ids)?))
    }

    /// Holds it against all that can be played.
    ///
    /// # Errors
    /// When an entry fits nothing of it.
    pub(crate) fn checked(self, matrix: impl FnOnce() -> Vec<Cell>) -> Result<KnownBreaks> {
        Ok(match self {
            Self::Own(file) => {
                let matrix = matrix();
                file.baseline().check(&matrix).map_err(RequestError::from)?;
                KnownBreaks::Own { matrix: if file.renews() { matrix } else { Vec::new() }, file }
            }
            Self::Conformance(baseline) => KnownBreaks::Conformance(baseline),
            // It names releases that need not be here.
            Self::Shipped(shipped) => KnownBreaks::Shipped(shipped),
        })
    }
}

impl KnownBreaks {
    /// Marks the known breaks of a record, and notes the entries that no longer hold. If the file is rewritten, that
    /// comes first.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn settle(&self, record: &mut Record) -> Result<Option<Renewal>, BaselineFileError> {
        match self {
            Self::Own { file, matrix } => file.settle(record, matrix),
            Self::Conformance(baseline) => {
                baseline.settle(record);
                Ok(None)
            }
            Self::Shipped(shipped) => {
                shipped.settle(record);
                Ok(None)
            }
        }
    }

    /// What ships as known and no longer breaks, if the record is of a run of everything.
    pub(crate) fn gone(&self, record: &Record) -> Vec<String> {
        match self {
            Self::Shipped(shipped) => shipped.usual().settle_cells(&mut record.cells.clone()),
            Self::Own { .. } | Self::Conformance(_) => Vec::new(),
        }
    }

    /// The same, with the file as it is.
    pub(crate) fn hold(&self, record: &mut Record) {
        match self {
            Self::Own { file, .. } => file.baseline().settle(record),
            Self::Conformance(baseline) => baseline.settle(record),
            Self::Shipped(shipped) => shipped.settle(record),
        }
    }
}

/// What ships as known. Its files are long, and most runs of a few cells break nothing: each is read when it is asked for.
#[derive(Debug)]
pub(crate) struct Shipped {
    corpus: Embedded,
    /// What a plain run finds, all of it.
    usual: OnceLock<Baseline>,
    /// What a run of the fleet finds besides.
    of_fleet: OnceLock<Baseline>,
}

impl Shipped {
    /// What is known of the corpus, or of any scenario.
    const fn of(corpus: Embedded) -> Self {
        Self { corpus, usual: OnceLock::new(), of_fleet: OnceLock::new() }
    }

    /// Marks the known breaks.
    fn settle(&self, record: &mut Record) {
        let is_unknown = |cell: &CellRecord| cell.rating == Rating::Breaks && cell.known.is_none();
        if !record.cells.iter().any(is_unknown) {
            return;
        }
        self.usual().mark_cells(&mut record.cells);
        if record.cells.iter().any(is_unknown) {
            self.of_fleet().mark_cells(&mut record.cells);
            // What a plain run finds is said in its words, also where the fleet has an entry for it.
            self.usual().mark_cells(&mut record.cells);
        }
    }

    fn usual(&self) -> &Baseline {
        self.usual.get_or_init(|| self.read(SHIPPED))
    }

    fn of_fleet(&self) -> &Baseline {
        self.of_fleet.get_or_init(|| self.read(OF_FLEET))
    }

    fn read(&self, file: &str) -> Baseline {
        let text = mcp_compat_adapters::text(file).unwrap_or_else(|| unreachable!("{file} is embedded"));
        let baseline =
            Baseline::parse(file, &text).unwrap_or_else(|error| unreachable!("a test reads {file}: {error}"));
        if self.corpus == Embedded::Played { baseline } else { baseline.of_any_scenario() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ships_as_known_can_be_read() {
        for corpus in [Embedded::Played, Embedded::LeftOut] {
            let shipped = Shipped::of(corpus);
            let _ = (shipped.usual(), shipped.of_fleet());
        }
    }
}
