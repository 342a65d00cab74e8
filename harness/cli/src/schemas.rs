//! JSON Schemas of the formats that this project reads and writes, generated from its types.
//!
//! The schemas of [`COMMITTED`] are also files in `harness/schemas`. The schema of scenario files is beside the corpus.

use mcp_compat_audit::schema_lock::Lock;
use mcp_compat_fleet::manifest;
use mcp_compat_model::audit::Audit;
use mcp_compat_model::comparison::Comparison;
use mcp_compat_model::diff::Diff;
use mcp_compat_model::peer_contract::{Answer, Hosted, Hosting, Job, Script};
use mcp_compat_model::record::{Record, TranscriptLine};
use mcp_compat_model::support::Support;
use mcp_compat_reports::site::SiteFile;
use mcp_compat_run::history::Entry;
use mcp_compat_run::history::compact::CompactLine;
use schemars::{JsonSchema, Schema, schema_for};

/// Name of a format, and the function that makes its schema.
type Format = (&'static str, fn() -> String);

const ALL: [Format; 16] = [
    ("audit", pretty::<Audit>),
    ("record", pretty::<Record>),
    ("transcript", pretty::<TranscriptLine<'static>>),
    ("history", pretty::<CompactLine>),
    ("history-log", pretty::<Vec<Entry>>),
    ("job", pretty::<Job>),
    ("answer", pretty::<Answer>),
    ("script", pretty::<Script>),
    ("hosting", pretty::<Hosting>),
    ("hosted", pretty::<Hosted>),
    ("peer", || text(manifest::schema())),
    ("lock", pretty::<Lock>),
    ("comparison", pretty::<Comparison>),
    ("diff", pretty::<Diff>),
    ("support", pretty::<Support>),
    ("site", pretty::<SiteFile>),
];

/// Formats whose schema is also a file, `harness/schemas/NAME.schema.json`.
pub const COMMITTED: [&str; 6] = ["answer", "job", "peer", "record", "script", "transcript"];

/// Returns the schema of a format, pretty-printed.
///
/// # Panics
/// When no format has this name.
#[must_use]
pub fn schema(name: &str) -> String {
    let (_, make) = ALL.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("no schema `{name}`"));
    make()
}

fn pretty<T: JsonSchema>() -> String {
    text(schema_for!(T))
}

/// Prints a schema with sorted keys, because any crate may turn on the feature with which maps keep their order.
fn text(schema: Schema) -> String {
    let mut schema = schema.to_value();
    schema.sort_all_objects();
    format!("{schema:#}\n")
}
