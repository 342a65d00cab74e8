//! The newest run as every page sees it: what several of them show is computed once.

use std::collections::{BTreeMap, HashMap};

use mcp_compat_model::diff::Class;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::{CellId, PeerId};
use mcp_compat_reports::view::View;

use crate::columns::Scenarios;
use crate::families::{Newest, is_real};
use crate::input::{Input, Issue};
use crate::names::run_id;
use crate::ranking::{Ranked, ranked};
use crate::releases::{Release, releases};
use crate::totals::{ByProduct, PairTotals};

/// The files of a site by their paths, which have `/` between folders.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A run, as every page sees it.
pub(crate) struct Site<'a> {
    pub(crate) input: &'a Input<'a>,
    pub(crate) record: &'a Record,
    pub(crate) run: String,
    pub(crate) view: View<'a>,
    clients: Vec<&'a PeerId>,
    servers: Vec<&'a PeerId>,
    pub(crate) newest: Newest<'a>,
    pub(crate) causes: Vec<Ranked<'a>>,
    pub(crate) pairs: PairTotals,
    pub(crate) products: ByProduct,
    pub(crate) scenarios: Scenarios<'a>,
    pub(crate) releases: BTreeMap<String, Release<'a>>,
    places: HashMap<&'a CellId, usize>,
}

impl<'a> Site<'a> {
    pub(crate) fn of(input: &'a Input<'a>) -> Self {
        let record = input.newest.record;
        let view = View::of(record);
        let newest = Newest::of(record.cells.iter().flat_map(|cell| [&cell.client, &cell.server]));
        Self {
            input,
            record,
            run: run_id(&record.started),
            clients: real_first(&view.matrix.clients),
            servers: real_first(&view.matrix.servers),
            causes: ranked(record, &newest),
            pairs: PairTotals::of(&view.matrix),
            products: ByProduct::of(record.cells.iter()),
            scenarios: record.scenarios.iter().map(|scenario| (&scenario.id, scenario)).collect(),
            releases: releases(record),
            places: record.cells.iter().enumerate().map(|(place, cell)| (&cell.id, place)).collect(),
            newest,
            view,
        }
    }

    /// The reports of a cause elsewhere.
    pub(crate) fn issues(&self, cause: &str) -> &'a [Issue] {
        self.input.issues.get(cause).map(Vec::as_slice).unwrap_or_default()
    }

    /// How a cell compares with the run before, if the two can be compared.
    pub(crate) fn class(&self, cell: &CellRecord) -> Option<Class> {
        self.input.earlier.classes()?.get(*self.places.get(&cell.id)?).copied()
    }

    /// Whether releases of SDKs were played, and not only mocks and peers of one's own.
    pub(crate) fn has_releases(&self) -> bool {
        self.releases.values().any(|release| release.ids.iter().any(|id| id.release().is_some()))
    }

    /// The clients, what people use before the mocks.
    pub(crate) fn clients(&self) -> &[&'a PeerId] {
        &self.clients
    }

    /// The servers, in the same order.
    pub(crate) fn servers(&self) -> &[&'a PeerId] {
        &self.servers
    }
}

fn real_first<'a>(peers: &[&'a PeerId]) -> Vec<&'a PeerId> {
    let (real, mocks): (Vec<_>, Vec<_>) = peers.iter().copied().partition(|peer| is_real(peer));
    real.into_iter().chain(mocks).collect()
}
