//! Chromium, spoken to over its DevTools protocol.
//!
//! With `--remote-debugging-pipe` the browser reads commands from its descriptor 3 and writes answers and events to its
//! descriptor 4: JSON, each message ended by a NUL. A shell renames the standard streams, so there is no port, no socket
//! and no further crate. The browser ends when the pipe does, which is when this program ends.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use serde_json::{Value, json};

use crate::skip::skipped;

/// How long an answer or an event may take. Other tests may have the processors.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where the browser keeps its files.
const PROFILE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/browser/profile");

/// The names under which a browser without windows is installed.
const NAMES: [&str; 4] = ["chromium-headless-shell", "chrome-headless-shell", "chromium", "google-chrome"];

static BROWSER: LazyLock<Option<Mutex<Chromium>>> =
    LazyLock::new(|| program().map(|program| Mutex::new(Chromium::start(&program))));

/// Runs a test with the one browser of this program, or skips it.
pub(crate) fn with_browser(test: impl FnOnce(&mut Chromium)) {
    match &*BROWSER {
        Some(browser) => test(&mut browser.lock().unwrap_or_else(PoisonError::into_inner)),
        None => skipped("no chromium: install chromium-headless-shell, or name a program with CHROMIUM"),
    }
}

/// The browser that `CHROMIUM` names, or that is installed.
fn program() -> Option<PathBuf> {
    if let Some(named) = env::var_os("CHROMIUM") {
        return Some(named.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let found = NAMES.iter().flat_map(|name| env::split_paths(&path).map(move |folder| folder.join(name)));
    found.into_iter().find(|program| program.is_file())
}

/// The browser.
pub(crate) struct Chromium {
    commands: ChildStdin,
    messages: Receiver<Value>,
    events: VecDeque<Value>,
    last: u64,
}

impl Chromium {
    fn start(program: &Path) -> Self {
        let _ = fs::remove_dir_all(PROFILE);
        fs::create_dir_all(PROFILE).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null"#]).arg(program);
        command.args(["--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu"]);
        command.args(["--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update"]);
        // A request that leaves would find nobody; the tests look for it all the same.
        command.arg("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1");
        command.arg(format!("--user-data-dir={PROFILE}"));
        if fs::metadata(PROFILE).unwrap().uid() == 0 {
            // Chromium refuses to start its sandbox as root.
            command.arg("--no-sandbox");
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (commands, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (told, messages) = mpsc::channel();
        thread::spawn(move || {
            let mut answers = BufReader::new(answers);
            loop {
                let mut message = Vec::new();
                match answers.read_until(0, &mut message) {
                    Ok(1..) => drop(message.pop()),
                    Ok(0) | Err(_) => break,
                }
                if told.send(serde_json::from_slice(&message).unwrap()).is_err() {
                    break;
                }
            }
            let _ = child.wait();
        });
        Self { commands, messages, events: VecDeque::new(), last: 0 }
    }

    /// What a command gives.
    ///
    /// # Errors
    /// With what the browser says against it.
    pub(crate) fn ask(&mut self, session: Option<&str>, method: &str, parameters: Value) -> Result<Value, String> {
        self.last += 1;
        let mut command = json!({"id": self.last, "method": method, "params": parameters});
        if let Some(session) = session {
            command["sessionId"] = session.into();
        }
        let mut bytes = command.to_string().into_bytes();
        bytes.push(0);
        self.commands.write_all(&bytes).unwrap_or_else(|error| panic!("the browser is gone: {error}"));
        loop {
            let mut message = self.next(method);
            if message["id"] != self.last {
                self.events.push_back(message);
            } else if message["error"].is_null() {
                return Ok(message["result"].take());
            } else {
                return Err(format!("{method}: {}", message["error"]["message"]));
            }
        }
    }

    /// The events of a session that have arrived. An answer is read after all that happened before it.
    pub(crate) fn events(&mut self, session: &str) -> VecDeque<Value> {
        let (own, others) = self.events.drain(..).partition(|event| event["sessionId"] == session);
        self.events = others;
        own
    }

    /// The next event of a session; events of sessions that are gone are dropped.
    pub(crate) fn event(&mut self, session: &str) -> Value {
        loop {
            let event = self.events.pop_front().unwrap_or_else(|| self.next("an event"));
            if event["sessionId"] == session {
                return event;
            }
        }
    }

    fn next(&self, awaited: &str) -> Value {
        let since = Instant::now();
        self.messages
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|error| panic!("no {awaited} from the browser after {:?}: {error}", since.elapsed()))
    }
}
