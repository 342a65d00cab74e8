//! `shrink`: what is left of a scenario that breaks, and what becomes of one that does not.

use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::workshop::{PROGRAM, Ran, Workshop, to_its_end, until};

/// A break that nobody is told of.
const NESTED: [&str; 4] = ["shrink", "invalid-result/nested", "--client=mock/dual/skip", "--no-peers"];

/// A client that refuses every session, three times; then it says so in a file and hangs.
const TIRING: &str = r#"id = "tiring@1.0.0"
language = "sh"
about = "refuses, then hangs"
revisions = ["2025-11-25"]
[client]
command = ["sh", "-c", '''
read -r line; id=${line#*\"id\":}; id=${id%%,*}; printf '{"id":%s,"unsupported":"unknown step"}\n' "$id"
jobs=0
while read -r line; do
  jobs=$((jobs + 1)); id=${line#*\"id\":}; id=${id%%,*}
  if [ $jobs -gt 3 ]; then echo $$ > tired.new; mv tired.new tired; exec sleep 600; fi
  printf '{"id":%s,"error":{"layer":"connect","message":"no"},"steps":[]}\n' "$id"
done''']
"#;

#[test]
fn what_is_left_is_as_small_as_a_maintainer_would_write_it() {
    let workshop = Workshop::new();
    let ran = workshop.run(NESTED).ends_with(0).shows(&[
        r#""outputSchema": {"type": "object", "properties": {"route": {"type": "object"}}}}'''"#,
        r#"returns = '''{"structuredContent": {"route": []}, "content": [{"type": "text", "text": "{\"route\":[]}"}]}'''"#,
        "means = \"invalid\"",
        "# Shrunk from invalid-result/nested: mock/dual/skip+auto with mock/dual over memory still ends `uncaught`.",
    ]);
    let ran = ran.says(&[
        "ends `uncaught`",
        "dropped /outputSchema/required in the definition of get_parcel",
        "nothing more can be removed",
    ]);
    let again = workshop.run(NESTED).ends_with(0);
    assert_eq!((&ran.stdout, &ran.stderr), (&again.stdout, &again.stderr), "the same steps, the same bytes");
}

