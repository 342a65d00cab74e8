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
    assert_eq!(scripts.len(), 4);
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
    workshop.write("conformance-baseline.yml", "client:\n  - invalid-result/wrong-type\n");
    let known = inputs.iter().copied().chain([("BASELINE", "conformance-baseline.yml")]);
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
