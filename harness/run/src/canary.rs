//! The canary: an HTTP server that a schema's `$ref` points to, and that must get no request.
//!
//! Nobody may fetch an address only because a schema names it
//! (<https://modelcontextprotocol.io/specification/2026-07-28/basic/index#ref-resolution>). Where a scenario says
//! `{{canary}}`, a cell puts the address of its own nest in; whoever calls there is written into the transcript.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_compat_drive::Tap;
use mcp_compat_model::Role;
use mcp_compat_model::peer_contract::Script;
use mcp_compat_model::transcript::Event;
use mcp_compat_model::verdict::Verdict;
use mcp_compat_scenario::Scenario;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// What a scenario writes where the canary's address goes.
const PLACEHOLDER: &str = "{{canary}}";

/// How long a caller may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long the first line of a request may be.
const LINE: u64 = 8 * 1024;

/// The canary of a run.
#[derive(Debug)]
pub(crate) struct Canary {
    address: SocketAddr,
    nests: Arc<Nests>,
    next: AtomicU64,
    listening: JoinHandle<()>,
}

/// Which cell an address belongs to.
#[derive(Debug, Default)]
struct Nests(Mutex<HashMap<String, Tap>>);

impl Nests {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Tap>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The address of one cell. Dropping it ends the watch.
#[derive(Debug)]
pub(crate) struct Nest {
    name: String,
    url: String,
    nests: Arc<Nests>,
}

impl Nest {
    /// The script with the address in every place that asks for one.
    pub(crate) fn filled_in(&self, script: &Script) -> serde_json::Result<Script> {
        serde_json::from_str(&serde_json::to_string(script)?.replace(PLACEHOLDER, &self.url))
    }
}

/// Whether a scenario names the canary.
pub(crate) fn is_wanted(scenario: &Scenario) -> bool {
    scenario.stages.iter().flat_map(|stage| &stage.tools).any(|tool| tool.definition.contains(PLACEHOLDER))
}

impl Drop for Nest {
    fn drop(&mut self) {
        self.nests.lock().remove(&self.name);
    }
}

impl Canary {
    /// Listens on loopback.
    pub(crate) async fn open() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let nests = Arc::<Nests>::default();
        let watched = Arc::clone(&nests);
        let listening = tokio::spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                let nests = Arc::clone(&watched);
                tokio::spawn(async move {
                    let _ = timeout(PATIENCE, answer(caller, &nests)).await;
                });
            }
        });
        Ok(Self { address, nests, next: AtomicU64::new(0), listening })
    }

    /// An address for one cell; whoever calls there is written down by its tap.
    pub(crate) fn nest(&self, tap: Tap) -> Nest {
        let name = self.next.fetch_add(1, Ordering::Relaxed).to_string();
        let url = format!("http://{}/{name}", self.address);
        self.nests.lock().insert(name.clone(), tap);
        Nest { name, url, nests: Arc::clone(&self.nests) }
    }

    /// A verdict in which its address, another one in each run, stands as the scenario writes it.
    pub(crate) fn unnamed(&self, mut verdict: Verdict) -> Verdict {
        let base = format!("http://{}/", self.address);
        verdict.reason = as_written(&verdict.reason, &base);
        for finding in &mut verdict.findings {
            finding.detail = as_written(&finding.detail, &base);
        }
        verdict
    }
}

/// The text with the placeholder for the address of each nest.
fn as_written(text: &str, base: &str) -> String {
    let mut parts = text.split(base);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        written.push_str(PLACEHOLDER);
        written.push_str(part.trim_start_matches(|sign: char| sign.is_ascii_digit()));
    }
    written
}

impl Drop for Canary {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// Writes the call down and answers with a schema that everything satisfies: whoever fetched it and goes on with it
/// is seen to.
async fn answer(caller: TcpStream, nests: &Nests) -> io::Result<()> {
    let (read, mut write) = caller.into_split();
    let mut lines = BufReader::new(read.take(LINE));
    let mut first = String::new();
    lines.read_line(&mut first).await?;
    let target = first.split(' ').nth(1).unwrap_or_default();
    let (nest, path) = target.trim_start_matches('/').split_once('/').unwrap_or((target.trim_start_matches('/'), ""));
    if let Some(tap) = nests.lock().get(nest) {
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
    use super::*;

    #[test]
    fn an_address_is_told_as_the_scenario_writes_it() {
        let told = |text| as_written(text, "http://127.0.0.1:4096/");
        assert_eq!(
            told("under http://127.0.0.1:4096/12/a and http://127.0.0.1:4096/7"),
            "under {{canary}}/a and {{canary}}"
        );
        for other in ["http://127.0.0.1:40961/12/a", "http://127.0.0.1:4096", ""] {
            assert_eq!(told(other), other);
        }
    }
}
