//! The JSON Schemas of what this project reads and writes, as they are published.

use mcp_compat_model::contract::{Answer, Hosting, Job, Script};
use mcp_compat_model::record::{Record, TranscriptLine};
use schemars::{JsonSchema, schema_for};

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

fn pretty<T: JsonSchema>() -> String {
    format!("{:#}", schema_for!(T).as_value())
}
