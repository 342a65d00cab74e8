//! `peers doctor`: how each release is, found out by playing with it, and the one command that mends it.

use std::fs;

use crate::family::{Family, fleet, workshop};
use crate::workshop::PROGRAM;

#[test]
fn each_release_is_told_with_what_mends_it() {
    let workshop = workshop(&Family::of("test {version} != 1.2.0"));
    fleet(&workshop, &["sdk@1.0.0", "sdk@1.1.0", "sdk@1.2.0", "lacking@1.0.0", "broken@1.0.0", "out@1.0.0"]);
    let lacking = "[[tool]]\ncommand = [\"no-such-tool\"]\nget = \"it, https://example.org/\"\n";
    let family = Family::of("true");
    workshop.write(
        "peers/sh/lacking/peer.toml",
        &Family { more: lacking, ..family.clone() }.manifest("lacking", ">=1.0.0"),
    );
    let broken =
        family.manifest("broken", ">=1.0.0").replace("\"client\", \"--adapter\"", "\"client\", \"--no-such-option\"");
    workshop.write("peers/sh/broken/peer.toml", &broken);
    workshop.write("peers/sh/out/peer.toml", &family.manifest("out", ">=1.0.0"));
    let ids = ["sdk@1.0.0", "sdk@1.2.0", "broken@1.0.0", "out@1.0.0"];
    workshop.run(["peers", "install"].iter().chain(&ids)).ends_with(1);
    workshop.write("peers/sh/out/changed", "since");
    let ran = workshop.run(["peers", "doctor"]).ends_with(1);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let line =
        |words: &str| lines.iter().any(|line| line.split_whitespace().collect::<Vec<_>>().join(" ").contains(words));
    for words in [
        "well sdk@1.0.0 installed, and the client and the server answer",
        "not installed sdk@1.1.0 mcp-compat peers install sdk@1.1.0",
        "unfinished sdk@1.2.0 its installation did not finish",
        "missing tool lacking@1.0.0 `no-such-tool` is missing. Install it, https://example.org/",
        "broken broken@1.0.0 the client broken@1.0.0 over",
        "out of date out@1.0.0 its adapter has changed since it was installed",
        "to fix these 4:",
        "mcp-compat peers install sdk@1.2.0",
        "mcp-compat peers remove broken@1.0.0 && mcp-compat peers install broken@1.0.0",
        "get it, https://example.org/, for lacking@1.0.0",
    ] {
        assert!(line(words), "{words:?} is not in\n{}", ran.stdout);
    }
    workshop.run(["peers", "doctor", "sdk@1.0.0", "sdk@1.1.0"]).ends_with(0).says(&["no problem was found"]);
    workshop.run(["peers", "doctor", "skd@1.0.0"]).ends_with(2).says(&["did you mean sdk?"]);
}

#[test]
fn a_server_that_does_not_answer_is_broken_though_the_client_does() {
    let workshop = workshop(&Family::of("true"));
    let path = workshop.path().join("peers/sh/sdk/peer.toml");
    let text = fs::read_to_string(&path).unwrap();
    let (head, typed) = text.split_once("[server-typed]").unwrap();
    let typed = typed.replace("\"--adapter\"", "\"--no-such-option\"");
    fs::write(&path, format!("{head}[server-typed]{typed}")).unwrap();
    workshop.run(["peers", "install", "sdk@1.0.0"]).ends_with(0);
    let ran = workshop.run(["peers", "doctor", "sdk@1.0.0"]).ends_with(1);
    ran.shows(&["broken", "the server sdk@1.0.0/typed over stdio", "to fix this:"]);
}

/// As rmcp before 1.0: it ends at the probe of a client of both eras, and has no revision in common with the other
/// reference client.
#[test]
fn an_old_server_that_ends_at_a_probe_is_well() {
    let workshop = workshop(&Family::of("true"));
    let path = workshop.path().join("peers/sh/sdk/peer.toml");
    let text = fs::read_to_string(&path).unwrap();
    let text = text.replace("\"2025-06-18\" = \"1.0.0\"\n\"2025-11-25\" = \"1.5.0\"", "\"2024-11-05\" = \"1.0.0\"");
    let (head, _) = text.split_once("[server]").unwrap();
    let serve = format!("'{PROGRAM}' mock server --adapter --id=mock/2024-11-05");
    let script = format!(
        "read -r first; case \"$first\" in *discover*) exit 0;; esac; {{ printf \"%s\\n\" \"$first\"; cat; }} | {serve}"
    );
    fs::write(&path, format!("{head}[server]\nstdio = [\"sh\", \"-c\", '''{script}''']\n")).unwrap();
    workshop.run(["peers", "install", "sdk@1.0.0"]).ends_with(0);
    workshop.run(["peers", "doctor", "sdk@1.0.0"]).ends_with(0).says(&["no problem was found"]);
}
