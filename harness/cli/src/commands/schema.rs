//! `schema`: print the JSON Schema of a format.

use crate::exit::Exit;
use crate::output::println;
use crate::schemas;
use clap::{Args as ClapArgs, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  mcp-compat schema record > run.schema.json
  mcp-compat schema scenario";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SchemaArgs {
    /// The format
    #[arg(value_enum)]
    format: SchemaOf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SchemaOf {
    /// Scenario files
    Scenario,
    /// What `audit --json` prints
    Audit,
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
    /// What `contract check --json` prints
    Comparison,
    /// What `diff --json` prints
    Diff,
    /// support.json
    Support,
    /// The files of a site that other programs read
    Site,
}

pub(crate) fn execute(args: SchemaArgs) -> anyhow::Result<Exit> {
    println!("{}", text(args.format).trim_end());
    Ok(Exit::Success)
}

/// Returns the schema, pretty-printed.
fn text(format: SchemaOf) -> String {
    match format.to_possible_value() {
        Some(named) if !matches!(format, SchemaOf::Scenario) => schemas::schema(named.get_name()),
        _ => mcp_compat_scenario::schema(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_schema() {
        for format in SchemaOf::value_variants() {
            assert!(text(*format).contains("\"$schema\""), "{format:?}");
        }
    }
}
