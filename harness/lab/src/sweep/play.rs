//! Playing one release: in each of its roles and modes, with the reference mock on the other side.

use std::sync::Arc;
use std::time::Duration;

use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::Fault;
use mcp_compat_model::{Role, Transport};
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::peer::{ClientPeer, Peer, ServerPeer};
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::plan::Coverage;
use mcp_compat_run::programs::Programs;
use mcp_compat_run::request::Request;
use mcp_compat_run::run::run;
use mcp_compat_scenario::Scenario;
use tokio_util::sync::CancellationToken;

use mcp_compat_fleet::bisect::CannotTry;
use mcp_compat_fleet::{Installation, Installer, Progress};

/// Settings of the cells that every release plays.
#[derive(Debug)]
pub(super) struct SweepSetup {
    pub(super) installer: Installer,
    pub(super) scenarios: Vec<Arc<Scenario>>,
    /// The server that clients play with.
    pub(super) server: ServerPeer,
    /// The client that servers play with.
    pub(super) client: ClientPeer,
    /// True if the releases are those of a host.
    pub(super) is_host: bool,
    /// Longest time that a step may take.
    pub(super) timeout: Duration,
    /// Commands of the harness's own programs.
    pub(super) programs: Programs,
}

impl SweepSetup {
    /// Plays a release: its cells, without those that the harness could not judge. Calls `progress` during its
    /// installation.
    ///
    /// Dropping the future ends everything that is running.
    ///
    /// # Errors
    /// When the harness fails. What a release does is never an error.
    pub(super) async fn play(
        &self,
        release: &Installation,
        progress: impl FnMut(Progress),
    ) -> Result<Result<Vec<CellRecord>, CannotTry>, HarnessError> {
        if let Err(error) = self.installer.install(release, progress).await {
            return Ok(Err(error.into()));
        }
        let mut cells = Vec::new();
        for peer in release.peers().into_iter().filter(|peer| peer.id().flavour().is_none()) {
            match self.play_peer(peer).await? {
                Ok(played) if !played.complete => return Ok(Err(CannotTry::Harness("the time was over".to_owned()))),
                Ok(played) => cells.extend(played.cells),
                Err(why) => return Ok(Err(why)),
            }
        }
        cells.retain(|cell| cell.fault != Some(Fault::Harness));
        Ok(Ok(cells))
    }

    pub(super) async fn play_peer(&self, peer: Peer) -> Result<Result<Record, CannotTry>, HarnessError> {
        let counterpart = match peer.record().role {
            Role::Client => Peer::from(self.server.clone()),
            Role::Server => Peer::from(self.client.clone()),
        };
        let has = |transport: &&Transport| counterpart.transports().contains(transport);
        let quickest = peer.transports().iter().copied().find(|transport| has(&transport));
        // A host starts its server itself.
        let transport = if self.is_host { Some(Transport::Stdio) } else { quickest };
        let mut peers = PeerSet::default();
        peers.extend([peer, counterpart]);
        let request = Request {
            transports: transport.into_iter().collect(),
            coverage: Coverage::Everything,
            step_timeout: Some(self.timeout),
            programs: self.programs.clone(),
            ..Request::default()
        };
        match request.prepare(&peers, &self.scenarios, None) {
            Ok(prepared) => Ok(Ok(run(prepared, &mut [], CancellationToken::new()).await?)),
            Err(error) => Ok(Err(error.into())),
        }
    }
}
