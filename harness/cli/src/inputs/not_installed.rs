//! Reports the known peers that cannot play because they are not installed, with the command that installs them.

use anyhow::{Result, bail};
use mcp_compat_fleet::{Installation, NoRelease, PeersFolder};
use mcp_compat_model::count::counted;
use mcp_compat_run::glob::Glob;
use mcp_compat_run::peer::{Peer, PeerInfo};

use crate::inputs::peer_pattern::matches;

/// Number of releases that are named if more are skipped.
const NAMED: usize = 4;

/// Releases that are not installed, or whose installation is out of date, each with its peers.
#[derive(Debug, Default)]
pub struct NotInstalled {
    releases: Vec<(String, Vec<Peer>)>,
}

impl NotInstalled {
    pub fn add(&mut self, installation: &Installation) {
        self.releases.push((installation.id().to_string(), installation.peers()));
    }

    /// Checks the patterns of one side.
    ///
    /// # Errors
    /// If a pattern matches only releases that are not installed.
    pub fn refuse(&self, globs: &[String], expected: &[impl AsRef<PeerInfo>], folder: &PeersFolder) -> Result<()> {
        for glob in globs {
            if expected.iter().any(|peer| matches(glob, peer)) {
                continue;
            }
            let fits = |(_, peers): &&(String, Vec<Peer>)| peers.iter().any(|peer| matches(glob, peer));
            let matching: Vec<&str> = self.releases.iter().filter(fits).map(|(id, _)| id.as_str()).collect();
            match matching[..] {
                [] if glob.contains('@') && !Glob::is_pattern(glob) => check_beyond_fleet(glob, folder)?,
                [] => {}
                [id] => bail!(
                    "{id} is not installed, or its adapter has changed since. Install it with `mcp-compat peers install {id}`"
                ),
                [..] => {
                    let all = matching.join(" ");
                    bail!(
                        "no release that matches `{glob}` is installed. Install them with `mcp-compat peers install {all}`"
                    );
                }
            }
        }
        Ok(())
    }

    /// Returns a line about the releases that would play if they were installed.
    pub fn report(&self, plays: impl Fn(&Peer) -> bool) -> Option<String> {
        let missed = self.releases.iter().filter(|(_, peers)| peers.iter().any(&plays));
        let missed: Vec<&str> = missed.map(|(id, _)| id.as_str()).collect();
        let names =
            if missed.len() > NAMED { format!("{}, …", missed[..NAMED].join(", ")) } else { missed.join(", ") };
        (!missed.is_empty()).then(|| {
            let releases = counted(missed.len(), "SDK release");
            let verb = if missed.len() == 1 { "is" } else { "are" };
            format!("Skipping {releases} that {verb} not installed ({names}). Install with `mcp-compat peers install`.")
        })
    }
}

/// Checks a release that is not in the fleet, but may belong to a known family.
fn check_beyond_fleet(id: &str, folder: &PeersFolder) -> Result<()> {
    match folder.to_install(id) {
        Ok(release) if release.manifest().id().is_none() => {
            let id = release.id();
            bail!("{id} is not installed. Install it with `mcp-compat peers install {id}`")
        }
        // A release of the fleet that does not play this role.
        Ok(_) => Ok(()),
        Err(
            error @ (NoRelease::NotServed { .. }
            | NoRelease::NotAVersion { .. }
            | NoRelease::NoVersion { .. }
            | NoRelease::Partial { .. }),
        ) => Err(error.into()),
        // The selection reports the nearest names.
        Err(NoRelease::Name(_)) => Ok(()),
    }
}
