//! Runs before the newest one: the sums of each, the comparison of the newest run with the last of them, and the age of
//! each result.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::PeerId;
use mcp_compat_model::diff::{Class, Diff};
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::run_verdicts::{CauseName, RunVerdicts};
use mcp_compat_model::verdict::Rating;

use crate::site::columns::{Past, columns, packed};
use crate::site::context::{Newest, ranked};
use crate::site::names::run_id;
use crate::view::Tally;

/// Number of runs that can be compared in the browser, the newest one included.
pub(crate) const COMPARED: usize = 10;

/// Sums of a run.
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
    /// Number of cells that break for the releases of each SDK that was played, on either side.
    pub(crate) families: BTreeMap<String, usize>,
}

impl Sum {
    pub(crate) fn of(run: &RunVerdicts) -> Self {
        let family = |peers: &[PeerId]| -> Vec<Option<String>> {
            peers.iter().map(|peer| peer.release().map(|(family, _)| family.to_owned())).collect()
        };
        let (clients, servers) = (family(&run.clients), family(&run.servers));
        let of = |families: &[Option<String>], number: u32| families.get(number as usize).cloned().flatten();
        let (mut tally, mut by_cause, mut by_sides) = (Tally::default(), BTreeMap::new(), BTreeMap::new());
        for cell in &run.cells {
            tally.count(cell.rating, cell.silent, cell.known);
            // A family without breaks is listed with zero, because it was played.
            let breaks = by_sides.entry((cell.client, cell.server)).or_insert(0);
            if cell.rating == Rating::Breaks {
                *by_cause.entry(cell.cause).or_insert(0) += 1;
                *breaks += 1;
            }
        }
        let mut causes = BTreeMap::new();
        for (cause, cells) in by_cause {
            let name = run.causes.get(cause as usize).map(CauseName::name).unwrap_or_default();
            *causes.entry(name).or_default() += cells;
        }
        let mut families = BTreeMap::new();
        for ((client, server), cells) in by_sides {
            let sides = [of(&clients, client), of(&servers, server)];
            for family in sides.into_iter().flatten().collect::<BTreeSet<_>>() {
                *families.entry(family).or_default() += cells;
            }
        }
        Self {
            id: run_id(&run.started),
            started: run.started.clone(),
            tool: run.tool_version.clone(),
            corpus: run.corpus.clone(),
            complete: run.complete,
            cells: run.cells.len(),
            tally,
            causes,
            families,
        }
    }
}

/// Runs before the newest one.
#[derive(Clone, Debug)]
pub struct Earlier<'n> {
    newest: &'n Record,
    verdicts: RunVerdicts,
    /// The run before the newest one first.
    sums: Vec<Sum>,
    /// Columns of the last of them, as files.
    files: Vec<(String, Vec<u8>)>,
    /// Class of each cell of the newest run, compared with the run before.
    classes: Option<Vec<Class>>,
    /// Number of runs, counted back, in which each cell has had its present result; 0 is the newest run itself.
    since: Vec<u16>,
    /// True if still earlier runs may have the same result.
    open: Vec<bool>,
    /// The difference to the run before.
    changes: Option<Diff>,
}

impl<'n> Earlier<'n> {
    /// Starts without an earlier run.
    pub fn than(newest: &'n Record) -> Self {
        let cells = newest.cells.len();
        Self {
            newest,
            verdicts: RunVerdicts::of(newest),
            sums: Vec::new(),
            files: Vec::new(),
            classes: None,
            since: vec![0; cells],
            open: vec![true; cells],
            changes: None,
        }
    }

    /// Returns whether the run that is added next can be compared in the browser, so that its whole record is needed.
    pub fn wants_record(&self) -> bool {
        self.sums.len() + 1 < COMPARED
    }

    /// Returns whether no run was added yet, so that the next one needs its difference to the newest run.
    pub fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    /// Adds a run that can be compared in the browser, always the one before the last that was added. `diff` is from it
    /// to the newest run; only that of the first run is used.
    pub fn add(&mut self, record: &Record, diff: Option<Diff>) {
        let verdicts = RunVerdicts::of(record);
        let id = run_id(&record.started);
        let newest = Newest::of(record.cells.iter().flat_map(|cell| [&cell.client, &cell.server]));
        let whole = columns(&id, record, &ranked(record, &newest), &BTreeMap::new(), None);
        self.files.push((format!("data/{id}/columns.js"), packed(&format!("{id}/columns"), &whole)));
        if self.sums.is_empty() {
            self.classes = diff.as_ref().map(|diff| classes(self.newest, diff));
            self.changes = diff;
        }
        self.add_verdicts(&verdicts);
    }

    /// Adds a run that is too old to be compared in the browser, always the one before the last that was added.
    pub fn add_verdicts(&mut self, run: &RunVerdicts) {
        self.sums.push(Sum::of(run));
        let back = u16::try_from(self.sums.len()).unwrap_or(u16::MAX);
        let alike = self.verdicts.alike(run);
        for ((is_alike, since), open) in alike.into_iter().zip(&mut self.since).zip(&mut self.open) {
            match is_alike {
                Some(true) if *open => *since = back,
                Some(false) => *open = false,
                // The run did not play the cell, or an earlier result differs.
                Some(true) | None => {}
            }
        }
    }

    /// Changes since the run before.
    pub(crate) fn changes(&self) -> Option<&Diff> {
        self.changes.as_ref()
    }

    pub(crate) fn newest(&self) -> Sum {
        Sum::of(&self.verdicts)
    }

    /// The runs, the newest of them first.
    pub(crate) fn sums(&self) -> &[Sum] {
        &self.sums
    }

    /// The data of those that can be compared.
    pub(crate) fn files(&self) -> &[(String, Vec<u8>)] {
        &self.files
    }

    /// Class of each cell of the newest run, compared with the run before, if the two can be compared.
    pub(crate) fn classes(&self) -> Option<&[Class]> {
        self.classes.as_deref()
    }

    /// Part of the columns of the newest run about earlier runs.
    pub(crate) fn past(&self) -> Past<'_> {
        let runs = self.sums.iter().map(|sum| (sum.id.as_str(), sum.started.as_str())).collect();
        Past { runs, classes: self.classes(), since: &self.since }
    }

    /// Number of runs in a row, up to the newest one, in which some cells broke for a cause.
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
