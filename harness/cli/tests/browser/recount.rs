//! What a record says, counted from its JSON with nothing of the program's own code.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

pub(crate) fn cells(record: &Value) -> &[Value] {
    record["cells"].as_array().unwrap()
}

pub(crate) fn word<'v>(cell: &'v Value, member: &str) -> &'v str {
    cell[member].as_str().unwrap_or_default()
}

/// The worst rating among ratings, as pages order them.
pub(crate) fn worst<'v>(ratings: &BTreeSet<&'v str>) -> &'v str {
    ["breaks", "degraded", "works", "skipped"].into_iter().find_map(|worst| ratings.get(worst).copied()).unwrap()
}

/// The ratings of each pair of peers.
pub(crate) fn pairs(record: &Value) -> BTreeMap<(&str, &str), BTreeSet<&str>> {
    let mut pairs = BTreeMap::<_, BTreeSet<&str>>::new();
    for cell in cells(record) {
        pairs.entry((word(cell, "client"), word(cell, "server"))).or_default().insert(word(cell, "rating"));
    }
    pairs
}

/// The cells of each cause of breaks, by its name.
pub(crate) fn causes(record: &Value) -> BTreeMap<&str, Vec<&Value>> {
    let mut causes = BTreeMap::<_, Vec<&Value>>::new();
    for cell in cells(record).iter().filter(|cell| cell["rating"] == "breaks") {
        causes.entry(word(cell, "signature")).or_default().push(cell);
    }
    causes
}

/// The numbers of the first page, by the names that they have there.
pub(crate) fn front(record: &Value) -> BTreeMap<&'static str, u64> {
    let count = |holds: &dyn Fn(&Value) -> bool| cells(record).iter().filter(|cell| holds(cell)).count() as u64;
    let rated = |rating: &'static str| count(&|cell| cell["rating"] == rating);
    let pairs = pairs(record);
    let of = |rating| pairs.values().filter(|ratings| worst(ratings) == rating).count() as u64;
    let causes = causes(record);
    let silent = causes.values().filter(|cells| cells.iter().any(|cell| cell["silent"] == true)).count();
    let left_out = record["left_out"].as_array().unwrap().iter().map(|left| left["cells"].as_u64().unwrap());
    BTreeMap::from([
        ("cells", cells(record).len() as u64),
        ("works", rated("works")),
        ("degraded", rated("degraded")),
        ("breaks", rated("breaks")),
        ("silent", count(&|cell| cell["silent"] == true)),
        ("known", count(&|cell| cell["known"].is_object())),
        ("skipped", rated("skipped")),
        ("pairs", pairs.len() as u64),
        ("pairs-work", of("works")),
        ("pairs-degrade", of("degraded")),
        ("pairs-break", of("breaks")),
        ("pairs-unsupported", of("skipped")),
        ("causes", causes.len() as u64),
        ("causes-silent", silent as u64),
        ("left-out", left_out.sum()),
    ])
}

/// The first number in a text, which may have commas between thousands.
pub(crate) fn number(text: &str) -> Option<u64> {
    let from = text.find(|c: char| c.is_ascii_digit())?;
    let digits = text[from..].chars().take_while(|c| c.is_ascii_digit() || *c == ',');
    digits.filter(char::is_ascii_digit).collect::<String>().parse().ok()
}

/// A text as a page shows it: names in it stand out, and have no backticks.
pub(crate) fn shown(text: &str) -> String {
    text.replace('`', "")
}

/// The outcome of a cell as a page shows it.
pub(crate) fn outcome(cell: &Value) -> &str {
    match word(cell, "outcome") {
        "told" => "error shown",
        "masked" => "wrong error",
        "swallowed" => "error hidden",
        other => other,
    }
}
