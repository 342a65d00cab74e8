//! `run --watch`: an edit is played, and what became of it is told; mistakes are told and waited for.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::workshop::{OWN, Ran, Workshop, to_its_end};

/// How long a line may be waited for.
const PATIENCE: Duration = Duration::from_secs(60);

const WATCH: [&str; 8] = [
    "run",
    "--watch",
    "--scenarios=mine",
    "--no-corpus",
    "--no-peers",
    "--transport=memory",
    "--client=mock/dual+auto",
    "--server=mock/dual",
];

/// A watch, and the lines that it prints.
struct Watched {
    child: Child,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
}

impl Watched {
    fn begin(workshop: &Workshop, more: &[&str]) -> Self {
        let mut child = workshop.command(WATCH.iter().chain(more)).spawn().unwrap();
        let stdout: ChildStdout = child.stdout.take().unwrap();
        let stderr = child.stderr.take().unwrap();
        Self { stdout: lines(BufReader::new(stdout)), stderr: lines(BufReader::new(stderr)), child }
    }

    /// Waits for a line on stdout with these words, and gives all lines up to it.
    #[track_caller]
    fn shows(&self, words: &str) -> String {
        wait(&self.stdout, words)
    }

    /// Waits for a line on stderr with these words, and gives all lines up to it.
    #[track_caller]
    fn says(&self, words: &str) -> String {
        wait(&self.stderr, words)
    }

    fn interrupt(self) -> Ran {
        kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), Signal::SIGINT).unwrap();
        to_its_end(self.child)
    }
}

fn lines(reader: impl BufRead + Send + 'static) -> Receiver<String> {
    let (send, receive) = channel();
    thread::spawn(move || {
        for line in reader.lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    receive
}

#[track_caller]
fn wait(lines: &Receiver<String>, words: &str) -> String {
    let mut seen = String::new();
    loop {
        let Ok(line) = lines.recv_timeout(PATIENCE) else { panic!("in vain: {words:?}; there was:\n{seen}") };
        seen += &line;
        seen.push('\n');
        if line.contains(words) {
            return seen;
        }
    }
}

fn with_two() -> Workshop {
    let workshop = Workshop::new();
    workshop.write("mine/bugs/count.toml", OWN);
    workshop.write("mine/bugs/other.toml", OWN);
    workshop
}

#[test]
fn an_edit_is_played_and_what_became_of_it_is_told() {
    let workshop = with_two();
    let watched = Watched::begin(&workshop, &[]);
    watched.shows("nothing breaks: 2 work");
    watched.says("watching mine; Ctrl-C ends");
    workshop.write("mine/bugs/count.toml", &OWN.replace(r#"{"n": 3},"#, r#"{"n": "3"},"#));
    let round = watched.shows("round 2");
    assert!(round.contains("bugs/count\n  intact → rejected (mock/dual+auto with mock/dual over memory)\n"), "{round}");
    assert!(round.contains("round 2: 1 check in") && !round.contains("bugs/other"), "{round}");
    let record = workshop.record();
    assert_eq!(
        (record["cells"].as_array().unwrap().len(), &record["complete"]),
        (2, &true.into()),
        "the other is kept"
    );
    workshop.run(["show", "bugs/other::mock/dual+auto::mock/dual::memory"]).ends_with(0).shows(&["intact"]);
    workshop.write("mine/bugs/count.toml", OWN);
    assert!(watched.shows("round 3").contains("rejected → intact"));
    watched.interrupt().ends_with(0);
}

#[test]
fn a_mistake_is_told_and_waited_for() {
    let workshop = with_two();
    let watched = Watched::begin(&workshop, &[]);
    watched.says("watching mine");
    workshop.write("mine/bugs/count.toml", &OWN.replace("returns", "retruns"));
    let told = watched.says("the nearest key is `returns`");
    assert!(told.contains("mine/bugs/count.toml:9:1"), "{told}");
    workshop.write("mine/bugs/count.toml", OWN);
    watched.says("no content has changed");
    watched.interrupt().ends_with(0);
}

#[test]
fn scenarios_come_and_go() {
    let workshop = with_two();
    let watched = Watched::begin(&workshop, &["--format=markdown=round.md"]);
    watched.says("watching mine");
    assert!(workshop.path().join("round.md").is_file());
    std::fs::remove_file(workshop.path().join("mine/bugs/other.toml")).unwrap();
    assert!(watched.shows("round 2").contains("bugs/other\n  gone\nround 2: nothing to test"));
    workshop.write("mine/more/new.toml", OWN);
    assert!(watched.shows("round 3").contains("more/new\n  new: intact in 1 check"));
    watched.interrupt().ends_with(0);
}

#[test]
fn a_manifest_that_changes_is_played_again() {
    let workshop = with_two();
    let manifest = |about: &str| {
        format!(
            "id = \"it@1.0.0\"\nlanguage = \"sh\"\nabout = \"{about}\"\nrevisions = [\"2025-11-25\"]\n[client]\ncommand = [\"false\"]\n"
        )
    };
    workshop.write("peer/peer.toml", &manifest("one"));
    let watched = Watched::begin(&workshop, &["--client=peer/peer.toml", "--transport=stdio"]);
    watched.says("watching mine");
    workshop.write("peer/peer.toml", &manifest("another"));
    let round = watched.shows("round 2");
    assert!(round.contains("round 2: 2 checks in"), "only the peer's cells, one a scenario: {round}");
    watched.interrupt().ends_with(0);
}

#[test]
fn there_must_be_something_to_watch() {
    let workshop = Workshop::new();
    let ran = workshop.run(["run", "--watch", "--no-peers"]).ends_with(2);
    ran.says(&["--watch has nothing to watch", "--scenarios DIR"]);
    assert!(!workshop.has_record());
    workshop.write("mine/bugs/count.toml", OWN);
    let words = WATCH.iter().chain(&["--format=json"]);
    workshop.run(words).ends_with(2).says(&["--watch prints each round for people", "--format json=FILE"]);
    workshop
        .run(["run", "--watch", "--no-peers", "--scenarios", "absent"])
        .ends_with(2)
        .says(&["cannot read the scenarios in absent"]);
}
