//! Content of every report of a run, computed once: totals, the matrix, the distinct causes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use mcp_compat_model::cause::{Cause, causes, causes_of_part};
use mcp_compat_model::count::counted;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::{Finding, Rating};
use mcp_compat_model::{PeerId, ScenarioId, Transport};

use crate::missed::{MissedPairs, missed_pairs};

/// Numbers of cells by rating.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub works: usize,
    pub degraded: usize,
    pub breaks: usize,
    /// Breaks in which the user gets no error.
    pub silent: usize,
    /// Cells that a peer does not support.
    pub skipped: usize,
    /// Breaks that the baseline knows.
    pub known: usize,
}

impl Tally {
    pub fn of<'a>(cells: impl IntoIterator<Item = &'a CellRecord>) -> Self {
        let mut tally = Self::default();
        for cell in cells {
            tally.add(cell);
        }
        tally
    }

    pub fn add(&mut self, cell: &CellRecord) {
        self.count(cell.rating, cell.silent, cell.known.is_some());
    }

    /// Counts a cell by its rating and flags.
    pub fn count(&mut self, rating: Rating, silent: bool, known: bool) {
        match rating {
            Rating::Works => self.works += 1,
            Rating::Degraded => self.degraded += 1,
            Rating::Breaks => {
                self.breaks += 1;
                self.silent += usize::from(silent);
                self.known += usize::from(known);
            }
            Rating::Skipped => self.skipped += 1,
        }
    }

    /// Adds another tally.
    pub fn join(&mut self, other: Self) {
        self.works += other.works;
        self.degraded += other.degraded;
        self.breaks += other.breaks;
        self.silent += other.silent;
        self.skipped += other.skipped;
        self.known += other.known;
    }

    /// Returns the number of cells that were judged.
    pub fn judged(&self) -> usize {
        self.works + self.degraded + self.breaks
    }

    /// Returns the number of breaks that no baseline knows.
    pub fn new_breaks(&self) -> usize {
        self.breaks - self.known
    }
}

/// Clients × servers.
#[derive(Clone, Debug)]
pub struct Matrix<'a> {
    /// The rows: mocks first, then real peers, each by id.
    pub clients: Vec<&'a PeerId>,
    /// The columns, in the same order.
    pub servers: Vec<&'a PeerId>,
    tallies: BTreeMap<(&'a PeerId, &'a PeerId), Tally>,
}

impl<'a> Matrix<'a> {
    pub fn of(record: &'a Record) -> Self {
        let mut tallies = BTreeMap::<_, Tally>::new();
        for cell in &record.cells {
            tallies.entry((&cell.client, &cell.server)).or_default().add(cell);
        }
        let clients = side(tallies.keys().map(|(client, _)| *client));
        let servers = side(tallies.keys().map(|(_, server)| *server));
        Self { clients, servers, tallies }
    }

    /// Text in place of a matrix that is too large to read.
    pub fn too_large(&self) -> Option<String> {
        const PAIRS: usize = 10_000;
        let (clients, servers) = (self.clients.len(), self.servers.len());
        (clients.saturating_mul(servers) > PAIRS).then(|| {
            format!(
                "The matrix of {} and {} is too large to be read, and is left out. `mcp-compat report --where 'client:… server:…'` shows a part of it.",
                counted(clients, "client"),
                counted(servers, "server"),
            )
        })
    }

    /// Tally of a pair; `None` if it was not played.
    pub fn tally(&self, client: &PeerId, server: &PeerId) -> Option<Tally> {
        self.tallies.get(&(client, server)).copied()
    }

    /// Tallies of all pairs that were played.
    pub fn tallies(&self) -> impl Iterator<Item = Tally> {
        self.tallies.values().copied()
    }
}

/// Peers of one side: mocks first, then real peers, each by id.
pub(crate) fn side<'a>(peers: impl Iterator<Item = &'a PeerId>) -> Vec<&'a PeerId> {
    let mut peers: Vec<&PeerId> = peers.collect();
    peers.sort_by_key(|peer| (!peer.is_mock(), peer.as_str()));
    peers.dedup();
    peers
}

