//! The digest of a corpus: equal where the same is played, different where anything else is.

use mcp_compat_scenario::corpus::{self, digest};
use mcp_compat_scenario::load_all;

use crate::given::{accepted, plain, plain_but};

#[test]
fn the_corpus_that_is_shipped_loads_and_is_sorted() {
    let scenarios = corpus::load().unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert!(scenarios.is_sorted_by(|a, b| a.id < b.id));
}

#[test]
fn a_scenario_that_is_shipped_is_found_alone() {
    let find = |id: &str| corpus::find(&id.parse().unwrap()).unwrap().map(|scenario| scenario.id.to_string());
    for id in ["root-type/array", "root-type/primitive[zero]", "bytes/not-utf-8"] {
        assert_eq!(find(id).as_deref(), Some(id));
    }
    for id in ["root-type/primitive", "root-type/primitive[none]", "root-type/none", "root-type"] {
        assert_eq!(find(id), None, "{id}");
    }
}

#[test]
fn the_digest_is_short_and_stable() {
    assert_eq!(digest(&accepted(&plain())), digest(&accepted(&plain())));
    assert_eq!(digest(&[]).len(), 16);
}

#[test]
fn words_for_people_and_white_space_do_not_count() {
    let original = digest(&accepted(&plain()));
    for (before, after) in
        [("A number at the root", "Zero"), ("issues/1", "issues/2"), ("\"content\": []", "\"content\":[]")]
    {
        assert_eq!(digest(&accepted(&plain_but(before, after))), original, "{before}");
    }
}

#[test]
fn whatever_is_played_or_asked_counts() {
    let original = digest(&accepted(&plain()));
    let changes = [
        plain_but("Content\": 3", "Content\": 3.0"),
        plain_but("\"count\"", "\"total\""),
        plain_but("\"inputSchema\": {}, ", ""),
        format!("since = \"2025-11-25\"\n{}", plain()),
        format!("page-size = 1\n{}", plain()),
        format!("{}expect = \"text\"\n", plain()),
        format!("{}means.value = '3.0'\n", plain()),
        format!("{}arguments = '{{\"a\":1}}'\n", plain()),
        format!("{}\n[[step]]\ncall = \"count\"\n", plain()),
    ];
    for text in changes {
        assert_ne!(digest(&accepted(&text)), original, "{text}");
    }
}

#[test]
fn the_order_of_the_scenarios_does_not_count() {
    let mut both = load_all(&[("a/a.toml", plain()), ("a/b.toml", plain())], &|_| None).unwrap();
    let sorted = digest(&both);
    both.reverse();
    assert_eq!(digest(&both), sorted);
    assert_ne!(digest(&both[..1]), sorted);
}

#[test]
fn every_scenario_of_the_corpus_names_a_source() {
    let scenarios = corpus::load().unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let without: Vec<_> = scenarios.iter().filter(|scenario| scenario.sources.is_empty()).collect();
    assert!(without.is_empty(), "{without:?}");
}
