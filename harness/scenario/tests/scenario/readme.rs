//! The format reference: its examples are scenarios.

use crate::given::{HEAD, accepted};

const README: &str = include_str!("../../../../scenarios/README.md");

/// The examples that begin with this line, without it.
fn examples(opening: &str) -> Vec<&'static str> {
    README.split(&format!("\n{opening}\n")).skip(1).filter_map(|rest| rest.split("\n```").next()).collect()
}

#[test]
fn the_whole_file_is_right() {
    let [file] = examples("```toml")[..] else { panic!("one whole file") };
    let scenarios = accepted(file);
    assert_eq!((scenarios.len(), scenarios[0].steps.len()), (1, 4));
}

#[test]
fn every_fragment_completes_a_file() {
    let fragments = examples("```toml fragment");
    assert_eq!(fragments.len(), 6);
    for fragment in fragments {
        accepted(&format!("{HEAD}\n{fragment}\n"));
    }
}
