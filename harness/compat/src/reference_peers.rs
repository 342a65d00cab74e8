//! Whom an implementation is held against, by name.
//!
//! ```
//! use mcp_compat::{Suite, clients, servers};
//!
//! // A server under test: a client of each era, and the stand-ins for what is installed out there.
//! let suite = Suite::new().against(clients::reference()).against(clients::profiles());
//! // A client under test: a server that speaks all revisions, and one of each earlier time.
//! let suite = Suite::new().against(servers::dual()).against(servers::legacy());
//! # let _ = suite;
//! ```

/// Clients, for servers under test.
pub mod clients {
    use mcp_compat_model::Era;

    use mcp_compat_run::peer::{Peer, PeerError};
    use mcp_compat_run::peer_set::PeerSet;

    /// Those that a server meets unless you say: a modern one that falls back, and one of 2025-11-25.
    #[must_use]
    pub fn reference() -> Vec<Peer> {
        PeerSet::references().clients
    }

    /// Stand-ins for the clients of released SDKs: what each was seen to do, in each of its modes.
    #[must_use]
    pub fn profiles() -> Vec<Peer> {
        PeerSet::profiles().clients
    }

    /// The honest client that speaks both eras, in each of its modes.
    #[must_use]
    pub fn dual() -> Vec<Peer> {
        let is_it = |peer: &Peer| peer.id().is_dual_mock() && peer.id().is_plain_mock();
        PeerSet::mocks().clients.into_iter().filter(is_it).collect()
    }

    /// The honest clients that know nothing of the modern era, one of each revision.
    #[must_use]
    pub fn legacy() -> Vec<Peer> {
        PeerSet::mocks().clients.into_iter().filter(super::speaks_only(Era::Legacy)).collect()
    }

    /// The client of that id, such as `profile/typescript@1` or `mock/dual/warn+auto`.
    ///
    /// # Errors
    /// When there is no such mock; the error names the nearest.
    pub fn named(id: &str) -> Result<Vec<Peer>, PeerError> {
        Ok(vec![Peer::mock_client(id)?])
    }
}

/// Servers, for clients under test.
pub mod servers {
    use mcp_compat_model::Era;

    use mcp_compat_run::peer::{Peer, PeerError};
    use mcp_compat_run::peer_set::PeerSet;

    /// The one that a client meets unless you say: it speaks what the client speaks.
    #[must_use]
    pub fn reference() -> Vec<Peer> {
        PeerSet::references().servers
    }

    /// Stand-ins for the servers of released SDKs: what each was seen to do.
    #[must_use]
    pub fn profiles() -> Vec<Peer> {
        PeerSet::profiles().servers
    }

    /// The honest server that speaks both eras, with each way to treat a client that is older than its result.
    #[must_use]
    pub fn dual() -> Vec<Peer> {
        let is_it = |peer: &Peer| peer.id().is_dual_mock();
        PeerSet::mocks().servers.into_iter().filter(is_it).collect()
    }

    /// The honest servers that know nothing of the modern era.
    #[must_use]
    pub fn legacy() -> Vec<Peer> {
        PeerSet::mocks().servers.into_iter().filter(super::speaks_only(Era::Legacy)).collect()
    }

    /// The server of that id, such as `profile/typescript@1` or `mock/dual/omit`.
    ///
    /// # Errors
    /// When there is no such mock; the error names the nearest.
    pub fn named(id: &str) -> Result<Vec<Peer>, PeerError> {
        Ok(vec![Peer::mock_server(id)?])
    }
}

fn speaks_only(era: mcp_compat_model::Era) -> impl Fn(&mcp_compat_run::peer::Peer) -> bool {
    move |peer| peer.record().revisions.iter().all(|revision| revision.era() == era)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_compat_run::peer::Peer;

    fn ids(peers: Vec<Peer>) -> String {
        peers.iter().map(|peer| peer.id().as_str()).collect::<Vec<_>>().join(" ")
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
