//! Request for a comparison, and the cells that it needs.

use std::path::PathBuf;
use std::sync::Arc;

use mcp_compat_model::peer::MockRevisions;
use mcp_compat_model::{Cell, Era, PeerId, Role, Transport};
use mcp_compat_run::environment::DEFAULT_PEER_MEMORY;
use mcp_compat_run::peer::{ClientPeer, Peer, ServerPeer};
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::plan::{self, Coverage, Plan, plan};
use mcp_compat_run::programs::Programs;
use mcp_compat_run::request::{planned_peer, planned_scenario};
use mcp_compat_run::run::{IsKnown, Run};
use mcp_compat_run::timeouts::Timeouts;
use mcp_compat_scenario::Scenario;

/// Profile, the release that it emulates, and the peers that both play with.
#[derive(Clone, Debug)]
pub struct Contest {
    pub profile: Peer,
    /// The real peer, of the same role.
    pub real: Peer,
    /// The honest mock of the revisions of the profile: a profile without quirks would behave like it.
    pub honest: Peer,
    /// The peers that both play with.
    pub counterparts: Vec<Peer>,
}

impl Contest {
    /// Creates a contest. Returns `None` if the peer is not a profile.
    pub fn new(profile: &Peer, real: &Peer, counterparts: &[Peer]) -> Option<Self> {
        let honest = honest(profile)?;
        Some(Self { profile: profile.clone(), real: real.clone(), honest, counterparts: counterparts.to_vec() })
    }

    fn peers(&self) -> [&Peer; 3] {
        [&self.profile, &self.real, &self.honest]
    }
}

/// Returns the honest mock with the revisions and mode of a profile.
fn honest(profile: &Peer) -> Option<Peer> {
    let record = profile.record();
    let revisions = match record.revisions.iter().max()? {
        newest if newest.era() == Era::Modern => MockRevisions::Dual,
        newest => MockRevisions::One(*newest),
    };
    let mock = PeerId::mock(revisions, &[]);
    match record.role {
        Role::Client => {
            let mock = profile.id().mode().map_or(mock.clone(), |mode| mock.with_mode(mode));
            ClientPeer::mock(mock.as_str()).ok().map(Peer::from)
        }
        Role::Server => ServerPeer::mock(mock.as_str()).ok().map(Peer::from),
    }
}

/// Request for a comparison.
#[derive(Clone, Debug)]
pub struct Request {
    /// The profiles, each with the release that it is compared with.
    pub contests: Vec<Contest>,
    pub corpus: Vec<Arc<Scenario>>,
    /// The transports; of these, the ones that both peers support are used.
    pub transports: Vec<Transport>,
    pub timeouts: Timeouts,
    /// Number of cells that are played at the same time.
    pub jobs: usize,
    /// The way to start the mocks.
    pub programs: Programs,
    /// The folder for what peers write to their standard error.
    pub logs: Option<PathBuf>,
}

impl Request {
    /// Returns the transports over which a contest is played.
    pub(super) fn transports_of(&self, contest: &Contest) -> Vec<Transport> {
        let both = |transport: &&Transport| {
            contest.profile.transports().contains(transport) && contest.real.transports().contains(transport)
        };
        self.transports.iter().filter(both).copied().collect()
    }

    pub(super) fn cells(&self, contest: &Contest) -> Vec<Cell> {
        let peers = contest.peers().map(|peer| planned_peer(peer.as_ref(), true)).to_vec();
        let counterparts = contest.counterparts.iter().map(|peer| planned_peer(peer.as_ref(), true)).collect();
        let (clients, servers) = match contest.profile.record().role {
            Role::Client => (peers, counterparts),
            Role::Server => (counterparts, peers),
        };
        plan(&plan::Request {
            scenarios: self.corpus.iter().map(|scenario| planned_scenario(scenario)).collect(),
            clients,
            servers,
            transports: self.transports_of(contest),
            revision: None,
            coverage: Coverage::Everything,
        })
        .cells
    }

    pub(super) fn run(&self, cells: Vec<Cell>, jobs: usize) -> Run {
        let mut peers = PeerSet::default();
        for contest in &self.contests {
            peers.extend(contest.peers().into_iter().chain(&contest.counterparts).cloned());
        }
        Run {
            plan: Plan { cells, left_out: Vec::new(), division: None },
            scenarios: self.corpus.clone(),
            clients: peers.clients,
            servers: peers.servers,
            timeouts: self.timeouts,
            jobs,
            started: String::new(),
            programs: self.programs.clone(),
            logs: self.logs.clone(),
            peer_memory: DEFAULT_PEER_MEMORY,
            is_known: IsKnown::default(),
        }
    }
}
