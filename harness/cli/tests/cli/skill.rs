//! The instructions for agents: their commands, run in order, and the members of the JSON that they name.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::blocks::run;
use crate::pages::{Shown, commands, page};
use crate::workshop::Workshop;

/// Returns whether the JSON has a member, such as `tools[].findings[].rule`, in any element.
fn has(value: &Value, path: &str) -> bool {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let inner = value.get(first.trim_end_matches("[]"));
    match (inner, first.ends_with("[]"), rest) {
        (Some(Value::Array(all)), true, Some(rest)) => all.iter().any(|each| has(each, rest)),
        (Some(inner), false, Some(rest)) => has(inner, rest),
        (inner, _, None) => inner.is_some(),
        (_, _, Some(_)) => false,
    }
}

#[test]
fn the_commands_of_the_skill_find_a_loss_and_see_the_repair() {
    let workshop = Workshop::new();
    for (name, mock) in [("my-server", "mock/dual"), ("my-server-fixed", "mock/dual/wrap")] {
        let script = format!("#!/bin/sh\nexec mcp-compat mock server --id {mock} --scenario root-type/array\n");
        let path = workshop.write(&format!("servers/{name}"), &script);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let skill = page("packaging/SKILL.md");
    let statuses: Vec<Option<i32>> =
        commands(&skill).iter().map(|Shown { command, .. }| run(&workshop, command).status).collect();
    assert_eq!(statuses, [Some(1), Some(0)]);
    let audit: Value = serde_json::from_str(&fs::read_to_string(workshop.path().join("audit.json")).unwrap()).unwrap();
    let members = skill.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|(path, _)| path);
    let missing: Vec<&str> = members.clone().filter(|path| !has(&audit, path)).collect();
    assert!(members.count() > 5 && missing.is_empty(), "{missing:?} in {audit:#}");
    let rule = audit["tools"][0]["findings"][0]["rule"].as_str().unwrap();
    run(&workshop, &format!("mcp-compat explain {rule}")).ends_with(0);
    run(&workshop, "mcp-compat schema audit").ends_with(0).shows(&["frees"]);
}
