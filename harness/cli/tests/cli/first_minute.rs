//! What a new user meets: a call without a command, the book, completions, manual pages.

use std::fs;
use std::process::{Command, Stdio};

use crate::workshop::Workshop;

#[test]
fn completions_are_those_of_the_command_line() {
    let workshop = Workshop::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = workshop.run(["completions", shell]).ends_with(0).shows(&["mcp-compat", "no-corpus", "doctor"]);
        assert!(!ran.stdout.contains("\u{1b}"), "{shell}");
    }
    workshop.run(["completions", "cmd"]).ends_with(2).says(&["bash, elvish, fish, powershell, zsh"]);
    // bash reads what is made for it, and completes a command and an option.
    let script = workshop.write("completions.bash", &workshop.run(["completions", "bash"]).stdout);
    let complete = |words: &str| {
        let ask = format!(
            "source {}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _mcp__compat mcp-compat \"${{COMP_WORDS[$COMP_CWORD]}}\" \"${{COMP_WORDS[$((COMP_CWORD - 1))]}}\"; \
             echo \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        let output = Command::new("bash").args(["--norc", "-c", &ask]).stderr(Stdio::inherit()).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(complete("mcp-compat expl"), "explain");
    assert_eq!(complete("mcp-compat peers ins"), "install");
    assert_eq!(complete("mcp-compat run --no-c"), "--no-corpus");
}

#[test]
fn each_command_has_a_manual_page() {
    let workshop = Workshop::new();
    let page = workshop.run(["man"]).ends_with(0);
    page.shows(&[".TH mcp-compat 1", "mcp\\-compat\\-audit(1)", "Exit status"]);
    workshop.run(["man", "--out", "man1"]).ends_with(0).says(&["man1/mcp-compat.1"]);
    let pages = fs::read_dir(workshop.path().join("man1")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut pages: Vec<String> = pages.map(|name| name.into_string().unwrap()).collect();
    pages.sort();
    assert!(pages.contains(&"mcp-compat-peers-install.1".to_owned()), "{pages:?}");
    assert!(!pages.iter().any(|page| page.contains("relay") || page.contains("help")), "{pages:?}");
    for page in &pages {
        let text = fs::read_to_string(workshop.path().join("man1").join(page)).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{page}");
    }
    workshop.write("file", "");
    workshop.run(["man", "--out", "file/below"]).ends_with(2).says(&["cannot make the folder file/below"]);
}

#[test]
fn without_a_command_the_program_says_what_it_is_for() {
    let ran = Workshop::new().run::<&str>([]).ends_with(0);
    assert_eq!(ran.stdout.lines().count(), 9, "{}", ran.stdout);
    assert!(ran.stdout.lines().all(|line| line.len() <= 80), "{}", ran.stdout);
    ran.shows(&[
        "  mcp-compat audit -- ",
        "  mcp-compat audit .mcp.json ",
        "  mcp-compat init ",
        "  mcp-compat run ",
        "--help",
    ]);
    Workshop::new().run(["--help"]).ends_with(0).shows(&["Commands:", "Exit status"]);
    Workshop::new().run(["--baseline"]).ends_with(2).says(&["unexpected argument"]);
}

#[test]
fn what_is_gone_says_what_replaces_it() {
    let workshop = Workshop::new();
    let ran = workshop.run(["docs", "audit"]).ends_with(2);
    assert_eq!(
        ran.stderr,
        "error: `mcp-compat docs` is gone. Read the pages of the book in the folder docs/src of the repository; \
         docs/src/SUMMARY.md lists them.\n"
    );
    let ran = workshop.run(["run", "--schema-suite", "JSON-Schema-Test-Suite"]).ends_with(2);
    assert_eq!(ran.stderr, "error: `mcp-compat run --schema-suite` is gone. Nothing replaces it.\n");
    workshop.write("conformance-baseline.yml", "client:\n  - root-type/array\n");
    for command in [&["run", "--no-peers"][..], &["report", "--merge", "one", "two", "--out", "all"]] {
        let ran = workshop.run([command, &["--baseline", "conformance-baseline.yml"]].concat()).ends_with(2);
        ran.says(&["conformance-baseline.yml", "the YAML of the official conformance suite is not read. Give a .toml"]);
    }
}

/// The names of the commands that a page of help lists: they stand before the options.
fn commands(help: &str) -> Vec<String> {
    let lines = help.lines().take_while(|line| *line != "Options:" && !line.starts_with("Arguments:"));
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase())).map(str::to_owned).collect()
}

#[test]
fn the_short_help_has_ten_commands_and_the_long_one_all_by_group() {
    let workshop = Workshop::new();
    let short = workshop.run(["--help"]).ends_with(0).shows(&["  ...           See all commands with --help --all"]);
    assert_eq!(commands(&short.stdout).len(), 10, "{}", short.stdout);
    let all = workshop.run(["--help", "--all"]).ends_with(0).shows(&["Write scenarios:\n", "Set up:\n"]);
    assert_eq!(commands(&all.stdout).len(), 19, "{}", all.stdout);
    let mut listed = all.stdout.lines().chain(short.stdout.lines()).filter(|line| line.starts_with("  "));
    assert!(listed.clone().count() > 20 && listed.all(|line| line.chars().count() <= 80), "{}", all.stdout);
    assert_eq!(workshop.run(["help", "--all"]).stdout, all.stdout);
    assert_eq!(workshop.run(["-h"]).stdout, short.stdout);
}

#[test]
fn former_names_work_and_say_what_replaces_them() {
    let workshop = Workshop::new();
    for (old, former, new) in [
        (&["contract", "check", "--help"][..], "contract", "lock"),
        (&["merge", "--help"], "merge", "report --merge"),
        (&["site", "--help"], "site", "report --format site"),
        (&["audit", "--client", "--help"], "audit --client", "audit-client"),
        (&["list", "rules"], "list", "show"),
    ] {
        let ran = workshop.run(old).ends_with(0);
        let note = format!(
            "note: `mcp-compat {former}` is now `mcp-compat {new}`; the old name works until the next release\n"
        );
        assert_eq!(ran.stderr, note);
    }
}

#[test]
fn every_command_shows_its_help_with_an_example() {
    let workshop = Workshop::new();
    let help = |words: &[String]| workshop.run(words.iter().map(String::as_str).chain(["--help"])).ends_with(0).stdout;
    let (mut waiting, mut seen, mut without) = (vec![Vec::new()], 0, Vec::new());
    while let Some(words) = waiting.pop() {
        let text = if words.is_empty() { workshop.run(["--help", "--all"]).stdout } else { help(&words) };
        waiting.extend(commands(&text).into_iter().map(|name| [words.clone(), vec![name]].concat()));
        let command = ["mcp-compat".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ");
        seen += 1;
        if !text.contains(&format!("\n  {command}")) {
            without.push(command);
        }
    }
    assert!(seen > 28, "{seen}");
    assert!(without.is_empty(), "no example: {without:?}");
}
