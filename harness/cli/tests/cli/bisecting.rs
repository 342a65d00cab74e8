//! `bisect`: the release that changed an outcome is found, whichever way it changed; what cannot be tried is left aside and
//! told; and mistakes are told before anything is installed.

use crate::sdk::{SDK, Sdk, log};
use crate::workshop::{Ran, Workshop};

/// Bisects what becomes of an array.
fn bisect(workshop: &Workshop, args: &str) -> Ran {
    workshop.run(["peers", "bisect", "--scenario=root-type/array"].into_iter().chain(args.split_whitespace()))
}

#[test]
fn the_first_release_with_another_outcome_is_named_across_manifests_and_modes() {
    let workshop = SDK.workshop();
    let ran = bisect(&workshop, "--client sdk --good 2.1.0+auto --bad 1.0.0").ends_with(0);
    assert_eq!(log(&workshop), ["2.1.0", "1.0.0", "1.10.0", "2.0.0"]);
    let ran = ran.says(&["installing sdk@1.10.0 (once; it is kept)"]);
    insta::assert_snapshot!(ran.stdout, @r#"
    root-type/array: 6 releases of sdk from 1.0.0 to 2.1.0, with mock/dual over http

    good  sdk@2.1.0+auto   intact, works        `list_users` is `intact` at 2026-07-28, as expected.
    bad   sdk@1.0.0        rejected, breaks     sdk@1.0.0 rejected the response to tools/list (decode e…
    1     sdk@1.10.0       rejected, breaks     sdk@1.10.0 rejected the response to tools/list (decode …
    2     sdk@2.0.0+auto   intact, works        `list_users` is `intact` at 2026-07-28, as expected.

    sdk@2.0.0+auto is the first release with another outcome

      sdk@1.10.0  rejected, breaks
        sdk@1.10.0 rejected the response to tools/list (decode error: tools[0].outputSchema has to have
        type "object" at its root, found "array"), so `list_users` cannot be called. The outputSchema of
        `list_users` has type "array" at its root; 2025-11-25 allows only an object. To fix in the
        server: for clients of revisions up to 2025-11-25, return an object and give its outputSchema
        `type: object` at its root, or omit the outputSchema and send the value as text.

      sdk@2.0.0+auto  intact, works
        `list_users` is `intact` at 2026-07-28, as expected.

    4 of 6 releases tested

    Test them again

      mcp-compat run --scenario 'root-type/array' --client sdk@1.10.0 --server mock/dual \
        --transport http
      mcp-compat run --scenario 'root-type/array' --client sdk@2.0.0+auto --server mock/dual \
        --transport http
    "#);
}

#[test]
fn the_mode_of_each_end_is_its_own() {
    let workshop = SDK.workshop();
    let ran = bisect(&workshop, "--client sdk --good 2.1.0+auto --bad 2.0.0+legacy").ends_with(1);
    let ran = ran.shows(&["good  sdk@2.1.0+auto    intact, works", "bad   sdk@2.0.0+legacy  intact, works"]);
    ran.shows(&["is `intact` at 2026-07-28", "is `intact` at 2025-11-25"]);
}

#[test]
fn the_good_end_may_be_the_older_one() {
    let is = "1.0.0|1.1.0) id=mock/2025-11-25/lenient ;; *) id=mock/2025-11-25 ;;";
    let workshop = Sdk { is, ..SDK }.workshop();
    let ran = bisect(&workshop, "--client sdk --good v1.0 --bad 1.10.0").ends_with(0);
    assert_eq!(log(&workshop), ["1.0.0", "1.10.0", "1.2.0", "1.1.0"], "as the registry spells them");
    ran.shows(&["4 releases", "sdk@1.2.0 is the first release with another outcome"]);
    let ran = bisect(&workshop, "--client sdk --good 1.0.0 --bad 1.10.0").ends_with(0);
    assert!(!ran.stderr.contains("setting up"), "{}", ran.stderr);
}

#[test]
fn servers_are_bisected_too_with_whomever_one_likes() {
    let is = "1.0.0) id=mock/dual/omit ;; *) id=mock/dual ;;";
    let workshop = Sdk { is, ..SDK }.workshop();
    let ran = bisect(&workshop, "--server sdk --good 1.0.0 --bad 1.2.0 --against mock/2025-11-25").ends_with(0);
    ran.shows(&["with mock/2025-11-25 over stdio", "sdk@1.1.0 is the first release with another outcome"]);
    let workshop = SDK.workshop();
    let ran = bisect(&workshop, "--server sdk --good 1.0.0 --bad 1.2.0 --against sdk@2.0.0+legacy").ends_with(1);
    ran.says(&["installing sdk@2.0.0"]).shows(&["with sdk@2.0.0+legacy over stdio"]);
}

#[test]
fn a_release_that_cannot_be_set_up_is_left_aside_and_a_neighbour_is_tried() {
    let is = "1.10.0) id=mock/2025-11-25/lenient ;; *) id=mock/2025-11-25 ;;";
    let workshop =
        Sdk { is, set_up: "test {version} != 1.1.0 || { echo no such release >&2; exit 1; }", ..SDK }.workshop();
    let ran = bisect(&workshop, "--client sdk --good 1.10.0 --bad 1.0.0").ends_with(0);
    ran.shows(&["sdk@1.10.0 is the first", "3 of 4 releases tested"]);
    let is = "1.2.0|1.10.0) id=mock/2025-11-25/lenient ;; *) id=mock/2025-11-25 ;;";
    let workshop =
        Sdk { is, set_up: "test {version} != 1.1.0 || { echo no such release >&2; exit 1; }", ..SDK }.workshop();
    let ran = bisect(&workshop, "--client sdk --good 1.10.0 --bad 1.0.0").ends_with(1);
    let words = [
        "the outcome changed after sdk@1.0.0, by sdk@1.2.0",
        "Cannot be tried, between those two:\n  1.1.0  cannot install",
    ];
    ran.shows(&words);
}

#[test]
fn a_release_that_no_adapter_serves_may_be_the_one() {
    let workshop = SDK.workshop();
    workshop.write("peers/sh/sdk-1/peer.toml", &manifest_of(&workshop).replace("<2.0.0", "<1.10.0"));
    let ran = bisect(&workshop, "--client sdk --good 2.0.0+auto --bad 1.0.0").ends_with(1);
    ran.shows(&["between those two:\n  1.10.0  no adapter serves it"]);
}

fn manifest_of(workshop: &Workshop) -> String {
    std::fs::read_to_string(workshop.path().join("peers/sh/sdk-1/peer.toml")).unwrap()
}

#[test]
fn pre_releases_are_tried_where_they_are_asked_for() {
    let workshop = SDK.workshop();
    let ran = bisect(&workshop, "--client sdk --good 2.0.0+auto --bad 1.10.0 --pre").ends_with(0);
    ran.shows(&["sdk@2.0.0-rc.1+auto is the first release"]);
}

#[test]
fn ends_that_come_out_alike_are_shown_and_nothing_is_looked_for() {
    let workshop = SDK.workshop();
    let ran = bisect(&workshop, "--client sdk --good 1.10.0 --bad 1.0.0").ends_with(1);
    let ran = ran.shows(&["good  sdk@1.10.0  rejected", "bad   sdk@1.0.0   rejected"]);
    ran.says(&["both ends are `rejected` (breaks)"]);
    assert_eq!(log(&workshop), ["1.10.0", "1.0.0"]);
}

#[test]
fn an_end_that_cannot_be_tried_ends_it() {
    let workshop = Sdk { set_up: "echo no such release >&2; test {version} != 1.0.0", ..SDK }.workshop();
    let ran = bisect(&workshop, "--client sdk --good 2.0.0 --bad 1.0.0").ends_with(1);
    ran.says(&["the bad end cannot be tried", "no such release"]);
    let workshop = SDK.workshop();
    let ran = bisect(&workshop, "--client sdk --good 2.0.0 --bad 1.0.0 --against mock/2025-03-26").ends_with(1);
    ran.says(&["the good end cannot be tried", "it speaks no revision that mock/2025-03-26 speaks"]);
    let workshop = Sdk { list: "echo nothing at all >&2; exit 1", ..SDK }.workshop();
    let ran = bisect(&workshop, "--client sdk --good 2.0.0 --bad 1.0.0").ends_with(1);
    ran.says(&["cannot list the releases of sdk", "nothing at all"]);
}

#[test]
fn mistakes_are_told_before_anything_is_set_up() {
    let workshop = SDK.workshop();
    let told = |args: &str, words: &[&str]| {
        bisect(&workshop, args).ends_with(2).says(words);
    };
    told("--client skd --good 2.0.0 --bad 1.0.0", &["no SDK matches \"skd\"; did you mean sdk?"]);
    told(
        "--client sdk --good 2.0.1 --bad 1.0.0",
        &["lists no release 2.0.1; the nearest are 2.0.0 and 2.1.0", "peers versions sdk"],
    );
    told("--client sdk --good 3.0.0 --bad 1.0.0", &["no adapter serves sdk@3.0.0"]);
    told("--client sdk --good latest --bad 1.0.0", &["`latest` is not a version"]);
    told("--client sdk --good 2.0.0+fast --bad 1.0.0", &["\"fast\" is not a negotiation mode"]);
    told("--client sdk --good 2.0.0+modern --bad 1.0.0", &["sdk@2.0.0 cannot negotiate as `modern`"]);
    told("--client sdk --good 2.0.0 --bad 1.0.0+auto", &["sdk@1.0.0 cannot choose how to negotiate: leave out +auto"]);
    told("--client sdk --good 1.0.0 --bad 1.0", &["both ends are 1.0"]);
    told("--server sdk/typed --good 2.0.0 --bad 1.0.0", &["sdk@2.0.0 has no server `typed`"]);
    told("--good 2.0.0 --bad 1.0.0", &["--client", "--server"]);
    told("--client sdk --good 2.0.0 --bad 1.0.0 --against mock/daul", &["mock/daul"]);
    told("--client sdk --good 2.0.0 --bad 1.0.0 --transport memory", &["not all of", "support memory"]);
    let several = ["peers", "bisect", "--scenario=root-type/*", "--client=sdk", "--good=2.0.0", "--bad=1.0.0"];
    workshop.run(several).ends_with(2).says(&["matches", "scenarios", "name one of them"]);
    assert_eq!(log(&workshop), [""; 0]);
}
