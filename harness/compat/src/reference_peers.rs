//! Peers that an implementation plays with, by name.
//!
//! ```
//! use mcp_compat::{Suite, clients, servers};
//!
//! // A server under test: a client of each era, and the profiles of released SDKs.
//! let suite = Suite::new().against(clients::reference()).against(clients::profiles());
//! // A client under test: a server that speaks all revisions, and one for each legacy revision.
//! let suite = Suite::new().against(servers::dual()).against(servers::legacy());
//! # let _ = suite;
//! ```

/// Clients, for servers under test.
pub mod clients {
    use mcp_compat_model::Era;

    use mcp_compat_run::peer::{ClientPeer, PeerError};
    use mcp_compat_run::peer_set::PeerSet;

    /// Returns the default clients for a server: a modern one that falls back, and one of 2025-11-25.
    #[must_use]
    pub fn reference() -> Vec<ClientPeer> {
        PeerSet::references().clients
    }

    /// Returns the profiles of the clients of released SDKs, in each of their modes.
    #[must_use]
    pub fn profiles() -> Vec<ClientPeer> {
        PeerSet::profiles().clients
    }

    /// Returns the honest client that speaks both eras, in each of its modes.
    #[must_use]
    pub fn dual() -> Vec<ClientPeer> {
        let is_it = |peer: &ClientPeer| peer.id().is_dual_mock() && peer.id().is_plain_mock();
        PeerSet::mocks().clients.into_iter().filter(is_it).collect()
    }

    /// Returns the honest clients that speak only the legacy era, one for each revision.
    #[must_use]
    pub fn legacy() -> Vec<ClientPeer> {
        PeerSet::mocks().clients.into_iter().filter(|peer| super::speaks_only(peer.as_ref(), Era::Legacy)).collect()
    }

    /// Returns the client with an id such as `profile/typescript@1` or `mock/dual/warn+auto`.
    ///
    /// # Errors
    /// When there is no such mock; the error names the nearest.
    pub fn named(id: &str) -> Result<Vec<ClientPeer>, PeerError> {
        Ok(vec![ClientPeer::mock(id)?])
    }
}

/// Servers, for clients under test.
pub mod servers {
    use mcp_compat_model::Era;

    use mcp_compat_run::peer::{PeerError, ServerPeer};
    use mcp_compat_run::peer_set::PeerSet;

    /// Returns the default server for a client. It speaks every revision of the client.
    #[must_use]
    pub fn reference() -> Vec<ServerPeer> {
        PeerSet::references().servers
    }

    /// Returns the profiles of the servers of released SDKs.
    #[must_use]
    pub fn profiles() -> Vec<ServerPeer> {
        PeerSet::profiles().servers
    }

    /// Returns the honest server that speaks both eras, with each downgrade for older clients.
    #[must_use]
    pub fn dual() -> Vec<ServerPeer> {
        let is_it = |peer: &ServerPeer| peer.id().is_dual_mock();
        PeerSet::mocks().servers.into_iter().filter(is_it).collect()
    }

    /// Returns the honest servers that speak only the legacy era.
    #[must_use]
    pub fn legacy() -> Vec<ServerPeer> {
        PeerSet::mocks().servers.into_iter().filter(|peer| super::speaks_only(peer.as_ref(), Era::Legacy)).collect()
    }

    /// Returns the server with an id such as `profile/typescript@1` or `mock/dual/omit`.
    ///
    /// # Errors
    /// When there is no such mock; the error names the nearest.
    pub fn named(id: &str) -> Result<Vec<ServerPeer>, PeerError> {
        Ok(vec![ServerPeer::mock(id)?])
    }
}

fn speaks_only(peer: &mcp_compat_run::peer::PeerInfo, era: mcp_compat_model::Era) -> bool {
    peer.record().revisions.iter().all(|revision| revision.era() == era)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_compat_run::peer::PeerInfo;

    fn ids(peers: Vec<impl AsRef<PeerInfo>>) -> String {
        peers.iter().map(|peer| peer.as_ref().id().as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_name_means_somebody() {
        insta::assert_snapshot!(format!(
            "clients\nreference {}\nprofiles  {}\ndual      {}\nlegacy    {}\n\n\
             servers\nreference {}\nprofiles  {}\ndual      {}\nlegacy    {}",
            ids(clients::reference()),
            ids(clients::profiles()),
            ids(clients::dual()),
            ids(clients::legacy()),
            ids(servers::reference()),
            ids(servers::profiles()),
            ids(servers::dual()),
            ids(servers::legacy()),
        ));
        assert_eq!(ids(clients::named("profile/typescript@2+legacy").unwrap()), "profile/typescript@2+legacy");
        assert!(servers::named("mock/dua").unwrap_err().to_string().contains("mock/dual"));
    }
}
