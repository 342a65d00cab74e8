//! Facts that clients and servers of the matrix have in common.

use std::sync::Arc;

use mcp_compat_mocks::client::SpecError;
use mcp_compat_mocks::server::UnknownServer;
use mcp_compat_model::peer::InvalidPeerId;
use mcp_compat_model::record::PeerRecord;
use mcp_compat_model::{Era, Mode, PeerId, Revision, Role, Transport};

use crate::recording::Recording;

/// Error of a peer that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    #[error(transparent)]
    MockClient(#[from] SpecError),
    #[error(transparent)]
    MockServer(#[from] UnknownServer),
    #[error(transparent)]
    Id(#[from] InvalidPeerId),
    #[error("{0:?} is the id of one of the mocks: call the peer by its own name and version, such as my-sdk@0.1.0")]
    Taken(String),
}

/// Facts about a client or a server of the matrix, however it is started.
#[derive(Clone, Debug)]
pub struct PeerInfo {
    pub(super) record: PeerRecord,
    /// The transports that the peer has, quickest first.
    pub(super) transports: Vec<Transport>,
    /// True if the peer is a black-box client. Only the wire shows which revisions it offers.
    pub(super) is_black_box: bool,
    pub(super) is_reference: bool,
    pub(super) is_local: bool,
    /// Recording that has its cells, if it was played on another machine.
    pub(super) recording: Option<Arc<Recording>>,
}

impl PeerInfo {
    pub(super) fn new(record: PeerRecord, transports: Vec<Transport>) -> Self {
        Self { record, transports, is_black_box: false, is_reference: false, is_local: false, recording: None }
    }

    /// A peer that was played on another machine.
    pub(super) fn recorded(record: PeerRecord, transports: Vec<Transport>, recording: Arc<Recording>) -> Self {
        let is_black_box = record.calls.is_some();
        Self { is_black_box, recording: Some(recording), ..Self::new(record, transports) }
    }

    /// A peer that a test makes. No command line can name it.
    pub(super) fn local(id: &str, role: Role, transports: Vec<Transport>) -> Result<Self, PeerError> {
        let id = PeerId::new(id)?;
        if id.is_built_in() {
            return Err(PeerError::Taken(id.to_string()));
        }
        let record = PeerRecord {
            mode: id.mode(),
            id,
            role,
            language: None,
            revisions: Revision::ALL.to_vec(),
            about: "made by the test".to_owned(),
            isolated: None,
            calls: None,
            recorded: None,
        };
        Ok(Self { is_local: true, ..Self::new(record, transports) })
    }

    pub fn id(&self) -> &PeerId {
        &self.record.id
    }

    /// The peer as a record describes it.
    pub fn record(&self) -> &PeerRecord {
        &self.record
    }

    /// The transports that the peer has, quickest first.
    pub fn transports(&self) -> &[Transport] {
        &self.transports
    }

    /// The revisions that the peer offers in its mode. For a black-box client, those that it may offer.
    pub fn offered(&self) -> impl Iterator<Item = Revision> + use<> {
        let mode = self.record.mode;
        let revisions = if self.is_black_box { Revision::ALL.to_vec() } else { self.record.revisions.clone() };
        let is_offered = move |revision: &Revision| match mode {
            None | Some(Mode::Auto) => true,
            Some(Mode::Legacy) => revision.era() == Era::Legacy,
            Some(Mode::Modern) => revision.era() == Era::Modern,
        };
        revisions.into_iter().filter(is_offered)
    }

    /// Returns true if every peer of the other role is played with it.
    pub fn is_reference(&self) -> bool {
        self.is_reference
    }

    /// Returns true if only the test that made the peer knows it, so that no command line can name it.
    pub fn is_local(&self) -> bool {
        self.is_local
    }

    /// Returns true if the peer is a black-box client: a command that gets the server's address.
    pub fn is_black_box(&self) -> bool {
        self.is_black_box
    }

    /// Recording that has its cells, if it was played on another machine.
    pub fn recording(&self) -> Option<&Arc<Recording>> {
        self.recording.as_ref()
    }

    pub(super) fn speak(&mut self, revisions: impl IntoIterator<Item = Revision>) {
        self.record.revisions = revisions.into_iter().collect();
        self.record.revisions.sort_unstable();
        self.record.revisions.dedup();
    }
}

impl AsRef<Self> for PeerInfo {
    fn as_ref(&self) -> &Self {
        self
    }
}

/// Gives a type with the field `info` the methods of [`PeerInfo`].
macro_rules! peer_info_methods {
    ($peer:ty) => {
        impl AsRef<PeerInfo> for $peer {
            fn as_ref(&self) -> &PeerInfo {
                &self.info
            }
        }

        impl $peer {
            pub fn id(&self) -> &mcp_compat_model::PeerId {
                self.info.id()
            }

            /// The peer as a record describes it.
            pub fn record(&self) -> &PeerRecord {
                self.info.record()
            }

            /// The transports that the peer has, quickest first.
            pub fn transports(&self) -> &[Transport] {
                self.info.transports()
            }

            /// The revisions that the peer offers in its mode. For a black-box client, those that it may offer.
            pub fn offered(&self) -> impl Iterator<Item = mcp_compat_model::Revision> + use<> {
                self.info.offered()
            }

            /// Recording that has its cells, if it was played on another machine.
            pub fn recording(&self) -> Option<&std::sync::Arc<crate::recording::Recording>> {
                self.info.recording()
            }

            /// Returns true if every peer of the other role is played with it.
            pub fn is_reference(&self) -> bool {
                self.info.is_reference()
            }

            /// The same peer, if it speaks only these revisions. Unless this is called, a peer that is made of a command or
            /// runs in the test's own process counts as speaking all of them.
            pub fn speaking(mut self, revisions: impl IntoIterator<Item = mcp_compat_model::Revision>) -> Self {
                self.info.speak(revisions);
                self
            }

            /// The same peer, as a reference.
            pub(crate) fn into_reference(mut self) -> Self {
                self.info.is_reference = true;
                self
            }
        }
    };
}

pub(super) use peer_info_methods;

/// The transports of every mock, quickest first.
pub(super) const MOCK_TRANSPORTS: [Transport; 3] = [Transport::Memory, Transport::Http, Transport::Stdio];
