//! Errors of the tests of this crate: the input is wrong, or the harness failed. A misbehaving peer is never an error.

use std::fmt;

use mcp_compat_audit::named_tests::ExpectedError;
use mcp_compat_audit::server::AuditError;
use mcp_compat_drive::PreparationError;
use mcp_compat_run::baseline_file::BaselineFileError;
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::peer::PeerError;
use mcp_compat_run::request::RequestError;

use crate::cargo_bin::CargoBinError;
use crate::peers::InstalledPeerError;

/// Reason why a suite could not be run. A misbehaving peer is never an error; the report shows it.
///
/// Its `Debug` output is the message, because that is what a test which returns it prints.
#[derive(thiserror::Error)]
pub enum SuiteError {
    /// A peer cannot be used.
    #[error(transparent)]
    Peer(#[from] PeerError),
    /// A `peer.toml` gives no peers.
    #[error(transparent)]
    Installed(#[from] InstalledPeerError),
    /// A binary of the package under test could not be built.
    #[error(transparent)]
    Binary(#[from] CargoBinError),
    /// A program could not be built.
    #[error("cannot make a program: {0}")]
    Program(PreparationError),
    /// The selection cannot be made.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The baseline cannot be used.
    #[error(transparent)]
    Baseline(#[from] BaselineFileError),
    /// The corpus has a mistake.
    #[error("a scenario has a mistake:\n{0}")]
    Corpus(String),
    /// A server under test could not be asked.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// The expectations of a server cannot be used.
    #[error(transparent)]
    Expected(#[from] ExpectedError),
    /// A header is given for a server that has no address.
    #[error("a header is for a server at a URL: take `.header()` out, or test the server with `ServerUnderTest::url`")]
    HeaderWithoutUrl,
    /// The harness failed.
    #[error(transparent)]
    Host(#[from] HarnessError),
    /// No runtime could be started.
    #[error("cannot start the runtime: {0}")]
    Runtime(std::io::Error),
}

impl SuiteError {
    pub(crate) fn of_preparation(error: PreparationError) -> Self {
        error.downcast::<CargoBinError>().map_or_else(Self::Program, |error| Self::Binary(*error))
    }
}

impl fmt::Debug for SuiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
