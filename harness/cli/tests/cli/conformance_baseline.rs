//! The baseline of the official conformance suite, taken as it is.

use crate::workshop::{PROGRAM, Ran, Workshop, to_its_end};

/// A client that hands on what is invalid.
fn broken() -> String {
    format!("{PROGRAM} mock client --id mock/dual/skip+auto --timeout 3s --call add_numbers --url {{url}}")
}

const KNOWN: &str = "server:\n  - server-stateless:sep-2575-server-implements-discover\nclient:\n  - sse-retry\n";

fn args<'a>(scenario: &'a str, command: &'a str) -> [&'a str; 8] {
    let server = "--server=mock/dual";
    [
        "run",
        "--no-peers",
        "--baseline=conformance-baseline.yml",
        server,
        "--scenario",
        scenario,
        "--client-command",
        command,
    ]
}

fn play(baseline: &str, scenario: &str) -> Ran {
    let workshop = Workshop::new();
    workshop.write("conformance-baseline.yml", baseline);
    workshop.run(args(scenario, &broken()))
}

#[test]
fn the_suites_own_entries_are_passed_over_and_counted() {
    let ran = play(KNOWN, "invalid-result/wrong-type").ends_with(1).shows(&["1 break"]);
    ran.says(&["the baseline: ignored 2 lines of conformance-baseline.yml about other scenarios"]);
}

#[test]
fn an_entry_of_ours_is_a_known_break() {
    let known = format!("{KNOWN}  - invalid-result/wrong-type\n");
    let ran = play(&known, "invalid-result/wrong-type").ends_with(0);
    ran.shows(&["Known breaks", "conformance-baseline.yml, line 5: invalid-result/wrong-type"]);
    play(&format!("{KNOWN}  - invalid-result/*\n"), "invalid-result/wrong-type").ends_with(0);
    play(
        &known.replace("client:", "servers:").replace("server:", "client:").replace("servers:", "server:"),
        "invalid-result/wrong-type",
    )
    .ends_with(1);
}

#[test]
fn an_entry_may_be_about_one_rule() {
    let by = |rule: &str| play(&format!("{KNOWN}  - invalid-result/wrong-type:{rule}\n"), "invalid-result/wrong-type");
    by("client-validates").ends_with(0);
    by("tool-names-unique").ends_with(1);
    by("client-validate").ends_with(2).says(&["line 5", "names no rule", "did you mean"]);
}

#[test]
fn an_entry_that_no_longer_breaks_is_stale() {
    let workshop = Workshop::new();
    workshop.write("conformance-baseline.yml", "client:\n- invalid-result/wrong-type\n");
    let sound = broken().replace("/skip", "");
    let ran = workshop.run(args("invalid-result/wrong-type", &sound)).ends_with(1);
    ran.shows(&["`invalid-result/wrong-type` of client, on line 2, is stale", "no longer breaks"]);
    // What says nothing of what its user got is no proof that it works.
    workshop.write("conformance-baseline.yml", "client:\n- root-type/array\n");
    workshop.run(args("root-type/array", &sound)).ends_with(0);
}

#[test]
fn what_cannot_be_meant_is_told_with_its_line() {
    let told = |text: &str| play(text, "invalid-result/wrong-type").ends_with(2);
    told("client:\n  - invalid-result/wrong-tpye\n").says(&["line 2", "did you mean invalid-result/wrong-type?"]);
    told("client:\n  - a: b\n").says(&["conformance-baseline.yml", "line 2", "- a:b"]);
    told("clients: []\n").says(&["line 1", "`client` or `server`"]);
}

#[test]
fn it_is_not_made_anew() {
    let workshop = Workshop::new();
    workshop.write("conformance-baseline.yml", KNOWN);
    let command = broken();
    let mut run = workshop.command(args("invalid-result/wrong-type", &command));
    let ran = to_its_end(run.env("MCP_COMPAT_BASELINE", "update").spawn().unwrap()).ends_with(2);
    ran.says(&["cannot rewrite conformance-baseline.yml", "give a .toml"]);
}
