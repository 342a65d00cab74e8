//! What every format shows, computed once: totals, the matrix, the distinct causes.

use std::collections::BTreeMap;

use mcp_compat_model::PeerId;
use mcp_compat_model::cause::{Cause, causes};
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::Rating;

/// How many cells fared how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Cells that work.
    pub works: usize,
    /// Cells that degrade.
    pub degraded: usize,
    /// Cells that break.
    pub breaks: usize,
    /// Of those that break: nobody is told.
    pub silent: usize,
    /// Cells that a peer does not support.
    pub skipped: usize,
    /// Of those that break: the baseline knows.
    pub known: usize,
    /// Of those that work: the client took the control too, so it checks nothing.
    pub vacuous: usize,
}

impl Tally {
    /// Counts cells.
    #[must_use]
    pub fn of<'a>(cells: impl IntoIterator<Item = &'a CellRecord>) -> Self {
        let mut tally = Self::default();
        for cell in cells {
            match cell.rating {
                Rating::Works => tally.works += 1,
                Rating::Degraded => tally.degraded += 1,
                Rating::Breaks => tally.breaks += 1,
                Rating::Skipped => tally.skipped += 1,
            }
            tally.silent += usize::from(cell.silent && cell.rating == Rating::Breaks);
            tally.known += usize::from(cell.known.is_some());
            tally.vacuous += usize::from(cell.vacuous && cell.rating == Rating::Works);
        }
        tally
    }

    /// How many cells were judged.
    #[must_use]
    pub fn judged(&self) -> usize {
        self.works + self.degraded + self.breaks
    }

    /// How many breaks no baseline knows of.
    #[must_use]
    pub fn new_breaks(&self) -> usize {
        self.breaks - self.known.min(self.breaks)
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
    /// The matrix of a record.
    #[must_use]
    pub fn of(record: &'a Record) -> Self {
        let mut cells = BTreeMap::<_, Vec<&CellRecord>>::new();
        for cell in &record.cells {
            cells.entry((&cell.client, &cell.server)).or_default().push(cell);
        }
        let tallies = cells.into_iter().map(|(pair, cells)| (pair, Tally::of(cells))).collect::<BTreeMap<_, _>>();
        let clients = side(tallies.keys().map(|(client, _)| *client));
        let servers = side(tallies.keys().map(|(_, server)| *server));
        Self { clients, servers, tallies }
    }

    /// How a pair fared; `None` when it was not played.
    #[must_use]
    pub fn tally(&self, client: &PeerId, server: &PeerId) -> Option<Tally> {
        self.tallies.get(&(client, server)).copied()
    }
}

fn side<'a>(peers: impl Iterator<Item = &'a PeerId>) -> Vec<&'a PeerId> {
    let mut peers: Vec<&PeerId> = peers.collect();
    peers.sort_by_key(|peer| (!peer.is_mock(), peer.as_str()));
    peers.dedup();
    peers
}

/// Everything that a report shows.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// The record.
    pub record: &'a Record,
    /// Over all cells.
    pub total: Tally,
    /// By pair.
    pub matrix: Matrix<'a>,
    /// Why cells break, each cause once.
    pub breaks: Vec<Cause<'a>>,
    /// Why cells degrade, each cause once.
    pub degraded: Vec<Cause<'a>>,
}

impl<'a> View<'a> {
    /// The view of a record.
    #[must_use]
    pub fn of(record: &'a Record) -> Self {
        Self {
            record,
            total: Tally::of(&record.cells),
            matrix: Matrix::of(record),
            breaks: causes(&record.cells, Rating::Breaks),
            degraded: causes(&record.cells, Rating::Degraded),
        }
    }
}
