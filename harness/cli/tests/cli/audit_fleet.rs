//! `audit --fleet`: real clients are counted in place of the profiles of their lines, and where the two differ, that is
//! shown. The real clients of these tests are mocks behind the peer contract.

use serde_json::Value;

use crate::workshop::{PROGRAM, Ran, Workshop};

/// Adds a release without installation, whose client is a command.
fn release(workshop: &Workshop, id: &str, revision: &str, command: &str) {
    let manifest = format!(
        "id = \"{id}\"\nlanguage = \"sh\"\nabout = \"an SDK\"\nrevisions = [\"{revision}\"]\n[client]\ncommand = {command}\n"
    );
    workshop.write(&format!("peers/sh/{}/peer.toml", id.replace('@', "-")), &manifest);
}

/// The command of a client that behaves as a mock.
fn as_mock(id: &str) -> String {
    format!("[\"{PROGRAM}\", \"mock\", \"client\", \"--adapter\", \"--id={id}\"]")
}

fn audit(workshop: &Workshop, options: &[&str]) -> Ran {
    let server = ["--", PROGRAM, "mock", "server", "--scenario", "root-type/array"];
    let calls = ["audit", "--fleet", "--fail-on", "never", "--tool", "list_users", "--call", "list_users"];
    workshop.run(calls.iter().chain(options).chain(&server))
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap()
}

/// The ids in a list of objects.
fn ids<'v>(list: &'v Value, key: &str) -> Vec<&'v str> {
    list.as_array().into_iter().flatten().filter_map(|entry| entry[key].as_str()).collect()
}

#[test]
fn a_real_client_that_agrees_with_its_profile_is_counted_in_its_place() {
    let workshop = Workshop::new();
    release(&workshop, "typescript@1.90.0", "2025-11-25", &as_mock("profile/typescript@1"));
    let ran = audit(&workshop, &["--json"]).ends_with(0);
    let audit_of = json(&ran);
    let clients = ids(&audit_of["clients"], "id");
    assert!(clients.contains(&"typescript@1.90.0") && !clients.contains(&"profile/typescript@1"), "{clients:?}");
    assert!(clients.contains(&"profile/python@1"), "no real client is of its line: {clients:?}");
    assert!(ids(&audit_of["tools"][0]["losses"], "client").contains(&"typescript@1.90.0"));
    assert_eq!(audit_of["profile_differences"], Value::Null);
    let ran = audit(&workshop, &[]).ends_with(0);
    let ran = ran.shows(&["real clients: TypeScript SDK 1.90.0\n", "lost by    TypeScript SDK 1.90.0, 2.x"]);
    assert!(!ran.stdout.contains("differ from their profiles"), "{}", ran.stdout);
}

#[test]
fn a_real_client_that_differs_from_its_profile_is_the_one_that_counts() {
    let workshop = Workshop::new();
    release(&workshop, "typescript@1.91.0", "2024-11-05", &as_mock("mock/2024-11-05"));
    let ran = audit(&workshop, &["--json"]).ends_with(0);
    let audit_of = json(&ran);
    assert!(!ids(&audit_of["tools"][0]["losses"], "client").contains(&"typescript@1.91.0"), "it got the text");
    let difference = &audit_of["profile_differences"][0];
    assert_eq!(
        (&difference["client"], &difference["profile"], &difference["tool"]),
        (&"typescript@1.91.0".into(), &"profile/typescript@1".into(), &"list_users".into())
    );
    assert_eq!(
        (&difference["real"]["outcome"], &difference["emulated"]["outcome"], &difference["emulated"]["loses"]),
        (&"text".into(), &"rejected".into(), &"server".into())
    );
    let words = "typescript@1.91.0: text at 2024-11-05; profile/typescript@1: rejected at 2025-11-25";
    let ran = audit(&workshop, &["--notes"]).ends_with(0);
    ran.shows(&["real clients that differ from their profiles (the real client is counted)", words, "in `list_users`"]);
    let page = audit(&workshop, &["--markdown", "--notes"]).ends_with(0);
    page.shows(&["real clients: TypeScript SDK 1.91.0.", "- `typescript@1.91.0`: text at 2024-11-05;"]);
}

#[test]
fn without_real_clients_there_is_no_audit_and_the_command_that_installs_them_is_named() {
    let workshop = Workshop::new();
    let nothing = audit(&workshop, &[]).ends_with(2);
    nothing.says(&["--fleet: no SDK release is installed", "Install some with `mcp-compat peers install`"]);
    release(&workshop, "sdk@1.0.0", "2025-11-25", &as_mock("mock/2025-11-25"));
    let others = audit(&workshop, &["--against", "profile/*"]).ends_with(2);
    others.says(&["no real client can be played: the selection has none of sdk@1.0.0"]);
    workshop.run(["audit", "--peers", "peers", "--", "true"]).ends_with(2).says(&["--fleet"]);
}

#[test]
fn a_real_client_that_cannot_be_started_is_named_and_its_profile_is_counted() {
    let workshop = Workshop::new();
    release(&workshop, "typescript@1.92.0", "2025-11-25", r#"["sh", "-c", "echo no license >&2; exit 3"]"#);
    let alone = audit(&workshop, &[]).ends_with(2);
    alone.says(&["no real client can be played: typescript@1.92.0 could not be started", "no license"]);
    release(&workshop, "sdk@1.0.0", "2025-11-25", &as_mock("mock/2025-11-25"));
    let ran = audit(&workshop, &["--json"]).ends_with(0);
    let audit_of = json(&ran);
    assert_eq!(ids(&audit_of["not_started"], "client"), ["typescript@1.92.0"]);
    assert!(ids(&audit_of["clients"], "id").contains(&"profile/typescript@1"));
    let ran = audit(&workshop, &[]).ends_with(0);
    ran.shows(&["typescript@1.92.0 could not be started: ", "its log ends with: no", "real clients: sdk 1.0.0"]);
}

#[test]
fn the_change_that_is_proposed_is_tried_with_the_real_clients_too() {
    let workshop = Workshop::new();
    release(&workshop, "typescript@1.90.0", "2025-11-25", &as_mock("profile/typescript@1"));
    let ran = audit(&workshop, &["--json"]).ends_with(0);
    let freed = json(&ran)["changes"]
        .as_array()
        .unwrap()
        .iter()
        .any(|change| change["frees"].as_array().unwrap().contains(&"typescript@1.90.0".into()));
    assert!(freed, "{}", ran.stdout);
}
