//! The cells of a record as columns, and back.
//!
//! The cells of a run have few distinct properties: a run of 52,152 cells has 4,373 reasons and 1,052 findings. What
//! follows from other columns is not written: the id of a cell, and of the cell of a witness what it shares with the cell
//! that it is a witness of.

use std::collections::HashMap;

use mcp_compat_model::cell::{Cell, CellId, ScenarioId, Transport};
use mcp_compat_model::missed::Missed;
use mcp_compat_model::record::{CellRecord, Known, Record};
use mcp_compat_model::run_verdicts::{CauseName, CellVerdict, Numbered, RunVerdicts};
use mcp_compat_model::signature::Signature;
use mcp_compat_model::triangle::{Triangle, Witness};
use mcp_compat_model::verdict::{BlastRadius, Fault, Finding, Outcome, Rating};
use mcp_compat_model::{PeerId, Revision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::column::{Column, size};
use super::duration::rounded;
use super::error::CompactError;
use super::names::{placeholders, with_names, without_names};
use super::witness::CompactWitness;

/// How many bytes the cells may have when they are written out. That is also the limit of a `run.json`.
const WRITTEN_OUT: u64 = 1 << 30;

/// How many cells a run may have: sixty times those of the whole fleet.
const CELLS: usize = 1 << 23;

/// The cells of a run, a column for each property.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Columns {
    scenario: Column<ScenarioId>,
    client: Column<PeerId>,
    server: Column<PeerId>,
    transport: Column<Transport>,
    negotiated: Column<Option<Revision>>,
    missed: Column<Option<Missed>>,
    outcome: Column<Outcome>,
    rating: Column<Rating>,
    silent: Column<bool>,
    vacuous: Column<bool>,
    blast_radius: Column<Option<BlastRadius>>,
    expected: Column<Option<Outcome>>,
    /// The findings of a cell, by their places below.
    findings: Column<Vec<u32>>,
    /// For each of these, the messages that show it, by their places below.
    messages: Column<Vec<u32>>,
    fault: Column<Option<Fault>>,
    /// Of a triangle: the fault by the cell alone.
    alone: Column<Option<Fault>>,
    /// Of a triangle: the client with a mock server.
    client_witness: Column<Option<CompactWitness>>,
    /// Of a triangle: the server with a mock client.
    server_witness: Column<Option<CompactWitness>>,
    /// Of a triangle: the end of the reason.
    also_to_fix: Column<Option<String>>,
    signature: Column<Option<Signature>>,
    /// Without the names of the peers: `{client}` and `{server}` stand for them, and `{{` for a brace.
    reason: Column<String>,
    known: Column<Option<Known>>,
    /// In microseconds, rounded down to 1, 2 or 5 times a power of ten.
    duration_us: Vec<u64>,
    /// The distinct findings, without the messages that show them.
    distinct_findings: Vec<Finding>,
    /// The distinct lists of messages that show a finding.
    distinct_messages: Vec<Vec<u32>>,
}

impl Columns {
    /// The columns of these cells.
    ///
    /// # Errors
    /// If a cell has another id than its properties say, or there are too many cells.
    pub(super) fn of(cells: &[CellRecord]) -> Result<Self, CompactError> {
        if cells.len() > CELLS {
            return Err(CompactError::TooLarge("cells"));
        }
        if let Some(cell) = cells.iter().find(|cell| cell.cell().id() != cell.id) {
            return Err(CompactError::Unsound(format!("the cell {} has the id {}", cell.cell().id(), cell.id)));
        }
        let all = || cells.iter().flat_map(|cell| &cell.findings);
        let texts = Column::of(all().map(|finding| Finding { messages: Vec::new(), ..finding.clone() }))?;
        let messages = Column::of(all().map(|finding| finding.messages.clone()))?;
        let of_cells = |numbers: Vec<u32>| {
            let mut numbers = numbers.into_iter();
            Column::of(cells.iter().map(|cell| numbers.by_ref().take(cell.findings.len()).collect::<Vec<u32>>()))
        };
        let triangle = |cell: &CellRecord| cell.triangle.clone();
        Ok(Self {
            scenario: Column::of(cells.iter().map(|cell| cell.scenario.clone()))?,
            client: Column::of(cells.iter().map(|cell| cell.client.clone()))?,
            server: Column::of(cells.iter().map(|cell| cell.server.clone()))?,
            transport: Column::of(cells.iter().map(|cell| cell.transport))?,
            negotiated: Column::of(cells.iter().map(|cell| cell.negotiated))?,
            missed: Column::of(cells.iter().map(|cell| cell.missed.clone()))?,
            outcome: Column::of(cells.iter().map(|cell| cell.outcome))?,
            rating: Column::of(cells.iter().map(|cell| cell.rating))?,
            silent: Column::of(cells.iter().map(|cell| cell.silent))?,
            vacuous: Column::of(cells.iter().map(|cell| cell.vacuous))?,
            blast_radius: Column::of(cells.iter().map(|cell| cell.blast_radius))?,
            expected: Column::of(cells.iter().map(|cell| cell.expected))?,
            findings: of_cells(texts.cells)?,
            messages: of_cells(messages.cells)?,
            fault: Column::of(cells.iter().map(|cell| cell.fault))?,
            alone: Column::of(cells.iter().map(|cell| triangle(cell).map(|it| it.alone)))?,
            client_witness: Column::of(cells.iter().map(|cell| {
                let witness = triangle(cell)?.client?;
                Some(CompactWitness::of_client(witness, &cell.cell()))
            }))?,
            server_witness: Column::of(cells.iter().map(|cell| {
                let witness = triangle(cell)?.server?;
                Some(CompactWitness::of_server(witness, &cell.cell()))
            }))?,
            also_to_fix: Column::of(cells.iter().map(|cell| triangle(cell)?.also_to_fix))?,
            signature: Column::of(cells.iter().map(|cell| cell.signature.clone()))?,
            reason: Column::of(
                cells.iter().map(|cell| without_names(&cell.reason, cell.client.as_str(), cell.server.as_str())),
            )?,
            known: Column::of(cells.iter().map(|cell| cell.known.clone()))?,
            duration_us: cells.iter().map(|cell| rounded(cell.duration_us)).collect(),
            distinct_findings: texts.values,
            distinct_messages: messages.values,
        })
    }

