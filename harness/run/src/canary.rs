//! The canary: an HTTP server that a schema's `$ref` points to, and that must get no request.
//!
//! No peer may fetch an address only because a schema names it
//! (<https://modelcontextprotocol.io/specification/2026-07-28/basic/index#ref-resolution>). Each cell has a route of its
//! own, whose address takes the place of `{{canary}}` in the script. A request to it is recorded in the transcript.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mcp_compat_drive::Tap;
use mcp_compat_model::Role;
use mcp_compat_model::peer_contract::Script;
use mcp_compat_model::transcript::Event;
use mcp_compat_model::verdict::Verdict;
use mcp_compat_scenario::Scenario;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// Placeholder in scenarios for the canary's address.
const PLACEHOLDER: &str = "{{canary}}";

/// Text in verdicts in place of the canary's address, which is a new one in each run. Readers of a report know nothing
/// of placeholders, and a name under `.invalid` is the address of nobody (RFC 6761, section 6.4).
const STAND_IN: &str = "http://canary.invalid";

/// Time for a caller to send its request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);

/// Longest first line of a request.
const LINE: u64 = 8 * 1024;

/// Pause after a connection could not be accepted.
const RETRY_AFTER: Duration = Duration::from_millis(50);

/// Number of attempts in a row to accept a connection that may fail. From then on requests may be missed.
const MAX_FAILURES: u32 = 20;

#[derive(Debug)]
pub(crate) struct Canary {
    address: SocketAddr,
    routes: Arc<Routes>,
    next: AtomicU64,
    listening: JoinHandle<()>,
}

/// The tap of the cell that each route belongs to.
#[derive(Debug, Default)]
struct Routes {
    taps: Mutex<HashMap<String, Tap>>,
    /// Reason for not accepting connections at present.
    failure: Mutex<Option<String>>,
}

impl Routes {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Tap>> {
        self.taps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failure(&self) -> MutexGuard<'_, Option<String>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The address of one cell. Requests to it are recorded until it is dropped.
#[derive(Debug)]
pub(crate) struct CanaryRoute {
    name: String,
    url: String,
    routes: Arc<Routes>,
}

impl CanaryRoute {
    /// The script with the address in place of each placeholder.
    pub(crate) fn filled_in(&self, script: &Script) -> serde_json::Result<Script> {
        serde_json::from_str(&serde_json::to_string(script)?.replace(PLACEHOLDER, &self.url))
    }

    /// Returns the reason if requests to it may have been missed.
    pub(crate) fn failure(&self) -> Option<String> {
        self.routes.failure().clone()
    }
}

/// Returns true if a scenario names the canary.
pub(crate) fn is_wanted(scenario: &Scenario) -> bool {
    scenario.stages.iter().flat_map(|stage| &stage.tools).any(|tool| tool.definition.contains(PLACEHOLDER))
}

/// A scenario with the stand-in in place of the canary's address, to be shown and not to be judged.
pub fn with_canary_shown(scenario: &Arc<Scenario>) -> Arc<Scenario> {
    if !is_wanted(scenario) {
        return Arc::clone(scenario);
    }
    let mut shown = Scenario::clone(scenario);
    for tool in shown.stages.iter_mut().flat_map(|stage| &mut stage.tools) {
        tool.definition = tool.definition.replace(PLACEHOLDER, STAND_IN);
    }
    Arc::new(shown)
}

impl Drop for CanaryRoute {
    fn drop(&mut self) {
        self.routes.lock().remove(&self.name);
    }
}

impl Canary {
    /// Listens on loopback.
    pub(crate) async fn open() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        Ok(Self::listening(listener, address))
    }

    fn listening(listener: impl Accept + 'static, address: SocketAddr) -> Self {
        let routes = Arc::<Routes>::default();
        let listening = tokio::spawn(listen(listener, Arc::clone(&routes)));
        Self { address, routes, next: AtomicU64::new(0), listening }
    }

    /// An address for one cell. Requests to it are recorded by the tap of the cell.
    pub(crate) fn route(&self, tap: Tap) -> CanaryRoute {
        let name = self.next.fetch_add(1, Ordering::Relaxed).to_string();
        let url = format!("http://{}/{name}", self.address);
        self.routes.lock().insert(name.clone(), tap);
        CanaryRoute { name, url, routes: Arc::clone(&self.routes) }
    }

    /// A verdict with the stand-in in place of the address.
    pub(crate) fn with_stand_in(&self, mut verdict: Verdict) -> Verdict {
        let base = format!("http://{}/", self.address);
        verdict.reason = with_stand_in(&verdict.reason, &base);
        for finding in &mut verdict.findings {
            finding.detail = with_stand_in(&finding.detail, &base);
        }
        verdict
    }
}

/// A verdict with the stand-in in place of the address of the canary of any run, which is that of a recorded cell.
pub(crate) fn with_stand_in_of_any(mut verdict: Verdict) -> Verdict {
    verdict.reason = with_stand_in_of_each(&verdict.reason);
    for finding in &mut verdict.findings {
        finding.detail = with_stand_in_of_each(&finding.detail);
    }
    verdict
}

/// The text with the stand-in in place of the route of any canary: a port of loopback, and a number.
fn with_stand_in_of_each(text: &str) -> String {
    const LOOPBACK: &str = "http://127.0.0.1:";
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = rest.find(LOOPBACK) {
        let (before, after) = rest.split_at(found + LOOPBACK.len());
        let port = after.trim_start_matches(|sign: char| sign.is_ascii_digit());
        let name = port.strip_prefix('/').unwrap_or_default();
        let path = name.trim_start_matches(|sign: char| sign.is_ascii_digit());
        if path.len() < name.len() {
            written.push_str(&before[..found]);
            written.push_str(STAND_IN);
            rest = path;
        } else {
            written.push_str(before);
            rest = after;
        }
    }
    written.push_str(rest);
    written
}

/// The text with the stand-in in place of the address of each route.
fn with_stand_in(text: &str, base: &str) -> String {
    let mut parts = text.split(base);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        written.push_str(STAND_IN);
        written.push_str(part.trim_start_matches(|sign: char| sign.is_ascii_digit()));
    }
    written
}

