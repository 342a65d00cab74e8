//! The newest run as every page sees it: what several of them show is computed once.

use std::collections::BTreeMap;

use mcp_compat_model::PeerId;
use mcp_compat_model::record::Record;
use mcp_compat_reports::view::View;

use crate::columns::Scenarios;
use crate::error::SiteError;
use crate::families::Newest;
use crate::input::Input;
use crate::names::run_id;
use crate::ranking::{Ranked, ranked};
use crate::releases::{Release, releases};
use crate::totals::{ByProduct, PairTotals};

/// The files of a site by their paths, which have `/` between folders.
pub type Files = BTreeMap<String, Vec<u8>>;

/// How many runs can be compared in the browser.
pub(crate) const COMPARED: usize = 10;

/// A run, as every page sees it.
pub(crate) struct Site<'a> {
    pub(crate) input: &'a Input<'a>,
    pub(crate) record: &'a Record,
    pub(crate) run: String,
    pub(crate) view: View<'a>,
    pub(crate) newest: Newest<'a>,
    pub(crate) causes: Vec<Ranked<'a>>,
    pub(crate) pairs: PairTotals,
    pub(crate) products: ByProduct,
    pub(crate) scenarios: Scenarios<'a>,
    pub(crate) releases: BTreeMap<String, Release<'a>>,
}

impl<'a> Site<'a> {
    pub(crate) fn of(input: &'a Input<'a>) -> Result<Self, SiteError> {
        let newest_run = input.runs.last().ok_or(SiteError::NoRun)?;
        let record = newest_run.record;
        let view = View::of(record);
        let newest = Newest::of(record.cells.iter().flat_map(|cell| [&cell.client, &cell.server]));
        Ok(Self {
            input,
            record,
            run: run_id(&record.started),
            causes: ranked(record, &newest),
            pairs: PairTotals::of(&view.matrix),
            products: ByProduct::of(record.cells.iter()),
            scenarios: record.scenarios.iter().map(|scenario| (&scenario.id, scenario)).collect(),
            releases: releases(record),
            newest,
            view,
        })
    }

    pub(crate) fn clients(&self) -> &[&'a PeerId] {
        &self.view.matrix.clients
    }

    pub(crate) fn servers(&self) -> &[&'a PeerId] {
        &self.view.matrix.servers
    }
}
