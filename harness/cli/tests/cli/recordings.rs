//! Recordings: a release that was played elsewhere has the verdicts that it has where it is played, and is shown as recorded;
//! what was changed, is too large or is not a recording is refused, and nothing is written.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::family::{Family, workshop};
use crate::workshop::{PROGRAM, Workshop};

/// An SDK that no adapter in the folder of peers plays. It behaves as a profile with breaks of every kind.
fn manifest(id: &str) -> String {
    let adapter = |words: &str| format!("[\"{PROGRAM}\", \"mock\", {words}, \"--adapter\"]");
    let client = adapter("\"client\", \"--id=profile/typescript@1\"");
    let server = adapter("\"server\", \"--id=profile/rmcp@3\"");
    format!(
        "id = \"{id}\"\nlanguage = \"C#\"\nabout = \"An SDK for C#\"\nrevisions = [\"2025-06-18\", \"2025-11-25\"]\n\
         [client]\ncommand = {client}\n[server]\nstdio = {server}\n"
    )
}

const PLAYED: [&str; 4] = ["run", "--coverage=smoke", "--baseline=none", "--timeout=20s"];

/// A workshop with a folder of peers, and a recording of the client of `csharp@1.2.0` as its maintainers make it.
fn recorded() -> Workshop {
    let workshop = workshop(&Family::of("true"));
    record(&workshop, "csharp@1.2.0", "client", "handed-in");
    workshop
}

