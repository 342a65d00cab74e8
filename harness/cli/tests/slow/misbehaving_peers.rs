//! A peer that misbehaves is a result for its own cells, and the others play as if it were not there.

use std::fmt::Write as _;

use serde_json::Value;

use crate::workshop::{PROGRAM, Ran, Workshop};

/// The client answers the probe as it must and then does something. A process that is started again gets no probe.
fn client_then(then: &str) -> String {
    format!(
        r#"read -r line; id=${{line#*\"id\":}}; id=${{id%%,*}}
case $line in *\"scenario\":\"probe\"*) printf '{{"id":%s,"unsupported":"unknown step"}}\n' "$id";; esac; {then}"#
    )
}

fn manifest(setup: Option<&str>, client: Option<&str>, server: Option<&str>) -> String {
    let mut text =
        "id = \"fake@1.0.0\"\nlanguage = \"sh\"\nabout = \"misbehaves\"\nrevisions = [\"2025-11-25\"]\n".to_owned();
    for (section, key, script) in
        [("setup", "command", setup), ("client", "command", client), ("server", "stdio", server)]
    {
        if let Some(script) = script {
            let _ = writeln!(text, "[{section}]\n{key} = [\"sh\", \"-c\", '''{script}''']");
        }
    }
    text
}

/// Plays one scenario between a fake peer, given by its manifest, and mocks; a mock plays the same role beside it.
fn play(workshop: &Workshop, role: &str, manifest: &str) -> Ran {
    workshop.write("fake/peer.toml", manifest);
    let (fake, beside, against) = match role {
        "client" => ("--client=fake/peer.toml", "--client=mock/2025-11-25", "--server=mock/2025-11-25"),
        _ => ("--server=fake/peer.toml", "--server=mock/2025-11-25", "--client=mock/2025-11-25"),
    };
    let timeout = "--timeout=500ms";
    let stdio = "--transport=stdio";
    workshop.run(["run", "--no-peers", "--scenario=root-type/object", stdio, timeout, fake, beside, against])
}

/// The outcome and the reason of the fake's cell, where the mock's cell is as it should be.
fn outcome(workshop: &Workshop) -> (String, String) {
    let record = workshop.record();
    assert_eq!(record["complete"], true);
    let cells = record["cells"].as_array().unwrap();
    let is_fake = |cell: &&Value| cell["id"].as_str().unwrap().contains("fake@1.0.0");
    let (fake, mock): (Vec<_>, Vec<_>) = cells.iter().partition(is_fake);
    assert_eq!((fake.len(), mock.len()), (1, 1), "{cells:#?}");
    assert_eq!(mock[0]["outcome"], "intact", "{cells:#?}");
    let text = |key: &str| fake[0][key].as_str().unwrap().to_owned();
    (text("outcome"), text("reason"))
}

#[track_caller]
fn assert_result(role: &str, script: &str, outcomes: &[&str], reason: &str) {
    let workshop = Workshop::new();
    let (client, server) = if role == "client" { (Some(script), None) } else { (None, Some(script)) };
    play(&workshop, role, &manifest(None, client, server)).ends_with(1);
    let (outcome, why) = outcome(&workshop);
    assert!(outcomes.contains(&outcome.as_str()), "{outcome}: {why}");
    assert!(why.contains(reason), "{why}");
}

#[test]
fn a_client_that_exits_has_crashed_and_its_last_words_are_told() {
    assert_result("client", "echo no license >&2; exit 3", &["crashed"], "no license");
}

#[test]
fn a_client_that_hangs_is_hung() {
    assert_result("client", &client_then("trap '' TERM; sleep 600 & wait"), &["hung"], "");
}

#[test]
fn a_client_that_prints_garbage_has_crashed() {
    assert_result("client", &client_then("while read -r job; do echo oops; done"), &["crashed", "hung"], "");
}

#[test]
fn a_client_that_floods_has_crashed() {
    assert_result("client", &client_then("read -r job; yes noise"), &["crashed"], "noise");
}

#[test]
fn a_server_that_exits_has_crashed_and_its_last_words_are_told() {
    assert_result("server", "echo no license >&2; exit 3", &["crashed"], "no license");
}

#[test]
fn a_server_that_hangs_is_hung() {
    assert_result("server", "trap '' TERM; sleep 600 & wait", &["hung"], "");
}

#[test]
fn a_server_that_prints_garbage_is_a_result() {
    assert_result("server", "while read -r line; do echo oops; done", &["hung", "crashed", "unreachable"], "");
}

#[test]
fn a_server_that_floods_is_a_result() {
    assert_result("server", "yes noise", &["hung", "crashed", "unreachable"], "");
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let workshop = Workshop::new();
    let manifest = manifest(None, Some(""), None).replace("[\"sh\", \"-c\", '''''']", "[\"./no-such-program\"]");
    play(&workshop, "client", &manifest).ends_with(1);
    let (outcome, reason) = outcome(&workshop);
    assert_eq!(outcome, "unreachable");
    assert!(reason.contains("no-such-program"), "{reason}");
}

