//! `schema`: the JSON Schemas of what this project reads and writes.

use clap::{Args as ClapArgs, ValueEnum};

use crate::exit::Exit;
use crate::output::println;

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

/// The schema as it is published, pretty-printed.
fn text(format: SchemaOf) -> String {
    match format {
        SchemaOf::Scenario => mcp_compat_scenario::schema(),
        SchemaOf::Audit => mcp_compat_selfcheck::schemas::audit(),
        SchemaOf::Record => mcp_compat_selfcheck::schemas::record(),
        SchemaOf::History => mcp_compat_selfcheck::schemas::history(),
        SchemaOf::HistoryLog => mcp_compat_selfcheck::schemas::history_log(),
        SchemaOf::Transcript => mcp_compat_selfcheck::schemas::transcript(),
        SchemaOf::Job => mcp_compat_selfcheck::schemas::job(),
        SchemaOf::Answer => mcp_compat_selfcheck::schemas::answer(),
        SchemaOf::Script => mcp_compat_selfcheck::schemas::script(),
        SchemaOf::Hosting => mcp_compat_selfcheck::schemas::hosting(),
        SchemaOf::Hosted => mcp_compat_selfcheck::schemas::hosted(),
        SchemaOf::Peer => mcp_compat_selfcheck::schemas::peer(),
        SchemaOf::Lock => mcp_compat_selfcheck::schemas::lock(),
        SchemaOf::Comparison => mcp_compat_selfcheck::schemas::comparison(),
        SchemaOf::Diff => mcp_compat_selfcheck::schemas::diff(),
        SchemaOf::Support => mcp_compat_selfcheck::schemas::support(),
        SchemaOf::Site => mcp_compat_selfcheck::schemas::site(),
    }
}
