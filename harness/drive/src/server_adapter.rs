//! Server adapters: processes that serve scripts.
//!
//! Over stdio, a process is for one session. Its script goes into a file, whose path is in the environment of the process.
//! Over HTTP, one process serves many scripts, each at a path of its own. It announces its base URL in its first line; then
//! each script goes in with its path, and a confirmation comes out.

use std::fmt;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use mcp_compat_model::peer_contract::{Hosted, Hosting, SCENARIO_VARIABLE, Script};
use mcp_compat_model::transcript::StopStage;
use tempfile::NamedTempFile;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::failure::{AdapterFailure, ContractViolation, ViolationLog, excerpt};
use crate::json_line_process::{FirstLine, JsonLineProcess};
use crate::process::{Launch, PeerProcess, SpawnError};
use crate::tap::Limits;

/// A script in a temporary file, as server adapters over stdio get it. Dropping it deletes the file.
#[derive(Debug)]
pub struct ScriptFile {
    file: NamedTempFile,
}

impl ScriptFile {
    /// Writes the script.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(script: &Script) -> std::io::Result<Self> {
        let mut file = tempfile::Builder::new().prefix("mcp-compat-").suffix(".json").tempfile()?;
        file.write_all(&serde_json::to_vec(script)?)?;
        file.flush()?;
        Ok(Self { file })
    }

    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Returns the command of a server that is to offer the script.
    pub fn launch(&self, server: &Launch) -> Launch {
        server.clone().env(SCENARIO_VARIABLE, self.path())
    }
}

/// A server adapter over stdio, for one session: its process, and the file that it reads its script from.
#[derive(Debug)]
pub struct StdioServerAdapter {
    pub process: PeerProcess,
    _script: ScriptFile,
}

/// Reason why a server over stdio was not started.
#[derive(Debug, thiserror::Error)]
pub enum StdioServerError {
    #[error("cannot write the server's script into a temporary file: {0}; check the space in the temporary folder")]
    Script(#[source] std::io::Error),
    #[error(transparent)]
    NotStarted(#[from] SpawnError),
}

impl StdioServerAdapter {
    /// Starts a server that is to offer the script. One that does not support it ends with
    /// [`Exit::says_unsupported`](crate::Exit::says_unsupported).
    ///
    /// # Errors
    /// When the script cannot be written or the process not be started.
    pub fn spawn(launch: &Launch, script: &Script, limits: Limits) -> Result<Self, StdioServerError> {
        let script = ScriptFile::write(script).map_err(StdioServerError::Script)?;
        let process = PeerProcess::spawn(&script.launch(launch), limits.stderr_bytes)?;
        Ok(Self { process, _script: script })
    }
}

/// A server adapter over HTTP. Dropping it kills its process.
pub struct HttpServerAdapter {
    process: JsonLineProcess,
    violations: ViolationLog,
    base: String,
}

/// Reason why a script is not served.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostFailure {
    #[error("the server adapter does not support this script: {why}")]
    Unsupported {
        /// Words of the adapter.
        why: String,
    },
    #[error(transparent)]
    Adapter(#[from] AdapterFailure),
}

impl HttpServerAdapter {
    /// Starts the adapter and reads its base URL.
    ///
    /// # Errors
    /// If it cannot be started, ends, prints nothing within `deadline`, or prints anything but an address on loopback.
    pub async fn spawn(launch: &Launch, limits: Limits, deadline: Duration) -> Result<Self, AdapterFailure> {
        let violations = ViolationLog::default();
        let process = PeerProcess::spawn(launch, limits.stderr_bytes)?;
        let (announcement, announced) = oneshot::channel();
        let first_line = FirstLine::Announcement(announcement);
        let process = JsonLineProcess::new(process, first_line, limits.message_bytes, violations.clone());
        let line = tokio::select! {
            line = timeout(deadline, announced) => {
                line.map_err(|_| AdapterFailure::TimedOut { after: deadline, noise: None })?
            }
            reason = process.closed() => return Err(reason),
        };
        let line = match line {
            Ok(line) => line,
            Err(_) => return Err(process.closed().await),
        };
        match base(&line) {
            Ok(base) => Ok(Self { process, violations, base }),
            Err(problem) => Err(AdapterFailure::NoAddress { line, problem }),
        }
    }

    /// The base URL, without a slash at its end.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Serves a script at a path, which begins with a slash, and returns the whole URL.
    ///
    /// # Errors
    /// When the adapter cannot serve it, or does not answer as it should.
    pub async fn host(&self, path: &str, script: Script, deadline: Duration) -> Result<String, HostFailure> {
        self.request(path, Some(script), deadline).await?;
        Ok(format!("{}{path}", self.base))
    }

    /// Ends the serving of a path.
    ///
    /// # Errors
    /// When the adapter does not answer as it should.
    pub async fn unhost(&self, path: &str, deadline: Duration) -> Result<(), HostFailure> {
        self.request(path, None, deadline).await
    }

    async fn request(&self, path: &str, script: Option<Script>, deadline: Duration) -> Result<(), HostFailure> {
        let message = |id| serde_json::to_string(&Hosting { id, path: path.to_owned(), script });
        let line = self.process.request(message, deadline).await?;
        let hosted: Hosted = serde_json::from_slice(&line)
            .map_err(|error| AdapterFailure::Garbage { line: excerpt(&line), problem: error.to_string() })?;
        hosted.unsupported.map_or(Ok(()), |why| Err(HostFailure::Unsupported { why }))
    }

    /// Returns whether its process still runs.
    pub fn is_alive(&self) -> bool {
        self.process.is_open()
    }

    /// Waits until its process takes no more requests, and returns the reason.
    pub async fn failure(&self) -> AdapterFailure {
        self.process.closed().await
    }

    /// The violations of the contract that ended no job.
    pub fn violations(&self) -> Vec<ContractViolation> {
        self.violations.list()
    }

    /// Ends the process, gently at first.
    pub async fn stop(&self, grace: Duration) -> StopStage {
        self.process.stop(grace).await
    }
}

impl fmt::Debug for HttpServerAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServerAdapter").field("base", &self.base).finish_non_exhaustive()
    }
}

/// Parses the base URL. It must be on loopback, so that no run reaches the network.
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
