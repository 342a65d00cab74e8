//! A server adapter over HTTP: one process that serves many scripts, each at a path of its own.

use std::fmt;
use std::time::Duration;

use mcp_compat_model::contract::{Hosted, Hosting, Script};
use mcp_compat_model::transcript::StopStage;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::correspondence::{Correspondence, Opening};
use crate::failure::{AdapterFailure, Breach, Breaches, excerpt};
use crate::process::{Launch, PeerProcess};
use crate::tap::Limits;

/// A server adapter over HTTP. Dropping it kills its process.
pub struct HttpServerAdapter {
    correspondence: Correspondence,
    breaches: Breaches,
    base: String,
}

/// Why a script is not served.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostFailure {
    /// The adapter says that it cannot serve this script.
    #[error("the server adapter does not support this script: {why}")]
    Unsupported {
        /// In its words.
        why: String,
    },
    /// The adapter did not answer as it should.
    #[error(transparent)]
    Adapter(#[from] AdapterFailure),
}

impl HttpServerAdapter {
    /// Starts the adapter and reads its base URL.
    ///
    /// # Errors
    /// When it cannot be started, says within `deadline` nothing or something that is no address on loopback, or ends.
    pub async fn spawn(launch: &Launch, limits: Limits, deadline: Duration) -> Result<Self, AdapterFailure> {
        let breaches = Breaches::default();
        let process = PeerProcess::spawn(launch, limits.stderr_bytes)?;
        let (greeting, greeted) = oneshot::channel();
        let opening = Opening::Greeting(greeting);
        let correspondence = Correspondence::with(process, opening, limits.message_bytes, breaches.clone());
        let line = tokio::select! {
            line = timeout(deadline, greeted) => line.map_err(|_| AdapterFailure::TimedOut { after: deadline })?,
            reason = correspondence.closed() => return Err(reason),
        };
        let line = match line {
            Ok(line) => line,
            Err(_) => return Err(correspondence.closed().await),
        };
        match base(&line) {
            Ok(base) => Ok(Self { correspondence, breaches, base }),
            Err(problem) => Err(AdapterFailure::NoAddress { line, problem }),
        }
    }

    /// The base URL, without a slash at its end.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Has a script served at a path, which begins with a slash, and gives the whole URL.
    ///
    /// # Errors
    /// When the adapter cannot serve it, or does not answer as it should.
    pub async fn host(&self, path: &str, script: Script, deadline: Duration) -> Result<String, HostFailure> {
        self.tell(path, Some(script), deadline).await?;
        Ok(format!("{}{path}", self.base))
    }

    /// Ends the serving of a path.
    ///
    /// # Errors
    /// When the adapter does not answer as it should.
    pub async fn unhost(&self, path: &str, deadline: Duration) -> Result<(), HostFailure> {
        self.tell(path, None, deadline).await
    }

    async fn tell(&self, path: &str, script: Option<Script>, deadline: Duration) -> Result<(), HostFailure> {
        let letter = |id| serde_json::to_string(&Hosting { id, path: path.to_owned(), script });
        let line = self.correspondence.ask(letter, deadline).await?;
        let hosted: Hosted = serde_json::from_slice(&line)
            .map_err(|error| AdapterFailure::Garbage { line: excerpt(&line), problem: error.to_string() })?;
        hosted.unsupported.map_or(Ok(()), |why| Err(HostFailure::Unsupported { why }))
    }

    /// Whether its process still runs.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.correspondence.is_open()
    }

    /// Waits until its process cannot be asked any more, and says why.
    pub async fn failure(&self) -> AdapterFailure {
        self.correspondence.closed().await
    }

    /// What the adapter did that it must not do, though it ended nothing.
    #[must_use]
    pub fn breaches(&self) -> Vec<Breach> {
        self.breaches.list()
    }

    /// Ends the process, gently at first.
    pub async fn stop(&self, grace: Duration) -> StopStage {
        self.correspondence.stop(grace).await
    }
}

impl fmt::Debug for HttpServerAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServerAdapter").field("base", &self.base).finish_non_exhaustive()
    }
}

/// Reads the base URL. Only loopback will do: nothing here may reach the network.
fn base(line: &str) -> Result<String, String> {
    let line = line.trim_end();
    let url: http::Uri = line.parse().map_err(|error| format!("it is not a URL: {error}"))?;
    if url.scheme_str() != Some("http") {
        return Err("it does not begin with http://".to_owned());
    }
    let host = url.host().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    if host != "localhost" && !address.is_ok_and(|address| address.is_loopback()) {
        return Err(format!("{host:?} is not a loopback address"));
    }
    if url.query().is_some() {
        return Err("it has a query".to_owned());
    }
    Ok(line.trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_on_loopback_is_taken_without_its_last_slash() {
        for (line, expected) in [
            ("http://127.0.0.1:80", "http://127.0.0.1:80"),
            ("http://localhost:8080/\r", "http://localhost:8080"),
            ("http://[::1]:9/mcp/", "http://[::1]:9/mcp"),
        ] {
            assert_eq!(base(line).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn any_other_base_is_refused() {
        for line in
            ["", "ready", "https://127.0.0.1:1", "http://192.0.2.1:1", "http://example.test/", "http://localhost/?q"]
        {
            assert!(base(line).is_err(), "{line:?}");
        }
    }
}
