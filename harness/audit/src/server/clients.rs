//! The clients that an audit counts: the reference clients, the profiles, and the real clients that are asked for.
//!
//! ```text
//! AuditOptions ─ selected ─> those that the globs select ─ start ─> AuditClients: counted | replaced | not started
//! ```
//!
//! A real client replaces the profile of its line: the profile is not counted, only compared.

use std::sync::Arc;

use mcp_compat_model::PeerId;
use mcp_compat_model::audit::NotStarted;
use mcp_compat_run::environment::RunEnvironment;
use mcp_compat_run::glob::select;
use mcp_compat_run::peer::ClientPeer;
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::timeouts::Timeouts;
use tokio::task::JoinSet;

use super::AuditError;
use super::calls::AuditOptions;

#[derive(Clone, Debug, Default)]
pub(super) struct AuditClients {
    pub(super) counted: Vec<ClientPeer>,
    /// The profiles in whose place real clients are counted.
    pub(super) replaced: Vec<ClientPeer>,
    /// The real clients that could not be started.
    pub(super) not_started: Vec<NotStarted>,
}

/// Every client that an audit with these options could count.
pub(super) fn all(options: &AuditOptions) -> Vec<ClientPeer> {
    let mut all = PeerSet::references().clients;
    all.extend(PeerSet::profiles().clients);
    all.extend(options.real_clients.iter().flatten().cloned());
    all
}

/// The clients that the options select.
///
/// # Errors
/// When a glob is not valid or selects nothing, or real clients are asked for and none is selected.
pub(super) fn selected(options: &AuditOptions) -> Result<Vec<ClientPeer>, AuditError> {
    let all = all(options);
    let selected: Vec<ClientPeer> =
        select("client", &options.clients, &all, |peer| peer.id().as_str())?.into_iter().cloned().collect();
    if options.real_clients.is_some() && !selected.iter().any(is_real) {
        let real: Vec<&str> = all.iter().filter(|peer| is_real(peer)).map(|peer| peer.id().as_str()).collect();
        return Err(AuditError::NoRealClient(match real[..] {
            [] => "there is none".to_owned(),
            _ => format!("the selection has none of {}", real.join(", ")),
        }));
    }
    Ok(selected)
}

impl AuditClients {
    /// Selects the clients, and starts the real ones.
    ///
    /// # Errors
    /// As those of [`selected`], and when real clients are asked for and none of them can be started.
    pub(super) async fn start(options: &AuditOptions, environment: &Arc<RunEnvironment>) -> Result<Self, AuditError> {
        let selected = selected(options)?;
        let not_started = not_started(&selected, environment).await;
        let clients = Self::sorted(selected, not_started);
        match clients.not_started.first() {
            Some(NotStarted { client, why }) if !clients.counted.iter().any(is_real) => {
                Err(AuditError::NoRealClient(format!("{client} could not be started: {why}")))
            }
            Some(_) | None => Ok(clients),
        }
    }

    /// Which of the clients are counted, and which profiles are replaced.
    fn sorted(selected: Vec<ClientPeer>, not_started: Vec<NotStarted>) -> Self {
        let is_started = |peer: &ClientPeer| not_started.iter().all(|failed| failed.client != *peer.id());
        let playable: Vec<ClientPeer> = selected.into_iter().filter(is_started).collect();
        let real: Vec<PeerId> = playable.iter().filter(|peer| is_real(peer)).map(|peer| peer.id().clone()).collect();
        let is_replaced = |peer: &ClientPeer| real.iter().any(|real| peer.id().is_profile_of(real));
        let (replaced, counted) = playable.into_iter().partition(is_replaced);
        Self { counted, replaced, not_started }
    }
}

fn is_real(peer: &ClientPeer) -> bool {
    !peer.id().is_built_in()
}

/// Starts the clients side by side. Returns those that cannot be started, in their order.
async fn not_started(clients: &[ClientPeer], environment: &Arc<RunEnvironment>) -> Vec<NotStarted> {
    let mut starting = JoinSet::new();
    for (place, client) in clients.iter().cloned().enumerate() {
        let environment = Arc::clone(environment);
        starting.spawn(async move {
            let why = environment.start_client(&client, Timeouts::default()).await.err()?;
            Some((place, NotStarted { client: client.id().clone(), why }))
        });
    }
    let mut failed: Vec<(usize, NotStarted)> = starting.join_all().await.into_iter().flatten().collect();
    failed.sort_by_key(|(place, _)| *place);
    failed.into_iter().map(|(_, failed)| failed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(id: &str) -> ClientPeer {
        ClientPeer::command(id, mcp_compat_drive::Launch::new("none")).unwrap()
    }

    fn options(real_clients: Option<Vec<ClientPeer>>, clients: &[&str]) -> AuditOptions {
        let clients = clients.iter().map(|glob| (*glob).to_owned()).collect();
        AuditOptions { clients, real_clients, ..AuditOptions::default() }
    }

    fn ids(clients: &[ClientPeer]) -> Vec<&str> {
        clients.iter().map(|peer| peer.id().as_str()).collect()
    }

    #[test]
    fn a_real_client_replaces_the_profile_of_its_line_unless_it_cannot_be_started() {
        let asked = options(Some(vec![real("typescript@1.12.3")]), &["profile/*@1", "typescript@*"]);
        let clients = AuditClients::sorted(selected(&asked).unwrap(), Vec::new());
        assert!(ids(&clients.counted).ends_with(&["typescript@1.12.3"]), "{:?}", ids(&clients.counted));
        assert_eq!(ids(&clients.replaced), ["profile/typescript@1"]);
        let failed = NotStarted { client: real("typescript@1.12.3").id().clone(), why: String::new() };
        let clients = AuditClients::sorted(selected(&asked).unwrap(), vec![failed]);
        assert!(ids(&clients.counted).contains(&"profile/typescript@1"), "{:?}", ids(&clients.counted));
        assert!(clients.replaced.is_empty());
    }

    #[test]
    fn real_clients_that_are_asked_for_have_to_play() {
        let error = |asked: &AuditOptions| selected(asked).unwrap_err().to_string();
        assert_eq!(error(&options(Some(Vec::new()), &[])), "no real client can be played: there is none");
        let none = options(Some(vec![real("sdk@1.0.0")]), &["profile/*"]);
        assert_eq!(error(&none), "no real client can be played: the selection has none of sdk@1.0.0");
        assert!(selected(&options(None, &["profile/*"])).is_ok());
    }
}
