//! The peer contract, held against adapters that break it: each is faithful but for one thing, and plays two jobs,
//! `root-type/nested` and `root-type/object`. What comes of each is told below; and that it comes soon, and that no process
//! survives.
//!
//! The faithful adapters are the mocks of the program under test. Around them are scripts for `sh`, where `adapter` is the
//! faithful one, `say` writes a line, and `rest` is a sleep without an end. `marked` passes on what the adapter is to read,
//! and leaves a mark at the job that the script is about to fail; `fails` is true where it has, once.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::workshop::{PROGRAM, Ran, Workshop, to_its_end, until};

/// What every script may use.
const WORDS: &str = r#"
say() { printf '%s\n' "$1"; }
rest() { while :; do sleep 600; done; }
marked() { while read -r line; do case $line in *root-type/nested*) : > mark ;; esac; say "$line"; done; }
fails() { rm mark 2>/dev/null; }
"#;

/// The variable that all processes of a run inherit, with a value that no other run has.
const MARK: &str = "MCP_COMPAT_TEST_RUN";

/// How long a run may take, whatever its peer does, on a machine that has other work.
const BOUND: Duration = Duration::from_secs(60);

/// What an adapter is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Client,
    HttpServer,
    StdioServer,
}
use Kind::{Client, HttpServer, StdioServer};

impl Kind {
    /// The faithful adapter.
    const fn faithful(self) -> &'static str {
        match self {
            Client => "mock client --adapter --id mock/2025-11-25",
            HttpServer => "mock server --adapter --http --id mock/2025-11-25",
            StdioServer => "mock server --adapter --id mock/2025-11-25",
        }
    }

    const fn role(self) -> &'static str {
        match self {
            Client => "client",
            HttpServer | StdioServer => "server",
        }
    }

    /// The manifest of an adapter that is a script.
    fn manifest(self, script: &str) -> String {
        let key = match self {
            Client => "command",
            HttpServer => "http",
            StdioServer => "stdio",
        };
        let faithful = self.faithful();
        let (about, role) = ("faithful but for one thing", self.role());
        format!(
            "id = \"fake@1.0.0\"\nlanguage = \"sh\"\nabout = \"{about}\"\nrevisions = [\"2025-11-25\"]\n[{role}]\n\
             {key} = [\"sh\", \"-c\", '''{WORDS}adapter() {{ '{PROGRAM}' {faithful}; }}\n{script}''']\n"
        )
    }
}

impl Kind {
    /// Has an adapter that is a script play with a mock; asserts that it does not take for ever and leaves nothing.
    #[track_caller]
    fn run(self, workshop: &Workshop, transport: &str, script: &str, options: &[&str]) -> Ran {
        workshop.write("fake/peer.toml", &self.manifest(script));
        let peers = match self {
            Client => ["--client=fake/peer.toml", "--server=mock/2025-11-25"],
            HttpServer | StdioServer => ["--server=fake/peer.toml", "--client=mock/2025-11-25"],
        };
        let transport = format!("--transport={transport}");
        let began = Instant::now();
        let args = ["run", "--no-peers", &transport].into_iter().chain(peers).chain(options.iter().copied());
        let ran = to_its_end(workshop.command(args).env(MARK, workshop.path()).spawn().unwrap());
        let took = began.elapsed();
        let survivors = || processes(&format!("{MARK}={}", workshop.path().display()));
        until(&format!("{:?} are gone", survivors()), || survivors().is_empty());
        assert!(took < BOUND, "it took {took:?}");
        ran
    }
}

