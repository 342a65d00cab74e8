//! `peers`: releases are installed beside each other, what cannot be had is left out and told, and mistakes are shown.

use std::fs;

use serde_json::Value;

use crate::family::{Family, fleet, home, shared, workshop};
use crate::workshop::Workshop;

const LOGGED: &str = "echo {version} >> {build}/log; echo resolved {version} > lock";

/// Fails for one of the releases.
const ONE_FAILS: &str = "echo {version} >> {build}/log; echo no such release >&2; test {version} != 1.0.0";

fn log(workshop: &Workshop) -> Vec<String> {
    shared(workshop, "log").lines().map(str::to_owned).collect()
}

#[test]
fn the_fleet_is_set_up_once() {
    let workshop = workshop(&Family::of(LOGGED));
    let ran =
        workshop.run(["peers", "install"]).ends_with(0).shows(&["2 releases installed, 0 already installed before"]);
    ran.says(&["installing sdk@1.0.0 (once; it is kept)", "sdk@2.0.0 is installed, in "]);
    workshop.run(["peers", "install"]).ends_with(0).shows(&["0 releases installed, 2 already installed before"]);
    assert_eq!(log(&workshop), ["1.0.0", "2.0.0"]);
}

#[test]
fn any_release_of_a_family_is_set_up_beside_those_of_the_fleet() {
    let workshop = workshop(&Family::of(LOGGED));
    workshop
        .run(["peers", "install", "sdk@2.1.0-rc.1+auto", "sdk@v1.4.0"])
        .ends_with(0)
        .shows(&["2 releases installed"]);
    workshop.run(["peers", "install", "sdk@1.*"]).ends_with(0).shows(&["1 release installed"]);
    workshop.run(["peers", "install", "peers/sh/sdk/peer.toml@1.6.0"]).ends_with(0).shows(&["1 release installed"]);
    assert_eq!(log(&workshop), ["2.1.0-rc.1", "1.4.0", "1.0.0", "1.6.0"]);
    let ran = workshop.run(["peers", "list"]).ends_with(0);
    insta::assert_snapshot!(ran.stdout, @r"
    installed          1 MB  sdk@1.0.0       it is played
    not installed            sdk@2.0.0       it is played
    installed          1 MB  sdk@1.4.0       an SDK (not of the fleet)
    installed          1 MB  sdk@1.6.0       an SDK (not of the fleet)
    installed          1 MB  sdk@2.1.0-rc.1  an SDK (not of the fleet)
    ");
    let ran = workshop.run(["peers", "list", "--json"]).ends_with(0);
    let listed: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    let ids: Vec<_> = listed[0]["peers"].as_array().unwrap().iter().map(|peer| peer["id"].clone()).collect();
    assert_eq!(ids, ["sdk@1.0.0", "sdk@1.0.0", "sdk@1.0.0/typed"]);
    assert_eq!(listed[0]["peers"][0]["revisions"], serde_json::json!(["2025-06-18"]));
    assert_eq!((&listed[1]["state"], &listed[1]["fleet"]), (&"not installed".into(), &true.into()));
}

#[test]
fn the_small_fleet_is_what_is_marked() {
    let workshop = workshop(&Family::of(LOGGED));
    let ran = workshop.run(["peers", "install", "--small"]).ends_with(2);
    ran.says(&["no release of the fleet is marked `small = true`", "peers/fleet.toml"]);
    let list = fs::read_to_string(workshop.path().join("peers/fleet.toml")).unwrap();
    workshop.write("peers/fleet.toml", &format!("{list}small = true\n"));
    workshop.run(["peers", "install", "--small"]).ends_with(0).shows(&["1 release installed"]);
    assert_eq!(log(&workshop), ["2.0.0"]);
}

#[test]
fn a_release_that_cannot_be_had_is_left_out_and_told_with_its_log() {
    let workshop = workshop(&Family::of(ONE_FAILS));
    let ran = workshop.run(["peers", "install"]).ends_with(1);
    let ran = ran.shows(&["1 release installed, 0 already installed before, 1 could not be installed"]);
    ran.says(&["error: cannot install sdk@1.0.0: `sh -c", "exit status 1", "no such release", "logs/sdk@1.0.0.log"]);
    assert_eq!(log(&workshop), ["1.0.0", "2.0.0"]);
}

#[test]
fn a_tool_that_is_missing_or_old_is_told_once_with_whom_it_costs_and_the_rest_goes_on() {
    let workshop = workshop(&Family {
        more: "[[tool]]\ncommand = [\"sh\", \"-c\", \"echo 18.2\"]\nat-least = \"20\"\nget = \"Node, https://example.org/\"\n",
        ..Family::of(LOGGED)
    });
    workshop.write("peers/sh/other/peer.toml", &Family::of(LOGGED).manifest("other", ">=1.0.0"));
    fleet(&workshop, &["sdk@1.0.0", "sdk@2.0.0", "other@1.0.0"]);
    let ran =
        workshop.run(["peers", "install"]).ends_with(1).shows(&["1 release installed", "2 could not be installed"]);
    let words = "error: `sh -c echo 18.2` reports 18.2, but 20 or later is required. Install Node, https://example.org/ \
                 (this costs sdk@1.0.0, sdk@2.0.0)";
    assert_eq!(ran.stderr.matches("18.2, but 20").count(), 1, "{}", ran.stderr);
    ran.says(&[words]);
}

#[test]
fn a_registry_that_does_not_answer_is_tried_three_times() {
    let workshop = workshop(&Family::of("echo ECONNREFUSED >&2; echo x >> {build}/log; exit 1"));
    let ran = workshop.run(["peers", "install", "sdk@1.0.0"]).ends_with(1);
    ran.says(&["try 2 of 3", "try 3 of 3", "did not answer", "in 3 tries", "Check the network", "ECONNREFUSED"]);
    assert_eq!(log(&workshop).len(), 3);
}

#[test]
fn what_there_is_not_is_told_with_what_there_is() {
    let workshop = workshop(&Family::of(LOGGED));
    let install = |id| workshop.run(["peers", "install", id]).ends_with(2);
    install("skd@1.0.0").says(&["no SDK matches \"skd\"; did you mean sdk?"]);
    install("sdk@3.0.0").says(&["no adapter serves sdk@3.0.0", "`>=1.0.0, <3.0.0`"]);
    install("sdk").says(&["sdk is a family: name one of its releases, as in sdk@VERSION"]);
    install("sdk@latest").says(&["sdk@latest names no release: `latest` is not a version"]);
    install("sdk@9.*").says(&["no release of the fleet matches \"sdk@9.*\"", "sdk@1.0.0  sdk@2.0.0"]);
    install("peers/sh/sdk/peer.toml").says(&["serves the releases `>=1.0.0, <3.0.0`: name one of them"]);
    install("peers/sh/sdk/peer.toml@0.9").says(&["serves `>=1.0.0, <3.0.0`, not 0.9"]);
    assert_eq!(log(&workshop), [""; 0]);
}

#[test]
fn outside_of_a_checkout_the_adapters_of_the_program_are_used() {
    let workshop = Workshop::new();
    let ran = workshop.run(["peers", "install", "rmcp@0.0.1"]).ends_with(2);
    ran.says(&["no adapter serves rmcp@0.0.1"]);
    workshop.run(["peers", "list"]).ends_with(0).shows(&["rmcp@3.11.0", "typescript@1.32.2"]);
}

#[test]
fn mistakes_in_the_fleet_are_told_in_one_go_with_their_lines() {
    let workshop = workshop(&Family::of(LOGGED));
    fleet(&workshop, &["sdk@1.0.0", "skd@1.0.0", "sdk@3.0.0", "sdk@1.0.0"]);
    let ran = workshop.run(["peers", "list"]).ends_with(2);
    insta::assert_snapshot!(ran.stderr, @r#"
    error: the peer manifests have mistakes; nothing was run

    error: no SDK matches "skd"; did you mean sdk?
     --> peers/fleet.toml:5:6
      |
    5 | id = "skd@1.0.0"
      |      ^^^^^^^^^^^ this release cannot be played
      |
      = help: there are: sdk

    error: no adapter serves sdk@3.0.0. The adapters of sdk serve `>=1.0.0, <3.0.0`
     --> peers/fleet.toml:8:6
      |
    8 | id = "sdk@3.0.0"
      |      ^^^^^^^^^^^ this release cannot be played

    error: sdk@1.0.0 is listed twice
      --> peers/fleet.toml:11:6
       |
    11 | id = "sdk@1.0.0"
       |      ^^^^^^^^^^^ this is the second
    "#);
    workshop.write("peers/fleet.toml", "[[peer]]\nid = \"sdk@1.0.0\"\nwhy = \"it is\"\nat_run = true\n");
    let ran = workshop.run(["run"]).ends_with(2);
    insta::assert_snapshot!(ran.stderr, @r"
    error: the peer manifests have mistakes; nothing was run

    error: unknown field `at_run`, expected one of `id`, `why`, `small`, `at-run`
     --> peers/fleet.toml:4:1
      |
    4 | at_run = true
      | ^^^^^^
    ");
}

#[test]
fn two_manifests_of_a_name_whose_ranges_meet_are_told() {
    let workshop = workshop(&Family::of(LOGGED));
    workshop.write("peers/sh/sdk-next/peer.toml", &Family::of(LOGGED).manifest("sdk", ">=3.0.0-alpha.1"));
    workshop.run(["peers", "list"]).ends_with(0);
    workshop.write("peers/sh/sdk-next/peer.toml", &Family::of(LOGGED).manifest("sdk", ">=2.9.0"));
    let ran = workshop.run(["peers", "list"]).ends_with(2);
    insta::assert_snapshot!(ran.stderr, @r#"
    error: the peer manifests have mistakes; nothing was run

    error: two manifests of `sdk` serve the same releases
     --> peers/sh/sdk-next/peer.toml:2:12
      |
    2 | versions = ">=2.9.0"
      |            ^^^^^^^^^ `>=2.9.0` meets `>=1.0.0, <3.0.0` of peers/sh/sdk/peer.toml
    "#);
}

#[test]
fn a_mistake_in_a_manifest_is_told_with_its_line_and_field() {
    let workshop = workshop(&Family::of(LOGGED));
    let text = Family::of(LOGGED).manifest("sdk", ">=1.0.0").replace("lock = ", "lok = ");
    workshop.write("peers/sh/sdk/peer.toml", &text);
    let ran = workshop.run(["peers", "install"]).ends_with(2);
    insta::assert_snapshot!(ran.stderr, @r#"
    error: the peer manifests have mistakes; nothing was run

    error: unknown field `lok`, expected one of `command`, `env`, `inputs`, `lock`, `locked`, `steps`, `produces`
     --> peers/sh/sdk/peer.toml:9:1
      |
    9 | lok = "lock"
      | ^^^
    "#);
}

#[test]
fn what_is_removed_is_gone_until_it_is_set_up_again() {
    let workshop = workshop(&Family::of(LOGGED));
    workshop.run(["peers", "install"]).ends_with(0);
    workshop.run(["peers", "remove", "sdk@1.*"]).ends_with(0).shows(&["sdk@1.0.0 is removed"]);
    assert!(!home(&workshop, "1.0.0").as_ref().exists() && home(&workshop, "2.0.0").as_ref().exists());
    let ran = workshop.run(["peers", "remove", "sdk@1.0.0"]).ends_with(2);
    ran.says(&["no release that is installed matches \"sdk@1.0.0\"; did you mean sdk@2.0.0?"]);
    workshop.run(["peers", "install"]).ends_with(0).shows(&["1 release installed, 1 already installed before"]);
}

#[test]
fn lock_files_that_come_of_a_set_up_are_checked_in() {
    let workshop = workshop(&Family::of(LOGGED));
    let checked_in = || fs::read_to_string(workshop.path().join("peers/sh/sdk/locks/1.0.0/lock"));
    workshop.run(["peers", "install", "sdk@1.0.0"]).ends_with(0);
    assert!(checked_in().is_err());
    workshop.run(["peers", "install", "sdk@1.0.0", "--lock"]).ends_with(0).shows(&["1 release installed"]);
    assert_eq!(checked_in().unwrap(), "resolved 1.0.0\n");
    workshop.run(["peers", "install", "sdk@1.0.0"]).ends_with(0).shows(&["1 already installed before"]);
}

#[test]
fn releases_are_listed_as_the_registry_has_them() {
    let list = "printf '[\"1.10.0\", \"2.0.0rc1\", \"1.9.0\", \"2.0.0\", \"3.1.0\", \"0.9.0\"]'; echo note 7.7.7 >&2";
    let more = format!("[registry]\nlist = [\"sh\", \"-c\", '''{list}''']\n");
    let workshop = workshop(&Family { more: Box::leak(more.into_boxed_str()), ..Family::of(LOGGED) });
    let ran = workshop.run(["peers", "versions", "sdk"]).ends_with(0);
    assert_eq!(ran.stdout, "1.9.0\n1.10.0\n2.0.0   of the fleet\n");
    ran.says(&["1 pre-release more; --pre lists it too", "2 releases that no adapter serves, from 0.9.0 to 3.1.0"]);
    let ran = workshop.run(["peers", "versions", "sdk", "--pre", "--json"]).ends_with(0);
    let listed: Vec<String> = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(listed, ["1.9.0", "1.10.0", "2.0.0rc1", "2.0.0"]);
    workshop.run(["peers", "versions", "sd"]).ends_with(2).says(&["did you mean sdk?"]);
}

#[test]
fn a_release_after_those_of_the_fleet_is_new() {
    let listing = |versions: &str| -> &'static str {
        format!("[registry]\nlist = [\"sh\", \"-c\", \"printf '{versions}'\"]\n").leak()
    };
    let new = workshop(&Family { more: listing("1.0.0 2.0.0 2.1.0 2.2.0rc1"), ..Family::of(LOGGED) });
    let ran = new.run(["peers", "new"]).ends_with(0);
    assert_eq!(ran.stdout, "sdk@2.1.0  after sdk@2.0.0\n");
    let ran = new.run(["peers", "new", "--json"]).ends_with(0);
    let listed: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(listed, serde_json::json!([{"release": "sdk@2.1.0", "after": "sdk@2.0.0"}]));
    let none = workshop(&Family { more: listing("1.0.0 2.0.0"), ..Family::of(LOGGED) });
    none.run(["peers", "new"]).ends_with(0).says(&["No release is newer"]);
    let silent = "[registry]\nlist = [\"sh\", \"-c\", \"echo ENOTFOUND >&2; exit 1\"]\n";
    workshop(&Family { more: silent, ..Family::of(LOGGED) }).run(["peers", "new"]).ends_with(1).says(&["ENOTFOUND"]);
}

#[test]
fn releases_that_cannot_be_listed_are_told() {
    let silent = "[registry]\nlist = [\"sh\", \"-c\", \"echo ENOTFOUND >&2; exit 1\"]\n";
    let workshop = workshop(&Family { more: silent, ..Family::of(LOGGED) });
    let ran = workshop.run(["peers", "versions", "sdk"]).ends_with(1);
    ran.says(&["ended with exit status 1 after 3 tries: ENOTFOUND"]);
    Family::of(LOGGED).in_workshop(&workshop);
    workshop.run(["peers", "versions", "sdk"]).ends_with(1).says(&["no manifest of sdk says where its releases are"]);
}