fn record(workshop: &Workshop, id: &str, role: &str, folder: &str) {
    workshop.write("csharp/peer.toml", &manifest(id));
    let (peer, out) = (format!("--{role}=csharp/peer.toml"), format!("--out={folder}"));
    let ran = workshop.run(PLAYED.iter().copied().chain(["--no-peers", &peer, &out]));
    assert_eq!(ran.status, Some(1), "{ran:?}");
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The verdict on each check of a release with a mock, without times.
fn verdicts(record: &Value, release: &str) -> BTreeMap<String, Value> {
    let of_release = |cell: &&Value| {
        let [client, server] = ["client", "server"].map(|side| cell[side].as_str().unwrap());
        (client.contains(release) && server.starts_with("mock/"))
            || (server.contains(release) && client.starts_with("mock/"))
    };
    let verdict = |cell: &Value| {
        let mut verdict = cell.clone();
        let members = verdict.as_object_mut().unwrap();
        for of_run in ["duration_us", "transcript", "known", "triangle"] {
            members.remove(of_run);
        }
        (cell["id"].as_str().unwrap().to_owned(), verdict)
    };
    record["cells"].as_array().unwrap().iter().filter(of_release).map(verdict).collect()
}

#[test]
fn a_recorded_release_has_the_verdicts_of_one_that_is_played_and_is_shown_as_recorded() {
    let workshop = recorded();
    record(&workshop, "csharp@1.2.0", "server", "server");
    for (folder, time) in [("handed-in", "10:00:00"), ("server", "11:00:00")] {
        edit(&workshop, &format!("{folder}/run.json"), |it| it["started"] = format!("2026-11-02T{time}Z").into());
    }
    let live = json(&workshop.path().join("handed-in/run.json"));
    let mut before = verdicts(&live, "csharp");
    let ran = workshop.run(["peers", "add", "handed-in"]).ends_with(0);
    let day = &live["started"].as_str().unwrap()[..10];
    let platform = live["platform"].as_str().unwrap();
    let origin = format!("recorded {day} with mcp-compat {} on {platform}", env!("CARGO_PKG_VERSION"));
    let (added, checks) = ("peers/recorded/csharp@1.2.0-client", before.len());
    let expected = format!("csharp@1.2.0: {checks} checks, {origin}\njudged again: the same verdicts\nadded {added}\n");
    assert_eq!(ran.stdout, expected);
    let files = fs::read_dir(workshop.path().join(added)).unwrap().map(|file| file.unwrap().file_name());
    assert_eq!(files.collect::<BTreeSet<_>>(), ["run.json", "transcripts.jsonl"].map(Into::into).into());
    assert_eq!(verdicts(&json(&workshop.path().join(added).join("run.json")), "csharp"), before);
    workshop.run(["peers", "add", "server"]).ends_with(0).shows(&["added peers/recorded/csharp@1.2.0-server"]);
    before.extend(verdicts(&json(&workshop.path().join("server/run.json")), "csharp"));

    fs::remove_dir_all(workshop.path().join("csharp")).unwrap();
    let ran = workshop.run(PLAYED.iter().chain(&["--fleet", "--matrix"])).ends_with(1);
    ran.shows(&[&format!("Not tested in this run: csharp@1.2.0 ({origin})."), "csharp 1.2.0 (recorded)"]);
    let both = workshop.record();
    let again = verdicts(&both, "csharp");
    assert!(again.len() > 20 && again.iter().all(|(id, verdict)| before.get(id) == Some(verdict)), "{}", again.len());
    assert!(again.values().any(|cell| cell["rating"] == "breaks") && again.values().any(|cell| cell["silent"] == true));
    for peer in both["peers"].as_array().unwrap() {
        let is_recorded = peer["id"] == "csharp@1.2.0" && peer["role"] == "client";
        assert_eq!(peer["recorded"]["started"] == live["started"], is_recorded, "{peer}");
    }

    let shown = again.keys().next().unwrap();
    workshop.run(["show", shown]).ends_with(0).shows(&["csharp@1.2.0 was recorded "]);
    workshop.run(["report", "--format=markdown"]).ends_with(0).shows(&["Not tested in this run: "]);
    workshop.run(["report", "--format=junit"]).ends_with(0).shows(&[&format!("value=\"{origin}\"")]);
    workshop.run(["report", "--format=site", "--out=site"]).ends_with(0);
    let page = fs::read_to_string(workshop.path().join("site/peer/csharp@1.2.0.html")).unwrap();
    assert!(page.contains(&format!("Not tested in this run, but {origin}.")), "{page}");
    let data = json(&workshop.path().join("site/api/v1/peer/csharp@1.2.0.json"));
    assert_eq!(data["recorded"]["platform"], platform);

    let line = format!("csharp@1.2.0  recorded {day}");
    workshop.run(["peers", "list"]).ends_with(0).shows(&["recorded  ", &line, "client"]);
    workshop.run(["peers", "doctor", "csharp@*"]).ends_with(0).shows(&["well  ", &line, "client", "server"]);
    workshop.run(["peers", "add", "handed-in"]).ends_with(0).shows(&["replaced peers/recorded/csharp@1.2.0-client"]);
    workshop.run(["peers", "add", added]).ends_with(2).says(&["is part of the folder of peers already"]);
    let named = ["--client=csharp@1.2.0", "--server=mock/dual"];
    assert_eq!(workshop.run(PLAYED.iter().chain(&named)).status, Some(1));
    let named_again = verdicts(&workshop.record(), "csharp");
    assert!(!named_again.is_empty() && named_again.iter().all(|(id, verdict)| before.get(id) == Some(verdict)));
    let ran = workshop.run(["shrink", "root-type/array", "--client=csharp@1.2.0", "--server=mock/dual"]).ends_with(2);
    ran.says(&["csharp@1.2.0 was recorded on another machine, and `shrink` has to start it: name another"]);
}

#[test]
fn a_client_that_is_only_a_command_can_be_recorded() {
    let workshop = workshop(&Family::of("true"));
    let command = format!("{PROGRAM} mock client --id mock/dual/skip+auto --timeout 3s --call add --url {{url}}");
    let args =
        ["run", "--no-peers", "--scenario=invalid-result/*", "--server=mock/dual", "--out=handed-in", "--calls=add"];
    let ran = workshop.run(args.iter().copied().chain(["--client-name=swift@0.9.0", "--client-command", &command]));
    assert_eq!(ran.status, Some(1), "{ran:?}");
    workshop
        .run(["peers", "add", "handed-in"])
        .ends_with(0)
        .shows(&["swift@0.9.0: ", "judged again: the same verdicts"]);
}

/// Returns the recording with a change in one of its files.
fn changed(workshop: &Workshop, file: &str, change: impl Fn(String) -> String) {
    let _ = fs::remove_dir_all(workshop.path().join("bad"));
    for name in ["run.json", "transcripts.jsonl"] {
        let text = fs::read_to_string(workshop.path().join("handed-in").join(name)).unwrap();
        workshop.write(&format!("bad/{name}"), &if name == file { change(text) } else { text });
    }
}

/// A record with a change.
fn edited(change: impl Fn(&mut Value)) -> impl Fn(String) -> String {
    move |text| {
        let mut record: Value = serde_json::from_str(&text).unwrap();
        change(&mut record);
        record.to_string()
    }
}

/// Changes a record in its place.
fn edit(workshop: &Workshop, file: &str, change: impl Fn(&mut Value)) {
    let text = fs::read_to_string(workshop.path().join(file)).unwrap();
    workshop.write(file, &edited(change)(text));
}

/// The first check of the release in a record.
fn first(record: &mut Value) -> &mut Value {
    let cells = record["cells"].as_array_mut().unwrap();
    cells.iter_mut().find(|cell| cell["client"] == "csharp@1.2.0" && cell["rating"] == "breaks").unwrap()
}

/// Changes the client of the release in a record.
fn of_client(record: &mut Value, change: impl Fn(&mut Value)) {
    let peers = record["peers"].as_array_mut().unwrap();
    change(peers.iter_mut().find(|peer| peer["id"] == "csharp@1.2.0" && peer["role"] == "client").unwrap());
}

#[test]
fn what_cannot_be_used_is_refused_and_nothing_is_written() {
    let workshop = recorded();
    let refused = |words: &[&str]| {
        let ran = workshop.run(["peers", "add", "bad"]).ends_with(2);
        ran.says(&[&["error: cannot use the recording bad: "], words].concat());
        workshop.run(["peers", "add", "bad", "--dry-run"]).ends_with(2).says(words);
        let left = fs::read_dir(workshop.path().join("peers/recorded")).into_iter().flatten().count();
        assert_eq!(left, 0, "{words:?}");
    };
    let record = |change: fn(&mut Value), words: &[&str]| {
        changed(&workshop, "run.json", edited(change));
        refused(words);
    };
    record(|it| it["schema_version"] = 2.into(), &["record format 2", "update mcp-compat"]);
    record(|it| it["tool_version"] = "99.0.0".into(), &["mcp-compat 99.0.0 recorded it", "update mcp-compat"]);
    record(|it| it["complete"] = false.into(), &["its run ended before every check was played. Play it again"]);
    record(|it| it["started"] = "<b>now</b>".into(), &["the time at which its run began is not as"]);
    record(|it| it["platform"] = "\u{1b}[31mlinux".into(), &["its platform is not as `linux x86_64`"]);
    record(
        |it| {
            let cell = first(it);
            (cell["rating"], cell["outcome"]) = ("works".into(), "intact".into());
        },
        &["the verdict on ", "is not that of its messages: the file says `intact` (works), they give `"],
    );
    record(|it| first(it)["reason"] = "All is well.".into(), &["the file has another `reason`. Hand in the record as"]);
    record(
        |it| {
            let cells = it["cells"].as_array_mut().unwrap();
            cells.remove(0);
        },
        &["stands where"],
    );
    record(
        |it| of_client(it, |peer| peer["calls"] = format!("\u{1b}{}", "a".repeat(3000)).into()),
        &["`calls` of a client is ", "and not the name of a tool with at most 128 characters"],
    );
    record(
        |it| {
            it["judge"] = "x".into();
            of_client(it, |peer| peer["calls"] = "add".into());
        },
        &["say nothing about the release, since mcp-compat is at fault there: "],
    );
    record(|it| first(it)["id"] = "a/b::<i>::c::http".into(), &["it calls a check a/b::<i>::c::http, and that is"]);
    changed(&workshop, "transcripts.jsonl", |text| text.lines().take(3).map(|line| format!("{line}\n")).collect());
    refused(&["the file ends before its last line"]);
    changed(&workshop, "transcripts.jsonl", |text| {
        text.replacen("\"negotiated\":\"", "\"negotiated\":\"ghp_0123456789abcdefghijklmnopqrstuvwxyz ", 1)
    });
    refused(&["of transcripts.jsonl has something that looks like a credential"]);
    changed(&workshop, "transcripts.jsonl", |text| text + &" ".repeat(100 << 20));
    refused(&["transcripts.jsonl has 101 MB, and that of a recording has at most 64 MB. Record fewer scenarios"]);
    fs::remove_file(workshop.path().join("bad/transcripts.jsonl")).unwrap();
    refused(&["cannot read the record bad/transcripts.jsonl"]);

    for (id, words) in [
        ("sdk@1.0.0", "an adapter plays sdk@1.0.0 here, and a recording is for releases that no adapter plays"),
        ("mine", "mine is not the name of a release. Name the SDK and its version, as in csharp@1.2.0"),
    ] {
        let _ = fs::remove_dir_all(workshop.path().join("bad"));
        self::record(&workshop, id, "client", "bad");
        refused(&[words]);
    }
}

#[test]
fn texts_of_a_recording_are_harmless_wherever_they_are_shown() {
    let workshop = recorded();
    changed(
        &workshop,
        "run.json",
        edited(|it| {
            for peer in it["peers"].as_array_mut().unwrap() {
                peer["about"] = "\u{1b}[31m<script>alert(1)</script>\u{202e}".into();
            }
            for scenario in it["scenarios"].as_array_mut().unwrap() {
                scenario["title"] = "<script>alert(2)</script>".into();
            }
        }),
    );
    workshop.run(["peers", "add", "bad"]).ends_with(0);
    let kept = fs::read_to_string(workshop.path().join("peers/recorded/csharp@1.2.0-client/run.json")).unwrap();
    assert!(!kept.contains("\\u001b") && !kept.contains('\u{202e}') && !kept.contains("alert(2)"), "{kept}");
    let ran = workshop.run(["show", "peers"]).ends_with(0);
    assert!(!ran.stdout.contains('\u{1b}') && ran.stdout.contains("csharp@1.2.0"), "{}", ran.stdout);
}

#[test]
fn a_recording_that_was_damaged_later_is_skipped_and_told() {
    let workshop = recorded();
    workshop.run(["peers", "add", "handed-in"]).ends_with(0);
    let kept = "peers/recorded/csharp@1.2.0-client/run.json";
    let text = fs::read_to_string(workshop.path().join(kept)).unwrap();
    workshop.write(kept, &edited(|it| first(it)["reason"] = "All is well.".into())(text));
    let ran = workshop.run(["peers", "doctor", "csharp@1.2.0"]).ends_with(1);
    ran.shows(&["is not that of its messages", "add it again with `mcp-compat peers add`, or remove its folder"]);
    workshop.write(kept, "{}");
    let ran =
        workshop.run(["run", "--fleet", "--scenario=root-type/object", "--client=mock/dual+auto", "--baseline=none"]);
    ran.says(&["Skipping a recording: cannot use the recording peers/recorded/csharp@1.2.0-client: "]);
    let named = ["run", "--scenario=root-type/object", "--client=csharp@1.2.0", "--server=mock/dual"];
    workshop
        .run(named)
        .ends_with(2)
        .says(&["Skipping a recording: cannot use the recording peers/recorded/csharp@1.2.0-client: "]);
    workshop
        .run(["peers", "list"])
        .ends_with(0)
        .says(&["cannot use the recording peers/recorded/csharp@1.2.0-client: "]);
}

#[test]
fn the_roles_of_a_release_are_kept_apart_and_a_manifest_takes_precedence() {
    let workshop = workshop(&Family::of("true"));
    workshop.write("csharp/peer.toml", &manifest("csharp@1.2.0"));
    for (role, scenario, started) in
        [("client", "root-type/array", "2026-11-02T10:00:00Z"), ("server", "root-type/object", "2026-10-01T10:00:00Z")]
    {
        let (peer, scenario, out) =
            (format!("--{role}=csharp/peer.toml"), format!("--scenario={scenario}"), format!("--out={role}"));
        let ran = workshop.run(["run", "--no-peers", "--baseline=none", "--timeout=20s", &peer, &scenario, &out]);
        assert!(ran.status.is_some_and(|status| status < 2), "{ran:?}");
        edit(&workshop, &format!("{role}/run.json"), |it| {
            (it["started"], it["platform"]) = (started.into(), format!("{role}os x86_64").into());
        });
        workshop.run(["peers", "add", role]).ends_with(0);
    }
    let before =
        ["client", "server"].map(|role| verdicts(&json(&workshop.path().join(role).join("run.json")), "csharp"));
    assert!(before[0].values().any(|cell| cell["rating"] == "breaks"));
    let version = env!("CARGO_PKG_VERSION");
    let of_client = format!("recorded 2026-11-02 with mcp-compat {version} on clientos x86_64");
    let of_server = format!("recorded 2026-10-01 with mcp-compat {version} on serveros x86_64");

    let ran = workshop.run(["run", "--fleet", "--baseline=none", "--scenario=root-type/*"]);
    let origins = format!("csharp@1.2.0 as server ({of_server}), csharp@1.2.0 as client ({of_client}).");
    let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!("Not tested in this run: {origins}")), "{text}");
    let again = verdicts(&workshop.record(), "csharp");
    // A run of the fleet plays the reference mocks alone.
    assert!(again.iter().all(|(id, verdict)| before.iter().any(|role| role.get(id) == Some(verdict))), "{again:?}");
    assert!(before.iter().all(|role| again.keys().any(|id| role.contains_key(id))), "{again:?}");
    let server = before[1].keys().find(|id| again.contains_key(*id)).unwrap();
    workshop.run(["show", server]).ends_with(0).shows(&[&format!("csharp@1.2.0 was {of_server}")]);
    workshop.run(["report", "--format=site", "--out=site"]).ends_with(0);
    let page = fs::read_to_string(workshop.path().join("site/peer/csharp@1.2.0.html")).unwrap();
    for (role, origin) in [("client", of_client), ("server", of_server)] {
        assert!(page.contains(&format!("As {role} not tested in this run, but {origin}.")), "{page}");
    }

    let named = ["--client=csharp/peer.toml", "--server=mock/dual", "--scenario=root-type/array"];
    let ran = workshop.run(["run", "--baseline=none"].iter().chain(&named)).ends_with(1);
    assert!(!ran.stdout.contains("Not tested"), "{}", ran.stdout);
    let record = workshop.record();
    let cells: Vec<&str> =
        record["cells"].as_array().unwrap().iter().map(|cell| cell["id"].as_str().unwrap()).collect();
    assert_eq!(cells.iter().collect::<BTreeSet<_>>().len(), cells.len());
    assert!(record["peers"].as_array().unwrap().iter().all(|peer| peer["recorded"].is_null()), "{}", record["peers"]);
}

#[test]
fn doctor_checks_recordings_and_what_an_adapter_plays() {
    let workshop = workshop(&Family::of("true"));
    record(&workshop, "sdk@3.0.0", "client", "third");
    workshop.run(["peers", "add", "third"]).ends_with(0);
    let ran = workshop.run(["peers", "doctor", "sdk@*"]).ends_with(0);
    ran.shows(&["not installed  sdk@1.0.0", "not installed  sdk@2.0.0", "sdk@3.0.0  recorded "]);
    workshop.run(["peers", "doctor", "sdk@3.0.0"]).ends_with(0).shows(&["sdk@3.0.0  recorded "]);
}
