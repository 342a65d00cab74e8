//! Names of clients and servers as people know them: `typescript 1.x legacy` in place of
//! `profile/typescript@1+legacy`.

use mcp_compat_model::PeerId;
use mcp_compat_model::peer::{Mode, PeerKind};

/// Name of a peer in parts. Peers of one SDK differ in the second part alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SdkName {
    /// The SDK, or the whole id of another peer.
    pub family: String,
    /// Release, or release line of a profile, with the mode if it is not the default.
    pub release: Option<String>,
}

impl SdkName {
    pub fn of(peer: &PeerId) -> Self {
        let (family, release) = match peer.kind() {
            PeerKind::Profile { name } => match name.split_once('@') {
                Some((family, line)) => (family.to_owned(), format!("{line}.x")),
                None => (name.clone(), String::new()),
            },
            PeerKind::Release { family, version, .. } => (family.clone(), version.to_string()),
            PeerKind::Mock { .. } | PeerKind::Sabotaged { .. } | PeerKind::Own { .. } => {
                return Self { family: peer.to_string(), release: None };
            }
        };
        let flavour = peer.flavour().map(|flavour| format!("/{flavour}")).unwrap_or_default();
        let mode = match peer.mode() {
            None | Some(Mode::Auto) => String::new(),
            Some(mode) => format!(" {mode}"),
        };
        Self { family, release: Some(format!("{release}{flavour}{mode}")) }
    }

    /// Returns whether the peer is an SDK: a release, or the profile of a release line.
    pub const fn is_sdk(&self) -> bool {
        self.release.is_some()
    }
}

impl std::fmt::Display for SdkName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.release {
            Some(release) => f.pad(&format!("{} {release}", self.family)),
            None => f.pad(&self.family),
        }
    }
}

/// List of peers, each SDK named once: `python 2.x legacy, typescript 1.x, 2.x legacy`. SDKs stand before mocks.
pub fn listed<'a>(peers: impl IntoIterator<Item = &'a PeerId>) -> String {
    let mut names: Vec<SdkName> = peers.into_iter().map(SdkName::of).collect();
    names.sort_by_key(|name| (!name.is_sdk(), name.clone()));
    names.dedup();
    let mut list = Vec::new();
    let mut before: Option<String> = None;
    for SdkName { family, release } in names {
        list.push(match (&release, before.as_ref() == Some(&family)) {
            (Some(release), true) => release.clone(),
            (Some(release), false) => format!("{family} {release}"),
            (None, _) => family.clone(),
        });
        before = Some(family);
    }
    list.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(ids: &[&str]) -> String {
        let ids: Vec<PeerId> = ids.iter().map(|id| PeerId::new(*id).unwrap()).collect();
        listed(&ids)
    }

    #[test]
    fn a_peer_has_the_name_of_its_sdk_and_release() {
        for (id, name) in [
            ("profile/typescript@1", "typescript 1.x"),
            ("profile/python@2+auto", "python 2.x"),
            ("profile/python@2+legacy", "python 2.x legacy"),
            ("rmcp@3.9.0+auto", "rmcp 3.9.0"),
            ("rmcp@3.9.0/typed", "rmcp 3.9.0/typed"),
            ("mock/dual+auto", "mock/dual+auto"),
            ("my-client", "my-client"),
        ] {
            assert_eq!(list(&[id]), name, "{id}");
        }
    }

    #[test]
    fn an_sdk_is_named_once_in_a_list_and_mocks_come_last() {
        let ids = ["mock/dual", "profile/typescript@2+legacy", "profile/python@2+legacy", "profile/typescript@1"];
        assert_eq!(list(&ids), "python 2.x legacy, typescript 1.x, 2.x legacy, mock/dual");
    }
}
