//! Scenarios of one's own: checked, shown, and played beside the embedded corpus or without it.

use std::fs;

use crate::workshop::{OWN, Workshop};

/// A selection that plays quickly.
const QUICKLY: [&str; 4] = ["--no-peers", "--transport=memory", "--client=mock/dual+auto", "--server=mock/dual"];

fn with_own() -> Workshop {
    let workshop = Workshop::new();
    workshop.write("mine/bugs/count.toml", OWN);
    workshop
}

#[test]
fn lint_tells_errors_and_doubts_of_all_files_at_once() {
    let workshop = with_own();
    let tame =
        OWN.replace("count\"", "tame\"").replace("An object", "Another").replace("The plainest", "Not the plainest");
    workshop.write(
        "mine/bugs/tame.toml",
        &format!("{tame}control = '{{\"structuredContent\": {{\"n\": 4}}, \"content\": []}}'\n"),
    );
    workshop.write("mine/bugs/unreadable.toml", "title = 1\n");
    let ran = workshop.run(["lint", "mine"]).ends_with(2);
    ran.says(&[
        "`title` must be text",
        "the control `tame_control` satisfies the schema",
        "error: 2 scenarios, 1 file that cannot be used, 4 mistakes",
    ]);
    let one = workshop.run(["lint", "mine/bugs/count.toml"]).ends_with(0);
    assert_eq!((one.stdout.as_str(), one.stderr.as_str()), ("1 scenario, no mistakes\n", ""));
}

#[test]
fn a_warning_fails_only_where_it_is_denied() {
    let workshop = Workshop::new();
    workshop.write("mine/bugs/count.toml", &OWN.replace("there is.", "there is"));
    let ran =
        workshop.run(["lint", "mine"]).ends_with(0).says(&["warning: `why` does not end with a full stop, `?` or `!`"]);
    assert_eq!(ran.stdout, "1 scenario, 1 warning\n");
    let ran = workshop.run(["lint", "mine", "--deny-warnings"]).ends_with(2).says(&["error: 1 scenario, 1 warning"]);
    assert_eq!(ran.stdout, "");
}

#[test]
fn an_id_of_the_corpus_is_taken_and_so_is_that_of_another_folder() {
    let workshop = with_own();
    workshop.write("mine/root-type/array.toml", OWN);
    workshop.write("yours/bugs/count.toml", OWN);
    workshop.run(["lint", "mine"]).ends_with(2).says(&["there is already a scenario `root-type/array`"]);
    workshop.run(["lint", "mine", "yours"]).ends_with(2).says(&["another one is in mine/bugs/count.toml"]);
    workshop.run(["lint", "mine/bugs/count.toml", "mine/bugs"]).ends_with(0);
    let ran = workshop.run(["run", "--scenarios", "mine", "--scenarios", "yours", "--no-peers"]).ends_with(2);
    ran.says(&["`root-type/array`", "a built-in scenario has that id", "another one is in mine/bugs/count.toml"]);
}

#[test]
fn show_tells_what_goes_over_the_wire() {
    let workshop = Workshop::new();
    let ran = workshop.run(["show", "root-type/array"]).ends_with(0);
    ran.shows(&[
        "at least  intact in modern, text in legacy",
        "On the wire in 2025-06-18, 2025-11-25",
        "    omit, text-only\n",
        r#""structuredContent": {"result": [{"id": "u1"}, {"id": "u2"}]}"#,
        "On the wire in 2026-07-28",
        r#""resultType": "complete""#,
    ]);
    workshop.run(["show", "*/array-of-arrays"]).ends_with(0).shows(&["root-type/array-of-arrays\n"]);
    let several = workshop.run(["show", "root-type/array*"]).ends_with(2);
    several.says(&["fits", "name one of them", "  root-type/array-of-arrays"]);
}

#[test]
fn show_names_the_members_of_a_family_a_line_each() {
    let workshop = Workshop::new();
    let ran = workshop.run(["show", "root-type/primitive"]).ends_with(0);
    assert!(ran.stdout.lines().count() > 3, "{}", ran.stdout);
    assert!(ran.stdout.lines().all(|line| line.starts_with("root-type/primitive[")), "{}", ran.stdout);
    workshop.run(["show", "root-type/primitive[zero]"]).ends_with(0).shows(&["Zero at the root"]);
}

#[test]
fn show_takes_files_and_their_cases() {
    let workshop = with_own();
    workshop.run(["show", "mine/bugs/count.toml"]).ends_with(0).shows(&["bugs/count\n", "call count {}"]);
    workshop.run(["show", "bugs/count", "--scenarios", "mine"]).ends_with(0).shows(&["call count {}"]);
    let listed = workshop.run(["show", "scenarios", "--scenarios", "mine"]).ends_with(0);
    listed.shows(&["bugs/count", "root-type/array"]);
    let cases = OWN.replace("returns = ", "[[case]]\ncase = \"three\"\nreturns = ")
        + "\n[[case]]\ncase = \"hang\"\ndoes = \"hang\"\nmeans.value = '3'\n";
    workshop.write("mine/bugs/count.toml", &cases);
    let members = workshop.run(["show", "mine/bugs/count.toml"]).ends_with(0);
    assert_eq!(members.stdout.lines().count(), 2, "{}", members.stdout);
    let hang = workshop.run(["show", "mine/bugs/count.toml[hang]"]).ends_with(0);
    hang.shows(&["bugs/count[hang]\n", "it is never answered"]);
    let ran = workshop.run(["show", "mine/bugs/count.toml[three]"]).ends_with(0);
    ran.shows(&["structuredContent"]);
    workshop.run(["show", "mine/bugs/count.toml[tree]"]).ends_with(2).says(&["count.toml[three]?"]);
    workshop
        .run(["show", "mine/bugs/absent.toml"])
        .ends_with(2)
        .says(&["cannot read the scenario mine/bugs/absent.toml"]);
}

