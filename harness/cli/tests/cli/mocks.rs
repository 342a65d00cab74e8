//! The mocks alone: a server for any client, a client for any server, here for each other.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::workshop::{PROGRAM, Ran, Workshop, to_its_end};

const SERVER: [&str; 4] = ["mock", "server", "--scenario", "root-type/array"];

#[track_caller]
fn assert_got_the_users(ran: Ran) {
    let answer: Value = serde_json::from_str(&ran.ends_with(0).stdout).unwrap();
    assert_eq!(answer["negotiated"], "2026-07-28");
    assert_eq!(answer["steps"][0]["tools"][0]["name"], "list_users");
    assert_eq!(answer["steps"][1]["structured"]["value"], serde_json::json!([{"id": "u1"}, {"id": "u2"}]));
}

#[test]
fn they_meet_over_standard_streams() {
    let client = ["mock", "client", "--call", "list_users", "--", PROGRAM];
    assert_got_the_users(Workshop::new().run(client.into_iter().chain(SERVER)));
}

#[test]
fn they_meet_over_http_at_the_address_that_is_printed_first() {
    let workshop = Workshop::new();
    let mut server = workshop.command(SERVER.into_iter().chain(["--http"])).stderr(Stdio::null()).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut url).unwrap();
    assert!(url.starts_with("http://127.0.0.1:"), "{url}");
    assert_got_the_users(workshop.run(["mock", "client", "--call", "list_users", "--url", url.trim()]));
    kill(Pid::from_raw(i32::try_from(server.id()).unwrap()), Signal::SIGINT).unwrap();
    assert!(server.wait().unwrap().success());
}

#[test]
fn a_file_is_served_and_a_case_of_a_family() {
    let workshop = Workshop::new();
    let family = r#"
title = "A number"
why = "Zero is easily taken for nothing."
since = "2026-07-28"
sources = ["https://example.org"]

[[case]]
case = "zero"
definition = '{"name": "zero", "inputSchema": {"type": "object"}}'
returns = '{"structuredContent": 0, "content": []}'

[[case]]
case = "one"
definition = '{"name": "one", "inputSchema": {"type": "object"}}'
returns = '{"structuredContent": 1, "content": []}'
"#;
    workshop.write("my-class/number.toml", family);
    let serve = |scenario: &'static str| {
        workshop.run(["mock", "client", "--", PROGRAM, "mock", "server", "--scenario", scenario])
    };
    serve("my-class/number.toml[one]").ends_with(0).shows(&["\"one\""]);
    let ran = to_its_end(workshop.command(["mock", "server", "--scenario", "my-class/number.toml"]).spawn().unwrap());
    ran.ends_with(2).says(&["is a family", "my-class/number.toml[zero]", "my-class/number.toml[one]"]);
}

#[test]
fn a_client_whose_server_is_not_there_says_so_and_fails() {
    let workshop = Workshop::new();
    workshop.run(["mock", "client", "--", "./no-such-program"]).ends_with(1).shows(&["no-such-program"]);
    workshop.run(["mock", "client"]).ends_with(2).says(&["--url URL, or -- COMMAND"]);
    workshop.run(["mock", "client", "--call", "x=[", "--", "true"]).ends_with(2).says(&["not JSON"]);
}

#[test]
fn a_mock_that_there_is_not_is_told_with_those_that_there_are() {
    let workshop = Workshop::new();
    workshop.run(["mock", "server", "--id", "mock/daul"]).ends_with(2).says(&["mock/daul", "mock/dual"]);
    workshop.run(["mock", "client", "--id", "mock/daul+auto"]).ends_with(2).says(&["mock/dual+auto"]);
    workshop.run(["mock", "server"]).ends_with(2).says(&["--scenario ID", "--script FILE"]);
    let ran = workshop.run(["mock", "server", "--scenario", "root-type/arry"]).ends_with(2);
    ran.says(&["did you mean root-type/array?"]);
}

#[test]
fn profiles_are_listed_and_play_when_they_are_named_and_not_otherwise() {
    let workshop = Workshop::new();
    workshop.run(["show", "peers"]).ends_with(0).shows(&["client profile/rmcp@3+auto", "server profile/rmcp@3"]);
    let run = ["run", "--no-peers", "--scenario=root-type/object", "--transport=memory", "--server=mock/dual"];
    workshop.run(run).ends_with(0);
    let played = || workshop.record()["peers"].to_string();
    assert!(!played().contains("profile/"));
    workshop.run(run.iter().chain(&["--client=profile/*"])).ends_with(0);
    assert!(played().contains("profile/rmcp@3+legacy") && played().contains("profile/rmcp@3+modern"));
}
