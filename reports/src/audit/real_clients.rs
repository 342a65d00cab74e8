//! What a report says about real clients: who they are, and where they differ from the profiles of their lines.

use std::collections::BTreeMap;

use mcp_compat_model::PeerId;
use mcp_compat_model::audit::{Audit, ClientFate, ProfileDifference};
use mcp_compat_model::unseen::neutralised;

use super::view::lost;

/// Tools that real clients and the profiles of their lines treat differently, all in the same way.
pub(super) struct Difference<'a> {
    pub(super) example: &'a ProfileDifference,
    pub(super) clients: Vec<&'a PeerId>,
    pub(super) profiles: Vec<&'a PeerId>,
    pub(super) tools: Vec<&'a str>,
}

/// What the user of the real client got, and that of the profile.
fn fates(difference: &ProfileDifference) -> impl PartialEq + use<> {
    let of = |fate: &ClientFate| (fate.negotiated, fate.outcome, fate.loses);
    (of(&difference.real), of(&difference.emulated))
}

/// The differences, those that are alike together.
pub(super) fn differences(audit: &Audit) -> Vec<Difference<'_>> {
    let mut of_clients: Vec<Difference<'_>> = Vec::new();
    for difference in &audit.profile_differences {
        let is_alike = |known: &&mut Difference<'_>| {
            known.example.client == difference.client && fates(known.example) == fates(difference)
        };
        match of_clients.iter_mut().find(is_alike) {
            Some(known) => known.tools.push(&difference.tool),
            None => of_clients.push(Difference {
                example: difference,
                clients: vec![&difference.client],
                profiles: vec![&difference.profile],
                tools: vec![&difference.tool],
            }),
        }
    }
    let mut all: Vec<Difference<'_>> = Vec::new();
    for of_client in of_clients {
        let is_alike = |known: &&mut Difference<'_>| {
            known.tools == of_client.tools && fates(known.example) == fates(of_client.example)
        };
        match all.iter_mut().find(is_alike) {
            Some(known) => {
                known.clients.extend(of_client.clients);
                known.profiles.extend(of_client.profiles);
                known.profiles.dedup();
            }
            None => all.push(of_client),
        }
    }
    all
}

/// The real clients, each release once with its modes. `None` if the audit has none.
pub(super) fn names(audit: &Audit) -> Option<String> {
    let mut releases: Vec<(&str, Vec<&PeerId>)> = Vec::new();
    for client in audit.real_clients() {
        match releases.iter_mut().find(|(name, _)| *name == client.name()) {
            Some((_, modes)) => modes.push(client),
            None => releases.push((client.name(), vec![client])),
        }
    }
    let release = |(name, modes): &(&str, Vec<&PeerId>)| {
        let modes: Vec<&str> = modes.iter().filter_map(|id| id.mode()).map(|mode| mode.as_str()).collect();
        if modes.is_empty() { (*name).to_owned() } else { format!("{name} ({})", modes.join(", ")) }
    };
    (!releases.is_empty()).then(|| releases.iter().map(release).collect::<Vec<_>>().join(", "))
}

/// The releases that could not be started, each once, with why.
pub(super) fn not_started(audit: &Audit) -> Vec<String> {
    let releases: BTreeMap<&str, &str> =
        audit.not_started.iter().map(|failed| (failed.client.name(), failed.why.as_str())).collect();
    releases.into_iter().map(|(name, why)| format!("{name} could not be started: {}", neutralised(why))).collect()
}

/// What the user of a client got, in a few words.
pub(super) fn fate(fate: &ClientFate) -> String {
    let revision = fate.negotiated.map_or(String::new(), |revision| format!(" at {revision}"));
    let loses = fate.loses.map_or(String::new(), |loses| format!(", loses {}", lost(loses)));
    format!("{}{revision}{loses}", fate.outcome)
}
