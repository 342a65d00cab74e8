//! What it would help to speak the other era too: the clients that speak only that one are played what the server says at
//! its revision nearest to it.

use std::collections::BTreeSet;
use std::sync::Arc;

use mcp_compat_judge::rules;
use mcp_compat_model::audit::{Audit, AuditFinding, Change, Severity};
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::{Era, PeerId, Revision};
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::peer::{ClientPeer, ServerPeer};
use mcp_compat_scenario::Scenario;

use super::replay::{Pace, ReplayScenarios, Replayer, stand_in};

/// An era that the server does not speak, and clients that speak no other.
pub(super) struct MoreEras {
    /// The revision of the era that the server would speak.
    added: Revision,
    /// The revision of the server's own that is nearest to it.
    pub(super) nearest: Revision,
    /// The server if it spoke that revision.
    server: ServerPeer,
    /// The clients that have no session with the server as it is.
    out: Vec<ClientPeer>,
    /// What the server has to change if it speaks the era and nobody can read how it says so.
    instead: Option<String>,
}

impl MoreEras {
    /// `None` if the server speaks the era, or each client has a session without it.
    pub(super) fn of(era: Era, audit: &Audit, clients: &[ClientPeer], server: &ServerPeer) -> Option<Self> {
        let spoken: Vec<Revision> = server.offered().collect();
        if spoken.iter().any(|revision| revision.era() == era) {
            return None;
        }
        let (nearest, added) = match era {
            Era::Modern => (spoken.iter().max(), Revision::NEWEST),
            Era::Legacy => (spoken.iter().min(), Revision::NEWEST_LEGACY),
        };
        let is_out = |peer: &&ClientPeer| audit.shut_out.iter().any(|loss| loss.client == *peer.id());
        let out: Vec<ClientPeer> = clients.iter().filter(is_out).cloned().collect();
        let server = stand_in(server.id(), &[added]).ok().filter(|_| !out.is_empty())?;
        let is_unreadable = |finding: &&AuditFinding| {
            rules::find(&finding.rule) == Some(&rules::DISCOVER_MEMBERS) && finding.at == [added]
        };
        let instead = audit.findings.iter().find(is_unreadable).map(|finding| finding.remedy.clone());
        Some(Self { added, nearest: *nearest?, server, out, instead })
    }

    /// The clients that lose nothing by any of the tools once the server speaks the era.
    ///
    /// # Errors
    /// When the harness fails.
    pub(super) async fn freed(
        &self,
        tools: Vec<Arc<Scenario>>,
        replayer: &Replayer,
    ) -> Result<BTreeSet<PeerId>, HarnessError> {
        let scenarios = ReplayScenarios::from([(self.added, tools)]);
        let record = replayer.replay(&scenarios, &self.out, &self.server, Pace::default(), &mut |_, _, _| {}).await?;
        let rated = |ratings: &[Rating]| {
            let cells = record.cells.iter().filter(|cell| ratings.contains(&cell.rating));
            cells.map(|cell| cell.client.clone()).collect::<BTreeSet<PeerId>>()
        };
        Ok(&rated(&[Rating::Works]) - &rated(&[Rating::Degraded, Rating::Breaks]))
    }

    /// The change to speak the era too, with the clients that it frees by itself: none where they need other changes besides.
    pub(super) fn change(&self, frees: BTreeSet<PeerId>) -> Change {
        let besides = if frees.is_empty() { ", which helps once the other changes are made" } else { "" };
        let what = match &self.instead {
            Some(remedy) => format!("{remedy}{besides}"),
            None => format!("speak {} too{besides}", self.added),
        };
        Change { what, tools: Vec::new(), frees: frees.into_iter().collect(), severity: Severity::Warning }
    }
}
