//! Starts a server adapter over stdio: one process for one session. Its script goes into a file, whose path is in the
//! environment of the process.

use std::io::Write as _;
use std::path::Path;

use mcp_compat_model::peer_contract::{SCENARIO_VARIABLE, Script};
use tempfile::NamedTempFile;

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

    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Returns the command of a server that is to offer the script.
    #[must_use]
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
