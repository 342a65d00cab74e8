//! Variations of `audit-client`: a client with a fault is told which legal thing it does not bear, and a right one nothing.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::workshop::Workshop;

/// A fault, and the variations that show it.
const FAULTS: [(&str, &[&str]); 40] = [
    ("any-accept", &["refusal/accept"]),
    ("plain-text", &["refusal/content-type"]),
    ("not-initialized", &["refusal/not-initialized"]),
    ("no-version", &["refusal/version-header"]),
    ("no-session", &["session/id"]),
    ("lower-session", &["session/odd-id"]),
    ("keeps-session", &["expiry/at-call"]),
    ("exact-names", &["session/lower-case", "http/lower-case"]),
    ("typed-202", &["accepted/typed"]),
    ("undecoded", &["http/gzip"]),
    ("no-mark", &["stream/marked"]),
    ("any-type", &["stream/other-type"]),
    ("waits", &["stream-end/kept-open"]),
    ("no-null-id", &["stray/null-id"]),
    ("no-roots", &["requests/roots", "requests/unknown"]),
    ("no-relist", &["before/list-changed"]),
    ("draft-4-bounds", &["schema/exclusive-bounds", "arguments/strict", "list/nested-booleans"]),
    ("text-lists", &["arguments/types"]),
    ("no-value", &["content/value-alone", "content/value-and-summary"]),
    ("any-revision", &["revision/unknown"]),
    ("no-title", &["initialize/title", "initialize/icons"]),
    ("needs-description", &["list/no-description"]),
    (
        "needs-type",
        &[
            "list/refs",
            "list/combined",
            "list/nested-booleans",
            "list/type-list",
            "schema/constants",
            "schema/any-value",
            "schema/nullable",
            "schema/dialect",
            "schema/defaults",
            "arguments/refs",
        ],
    ),
    ("one-page", &["pages/second-page"]),
    ("media-type", &["content/image", "content/text-and-image"]),
    ("no-resources", &["content/embedded-text"]),
    ("first-block", &["content/two-texts"]),
    (
        "no-notifications",
        &[
            "before/log",
            "before/log-at-list",
            "before/list-changed",
            "before/unknown-notification",
            "before/ping",
            "requests/roots",
            "requests/unknown",
            "stray/progress",
        ],
    ),
    ("no-pong", &["before/ping", "requests/roots"]),
    ("no-error-body", &["error/http-400", "expiry/at-call"]),
    ("no-redirect", &["http/redirect"]),
    ("strict-type", &["http/charset"]),
    ("no-crlf", &["stream/crlf"]),
    ("no-comments", &["stream/comments"]),
    ("no-resume", &["resumption/resumed"]),
    ("no-images", &["content/image"]),
    (
        "drops-untyped",
        &[
            "list/refs",
            "list/combined",
            "list/nested-booleans",
            "schema/constants",
            "schema/any-value",
            "schema/nullable",
            "arguments/refs",
        ],
    ),
    ("five-tools", &["tools/each"]),
    ("renames", &["list/names"]),
    ("empty-calls", &["arguments/types"]),
];

/// Faults of clients that start their server, beside those above.
const FAULTS_OF_LINES: [(&str, &[&str]); 2] =
    [("short-lines", &["initialize/large", "list/many", "result/large"]), ("unread-log", &["lines/log"])];

/// A fault, and words of the finding that no variation shows.
const OTHERS: [(&str, &str); 5] = [
    ("asks-prompts", "answers prompts/list with an error (-32601: Method not found: prompts/list)"),
    ("no-arguments", "The client calls `add_numbers` without `arguments`."),
    ("text-numbers", "The client sends `a` as the text \"5\""),
    ("float-numbers", "The client sends the integer `a` as 5.0."),
    ("framed", "The client sent `Content-Length: "),
];