impl Drop for Canary {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// Source of connections.
trait Accept: Send {
    /// The next connection.
    fn accept(&self) -> impl Future<Output = io::Result<TcpStream>> + Send;
}

impl Accept for TcpListener {
    async fn accept(&self) -> io::Result<TcpStream> {
        Self::accept(self).await.map(|(caller, _)| caller)
    }
}

/// Answers every connection. When one cannot be accepted, say because the system is short of file descriptors, it tries
/// again. While attempt after attempt fails, the routes report it.
async fn listen(listener: impl Accept, routes: Arc<Routes>) {
    let mut failures = 0;
    loop {
        let began = Instant::now();
        let accepted = listener.accept().await;
        if accepted.is_ok() || began.elapsed() > RETRY_AFTER {
            failures = 0;
            *routes.failure() = None;
        }
        match accepted {
            Ok(caller) => {
                let routes = Arc::clone(&routes);
                tokio::spawn(async move {
                    let _ = timeout(REQUEST_TIMEOUT, answer(caller, &routes)).await;
                });
            }
            Err(error) => {
                tracing::debug!(%error, "the canary could not accept a connection");
                failures += 1;
                if failures >= MAX_FAILURES {
                    *routes.failure() = Some(format!("the canary cannot accept connections: {error}"));
                }
                sleep(RETRY_AFTER).await;
            }
        }
    }
}

/// Records the request, and answers with a schema that every value satisfies, so that a client that fetched it can go on.
async fn answer(caller: TcpStream, routes: &Routes) -> io::Result<()> {
    let (read, mut write) = caller.into_split();
    let mut lines = BufReader::new(read.take(LINE));
    let mut first = String::new();
    lines.read_line(&mut first).await?;
    let target = first.split(' ').nth(1).unwrap_or_default();
    let (route, path) = target.trim_start_matches('/').split_once('/').unwrap_or((target.trim_start_matches('/'), ""));
    if let Some(tap) = routes.lock().get(route) {
        tap.event(Role::Client, Event::Fetched { path: format!("/{path}") });
    }
    let mut line = String::new();
    while lines.read_line(&mut line).await? > 0 && !line.trim().is_empty() {
        line.clear();
    }
    write
        .write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}",
        )
        .await
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn a_text_has_the_stand_in_in_place_of_each_address() {
        let written = |text| with_stand_in(text, "http://127.0.0.1:4096/");
        assert_eq!(
            written("under http://127.0.0.1:4096/12/a and http://127.0.0.1:4096/7"),
            "under http://canary.invalid/a and http://canary.invalid"
        );
        for other in ["http://127.0.0.1:40961/12/a", "http://127.0.0.1:4096", ""] {
            assert_eq!(written(other), other);
        }
    }

    #[test]
    fn a_recorded_text_has_the_stand_in_in_place_of_the_address_of_its_canary() {
        assert_eq!(
            with_stand_in_of_each("under http://127.0.0.1:4096/12/a and http://127.0.0.1:77/7"),
            "under http://canary.invalid/a and http://canary.invalid"
        );
        for other in ["http://127.0.0.1:4096/cell/3", "http://127.0.0.1:4096", "http://127.0.0.1:", ""] {
            assert_eq!(with_stand_in_of_each(other), other);
        }
    }

    /// A listener that fails: once, or always.
    struct Failing {
        listener: TcpListener,
        once: bool,
        has_failed: AtomicBool,
    }

    impl Accept for Failing {
        async fn accept(&self) -> io::Result<TcpStream> {
            if !self.has_failed.swap(true, Ordering::Relaxed) || !self.once {
                return Err(io::Error::other("too many open files"));
            }
            Accept::accept(&self.listener).await
        }
    }

    async fn failing(once: bool) -> Canary {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        Canary::listening(Failing { listener, once, has_failed: AtomicBool::new(false) }, address)
    }

    #[tokio::test]
    async fn a_connection_that_cannot_be_accepted_does_not_end_the_canary() {
        let (canary, tap) = (failing(true).await, Tap::default());
        let route = canary.route(tap.clone());
        let mut caller = TcpStream::connect(canary.address).await.unwrap();
        caller.write_all(format!("GET /{}/schema HTTP/1.1\r\n\r\n", route.name).as_bytes()).await.unwrap();
        let mut answer = String::new();
        timeout(Duration::from_secs(10), caller.read_to_string(&mut answer)).await.unwrap().unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
        assert_eq!(tap.since(0)[0].event, Event::Fetched { path: "/schema".to_owned() });
        assert_eq!(route.failure(), None);
    }

    #[tokio::test]
    async fn a_canary_that_accepts_nothing_any_more_reports_it() {
        let canary = failing(false).await;
        let route = canary.route(Tap::default());
        assert_eq!(route.failure(), None);
        let reported = async {
            loop {
                match route.failure() {
                    Some(failure) => break failure,
                    None => sleep(RETRY_AFTER).await,
                }
            }
        };
        let failure = timeout(10 * MAX_FAILURES * RETRY_AFTER, reported).await.unwrap();
        assert!(failure.ends_with("too many open files"), "{failure}");
    }
}