/// How the harness takes what an adapter does.
struct Taken {
    /// The outcomes of the two jobs.
    outcomes: [&'static str; 2],
    /// What the reason of the first says.
    reason: &'static str,
    /// What its author is told of the contract, though no job suffers from it.
    breach: Option<&'static str>,
    /// How long a step may take: little, where it is known that nothing will come.
    timeout: &'static str,
}

/// Both jobs have their value.
const UNHARMED: Taken = Taken { outcomes: ["intact", "intact"], reason: "", breach: None, timeout: "20s" };

/// Neither job is answered.
const HUNG: Taken = Taken { outcomes: ["hung", "hung"], timeout: "500ms", ..UNHARMED };

/// Both jobs have their value, and the author is told.
const fn unharmed_but(breach: &'static str) -> Taken {
    Taken { breach: Some(breach), ..UNHARMED }
}

/// Neither job is answered, and the author is told what came in its place.
const fn hung_with(breach: &'static str) -> Taken {
    Taken { breach: Some(breach), ..HUNG }
}

/// The first job is lost with its process, and the second goes to another one.
const fn lost(reason: &'static str) -> Taken {
    Taken { outcomes: ["crashed", "intact"], reason, ..UNHARMED }
}

/// No process of this adapter can be used.
const fn useless(reason: &'static str) -> Taken {
    Taken { outcomes: ["crashed", "crashed"], reason, ..UNHARMED }
}

/// No session comes about.
const fn refused(reason: &'static str) -> Taken {
    Taken { outcomes: ["unreachable", "unreachable"], reason, ..UNHARMED }
}

/// A test for each adapter: what it is for, what it does, how that is taken.
macro_rules! taken {
    ($($name:ident: $kind:expr, $script:literal => $taken:expr;)*) => {
        $(#[test]
        fn $name() {
            check($kind, $script, &$taken);
        })*
    };
}

taken! {
    a_faithful_client: Client, "adapter" => UNHARMED;
    a_client_that_hangs: Client,
        r#"adapter | { read -r probe; say "$probe"; rest; }"# => HUNG;
    a_client_that_dies_in_the_middle_of_its_answer: Client,
        r#"marked | adapter | while read -r line; do fails && { printf '{"id":1,"st'; kill -9 0; }; say "$line"; done"#
        => lost("signal 9");
    a_client_that_dies_of_every_job: Client,
        r#"adapter | { read -r probe; say "$probe"; read -r answer; echo out of luck >&2; kill -9 0; }"#
        => useless("out of luck");
    a_client_that_answers_twice: Client,
        r#"adapter | while read -r line; do say "$line"; say "$line"; done"# => unharmed_but("answered job 0 twice (and 2 more)");
    a_client_that_answers_what_nobody_asked: Client,
        r#"adapter | while read -r line; do say '{"id":900,"steps":[]}'; say "$line"; done"# => unharmed_but("answered job 900, which was never given to it (and 2 more)");
    a_client_that_answers_nothing_that_was_asked: Client,
        r#"adapter | { read -r probe; say "$probe"; while read -r line; do say '{"id":900,"steps":[]}'; done; }"# => hung_with("answered job 900");
    a_client_that_prints_noise: Client,
        r#"say 'starting up'; adapter | while read -r line; do say 'an answer:'; say "$line"; done"# => unharmed_but("wrote a line that is not an answer: \"starting up\" (and 3 more)");
    a_client_that_floods: Client,
        r#"marked | adapter | while read -r line; do fails && exec yes 'still at it'; say "$line"; done"# => Taken { breach: Some("still at it"), ..lost("10001 lines that are no answers") };
    a_client_that_ignores_sigterm_and_the_end_of_its_input: Client,
        r#"trap '' TERM; adapter; rest"# => UNHARMED;
    a_client_that_leaves_children_behind: Client,
        r#"(trap '' TERM; rest) & sleep 600 & adapter"# => UNHARMED;

    a_faithful_http_server: HttpServer, "adapter" => UNHARMED;
    an_http_server_that_hangs_before_it_says_where_it_is: HttpServer, "rest" => HUNG;
    an_http_server_that_hangs_when_it_is_given_a_script: HttpServer,
        r#"adapter | { read -r url; say "$url"; rest; }"# => HUNG;
    an_http_server_that_dies_of_a_script: HttpServer,
        r#"marked | adapter | while read -r line; do fails && { echo out of luck >&2; kill -9 0; }; say "$line"; done"#
        => lost("out of luck");
    an_http_server_that_dies_in_the_middle_of_a_session: HttpServer,
        r#"marked | adapter | while read -r line; do say "$line"; fails && kill -9 0; done"#
        => lost("");
    an_http_server_that_answers_twice: HttpServer,
        r#"adapter | { read -r url; say "$url"; while read -r line; do say "$line"; say "$line"; done; }"# => unharmed_but("answered job 0 twice");
    an_http_server_that_answers_what_nobody_asked: HttpServer,
        r#"adapter | { read -r url; say "$url"; while read -r line; do say '{"id":900}'; say "$line"; done; }"# => unharmed_but("answered job 900");
    an_http_server_that_answers_nothing_that_was_asked: HttpServer,
        r#"adapter | { read -r url; say "$url"; while read -r line; do say '{"id":900}'; done; }"# => hung_with("answered job 900");
    an_http_server_that_prints_noise: HttpServer,
        r#"adapter | while read -r line; do say "$line"; say 'an answer it was'; done"# => unharmed_but("wrote a line that is not an answer: \"an answer it was\"");
    an_http_server_whose_first_line_is_noise: HttpServer,
        r#"say 'starting up'; adapter"# => useless("starting up");
    an_http_server_that_ignores_sigterm_and_the_end_of_its_input: HttpServer,
        r#"trap '' TERM; adapter; rest"# => UNHARMED;
    an_http_server_that_leaves_children_behind: HttpServer,
        r#"(trap '' TERM; rest) & sleep 600 & adapter"# => UNHARMED;

    a_faithful_stdio_server: StdioServer, "adapter" => UNHARMED;
    a_stdio_server_that_hangs: StdioServer, "adapter | rest" => HUNG;
    a_stdio_server_that_dies_in_the_middle_of_its_answer: StdioServer,
        r#"grep -q root-type/object "$MCP_COMPAT_SCENARIO" && { adapter; exit; }; adapter | { read -r line; printf '{"jsonrpc":"2.0","id":'; kill -9 0; }"#
        => lost("signal 9");
    a_stdio_server_that_dies_of_every_session: StdioServer,
        r#"adapter | { read -r line; say "$line"; echo out of luck >&2; kill -9 0; }"# => useless("out of luck");
    a_stdio_server_that_answers_twice: StdioServer,
        r#"adapter | while read -r line; do say "$line"; say "$line"; done"# => UNHARMED;
    a_stdio_server_that_answers_what_nobody_asked: StdioServer,
        r#"adapter | while read -r line; do say '{"jsonrpc":"2.0","id":900,"result":{}}'; say "$line"; done"# => refused("an answer to 900, which was never asked");
    a_stdio_server_that_prints_noise: StdioServer,
        r#"say 'starting up'; adapter | while read -r line; do say "$line"; say 'an answer it was'; done"# => UNHARMED;
    a_stdio_server_that_ignores_sigterm_and_the_end_of_its_input: StdioServer,
        r#"trap '' TERM; adapter; rest"# => UNHARMED;
    a_stdio_server_that_leaves_children_behind: StdioServer,
        r#"(trap '' TERM; rest) & sleep 600 & adapter"# => UNHARMED;
}

/// Python's SDK starts its servers so. The server is the relay here, which holds back until the client is dead; that its
/// leader is gone from its own group does not save it.
#[test]
fn a_client_that_is_killed_while_its_server_runs_in_a_session_of_its_own() {
    let server = r#"
"$@" | {
    read -r line; printf '%s\n' "$line"; : > started
    while kill -0 "$(cat leader)" 2>/dev/null; do sleep 0.05; done
    cat
}"#;
    let client = r#"echo $$ > leader; (until rm started 2>/dev/null; do sleep 0.05; done; kill -9 0) &
        sed -u '/root-type.nested/s|"command":\[|"command":["setsid","sh","./server.sh",|' | adapter"#;
    let workshop = Workshop::new();
    workshop.write("fake/server.sh", server);
    check_in(&workshop, Client, "stdio", client, &lost("signal 9"));
}

/// It is started again, as those that came before may have been the cause; but not for ever.
#[test]
fn an_http_server_that_dies_of_every_script_is_given_up() {
    let script = r#"echo started >> starts; adapter | { read -r url; say "$url"; read -r answer; echo out of luck >&2; kill -9 0; }"#;
    let workshop = Workshop::new();
    let ran = HttpServer.run(&workshop, "http", script, &["--scenario=number/*", "--jobs=1", "--timeout=20s"]);
    let record = workshop.record();
    let cells = record["cells"].as_array().unwrap();
    assert!(cells.len() > 5 && cells.iter().all(|cell| cell["outcome"] == "crashed"), "{}", ran.stderr);
    let reason = cells.last().unwrap()["reason"].as_str().unwrap();
    assert!(reason.contains("started 5 times without a single answer") && reason.contains("out of luck"), "{reason}");
    let starts = fs::read_to_string(workshop.path().join("fake/starts")).unwrap();
    assert_eq!(starts.lines().count(), 5);
}

/// However often it is asked.
#[test]
fn an_http_server_that_serves_nobody_says_so_in_every_cell() {
    let workshop = Workshop::new();
    let ran = HttpServer.run(&workshop, "http", "exit 127", &["--scenario=number/*", "--jobs=1", "--timeout=20s"]);
    let record = workshop.record();
    let cells = record["cells"].as_array().unwrap();
    assert!(cells.len() > 5 && cells.iter().all(|cell| cell["outcome"] == "unsupported"), "{}", ran.stderr);
}

/// While others are on board, nobody can tell whose doing it was.
#[test]
fn an_adapter_that_dies_of_one_job_takes_no_other_with_it() {
    let script = r#"while read -r line; do
        case $line in *root-type/nested*) sleep 0.2; kill -9 0 ;; *) sleep 0.1; say "$line" ;; esac
    done | adapter"#;
    for kind in [Client, HttpServer] {
        let workshop = Workshop::new();
        let ran = kind.run(&workshop, "http", script, &["--scenario=root-type/*", "--jobs=16", "--timeout=20s"]);
        let record = workshop.record();
        let cells = record["cells"].as_array().unwrap();
        let lost: Vec<_> =
            cells.iter().filter(|cell| cell["outcome"] == "crashed").map(|cell| &cell["scenario"]).collect();
        assert!(cells.len() > 3 && lost == ["root-type/nested"], "{lost:?}\n{}", ran.stderr);
    }
}

