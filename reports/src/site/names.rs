//! Stable names of pages, runs and causes. An address names its content, never a number of this build.

use std::collections::BTreeMap;

use mcp_compat_model::cause::Cause;
use mcp_compat_model::{PeerId, ScenarioId};
use sha2::{Digest as _, Sha256};

/// Maximum length of a name, beyond which a digest replaces its end: file names have at most 255 bytes.
const LONGEST: usize = 120;

/// First characters of the digest of a text.
pub(crate) fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// Limits a name to the length of a file name.
fn bounded(name: String) -> String {
    if name.len() <= LONGEST { name } else { format!("{}-{}", &name[..LONGEST - 13], digest(&name)) }
}

/// Name of a release: a peer without its mode and flavour.
pub(crate) fn product(peer: &PeerId) -> String {
    peer.release().map_or_else(|| peer.name().to_owned(), |(family, version)| format!("{family}@{version}"))
}

/// Page of a peer, below `peer/` and without its extension. Ids contain no `~`, so the names are distinct.
pub(crate) fn peer_page(product: &str) -> String {
    bounded(product.replace('/', "~"))
}

/// Page of a scenario, below `scenario/` and without its extension.
pub(crate) fn scenario_page(scenario: &ScenarioId) -> String {
    let (folder, name) = scenario.as_str().rsplit_once('/').unwrap_or(("", scenario.as_str()));
    let name = bounded(name.replace('[', ".").replace(']', ""));
    if folder.is_empty() { name } else { format!("{}/{name}", bounded(folder.to_owned())) }
}

/// Name of a run: its start, without the characters that a file name cannot have.
pub(crate) fn run_id(started: &str) -> String {
    let plain: String = started.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
    if plain.is_empty() { format!("run-{}", digest(started)) } else { plain }
}

/// Names of causes, in their order: the signature, and for causes of one signature the class and the loss.
pub(crate) fn slugs(causes: &[&Cause<'_>]) -> Vec<String> {
    let mut times = BTreeMap::<&str, usize>::new();
    for cause in causes {
        *times.entry(&cause.name).or_default() += 1;
    }
    let mut taken = BTreeMap::<String, usize>::new();
    let name = |cause: &&Cause<'_>| {
        let slug = match &cause.example.signature {
            Some(_) => slug(&cause.name),
            None => format!("unsigned-{}", digest(&cause.name)),
        };
        let slug = match times.get(cause.name.as_str()) {
            Some(2..) => {
                let radius = cause.example.blast_radius.map_or("nothing", |radius| radius.as_str());
                format!("{slug}--{}-{radius}", cause.example.scenario.class())
            }
            Some(_) | None => slug,
        };
        let number = taken.entry(slug.clone()).or_default();
        *number += 1;
        if *number > 1 { format!("{slug}--{number}") } else { slug }
    };
    causes.iter().map(name).collect()
}

/// Reduces a text to letters, digits and single hyphens.
fn slug(text: &str) -> String {
    let words: Vec<String> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    bounded(words.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_one_name_and_stays_in_its_folder() {
        let peer = |id: &str| peer_page(&product(&PeerId::new(id).unwrap()));
        assert_eq!(peer("typescript@2.4.0/typed"), "typescript@2.4.0");
        assert_eq!(peer("typescript@2.4.0+auto"), "typescript@2.4.0");
        assert_eq!(peer("mock/dual/omit"), "mock~dual~omit");
        assert_eq!(peer("../../etc"), "..~..~etc");
        assert_eq!(peer(&"a".repeat(400)).len(), LONGEST);
    }

    #[test]
    fn a_run_is_named_by_its_time() {
        assert_eq!(run_id("2026-11-22T21:56:13Z"), "2026-11-22T215613Z");
        assert_eq!(run_id("../<b>"), "b");
        assert!(run_id("…").starts_with("run-"));
    }
}
