//! The real clients of `audit --fleet`: those of the SDK releases that are installed. An audit installs nothing.

use std::path::Path;

use anyhow::{Result, bail};
use mcp_compat_fleet::{Installation, Member};
use mcp_compat_run::peer::{ClientPeer, Peer};

use crate::inputs::not_installed::NotInstalled;
use crate::inputs::peers_folder;
use crate::output::eprintln;

/// The clients of every release that is installed, in the order of the fleet. Reports those of the fleet that are not.
///
/// # Errors
/// If the folder of peers cannot be read, or no release with a client is installed.
pub(super) fn installed(folder: Option<&Path>) -> Result<Vec<ClientPeer>> {
    const NONE: &str = "--fleet: no SDK release is installed, so there is no real client to play. Install some with \
                        `mcp-compat peers install`, or one with `mcp-compat peers install NAME@VERSION`";
    let Some(folder) = peers_folder::find(folder)? else { bail!(NONE) };
    let listed = folder.fleet().iter().map(|Member { installation, .. }| installation.clone());
    let (mut clients, mut not_installed) = (Vec::new(), NotInstalled::default());
    for installation in listed.chain(folder.beyond()) {
        match installation.is_ready()? {
            true => clients.extend(clients_of(&installation)),
            false => not_installed.add(&installation),
        }
    }
    if clients.is_empty() {
        bail!(NONE);
    }
    if let Some(line) = not_installed.report(|peer| matches!(peer, Peer::Client(_))) {
        eprintln!("{line}");
    }
    Ok(clients)
}

fn clients_of(installation: &Installation) -> impl Iterator<Item = ClientPeer> {
    installation.peers().into_iter().filter_map(|peer| match peer {
        Peer::Client(client) => Some(client),
        Peer::Server(_) => None,
    })
}
