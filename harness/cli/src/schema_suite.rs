//! `run --schema-suite`: the JSON Schema Test Suite in the place of scenarios.

use std::path::Path;

use mcp_compat_run::glob::{NothingMatches, SelectError};
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::request::RequestError;
use mcp_compat_selfcheck::schema_suite::{SchemaSuite, SchemaSuiteError};

use mcp_compat_inputs::peer_pattern::matches;
use mcp_compat_inputs::peer_selection::PeerSelection;

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
        // The mistakes are shown with their excerpts.
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
pub(crate) fn counterparts(peers: &PeerSelection) -> PeerSet {
    let mut known = peers.known.clone();
    known.servers.retain(|server| peers.servers.iter().any(|glob| matches(glob, server)));
    known
}
