//! Every number of the first page is counted again.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::cause::causes;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::Rating;
use proptest::prelude::*;

use crate::site::specimen::{cell, files, record, text};

/// The number that the page shows under that name.
fn shown(page: &str, name: &str) -> Option<usize> {
    let (_, rest) = page.split_once(&format!("data-n=\"{name}\">"))?;
    let digits: String =
        rest.chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// The same numbers from the record, with nothing of the site's own code.
fn counted(record: &Record) -> BTreeMap<&'static str, usize> {
    let count = |holds: &dyn Fn(&CellRecord) -> bool| record.cells.iter().filter(|cell| holds(cell)).count();
    let mut pairs = BTreeMap::<_, BTreeSet<Rating>>::new();
    for cell in &record.cells {
        pairs.entry((cell.client.as_str(), cell.server.as_str())).or_default().insert(cell.rating);
    }
    let worst = |ratings: &BTreeSet<Rating>| {
        [Rating::Breaks, Rating::Degraded, Rating::Works].into_iter().find(|rating| ratings.contains(rating))
    };
    let of = |rating| pairs.values().filter(|ratings| worst(ratings) == rating).count();
    let all = causes(&record.cells, Rating::Breaks);
    BTreeMap::from([
        ("cells", record.cells.len()),
        ("works", count(&|cell| cell.rating == Rating::Works)),
        ("degraded", count(&|cell| cell.rating == Rating::Degraded)),
        ("breaks", count(&|cell| cell.rating == Rating::Breaks)),
        ("silent", count(&|cell| cell.silent)),
        ("skipped", count(&|cell| cell.rating == Rating::Skipped)),
        ("pairs", pairs.len()),
        ("pairs-work", of(Some(Rating::Works))),
        ("pairs-degrade", of(Some(Rating::Degraded))),
        ("pairs-break", of(Some(Rating::Breaks))),
        ("causes", all.len()),
        ("left-out", record.left_out.iter().map(|left| usize::try_from(left.cells).unwrap()).sum()),
    ])
}

fn cells() -> impl Strategy<Value = Vec<CellRecord>> {
    let peers = ["mock/dual", "typescript@1.32.2", "typescript@2.4.0+auto", "python@2.3.0", "mine"];
    let scenario = prop::sample::select(vec!["root-type/array", "root-type/primitive[zero]", "drift/told"]);
    let peer = || prop::sample::select(peers.to_vec());
    let rating = prop::sample::select(Rating::ALL.to_vec());
    let one =
        (scenario, peer(), peer(), rating, any::<bool>()).prop_map(|(scenario, client, server, rating, silent)| {
            cell(
                &format!("{scenario}::{client}::{server}::http"),
                rating,
                silent && rating == Rating::Breaks,
                "It broke. To fix.",
            )
        });
    prop::collection::vec(one, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_number_is_that_of_the_record(cells in cells()) {
        let record = record(cells);
        let page = text(&files(std::slice::from_ref(&record), "{}", 50 << 20), "index.html");
        for (name, number) in counted(&record) {
            prop_assert_eq!(shown(&page, name), Some(number), "{}", name);
        }
    }
}
