//! The known breaks that ship: those of released peers, and of mocks that are built to break.

use std::collections::HashSet;
use std::sync::OnceLock;

use mcp_compat_model::ScenarioId;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_run::baseline::Baseline;

use crate::inputs::corpus::Embedded;

/// Name of the file with the known breaks, among the files of the adapters.
const SHIPPED: &str = "known.toml";

/// Name of the file with the breaks that only a run of the fleet has.
const OF_FLEET: &str = "known-fleet.toml";

/// Known breaks that ship. The files are long and most small runs break nothing, so each is read when it is needed.
#[derive(Debug)]
pub struct Shipped {
    corpus: Embedded,
    /// Breaks of a run without options.
    usual: OnceLock<Baseline>,
    /// Further breaks of a run of the fleet.
    of_fleet: OnceLock<Baseline>,
}

impl Shipped {
    /// Returns the known breaks of the corpus, or those that apply to any scenario if the corpus is not played.
    pub const fn of(corpus: Embedded) -> Self {
        Self { corpus, usual: OnceLock::new(), of_fleet: OnceLock::new() }
    }

    /// Marks the known breaks. A break of a released peer with a scenario of the user is never known, unless no session
    /// opens between the two peers.
    pub fn settle(&self, record: &mut Record) {
        let own = record.scenarios.iter().filter(|scenario| scenario.read_from.is_some());
        let own: HashSet<ScenarioId> = own.map(|scenario| scenario.id.clone()).collect();
        self.mark(&mut record.cells, |scenario| own.contains(scenario));
    }

    /// Marks the known breaks among cells, as [`settle`](Self::settle) does. `is_own` tells the scenarios of the user.
    pub fn mark(&self, cells: &mut [CellRecord], is_own: impl Fn(&ScenarioId) -> bool) {
        let is_unknown = |cell: &CellRecord| cell.rating == Rating::Breaks && cell.known.is_none();
        if !cells.iter().any(is_unknown) {
            return;
        }
        let is_of_fleet = |cell: &CellRecord| [&cell.client, &cell.server].iter().any(|peer| peer.release().is_some());
        let applies_to =
            |cell: &CellRecord| cell.outcome == Outcome::Unreachable || !is_of_fleet(cell) || !is_own(&cell.scenario);
        self.usual().mark_cells(cells, applies_to);
        if cells.iter().any(|cell| is_unknown(cell) && is_of_fleet(cell)) {
            self.of_fleet().mark_cells(cells, applies_to);
            // The entry of a plain run takes precedence over that of the fleet.
            self.usual().mark_cells(cells, applies_to);
        }
    }

    /// Returns the entries of a plain run that no longer apply to this record.
    pub fn gone(&self, record: &Record) -> Vec<String> {
        self.usual().settle_cells(&mut record.cells.clone()).iter().map(ToString::to_string).collect()
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
        for corpus in [Embedded::Played, Embedded::NotPlayed] {
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
