//! `run --schema-suite`: the JSON Schema Test Suite in the place of scenarios.

use std::path::Path;

use mcp_compat::glob::{NothingMatches, SelectError};
use mcp_compat::schema_suite::{DEFAULT_CLIENTS, DEFAULT_SERVERS, SchemaSuite, SchemaSuiteError};
use mcp_compat::{Fleet, RequestError};
use mcp_compat_scenario::suite::spelled;

use crate::args::RunArgs;
use crate::cast::{Cast, matches};

/// What a scenario of the suite is called, where a pattern selects none.
pub(crate) const SUITE_TEST: &str = "suite test";

/// The error with its scenarios called what they are.
pub(crate) fn of_tests(error: RequestError) -> RequestError {
    match error {
        RequestError::Select(SelectError::Nothing(nothing)) if nothing.kind == "scenario" => {
            SelectError::Nothing(NothingMatches { kind: SUITE_TEST, ..nothing }).into()
        }
        other @ (RequestError::Select(_) | RequestError::Empty(_) | RequestError::Baseline(_)) => other,
    }
}

/// Reads a checkout.
pub(crate) fn read(folder: &Path) -> anyhow::Result<SchemaSuite> {
    SchemaSuite::read(folder).map_err(|error| match error {
        // The mistakes are told by their excerpts.
        SchemaSuiteError::Mistakes { ref mistakes, .. } => {
            anyhow::Error::new(mistakes.clone()).context(error.to_string())
        }
        SchemaSuiteError::NotTheSuite(_) | SchemaSuiteError::Read { .. } | SchemaSuiteError::TooLong { .. } => {
            error.into()
        }
    })
}

/// Whom a baseline may speak of: every client that is known, with the servers that play. Every server with thousands of
/// tests would be millions of cells.
pub(crate) fn counterparts(cast: &Cast) -> Fleet {
    let mut known = cast.known.clone();
    known.servers.retain(|server| cast.servers.iter().any(|glob| matches(glob, server)));
    known
}

/// The arguments with what is left open filled in: the suite is about clients that take any schema, so unless somebody
/// is named the reference mock plays, alone and in memory. Names of the suite in patterns are spelled as ids have them.
pub(crate) fn with_defaults(args: RunArgs) -> RunArgs {
    let or = |given: Vec<String>, defaults: &[&str]| {
        if given.is_empty() { defaults.iter().map(|id| (*id).to_owned()).collect() } else { given }
    };
    RunArgs {
        no_peers: args.no_peers || (args.client.is_empty() && args.server.is_empty()),
        scenario: args.scenario.iter().map(|glob| spelled(glob)).collect(),
        client: or(args.client, &DEFAULT_CLIENTS),
        server: or(args.server, &DEFAULT_SERVERS),
        ..args
    }
}
