//! Many scenarios in few names: a family as one, a class as one.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::ScenarioId;

/// Some of `all` in as few names as say the same: `class/*`, `class/family[*]`, or an id.
pub(super) fn gathered(some: &BTreeSet<ScenarioId>, all: &BTreeSet<ScenarioId>) -> Vec<String> {
    let mut names = Vec::new();
    for (class, members) in classes(all) {
        let found: Vec<&ScenarioId> = members.iter().copied().filter(|id| some.contains(*id)).collect();
        if found.len() == members.len() && found.len() > 1 {
            names.push(format!("{class}/*"));
            continue;
        }
        let grouped = files(&members, |id| some.contains(id));
        names.extend(grouped.into_iter().filter(|(_, contained)| *contained).map(|(name, _)| name));
    }
    names
}

/// The same of scenarios that each stand for their family: `class/*` or `class/family`.
pub(super) fn in_files(some: &BTreeSet<ScenarioId>, all: &BTreeSet<ScenarioId>) -> Vec<String> {
    let family = |name: String| name.split('[').next().unwrap_or_default().to_owned();
    gathered(some, all).into_iter().map(family).collect()
}

/// The scenarios by class.
pub(super) fn classes(all: &BTreeSet<ScenarioId>) -> BTreeMap<&str, Vec<&ScenarioId>> {
    let mut classes: BTreeMap<&str, Vec<&ScenarioId>> = BTreeMap::new();
    for id in all {
        classes.entry(id.class()).or_default().push(id);
    }
    classes
}

/// The scenarios with what holds of each; the members of a family as one where the same holds of all of them.
pub(super) fn files<T: PartialEq>(scenarios: &[&ScenarioId], holds: impl Fn(&ScenarioId) -> T) -> Vec<(String, T)> {
    let mut files = Vec::new();
    for family in scenarios.chunk_by(|one, other| one.file() == other.file()) {
        let mut members: Vec<(String, T)> = family.iter().map(|id| (id.to_string(), holds(id))).collect();
        if members.len() > 1 && members.windows(2).all(|pair| pair[0].1 == pair[1].1) {
            members.truncate(1);
            for (name, _) in &mut members {
                *name = format!("{}[*]", family[0].file());
            }
        }
        files.extend(members);
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &[&str]) -> BTreeSet<ScenarioId> {
        names.iter().map(|name| ScenarioId::new(*name).unwrap()).collect()
    }

    #[test]
    fn a_whole_family_and_a_whole_class_have_one_name() {
        let all = ids(&["a/x[1]", "a/x[2]", "a/y", "b/z", "b/w"]);
        assert_eq!(gathered(&ids(&["a/x[1]", "a/x[2]", "b/z", "b/w"]), &all), ["a/x[*]", "b/*"]);
        assert_eq!(gathered(&ids(&["a/x[1]", "a/y"]), &all), ["a/x[1]", "a/y"]);
        assert!(gathered(&ids(&[]), &all).is_empty());
    }

    #[test]
    fn who_stands_for_a_family_goes_by_its_name() {
        let all = ids(&["a/x[1]", "a/y", "b/z[1]"]);
        assert_eq!(in_files(&ids(&["a/x[1]", "b/z[1]"]), &all), ["a/x", "b/z"]);
        assert_eq!(in_files(&all, &all), ["a/*", "b/z"]);
    }

    #[test]
    fn what_is_alone_keeps_its_name() {
        let all = ids(&["a/x", "b/y[1]"]);
        assert_eq!(gathered(&all, &all), ["a/x", "b/y[1]"]);
    }
}
