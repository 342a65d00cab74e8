//! What a site is made of.

use std::collections::BTreeMap;

use mcp_compat_model::ScenarioId;
use mcp_compat_model::record::Record;
use mcp_compat_model::support::Support;

use crate::earlier::Earlier;
use crate::evidence::EvidenceBook;

/// What a site is made of.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// What the site is called.
    pub title: &'a str,
    /// Where it is published, for what needs a whole address: feed and badges.
    pub base: Option<&'a str>,
    /// The newest run, which the pages show.
    pub newest: Run<'a>,
    /// The runs before it.
    pub earlier: &'a Earlier<'a>,
    /// What the tools of the scenarios meant and sent, as far as the caller knows the scenarios.
    pub meant: &'a BTreeMap<ScenarioId, Meant>,
    /// Reports elsewhere, by the names of the causes that they are about.
    pub issues: &'a BTreeMap<String, Vec<Issue>>,
    /// Which releases work with a scenario, as far as that was measured.
    pub support: &'a Support,
    /// The day on which the site is made, such as `2026-11-23`, if a result that is old by then is to be called so.
    pub today: Option<&'a str>,
    /// How many bytes it may have. Evidence is left out beyond it: of cells that work before that of breaks.
    pub max_bytes: u64,
}

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// Its record.
    pub record: &'a Record,
    /// What happened in its cells.
    pub evidence: &'a EvidenceBook,
}

/// A report elsewhere of what a cause is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Its address.
    pub url: String,
    /// What it says, in a few words.
    pub title: String,
    /// Whether it is open, closed or fixed in a release.
    pub state: String,
}

/// What is known of a scenario beside what a record says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meant {
    /// What its tools mean, one a line.
    pub tools: Vec<String>,
    /// What goes over the wire: names, and JSON or other text.
    pub wire: Vec<(String, String)>,
}
