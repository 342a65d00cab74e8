//! How faithfully clients validate: a run of the JSON Schema Test Suite, counted once for every format.
//!
//! What a client did with a value is compared with the suite's verdict. It may agree, be too lax (it took what is invalid) or
//! too strict (it refused what is valid). What needs something fetched is counted apart, whatever the client did; and
//! where a cell came to no end, or the two spoke an older revision than the test needs, nothing is said.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::cause::Cause;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::schema_suite::{SuiteDraft, SuiteTest};
use mcp_compat_model::unseen::neutralised;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{CellId, PeerId, Revision, ScenarioId};

use crate::view::side;

/// How many disagreements are listed before the rest is only counted.
pub(crate) const TOLD: usize = 50;

/// What a cell says of a client's validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Agreement {
    /// It took what is valid, or refused what is not.
    Agreed,
    /// It took what is not valid.
    TooLax,
    /// It refused what is valid.
    TooStrict,
    /// Nothing can be said.
    Unjudged,
    /// The schema refers to what would have to be fetched, and the client refused the value.
    RemoteRefused,
    /// The same, and the client took the value.
    RemoteTaken,
}

/// How many cells say what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) agreed: usize,
    /// Of those: it refused what is not valid.
    pub(crate) caught: usize,
    pub(crate) lax: usize,
    pub(crate) strict: usize,
    pub(crate) unjudged: usize,
    pub(crate) remote_refused: usize,
    pub(crate) remote_taken: usize,
}

/// One draft: its keywords down, clients across.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) draft: SuiteDraft,
    /// How many tests were played.
    pub(crate) tests: usize,
    /// By keyword, made harmless: one count for each client.
    pub(crate) rows: Vec<(String, Vec<Count>)>,
    /// Over all keywords.
    pub(crate) all: Vec<Count>,
}

/// A test on which a client does not agree with the suite.
#[derive(Clone, Debug)]
pub(crate) struct Disagreement<'a> {
    pub(crate) test: &'a SuiteTest,
    /// The cells in which it does not: all of them too lax, or all too strict, by the suite's word.
    pub(crate) cells: Vec<&'a CellRecord>,
}

/// Everything that a report of the suite shows.
#[derive(Clone, Debug)]
pub(crate) struct SuiteResults<'a> {
    /// The checkout, as it was named.
    pub(crate) folder: &'a str,
    /// The columns: mocks first, then real peers, each by id.
    pub(crate) clients: Vec<&'a PeerId>,
    pub(crate) tables: Vec<Table>,
    /// Over all tables, one count for each client.
    pub(crate) totals: Vec<Count>,
    /// The clients that took every value that the suite calls invalid, and how many these are. This is reported once.
    pub(crate) credulous: Vec<(&'a PeerId, usize)>,
    /// By scenario, but for those of clients that take everything.
    pub(crate) disagreements: Vec<Disagreement<'a>>,
    /// How many tests need something fetched.
    pub(crate) remote: usize,
    /// Tests on which the harness's own validator does not agree with the suite.
    pub(crate) dissents: Vec<&'a SuiteTest>,
    /// The cells in which a client does not agree.
    disagreeing: BTreeSet<&'a CellId>,
}

impl Count {
    fn add(&mut self, agreement: Agreement, test: &SuiteTest) {
        match agreement {
            Agreement::Agreed => {
                self.agreed += 1;
                self.caught += usize::from(!test.valid);
            }
            Agreement::TooLax => self.lax += 1,
            Agreement::TooStrict => self.strict += 1,
            Agreement::Unjudged => self.unjudged += 1,
            Agreement::RemoteRefused => self.remote_refused += 1,
            Agreement::RemoteTaken => self.remote_taken += 1,
        }
    }

    /// How many cells say whether the client agrees.
    pub(crate) const fn judged(self) -> usize {
        self.agreed + self.lax + self.strict
    }

    /// Whether the client took every invalid value, and more of them than can be told one by one.
    const fn validates_nothing(self) -> bool {
        self.caught == 0 && self.lax > TOLD
    }

    /// How many cells need something fetched.
    pub(crate) const fn remote(self) -> usize {
        self.remote_refused + self.remote_taken
    }

    fn plus(self, other: Self) -> Self {
        Self {
            agreed: self.agreed + other.agreed,
            caught: self.caught + other.caught,
            lax: self.lax + other.lax,
            strict: self.strict + other.strict,
            unjudged: self.unjudged + other.unjudged,
            remote_refused: self.remote_refused + other.remote_refused,
            remote_taken: self.remote_taken + other.remote_taken,
        }
    }
}

