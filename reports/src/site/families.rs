//! Families of peers: the releases of one package, represented by the newest.

use std::collections::BTreeMap;

use mcp_compat_model::PeerId;
use mcp_compat_model::peer::PeerKind;
use mcp_compat_model::version::Version;

use crate::site::names::product;

/// Number of peers on one side of the first page if all of them are mocks.
const MOCKS: usize = 12;

/// Family of a peer: the package of a release; for any other peer its name.
pub(crate) fn family(peer: &PeerId) -> &str {
    match peer.kind() {
        PeerKind::Release { family, .. } => family,
        PeerKind::Mock { .. } | PeerKind::Profile { .. } | PeerKind::Sabotaged { .. } | PeerKind::Own { .. } => {
            peer.name()
        }
    }
}

/// Returns whether a peer is not a part of mcp-compat.
pub(crate) fn is_real(peer: &PeerId) -> bool {
    !peer.is_built_in()
}

/// Newest release of each family.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newest<'a>(BTreeMap<&'a str, &'a Version>);

impl<'a> Newest<'a> {
    pub(crate) fn of(peers: impl Iterator<Item = &'a PeerId>) -> Self {
        let mut newest = BTreeMap::new();
        for (family, version) in peers.filter_map(PeerId::release) {
            let known = newest.entry(family).or_insert(version);
            // A pre-release represents its family only if there is no other release.
            if (!version.is_pre_release(), version) > (!known.is_pre_release(), *known) {
                *known = version;
            }
        }
        Self(newest)
    }

    /// Returns whether a peer is the newest of its family, or no release at all.
    pub(crate) fn is(&self, peer: &PeerId) -> bool {
        peer.release().is_none_or(|(family, version)| self.0.get(family).is_none_or(|newest| *newest == version))
    }
}

/// Peers of one side on the first page: the newest of each family, other real peers, and the mock of both eras for
/// comparison; the mocks if there is no real peer.
pub(crate) fn front(side: &[&PeerId], newest: &Newest<'_>) -> Vec<String> {
    let mut shown: Vec<String> =
        side.iter().filter(|peer| is_real(peer) && newest.is(peer)).map(|peer| product(peer)).collect();
    let only_mocks = shown.is_empty();
    shown.extend(
        side.iter()
            .filter(|peer| only_mocks || (peer.is_plain_mock() && peer.is_dual_mock()))
            .map(|peer| product(peer)),
    );
    let mut seen = std::collections::BTreeSet::new();
    shown.retain(|name| seen.insert(name.clone()));
    if only_mocks {
        shown.truncate(MOCKS);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_release_represents_its_family() {
        let ids = [
            "mock/dual+auto",
            "mock/dual/omit",
            "mine",
            "ts@1.9.0",
            "ts@1.10.0+auto",
            "ts@1.10.0/typed",
            "ts@2.0.0-rc.1",
        ];
        let ids: Vec<PeerId> = ids.iter().map(|id| PeerId::new(*id).unwrap()).collect();
        let newest = Newest::of(ids.iter());
        let side: Vec<&PeerId> = ids.iter().collect();
        assert_eq!(front(&side, &newest), ["mine", "ts@1.10.0", "mock/dual"]);
        assert_eq!(front(&side[..2], &newest), ["mock/dual", "mock/dual/omit"]);
    }
}
