//! `schema`: print the JSON Schema of a format that this project reads or writes, generated from its types.

use clap::{Args as ClapArgs, ValueEnum};
use mcp_compat_audit::schema_lock::Lock;
use mcp_compat_fleet::manifest;
use mcp_compat_model::audit::Audit;
use mcp_compat_model::comparison::Comparison;
use mcp_compat_model::diff::Diff;
use mcp_compat_model::peer_contract::{Answer, Hosted, Hosting, Job, Script};
use mcp_compat_model::projection::Projections;
use mcp_compat_model::record::{Record, TranscriptLine};
use mcp_compat_model::support::Support;
use mcp_compat_reports::server_list::AuditedList;
use mcp_compat_reports::site::SiteFile;
use mcp_compat_run::history::Entry;
use mcp_compat_run::history::compact::CompactLine;
use schemars::{JsonSchema, Schema, schema_for};

use crate::exit::Exit;
use crate::inputs::server_lists::repository_schema;
use crate::output::print;

const EXAMPLES: &str = "\
Examples:
  mcp-compat schema record > run.schema.json
  mcp-compat schema scenario";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SchemaArgs {
    /// The format
    #[arg(value_enum)]
    format: SchemaFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaFormat {
    /// Scenario files
    Scenario,
    /// mcp-compat.toml
    Config,
    /// What `audit --json` prints
    Audit,
    /// Output of `audit FILE --json` for a file of servers
    Audits,
    /// run.json
    Record,
    /// A line of transcripts.jsonl
    Transcript,
    /// A line of a compact run (.mcpc.gz), decompressed
    History,
    /// What `history log --json` prints
    HistoryLog,
    /// What a client adapter reads
    Job,
    /// What a client adapter writes
    Answer,
    /// What a server adapter serves
    Script,
    /// What an HTTP server adapter reads
    Hosting,
    /// What an HTTP server adapter writes
    Hosted,
    /// peer.toml
    Peer,
    /// mcp-compat.lock.json
    Lock,
    /// What `lock check --json` prints
    Comparison,
    /// What `diff --json` prints
    Diff,
    /// support.json
    Support,
    /// projection.json
    Projection,
    /// The files of a site that other programs read
    Site,
}

impl SchemaFormat {
    /// Returns its schema, pretty-printed.
    pub fn schema(self) -> String {
        match self {
            Self::Scenario => mcp_compat_scenario::schema(),
            Self::Config => text(repository_schema()),
            Self::Audit => pretty::<Audit>(),
            Self::Audits => pretty::<AuditedList>(),
            Self::Record => pretty::<Record>(),
            Self::Transcript => pretty::<TranscriptLine<'static>>(),
            Self::History => pretty::<CompactLine>(),
            Self::HistoryLog => pretty::<Vec<Entry>>(),
            Self::Job => pretty::<Job>(),
            Self::Answer => pretty::<Answer>(),
            Self::Script => pretty::<Script>(),
            Self::Hosting => pretty::<Hosting>(),
            Self::Hosted => pretty::<Hosted>(),
            Self::Peer => text(manifest::schema()),
            Self::Lock => pretty::<Lock>(),
            Self::Comparison => pretty::<Comparison>(),
            Self::Diff => pretty::<Diff>(),
            Self::Support => pretty::<Support>(),
            Self::Projection => pretty::<Projections>(),
            Self::Site => pretty::<SiteFile>(),
        }
    }
}

pub(crate) fn execute(args: SchemaArgs) -> anyhow::Result<Exit> {
    print!("{}", args.format.schema());
    Ok(Exit::Success)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_schema() {
        for format in SchemaFormat::value_variants() {
            assert!(format.schema().contains("\"$schema\""), "{format:?}");
        }
    }
}
