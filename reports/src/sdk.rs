//! Names of clients and servers as people know them, in place of ids such as `profile/typescript@1+legacy`: short in tables
//! (`typescript 1.x legacy`), in full in sentences (`TypeScript SDK 1.x (legacy mode)`).

use std::collections::BTreeSet;

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
        let Some((family, release)) = family_and_release(peer) else {
            return Self { family: peer.to_string(), release: None };
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

/// SDK and release of a peer: the version, or `1.x` for the profile of a line. `None` for other peers.
fn family_and_release(peer: &PeerId) -> Option<(String, String)> {
    match peer.kind() {
        PeerKind::Profile { name } => Some(match name.split_once('@') {
            Some((family, line)) => (family.to_owned(), format!("{line}.x")),
            None => (name.clone(), String::new()),
        }),
        PeerKind::Release { family, version, .. } => Some((family.clone(), version.to_string())),
        PeerKind::Mock { .. } | PeerKind::Sabotaged { .. } | PeerKind::Own { .. } => None,
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

/// Order in which clients are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Release,
    Own,
    Profile,
    Mock,
}

pub(crate) fn rank(id: &PeerId) -> Rank {
    match id.kind() {
        PeerKind::Release { .. } => Rank::Release,
        PeerKind::Own { .. } => Rank::Own,
        PeerKind::Profile { .. } => Rank::Profile,
        PeerKind::Mock { .. } | PeerKind::Sabotaged { .. } => Rank::Mock,
    }
}

/// Name of an SDK, from the name of its releases.
pub(crate) fn sdk(family: &str) -> &str {
    match family {
        "typescript" => "TypeScript SDK",
        "python" => "Python SDK",
        "go" => "Go SDK",
        "java" => "Java SDK",
        "kotlin" => "Kotlin SDK",
        "csharp" => "C# SDK",
        "fastmcp" => "FastMCP",
        "ai-sdk-mcp" => "AI SDK",
        other => other,
    }
}

/// A version of an SDK, with the modes that are meant.
struct Line {
    sdk: String,
    version: String,
    modes: BTreeSet<Option<Mode>>,
}

/// Name of the SDK and the release; for other peers the id without its mode.
fn parts(id: &PeerId) -> (String, String) {
    match family_and_release(id) {
        Some((family, release)) => (sdk(&family).to_owned(), release),
        None => (id.name().to_owned(), String::new()),
    }
}

/// Names of some of the clients: `TypeScript SDK 1.x, 2.x (legacy mode); 2 reference clients`. A mode is named only if
/// other modes of the same version are in `all` and not meant.
pub(crate) fn names<'i>(some: impl IntoIterator<Item = &'i PeerId>, all: &[&PeerId]) -> String {
    let mut some: Vec<&PeerId> = some.into_iter().collect();
    some.sort_by_key(|id| rank(id));
    let mocks = some.iter().filter(|id| rank(id) == Rank::Mock).count();
    let mut lines: Vec<Line> = Vec::new();
    for id in some.into_iter().filter(|id| rank(id) != Rank::Mock) {
        let (sdk, version) = parts(id);
        match lines.iter_mut().find(|line| line.sdk == sdk && line.version == version) {
            Some(line) => {
                line.modes.insert(id.mode());
            }
            None => lines.push(Line { sdk, version, modes: BTreeSet::from([id.mode()]) }),
        }
    }
    let mut sdks: Vec<(String, Vec<String>)> = Vec::new();
    for Line { sdk, version, modes } in lines {
        let all = all.iter().filter(|id| parts(id) == (sdk.clone(), version.clone())).map(|id| id.mode());
        let is_part = all.collect::<BTreeSet<_>>() != modes;
        let named: Vec<&str> = modes.iter().flatten().filter(|_| is_part).map(|mode| mode.as_str()).collect();
        let modes = if named.is_empty() { String::new() } else { format!(" ({} mode)", named.join(" and ")) };
        let version = format!("{version}{modes}");
        match sdks.iter_mut().find(|(known, _)| *known == sdk) {
            Some((_, versions)) => versions.push(version),
            None => sdks.push((sdk, vec![version])),
        }
    }
    let named = sdks.into_iter().map(|(sdk, versions)| format!("{sdk} {}", versions.join(", ")).trim_end().to_owned());
    let mocks = match mocks {
        0 => None,
        1 => Some("1 reference client".to_owned()),
        many => Some(format!("{many} reference clients")),
    };
    named.chain(mocks).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(ids: &[&str]) -> String {
        listed(&self::ids(ids))
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

    fn ids(texts: &[&str]) -> Vec<PeerId> {
        texts.iter().map(|text| PeerId::new(*text).unwrap()).collect()
    }

    #[test]
    fn real_releases_are_named_first_and_mocks_are_counted_last() {
        let some = ids(&["mock/dual+auto", "profile/go@1", "mock/2025-11-25", "typescript@1.32.2", "typescript@2.4.0"]);
        let all: Vec<&PeerId> = some.iter().collect();
        assert_eq!(names(&some, &all), "TypeScript SDK 1.32.2, 2.4.0; Go SDK 1.x; 2 reference clients");
    }

    #[test]
    fn a_mode_is_named_only_if_another_mode_fares_otherwise() {
        let all = ids(&["profile/python@1", "profile/python@2+auto", "profile/python@2+legacy"]);
        let all: Vec<&PeerId> = all.iter().collect();
        assert_eq!(names(all.clone(), &all), "Python SDK 1.x, 2.x");
        assert_eq!(names(all[..2].iter().copied(), &all), "Python SDK 1.x, 2.x (auto mode)");
    }
}
