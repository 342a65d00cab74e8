//! Clients in words: SDKs and their versions in place of ids, real releases first and mocks last.

use std::collections::BTreeSet;

use mcp_compat_model::peer::PeerKind;
use mcp_compat_model::{Mode, PeerId};

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
        other => other,
    }
}

/// A version of an SDK, with the modes that are meant.
struct Line {
    sdk: String,
    version: String,
    modes: BTreeSet<Option<Mode>>,
}

/// Name and version of a client: `TypeScript SDK` and `1.x` for the profile of a line, the version for a release.
fn parts(id: &PeerId) -> (String, String) {
    match id.kind() {
        PeerKind::Profile { name } => match name.split_once('@') {
            Some((family, line)) => (sdk(family).to_owned(), format!("{line}.x")),
            None => (sdk(name).to_owned(), String::new()),
        },
        PeerKind::Release { family, version, .. } => (sdk(family).to_owned(), version.to_string()),
        PeerKind::Own { .. } | PeerKind::Mock { .. } | PeerKind::Sabotaged { .. } => {
            (id.name().to_owned(), String::new())
        }
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
