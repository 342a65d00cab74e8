//! Servers that are made to take time and memory, each in one way. `audit` ends within its bounds and says what it met.
//!
//! The bounds are for a debug build on a machine that does other work as well, so they are loose.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::python;
use crate::watchdog::{Watched, watched};
use crate::workshop::Workshop;

/// How long an audit may take.
const TIME: Duration = Duration::from_secs(180);

/// How long each list and call may take, and the start, of a server that never answers: the deadline that an audit keeps.
const SHORT: [&str; 2] = ["--timeout=2s", "--start-timeout=4s"];

/// How long they may take of a server that answers, with more than is read: on a busy machine it needs some of that.
const LONG: [&str; 2] = ["--timeout=60s", "--start-timeout=60s"];

/// A way to misbehave, the exit status, and what the audit says.
type Row = (&'static str, i32, &'static str);

const OVER_STDIO: [Row; 23] = [
    ("endless-pages", 0, "the list was cut after 5000 tools"),
    ("one-cursor", 1, "so the list has no end"),
    ("many-of-one-name", 0, "unique"),
    ("long-list", 2, "tools/list failed: a message of more than 16777216 bytes"),
    ("long-text", 0, "a message of more than 16777216 bytes"),
    ("many-values", 0, "at most 50000 are replayed"),
    ("too-many-values", 0, "a message of the server has more than 1,000,000 values"),
    ("batches", 0, "the server sent more than 200,000 messages"),
    ("many-names", 0, "at most 50000 are replayed"),
    ("many-blocks", 0, "at most 50000 are replayed"),
    ("large-results", 0, "longer than 8 MB, and mcp-compat did not read all of that"),
    ("no-newline", 2, "tools/list failed"),
    ("notifications", 2, "listed no tools"),
    ("floods-standard-error", 0, "no errors"),
    ("another-id", 1, "whose id belongs to no open request"),
    (
        "banner",
        2,
        "listening on standard input the server wrote nothing to standard error The program runs and does not answer what is sent to its standard input. If it serves HTTP, start it yourself",
    ),
    ("hangs-at-initialize", 1, "no session within 4000 ms"),
    ("hangs-at-tools/list", 1, "needs longer to list its tools, raise `--timeout`"),
    ("hangs-at-tools/call", 1, "no answer within 2000 ms. If it needs longer, raise `--timeout`"),
    ("ends-at-tools/list", 1, "no tools are listed"),
    ("ends-at-tools/call", 1, "call with {}: the server ended"),
    ("ends-at-one-tool", 1, "see: called, fine"),
    (
        "ends-at-every-call",
        1,
        "look_4 not called: the server had ended before. To audit it alone, give `--tool look_4`",
    ),
];

const OVER_HTTP: [Row; 12] = [
    ("endless-pages", 0, "the list was cut after 5000 tools"),
    ("huge-header", 2, "no HTTP response from the server"),
    ("redirects", 2, "HTTP status 307, a redirect, which is not followed"),
    ("wants-a-token", 2, "wants authorization (HTTP status 401). Give a valid token with `--header 'Authorization: "),
    ("wants-a-token-to-list", 2, "wants authorization (HTTP status 403). Give a valid token with `--header"),
    ("trickle", 1, "no answer within 2000 ms"),
    ("endless-body", 1, "a message of more than 16777216 bytes"),
    ("comments", 1, "no answer within 2000 ms"),
    ("events", 2, "listed no tools"),
    ("hangs-at-tools/list", 1, "no answer within 2000 ms"),
    ("ends-at-tools/list", 1, "no tools are listed"),
    ("hangs-at-tools/call", 1, "no answer within 2000 ms"),
];

/// The ways that cost time and no processor.
const WAITING: [&str; 6] =
    ["banner", "hangs-at-initialize", "hangs-at-tools/list", "hangs-at-tools/call", "trickle", "comments"];

#[test]
fn an_audit_of_a_hostile_server_ends_within_bounds() {
    let workshop = Workshop::new();
    workshop.write("hostile.py", include_str!("hostile_server.py"));
    let audit = |way: &str| {
        let options = ["audit"].into_iter().chain(options_for(way));
        watched(workshop.command(options.chain(["--", "python3", "hostile.py", way])), TIME)
    };
    all_are(&OVER_STDIO, audit);
}

/// What the audit of a server that misbehaves in this way is asked for.
fn options_for<'a>(way: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    // Of endless events there is never an answer either, and they keep the processor busy.
    let deadlines = if WAITING.contains(&way) || way == "events" { SHORT } else { LONG };
    // Of endless pages one tool is audited: thousands take a debug build minutes.
    deadlines.into_iter().chain((way == "endless-pages").then_some("--tool=p0_1"))
}

/// A server over HTTP, which ends with this value.
struct Serving {
    process: Child,
    url: String,
}

impl Serving {
    fn start(workshop: &Workshop, way: &str) -> Self {
        let mut command = Command::new("python3");
        command.args(["hostile.py", way, "http"]).current_dir(workshop.path()).env("PATH", python::search_path());
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut port).unwrap();
        Self { process, url: format!("http://127.0.0.1:{}/mcp", port.trim()) }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn an_audit_of_a_hostile_address_ends_within_bounds() {
    let workshop = Workshop::new();
    workshop.write("hostile.py", include_str!("hostile_server.py"));
    let audit = |way: &str| {
        let server = Serving::start(&workshop, way);
        let options = ["audit"].into_iter().chain(options_for(way));
        watched(workshop.command(options.chain(["--url", &server.url])), TIME)
    };
    all_are(&OVER_HTTP, audit);
}

/// How many of the audits that keep the processor busy go on at once.
const LANES: usize = 3;

/// Audits in each way, and compares all outcomes at once. A server that only lets wait is audited beside the others.
fn all_are(rows: &[Row], audit: impl Fn(&str) -> Watched + Sync) {
    let (waiting, busy): (Vec<_>, Vec<_>) = rows.iter().partition(|(way, ..)| WAITING.contains(way));
    let wrong = thread::scope(|scope| {
        let audit = &audit;
        let waiting: Vec<_> = waiting.into_iter().map(|row| scope.spawn(move || differs(row, audit))).collect();
        let busy: Vec<_> = (0..LANES)
            .map(|lane| {
                let rows: Vec<&Row> = busy.iter().copied().skip(lane).step_by(LANES).collect();
                scope.spawn(move || rows.into_iter().map(|row| differs(row, audit)).collect())
            })
            .collect();
        waiting.into_iter().chain(busy).map(|thread| thread.join().unwrap()).collect::<String>()
    });
    assert!(wrong.is_empty(), "{wrong}");
}

/// What an audit in one way shows in place of what it has to, or nothing.
fn differs((way, status, words): &Row, audit: impl Fn(&str) -> Watched) -> String {
    let began = Instant::now();
    let Watched { status: ended, written } = audit(way);
    // A report breaks its lines between words.
    let unbroken = written.split_whitespace().collect::<Vec<_>>().join(" ");
    if ended == Some(*status) && unbroken.contains(words) {
        return String::new();
    }
    let took = began.elapsed();
    format!("\n{way}: expected {status} and {words:?}, ended with {ended:?} after {took:?}:\n{written}")
}
