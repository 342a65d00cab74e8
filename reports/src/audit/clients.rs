//! Releases of SDKs in the report of an audit: the real clients that were played, their differences from the profiles
//! of their release lines, and the releases that accept what other clients lose tools for.

use std::collections::BTreeMap;

use mcp_compat_model::PeerId;
use mcp_compat_model::audit::{Audit, ClientFate, ProfileDifference, Taker};
use mcp_compat_model::invisible_chars::neutralised;

use crate::sdk::sdk;
use crate::wording;

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

/// The releases that could not be started, each once, with why.
pub(super) fn not_started(audit: &Audit) -> Vec<String> {
    let releases: BTreeMap<&str, &str> =
        audit.not_started.iter().map(|failed| (failed.client.name(), failed.why.as_str())).collect();
    releases.into_iter().map(|(name, why)| format!("{name} could not be started: {}", neutralised(why))).collect()
}

/// Result of a client in a few words: `rejected at 2025-11-25, loses the tool`.
pub(super) fn result(result: &ClientFate) -> String {
    let revision = result.negotiated.map_or(String::new(), |revision| format!(" at {revision}"));
    let loses = result.loses.map_or(String::new(), |loses| format!(", loses {}", wording::lost(loses)));
    format!("{}{revision}{loses}", result.outcome)
}

/// First releases that accept what other clients lose tools for, and the command that prints all.
pub(super) fn accepted(taker: &Taker) -> String {
    let mut parts: Vec<String> =
        taker.all_releases_of.iter().map(|family| format!("all {}", neutralised(sdk(family)))).collect();
    let (some, none): (Vec<_>, Vec<_>) = taker.families.iter().partition(|family| family.since.is_some());
    for it in some.into_iter().chain(none) {
        let name = neutralised(sdk(&it.family));
        parts.push(match &it.since {
            Some(since) => format!("{name} since {since}"),
            None => format!("not {name} {}", it.newest),
        });
    }
    format!("{} (mcp-compat support {})", parts.join(", "), taker.scenario)
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::audit::TakerOfFamily;
    use mcp_compat_model::version::Version;

    use super::*;

    #[test]
    fn each_sdk_is_named_with_its_first_release_or_with_its_newest() {
        let family = |name: &str, since: Option<&str>| TakerOfFamily {
            family: name.to_owned(),
            since: since.map(|version| Version::parse(version).unwrap()),
            mode: None,
            newest: Version::parse("4.1.0").unwrap(),
            measured: "2026-11-22".to_owned(),
        };
        let taker = Taker {
            rule: "r".to_owned(),
            scenario: "root-type/array".parse().unwrap(),
            tools: vec!["list".to_owned()],
            families: vec![family("python", Some("2.0.0")), family("b", None)],
            all_releases_of: vec!["go".to_owned()],
        };
        assert_eq!(
            accepted(&taker),
            "all Go SDK, Python SDK since 2.0.0, not b 4.1.0 (mcp-compat support root-type/array)"
        );
    }
}
