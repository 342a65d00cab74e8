//! Known breaks pass, news fails, and a baseline that cannot be meant is told with the corrected line.

use crate::workshop::{BROKEN_CELL, ONE_CELL, Ran, Workshop, to_its_end};

const CELL: &str = "invalid-result/extra-property::mock/dual/skip+auto::mock/dual::memory";

fn broken(cells: &str) -> String {
    format!("[[broken]]\ncells = \"{cells}\"\nreason = \"it does not validate\"\nissue = \"https://example.org/7\"\n")
}

fn play(args: &[&str], baseline: &str) -> Ran {
    let workshop = Workshop::new();
    workshop.write("known.toml", baseline);
    let args = args.iter().filter(|arg| **arg != "--baseline=none");
    workshop.run(args.chain(&["--baseline", "known.toml"]))
}

#[test]
fn without_a_baseline_a_break_fails() {
    Workshop::new().run(BROKEN_CELL).ends_with(1).shows(&["1 break"]);
}

#[test]
fn a_known_break_passes() {
    play(&BROKEN_CELL, &broken(CELL)).ends_with(0).shows(&["What is lost", "nothing new: 1 known break"]);
    play(&BROKEN_CELL, &broken(CELL).replace("broken", "flaky")).ends_with(0).shows(&["nothing new: 1 known break"]);
}

#[test]
fn a_break_that_it_does_not_know_fails() {
    let other = broken("invalid-result/nested::mock/dual/skip+auto::mock/dual::memory");
    play(&BROKEN_CELL, &other).ends_with(1).shows(&["1 break"]);
}

#[test]
fn an_entry_that_no_longer_holds_fails() {
    let stale = broken("root-type/object::mock/dual+auto::mock/dual::*");
    play(&ONE_CELL, &stale).ends_with(1).shows(&["is stale", "root-type/object", "1 stale entry"]);
    play(&ONE_CELL, &stale.replace("broken", "flaky")).ends_with(0);
}

#[test]
fn an_entry_about_cells_that_are_not_played_now_is_no_news() {
    play(&ONE_CELL, &broken(CELL)).ends_with(0);
}

#[test]
fn an_entry_that_matches_nothing_is_told_with_the_corrected_line() {
    let ran = play(&BROKEN_CELL, &broken(&CELL.replace("extra-property", "extra-propety"))).ends_with(2);
    ran.says(&["matches no check of the matrix", &format!("the nearest is `cells = \"{CELL}\"`")]);
}

#[test]
fn a_contradiction_is_told_with_both_entries() {
    let both = format!("{}{}", broken(CELL), broken("invalid-result/*").replace("broken", "flaky"));
    let ran = play(&BROKEN_CELL, &both).ends_with(2);
    ran.says(&["contradicts itself", CELL, "cells = \"invalid-result/*\"", "keep one of them"]);
    let of_cause = |cells: &str, cause: &str| format!("{}cause = \"{cause}\"\n", broken(cells));
    let flaky = of_cause(CELL, "client:uncaught:*").replace("broken", "flaky");
    let of_the_same = format!("{}{flaky}", of_cause("invalid-result/*", "client:*"));
    play(&BROKEN_CELL, &of_the_same).ends_with(2).says(&["contradicts itself"]);
    let of_another = format!("{}{flaky}", of_cause("invalid-result/*", "server:*"));
    play(&BROKEN_CELL, &of_another).ends_with(1).shows(&["1 known break", "1 stale entry"]);
}

#[test]
fn a_mistake_in_it_is_told_with_its_line() {
    let ran = play(&BROKEN_CELL, &broken(CELL).replace("reason =", "raeson =")).ends_with(2);
    ran.says(&["known.toml", "line 3", "raeson"]);
    let ran = play(&BROKEN_CELL, &format!("{}version = \"rmcp three\"\n", broken(CELL))).ends_with(2);
    ran.says(&["rmcp three", "rmcp < 3.0.0"]);
    let workshop = Workshop::new();
    let args = BROKEN_CELL[..7].iter().copied().chain(["--baseline", "absent.toml"]);
    workshop.run(args).ends_with(2).says(&["cannot read the baseline absent.toml"]);
}

#[test]
fn an_entry_may_speak_of_a_peer_that_takes_no_part_now() {
    let workshop = Workshop::new();
    workshop.write(
        "peers/sh/it/peer.toml",
        "id = \"it@1.0.0\"\nlanguage = \"sh\"\nabout = \"a peer\"\nrevisions = [\"2025-11-25\"]\n\
         [setup]\ncommand = [\"false\"]\n[client]\ncommand = [\"true\"]\n",
    );
    workshop.write("known.toml", &broken("*::it@1.0.0::mock/dual::*"));
    workshop.run(ONE_CELL.into_iter().chain(["--baseline", "known.toml"])).ends_with(0);
}

#[test]
fn a_baseline_begins_even_where_nothing_breaks() {
    let workshop = Workshop::new();
    let args = || ONE_CELL.into_iter().chain(["--baseline", "known.toml"]);
    to_its_end(workshop.command(args()).env("MCP_COMPAT_BASELINE", "update").spawn().unwrap()).ends_with(0);
    workshop.run(args()).ends_with(0);
}

/// Like a snapshot review: the file is made anew, and the next run holds.
#[test]
fn a_baseline_is_made_anew_where_the_user_says_so() {
    let workshop = Workshop::new();
    let args = || BROKEN_CELL[..7].iter().copied().chain(["--baseline", "known.toml"]);
    let update = |word: &str| to_its_end(workshop.command(args()).env("MCP_COMPAT_BASELINE", word).spawn().unwrap());
    workshop.run(args()).ends_with(2).says(&["cannot read the baseline known.toml", "MCP_COMPAT_BASELINE=update"]);
    update("yes").ends_with(2).says(&["\"yes\"", "can only be `update`"]);
    update("update").ends_with(0).says(&["the baseline: 1 entry added"]);
    workshop.run(args()).ends_with(0);
    update("update").ends_with(0).says(&["the baseline: nothing to change"]);
    let without = workshop.command(&BROKEN_CELL[..7]).env("MCP_COMPAT_BASELINE", "update").spawn().unwrap();
    to_its_end(without).ends_with(2).says(&["no --baseline FILE is given"]);
}
