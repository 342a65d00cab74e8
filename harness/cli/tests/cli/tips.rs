//! Commands that the program prints, in its help, its reports and its errors: each is run as it is printed, in the folder
//! in which it was printed.

use std::collections::BTreeSet;

use crate::blocks::run;
use crate::workshop::Workshop;

/// Parts of commands that cannot be run here, each with the reason.
const NOT_RUN: &[(&str, &str)] = &[
    (" -- node ", "needs a server of the reader's"),
    (" -- npx ", "needs the npm registry"),
    (" -- ./my-client", "needs a client of the reader's"),
    (" -- python ", "needs a client of the reader's"),
    ("npx tsx ", "needs a client of the reader's"),
    ("--url http", "needs a server that runs"),
    ("https://example.org/mcp", "nobody answers there"),
    ("~/", "writes into the reader's home"),
    ("mcp-compat init", "needs the project of the reader; tests/cli/init.rs runs it"),
    ("mcp-compat itself", "is a sentence"),
    ("mcp-compat new my-bug.toml", "writes a file that other examples have; tests/cli/authoring.rs runs it"),
    ("--watch", "never ends"),
    ("--client 'rmcp@", "needs a release that is installed"),
    ("--against typescript@", "needs a release that is installed"),
    ("peer.toml", "needs an adapter of the reader's"),
    ("peers add", "has a record of another machine"),
    ("peers install", "needs the registries"),
    ("peers bisect", "needs the registries"),
    ("peers doctor", "needs a release that is installed"),
    ("peers new", "needs the registries"),
    ("peers prune", "removes what is installed"),
    ("peers remove", "needs a release that is installed"),
    ("peers versions", "needs the registries"),
    ("mock server", "serves until its client leaves"),
    ("history/runs/", "has the time of a run of the reader's"),
    ("--from -", "reads standard input"),
    ("--from report.json", "has a report of the reader's"),
    ("my-scenarios", "has scenarios of the reader's"),
    ("my-corpus", "has scenarios of the reader's"),
    ("my-class", "has scenarios of the reader's"),
    ("shard-1", "needs the records of shards"),
    ("--data support.json", "has a file of the reader's"),
    ("lock check --lock", "has lock files of the reader's"),
    ("main.mcpc.gz", "has a run of the reader's"),
    (" monday ", "has runs of the reader's"),
    ("nightly", "has a run of the reader's"),
    ("…", "has a place that the reader fills in"),
    ("probe --answer", "needs the answer of a model"),
    ("audit --hosts", "needs a host that is installed"),
    ("{url}", "needs a client of the reader's"),
];

/// Words in capitals that stand for something.
const PLACEHOLDERS: [&str; 12] =
    ["K/N", "VERSION", "COMMAND", "NAME", "RUN", "DIR", "FILE", "OUTCOME", "SCENARIO", "RULE", "TOOL", "CELL"];

fn is_run(command: &str) -> bool {
    let has_placeholder = command.split_whitespace().any(|word| PLACEHOLDERS.contains(&word));
    !has_placeholder && !NOT_RUN.iter().any(|(part, _)| command.contains(part))
}

/// The commands in a text: those in backticks, and those that stand on a line of their own or after a label.
fn printed(text: &str) -> BTreeSet<String> {
    let text = text.split("\\\n").map(str::trim_start).collect::<Vec<_>>().join(" ");
    let plain = |command: &str| command.split_whitespace().collect::<Vec<_>>().join(" ");
    let quoted = text.split('`').skip(1).step_by(2).map(plain).filter(|part| part.starts_with("mcp-compat "));
    let alone = text.lines().filter(|line| !line.contains('`') && !line.starts_with("Usage: ")).flat_map(|line| {
        let starts = line.match_indices("mcp-compat ").filter(|(at, _)| {
            let before = &line[..*at];
            before.trim().is_empty() || before.ends_with("  ") || before.ends_with(": ")
        });
        starts.map(|(at, _)| plain(line[at..].split("   ").next().unwrap_or_default())).collect::<Vec<_>>()
    });
    quoted.chain(alone).collect()
}

