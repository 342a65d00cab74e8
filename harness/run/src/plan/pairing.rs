//! A client and a server in the plan: what they never play, and what the coverage leaves out.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::{Revision, ScenarioId, Transport};

use super::coverage::{Coverage, Kind, Pair, Way, wanted};
use super::{PlannedPeer, PlannedScenario, Request, Weight};

/// Reason for playing one scenario only.
const STRANGERS: &str = "client and server have no revision in common: one scenario shows it";

/// A client and a server.
pub(super) struct Pairing<'r> {
    client: &'r PlannedPeer,
    server: &'r PlannedPeer,
    coverage: Coverage,
    /// Transports that both have and that are asked for, the quickest first.
    pub(super) transports: Vec<Transport>,
    /// True if they have no revision in common.
    strangers: bool,
    /// The only scenario of two strangers: the oldest that the server can play, which asks the least of both.
    meeting: Option<&'r ScenarioId>,
    /// The first light scenario of each class.
    firsts: BTreeSet<&'r ScenarioId>,
    pair: Pair,
    /// Reason for not playing the pair at all.
    left_out: Option<String>,
}

impl<'r> Pairing<'r> {
    pub(super) fn new(request: &'r Request, client: &'r PlannedPeer, server: &'r PlannedPeer) -> Self {
        let playable = || request.scenarios.iter().filter(|scenario| can_play(server, scenario));
        Self {
            client,
            server,
            coverage: request.coverage,
            transports: common_transports(client, server, &request.transports),
            strangers: !client.revisions.iter().any(|revision| server.revisions.contains(revision)),
            meeting: playable().min_by_key(|scenario| (scenario.since, &scenario.id)).map(|scenario| &scenario.id),
            firsts: firsts(playable()),
            pair: Pair {
                has_reference: is_reference_for(client, server, &request.clients)
                    || is_reference_for(server, client, &request.servers),
                is_of_references: client.reference && server.reference,
                represents_mocks: represents_mocks(client) && represents_mocks(server),
                is_real: !client.id.is_built_in() && !server.id.is_built_in(),
                is_mocked: client.id.is_mock() && server.id.is_mock(),
            },
            left_out: request.revision.and_then(|wanted| other_revision(client, server, wanted)),
        }
    }

    /// Reason for not playing a scenario over any transport, whatever the coverage.
    pub(super) fn never_plays(&self, scenario: &PlannedScenario) -> Option<String> {
        let Self { client, server, left_out, .. } = self;
        if left_out.is_some() {
            return left_out.clone();
        }
        if !can_play(server, scenario) {
            return Some(format!("the scenario needs a server of {} or later", scenario.since));
        }
        if let Some(why) = scenario.unsupported_reason.filter(|_| client.is_command) {
            return Some(format!("of the scenario: {why}"));
        }
        let are_named = self.pair.is_of_references;
        if self.strangers && !are_named && client.id.is_mock() && server.id.is_mock() {
            return Some("the two mocks have no revision in common".to_owned());
        }
        (self.strangers && self.meeting != Some(&scenario.id)).then(|| STRANGERS.to_owned())
    }

    /// Reason for leaving out a scenario over a transport in this coverage.
    pub(super) fn leaves_out(&self, scenario: &PlannedScenario, transport: Transport) -> Option<String> {
        let quickest = self.transports.first() == Some(&transport);
        if self.strangers {
            return (!quickest).then(|| STRANGERS.to_owned());
        }
        let starts = transport == Transport::Stdio && !self.server.id.is_built_in();
        let is_wanted = wanted(self.coverage, self.pair, self.kind(scenario), Way { quickest, starts });
        (!is_wanted).then(|| format!("not part of --coverage {}", self.coverage.as_str()))
    }

    fn kind(&self, scenario: &PlannedScenario) -> Kind {
        match scenario.weight {
            Weight::Heavy => Kind::Heavy,
            Weight::Light if scenario.smoke => Kind::Smoke,
            Weight::Light if self.firsts.contains(&scenario.id) => Kind::First,
            Weight::Light => Kind::Other,
        }
    }
}

/// The scenarios that stand for their class: the first light one of each.
pub(super) fn firsts<'s>(scenarios: impl Iterator<Item = &'s PlannedScenario>) -> BTreeSet<&'s ScenarioId> {
    let mut by_class = BTreeMap::<&str, &ScenarioId>::new();
    for scenario in scenarios.filter(|scenario| scenario.weight == Weight::Light) {
        let first = by_class.entry(scenario.id.class()).or_insert(&scenario.id);
        *first = (*first).min(&scenario.id);
    }
    by_class.into_values().collect()
}

/// Reason for leaving out a pair that speaks another revision than the one that is asked for.
fn other_revision(client: &PlannedPeer, server: &PlannedPeer, wanted: Revision) -> Option<String> {
    let newest = client.revisions.iter().filter(|own| server.revisions.contains(own)).max();
    (newest != Some(&wanted)).then(|| format!("{wanted} is not the newest revision that both speak"))
}

/// Returns true if the first peer is a reference peer of the other. Of several that speak the same revision with a peer
/// that is no mock, the one that speaks most holds for all.
fn is_reference_for(peer: &PlannedPeer, other: &PlannedPeer, among: &[PlannedPeer]) -> bool {
    let spoken = |peer: &PlannedPeer| peer.revisions.iter().filter(|own| other.revisions.contains(own)).max().copied();
    let says_more = |rival: &PlannedPeer| {
        rival.reference && rival.revisions.len() > peer.revisions.len() && spoken(rival) == spoken(peer)
    };
    peer.reference && (other.reference || other.id.is_mock() || !among.iter().any(says_more))
}

/// Returns true if what the peer does about transports and sizes is not said by another mock already.
fn represents_mocks(peer: &PlannedPeer) -> bool {
    peer.reference || !peer.id.is_mock()
}

/// Returns true if the peer speaks a revision in which a server may do what the scenario asks.
fn can_play(peer: &PlannedPeer, scenario: &PlannedScenario) -> bool {
    peer.revisions.iter().any(|revision| *revision >= scenario.since)
}

/// The transports that both have and that are asked for, in the client's order.
fn common_transports(client: &PlannedPeer, server: &PlannedPeer, asked: &[Transport]) -> Vec<Transport> {
    let common = |transport: &&Transport| server.transports.contains(transport) && asked.contains(transport);
    client.transports.iter().filter(common).copied().collect()
}
