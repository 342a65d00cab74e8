//! The event stream of a run: the one interface between running and reporting.

use crate::store::Store;
use mcp_compat_drive::ContractViolation;
use mcp_compat_model::record::{CellRecord, Evidence, Record};
use mcp_compat_model::{PeerId, Role};

/// Something that happened in a run.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The run begins.
    Started {
        /// Number of cells in the plan.
        cells: usize,
    },
    /// A cell has its verdict. Cells finish in any order.
    Finished(&'a CellRecord),
    /// Cells timed out or were lost under the load of the machine, and are played again, alone and with more time.
    Repeats {
        /// Number of those that have no verdict yet.
        left: usize,
    },
    /// A cell is recorded. Cells are recorded in the order of the plan, so that the record is the same each time.
    Recorded {
        cell: &'a CellRecord,
        /// Events in the cell.
        evidence: &'a Evidence,
    },
    /// An adapter violated the peer contract in ways that ended no job. Reported once, when the adapter has ended.
    ContractViolated {
        /// The adapter's peer, in any mode.
        peer: &'a PeerId,
        role: Role,
        /// Violations in order; never empty.
        violations: &'a [ContractViolation],
    },
    /// Nothing plays any more. What was measured is put together, and the cells that finished out of order are recorded.
    Ending,
    /// The run is over.
    Ended(&'a Record),
}

/// Someone who watches a run.
pub trait Observer {
    fn notice(&mut self, event: Event<'_>);
}

impl<F: FnMut(Event<'_>)> Observer for F {
    fn notice(&mut self, event: Event<'_>) {
        self(event);
    }
}

/// Keeps what happened in each cell.
impl Observer for Store {
    fn notice(&mut self, event: Event<'_>) {
        if let Event::Recorded { evidence, .. } = event {
            self.take(evidence);
        }
    }
}
