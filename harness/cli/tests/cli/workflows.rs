//! The workflows: each action is pinned to a commit, and the scripts of the release are well formed and get what others say
//! as variables only.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use saphyr::{LoadableYamlNode as _, Yaml};

use crate::pages::root;

/// The workflows, the actions that they share, and the action for others.
fn files() -> Vec<PathBuf> {
    let folders = [".github/workflows", ".github/actions/fleet"].map(|folder| root().join(folder));
    let found = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    found.map(|entry| entry.unwrap().path()).chain([root().join("action.yml")]).collect()
}

#[test]
fn every_action_is_pinned_to_a_commit() {
    let files = files();
    assert!(files.len() >= 5, "{files:?}");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for line in text.lines().filter_map(|line| line.trim_start_matches([' ', '-']).strip_prefix("uses: ")) {
            if line.starts_with("./") {
                continue;
            }
            let (_, pin) = line.split_once('@').unwrap();
            let (commit, comment) = pin.split_once(" # v").unwrap_or((pin, ""));
            let pinned = commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit()) && !comment.is_empty();
            assert!(pinned, "{}: `{line}` needs the commit, and the version as a comment", file.display());
        }
    }
}

#[test]
fn the_scripts_of_a_release_are_well_formed() {
    let text = fs::read_to_string(root().join(".github/workflows/release.yml")).unwrap();
    let documents = Yaml::load_from_str(&text).unwrap();
    let jobs = documents[0]["jobs"].as_mapping().unwrap();
    let mut count = 0;
    for (name, job) in jobs {
        let steps = job.as_mapping_get("steps").and_then(Yaml::as_vec).unwrap();
        for script in steps.iter().filter_map(|step| step.as_mapping_get("run")?.as_str()) {
            assert!(!script.contains("${{"), "{name:?}: pass it as a variable:\n{script}");
            let checked = Command::new("bash").args(["-n", "-c", script]).output().unwrap();
            assert!(checked.status.success(), "{}\n{script}", String::from_utf8_lossy(&checked.stderr));
            count += 1;
        }
    }
    assert!(count >= 15, "{count}");
}

#[test]
fn only_a_tag_publishes() {
    let text = fs::read_to_string(root().join(".github/workflows/release.yml")).unwrap();
    let documents = Yaml::load_from_str(&text).unwrap();
    for (name, job) in documents[0]["jobs"].as_mapping().unwrap() {
        let published = job.as_mapping_get("environment").is_some();
        let condition = job.as_mapping_get("if").and_then(Yaml::as_str);
        let only_then = condition == Some("${{ needs.check.outputs.publish == 'true' }}");
        assert_eq!(published, only_then, "{name:?}");
    }
}
