//! The plan: which cells are played, and what is left out and why. A pure function of its arguments.
//!
//! What a coverage takes, where *reference* peers are the mocks that everything is held against and the *smoke*
//! scenarios are the first of each class:
//!
//! | coverage | every client × reference servers, reference clients × every server | every client × every server |
//! |---|---|---|
//! | `smoke` | the smoke scenarios, over the quickest transport of each pair | – |
//! | `pairwise` | all scenarios over the quickest transport, the smoke scenarios over the others | the smoke scenarios, over the quickest transport |
//! | `full` | all scenarios, every transport | all scenarios, every transport |
//!
//! Never planned: a scenario with a server whose revisions are all older than it, and a transport that one side
//! does not have. A pair without a common revision is planned for one scenario only: it fails the same way in all.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::record::LeftOut;
use mcp_compat_model::{Cell, Revision, ScenarioId, Transport};

/// How much of the matrix is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coverage {
    /// One scenario of each class, against the reference peers.
    Smoke,
    /// Every scenario against the reference peers, and every pair of peers once for each class.
    #[default]
    Pairwise,
    /// Everything.
    Full,
}

/// One part of a plan, for one machine of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub index: u32,
    /// Of how many.
    pub of: u32,
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let (index, of) = text.split_once('/')?;
            let shard = Self { index: index.parse().ok()?, of: of.parse().ok()? };
            (1..=shard.of).contains(&shard.index).then_some(shard)
        };
        parse().ok_or_else(|| format!("{text:?} is not a shard: expected K/N with K from 1 to N, such as 2/4"))
    }
}

/// What the plan has to know of a scenario.
#[derive(Clone, Debug)]
pub struct PlannedScenario {
    /// Its id.
    pub id: ScenarioId,
    /// The first revision in which a server may do it.
    pub since: Revision,
}

/// What the plan has to know of a peer.
#[derive(Clone, Debug)]
pub struct PlannedPeer {
    /// Its id.
    pub id: mcp_compat_model::PeerId,
    /// The revisions that it offers in its mode.
    pub revisions: Vec<Revision>,
    /// The transports that it has, quickest first.
    pub transports: Vec<Transport>,
    /// Whether it is one that everything is held against.
    pub reference: bool,
}

/// What is to be planned.
#[derive(Clone, Debug)]
pub struct Request {
    /// The scenarios, in any order.
    pub scenarios: Vec<PlannedScenario>,
    /// The clients.
    pub clients: Vec<PlannedPeer>,
    /// The servers.
    pub servers: Vec<PlannedPeer>,
    /// The transports to use.
    pub transports: Vec<Transport>,
    /// How much of it.
    pub coverage: Coverage,
    /// Which part of it.
    pub shard: Option<Shard>,
}

/// The cells to play, ordered by id, and what is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The cells.
    pub cells: Vec<Cell>,
    /// What is left out: how many cells for which reason.
    pub left_out: Vec<LeftOut>,
}

/// Makes the plan.
#[must_use]
pub fn plan(request: &Request) -> Plan {
    let smoke = smoke_scenarios(&request.scenarios);
    let mut left_out = BTreeMap::<String, u64>::new();
    let mut cells = Vec::new();
    for client in &request.clients {
        for server in &request.servers {
            let transports = common_transports(client, server, &request.transports);
            if transports.is_empty() {
                let reason = "the two peers share none of the transports asked for".to_owned();
                *left_out.entry(reason).or_default() += request.scenarios.len() as u64;
                continue;
            }
            let strangers = !client.revisions.iter().any(|revision| server.revisions.contains(revision));
            let mut met = false;
            for scenario in &request.scenarios {
                let mut leave = |reason: String| *left_out.entry(reason).or_default() += transports.len() as u64;
                if server.revisions.iter().all(|revision| *revision < scenario.since) {
                    leave(format!("the scenario needs a server of {} or later", scenario.since));
                    continue;
                }
                if strangers && met {
                    leave("client and server have no revision in common: one scenario shows it".to_owned());
                    continue;
                }
                met = true;
                let smoke = smoke.contains(&scenario.id);
                let reference = client.reference || server.reference;
                for (place, transport) in transports.iter().enumerate() {
                    if strangers && place > 0 {
                        continue;
                    }
                    if strangers || wanted(request.coverage, reference, smoke, place == 0) {
                        cells.push(Cell {
                            scenario: scenario.id.clone(),
                            client: client.id.clone(),
                            server: server.id.clone(),
                            transport: *transport,
                        });
                    } else {
                        let reason = format!("the coverage {} does not take them", request.coverage.as_str());
                        *left_out.entry(reason).or_default() += 1;
                    }
                }
            }
        }
    }
    cells.sort();
    if let Some(shard) = request.shard {
        let all = cells.len();
        let mut place = 0;
        cells.retain(|_| {
            place += 1;
            (place - 1) % shard.of == shard.index - 1
        });
        let elsewhere = (all - cells.len()) as u64;
        *left_out.entry(format!("the other shards of {} play them", shard.of)).or_default() += elsewhere;
    }
    let left_out = left_out.into_iter().filter(|(_, cells)| *cells > 0);
    Plan { cells, left_out: left_out.map(|(reason, cells)| LeftOut { reason, cells }).collect() }
}

impl Coverage {
    /// The name used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Smoke => "smoke",
            Self::Pairwise => "pairwise",
            Self::Full => "full",
        }
    }
}

/// The table at the head of this file, as code.
const fn wanted(coverage: Coverage, reference: bool, smoke: bool, quickest: bool) -> bool {
    match coverage {
        Coverage::Smoke => reference && smoke && quickest,
        Coverage::Pairwise => (reference && (smoke || quickest)) || (smoke && quickest),
        Coverage::Full => true,
    }
}

/// The first scenario of each class, by id.
fn smoke_scenarios(scenarios: &[PlannedScenario]) -> BTreeSet<ScenarioId> {
    let mut first = BTreeMap::<&str, &ScenarioId>::new();
    for scenario in scenarios {
        let entry = first.entry(scenario.id.class()).or_insert(&scenario.id);
        *entry = (*entry).min(&scenario.id);
    }
    first.into_values().cloned().collect()
}

/// The transports that both have and that are asked for, in the client's order.
fn common_transports(client: &PlannedPeer, server: &PlannedPeer, asked: &[Transport]) -> Vec<Transport> {
    let common = |transport: &&Transport| server.transports.contains(transport) && asked.contains(transport);
    client.transports.iter().filter(common).copied().collect()
}
