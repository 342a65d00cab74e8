//! Variations of `audit-client`: a client with one fault is told which legal thing it does not bear, and a right one
//! nothing.

use serde_json::Value;

use crate::workshop::Workshop;

/// A fault, and the variations that show it.
const FAULTS: [(&str, &[&str]); 42] = [
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
    ("each", &[]),
    ("", &[]),
];

/// Faults of clients that start their server.
const FAULTS_OF_LINES: [(&str, &[&str]); 4] = [
    ("short-lines", &["initialize/large", "list/many", "result/large"]),
    ("no-pong", &["before/ping", "requests/roots"]),
    ("unread-log", &["lines/log"]),
    ("", &[]),
];

/// A fault, and words of the finding that no variation shows.
const OTHERS: [(&str, &str); 4] = [
    ("asks-prompts", "answers prompts/list with an error (-32601: Method not found: prompts/list)"),
    ("no-arguments", "The client calls `add_numbers` without `arguments`."),
    ("text-numbers", "The client sends `a` as the text \"5\""),
    ("float-numbers", "The client sends the integer `a` as 5.0."),
];

fn audit(fault: &str, server: &str) -> Value {
    let workshop = Workshop::new();
    workshop.write("client.py", include_str!("faulty_client.py"));
    let ran = workshop.run(["audit-client", "--json", "--fail-on=never", "--", "python3", "client.py", fault, server]);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{fault}: {error}\n{}", ran.stderr))
}

fn conclusions(audit: &Value) -> Vec<Value> {
    audit["conclusions"].as_array().cloned().unwrap_or_default()
}

/// The variation in which the server gives a call up.
const WAITS: &str = "given-up/cancelled";

/// A fault may be told by one of several variations that show it, and by no other.
fn check(faults: &[(&str, &[&str])], server: &str) {
    let mut wrong = Vec::new();
    for (fault, expected) in faults {
        let audit = audit(fault, server);
        assert!(audit["variations"].as_array().is_some_and(|all| all.len() > 50), "{fault}");
        let found = conclusions(&audit);
        let shown = found.iter().flat_map(|it| it["variations"].as_array().cloned().unwrap_or_default());
        let shown: Vec<String> = shown.map(|id| id.as_str().unwrap_or_default().to_owned()).collect();
        // A note for every client that waits as long as it may.
        let shown: Vec<String> = shown.into_iter().filter(|id| id != WAITS || expected.contains(&WAITS)).collect();
        if shown.is_empty() != expected.is_empty() || shown.iter().any(|id| !expected.contains(&id.as_str())) {
            wrong.push(format!("{fault}: {shown:?}, expected some of {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_fault_is_told_by_a_variation_that_shows_it() {
    check(&FAULTS, "{url}");
}

#[test]
fn a_fault_over_standard_streams_is_told_too() {
    check(&FAULTS_OF_LINES, "{server}");
}

#[test]
fn a_client_that_frames_messages_with_headers_is_told_so() {
    let found = conclusions(&audit("framed", "{server}"));
    let said = |it: &Value| it["what"].as_str().is_some_and(|what| what.contains("The client sent `Content-Length: "));
    assert!(found.iter().any(said), "{found:#?}");
}

#[test]
fn what_a_client_asks_for_is_told() {
    for (fault, words) in OTHERS {
        let audit = audit(fault, "{url}");
        let said = |it: &Value| it["what"].as_str().is_some_and(|what| what.contains(words));
        assert!(conclusions(&audit).iter().any(said), "{fault}: {audit:#}");
    }
}