/// Runs every command of the texts, and what those print in turn. A command that is not accepted ends with status 2.
fn follow(workshop: &Workshop, texts: &[String]) -> BTreeSet<String> {
    let mut waiting: Vec<String> = texts.iter().flat_map(|text| printed(text)).collect();
    // A run replaces the record that other commands read, so runs are popped last.
    waiting.sort_by_key(|command| !command.starts_with("mcp-compat run"));
    let (mut seen, mut refused) = (BTreeSet::new(), Vec::new());
    while let Some(command) = waiting.pop() {
        if !is_run(&command) || !seen.insert(command.clone()) {
            continue;
        }
        let ran = run(workshop, &command);
        if !matches!(ran.status, Some(0 | 1)) || ran.stderr.contains("panicked") {
            refused.push(format!("`{command}` is printed, and ends with {:?}:\n{}", ran.status, ran.stderr));
        }
        waiting.extend(printed(&ran.stderr));
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    seen
}

/// A run in the default folder with new breaks, known ones and what works.
const A_RUN: &str = "mcp-compat run --no-peers --scenario 'invalid-result/extra-*' --scenario root-type/array --client 'mock/dual*' \
                     --server mock/dual --transport memory --baseline none";

#[test]
fn what_reports_and_errors_advise_can_be_run() {
    let workshop = Workshop::new();
    let commands = [
        A_RUN,
        "mcp-compat report",
        "mcp-compat report --format markdown",
        "mcp-compat show --where rating:breaks",
        "mcp-compat show 'invalid-result/extra-property::mock/dual/skip+auto::mock/dual::memory'",
        "mcp-compat show scenrios",
        "mcp-compat show no-such/scenario",
        "mcp-compat explain vacuos",
        "mcp-compat support",
        "mcp-compat support root-type/array",
        "mcp-compat support typescript",
        "mcp-compat new my-bug.toml",
        "mcp-compat lint my-bug.toml",
        "mcp-compat history add --into history",
        "mcp-compat history log history",
        "mcp-compat diff .mcp-compat .mcp-compat",
        "mcp-compat lock check -- mcp-compat mock server --scenario root-type/array",
        "mcp-compat lock save -- mcp-compat mock server --scenario root-type/array",
        "mcp-compat lock check -- mcp-compat mock server --scenario root-type/object",
        "mcp-compat audit -- mcp-compat mock server --scenario root-type/array",
        "mcp-compat audit --tool list_users --call list_users -- mcp-compat mock server --scenario root-type/array",
        "mcp-compat audit .mcp.json",
        "mcp-compat audit-client --calls add_numbers -- mcp-compat mock client --call add_numbers --url {url}",
        "mcp-compat report nowhere",
        "mcp-compat peers list",
        "mcp-compat show peers",
    ];
    let mut texts = Vec::new();
    let entry = |name: &str, scenario: &str| {
        format!(r#""{name}": {{"command": "mcp-compat", "args": ["mock", "server", "--scenario", "{scenario}"]}}"#)
    };
    let entries = [entry("users", "root-type/array"), entry("weather", "root-type/object")];
    workshop.write(".mcp.json", &format!(r#"{{"mcpServers": {{{}}}}}"#, entries.join(", ")));
    for command in commands {
        let ran = run(&workshop, command);
        texts.extend([ran.stdout, ran.stderr]);
    }
    let followed = follow(&workshop, &texts);
    assert!(followed.len() > 5, "{followed:#?}");
    for of_list in [" --call-read-only", " --server users"] {
        assert!(followed.contains(&format!("mcp-compat audit .mcp.json{of_list}")), "{followed:#?}");
    }
}

/// The names of the commands that a page of help lists.
fn listed(help: &str) -> Vec<String> {
    let names = help.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next()).filter(|name| !name.starts_with(['-', '.']));
    names.filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-')).map(str::to_owned).collect()
}

#[test]
fn the_examples_of_every_help_work_as_they_stand() {
    let workshop = Workshop::new();
    run(&workshop, A_RUN);
    run(&workshop, "mcp-compat history add --into history");
    workshop.write("my-bug.toml", crate::workshop::OWN);
    let server = r#"{"command": "mcp-compat", "args": ["mock", "server", "--scenario", "root-type/array"]}"#;
    workshop.write(".mcp.json", &format!(r#"{{"mcpServers": {{"books": {server}}}}}"#));
    let mut texts = vec![run(&workshop, "mcp-compat --help").stdout];
    let all = run(&workshop, "mcp-compat --help --all").stdout;
    let commands: Vec<String> = listed(&all).into_iter().filter(|name| name != "mcp-compat").collect();
    for name in commands.iter().map(String::as_str).chain(["schema", "man", "mock"]) {
        let help = run(&workshop, &format!("mcp-compat {name} --help")).ends_with(0).stdout;
        if help.contains("Commands:") {
            let inner = help.split("Commands:").nth(1).unwrap_or_default();
            let inner = inner.split("\n\n").next().unwrap_or_default();
            for below in listed(inner) {
                texts.push(run(&workshop, &format!("mcp-compat {name} {below} --help")).ends_with(0).stdout);
            }
        }
        texts.push(help);
    }
    let followed = follow(&workshop, &texts);
    assert!(commands.len() >= 15 && followed.len() > 20, "{commands:?} {followed:#?}");
}

#[test]
fn commands_are_found_in_every_form() {
    let text = "use `mcp-compat show\n  rules` or\n  again  mcp-compat run --scenario 'a' \\\n    --no-peers\nSee: mcp-compat show 1    All: mcp-compat report\nthe mcp-compat way\n";
    let found: Vec<String> = printed(text).into_iter().collect();
    let expected =
        ["mcp-compat report", "mcp-compat run --scenario 'a' --no-peers", "mcp-compat show 1", "mcp-compat show rules"];
    assert_eq!(found, expected);
}
