//! Releases of SDKs in the report of an audit: the real clients that were played, their differences from the profiles
//! of their release lines, and the releases that accept what other clients lose tools for.

use std::collections::BTreeMap;

use mcp_compat_model::PeerId;
use mcp_compat_model::audit::{Audit, ClientFate, ProfileDifference, Taker, TakerOfFamily};
use mcp_compat_model::invisible_chars::neutralised;

use super::view::lost;

/// Tools that real clients and the profiles of their lines treat differently, all in the same way.
pub(super) struct Difference<'a> {
    pub(super) example: &'a ProfileDifference,
    pub(super) clients: Vec<&'a PeerId>,
    pub(super) profiles: Vec<&'a PeerId>,
    pub(super) tools: Vec<&'a str>,
}

/// Results of the real client and of the profile, as far as differences are grouped by them.
fn results(difference: &ProfileDifference) -> impl PartialEq + use<> {
    let of = |result: &ClientFate| (result.negotiated, result.outcome, result.loses);
    (of(&difference.real), of(&difference.emulated))
}

/// Differences between real clients and profiles; equal ones are one entry.
pub(super) fn differences(audit: &Audit) -> Vec<Difference<'_>> {
    let mut of_clients: Vec<Difference<'_>> = Vec::new();
    for difference in &audit.profile_differences {
        let is_alike = |known: &&mut Difference<'_>| {
            known.example.client == difference.client && results(known.example) == results(difference)
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
            known.tools == of_client.tools && results(known.example) == results(of_client.example)
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

/// Result of a client in a few words: `rejected at 2025-11-25, loses the tool`.
pub(super) fn result(result: &ClientFate) -> String {
    let revision = result.negotiated.map_or(String::new(), |revision| format!(" at {revision}"));
    let loses = result.loses.map_or(String::new(), |loses| format!(", loses {}", lost(loses)));
    format!("{}{revision}{loses}", result.outcome)
}

/// The releases, as one sentence or two.
pub(super) fn releases(taker: &Taker) -> String {
    let (takes, refuses): (Vec<_>, Vec<_>) = taker.families.iter().partition(|family| family.since.is_some());
    let since = |it: &&TakerOfFamily| {
        let version = it.since.as_ref().map(ToString::to_string).unwrap_or_default();
        let mode = it.mode.map(|mode| format!("+{mode}")).unwrap_or_default();
        format!("{} since {version}{mode}", neutralised(&it.family))
    };
    let newest = |it: &&TakerOfFamily| format!("{} {}", neutralised(&it.family), it.newest);
    let mut sentences = Vec::new();
    if !taker.all_releases_of.is_empty() {
        let families = taker.all_releases_of.iter().map(|family| neutralised(family)).collect::<Vec<_>>().join(", ");
        sentences.push(format!("Accepted by all measured releases of {families}."));
    }
    if !takes.is_empty() {
        sentences.push(format!("Accepted by {}.", takes.iter().map(since).collect::<Vec<_>>().join(", ")));
    }
    if !refuses.is_empty() {
        let newest = refuses.iter().map(newest).collect::<Vec<_>>().join(", ");
        sentences.push(format!("Not accepted by the newest that was measured: {newest}."));
    }
    sentences.join(" ")
}

/// Returns when and with which scenario the releases were measured.
pub(super) fn evidence(taker: &Taker) -> String {
    let mut days: Vec<&str> = taker.families.iter().map(|family| family.measured.as_str()).collect();
    days.sort_unstable();
    let measured = match (days.first(), days.last()) {
        (Some(first), Some(last)) if first != last => format!("from {first} to {last}"),
        (Some(only), _) => format!("on {only}"),
        (None, _) => String::new(),
    };
    format!(
        "Measured with the scenario {} {}. `mcp-compat support {}` prints all releases.",
        taker.scenario,
        neutralised(&measured),
        taker.scenario
    )
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::Mode;
    use mcp_compat_model::version::Version;

    use super::*;

    #[test]
    fn each_sdk_is_named_with_its_first_release_or_with_its_newest() {
        let family = |name: &str, since: Option<&str>| TakerOfFamily {
            family: name.to_owned(),
            since: since.map(|version| Version::parse(version).unwrap()),
            mode: since.map(|_| Mode::Auto),
            newest: Version::parse("4.1.0").unwrap(),
            measured: "2026-11-22".to_owned(),
        };
        let taker = Taker {
            rule: "r".to_owned(),
            scenario: "root-type/array".parse().unwrap(),
            tools: vec!["list".to_owned()],
            families: vec![family("a", Some("2.0.0")), family("b", None)],
            all_releases_of: Vec::new(),
        };
        assert_eq!(
            releases(&taker),
            "Accepted by a since 2.0.0+auto. Not accepted by the newest that was measured: b 4.1.0."
        );
        let all_releases_of = ["c", "d"].map(str::to_owned).to_vec();
        let text = releases(&Taker { all_releases_of, ..taker.clone() });
        assert!(text.starts_with("Accepted by all measured releases of c, d. Accepted by a since"), "{text}");
        assert_eq!(
            evidence(&taker),
            "Measured with the scenario root-type/array on 2026-11-22. `mcp-compat support root-type/array` prints all \
             releases."
        );
    }
}
