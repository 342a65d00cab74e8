//! The commands that look things up, check and convert.

use std::fs;

use serde_json::Value;

use crate::workshop::{BROKEN_CELL, OWN, Workshop};

const CELL: &str = "invalid-result/extra-property::mock/dual/skip+auto::mock/dual::memory";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A workshop in which a cell has just broken.
fn after_a_break() -> Workshop {
    let workshop = Workshop::new();
    workshop.run(BROKEN_CELL).ends_with(1);
    workshop
}

#[test]
fn show_tells_a_cell_of_the_last_run() {
    let workshop = after_a_break();
    let ran = workshop.run(["show", CELL]).ends_with(0);
    ran.shows(&[CELL, "uncaught", "tools/call", "passwordHash", "mcp-compat run --scenario"]);
    workshop.run(["show", "*extra-property::*"]).ends_with(0).shows(&[CELL]);
    workshop.run(["show", "*skip*memory"]).ends_with(0).shows(&[CELL]);
}

#[test]
fn show_names_the_cells_that_may_be_meant() {
    let workshop = after_a_break();
    workshop.run(["show", "extra-property::"]).ends_with(2).says(&[&format!("did you mean {CELL}?")]);
    let near = CELL.replace("extra", "xetra");
    workshop.run(["show", &near]).ends_with(2).says(&[&format!("did you mean {CELL}?")]);
    workshop.run(["show", "zzz::*"]).ends_with(2).says(&["no check of this run matches \"zzz::*\"\n"]);
    workshop.run(["show", "zzz"]).ends_with(2).says(&["no scenario matches \"zzz\"", "root-type/*"]);
    let ran = Workshop::new().run(["show", CELL]).ends_with(2);
    ran.says(&["cannot read the record .mcp-compat", "`mcp-compat run` makes one"]);
}

#[test]
fn show_names_some_where_several_may_be_meant() {
    let workshop = Workshop::new();
    let selection = ["--scenario=root-type/*", "--client=mock/dual+auto", "--server=mock/dual"];
    workshop.run(["run", "--no-peers"].into_iter().chain(selection));
    for wanted in ["root-type/*::*", "*dual+auto*"] {
        let ran = workshop.run(["show", wanted]).ends_with(2);
        ran.says(&["name one of them:", "root-type/array::mock/dual+auto::mock/dual::http", "more"]);
    }
}

#[test]
fn show_lists_the_cells_that_a_filter_selects() {
    let workshop = after_a_break();
    let ran = workshop.run(["show", "--where", "rating:breaks client:mock/dual/skip"]).ends_with(0);
    ran.shows(&["invalid-result/extra-property\n", "uncaught, breaks, silent, to fix: client", "1 of 1 check: 0 work"]);
    workshop.run(["show", "--where", "rating:works rating:breaks"]).ends_with(0).shows(&["0 of"]);
    let found = json(&workshop.run(["show", "--where", "-rating:works", "--json"]).ends_with(0).stdout);
    assert_eq!(found["query"], "-rating:works");
    assert_eq!(found["selected"], found["cells"].as_array().unwrap().len());
    assert_eq!(found["ratings"]["works"], 0);
    for (filter, said) in [
        ("ratng:breaks", "\"ratng:breaks\" in the filter has an unknown key. The keys are client, "),
        ("client:mock/dula", "no check has a client that matches \"mock/dula\""),
        ("changed:worse", "add --since RUN"),
        ("rating:breaks -silent", "write -is:silent"),
        ("changed:worse since:nightly", "write --since nightly"),
        ("count:client=1", "a filter no longer counts"),
    ] {
        workshop.run(["show", "--where", filter]).ends_with(2).says(&[said]);
    }
    let page = workshop.run(["report", "--format", "markdown", "--where", "-rating:breaks"]).ends_with(0);
    assert!(!page.stdout.contains("uncaught"), "{}", page.stdout);
}

#[test]
fn a_part_of_a_report_keeps_the_numbers_that_show_takes() {
    let workshop = Workshop::new();
    let scenarios = ["--scenario=root-type/array", "--scenario=invalid-result/extra-property"];
    let peers = ["--client=profile/typescript@1", "--client=mock/dual/skip+auto", "--server=mock/dual"];
    let more = ["--transport=memory", "--baseline=none", "--out=kept"];
    let ran = workshop.run(["run", "--no-peers"].into_iter().chain(scenarios).chain(peers).chain(more));
    ran.shows(&["Next: mcp-compat show 1 --out kept   mcp-compat report kept"]);
    let title = "results that violate their schema are accepted";
    let part = workshop.run(["report", "kept", "--where", "client:mock/dual/skip"]).ends_with(0);
    part.shows(&[&format!("  2  SILENT {title}"), "mcp-compat explain 2 --out kept"]);
    let markdown =
        workshop.run(["report", "kept", "--where", "client:mock/dual/skip", "--format=markdown"]).ends_with(0);
    markdown.shows(&[&format!("\n2. **Silent:** **{title}**"), "--out kept`"]);
    workshop.run(["show", "2", "--out", "kept"]).ends_with(0).shows(&[title]);
    workshop.run(["explain", "2", "--out", "kept"]).ends_with(0).shows(&[title, "client-validates"]);
}