#[test]
fn a_set_up_that_fails_is_told_and_the_others_are_played() {
    let workshop = Workshop::new();
    let ran = play(&workshop, "client", &manifest(Some("echo no compiler >&2; exit 4"), Some("exit 0"), None));
    let ran = ran.ends_with(1).shows(&["1 works"]);
    ran.says(&["installing fake@1.0.0 (once; it is kept)", "not tested: ", "exit status 4", "no compiler"]);
    assert_eq!(workshop.record()["cells"].as_array().unwrap().len(), 1);
}

#[test]
fn a_set_up_that_fails_where_nobody_else_was_asked_for_leaves_nothing_to_play() {
    let workshop = Workshop::new();
    workshop.write("fake/peer.toml", &manifest(Some("exit 4"), Some("exit 0"), None));
    let ran = workshop.run(["run", "--no-peers", "--client", "fake/peer.toml"]).ends_with(1);
    ran.says(&["not tested: ", "exit status 4", "none of the selected clients and servers can be tested"]);
    assert!(!workshop.has_record());
}

#[test]
fn a_peer_that_is_not_selected_is_not_set_up() {
    let workshop = Workshop::new();
    workshop.write("peers/sh/fake/peer.toml", &manifest(Some("touch {build}/ran"), Some("exit 0"), None));
    let selection = ["--scenario=root-type/object", "--client=mock/dual+auto", "--server=mock/dual"];
    let ran = workshop.run(["run", "--coverage=smoke"].into_iter().chain(selection)).ends_with(0);
    assert!(!ran.stderr.contains("setting up"), "{}", ran.stderr);
}

#[test]
fn the_manifest_that_is_named_is_meant_and_not_another_of_its_id() {
    let workshop = Workshop::new();
    workshop.write("peers/sh/fake/peer.toml", &manifest(None, Some("echo the-other-one >&2; exit 3"), None));
    workshop.write("fake/peer.toml", &manifest(None, Some("echo this-one >&2; exit 3"), None));
    let selection = ["--scenario=root-type/object", "--client=fake/peer.toml", "--server=mock/2025-11-25"];
    workshop.run(["run", "--transport=http"].into_iter().chain(selection)).ends_with(1).shows(&["this-one"]);
}

/// An adapter whose process stays, but which answers nothing more from one scenario on.
#[test]
fn a_server_adapter_that_stops_answering_costs_one_cell() {
    let workshop = Workshop::new();
    let server = format!("exec {PROGRAM} mock server --adapter --http --id mock/2025-11-25");
    let stuck = r#"while read -r line; do case "$line" in *composition/not-anything*) exec sleep 600;; esac; printf '%s\n' "$line"; done"#;
    workshop.write(
        "fake/peer.toml",
        &format!(
            "id = \"fake@1.0.0\"\nlanguage = \"sh\"\nabout = \"stops\"\nrevisions = [\"2025-11-25\"]\n\
             [server]\nstdio = [\"false\"]\nhttp = [\"sh\", \"-c\", '''{stuck} | {server}''']\n"
        ),
    );
    let args = ["--server=fake/peer.toml", "--client=mock/2025-11-25", "--transport=http", "--timeout=2s", "--jobs=4"];
    workshop.run(["run", "--no-peers", "--scenario=composition/*"].into_iter().chain(args)).ends_with(1);
    let record = workshop.record();
    let cells = record["cells"].as_array().unwrap();
    assert!(cells.len() > 3, "{cells:#?}");
    for cell in cells {
        let (outcome, reason) = (cell["outcome"].as_str().unwrap(), cell["reason"].as_str().unwrap());
        if cell["scenario"] == "composition/not-anything" {
            assert_eq!((outcome, cell["fault"].as_str()), ("hung", Some("server")), "{reason}");
            assert!(reason.contains("its adapter did not take up the scenario"), "{reason}");
            assert!(reason.contains("To fix in its adapter"), "{reason}");
        } else {
            assert_eq!(cell["rating"], "works", "{}: {reason}", cell["id"]);
        }
    }
}

#[test]
fn a_client_command_that_does_not_end_is_told_after_one_try() {
    let workshop = Workshop::new();
    let mock = format!("'{PROGRAM}' mock client --id mock/dual+auto --call add_numbers --url {{url}}");
    let script = format!("echo started >> starts; {mock}; exec sleep 600");
    let ran = workshop.run(["audit-client", "--timeout=5s", "--", "sh", "-c", &script]).ends_with(2);
    ran.says(&["testing 1 probe", "did not end after its call was answered", "calls one and exits"]);
    assert_eq!(std::fs::read_to_string(workshop.path().join("starts")).unwrap(), "started\n");
}