    /// The cells of these columns.
    ///
    /// # Errors
    /// If a column lacks a cell, names a value that is not there, or there is more than a run can have.
    pub(super) fn cells(&self) -> Result<Vec<CellRecord>, CompactError> {
        (0..self.cell_count()?).map(|cell| self.cell(cell)).collect()
    }

    /// How many cells there are, if they are no more than a run can have.
    fn cell_count(&self) -> Result<usize, CompactError> {
        let cells = self.duration_us.len();
        if cells > CELLS || self.written_out() > WRITTEN_OUT {
            return Err(CompactError::TooLarge("cells, or texts in them,"));
        }
        Ok(cells)
    }

    /// The verdicts of these columns, in a record that has all but its cells.
    ///
    /// # Errors
    /// As those of [`cells`](Self::cells).
    pub(super) fn verdicts(self, record: Record) -> Result<RunVerdicts, CompactError> {
        let cells = self.cell_count()?;
        let mut causes = Numbered::default();
        // Most cells have a signature that others have, too, or none and no break.
        let mut numbers: HashMap<(u32, bool), u32> = HashMap::new();
        let verdict = |at: usize| {
            let (rating, signature) = (*self.rating.get(at, "rating")?, self.signature.get(at, "signature")?.as_ref());
            let breaks = rating == Rating::Breaks;
            let known = signature.is_some() || !breaks;
            let place = (self.signature.cells.get(at).copied().unwrap_or_default(), breaks);
            let cause = match numbers.get(&place).filter(|_| known) {
                Some(number) => *number,
                None if known => {
                    let number = causes.of(&CauseName::of(signature, rating, String::new));
                    numbers.insert(place, number);
                    number
                }
                None => causes.of(&CauseName::Reason(self.reason(at)?)),
            };
            Ok(CellVerdict {
                scenario: self.scenario.number(at, "scenario")?,
                client: self.client.number(at, "client")?,
                server: self.server.number(at, "server")?,
                transport: *self.transport.get(at, "transport")?,
                outcome: *self.outcome.get(at, "outcome")?,
                rating,
                silent: *self.silent.get(at, "mark of silence")?,
                known: self.known.get(at, "known break")?.is_some(),
                fault: *self.fault.get(at, "fault")?,
                blast_radius: *self.blast_radius.get(at, "blast radius")?,
                cause,
            })
        };
        let cells = (0..cells).map(verdict).collect::<Result<Vec<_>, CompactError>>()?;
        Ok(RunVerdicts {
            started: record.started,
            tool_version: record.tool_version,
            corpus: record.corpus,
            complete: record.complete,
            scenarios: self.scenario.values,
            clients: self.client.values,
            servers: self.server.values,
            causes: causes.values(),
            cells,
        })
    }

    fn cell(&self, at: usize) -> Result<CellRecord, CompactError> {
        let cell = Cell {
            scenario: self.scenario.get(at, "scenario")?.clone(),
            client: self.client.get(at, "client")?.clone(),
            server: self.server.get(at, "server")?.clone(),
            transport: *self.transport.get(at, "transport")?,
        };
        let triangle = self.triangle(at, &cell)?;
        let reason = self.reason(at)?;
        let id: CellId = cell.id();
        Ok(CellRecord {
            id,
            scenario: cell.scenario,
            client: cell.client,
            server: cell.server,
            transport: cell.transport,
            negotiated: *self.negotiated.get(at, "negotiated revision")?,
            missed: self.missed.get(at, "missed revision")?.clone(),
            outcome: *self.outcome.get(at, "outcome")?,
            rating: *self.rating.get(at, "rating")?,
            silent: *self.silent.get(at, "mark of silence")?,
            vacuous: *self.vacuous.get(at, "mark of vacuity")?,
            blast_radius: *self.blast_radius.get(at, "blast radius")?,
            expected: *self.expected.get(at, "expected outcome")?,
            findings: self.findings(at)?,
            fault: *self.fault.get(at, "fault")?,
            triangle,
            signature: self.signature.get(at, "signature")?.clone(),
            reason,
            duration_us: self.duration_us.get(at).copied().unwrap_or_default(),
            transcript: None,
            known: self.known.get(at, "known break")?.clone(),
        })
    }