#[test]
fn explain_tells_rules_and_outcomes() {
    let workshop = Workshop::new();
    let rule = workshop.run(["explain", "structured-content-conforms"]).ends_with(0);
    rule.shows(&["binds", "server (MUST)", "https://modelcontextprotocol.io/"]);
    workshop
        .run(["explain", "lost"])
        .ends_with(0)
        .shows(&["lost          what the tool returned", "blast radius  what a break takes away"]);
    workshop.run(["explain", "text-agrees"]).ends_with(0).shows(&["checked by `audit`", "repeat the value"]);
    let unknown = workshop.run(["explain", "structured-content-conform"]).ends_with(2);
    let unknown = unknown.says(&[
        "Did you mean structured-content-conforms, ",
        "`mcp-compat show rules`",
        "docs/src/glossary.md",
    ]);
    assert_eq!(unknown.stderr.lines().count(), 2, "{}", unknown.stderr);
    workshop.run(["explain", "swalowed"]).ends_with(2).says(&["Did you mean swallowed?"]);
    for word in [
        "known",
        "flaky",
        "fixes",
        "omit",
        "naive",
        "pairwise",
        "note",
        "stdio",
        "conformance",
        "interop",
        "dual",
        "disputed",
        "pending",
        "SEP-2106",
        "sep-1624",
        "error hidden",
    ] {
        workshop.run(["explain", word]).ends_with(0);
    }
}

#[test]
fn lists_are_tables_or_json() {
    let workshop = Workshop::new();
    for (what, name) in [("scenarios", "root-type/array"), ("peers", "mock/dual+auto"), ("rules", "text-fallback")] {
        workshop.run(["show", what]).ends_with(0).shows(&[name]);
        let listed = json(&workshop.run(["show", what, "--json"]).ends_with(0).stdout);
        let ids: Vec<_> = listed.as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap()).collect();
        assert!(ids.contains(&name), "{ids:?}");
    }
    workshop.run(["show", "peers"]).says(&["no SDK release is installed"]);
    workshop.run(["show", "things"]).ends_with(2).says(&["things"]);
    let mistyped = workshop.run(["show", "scenrios"]).ends_with(2);
    mistyped.says(&["no scenario matches \"scenrios\"; did you mean the list, `mcp-compat show scenarios`?"]);
}

#[test]
fn lists_and_runs_find_the_peers_folder_above() {
    let workshop = Workshop::new();
    let manifest =
        "id = \"it@1.0.0\"\nlanguage = \"sh\"\nabout = \"a peer\"\nrevisions = []\n[client]\ncommand = [\"true\"]\n";
    workshop.write("peers/sh/it/peer.toml", manifest);
    workshop.write("deep/below/file", "");
    let mut command = workshop.command(["show", "peers"]);
    let output = command.current_dir(workshop.path().join("deep/below")).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("it@1.0.0"));
}

#[test]
fn lint_checks_files_and_folders() {
    let workshop = Workshop::new();
    let good = r#"
title = "A number"
why = "Zero is easily taken for nothing."
since = "2026-07-28"
sources = ["https://example.org"]

[[tool]]
definition = '{"name": "count", "inputSchema": {"type": "object"}}'
returns = '{"structuredContent": 0, "content": []}'
"#;
    let file = workshop.write("mine/my-class/number.toml", good);
    let written = || fs::read_to_string(workshop.path().join("found.txt")).unwrap();
    workshop.run(["lint", "mine", "--out=found.txt"]).ends_with(0);
    assert_eq!(written(), "1 scenario, no mistakes\n");
    for path in ["mine", "mine/my-class/number.toml", file.to_str().unwrap()] {
        let ran = workshop.run(["lint", path]).ends_with(0);
        assert_eq!(ran.stdout, "1 scenario, no mistakes\n");
    }
    workshop.write("mine/my-class/number.toml", &good.replace("returns", "retruns"));
    for path in ["mine", "mine/my-class/number.toml"] {
        let ran = workshop.run(["lint", path]).ends_with(2);
        ran.says(&["mine/my-class/number.toml:9:1", "retruns", "returns"]);
        let found = json(&workshop.run(["lint", path, "--format", "json"]).ends_with(2).stdout);
        assert_eq!((&found[0]["line"], &found[0]["severity"]), (&9.into(), &"error".into()));
        let lines = workshop.run(["lint", path, "--format", "github"]).ends_with(2);
        assert!(lines.stdout.starts_with("::error file=mine/my-class/number.toml,line=9::"), "{}", lines.stdout);
    }
    workshop.run(["lint", "mine", "--out=found.txt"]).ends_with(2);
    assert!(
        written().contains("retruns") && written().ends_with("0 scenarios, 1 file that cannot be used, 1 mistake\n"),
        "{}",
        written()
    );
    workshop.run(["lint", "root-type/array"]).ends_with(2).says(&["no file or folder", "root-type/array.toml"]);
    workshop.run(["lint", "absent.toml"]).ends_with(2).says(&["cannot read the scenario absent.toml"]);
}