/// Has an adapter play two jobs, and looks at what comes of it.
#[track_caller]
fn check(kind: Kind, script: &str, taken: &Taken) {
    let transport = if kind == StdioServer { "stdio" } else { "http" };
    check_in(&Workshop::new(), kind, transport, script, taken);
}

#[track_caller]
fn check_in(workshop: &Workshop, kind: Kind, transport: &str, script: &str, taken: &Taken) {
    let options = ["--scenario=root-type/nested", "--scenario=root-type/object", "--jobs=1"];
    let timeout = format!("--timeout={}", taken.timeout);
    let ran = kind.run(workshop, transport, script, &[&options[..], &[&timeout]].concat());
    let record = workshop.record();
    let cells = record["cells"].as_array().unwrap();
    let told: Vec<_> = cells.iter().map(|cell| (&cell["outcome"], &cell["fault"], &cell["reason"])).collect();
    let outcomes: Vec<&Value> = told.iter().map(|(outcome, ..)| *outcome).collect();
    assert_eq!(outcomes, taken.outcomes, "{told:#?}\n{}", ran.stderr);
    assert!(told[0].2.as_str().unwrap().contains(taken.reason), "{told:#?}");
    let broken = cells.iter().filter(|cell| cell["rating"] == "breaks");
    assert!(broken.clone().all(|cell| cell["fault"] == kind.role()), "{told:#?}");
    match taken.breach {
        Some(breach) => assert!(ran.stderr.contains(breach), "{}", ran.stderr),
        None => assert!(!ran.stderr.contains("breaks the peer contract"), "{}", ran.stderr),
    }
    ran.ends_with(i32::from(broken.count() > 0));
}

/// The command lines of the processes that have this in their environment. A zombie is none: it waits to be buried.
fn processes(variable: &str) -> Vec<String> {
    let is_dead = |process: &Path| {
        let status = fs::read_to_string(process.join("stat")).unwrap_or_default();
        status.rsplit(") ").next().is_none_or(|rest| rest.is_empty() || rest.starts_with(['Z', 'X']))
    };
    let marked = |process: &Path| {
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == variable.as_bytes())
    };
    let all = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let found = all.filter(|process| marked(process) && !is_dead(process));
    found.map(|process| fs::read_to_string(process.join("cmdline")).unwrap_or_default().replace('\0', " ")).collect()
}