impl<'a> SuiteResults<'a> {
    /// The results in a record; `None` if the suite was not played.
    pub(crate) fn of(record: &'a Record) -> Option<Self> {
        let suite = record.schema_suite.as_ref()?;
        let tests: BTreeMap<&ScenarioId, &SuiteTest> = suite.tests.iter().map(|test| (&test.scenario, test)).collect();
        let since: BTreeMap<&ScenarioId, Revision> =
            record.scenarios.iter().map(|known| (&known.id, known.since)).collect();
        let clients = side(record.cells.iter().map(|cell| &cell.client));
        let mut counts = BTreeMap::<(SuiteDraft, &str), Vec<Count>>::new();
        let mut disagreeing = Vec::new();
        for cell in &record.cells {
            let Some(test) = tests.get(&cell.scenario) else { continue };
            let Some(column) = clients.iter().position(|client| **client == cell.client) else { continue };
            let agreement = agreement(test, since.get(&cell.scenario).copied(), cell);
            let row =
                counts.entry((test.draft, &test.keyword)).or_insert_with(|| vec![Count::default(); clients.len()]);
            row[column].add(agreement, test);
            if matches!(agreement, Agreement::TooLax | Agreement::TooStrict) {
                disagreeing.push((column, *test, cell));
            }
        }
        let totals: Vec<Count> = (0..clients.len())
            .map(|column| counts.values().fold(Count::default(), |sum, row| sum.plus(row[column])))
            .collect();
        let mut disagreements = BTreeMap::<&ScenarioId, Disagreement<'_>>::new();
        for (column, test, cell) in &disagreeing {
            if test.valid || !totals[*column].validates_nothing() {
                let found =
                    disagreements.entry(&cell.scenario).or_insert_with(|| Disagreement { test, cells: Vec::new() });
                found.cells.push(cell);
            }
        }
        let credulous = clients.iter().zip(&totals).filter(|(_, total)| total.validates_nothing());
        let table = |draft| Table::of(draft, &counts, &suite.tests, clients.len());
        Some(Self {
            folder: &suite.folder,
            tables: SuiteDraft::ALL.into_iter().filter_map(table).collect(),
            credulous: credulous.map(|(client, total)| (*client, total.lax)).collect(),
            disagreeing: disagreeing.iter().map(|(_, _, cell)| &cell.id).collect(),
            disagreements: disagreements.into_values().collect(),
            remote: suite.tests.iter().filter(|test| test.remote.is_some()).count(),
            dissents: suite.tests.iter().filter(|test| test.dissent.is_some()).collect(),
            totals,
            clients,
        })
    }

    /// The causes without the cells that are listed as disagreements.
    pub(crate) fn others(&self, causes: &[Cause<'a>]) -> Vec<Cause<'a>> {
        let told = |cell: &CellRecord| self.disagreeing.contains(&cell.id);
        let rest = |cause: &Cause<'a>| {
            let cells: Vec<_> = cause.cells.iter().copied().filter(|cell| !told(cell)).collect();
            let example = if told(cause.example) { cells.first().copied()? } else { cause.example };
            Some(Cause { name: cause.name.clone(), example, cells })
        };
        causes.iter().filter_map(rest).collect()
    }
}

impl Table {
    fn of(
        draft: SuiteDraft,
        counts: &BTreeMap<(SuiteDraft, &str), Vec<Count>>,
        tests: &[SuiteTest],
        clients: usize,
    ) -> Option<Self> {
        let of_draft = counts.iter().filter(|((of, _), _)| *of == draft);
        let mut rows: Vec<(String, Vec<Count>)> =
            of_draft.map(|((_, keyword), row)| (neutralised(keyword), row.clone())).collect();
        rows.sort_by_key(|(keyword, _)| keyword.to_ascii_lowercase());
        let sum = |column: usize| rows.iter().fold(Count::default(), |sum, (_, row)| sum.plus(row[column]));
        let all = (0..clients).map(sum).collect();
        let tests = tests.iter().filter(|test| test.draft == draft).count();
        (!rows.is_empty()).then_some(Self { draft, tests, rows, all })
    }
}

fn agreement(test: &SuiteTest, since: Option<Revision>, cell: &CellRecord) -> Agreement {
    let took = took(cell.outcome);
    if since.is_some_and(|since| cell.negotiated.is_none_or(|negotiated| negotiated < since)) {
        return Agreement::Unjudged;
    }
    match (took, &test.remote, test.valid) {
        (None, _, _) => Agreement::Unjudged,
        (Some(true), Some(_), _) => Agreement::RemoteTaken,
        (Some(false), Some(_), _) => Agreement::RemoteRefused,
        (Some(true), None, true) | (Some(false), None, false) => Agreement::Agreed,
        (Some(true), None, false) => Agreement::TooLax,
        (Some(false), None, true) => Agreement::TooStrict,
    }
}

/// Whether the client took the value for a valid one, whatever happened to it then; `None` if that is not known.
const fn took(outcome: Outcome) -> Option<bool> {
    match outcome {
        Outcome::Intact
        | Outcome::Wrapped
        | Outcome::Text
        | Outcome::Prose
        | Outcome::Altered
        | Outcome::Lost
        | Outcome::Uncaught => Some(true),
        Outcome::Rejected | Outcome::Caught => Some(false),
        Outcome::Told
        | Outcome::Masked
        | Outcome::Swallowed
        | Outcome::Unreachable
        | Outcome::Hung
        | Outcome::Crashed
        | Outcome::Incomplete
        | Outcome::Unsupported => None,
    }
}
