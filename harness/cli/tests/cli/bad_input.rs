//! Input that is wrong is told in one clear message, with exit status 2, and nothing is run.

use std::fs;

use crate::workshop::{ONE_CELL, Workshop};

const MISSPELT: &str = r#"title = "A number"
why = "Zero is easily taken for nothing."
since = "2026-07-29"
sources = ["https://example.org"]

[[tool]]
definition = '{"name": "count", "inputSchema": {"type": "object"}}'
returns = '{"structuredContent": 0, "content": []}'
"#;

#[test]
fn a_mistake_in_a_scenario_is_told_with_its_place_and_what_was_expected() {
    let workshop = Workshop::new();
    workshop.write("mine/my-class/number.toml", MISSPELT);
    let ran = workshop.run(["run", "--no-peers", "--scenarios", "mine"]).ends_with(2);
    insta::assert_snapshot!(ran.stderr, @r#"
    error: the scenarios in mine have mistakes; nothing was run

    error: `2026-07-29` is not a revision of the specification
     --> mine/my-class/number.toml:3:9
      |
    3 | since = "2026-07-29"
      |         ^^^^^^^^^^^^ expected `2024-11-05`, `2025-03-26`, `2025-06-18`, `2025-11-25` or `2026-07-28`
      |
      = help: the nearest is `2026-07-28`
    "#);
    assert_eq!(ran.stdout, "");
    assert!(!workshop.has_record());
}

#[test]
fn a_mistake_leaves_an_earlier_record_as_it_was() {
    let workshop = Workshop::new();
    workshop.run(ONE_CELL).ends_with(0);
    let read = |name| fs::read_to_string(workshop.path().join(".mcp-compat").join(name)).unwrap();
    let before = (read("run.json"), read("transcripts.jsonl"));
    workshop.write("mine/my-class/number.toml", MISSPELT);
    workshop.run(["run", "--no-peers", "--scenarios", "mine"]).ends_with(2);
    workshop.run(["run", "--no-peers", "--scenario", "nothing-like-it"]).ends_with(2);
    assert_eq!((read("run.json"), read("transcripts.jsonl")), before);
    assert_eq!(
        fs::read_dir(workshop.path().join(".mcp-compat")).unwrap().count(),
        4,
        "the two, the logs and the .gitignore, nothing else"
    );
}

#[test]
fn a_folder_without_scenarios_or_with_one_that_the_corpus_has_is_refused() {
    let workshop = Workshop::new();
    fs::create_dir(workshop.path().join("empty")).unwrap();
    let run = |folder| workshop.run(["run", "--no-peers", "--scenarios", folder]).ends_with(2);
    run("empty").says(&["empty holds no scenario", "my-class/my-scenario.toml"]);
    run("absent").says(&["cannot read the scenarios in absent", "No such file"]);
    workshop.write("mine/root-type/array.toml", &MISSPELT.replace("07-29", "07-28"));
    run("mine").says(&["there is already a scenario `root-type/array`", "mine/root-type/array.toml:1:9", "rename"]);
}

#[test]
fn a_file_that_is_no_text_is_told_with_its_line_and_hides_no_other_mistake() {
    let workshop = Workshop::new();
    workshop.write("mine/my-class/number.toml", MISSPELT);
    fs::write(workshop.path().join("mine/my-class/bytes.toml"), b"title = \"A\"\nwhy = \"\xff\"\n").unwrap();
    let ran = workshop.run(["run", "--no-peers", "--scenarios", "mine"]).ends_with(2);
    ran.says(&["not UTF-8", "mine/my-class/bytes.toml:2:8", "`raw-file`", "mine/my-class/number.toml:3:9"]);
}

#[cfg(unix)]
#[test]
fn links_that_lead_back_and_what_is_no_file_are_passed_over() {
    let workshop = Workshop::new();
    workshop.write("mine/my-class/number.toml", MISSPELT);
    let folder = workshop.path().join("mine/my-class");
    std::os::unix::fs::symlink("..", folder.join("back")).unwrap();
    std::os::unix::fs::symlink("number.toml", folder.join("same.toml")).unwrap();
    std::os::unix::net::UnixListener::bind(folder.join("socket.toml")).unwrap();
    let ran = workshop.run(["lint", "mine"]).ends_with(2);
    let ran = ran.says(&["mine/my-class/number.toml:3:9", "mine/my-class/same.toml:3:9"]);
    assert!(!ran.stderr.contains("back") && !ran.stderr.contains("socket"), "{}", ran.stderr);
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let workshop = Workshop::new();
    workshop.write("mine/my-class/large.toml", "");
    let file = fs::File::options().write(true).open(workshop.path().join("mine/my-class/large.toml")).unwrap();
    file.set_len((16 << 20) + 1).unwrap();
    workshop.run(["run", "--no-peers", "--scenarios", "mine"]).ends_with(2).says(&["large.toml", "larger than 16 MiB"]);
}

#[test]
fn a_selection_that_selects_nothing_names_the_nearest_and_what_there_is() {
    let workshop = Workshop::new();
    let run = |option, glob| workshop.run(["run", "--no-peers", option, glob]).ends_with(2);
    let of_scenarios = run("--scenario", "root-type/arry");
    of_scenarios.says(&[
        r#"no scenario matches "root-type/arry"; did you mean root-type/array?"#,
        "`mcp-compat show scenarios` names them",
        "root-type/*",
    ]);
    run("--scenario", "arry").says(&["did you mean root-type/array?"]);
    let of_clients = run("--client", "mock/daul+auto");
    of_clients.says(&["no client matches", "did you mean mock/dual+auto?", "there are:", "mock/2025-11-25/lenient"]);
    run("--server", "mock/dual/ommit").says(&["no server matches", "did you mean mock/dual/omit?", "mock/dual/sse"]);
    assert!(!workshop.has_record());
}

#[test]
fn a_transport_that_there_is_not_names_those_that_there_are() {
    let workshop = Workshop::new();
    let ran = workshop.run(["run", "--no-peers", "--transport", "htp"]).ends_with(2);
    ran.says(&["memory, stdio, http", "similar value exists: 'http'"]);
}

#[test]
fn a_selection_without_a_cell_says_why() {
    let workshop = Workshop::new();
    let args = ["run", "--no-peers", "--scenario", "root-type/array", "--server", "mock/2025-11-25"];
    workshop.run(args).ends_with(2).says(&["the selection makes no check", "needs a server of 2026-07-28 or later"]);
}

#[test]
fn what_cannot_be_written_is_told_before_anything_is_played() {
    let workshop = Workshop::new();
    workshop.write("file", "");
    for option in ["--out", "--junit", "--markdown"] {
        let ran = workshop.run(ONE_CELL.into_iter().chain([option, "file/below"])).ends_with(2);
        let ran = ran.says(&["nothing was run", "file/below"]);
        assert!(!ran.stderr.contains("playing"), "{}", ran.stderr);
    }
}

#[test]
fn durations_shards_and_jobs_are_checked() {
    let workshop = Workshop::new();
    let run = |option, value| workshop.run(["run", "--no-peers", option, value]).ends_with(2);
    run("--timeout", "5").says(&["missing unit: write 5s, 5m or 5h"]);
    run("--timeout", "0s").says(&["more than 0"]);
    run("--run-timeout", "99999h").says(&["week"]);
    run("--shard", "3/2").says(&["K from 1 to N"]);
    run("--jobs", "0").says(&["--jobs"]);
}

#[test]
fn an_option_that_says_nothing_about_what_is_shown_is_refused() {
    let workshop = Workshop::new();
    for (args, why) in [
        (&["show", "root-type/array", "--peers", "."][..], "--peers is for `show peers`"),
        (&["show", "root-type/array", "--out", "."], "--out is for checks"),
        (&["show", "scenarios", "--out", "."], "--out is for checks"),
        (&["show", "rules", "--scenarios", "."], "--scenarios is for ids of scenarios"),
        (&["show", "a/b::mock/dual::mock/dual::memory", "--scenarios", "."], "--scenarios is for ids of scenarios"),
        (&["show", "a/b.toml", "--scenarios", "."], "--scenarios is for ids of scenarios"),
        (&["show", "--where", "rating:breaks", "--peers", "."], "cannot be used with"),
    ] {
        workshop.run(args).ends_with(2).says(&[why]);
    }
}

#[test]
fn a_baseline_in_yaml_is_refused_whatever_it_is_of() {
    let workshop = Workshop::new();
    workshop.write("known.yml", "name: anything\n");
    let ran = workshop.run(["run", "--no-peers", "--baseline", "known.yml"]).ends_with(2);
    ran.says(&["cannot read the baseline known.yml: baselines are TOML", "Give a .toml"]);
}

#[test]
fn a_folder_of_peers_without_peers_is_told() {
    let workshop = Workshop::new();
    fs::create_dir(workshop.path().join("none")).unwrap();
    for args in [["run", "--peers", "none"], ["run", "--peers", "absent"]] {
        workshop.run(args).ends_with(2).says(&["holds no client or server", "peer.toml"]);
    }
    workshop.run(["show", "peers", "--peers", "absent"]).ends_with(2).says(&["holds no client or server"]);
}

#[test]
fn a_manifest_with_a_mistake_or_without_the_role_is_told() {
    let workshop = Workshop::new();
    let head = "id = \"it@1.0.0\"\nlanguage = \"sh\"\nabout = \"a peer\"\nrevisions = [\"2025-11-25\"]\n";
    workshop.write("misspelt/peer.toml", &format!("{head}[client]\ncomand = [\"true\"]\n"));
    workshop.write("client/peer.toml", &format!("{head}[client]\ncommand = [\"true\"]\n"));
    workshop.write("mock/peer.toml", &format!("{head}[client]\ncommand = [\"true\"]\n").replace("it@1.0.0", "mock/it"));
    let run = |role, file| workshop.run(["run", "--no-peers", role, file]).ends_with(2);
    run("--client", "misspelt/peer.toml").says(&["misspelt/peer.toml:6:1", "comand"]);
    run("--client", "absent/peer.toml").says(&["cannot read the peer manifest absent/peer.toml"]);
    run("--server", "client/peer.toml").says(&["has no [server]"]);
    run("--client", "mock/peer.toml").says(&["choose another"]);
    assert!(!workshop.has_record());
}
