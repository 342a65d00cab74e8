//! Hosts that are installed and wanted.

use std::path::Path;

use anyhow::Result;
use mcp_compat_fleet::{Installation, PeersFolder};
use mcp_compat_host::Isolation;

use crate::inputs::peers_folder;
use crate::output::eprintln;

/// The installed hosts of these names or releases; all of them without any. If there is none, the user is told how to
/// install some.
pub fn installed_hosts(folder: Option<&Path>, wanted: &[String]) -> Result<Vec<Installation>> {
    let folder = peers_folder::need(folder)?;
    let hosts: Vec<Installation> = hosts(&folder)
        .into_iter()
        .filter(|host| is_wanted(host, wanted) && host.is_ready().unwrap_or_default())
        .collect();
    let is_there = |name: &&String| hosts.iter().any(|host| is_wanted(host, std::slice::from_ref(*name)));
    for name in wanted.iter().filter(|name| !hosts.is_empty() && !is_there(name)) {
        eprintln!("{name} is no host that is installed. `mcp-compat peers install {name}` installs it.");
    }
    if hosts.is_empty() {
        let known: Vec<&str> = folder.hosts().iter().map(|host| host.installation.id().as_str()).collect();
        eprintln!(
            "No such host is installed. `mcp-compat peers install HOST` installs one of these, and `mcp-compat peers install \
             --hosts` all of them: {}",
            known.join(", ")
        );
    } else if Isolation::permitted() == Isolation::Proxies {
        eprintln!(
            "The hosts are not isolated: this system permits no network of their own. They may reach the network, and what \
             they then do is not comparable."
        );
    }
    Ok(hosts)
}

/// Every release of a host, listed or installed, in the order of their ids.
fn hosts(folder: &PeersFolder) -> Vec<Installation> {
    let listed = folder.hosts().iter().chain(folder.fleet()).map(|member| member.installation.clone());
    let mut hosts: Vec<Installation> =
        listed.chain(folder.beyond()).filter(|it| it.manifest().host.is_some()).collect();
    hosts.sort_by(|one, other| one.id().cmp(other.id()));
    hosts.dedup_by(|one, other| one.id() == other.id());
    hosts
}

fn is_wanted(host: &Installation, wanted: &[String]) -> bool {
    wanted.is_empty() || wanted.iter().any(|name| host.id().as_str() == name || host.manifest().name() == name)
}
