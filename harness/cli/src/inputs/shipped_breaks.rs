//! The breaks that ship as known: those of released peers, and of mocks that are built to break.

use std::collections::HashSet;
use std::sync::OnceLock;

use mcp_compat_model::ScenarioId;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_run::baseline::Baseline;

use crate::inputs::corpus::Embedded;

/// The file of the adapters with the breaks that ship as known, and that with those that only a run of the fleet has.
const SHIPPED: &str = "known.toml";
const OF_FLEET: &str = "known-fleet.toml";

/// What ships as known. Its files are long, and most runs of a few cells break nothing: each is read when it is asked for.
#[derive(Debug)]
pub struct Shipped {
    corpus: Embedded,
    /// What a plain run finds, all of it.
    usual: OnceLock<Baseline>,
    /// What a run of the fleet finds besides.
    of_fleet: OnceLock<Baseline>,
}

impl Shipped {
    /// What is known of the corpus, or of any scenario.
    #[must_use]
    pub const fn of(corpus: Embedded) -> Self {
        Self { corpus, usual: OnceLock::new(), of_fleet: OnceLock::new() }
    }

    /// Marks the known breaks. What a released peer does with a scenario of the user's own is never known, unless there is
    /// no session between the two peers, whatever is played.
    pub fn settle(&self, record: &mut Record) {
        let is_unknown = |cell: &CellRecord| cell.rating == Rating::Breaks && cell.known.is_none();
        if !record.cells.iter().any(is_unknown) {
            return;
        }
        let own = record.scenarios.iter().filter(|scenario| scenario.read_from.is_some());
        let own: HashSet<ScenarioId> = own.map(|scenario| scenario.id.clone()).collect();
        let is_of_fleet = |cell: &CellRecord| [&cell.client, &cell.server].iter().any(|peer| peer.release().is_some());
        let applies_to = |cell: &CellRecord| {
            cell.outcome == Outcome::Unreachable || !is_of_fleet(cell) || !own.contains(&cell.scenario)
        };
        self.usual().mark_cells(&mut record.cells, applies_to);
        if record.cells.iter().any(|cell| is_unknown(cell) && is_of_fleet(cell)) {
            self.of_fleet().mark_cells(&mut record.cells, applies_to);
            // What a plain run finds is said in its words, also where the fleet has an entry for it.
            self.usual().mark_cells(&mut record.cells, applies_to);
        }
    }

    /// What a plain run finds otherwise, and this record does not show.
    #[must_use]
    pub fn gone(&self, record: &Record) -> Vec<String> {
        self.usual().settle_cells(&mut record.cells.clone())
    }

    fn usual(&self) -> &Baseline {
        self.usual.get_or_init(|| self.read(SHIPPED))
    }

    fn of_fleet(&self) -> &Baseline {
        self.of_fleet.get_or_init(|| self.read(OF_FLEET))
    }

    fn read(&self, file: &str) -> Baseline {
        let text = mcp_compat_fleet::adapters::text(file).unwrap_or_else(|| unreachable!("{file} is embedded"));
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

    #[test]
    fn what_only_the_fleet_finds_is_about_releases() {
        let text = mcp_compat_fleet::adapters::text(OF_FLEET).unwrap();
        let cells: Vec<&str> = text.lines().filter(|line| line.starts_with("cells = ")).collect();
        let is_of_release = |line: &&str| line.contains('@') && !line.contains("profile/");
        assert!(!cells.is_empty() && cells.iter().all(is_of_release), "{cells:#?}");
    }
}
