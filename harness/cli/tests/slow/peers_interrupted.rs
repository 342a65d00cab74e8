//! Set-ups that meet, are interrupted or are killed: one waits for the other, and a half of one is never taken for it.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Child;
use std::thread;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::family::{Family, shared, workshop};
use crate::interruption::is_alive;
use crate::workshop::{Workshop, to_its_end, until};

/// Begins, says so, and ends when it is let go.
const HELD: &str =
    "echo $$ >> {build}/begun; touch half; while test ! -e {build}/go; do sleep 0.02; done; echo whole > whole";

fn begin(workshop: &Workshop) -> Child {
    let child = workshop.command(["peers", "install", "sdk@1.0.0"]).spawn().unwrap();
    until("the installation has begun", || shared(workshop, "begun").ends_with('\n'));
    child
}

fn let_go(workshop: &Workshop) {
    workshop.write("target/mcp-compat-peers/sh/go", "");
}

fn signal(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
}

fn begun(workshop: &Workshop) -> Vec<i32> {
    shared(workshop, "begun").lines().map(|id| id.parse().unwrap()).collect()
}

#[test]
fn the_second_of_two_waits_and_says_so_and_finds_it_done() {
    let workshop = workshop(&Family::of(HELD));
    let first = begin(&workshop);
    let mut second = workshop.command(["peers", "install", "sdk@1.0.0"]).spawn().unwrap();
    let mut said = String::new();
    let mut lines = BufReader::new(second.stderr.take().unwrap());
    lines.read_line(&mut said).unwrap();
    assert_eq!(said, "sdk@1.0.0: waiting for another installation of sh releases to end\n");
    let rest = thread::spawn(move || lines.lines().count());
    let_go(&workshop);
    to_its_end(first).ends_with(0).shows(&["1 release installed, 0 already installed before"]);
    to_its_end(second).ends_with(0).shows(&["0 releases installed, 1 already installed before"]);
    rest.join().unwrap();
    assert_eq!(begun(&workshop).len(), 1);
}

#[test]
fn an_interruption_ends_what_was_started_and_the_same_command_goes_on() {
    let workshop = workshop(&Family::of(HELD));
    let child = begin(&workshop);
    signal(&child, Signal::SIGINT);
    to_its_end(child).ends_with(130).says(&["interrupted", "the same command continues from there"]);
    let processes = begun(&workshop);
    until("its processes are gone", || !processes.iter().any(|id| is_alive(*id)));
    workshop.run(["peers", "list"]).shows(&["unfinished         1 MB  sdk@1.0.0"]);
    let_go(&workshop);
    workshop.run(["peers", "install", "sdk@1.0.0"]).ends_with(0).shows(&["1 release installed"]);
    let whole = workshop.path().join("target/mcp-compat-peers/homes/sdk/1.0.0/sdk/whole");
    assert_eq!(fs::read_to_string(whole).unwrap(), "whole\n");
}

/// Nobody can end what a killed program started. The next one waits for it, so as not to build into the same folder.
#[test]
fn after_a_kill_what_is_still_running_is_waited_for_and_all_is_begun_anew() {
    let workshop = workshop(&Family::of(HELD));
    let mut killed = begin(&workshop);
    signal(&killed, Signal::SIGKILL);
    killed.wait().unwrap();
    let orphan = begun(&workshop)[0];
    assert!(is_alive(orphan));
    let mut second = workshop.command(["peers", "install", "sdk@1.0.0"]).spawn().unwrap();
    let mut said = String::new();
    let mut lines = BufReader::new(second.stderr.take().unwrap());
    lines.read_line(&mut said).unwrap();
    assert!(said.contains("waiting for another installation"), "{said}");
    let rest = thread::spawn(move || lines.lines().count());
    assert_eq!(begun(&workshop), [orphan], "nothing is built while it runs");
    let_go(&workshop);
    to_its_end(second).ends_with(0).shows(&["1 release installed"]);
    rest.join().unwrap();
    assert_eq!(begun(&workshop).len(), 2);
    workshop.run(["peers", "list"]).shows(&["installed          1 MB  sdk@1.0.0"]);
}
