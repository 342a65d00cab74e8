//! An interruption: what was measured is reported, and nothing of what was started is left.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Child;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::workshop::{Ran, Workshop, to_its_end, until};

/// A client that answers the probe, starts processes, writes down their ids, and then hangs, whatever it is told. Of the
/// processes one is in its group, one has left it, and one has left it and lost its parent.
const HANGING: &str = r#"id = "hanging@1.0.0"
language = "sh"
about = "hangs"
revisions = ["2025-11-25"]
[client]
command = ["sh", "-c", '''
read -r line; id=${line#*\"id\":}; id=${id%%,*}; printf '{"id":%s,"unsupported":"unknown step"}\n' "$id"
trap '' TERM INT HUP; read -r job; sleep 600 & in_group=$!; setsid sleep 600 & out_of_group=$!
orphan=$(sh -c 'setsid sleep 600 >/dev/null & echo $!'); echo $in_group $out_of_group $orphan $$ > pids.new; mv pids.new pids; while :; do wait; done''']
"#;

/// A run with a mock's cell that ends at once, and one that hangs for the step's time.
fn begin(workshop: &Workshop) -> Child {
    workshop.write("hanging/peer.toml", HANGING);
    let peers = ["--client=hanging/peer.toml", "--client=mock/2025-11-25", "--server=mock/2025-11-25"];
    let args = ["run", "--no-peers", "--scenario=root-type/object", "--timeout=60s", "--transport=http"];
    workshop.command(args.into_iter().chain(peers)).spawn().unwrap()
}

/// Waits until the hanging client has its job, and gives the ids of its processes.
fn processes(workshop: &Workshop) -> Vec<i32> {
    let path = workshop.path().join("hanging/pids");
    until("the client has its job", || path.exists());
    fs::read_to_string(path).unwrap().split_whitespace().map(|id| id.parse().unwrap()).collect()
}

fn interrupt(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
}

/// A process that is there and is no zombie, which only waits to be buried by whoever inherited it.
pub(crate) fn is_alive(id: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    status.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

fn interrupted_by(signal: Signal) -> (Workshop, Ran, Vec<i32>) {
    let workshop = Workshop::new();
    let child = begin(&workshop);
    let processes = processes(&workshop);
    assert!(processes.iter().all(|id| is_alive(*id)));
    interrupt(&child, signal);
    let ran = to_its_end(child);
    (workshop, ran, processes)
}

#[test]
fn what_was_measured_is_reported_as_incomplete() {
    let (workshop, ran, _) = interrupted_by(Signal::SIGINT);
    ran.ends_with(130).says(&["testing 2 checks", "interrupted"]).shows(&["INCOMPLETE"]);
    assert_eq!(workshop.record()["complete"], false);
}

#[test]
fn nothing_that_was_started_is_left() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let (_workshop, ran, processes) = interrupted_by(signal);
        ran.ends_with(130);
        until("its processes are gone", || !processes.iter().any(|id| is_alive(*id)));
    }
}

/// A process that starts its successor in a session of its own and ends, many times a second. It ends after a while.
const CHAIN: &str = r#"[ "$1" -gt 0 ] || exit 0; sleep 0.01; setsid sh "$0" $(($1 - 1)) & exit 0"#;

#[test]
fn an_orphan_that_forks_and_ends_all_the_time_is_ended() {
    let workshop = Workshop::new();
    workshop.write("chain.sh", CHAIN);
    workshop.write("server.sh", "sh chain.sh 5000 < /dev/null > /dev/null 2>&1 & touch begun");
    workshop.run(["audit", "--", "sh", "server.sh"]).ends_with(2);
    assert!(workshop.path().join("begun").exists());
    let is_of_chain = |id: &i32| {
        let command = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let folder = fs::read_link(format!("/proc/{id}/cwd")).unwrap_or_default();
        folder == workshop.path() && String::from_utf8_lossy(&command).contains("chain.sh")
    };
    for _ in 0..100 {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let left = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).find(is_of_chain);
        assert_eq!(left, None);
    }
}

#[test]
fn a_second_interruption_ends_at_once_and_leaves_nothing_either() {
    let workshop = Workshop::new();
    let mut child = begin(&workshop);
    let processes = processes(&workshop);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    interrupt(&child, Signal::SIGINT);
    let mut line = String::new();
    while !line.contains("interrupted") {
        line.clear();
        assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "it did not say that it was interrupted");
    }
    interrupt(&child, Signal::SIGINT);
    to_its_end(child).ends_with(130);
    until("its processes are gone", || !processes.iter().any(|id| is_alive(*id)));
}

#[test]
fn a_set_up_is_ended_too_and_nothing_is_played() {
    let workshop = Workshop::new();
    let setup = "echo $$ > {build}/new; mv {build}/new {build}/pid; exec sleep 600";
    let manifest = HANGING.replace("[client]", &format!("[setup]\ncommand = [\"sh\", \"-c\", \"{setup}\"]\n[client]"));
    workshop.write("hanging/peer.toml", &manifest);
    let child = workshop.command(["run", "--no-peers", "--client=hanging/peer.toml"]).spawn().unwrap();
    let path = workshop.path().join("target/mcp-compat-peers/sh/pid");
    until("the installation runs", || path.exists());
    let id = fs::read_to_string(path).unwrap().trim().parse().unwrap();
    interrupt(&child, Signal::SIGINT);
    to_its_end(child).ends_with(130).says(&["interrupted while SDK releases were being installed: nothing was tested"]);
    until("it is gone", || !is_alive(id));
    assert!(!workshop.has_record());
}

#[test]
fn time_that_runs_out_is_told_and_fails() {
    let workshop = Workshop::new();
    workshop.write("hanging/peer.toml", HANGING);
    let peers = ["--client=hanging/peer.toml", "--server=mock/2025-11-25", "--transport=http"];
    let args = ["run", "--no-peers", "--scenario=root-type/object", "--timeout=60s", "--run-timeout=2s"];
    let ran = workshop.run(args.into_iter().chain(peers)).ends_with(1);
    ran.says(&["the time of --run-timeout is over", "0 of 1 checks were done"])
        .shows(&["INCOMPLETE", "Nothing was tested."]);
}

#[test]
fn an_audit_that_is_interrupted_reports_what_it_has() {
    let ran = interrupted_audit("hangs-at-tools/call");
    ran.shows(&[
        "The audit was interrupted, so this report is incomplete: 2 tools not called",
        ": not tested (interrupted)",
    ]);
}

/// To look at all schemas of the server takes longer than an interruption waits.
#[test]
fn an_audit_of_many_schemas_that_is_interrupted_reports_what_it_has() {
    interrupted_audit("many-schemas").shows(&[
        "The audit was interrupted, so this report is incomplete: 2 tools not called",
        ": not tested (interrupted)",
    ]);
}

/// An audit of a server that hangs at the first call, interrupted there.
fn interrupted_audit(way: &str) -> Ran {
    let workshop = Workshop::new();
    workshop.write("hostile.py", include_str!("hostile_server.py"));
    let args = ["audit", "--timeout=600s", "--", "python3", "hostile.py", way];
    let child = workshop.command(args).spawn().unwrap();
    until("a tool is called", || workshop.path().join("hangs").exists());
    interrupt(&child, Signal::SIGINT);
    let began = Instant::now();
    let ran = to_its_end(child).ends_with(130).says(&["interrupted: ending all processes"]);
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    ran
}