#[test]
fn own_scenarios_are_played_beside_the_corpus_or_alone() {
    let workshop = with_own();
    let played = |args: &[&str]| {
        workshop
            .run(["run", "--scenarios", "mine"].into_iter().chain(QUICKLY).chain(args.iter().copied()))
            .ends_with(0);
        let record = workshop.record();
        record["scenarios"].as_array().unwrap().iter().map(|scenario| scenario["id"].to_string()).collect::<Vec<_>>()
    };
    let both = played(&["--scenario=bugs/*", "--scenario=root-type/object"]);
    assert_eq!(both, ["\"bugs/count\"", "\"root-type/object\""]);
    assert_eq!(played(&["--no-corpus"]), ["\"bugs/count\""]);
    let alone = workshop.record()["corpus"].clone();
    workshop.write(
        "mine/bugs/count.toml",
        &OWN.replace("\"n\": 3}, ", "\"n\": 4}, ").replace("\\\"n\\\": 3", "\\\"n\\\": 4"),
    );
    played(&["--no-corpus"]);
    assert_ne!(workshop.record()["corpus"], alone, "the digest is of what was played");
    workshop.run(["run", "--no-corpus", "--no-peers"]).ends_with(2).says(&["--scenarios"]);
}

#[test]
fn a_server_that_ends_at_a_call_ends_as_its_scenario_says_over_every_transport() {
    let workshop = Workshop::new();
    let ends = OWN.split("returns").next().unwrap().to_owned() + "does = \"exit\"\nmeans.value = '{\"n\": 3}'\n";
    workshop.write("mine/bugs/ends.toml", &ends);
    let all = ["run", "--no-peers", "--no-corpus", "--scenarios=mine", "--coverage=full", "--baseline=none"];
    let mocks = ["--client=mock/dual*", "--server=mock/dual*"];
    let ran = workshop.run(all.iter().chain(&mocks)).ends_with(0);
    assert!(ran.stdout.contains("OK  nothing breaks") && !ran.stdout.contains("degraded"), "{}", ran.stdout);
    let cells = workshop.record()["cells"].as_array().unwrap().clone();
    assert!(cells.iter().all(|cell| cell["outcome"] == "crashed"), "{cells:#?}");
    // It is the end that is expected, and no other answer.
    workshop.write("mine/bugs/ends.toml", &format!("expect = \"intact\"\n{ends}"));
    workshop.run(all).ends_with(1);
}

#[test]
fn a_file_may_stand_for_a_folder_and_raw_files_beside_it_are_found() {
    let workshop = with_own();
    let raw =
        OWN.split("returns").next().unwrap().to_owned() + "raw-file = \"answer.bin\"\nmeans.value = '{\"n\": 3}'\n";
    workshop.write("mine/bugs/raw.toml", &raw);
    workshop.write(
        "mine/bugs/answer.bin",
        r#"{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete","structuredContent":{"n":3},"content":[]}}"#,
    );
    for place in ["mine", "mine/bugs/raw.toml"] {
        workshop
            .run(["run", "--no-corpus", "--scenario=bugs/raw", "--scenarios", place].into_iter().chain(QUICKLY))
            .ends_with(0);
    }
    fs::remove_file(workshop.path().join("mine/bugs/answer.bin")).unwrap();
    workshop
        .run(["run", "--scenarios", "mine"])
        .ends_with(2)
        .says(&["`answer.bin` cannot be read", "looked for `bugs/answer.bin`"]);
}

#[test]
fn the_command_that_plays_a_cell_again_finds_the_scenario() {
    let workshop = Workshop::new();
    workshop.write("my bugs/bugs/count.toml", OWN);
    let args = ["run", "--scenarios", "my bugs", "--no-corpus"];
    workshop.run(args.into_iter().chain(QUICKLY)).ends_with(0);
    assert_eq!(workshop.record()["scenarios"][0]["read_from"], "my bugs");
    let ran = workshop.run(["show", "bugs/count::mock/dual+auto::mock/dual::memory"]).ends_with(0);
    ran.shows(&["--scenarios 'my bugs'"]);
    let embedded = ["run", "--scenario=root-type/object"];
    workshop.run(embedded.into_iter().chain(QUICKLY)).ends_with(0);
    let ran = workshop.run(["show", "root-type/object::mock/dual+auto::mock/dual::memory"]).ends_with(0);
    assert!(!ran.stdout.contains("--scenarios"), "{}", ran.stdout);
}
