//! Trying one release: it is installed if necessary, and plays the scenario with the same counterpart as every other release.

use std::sync::Arc;
use std::time::Duration;

use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::{Fault, Outcome};
use mcp_compat_model::{PeerId, Transport};
use mcp_compat_scenario::Scenario;
use tokio_util::sync::CancellationToken;

use super::variant::{NoPeer, Variant};
use crate::{InstallError, Installation, Installer, Progress};
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::peer::Peer;
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::plan::Coverage;
use mcp_compat_run::programs::Programs;
use mcp_compat_run::request::{Request, RequestError};
use mcp_compat_run::run::run;

/// Settings that all releases are tried with.
#[derive(Debug)]
pub struct TrialSetup {
    pub installer: Installer,
    pub scenario: Arc<Scenario>,
    /// The peer on the other side.
    pub counterpart: Peer,
    pub transport: Transport,
    /// Longest time that a step may take.
    pub timeout: Duration,
    /// Commands of the harness's own programs.
    pub programs: Programs,
}

#[derive(Debug)]
pub struct Tried {
    /// The peer that played. The release, if it has no such peer.
    pub peer: PeerId,
    /// The cell, or why there is none.
    pub came: Result<CellRecord, CannotTry>,
}

/// Reason why a release cannot be tried.
#[derive(Debug, thiserror::Error)]
pub enum CannotTry {
    #[error(transparent)]
    Install(#[from] InstallError),
    #[error(transparent)]
    Peer(#[from] NoPeer),
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error("it speaks no revision that {0} speaks")]
    Strangers(PeerId),
    #[error("{0}")]
    Unsupported(String),
    #[error("the harness failed: {0}")]
    Harness(String),
}

impl TrialSetup {
    /// Tries a release. Calls `progress` during its installation.
    ///
    /// Dropping the future ends everything that is running.
    ///
    /// # Errors
    /// When the harness fails. What a release does is never an error.
    pub async fn try_release(
        &self,
        release: &Installation,
        variant: &Variant,
        progress: impl FnMut(Progress),
    ) -> Result<Tried, HarnessError> {
        let peer = match variant.peer_of(release) {
            Ok(peer) => peer,
            Err(error) => return Ok(Tried { peer: release.id().clone(), came: Err(error.into()) }),
        };
        let id = peer.id().clone();
        if let Err(error) = self.installer.install(release, progress).await {
            return Ok(Tried { peer: id, came: Err(error.into()) });
        }
        Ok(Tried { came: self.play(peer).await?, peer: id })
    }

    async fn play(&self, peer: Peer) -> Result<Result<CellRecord, CannotTry>, HarnessError> {
        let speaks = |revision| self.counterpart.offered().any(|own| own == revision);
        if !peer.offered().any(speaks) {
            return Ok(Err(CannotTry::Strangers(self.counterpart.id().clone())));
        }
        let mut fleet = PeerSet::default();
        fleet.extend([peer, self.counterpart.clone()]);
        let request = Request {
            transports: vec![self.transport],
            coverage: Coverage::Everything,
            step_timeout: Some(self.timeout),
            programs: self.programs.clone(),
            ..Request::default()
        };
        let prepared = match request.prepare(&fleet, &[Arc::clone(&self.scenario)], None) {
            Ok(prepared) => prepared,
            Err(error) => return Ok(Err(error.into())),
        };
        let never = CancellationToken::new();
        let record = run(prepared, &mut [], never).await?;
        let cell = record.cells.into_iter().next();
        Ok(cell.ok_or_else(|| CannotTry::Harness("the time was over".to_owned())).and_then(judged))
    }
}

/// The cell, if it tells something about the release.
fn judged(cell: CellRecord) -> Result<CellRecord, CannotTry> {
    if cell.fault == Some(Fault::Harness) {
        return Err(CannotTry::Harness(cell.reason));
    }
    if cell.outcome == Outcome::Unsupported { Err(CannotTry::Unsupported(cell.reason)) } else { Ok(cell) }
}
