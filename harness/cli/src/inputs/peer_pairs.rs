//! Pairs the peers of `--base` with those of `--head`, by role, API and mode.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, bail};
use mcp_compat_model::peer::BuiltIn;
use mcp_compat_model::{Mode, PeerId, Role};
use mcp_compat_run::peer::{ClientPeer, Peer, ServerPeer};
use mcp_compat_run::peer_set::PeerSet;

use crate::inputs::peer_pattern::matches;
use crate::inputs::peers_folder;

/// Base peer and head peer that are compared, with their role.
pub type Pair = (Role, PeerId, PeerId);

/// Pairs peers of the same role that are written with the same API and negotiate in the same mode. A base peer without
/// a mode is paired with a head peer in each mode, and a head peer without one with one base peer. `folder` is the
/// folder of the real peers, if it is given.
///
/// # Errors
/// If a name matches no peer, or the two have no role in common.
pub fn pairs(base: &str, head: &str, folder: Option<&Path>) -> Result<Vec<Pair>> {
    let (old, new) = (peers(base, folder)?, peers(head, folder)?);
    let side = |peers: &[Peer], role: Role| -> Vec<PeerId> {
        peers.iter().filter(|peer| peer.record().role == role).map(|peer| peer.id().clone()).collect()
    };
    let mut pairs = Vec::new();
    for role in [Role::Client, Role::Server] {
        pairs.extend(paired(&side(&old, role), &side(&new, role)).into_iter().map(|(old, new)| (role, old, new)));
    }
    if pairs.is_empty() {
        bail!("{base} and {head} have no role and mode in common: one is only a client and the other only a server");
    }
    Ok(pairs)
}

fn paired(old: &[PeerId], new: &[PeerId]) -> Vec<(PeerId, PeerId)> {
    let alike = |old: &PeerId, new: &PeerId| old.flavour() == new.flavour() && old.mode() == new.mode();
    let continues =
        |old: &PeerId, new: &PeerId| old.flavour() == new.flavour() && (old.mode().is_none() || new.mode().is_none());
    let all = || new.iter().flat_map(|new| old.iter().map(move |old| (old.clone(), new.clone())));
    let equal: Vec<_> = all().filter(|(old, new)| alike(old, new)).collect();
    if !equal.is_empty() {
        return equal;
    }
    let mut pairs: Vec<(PeerId, PeerId)> = all().filter(|(old, new)| continues(old, new)).collect();
    // Each head peer is paired once, with the mode of base that most users have.
    pairs.sort_by_key(|(old, _)| old.mode() != Some(Mode::Auto));
    let mut compared = BTreeSet::new();
    pairs.retain(|(_, new)| compared.insert(new.clone()));
    pairs
}

/// Returns the peers that match a name, in both roles.
fn peers(name: &str, folder: Option<&Path>) -> Result<Vec<Peer>> {
    if peers_folder::is_manifest(name) {
        return Ok(peers_folder::installation(name)?.peers());
    }
    if BuiltIn::of(name).is_some() {
        return mocks(name);
    }
    let release = peers_folder::need(folder)?.release(name)?;
    let peers: Vec<Peer> = release.peers().into_iter().filter(|peer| matches(name, peer)).collect();
    if peers.is_empty() {
        let known: Vec<String> = release.peers().iter().map(|peer| peer.id().to_string()).collect();
        bail!("there is no client or server {name}; there are: {}", known.join(", "));
    }
    Ok(peers)
}

/// Returns the mocks that match a name: those that play by default, otherwise the one with exactly this name.
fn mocks(name: &str) -> Result<Vec<Peer>> {
    let usual = PeerSet::mocks();
    let of = |role: Role| usual.of_role(role).into_iter().filter(|peer| matches(name, peer)).collect::<Vec<_>>();
    let (mut clients, mut servers) = (of(Role::Client), of(Role::Server));
    let (client, server) = (ClientPeer::mock(name).map(Peer::from), ServerPeer::mock(name).map(Peer::from));
    match (client, server) {
        (Err(error), Err(_)) if clients.is_empty() && servers.is_empty() => return Err(error.into()),
        (client, server) => {
            if clients.is_empty() {
                clients.extend(client.ok());
            }
            if servers.is_empty() {
                servers.extend(server.ok());
            }
        }
    }
    clients.extend(servers);
    Ok(clients)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired_ids(old: &[&str], new: &[&str]) -> Vec<String> {
        let ids = |names: &[&str]| names.iter().map(|name| PeerId::new(*name).unwrap()).collect::<Vec<_>>();
        paired(&ids(old), &ids(new)).iter().map(|(old, new)| format!("{old} {new}")).collect()
    }

    #[test]
    fn modes_and_apis_are_compared_with_their_equals() {
        assert_eq!(
            paired_ids(&["a@1+auto", "a@1+legacy"], &["b+legacy", "b+auto"]),
            ["a@1+legacy b+legacy", "a@1+auto b+auto"]
        );
        assert_eq!(paired_ids(&["a@1"], &["a@2+legacy", "a@2+auto"]), ["a@1 a@2+legacy", "a@1 a@2+auto"]);
        assert_eq!(paired_ids(&["a@1", "a@1/typed"], &["a@2", "a@2/typed"]), ["a@1 a@2", "a@1/typed a@2/typed"]);
        assert!(paired_ids(&["a@1+auto"], &["b+legacy"]).is_empty());
        assert_eq!(paired_ids(&["a@2+legacy", "a@2+auto"], &["a@1"]), ["a@2+auto a@1"]);
    }
}
