//! The console blocks of the README and of the book: each page's commands are run in order, in a folder of their own, and
//! must print what the page shows. A line `…` stands for any number of lines, and `…` in a line for any text.
//!
//! The pages for TypeScript, Python and Go need the tools of their language: `tests/walkthroughs.rs` runs them.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Command, Stdio};

use crate::family::Family;
use crate::pages::{Shown, blocks, commands, page, root};
use crate::workshop::{PROGRAM, Ran, Workshop, to_its_end};

/// Commands that are not run here, by how they begin, each with the reason; a line break stands for the end of the
/// command. An entry that no page needs fails a test.
const NOT_RUN: &[(&str, &str)] = &[
    ("cargo install", "installs this program; `.ci/run` builds it in the same way from the packages"),
    ("cargo run --release -- run", "`.ci/run` plays the same with the build of the tests"),
    ("cargo test --workspace", "`.ci/run` runs it; it is this test"),
    ("mcp-compat audit -- npx", "needs the npm registry; tests/audits has its report"),
    ("mcp-compat audit --fleet -- npx", "needs the npm registry; tests/cli/audit_fleet.rs plays clients of its own"),
    ("mcp-compat audit --call read_file=", "needs the npm registry; tests/audits has its report"),
    ("mcp-compat audit https://example.org", "nobody answers there; tests/cli/audit.rs audits over HTTP"),
    ("mcp-compat peers bisect", "needs the npm registry; tests/cli/bisecting.rs bisects with releases of its own"),
    ("mcp-compat hosts", "needs a host that is installed; tests/slow/hosts.rs starts one of its own"),
    ("mcp-compat probe", "needs the user of a host; tests/cli/probe.rs plays one"),
    ("mcp-compat mock client --url http://127.0.0.1:PORT", "has no port; tests/cli/mocks.rs runs both over HTTP"),
    ("mcp-compat mock server --scenario root-type/array --http", "never ends; tests/cli/mocks.rs runs both over HTTP"),
    ("mcp-compat new my-bug.toml", "the page on regressions runs it with its report"),
    ("mcp-compat peers", "needs the registries; `.ci/run` installs the small fleet"),
    ("mcp-compat run\n", "`.ci/run` runs it"),
    ("npx mcp-compat", "is not published; packaging/tests installs and runs the packages"),
    ("uvx --from mcp-compat-cli", "is not published; packaging/tests installs and runs the packages"),
    (
        "mcp-compat run --client 'rmcp@3.8.0*'",
        "needs a release that is installed; tests/cli/peers_in_runs.rs plays one",
    ),
    ("mcp-compat run --client peer.toml", "tests/walkthroughs.rs runs it in three languages"),
    ("mcp-compat run --scenarios my-scenarios --no-corpus --server", "needs an SDK of the reader's"),
    ("mcp-compat run --scenarios my-scenarios --no-corpus --watch", "never ends; tests/cli/watch.rs runs it"),
    ("mcp-compat run --server my-sdk/peer.toml", "needs an SDK of the reader's"),
];

/// Commands that end with another status than 0, by how they begin.
const STATUS: &[(&str, i32)] = &[
    ("mcp-compat run", 1),
    ("mcp-compat audit --tool list_users", 1),
    ("mcp-compat audit .mcp.json", 1),
    ("mcp-compat lock check -- my-server-next", 1),
];

/// Commands that end with 0 although their beginning is in `STATUS`.
const FINE: &[&str] = &[
    "run --no-peers\n",
    "--client 'profile/*'",
    "--baseline known-breaks.toml",
    "--client-command",
    "--server weather",
    "--client mock/dual --server mock/dual",
    "--client mock/dual/skip --server mock/dual",
    "--shard",
];

fn status(command: &str) -> i32 {
    let line = format!("{command}\n");
    if FINE.iter().any(|part| line.contains(part)) {
        return 0;
    }
    STATUS.iter().find(|(start, _)| command.starts_with(start)).map_or(0, |(_, status)| *status)
}

/// The entry of `NOT_RUN` for a command.
fn not_run(command: &str) -> Option<&'static str> {
    let command = format!("{command}\n");
    if command.starts_with("mcp-compat peers add") {
        return None;
    }
    NOT_RUN.iter().map(|(start, _)| *start).find(|start| command.starts_with(start))
}