#[test]
fn a_record_becomes_each_form_of_report() {
    let workshop = after_a_break();
    let report = |format: &str| workshop.run(["report", "--format", format]).ends_with(0).stdout;
    assert!(report("terminal").contains("FAILED  1 break"), "{}", report("terminal"));
    assert!(report("markdown").contains('#'));
    assert!(report("junit").starts_with("<?xml"));
    assert!(report("github").starts_with("::error title="), "{}", report("github"));
    assert_eq!(json(&report("json"))["cells"][0]["id"], CELL);
    workshop.run(["report", "--format", "markdown", "--out", "report.md"]).ends_with(0);
    assert_eq!(fs::read_to_string(workshop.path().join("report.md")).unwrap(), report("markdown"));
    workshop.run(["report", "--format", "sarif"]).ends_with(2).says(&["terminal, markdown, json, junit, github"]);
    workshop.run(["report", "--title", "x"]).ends_with(2).says(&["--title is for a site: add --format site"]);
    workshop.run(["report", ".mcp-compat/run.json"]).ends_with(0);
    workshop.write("other.json", "{}");
    workshop.run(["report", "other.json"]).ends_with(2).says(&["other.json is not a record"]);
    workshop.run(["report", "absent"]).ends_with(2).says(&["`mcp-compat run` makes one"]);
}

#[test]
fn schemas_are_json() {
    let workshop = Workshop::new();
    for format in [
        "scenario",
        "record",
        "transcript",
        "history",
        "history-log",
        "job",
        "answer",
        "script",
        "hosting",
        "hosted",
        "peer",
    ] {
        let schema = json(&workshop.run(["schema", format]).ends_with(0).stdout);
        assert!(schema["$schema"].as_str().unwrap().contains("json-schema.org"), "{format}");
    }
}

#[test]
fn what_ships_is_printed_with_nothing_installed_and_near_names_are_told() {
    let workshop = Workshop::new();
    workshop.run(["support"]).ends_with(0).shows(&["Measured", "typescript", "root-type/array"]);
    workshop
        .run(["support", "--projection"])
        .ends_with(0)
        .shows(&["Sent to a client of 2025-11-25 or earlier", "rmcp"]);
    let data = workshop.run(["support", "--projection", "--json"]).ends_with(0);
    assert!(data.stdout.starts_with("{\"schema_version\":1,"), "{}", data.stdout);
    let ran = workshop.run(["support", "root-type/array"]).ends_with(0);
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 100), "{}", ran.stdout);
    ran.shows(&["Clients", "Servers", "tested", "measured 20"]);
    workshop.run(["support", "typescript"]).ends_with(0).shows(&["Clients", "root-type/array", "30 other scenarios"]);
    let release = workshop.run(["support", "typescript@1.32.2", "--json"]).ends_with(0);
    assert!(json(&release.stdout)["statements"].as_array().unwrap().iter().all(|it| it["family"] == "typescript"));
    let ran = workshop.run(["support", "root-type/arry"]).ends_with(2);
    ran.says(&["no scenario, SDK or host with support data matches \"root-type/arry\"; did you mean root-type/array?"]);
}

#[test]
fn a_number_that_is_a_double_may_be_written_in_another_way_on_the_wire() {
    let workshop = Workshop::new();
    let with = |sent: &str| {
        let meant = "means.value = '{\"n\": 1152921504606846976}'\n";
        let returned = format!(
            "returns = '{{\"structuredContent\": {{\"n\": {sent}}}, \"content\": [{{\"type\": \"text\", \"text\": \"a number\"}}]}}'\n"
        );
        format!("{}{returned}{meant}", &OWN[..OWN.find("returns").unwrap()])
    };
    for (sent, status) in [("1152921504606847000", 0), ("1152921504606846720", 1)] {
        workshop.write("own.toml", &with(sent));
        let ran =
            workshop.run(["run", "--no-peers", "--scenarios=own.toml", "--server=mock/dual", "--client=mock/dual"]);
        let ran = ran.ends_with(status);
        assert!(!ran.stdout.contains("incomplete"), "{sent}: {}", ran.stdout);
    }
}
