//! What a site is made of.

use std::collections::BTreeMap;

use mcp_compat_model::ScenarioId;
use mcp_compat_model::diff::Diff;
use mcp_compat_model::record::Record;

use crate::evidence::EvidenceBook;

/// What a site is made of.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// What the site is called.
    pub title: &'a str,
    /// Where it is published, for what needs a whole address: feed and badges.
    pub base: Option<&'a str>,
    /// The runs, the newest last.
    pub runs: &'a [Run<'a>],
    /// What the tools of the scenarios meant and sent, as far as the caller knows the scenarios.
    pub meant: &'a BTreeMap<ScenarioId, Meant>,
    /// What the newest run changed against the one before, if that could be found out.
    pub changes: Option<&'a Diff>,
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

/// What is known of a scenario beside what a record says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meant {
    /// What its tools mean, one a line.
    pub tools: Vec<String>,
    /// What goes over the wire: names, and JSON or other text.
    pub wire: Vec<(String, String)>,
}
