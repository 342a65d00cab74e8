//! Fidelity: a profile and the real peer that it stands in for, played with the same counterparts and compared.
//!
//! ```text
//! Request (contests: profile, real peer, counterparts) -> Run -> Fates: what each cell and each of its steps came to
//!                                                      -> compare -> Likeness
//! ```
//!
//! A real client serves many jobs in one process, and one that computes for long keeps the others waiting; so does a busy
//! machine. Cells that are not equal are therefore played once more, one at a time, and what came last counts. What an
//! adapter says that it cannot play is not compared.

mod compare;
mod fates;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use mcp_compat_model::likeness::Likeness;
use mcp_compat_model::peer::MockRevisions;
use mcp_compat_model::{Cell, Era, PeerId, Role, Transport};
use mcp_compat_scenario::Scenario;

use fates::Fates;
use mcp_compat_run::events::Observer;
use mcp_compat_run::hosts::{HostError, Programs};
use mcp_compat_run::peer::Peer;
use mcp_compat_run::plan::{self, Coverage, Plan, plan};
use mcp_compat_run::request::{planned_peer, planned_scenario};
use mcp_compat_run::run::{Patience, Run, Stop, run};

/// A profile, the real peer that it stands in for, and whom both meet.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The profile.
    pub profile: Peer,
    /// The real peer, of the same role.
    pub real: Peer,
    /// The honest mock that speaks what the profile speaks: what a profile without traits would be.
    pub honest: Peer,
    /// Whom they meet.
    pub counterparts: Vec<Peer>,
}

impl Contest {
    /// A contest; nothing, where the profile is none.
    #[must_use]
    pub fn new(profile: &Peer, real: &Peer, counterparts: &[Peer]) -> Option<Self> {
        let honest = honest(profile)?;
        Some(Self { profile: profile.clone(), real: real.clone(), honest, counterparts: counterparts.to_vec() })
    }

    fn peers(&self) -> [&Peer; 3] {
        [&self.profile, &self.real, &self.honest]
    }
}

/// The honest mock of a profile's revisions and mode.
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
            Peer::mock_client(mock.as_str()).ok()
        }
        Role::Server => Peer::mock_server(mock.as_str()).ok(),
    }
}

/// What is to be compared.
#[derive(Clone, Debug)]
pub struct Request {
    /// Who is held against whom.
    pub contests: Vec<Contest>,
    /// The scenarios.
    pub corpus: Vec<Arc<Scenario>>,
    /// The transports, of those that both have.
    pub transports: Vec<Transport>,
    /// How long things may take.
    pub patience: Patience,
    /// How many cells side by side.
    pub jobs: usize,
    /// How the programs of our own are started.
    pub programs: Programs,
    /// The folder for what peers write to their standard error.
    pub logs: Option<PathBuf>,
}

/// Pairs profiles with the real peers that they stand in for: by role, and by mode where there are several.
#[must_use]
pub fn pair<'p>(profiles: &'p [Peer], reals: &'p [Peer]) -> Vec<(&'p Peer, &'p Peer)> {
    let stands_for = |profile: &Peer, real: &Peer| {
        profile.record().role == real.record().role && profile.id().mode() == real.id().mode()
    };
    let of = |profile| reals.iter().filter(move |real| stands_for(profile, real)).map(move |real| (profile, real));
    profiles.iter().flat_map(of).collect()
}

/// Plays the peers of each contest and compares them.
///
/// # Errors
/// When the harness cannot do its own part.
pub async fn likeness(request: &Request, observer: &mut dyn Observer, stop: Stop) -> Result<Likeness, HostError> {
    let cells: BTreeSet<Cell> = request.contests.iter().flat_map(|contest| request.cells(contest)).collect();
    let mut fates = Fates::new(&request.corpus);
    let first = request.run(cells.into_iter().collect(), request.jobs);
    let record = run(first, &mut [observer, &mut fates], stop.clone()).await?;
    let mut complete = record.complete;
    let unequal: Vec<Cell> =
        request.contests.iter().flat_map(|contest| compare::unequal(contest, request, &fates)).collect();
    if !unequal.is_empty() {
        complete &= run(request.run(unequal, 1), &mut [observer, &mut fates], stop).await?.complete;
    }
    let sides = request.contests.iter().flat_map(|contest| compare::sides(contest, request, &fates)).collect();
    Ok(Likeness { tool_version: record.tool_version, corpus: record.corpus, complete, sides })
}

impl Request {
    /// The transports over which a contest is played.
    fn transports_of(&self, contest: &Contest) -> Vec<Transport> {
        let both = |transport: &&Transport| {
            contest.profile.transports().contains(transport) && contest.real.transports().contains(transport)
        };
        self.transports.iter().filter(both).copied().collect()
    }

    /// The cells of a contest.
    fn cells(&self, contest: &Contest) -> Vec<Cell> {
        let peers = contest.peers().map(|peer| planned_peer(peer, true)).to_vec();
        let counterparts = contest.counterparts.iter().map(|peer| planned_peer(peer, true)).collect();
        let (clients, servers) = match contest.profile.record().role {
            Role::Client => (peers, counterparts),
            Role::Server => (counterparts, peers),
        };
        plan(&plan::Request {
            scenarios: self.corpus.iter().map(|scenario| planned_scenario(scenario)).collect(),
            clients,
            servers,
            transports: self.transports_of(contest),
            coverage: Coverage::Everything,
        })
        .cells
    }

    fn run(&self, cells: Vec<Cell>, jobs: usize) -> Run {
        let of = |role: Role| {
            let peers = self.contests.iter().flat_map(Contest::peers);
            let counterparts = self.contests.iter().flat_map(|contest| &contest.counterparts);
            peers.chain(counterparts).filter(|peer| peer.record().role == role).cloned().collect()
        };
        Run {
            plan: Plan { cells, left_out: Vec::new(), division: None },
            scenarios: self.corpus.clone(),
            clients: of(Role::Client),
            servers: of(Role::Server),
            patience: self.patience,
            jobs,
            started: String::new(),
            programs: self.programs.clone(),
            logs: self.logs.clone(),
        }
    }
}