#[test]
fn what_is_left_is_a_scenario_of_which_nothing_more_can_go() {
    let workshop = Workshop::new();
    workshop.run(NESTED.into_iter().chain(["-o", "left.toml"])).ends_with(0);
    let left = fs::read_to_string(workshop.path().join("left.toml")).unwrap();
    let files: Vec<_> = fs::read_dir(workshop.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(files, ["left.toml"], "nothing half-written is beside it");

    let again = workshop.run(["shrink", "left.toml", "--client=mock/dual/skip", "--no-peers"]).ends_with(0);
    let again = again.says(&["nothing could go"]);
    let body = |text: &str| text.split_once("\n\n").unwrap().1.to_owned();
    assert_eq!(body(&again.stdout), body(&left));
}

#[test]
fn a_pair_is_found_where_none_is_named() {
    let ran = Workshop::new().run(["shrink", "root-type/array", "--no-peers"]).ends_with(0);
    ran.says(&["root-type/array: mock/2025-11-25 with mock/dual over memory ends `rejected`"]);
}

#[test]
fn a_scenario_that_does_not_break_is_refused_in_a_sentence() {
    let workshop = Workshop::new();
    let ran = workshop.run(["shrink", "root-type/object", "--no-peers", "-o", "left.toml"]).ends_with(2);
    let ran = ran.says(&["root-type/object does not break between any of the"]);
    assert_eq!((ran.stdout.as_str(), ran.stderr.lines().count()), ("", 1));
    assert!(!workshop.path().join("left.toml").exists());

    let one = ["--client=mock/dual", "--server=mock/dual", "--transport=memory"];
    let ran = workshop.run(["shrink", "root-type/object", "--no-peers"].into_iter().chain(one)).ends_with(2);
    ran.says(&["does not break between mock/dual+auto and mock/dual over memory: it ends `intact`"]);
}

#[test]
fn what_cannot_be_found_or_written_is_told_before_anything_is_played() {
    let workshop = Workshop::new();
    let run = |args: &[&str]| workshop.run(["shrink", "--no-peers"].iter().chain(args)).ends_with(2);
    run(&["root-type/arry"]).says(&["no scenario matches", "did you mean root-type/array?"]);
    run(&["root-type/array", "--client=mock/duel"]).says(&["did you mean mock/dual+auto?"]);
    run(&["root-type/array", "--client=rmpc@2.2.0"]).says(&["no client matches"]);
    workshop.write("left.toml", "precious");
    run(&["root-type/array", "-o", "left.toml"]).says(&["left.toml exists already"]);
    run(&["root-type/array", "-o", "Left.toml"]).says(&["cannot be a scenario"]);
    run(&["nothing.toml"]).says(&["cannot read the scenario nothing.toml"]);
}

#[test]
fn a_reduction_that_ran_out_of_runs_says_so_in_the_file() {
    let ran = Workshop::new().run(NESTED.into_iter().chain(["--max-runs=2"])).ends_with(0);
    ran.shows(&["# Not the smallest: 2 runs (--max-runs) were not enough."]).says(&["no runs left"]);
}

#[test]
fn a_reduction_that_ran_out_of_time_says_so_in_the_file() {
    let ran = Workshop::new().run(NESTED.into_iter().chain(["--shrink-timeout=1ms"])).ends_with(0);
    ran.shows(&["# Not the smallest: the time (--shrink-timeout) was over after "]).says(&["no time left"]);
}

#[test]
fn an_interrupted_reduction_keeps_the_best_so_far() {
    let workshop = Workshop::new();
    workshop.write("tiring/peer.toml", TIRING);
    let args = ["shrink", "root-type/object", "--no-peers", "--client=tiring/peer.toml", "--server=mock/dual"];
    let more = ["--transport=http", "--timeout=60s", "-o", "left.toml"];
    let child = workshop.command(args.into_iter().chain(more)).spawn().unwrap();
    let tired = workshop.path().join("tiring/tired");
    until("the client is tired", || tired.exists());
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
    to_its_end(child).ends_with(130).says(&["interrupted: it may not be the smallest"]);
    let left = fs::read_to_string(workshop.path().join("left.toml")).unwrap();
    assert!(left.contains("# Not the smallest: interrupted after 3 runs."), "{left}");
    assert!(!left.contains("control ="), "the first run has dropped it:\n{left}");
}

/// A client that is only a command, and ends with 1 where its call failed.
fn with_command(workshop: &Workshop, scenario: &str, command: &str) -> Ran {
    let server = ["--server=mock/dual", "--no-peers", "--timeout=3s"];
    workshop.run(["shrink", scenario].into_iter().chain(server).chain(["--client-command", command]))
}

fn command(id: &str) -> String {
    format!("{} mock client --id {id} --timeout 3s --call add_numbers --url {{url}}", PROGRAM)
}

#[test]
fn a_client_that_is_only_a_command_is_played_as_run_plays_it() {
    let workshop = Workshop::new();
    let ran = with_command(&workshop, "invalid-result/nested", &command("mock/dual/skip+auto")).ends_with(0);
    let ran = ran.shows(&[
        "means = \"invalid\"",
        "# Shrunk from invalid-result/nested: command with mock/dual over http still ends `uncaught`.",
    ]);
    let named = ran.stdout.lines().any(|line| line.contains("\"name\": \"get_parcel\""));
    assert!(named, "the tool keeps the name that the scenario gives it:\n{}", ran.stdout);
    ran.says(&["ends `uncaught`", "nothing more can be removed"]);
}

#[test]
fn a_command_that_cannot_play_the_scenario_or_does_not_break_with_it_is_refused() {
    let workshop = Workshop::new();
    let ran = with_command(&workshop, "chain/feed[handle]", &command("mock/dual+auto")).ends_with(2);
    ran.says(&["a client that is only a command makes one"]);
    let ran = with_command(&workshop, "root-type/object", &command("mock/dual+auto")).ends_with(2);
    ran.says(&[
        "root-type/object has no result between command and mock/dual over http: it ends `unsupported`. command called",
    ]);
    let both = ["shrink", "root-type/array", "--client=mock/dual", "--client-command=true"];
    workshop.run(both).ends_with(2).says(&["--client-command"]);
}
