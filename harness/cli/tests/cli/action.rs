//! The GitHub Action: well formed, safe from what its inputs say, and doing what it says when its script is run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use saphyr::{LoadableYamlNode as _, Yaml};

use crate::workshop::{PROGRAM, Ran, Workshop, to_its_end};

fn text() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join("action.yml")).unwrap()
}

/// The steps that run a script: its text, and the variables that it gets, with where they come from.
fn scripts(action: &str) -> Vec<(String, Vec<(String, String)>)> {
    let documents = Yaml::load_from_str(action).unwrap();
    let steps = documents[0]["runs"]["steps"].as_vec().unwrap().clone();
    let of_step = |step: &Yaml<'_>| {
        let script = step.as_mapping_get("run")?.as_str()?.to_owned();
        assert_eq!(step.as_mapping_get("shell").and_then(Yaml::as_str), Some("bash"), "{script}");
        let env = step.as_mapping_get("env").and_then(Yaml::as_mapping);
        let pair = |(name, value): (&Yaml<'_>, &Yaml<'_>)| {
            (name.as_str().unwrap().to_owned(), value.as_str().unwrap().to_owned())
        };
        Some((script, env.into_iter().flatten().map(pair).collect()))
    };
    steps.iter().filter_map(of_step).collect()
}

#[test]
fn nothing_that_a_workflow_gives_is_part_of_a_script() {
    let scripts = scripts(&text());
    assert_eq!(scripts.len(), 5, "the program, its build, the audit, the run, the comparison");
    for (script, _) in &scripts {
        assert!(!script.contains("${{"), "an input would be run as a command:\n{script}");
        let checked = Command::new("bash").args(["-n", "-c", script]).output().unwrap();
        assert!(checked.status.success(), "{}\n{script}", String::from_utf8_lossy(&checked.stderr));
    }
}

#[test]
fn every_input_reaches_the_run_under_its_name() {
    let action = text();
    let documents = Yaml::load_from_str(&action).unwrap();
    let inputs: BTreeSet<String> =
        documents[0]["inputs"].as_mapping().unwrap().keys().map(|name| name.as_str().unwrap().to_owned()).collect();
    let mut given = BTreeSet::new();
    for (script, env) in scripts(&action) {
        for (variable, value) in env {
            // `gh` reads its own.
            assert!(variable == "GH_TOKEN" || script.contains(&format!("${variable}")), "{variable} is not used");
            if let Some(input) = value.strip_prefix("${{ inputs.").and_then(|rest| rest.strip_suffix(" }}")) {
                assert_eq!(variable, input.replace('-', "_").to_uppercase());
                given.insert(input.to_owned());
            }
        }
    }
    assert_eq!(given, inputs);
}

/// Runs the step that plays as a runner would, with these inputs.
fn play(workshop: &Workshop, inputs: &[(&str, &str)]) -> Ran {
    step(workshop, "--markdown=$RUNNER_TEMP", inputs)
}

