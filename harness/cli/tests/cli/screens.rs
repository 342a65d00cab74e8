//! What is seen: colours only where someone looks, quiet ends, and help that fits a narrow terminal.

use std::io::{BufRead, BufReader};

use crate::workshop::{BROKEN_CELL, Workshop, to_its_end};

#[test]
fn a_pipe_gets_no_escapes() {
    let workshop = Workshop::new();
    let cell = "invalid-result/extra-property::mock/dual/skip+auto::mock/dual::memory";
    let commands: [&[&str]; 5] =
        [&BROKEN_CELL, &["show", cell], &["explain", "text-fallback"], &["show", "rules"], &["run", "--scenario", "x"]];
    for args in commands {
        let ran = workshop.run(args);
        assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'), "{args:?}: {ran:?}");
    }
}

#[test]
fn colours_can_be_forced_and_forbidden() {
    let workshop = Workshop::new();
    let explain = |variable| {
        let mut command = workshop.command(["explain", "text-fallback"]);
        to_its_end(command.env(variable, "1").spawn().unwrap()).stdout.contains('\u{1b}')
    };
    assert!(explain("CLICOLOR_FORCE"));
    assert!(!explain("NO_COLOR"));
}

#[test]
fn a_reader_that_leaves_early_is_no_panic() {
    let workshop = Workshop::new();
    for args in [&BROKEN_CELL[..], &["show", "scenarios"], &["schema", "record"], &["--help"]] {
        let mut child = workshop.command(args).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let ran = to_its_end(child);
        assert_ne!(ran.status, Some(101), "{args:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("panicked") && !ran.stderr.contains("ipe"), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn a_reader_that_is_gone_before_the_first_word_is_no_panic() {
    let workshop = Workshop::new();
    for args in [&BROKEN_CELL[..], &["show", "scenarios"], &["explain", "lost"]] {
        let mut child = workshop.command(args).spawn().unwrap();
        drop(child.stdout.take());
        let ran = to_its_end(child);
        assert_ne!(ran.status, Some(101), "{args:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn help_lists_every_command_and_what_exit_statuses_mean() {
    let help = Workshop::new().run(["--help"]).ends_with(0);
    let help = help.shows(&["run ", "show ", "explain ", "130  interrupted"]);
    assert!(!help.stdout.contains("relay"), "an inner command is not for people");
}

#[test]
fn the_help_of_run_is_one_screen() {
    let workshop = Workshop::new();
    let help = workshop.run(["run", "--help"]).ends_with(0);
    assert_eq!(help.stdout, workshop.run(["run", "-h"]).stdout);
    assert!(help.stdout.lines().count() <= 50, "{}", help.stdout);
    assert!(help.stdout.lines().all(|line| line.chars().count() <= 100), "{}", help.stdout);
}
