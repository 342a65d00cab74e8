//! Input of a site.

use std::collections::BTreeMap;

use mcp_compat_model::ScenarioId;
use mcp_compat_model::record::Record;
use mcp_compat_model::support::Support;

use crate::site::earlier::Earlier;
use crate::site::evidence::EvidenceBook;

/// Input of a site.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Title of the site.
    pub title: &'a str,
    /// Address at which it is published, for feeds and badges.
    pub base: Option<&'a str>,
    /// The newest run, which the pages show.
    pub newest: Run<'a>,
    /// The runs before it.
    pub earlier: &'a Earlier<'a>,
    /// Meaning of the tools of the scenarios and their messages, as far as the caller knows the scenarios.
    pub meant: &'a BTreeMap<ScenarioId, Meant>,
    /// Reports elsewhere, by the names of the causes that they are about.
    pub issues: &'a BTreeMap<String, Vec<Issue>>,
    /// Releases that work with a scenario, as far as that was measured.
    pub support: &'a Support,
    /// The day on which the site is made, such as `2026-11-23`, if a result that is old by then is to be called so.
    pub today: Option<&'a str>,
    /// Number of bytes that it may have. Evidence is left out beyond it: of cells that work before that of breaks.
    pub max_bytes: u64,
}

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// Its record.
    pub record: &'a Record,
    /// Messages and observations of its cells.
    pub evidence: &'a EvidenceBook,
}

/// A report elsewhere of what a cause is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Its state: open, closed, or fixed in a release.
    pub state: String,
}

/// Parts of a scenario that a record lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meant {
    /// Meaning of its tools, one a line.
    pub tools: Vec<String>,
    /// Messages: names, and JSON or other text.
    pub wire: Vec<(String, String)>,
}
