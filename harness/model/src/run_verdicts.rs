//! The verdicts of a run as rows of numbers: what is left of it where a run is compared with hundreds before it.
//!
//! A record of the whole fleet takes a hundred megabytes, this a hundredth of them. Names and causes are there once.

use std::collections::HashMap;
use std::hash::Hash;

use crate::cell::{ScenarioId, Transport};
use crate::diff::is_one_cause;
use crate::peer::PeerId;
use crate::record::Record;
use crate::signature::Signature;
use crate::verdict::{BlastRadius, Fault, Outcome, Rating};

/// The verdicts of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunVerdicts {
    /// When the run began, RFC 3339, UTC.
    pub started: String,
    /// The version of mcp-compat that ran.
    pub tool_version: String,
    /// The digest of the scenarios that were played.
    pub corpus: String,
    /// True if every planned cell has its verdict.
    pub complete: bool,
    /// The distinct scenarios.
    pub scenarios: Vec<ScenarioId>,
    /// The distinct clients.
    pub clients: Vec<PeerId>,
    /// The distinct servers.
    pub servers: Vec<PeerId>,
    /// The distinct causes.
    pub causes: Vec<CauseName>,
    /// A row for each cell. Its numbers are places in the lists above.
    pub cells: Vec<CellVerdict>,
}

/// Cause that a cell breaks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CauseName {
    /// The judge's signature. A cell that works has none.
    Signature(Option<Signature>),
    /// The reason of a break, where the judge gave nothing.
    Reason(String),
}

/// The verdict of a cell, as far as runs are compared by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellVerdict {
    /// The scenario.
    pub scenario: u32,
    /// The client.
    pub client: u32,
    /// The server.
    pub server: u32,
    /// The transport between them.
    pub transport: Transport,
    /// Its outcome.
    pub outcome: Outcome,
    /// True if that is right.
    pub rating: Rating,
    /// True if the user gets no error.
    pub silent: bool,
    /// True if a baseline knows the break.
    pub known: bool,
    /// The party responsible for the fix.
    pub fault: Option<Fault>,
    /// The loss.
    pub blast_radius: Option<BlastRadius>,
    /// Its cause.
    pub cause: u32,
}

/// Numbers distinct values in the order in which they come.
#[derive(Debug)]
pub struct Numbered<T> {
    numbers: HashMap<T, u32>,
    values: Vec<T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { numbers: HashMap::new(), values: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    /// The number of a value.
    pub fn of(&mut self, value: &T) -> u32 {
        if let Some(number) = self.numbers.get(value) {
            return *number;
        }
        let number = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        self.values.push(value.clone());
        self.numbers.insert(value.clone(), number);
        number
    }

    /// The values, by their numbers.
    #[must_use]
    pub fn values(self) -> Vec<T> {
        self.values
    }
}

impl RunVerdicts {
    /// The verdicts of a record.
    #[must_use]
    pub fn of(record: &Record) -> Self {
        let mut scenarios = Numbered::default();
        let (mut clients, mut servers, mut causes) = (Numbered::default(), Numbered::default(), Numbered::default());
        let cells = record.cells.iter().map(|cell| CellVerdict {
            scenario: scenarios.of(&cell.scenario),
            client: clients.of(&cell.client),
            server: servers.of(&cell.server),
            transport: cell.transport,
            outcome: cell.outcome,
            rating: cell.rating,
            silent: cell.silent,
            known: cell.known.is_some(),
            fault: cell.fault,
            blast_radius: cell.blast_radius,
            cause: causes.of(&CauseName::of(cell.signature.as_ref(), cell.rating, || cell.reason.clone())),
        });
        let cells = cells.collect();
        Self {
            started: record.started.clone(),
            tool_version: record.tool_version.clone(),
            corpus: record.corpus.clone(),
            complete: record.complete,
            scenarios: scenarios.values(),
            clients: clients.values(),
            servers: servers.values(),
            causes: causes.values(),
            cells,
        }
    }

    /// For each cell of this run whether it fares alike in the other one, as [`Fate::is_like`](crate::diff::Fate::is_like)
    /// has it. Nothing where the other one did not play it.
    #[must_use]
    pub fn alike(&self, other: &Self) -> Vec<Option<bool>> {
        let scenarios = Places::of(&self.scenarios, &other.scenarios);
        let clients = Places::of(&self.clients, &other.clients);
        let servers = Places::of(&self.servers, &other.servers);
        let there: HashMap<_, &CellVerdict> =
            other.cells.iter().map(|cell| ((cell.scenario, cell.client, cell.server, cell.transport), cell)).collect();
        let mut one_cause = HashMap::new();
        let mut is_alike = |cell: &CellVerdict| {
            let name =
                (scenarios.at(cell.scenario)?, clients.at(cell.client)?, servers.at(cell.server)?, cell.transport);
            let counterpart = there.get(&name)?;
            let causes = (cell.cause, counterpart.cause);
            let is_one = one_cause
                .entry(causes)
                .or_insert_with(|| is_one_cause(self.signature_of(causes.0), other.signature_of(causes.1)));
            Some(cell.verdict() == counterpart.verdict() && *is_one)
        };
        self.cells.iter().map(&mut is_alike).collect()
    }

    fn signature_of(&self, cause: u32) -> Option<&Signature> {
        self.causes.get(cause as usize)?.signature()
    }
}

impl CellVerdict {
    fn verdict(&self) -> (Outcome, Rating, Option<Fault>, Option<BlastRadius>) {
        (self.outcome, self.rating, self.fault, self.blast_radius)
    }
}

impl CauseName {
    /// Cause of a cell. Its reason is asked for only where it is the name.
    pub fn of(signature: Option<&Signature>, rating: Rating, reason: impl FnOnce() -> String) -> Self {
        match signature {
            None if rating == Rating::Breaks => Self::Reason(reason()),
            signature => Self::Signature(signature.cloned()),
        }
    }

    /// The judge's signature.
    #[must_use]
    pub const fn signature(&self) -> Option<&Signature> {
        match self {
            Self::Signature(signature) => signature.as_ref(),
            Self::Reason(_) => None,
        }
    }

    /// The name of the cause, as [`causes`](crate::cause::causes) has it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Signature(signature) => signature.as_ref().map_or_else(String::new, ToString::to_string),
            Self::Reason(reason) => reason.clone(),
        }
    }
}

/// Places of the values of one list in another.
struct Places(Vec<Option<u32>>);

impl Places {
    fn of<T: Eq + Hash>(values: &[T], other: &[T]) -> Self {
        let there: HashMap<&T, u32> = other.iter().zip(0..).collect();
        Self(values.iter().map(|value| there.get(value).copied()).collect())
    }

    fn at(&self, number: u32) -> Option<u32> {
        *self.0.get(number as usize)?
    }
}
