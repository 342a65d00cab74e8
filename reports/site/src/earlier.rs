//! The runs before the newest one: what each came to, how the newest one compares with the last of them, and since when
//! what it found is so. One of them is in memory at a time.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mcp_compat_model::CellId;
use mcp_compat_model::cause::causes;
use mcp_compat_model::diff::{Class, Diff, fare_alike};
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::Rating;
use mcp_compat_reports::view::Tally;

use crate::columns::{Past, columns};
use crate::families::Newest;
use crate::names::run_id;
use crate::pack::packed;
use crate::ranking::ranked;

/// How many runs can be compared in the browser, the newest one included.
pub(crate) const COMPARED: usize = 10;

/// What a run came to.
#[derive(Clone, Debug)]
pub(crate) struct Sum {
    pub(crate) id: String,
    pub(crate) started: String,
    pub(crate) tool: String,
    pub(crate) corpus: String,
    pub(crate) complete: bool,
    pub(crate) cells: usize,
    pub(crate) tally: Tally,
    /// The causes of its breaks, with how many cells break for each.
    pub(crate) causes: BTreeMap<String, usize>,
    /// How many cells break for the releases of each SDK, on either side.
    pub(crate) families: BTreeMap<String, usize>,
}

impl Sum {
    pub(crate) fn of(record: &Record) -> Self {
        let mut by_cause = BTreeMap::<String, usize>::new();
        for cause in causes(&record.cells, Rating::Breaks) {
            *by_cause.entry(cause.name).or_default() += cause.cells.len();
        }
        let mut families = BTreeMap::<String, usize>::new();
        for cell in record.cells.iter().filter(|cell| cell.rating == Rating::Breaks) {
            let sides = [&cell.client, &cell.server].map(|peer| peer.release().map(|(family, _)| family));
            for family in sides.into_iter().flatten().collect::<BTreeSet<_>>() {
                *families.entry(family.to_owned()).or_default() += 1;
            }
        }
        Self {
            id: run_id(&record.started),
            started: record.started.clone(),
            tool: record.tool_version.clone(),
            corpus: record.corpus.clone(),
            complete: record.complete,
            cells: record.cells.len(),
            tally: Tally::of(&record.cells),
            causes: by_cause,
            families,
        }
    }
}

/// The runs before the newest one.
#[derive(Clone, Debug)]
pub struct Earlier<'n> {
    newest: &'n Record,
    /// The run before the newest one first.
    sums: Vec<Sum>,
    /// The columns of the last of them, as files.
    files: Vec<(String, Vec<u8>)>,
    /// How the cells of the newest run compare with those of each of these: the name of the run, and a class for each cell.
    classes: Vec<(String, Vec<Class>)>,
    /// The number of runs back to the first one since which each cell fares as it does; 0 is the newest run itself.
    since: Vec<u16>,
    /// Whether a run before that one may have fared alike, too.
    open: Vec<bool>,
    /// The difference to the run before.
    changes: Option<Diff>,
}

impl<'n> Earlier<'n> {
    /// Nothing before the newest run.
    #[must_use]
    pub fn than(newest: &'n Record) -> Self {
        let cells = newest.cells.len();
        Self {
            newest,
            sums: Vec::new(),
            files: Vec::new(),
            classes: Vec::new(),
            since: vec![0; cells],
            open: vec![true; cells],
            changes: None,
        }
    }

    /// Whether the difference of the newest run to the run that is added next is shown.
    #[must_use]
    pub fn wants_diff(&self) -> bool {
        self.sums.len() + 1 < COMPARED
    }

    /// Adds a run: each time the one before the last that was added. `diff` is from it to the newest run, where the two can
    /// be compared.
    pub fn add(&mut self, record: &Record, diff: Option<Diff>) {
        let sum = Sum::of(record);
        if self.wants_diff() {
            let newest = Newest::of(record.cells.iter().flat_map(|cell| [&cell.client, &cell.server]));
            let whole = columns(&sum.id, record, &ranked(record, &newest), &BTreeMap::new(), None);
            self.files.push((format!("data/{}/columns.js", sum.id), packed(&format!("{}/columns", sum.id), &whole)));
            if let Some(diff) = &diff {
                self.classes.push((sum.id.clone(), classes(self.newest, diff)));
            }
        }
        if self.sums.is_empty() {
            self.changes = diff;
        }
        self.sums.push(sum);
        self.look_back(record);
    }

    fn look_back(&mut self, record: &Record) {
        let there: HashMap<&CellId, &CellRecord> = record.cells.iter().map(|cell| (&cell.id, cell)).collect();
        let back = u16::try_from(self.sums.len()).unwrap_or(u16::MAX);
        for ((cell, since), open) in self.newest.cells.iter().zip(&mut self.since).zip(&mut self.open) {
            // A run that did not play the cell says nothing of it.
            let Some(other) = there.get(&cell.id).filter(|_| *open) else { continue };
            if fare_alike(cell, other) { *since = back } else { *open = false }
        }
    }

    /// What changed since the run before.
    pub(crate) fn changes(&self) -> Option<&Diff> {
        self.changes.as_ref()
    }

    /// The runs, the newest of them first.
    pub(crate) fn sums(&self) -> &[Sum] {
        &self.sums
    }

    /// The data of those that can be compared.
    pub(crate) fn files(&self) -> &[(String, Vec<u8>)] {
        &self.files
    }

    /// How the newest run compares with those that can be compared.
    pub(crate) fn classes(&self) -> &[(String, Vec<Class>)] {
        &self.classes
    }

    /// What the columns of the newest run say of them.
    pub(crate) fn past(&self) -> Past<'_> {
        let runs = self.sums.iter().map(|sum| (sum.id.as_str(), sum.started.as_str())).collect();
        Past { runs, classes: &self.classes, since: &self.since }
    }

    /// Of how many runs in a row, up to the newest one, some cells broke for a cause.
    pub(crate) fn in_a_row(&self, cause: &str) -> usize {
        1 + self.sums.iter().take_while(|sum| sum.causes.contains_key(cause)).count()
    }
}

fn classes(newest: &Record, diff: &Diff) -> Vec<Class> {
    let classes = diff.classes();
    let of = |cell: &CellRecord| {
        let name = (&cell.scenario, &cell.client, &cell.server, cell.transport);
        classes.get(&name).copied().unwrap_or(Class::Same)
    };
    newest.cells.iter().map(of).collect()
}
