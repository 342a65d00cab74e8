//! The JSON Schemas of what this project reads and writes, as they are published in `harness/schemas`.
//!
//! They are made of the types that read and write, so they cannot say anything else. The one of scenario files stands
//! beside the corpus.

use mcp_compat_history::Entry;
use mcp_compat_history::compact::CompactLine;
use mcp_compat_model::audit::Audit;
use mcp_compat_model::comparison::Comparison;
use mcp_compat_model::diff::Diff;
use mcp_compat_model::peer_contract::{Answer, Hosted, Hosting, Job, Script};
use mcp_compat_model::record::{Record, TranscriptLine};
use mcp_compat_model::support::Support;
use mcp_compat_site::SiteFile;
use schemars::{JsonSchema, Schema, schema_for};

use mcp_compat_contract::Lock;
use mcp_compat_fleet::manifest;
use mcp_compat_validator::{Options, Validator};

/// A published schema: its name, and how it is made. The file is `<name>.schema.json`.
pub type Published = (&'static str, fn() -> String);

/// Every published schema.
pub const ALL: [Published; 16] = [
    ("audit", audit),
    ("record", record),
    ("transcript", transcript),
    ("history", history),
    ("history-log", history_log),
    ("job", job),
    ("answer", answer),
    ("script", script),
    ("hosting", hosting),
    ("hosted", hosted),
    ("peer", peer),
    ("lock", lock),
    ("comparison", comparison),
    ("diff", diff),
    ("support", support),
    ("site", site),
];

/// The validator of a published schema.
///
/// # Panics
/// When no schema has this name.
#[must_use]
pub fn validator(name: &str) -> Validator {
    let (_, schema) = ALL.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("no schema `{name}`"));
    let schema = schema().parse().unwrap_or_else(|error| panic!("the schema `{name}` is not JSON: {error}"));
    Options::default().compile(&schema).unwrap_or_else(|violation| panic!("the schema `{name}`: {violation}"))
}

/// Of what `audit --json` prints.
#[must_use]
pub fn audit() -> String {
    pretty::<Audit>()
}

/// Of `run.json`.
#[must_use]
pub fn record() -> String {
    pretty::<Record>()
}

/// Of a line of `transcripts.jsonl`.
#[must_use]
pub fn transcript() -> String {
    pretty::<TranscriptLine<'static>>()
}

/// Of what `diff --json` prints.
#[must_use]
pub fn diff() -> String {
    pretty::<Diff>()
}

/// Of a line of a compact run.
#[must_use]
pub fn history() -> String {
    pretty::<CompactLine>()
}

/// Of what `history log --json` prints.
#[must_use]
pub fn history_log() -> String {
    pretty::<Vec<Entry>>()
}

/// Of what a client adapter reads.
#[must_use]
pub fn job() -> String {
    pretty::<Job>()
}

/// Of what a client adapter writes.
#[must_use]
pub fn answer() -> String {
    pretty::<Answer>()
}

/// Of what a server adapter serves.
#[must_use]
pub fn script() -> String {
    pretty::<Script>()
}

/// Of what an HTTP server adapter reads.
#[must_use]
pub fn hosting() -> String {
    pretty::<Hosting>()
}

/// Of what an HTTP server adapter writes.
#[must_use]
pub fn hosted() -> String {
    pretty::<Hosted>()
}

/// Of `peer.toml`, as the JSON that its TOML stands for.
#[must_use]
pub fn peer() -> String {
    text(manifest::schema())
}

/// Of `mcp-compat.lock.json`.
#[must_use]
pub fn lock() -> String {
    pretty::<Lock>()
}

/// Of what `contract check --json` prints.
#[must_use]
pub fn comparison() -> String {
    pretty::<Comparison>()
}

/// Of `support.json`.
#[must_use]
pub fn support() -> String {
    pretty::<Support>()
}

/// The keys are sorted here, because whether a map keeps their order is a feature that any neighbour may turn on.
/// Of the files of a site that other programs read.
#[must_use]
pub fn site() -> String {
    pretty::<SiteFile>()
}

fn pretty<T: JsonSchema>() -> String {
    text(schema_for!(T))
}

fn text(schema: Schema) -> String {
    let mut schema = schema.to_value();
    schema.sort_all_objects();
    format!("{schema:#}\n")
}