/// Everything that a report shows.
#[derive(Clone, Debug)]
pub struct View<'a> {
    pub record: &'a Record,
    /// Path of the run, if commands have to name it.
    pub path: Option<&'a str>,
    /// Over all cells.
    pub total: Tally,
    pub matrix: Matrix<'a>,
    /// Number of scenarios that were played, of those that the record knows.
    pub scenarios: usize,
    pub transports: Vec<Transport>,
    /// Causes of breaks with a cell that no baseline knows.
    pub breaks: Vec<Cause<'a>>,
    /// Causes of breaks of which the baseline knows every cell.
    pub known: Vec<Cause<'a>>,
    pub degraded: Vec<Cause<'a>>,
    /// Clients that accepted an invalid value, and the number of their cells that therefore prove nothing.
    pub vacuous: Vec<(&'a PeerId, usize)>,
    /// Pairs that support a newer revision than the one they negotiated.
    pub missed: Vec<MissedPairs<'a>>,
    /// Reasons for unsupported cells, and the number of cells; the most frequent first.
    pub unsupported: Vec<(&'a str, usize)>,
    /// Transports over which each pair and scenario was played.
    played_over: HashMap<Played<'a>, Vec<Transport>>,
}

/// Scenario and pair, without the transport.
type Played<'a> = (&'a ScenarioId, &'a PeerId, &'a PeerId);

fn played(cell: &CellRecord) -> Played<'_> {
    (&cell.scenario, &cell.client, &cell.server)
}

impl<'a> View<'a> {
    pub fn of(record: &'a Record) -> Self {
        Self::with_causes(record, |rating| causes(&record.cells, rating))
    }

    /// The view of some cells of a run: its causes keep the numbers of the whole run.
    pub fn of_part(part: &'a Record, whole: &[CellRecord]) -> Self {
        Self::with_causes(part, |rating| causes_of_part(&part.cells, whole, rating))
    }

    /// The view with the path of the run.
    pub fn at(self, path: Option<&'a str>) -> Self {
        Self { path, ..self }
    }

    fn with_causes(record: &'a Record, causes: impl Fn(Rating) -> Vec<Cause<'a>>) -> Self {
        let cells = &record.cells;
        let (known, breaks) = causes(Rating::Breaks).into_iter().partition(|cause| cause.new_breaks() == 0);
        let vacuous = cells.iter().filter(|cell| cell.vacuous && cell.rating == Rating::Works);
        let mut unsupported: Vec<_> =
            numbers(cells.iter().filter(|cell| cell.rating == Rating::Skipped).map(|cell| cell.reason.as_str()));
        unsupported.sort_by_key(|(_, number)| Reverse(*number));
        let mut transports: Vec<Transport> = cells.iter().map(|cell| cell.transport).collect();
        transports.sort_unstable();
        transports.dedup();
        let mut played_over = HashMap::<_, Vec<_>>::new();
        for cell in cells {
            played_over.entry(played(cell)).or_default().push(cell.transport);
        }
        Self {
            record,
            path: None,
            total: Tally::of(cells),
            matrix: Matrix::of(record),
            scenarios: numbers(cells.iter().map(|cell| &cell.scenario)).len(),
            transports,
            breaks,
            known,
            degraded: causes(Rating::Degraded),
            missed: missed_pairs(record),
            vacuous: numbers(vacuous.map(|cell| &cell.client)),
            unsupported,
            played_over,
        }
    }

    /// The causes of breaks: new ones first, those that do most damage first.
    pub fn all_breaks(&self) -> impl Iterator<Item = &Cause<'a>> {
        self.breaks.iter().chain(&self.known)
    }

    /// Transports over which the pair and the scenario of this cell were played.
    pub(crate) fn played_over<'v>(&'v self, cell: &'v CellRecord) -> &'v [Transport] {
        self.played_over.get(&played(cell)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the number of cells that were not played.
    pub fn not_played(&self) -> u64 {
        self.record.left_out.iter().fold(0, |sum, left| sum.saturating_add(left.cells))
    }
}

/// Number of cells in the heading of some causes: their new breaks, or all of their cells if there are no new breaks.
pub(crate) fn headed(causes: &[Cause<'_>]) -> usize {
    let new = causes.iter().map(Cause::new_breaks).sum();
    if new > 0 { new } else { causes.iter().map(|cause| cause.cells.len()).sum() }
}

/// Detail of a finding, unless it is the same as the reason of its cell.
pub fn detail<'a>(cell: &CellRecord, finding: &'a Finding) -> Option<&'a str> {
    (finding.detail != cell.reason).then_some(finding.detail.as_str())
}

/// Counts equal items, in order.
fn numbers<T: Ord>(items: impl Iterator<Item = T>) -> Vec<(T, usize)> {
    let mut numbers = BTreeMap::new();
    for item in items {
        *numbers.entry(item).or_default() += 1;
    }
    numbers.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_that_is_too_large_is_not_shown() {
        let peer = PeerId::new("mock/dual").unwrap();
        let words = |clients: usize, servers: usize| {
            let (clients, servers) = (vec![&peer; clients], vec![&peer; servers]);
            Matrix { clients, servers, tallies: BTreeMap::new() }.too_large()
        };
        assert_eq!(words(100, 100), None);
        assert!(words(100, 101).unwrap().starts_with("The matrix of 100 clients and 101 servers is too large"));
    }
}