/// Runs a command of a page as its reader does, with the program under test on the path.
pub(crate) fn run(workshop: &Workshop, line: &str) -> Ran {
    let programs = workshop.path().join("bin");
    if !programs.exists() {
        fs::create_dir(&programs).unwrap();
        symlink(PROGRAM, programs.join("mcp-compat")).unwrap();
    }
    let servers = workshop.path().join("servers");
    let path = format!("{}:{}:{}", programs.display(), servers.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(workshop.path()).env("PATH", path).env_remove("CI");
    command
        .env("CARGO_TARGET_DIR", workshop.path().join("target"))
        .env("XDG_CACHE_HOME", workshop.path().join("cache"));
    to_its_end(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

/// Whether a line of output is the line of a page, in which `…` stands for any text.
fn is_line(shown: &str, printed: &str) -> bool {
    let mut rest = printed;
    let parts: Vec<&str> = shown.split('…').collect();
    for (at, part) in parts.iter().enumerate() {
        let found = if at == 0 { rest.starts_with(part).then_some(0) } else { rest.find(part) };
        let last = at + 1 == parts.len();
        match found {
            Some(_) if last && at > 0 => return rest.ends_with(part),
            Some(start) => rest = &rest[start + part.len()..],
            None => return false,
        }
    }
    rest.is_empty()
}

/// Whether the output is what the page shows: runs of lines, with anything between them where the page has `…`.
fn is_shown(shown: &[&str], printed: &[&str]) -> bool {
    match (shown, printed) {
        ([], []) => true,
        (["…", rest @ ..], _) => (0..=printed.len()).any(|at| is_shown(rest, &printed[at..])),
        ([line, rest @ ..], [next, after @ ..]) => is_line(line, next) && is_shown(rest, after),
        ([], _) | (_, []) => false,
    }
}

fn lines(output: &str) -> Vec<&str> {
    output.trim_end().lines().map(str::trim_end).collect()
}

/// Runs the commands of a page in a folder that `prepare` has filled with what the page takes as given.
fn walk(path: &str, prepare: impl FnOnce(&Workshop, &str)) {
    let text = page(path);
    let workshop = Workshop::new();
    for block in blocks(&text) {
        if let Some(name) = block.file() {
            workshop.write(name, &format!("{}\n", block.text));
        }
    }
    prepare(&workshop, &text);
    for Shown { command, printed } in commands(&text) {
        if not_run(&command).is_some() {
            assert!(printed.is_empty(), "{path}: `{command}` is not run, so its output may not be shown");
            continue;
        }
        let ran = run(&workshop, &command).ends_with(status(&command));
        let matches =
            printed.is_empty() || [&ran.stdout, &ran.stderr].iter().any(|out| is_shown(&printed, &lines(out)));
        let shown = printed.join("\n");
        assert!(
            matches,
            "{path}: `{command}` should print\n{shown}\n\nbut prints\n{}\nand on stderr\n{}",
            ran.stdout, ran.stderr
        );
    }
}

/// Defines a test for each page that the commands run on without preparation.
macro_rules! pages {
    ($($name:ident: $path:literal,)*) => {
        $(#[test] fn $name() { walk($path, |_, _| {}); })*
        const UNPREPARED: &[&str] = &[$($path),*];
    };
}

pages! {
    readme: "README.md",
    introduction: "docs/src/introduction.md",
    first_matrix: "docs/src/first-matrix.md",
    audit: "docs/src/audit.md",
    configuration: "docs/src/configuration.md",
    hosts: "docs/src/hosts.md",
    sdk: "docs/src/sdk.md",
    peers: "docs/src/peers.md",
    projection: "docs/src/projection.md",
    ci: "docs/src/ci.md",
    diff: "docs/src/diff.md",
    history: "docs/src/history.md",
    site: "docs/src/site.md",
}

/// Pages that need something in the folder first.
const PREPARED: &[&str] = &["docs/src/regression.md", "docs/src/lock.md", "docs/src/recordings.md"];

/// Pages that `tests/walkthroughs.rs` runs.
const WALKTHROUGHS: &[&str] = &["docs/src/typescript.md", "docs/src/python.md", "docs/src/go.md"];

#[test]
fn regression() {
    walk("docs/src/regression.md", |workshop, text| {
        let reports: Vec<_> = blocks(text).into_iter().filter(|block| block.language == "json").collect();
        let [report] = &reports[..] else { panic!("the page shows one report") };
        workshop.write("report.json", report.text);
    });
}

#[test]
fn recordings() {
    walk("docs/src/recordings.md", |workshop, _| Family::of("true").in_workshop(workshop));
}

#[test]
fn lock() {
    walk("docs/src/lock.md", |workshop, _| {
        let now = r#""total":{"type":"number"},"at":{"type":"string","format":"date-time"}"#;
        let next = r#""total":{"type":["number","null"]},"at":{"type":"string"}"#;
        for (name, script) in [("my-server", server("1.4.0", now, 50)), ("my-server-next", server("1.5.0", next, 100))]
        {
            let path = workshop.write(&format!("servers/{name}"), &script);
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    });
}

#[test]
fn every_page_with_commands_is_run() {
    let pages = fs::read_dir(root().join("docs/src")).unwrap().map(|entry| entry.unwrap().file_name());
    let pages = pages.map(|name| format!("docs/src/{}", name.to_str().unwrap()));
    let with_commands: BTreeSet<String> =
        pages.chain(["README.md".to_owned()]).filter(|path| !commands(&page(path)).is_empty()).collect();
    let run = UNPREPARED.iter().chain(PREPARED).chain(WALKTHROUGHS).map(|path| (*path).to_owned()).collect();
    assert_eq!(with_commands, run);
}

#[test]
fn every_reason_not_to_run_a_command_is_needed() {
    let pages = UNPREPARED.iter().chain(PREPARED).map(|path| page(path)).collect::<Vec<_>>();
    let used: BTreeSet<&str> =
        pages.iter().flat_map(|text| commands(text)).filter_map(|shown| not_run(&shown.command)).collect();
    let unused: Vec<_> = NOT_RUN.iter().filter(|(start, _)| !used.contains(start)).collect();
    assert!(unused.is_empty(), "no page has these: {unused:#?}");
}

#[test]
fn output_is_compared_line_by_line() {
    assert!(is_shown(&["a", "b"], &["a", "b"]));
    assert!(is_shown(&["…", "c", "…"], &["a", "b", "c"]));
    assert!(is_shown(&["in … ms", "b"], &["in 7.2 ms", "b"]));
    assert!(!is_shown(&["a", "c"], &["a", "b", "c"]));
    assert!(!is_shown(&["b"], &["a", "b"]));
    assert!(!is_shown(&["a"], &["a", "b"]));
    assert!(!is_shown(&["in … ms"], &["in 7.2 s"]));
}

/// The files that the page for Rust shows are those of the example, which `.ci/run` tests.
#[test]
fn the_page_for_rust_shows_the_files_of_the_example() {
    let text = page("docs/src/rust.md");
    let files: Vec<_> =
        blocks(&text).into_iter().filter(|block| block.language == "rust" && block.file().is_some()).collect();
    assert_eq!(files.len(), 2);
    for block in files {
        let (name, code) = block.text.split_once('\n').unwrap();
        let example = page(&format!("harness/examples/inventory-server/{}", name.trim_start_matches("// ")));
        assert_eq!(code.trim(), example.trim(), "{name}");
    }
}

/// A server as somebody else wrote it: a shell script that speaks one revision, and lists two tools.
fn server(version: &str, orders: &str, limit: u32) -> String {
    let tools = format!(
        r#"[{{"name":"list_orders","inputSchema":{{"type":"object","properties":{{"limit":{{"type":"integer","maximum":{limit}}}}}}},"outputSchema":{{"type":"object","required":["orders"],"properties":{{"orders":{{"type":"array","items":{{"type":"object","required":["id","total"],"properties":{{"id":{{"type":"string"}},{orders}}}}}}}}}}}}},{{"name":"ping","inputSchema":{{"type":"object"}}}}]"#
    );
    format!(
        r#"#!/bin/sh
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  revision=$(printf '%s' "$line" | sed -n 's/.*"protocolVersion":"\([^"]*\)".*/\1/p')
  [ "$revision" != 2026-07-28 ] || revision=2025-11-25
  case "$line" in
    *'"initialize"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"protocolVersion":"%s","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"my-server","version":"{version}"}}}}}}\n' "$id" "$revision";;
    *'"tools/list"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"tools":%s}}}}\n' "$id" '{tools}';;
    *'"id"'*) printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32601,"message":"Method not found"}}}}\n' "$id";;
  esac
done
"#
    )
}
