//! Since which release clients accept what tools are lost for, in words.

use mcp_compat_model::audit::{Taker, TakerOfFamily};
use mcp_compat_model::unseen::neutralised;

/// The releases, as one sentence or two.
pub(super) fn releases(taker: &Taker) -> String {
    let (takes, refuses): (Vec<_>, Vec<_>) = taker.families.iter().partition(|family| family.since.is_some());
    let since = |it: &&TakerOfFamily| {
        let version = it.since.as_ref().map(ToString::to_string).unwrap_or_default();
        let mode = it.mode.map(|mode| format!("+{mode}")).unwrap_or_default();
        format!("{} since {version}{mode}", neutralised(&it.family))
    };
    let newest = |it: &&TakerOfFamily| format!("{} {}", neutralised(&it.family), it.newest);
    let mut said = Vec::new();
    if !taker.all_releases_of.is_empty() {
        let families = taker.all_releases_of.iter().map(|family| neutralised(family)).collect::<Vec<_>>().join(", ");
        said.push(format!("Accepted by all measured releases of {families}."));
    }
    if !takes.is_empty() {
        said.push(format!("Accepted by {}.", takes.iter().map(since).collect::<Vec<_>>().join(", ")));
    }
    if !refuses.is_empty() {
        let newest = refuses.iter().map(newest).collect::<Vec<_>>().join(", ");
        said.push(format!("Not accepted by the newest that was measured: {newest}."));
    }
    said.join(" ")
}

/// What the sentence rests on.
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
        let told = releases(&Taker { all_releases_of, ..taker.clone() });
        assert!(told.starts_with("Accepted by all measured releases of c, d. Accepted by a since"), "{told}");
        assert_eq!(
            evidence(&taker),
            "Measured with the scenario root-type/array on 2026-11-22. `mcp-compat support root-type/array` prints all \
             releases."
        );
    }
}
