//! Variant of a release: its role, the API that its adapter uses, and its mode of negotiation.

use mcp_compat_model::{Mode, PeerId, Role};

use crate::Installation;
use mcp_compat_run::peer::Peer;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    pub role: Role,
    /// The flavour that its id names after a `/`, such as `typed`.
    pub flavour: Option<String>,
    /// Mode of negotiation, if it can choose. `None`: automatic.
    pub mode: Option<Mode>,
}

/// Reason why a release has no such peer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPeer {
    #[error("{id} has no {role}{}", flavour.as_ref().map(|it| format!(" `{it}`")).unwrap_or_default())]
    NoRole { id: PeerId, role: Role, flavour: Option<String> },
    #[error("{id} cannot negotiate as `{mode}`: it has {}", modes.iter().map(|mode| format!("+{mode}")).collect::<Vec<_>>().join(", "))]
    NoMode { id: PeerId, mode: Mode, modes: Vec<Mode> },
}

impl Variant {
    /// The peer of a release. The mode is ignored if the release cannot choose how to negotiate.
    pub fn peer_of(&self, release: &Installation) -> Result<Peer, NoPeer> {
        let id = match &self.flavour {
            Some(flavour) => release.id().with_flavour(flavour),
            None => release.id().clone(),
        };
        let mut peers = release.peers();
        peers.retain(|peer| peer.record().role == self.role && peer.id().in_any_mode() == id);
        let modes: Vec<Mode> = peers.iter().filter_map(|peer| peer.record().mode).collect();
        let chosen = match self.mode {
            _ if modes.is_empty() => None,
            Some(mode) if !modes.contains(&mode) => {
                return Err(NoPeer::NoMode { id: release.id().clone(), mode, modes });
            }
            Some(mode) => Some(mode),
            None => [Mode::Auto].into_iter().chain(modes.iter().copied()).find(|mode| modes.contains(mode)),
        };
        let found = peers.into_iter().find(|peer| peer.record().mode == chosen);
        found.ok_or_else(|| NoPeer::NoRole { id: release.id().clone(), role: self.role, flavour: self.flavour.clone() })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Cache;

    const MANIFEST: &str = r#"
id = "sdk@1.2.0"
language = "sh"
about = "an SDK"
revisions = ["2025-11-25"]
[client]
command = ["client"]
MODES
[server-typed]
stdio = ["server"]
"#;

    /// The release, its client with these modes.
    fn release(modes: &str) -> Installation {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("peer.toml");
        fs::write(&path, MANIFEST.replace("MODES", modes)).unwrap();
        Installation::of_manifest(&path, None, &Cache::of_project(folder.path())).unwrap()
    }

    fn client(mode: Option<Mode>) -> Variant {
        Variant { role: Role::Client, flavour: None, mode }
    }

    fn id(variant: &Variant, release: &Installation) -> String {
        variant.peer_of(release).map_or_else(|error| error.to_string(), |peer| peer.id().to_string())
    }

    #[test]
    fn a_release_that_can_choose_negotiates_as_it_is_told_and_else_automatically() {
        let release = release(r#"modes = ["legacy", "auto"]"#);
        assert_eq!(id(&client(Some(Mode::Legacy)), &release), "sdk@1.2.0+legacy");
        assert_eq!(id(&client(None), &release), "sdk@1.2.0+auto");
        assert_eq!(
            id(&client(Some(Mode::Modern)), &release),
            "sdk@1.2.0 cannot negotiate as `modern`: it has +legacy, +auto"
        );
    }

    #[test]
    fn a_release_that_cannot_choose_does_as_it_does() {
        let release = release("");
        assert_eq!(id(&client(Some(Mode::Auto)), &release), "sdk@1.2.0");
        assert_eq!(id(&client(None), &release), "sdk@1.2.0");
    }

    #[test]
    fn a_role_that_it_does_not_play_is_told() {
        let release = release("");
        let server =
            |flavour: Option<&str>| Variant { role: Role::Server, flavour: flavour.map(str::to_owned), mode: None };
        assert_eq!(id(&server(None), &release), "sdk@1.2.0 has no server");
        assert_eq!(id(&server(Some("typed")), &release), "sdk@1.2.0/typed");
        assert_eq!(id(&server(Some("other")), &release), "sdk@1.2.0 has no server `other`");
    }
}
