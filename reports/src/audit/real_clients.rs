//! What a report says about real clients: who they are, and where they differ from the profiles of their lines.

use std::collections::BTreeMap;

use mcp_compat_model::PeerId;
use mcp_compat_model::audit::{Audit, ClientFate, ProfileDifference};
use mcp_compat_model::unseen::neutralised;

use super::view::lost;

/// Tools that a real client and the profile of its line treat differently, in the same way.
pub(super) struct Difference<'a> {
    pub(super) example: &'a ProfileDifference,
    pub(super) tools: Vec<&'a str>,
}

/// The differences, those that are alike together.
pub(super) fn differences(audit: &Audit) -> Vec<Difference<'_>> {
    let mut all: Vec<Difference<'_>> = Vec::new();
    let what = |fate: &ClientFate| (fate.negotiated, fate.outcome, fate.loses);
    for difference in &audit.profile_differences {
        let is_alike = |known: &&mut Difference<'_>| {
            let known = known.example;
            (&known.client, &known.profile) == (&difference.client, &difference.profile)
                && what(&known.real) == what(&difference.real)
                && what(&known.emulated) == what(&difference.emulated)
        };
        match all.iter_mut().find(is_alike) {
            Some(known) => known.tools.push(&difference.tool),
            None => all.push(Difference { example: difference, tools: vec![&difference.tool] }),
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