/// Runs the step that audits a server.
fn audit(workshop: &Workshop, inputs: &[(&str, &str)]) -> (Ran, Vec<String>) {
    workshop.write("tools/gh", GH);
    let gh = workshop.path().join("tools/gh");
    fs::set_permissions(gh, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", workshop.path().join("tools").display(), std::env::var("PATH").unwrap());
    let inputs = [inputs, &[("GITHUB_REPOSITORY", "own/server"), ("PATH", path.as_str())]].concat();
    let ran = step(workshop, "words=(audit", &inputs);
    let log = fs::read_to_string(workshop.path().join("gh.log")).unwrap_or_default();
    let _ = fs::remove_file(workshop.path().join("gh.log"));
    (ran, log.lines().map(str::to_owned).collect())
}

#[test]
fn a_server_is_audited_and_an_audit_that_fails_is_one_comment() {
    let workshop = Workshop::new();
    let bad = format!("{PROGRAM} mock server --scenario root-type/array");
    let inputs = [("AUDIT", bad.as_str()), ("ARGS", "--call=list_users\n"), ("JUNIT", "junit.xml")];
    let (ran, calls) = audit(&workshop, &inputs);
    ran.ends_with(1).shows(&["::error title=", "output-schema-object-root"]);
    assert!(calls.is_empty(), "nobody asked for a comment: {calls:?}");
    let read = |name: &str| fs::read_to_string(workshop.path().join(name)).unwrap();
    assert!(read("junit.xml").contains("list_users::"));
    assert!(read("summary.md").contains("list\\_users") || read("summary.md").contains("list_users"));

    let commented = [&inputs[..], &[("COMMENT", "true"), ("NUMBER", "7")]].concat();
    let (ran, calls) = audit(&workshop, &commented);
    ran.ends_with(1);
    assert!(calls[1].contains("--method POST repos/own/server/issues/7/comments"), "{calls:?}");
    let words = format!("{PROGRAM}\nmock\nserver\n--scenario\nroot-type/object\n");
    let good = [("AUDIT", words.as_str()), ("ARGS", "--call=get_weather"), ("COMMENT", "true"), ("NUMBER", "7")];
    let (ran, calls) = audit(&workshop, &good);
    ran.ends_with(0);
    assert_eq!(calls.len(), 1, "it passes and there is no comment: {calls:?}");
    workshop.write("comment", "42\n");
    let (_, calls) = audit(&workshop, &good);
    assert!(calls[1].contains("--method PATCH repos/own/server/issues/comments/42"), "{calls:?}");
    assert!(read("mcp-compat-comment.md").starts_with("<!-- mcp-compat audit -->\n"));
}

#[test]
fn the_servers_of_a_file_are_audited() {
    let workshop = Workshop::new();
    let entry = format!(r#"{{"command": "{PROGRAM}", "args": ["mock", "server", "--scenario", "root-type/object"]}}"#);
    workshop.write(
        ".mcp.json",
        &format!(r#"{{"mcpServers": {{"good": {entry}, "dead": {{"command": "no-such-program"}}}}}}"#),
    );
    let (ran, _) = audit(&workshop, &[("AUDIT", ".mcp.json")]);
    ran.ends_with(1).shows(&["? good", "✗ dead", "::error title=dead%3A not audited::"]);
}

#[test]
fn a_command_whose_last_word_looks_like_a_file_is_a_command() {
    let workshop = Workshop::new();
    workshop.write("server.json", &format!("exec {PROGRAM} mock server --scenario root-type/object\n"));
    for command in ["sh server.json", "sh\nserver.json\n"] {
        let (ran, _) = audit(&workshop, &[("AUDIT", command), ("ARGS", "--call=get_weather")]);
        ran.ends_with(0).shows(&["get_weather"]);
    }
    let entry = format!(r#"{{"command": "{PROGRAM}", "args": ["mock", "server", "--scenario", "root-type/object"]}}"#);
    workshop.write("my servers/.mcp.json", &format!(r#"{{"mcpServers": {{"good": {entry}}}}}"#));
    for file in ["my servers/.mcp.json", "my servers/.mcp.json\n"] {
        audit(&workshop, &[("AUDIT", file)]).0.ends_with(0).shows(&["get_weather", "'my servers/.mcp.json'"]);
    }
    audit(&workshop, &[("AUDIT", "gone.json")]).0.ends_with(2).says(&["cannot read the servers in gone.json"]);
    audit(&workshop, &[("AUDIT", "http://127.0.0.1:9/mcp")]).0.ends_with(2).says(&["http://127.0.0.1:9/mcp"]);
}

#[test]
fn a_long_report_is_cut_between_lines_and_its_parts_are_closed() {
    let workshop = Workshop::new();
    let program = "#!/bin/sh
for word; do case \"$word\" in --format=markdown=*) report=${word#--format=markdown=} ;; esac; done
{ echo '<details><summary>a</summary>'; yes 'üüüüüüüüüüüüüüüüüüüü' | head -n 3000; echo '</details>'; } > \"$report\"
exit 1
";
    workshop.write("installed/bin/mcp-compat", program);
    let path = workshop.path().join("installed/bin/mcp-compat");
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let inputs = [("AUDIT", "x"), ("COMMENT", "true"), ("NUMBER", "7")];
    audit(&workshop, &inputs).0.ends_with(1);
    let read = |name: &str| fs::read_to_string(workshop.path().join(name)).unwrap();
    let comment = read("mcp-compat-comment.md");
    assert!((59_000..61_000).contains(&comment.len()), "{}", comment.len());
    let end = "üü\n\n</details>\n\n*The report is longer: see the log of this job.*\n";
    assert!(comment.ends_with(end), "{}", &comment[comment.len() - 200..]);
    let summary = read("summary.md");
    assert!(summary.len() > 100_000 && summary.ends_with("ü\n</details>\n"), "{}", summary.len());
}

/// Runs the step whose script has these words.
fn step(workshop: &Workshop, words: &str, inputs: &[(&str, &str)]) -> Ran {
    let (script, env) = scripts(&text()).into_iter().find(|(script, _)| script.contains(words)).unwrap();
    let installed = workshop.path().join("installed");
    if !installed.exists() {
        fs::create_dir_all(installed.join("bin")).unwrap();
        std::os::unix::fs::symlink(PROGRAM, installed.join("bin/mcp-compat")).unwrap();
    }
    let file = |name: &str| -> PathBuf { workshop.path().join(name) };
    let mut bash = Command::new("bash");
    bash.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", &script]).current_dir(workshop.path());
    bash.envs(env.iter().map(|(name, _)| (name.as_str(), "")));
    bash.env("PROGRAM", installed).env("OUT", "mcp-compat").env("RUNNER_TEMP", workshop.path());
    bash.env("GITHUB_ACTION_PATH", workshop.path());
    bash.env("GITHUB_OUTPUT", file("output")).env("GITHUB_STEP_SUMMARY", file("summary.md"));
    bash.envs(inputs.iter().copied());
    to_its_end(bash.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

#[test]
fn it_plays_a_clients_command_and_keeps_what_came_of_it() {
    let workshop = Workshop::new();
    let client = format!("{PROGRAM} mock client --id mock/dual/skip+auto --call add_numbers --url {{url}}");
    let args = "--scenario=invalid-result/wrong-type\n\n--server=mock/dual\n";
    let inputs = [("CLIENT_COMMAND", client.as_str()), ("ARGS", args), ("JUNIT", "junit.xml")];
    play(&workshop, &inputs).ends_with(1).shows(&["uncaught"]);
    let read = |name: &str| fs::read_to_string(workshop.path().join(name)).unwrap();
    assert!(read("junit.xml").contains("invalid-result/wrong-type"));
    assert!(read("summary.md").contains("invalid-result/wrong-type"));
    assert_eq!(read("output"), "record=mcp-compat\n");
    assert!(workshop.path().join("mcp-compat/run.json").exists());
    workshop.write(
        "known.toml",
        "[[broken]]\ncells = \"invalid-result/wrong-type::*::mock/dual::*\"\nreason = \"it validates nothing\"\n",
    );
    let known = inputs.iter().copied().chain([("BASELINE", "known.toml")]);
    play(&workshop, &known.collect::<Vec<_>>()).ends_with(0);
}

#[test]
fn what_an_input_says_is_never_run() {
    let workshop = Workshop::new();
    let evil = "$(touch pwned)`touch pwned`\"; touch pwned; \"";
    for input in ["CLIENT_NAME", "CLIENT", "SERVER", "BASELINE", "PEERS", "ARGS"] {
        let ran = play(&workshop, &[("CLIENT_COMMAND", "true"), (input, evil)]);
        assert_ne!(ran.status, Some(0), "{input}");
        assert!(!workshop.path().join("pwned").exists(), "{input} was run");
    }
    for input in ["AUDIT", "BASELINE", "JUNIT", "ARGS", "NUMBER"] {
        let (ran, _) = audit(&workshop, &[("AUDIT", "no-such-program"), ("COMMENT", "true"), (input, evil)]);
        assert_ne!(ran.status, Some(0), "{input}");
        assert!(!workshop.path().join("pwned").exists(), "{input} was run");
    }
}

/// What `gh` is called with, a line a call; it gives the id of a comment where there is a file with one.
const GH: &str =
    "#!/bin/sh\necho \"$*\" >> gh.log\ncase \"$*\" in *--paginate*) cat comment 2> /dev/null ;; esac\nexit 0\n";

/// What the action asked of `gh` when it compared these records.
fn told(workshop: &Workshop, before: &str, after: &str) -> (Ran, Vec<String>) {
    let path = format!("{}:{}", workshop.path().join("tools").display(), std::env::var("PATH").unwrap());
    let inputs = [
        ("COMPARE_WITH", before),
        ("OUT", after),
        ("NUMBER", "7"),
        ("GITHUB_REPOSITORY", "own/sdk"),
        ("PATH", path.as_str()),
    ];
    let ran = step(workshop, "diff --markdown", &inputs);
    let log = fs::read_to_string(workshop.path().join("gh.log")).unwrap_or_default();
    let _ = fs::remove_file(workshop.path().join("gh.log"));
    (ran, log.lines().map(str::to_owned).collect())
}

#[test]
fn what_changed_is_one_comment_that_is_edited() {
    let workshop = Workshop::new();
    workshop.write("tools/gh", GH);
    let gh = workshop.path().join("tools/gh");
    fs::set_permissions(gh, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let play = |client: &str, out: &str| {
        let client = format!("{PROGRAM} mock client --id {client} --call add_numbers --url {{url}}");
        let args = format!("--client-command={client}");
        let scenario = "--scenario=invalid-result/wrong-type";
        workshop.run(["run", "--no-peers", &args, "--client-name=own", scenario, "--server=mock/dual", "--out", out]);
    };
    play("mock/dual", "before");
    play("mock/dual/skip+auto", "after");

    let (ran, calls) = told(&workshop, "before", "before");
    ran.ends_with(0);
    assert_eq!(calls.len(), 1, "nothing changed and there is no comment: {calls:?}");
    let (ran, calls) = told(&workshop, "before", "after");
    ran.ends_with(1);
    assert!(calls[1].contains("--method POST repos/own/sdk/issues/7/comments"), "{calls:?}");
    let summary = fs::read_to_string(workshop.path().join("summary.md")).unwrap();
    assert!(summary.contains("<!-- mcp-compat diff -->") && summary.contains("invalid-result/wrong-type"), "{summary}");

    workshop.write("comment", "42\n");
    for after in ["before", "after"] {
        let (_, calls) = told(&workshop, "before", after);
        assert!(calls[1].contains("--method PATCH repos/own/sdk/issues/comments/42"), "{calls:?}");
    }
    told(&workshop, "before", "nowhere").0.ends_with(2);
}

/// A release on this machine: an archive with a program that tells its version, and the checksum of the archive.
fn release(workshop: &Workshop) -> (String, String) {
    let name = "mcp-compat-1.2.3-x86_64-unknown-linux-musl";
    workshop.write(&format!("releases/{name}/mcp-compat"), "#!/bin/sh\necho mcp-compat 1.2.3\n");
    workshop.write("Cargo.toml", "[workspace.package]\nversion = \"1.2.3\"\nrepository = \"\"\n");
    let script = format!(
        "chmod +x releases/{name}/mcp-compat && cd releases && tar -czf {name}.tar.gz {name} && \
         shasum -a 256 {name}.tar.gz > SHA256SUMS && cut -d ' ' -f 1 SHA256SUMS"
    );
    let done = Command::new("sh").args(["-c", &script]).current_dir(workshop.path()).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let sum = String::from_utf8(done.stdout).unwrap().trim().to_owned();
    (format!("file://{}", workshop.path().join("releases").display()), sum)
}

/// Gets the program as on a runner of this platform.
fn program(workshop: &Workshop, platform: (&str, &str), inputs: &[(&str, &str)]) -> Ran {
    let _ = fs::remove_file(workshop.path().join("output"));
    let (system, processor) = platform;
    let inputs = [inputs, &[("RUNNER_OS", system), ("RUNNER_ARCH", processor)]].concat();
    step(workshop, "SHA256SUMS", &inputs)
}

const LINUX: (&str, &str) = ("Linux", "X64");

#[test]
fn a_release_is_taken_if_its_checksum_is_right() {
    let workshop = Workshop::new();
    let (address, sum) = release(&workshop);
    let output = format!("program={}/mcp-compat-program\n", workshop.path().display());
    for inputs in [
        vec![("RELEASES", address.as_str())],
        vec![("RELEASES", address.as_str()), ("VERSION", "v1.2.3")],
        vec![("RELEASES", address.as_str()), ("VERSION", "1.2.3"), ("SHA256", sum.as_str())],
    ] {
        program(&workshop, LINUX, &inputs).ends_with(0).shows(&["mcp-compat 1.2.3"]);
        assert_eq!(fs::read_to_string(workshop.path().join("output")).unwrap(), output);
        assert!(workshop.path().join("mcp-compat-program/bin/mcp-compat").exists());
        fs::remove_dir_all(workshop.path().join("mcp-compat-program")).unwrap();
    }
}

#[test]
fn a_release_with_a_wrong_checksum_is_never_run() {
    let workshop = Workshop::new();
    let (address, sum) = release(&workshop);
    let refused = |inputs: &[(&str, &str)]| {
        let ran = program(&workshop, LINUX, &[&[("RELEASES", address.as_str())], inputs].concat());
        ran.ends_with(2)
            .shows(&["the checksum of mcp-compat-1.2.3-x86_64-unknown-linux-musl.tar.gz is wrong", "expected"]);
        assert!(!workshop.path().join("mcp-compat-program/bin/mcp-compat").exists());
    };
    refused(&[("SHA256", "0000")]);
    let archive = "releases/mcp-compat-1.2.3-x86_64-unknown-linux-musl.tar.gz";
    let whole = fs::read(workshop.path().join(archive)).unwrap();
    fs::write(workshop.path().join(archive), &whole[..whole.len() / 2]).unwrap();
    refused(&[]);
    refused(&[("SHA256", &sum)]);
}

#[test]
fn what_cannot_be_had_says_what_to_do() {
    let workshop = Workshop::new();
    let (address, _) = release(&workshop);
    let stops = |platform, inputs: &[(&str, &str)], says: &[&str]| {
        let ran = program(&workshop, platform, inputs);
        ran.ends_with(2).shows(&["::error title=mcp-compat::"]).shows(says);
    };
    let here = ("RELEASES", address.as_str());
    stops(("Windows", "X64"), &[here], &["does not run on Windows", "Linux or macOS"]);
    stops(("Linux", "ARM"), &[here], &["no release of mcp-compat for Linux on ARM", "`build-from-source: true`"]);
    let other = "SHA256SUMS of the release 1.2.3 does not name mcp-compat-1.2.3-aarch64-apple-darwin.tar.gz";
    stops(("macOS", "ARM64"), &[here], &[other, "`build-from-source: true`"]);
    let nowhere = format!("{address}/nowhere");
    stops(LINUX, &[("RELEASES", &nowhere)], &["cannot download SHA256SUMS from", "this machine reaches it"]);
    stops(
        LINUX,
        &[("RELEASES", "https://127.0.0.1:9/v1")],
        &["cannot download SHA256SUMS from https://127.0.0.1:9/v1"],
    );
    stops(LINUX, &[("RELEASES", "http://127.0.0.1:9/v1")], &["cannot download"]);
    stops(LINUX, &[here, ("VERSION", "1.2.4")], &["does not name mcp-compat-1.2.4-"]);
    stops(LINUX, &[here, ("VERSION", "../1")], &["`version` is no version"]);
    stops(LINUX, &[], &["belongs to no release", "`build-from-source: true`"]);
    stops(LINUX, &[("BINARY", "nowhere")], &["`binary` names no program that can be run: nowhere"]);
    assert!(!workshop.path().join("mcp-compat-program/bin/mcp-compat").exists());
}

#[test]
fn a_program_that_is_there_is_used_and_a_build_is_asked_for_by_its_sources() {
    let workshop = Workshop::new();
    release(&workshop);
    program(&workshop, ("Linux", "RISCV64"), &[("BINARY", PROGRAM)]).ends_with(0);
    let linked = fs::canonicalize(workshop.path().join("mcp-compat-program/bin/mcp-compat")).unwrap();
    assert_eq!(linked, fs::canonicalize(PROGRAM).unwrap());
    for folder in ["harness", "mocks", "peers", "reports", "scenarios"] {
        workshop.write(&format!("{folder}/a"), "");
    }
    workshop.write("Cargo.lock", "");
    let digest = || {
        program(&workshop, ("Linux", "RISCV64"), &[("BUILD_FROM_SOURCE", "true")]).ends_with(0);
        fs::read_to_string(workshop.path().join("output")).unwrap()
    };
    let before = digest();
    assert!(before.contains("\nsum="), "{before}");
    workshop.write("mocks/a", "changed");
    assert_ne!(digest(), before);
}

#[test]
fn real_releases_are_installed_where_asked() {
    let workshop = Workshop::new();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let inputs = [("INSTALL", "nonsense@1.0.0\n\n"), ("GITHUB_ACTION_PATH", root), ("CLIENT_COMMAND", "true")];
    play(&workshop, &inputs).ends_with(2).says(&["no SDK matches \"nonsense\""]);
    assert!(!workshop.path().join("mcp-compat/run.json").exists(), "nothing is played without them");
}