    fn reason(&self, at: usize) -> Result<String, CompactError> {
        let (client, server) = (self.client.get(at, "client")?, self.server.get(at, "server")?);
        with_names(self.reason.get(at, "reason")?, client.as_str(), server.as_str())
    }

    fn findings(&self, cell: usize) -> Result<Vec<Finding>, CompactError> {
        let findings = self.findings.get(cell, "list of findings")?;
        let messages = self.messages.get(cell, "list of messages")?;
        if findings.len() != messages.len() {
            let why = format!("cell {} has other findings than messages that show them", cell + 1);
            return Err(CompactError::Unsound(why));
        }
        let one = |(finding, messages): (&u32, &u32)| {
            let text = self.distinct_findings.get(*finding as usize);
            let text = text.ok_or(CompactError::NoValue { column: "finding", cell, number: *finding })?;
            let shown = self.distinct_messages.get(*messages as usize);
            let shown = shown.ok_or(CompactError::NoValue { column: "list of messages", cell, number: *messages })?;
            Ok(Finding { messages: shown.clone(), ..text.clone() })
        };
        findings.iter().zip(messages).map(one).collect()
    }

    fn triangle(&self, at: usize, cell: &Cell) -> Result<Option<Triangle>, CompactError> {
        let Some(alone) = *self.alone.get(at, "fault alone")? else { return Ok(None) };
        let client = self.client_witness.get(at, "witness of the client")?.clone();
        let server = self.server_witness.get(at, "witness of the server")?.clone();
        let client: Option<Witness> = client.map(|witness| witness.for_client(cell));
        let server: Option<Witness> = server.map(|witness| witness.for_server(cell));
        let also_to_fix = self.also_to_fix.get(at, "end of the reason")?.clone();
        Ok(Some(Triangle { alone, client, server, also_to_fix }))
    }

    /// How many bytes the names of peers have in all reasons.
    fn names_in_reasons(&self) -> u64 {
        let counts: Vec<(u64, u64)> = self.reason.values.iter().map(|reason| placeholders(reason)).collect();
        let lengths = |column: &Column<PeerId>| -> Vec<u64> {
            column.values.iter().map(|peer| peer.as_str().len() as u64).collect()
        };
        let (clients, servers) = (lengths(&self.client), lengths(&self.server));
        let of = |lengths: &[u64], number: u32| lengths.get(number as usize).copied().unwrap_or_default();
        let cells = self.reason.cells.iter().zip(&self.client.cells).zip(&self.server.cells);
        let names = cells.map(|((reason, client), server)| {
            let (in_client, in_server) = counts.get(*reason as usize).copied().unwrap_or_default();
            let client = in_client.saturating_mul(of(&clients, *client));
            client.saturating_add(in_server.saturating_mul(of(&servers, *server)))
        });
        names.fold(0, u64::saturating_add)
    }

    /// How many bytes the texts have if they are written once for each cell. Small words are left out.
    fn written_out(&self) -> u64 {
        let findings: Vec<u64> = self.distinct_findings.iter().map(size).collect();
        let messages: Vec<u64> = self.distinct_messages.iter().map(size).collect();
        let of = |sizes: &[u64], number: u32| sizes.get(number as usize).copied().unwrap_or_default();
        let lists = |lists: &Column<Vec<u32>>, sizes: &[u64]| {
            let one = |list: &Vec<u32>| list.iter().map(|number| of(sizes, *number)).fold(0, u64::saturating_add);
            let lists_written_out: Vec<u64> = lists.values.iter().map(one).collect();
            lists.cells.iter().map(|list| of(&lists_written_out, *list)).fold(0, u64::saturating_add)
        };
        // The id of a cell repeats the first three, and so do its witnesses.
        let names = [self.scenario.written_out(), self.client.written_out(), self.server.written_out()];
        let texts = [
            self.missed.written_out(),
            self.client_witness.written_out(),
            self.server_witness.written_out(),
            self.also_to_fix.written_out(),
            self.signature.written_out(),
            self.reason.written_out(),
            self.names_in_reasons(),
            self.known.written_out(),
            lists(&self.findings, &findings),
            lists(&self.messages, &messages),
        ];
        let names = names.into_iter().fold(0_u64, u64::saturating_add).saturating_mul(4);
        texts.into_iter().fold(names, u64::saturating_add)
    }
}