/// Clients with several faults, of which none hides another: the first row of a group of variations explains the others, so
/// no two faults are told by one group. `each` calls every tool, which is right.
const CLIENTS: [&[&str]; 14] = [
    &["any-accept", "no-session", "typed-202", "no-mark", "no-null-id", "no-title", "media-type"],
    &["plain-text", "lower-session", "any-type", "first-block"],
    &["not-initialized", "keeps-session", "undecoded", "waits", "no-value", "needs-description", "text-numbers"],
    &["no-version", "exact-names", "any-revision", "one-page", "no-resources", "float-numbers"],
    &["no-pong", "no-redirect", "strict-type", "draft-4-bounds", "no-arguments"],
    &["no-error-body", "no-crlf", "text-lists", "no-images"],
    &["no-roots", "no-comments", "no-resume", "needs-type"],
    &["no-notifications", "empty-calls"],
    &["no-relist"],
    &["five-tools"],
    &["drops-untyped", "renames"],
    &["asks-prompts"],
    &["each"],
    &[],
];

/// Clients with several faults over stdio.
const CLIENTS_OF_LINES: [&[&str]; 3] = [&["short-lines", "no-pong", "unread-log"], &["framed"], &[]];

fn audit(faults: &[&str], server: &str) -> Value {
    let workshop = Workshop::new();
    workshop.write("client.py", include_str!("faulty_client.py"));
    let faults = faults.join("+");
    let ran =
        workshop.run(["audit-client", "--json", "--fail-on=never", "--", "python3", "client.py", &faults, server]);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{faults}: {error}\n{}", ran.stderr))
}

/// The variation in which the server gives a call up.
const WAITS: &str = "given-up/cancelled";

/// Checks that each fault is told by a variation that shows it, or by its words, and that no other variation is.
fn check(clients: &[&[&str]], server: &str) {
    let mut wrong = Vec::new();
    for faults in clients {
        let audit = audit(faults, server);
        let is_played = audit["variations"].as_array().is_some_and(|all| all.len() > 50);
        assert!(is_played || faults == &["framed"], "{faults:?}");
        let conclusions = audit["conclusions"].as_array().cloned().unwrap_or_default();
        let shown = conclusions.iter().flat_map(|it| it["variations"].as_array().cloned().unwrap_or_default());
        // A note for every client that waits as long as it may.
        let shown = shown.filter_map(|id| id.as_str().map(str::to_owned)).filter(|id| id != WAITS);
        let shown: BTreeSet<String> = shown.collect();
        let says = |words: &str| conclusions.iter().any(|it| it["what"].as_str().is_some_and(|it| it.contains(words)));
        let mut expected = BTreeSet::new();
        for fault in *faults {
            let by = FAULTS.iter().chain(&FAULTS_OF_LINES).find(|(name, _)| name == fault).map(|(_, by)| *by);
            let words = OTHERS.iter().find(|(name, _)| name == fault).map(|(_, words)| *words);
            let is_told = by.is_none_or(|by| by.iter().any(|id| shown.contains(*id))) && words.is_none_or(says);
            if !is_told {
                wrong.push(format!("{fault} of {faults:?} is not told"));
            }
            expected.extend(by.unwrap_or_default().iter().map(|id| (*id).to_owned()));
        }
        wrong.extend(shown.difference(&expected).map(|id| format!("{id} is told of {faults:?}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_fault_is_told_by_a_variation_that_shows_it() {
    check(&CLIENTS, "{url}");
}

#[test]
fn a_fault_over_standard_streams_is_told_too() {
    check(&CLIENTS_OF_LINES, "{server}");
}

#[test]
fn every_fault_is_one_of_a_client() {
    let names =
        FAULTS.iter().chain(&FAULTS_OF_LINES).map(|(name, _)| *name).chain(OTHERS.iter().map(|(name, _)| *name));
    let of_clients: BTreeSet<&str> =
        CLIENTS.iter().chain(&CLIENTS_OF_LINES).flat_map(|it| it.iter().copied()).collect();
    assert_eq!(names.chain(["each"]).collect::<BTreeSet<&str>>(), of_clients);
}
