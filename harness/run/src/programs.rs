//! Ways of starting the project's own programs, when a run needs them as processes.

use std::path::PathBuf;
use std::process::Stdio;

use mcp_compat_drive::files::cache_folder;
use mcp_compat_drive::{Launch, RELAY_SOURCE};
use mcp_compat_model::PeerId;
use tokio::process::Command;
use tokio::sync::OnceCell;

#[derive(Clone, Debug, Default)]
pub enum Programs {
    /// The command line `mcp-compat`, which has a subcommand for each of them.
    CommandLine(PathBuf),
    /// The command line for the relay alone. Mock servers run in this process, as those that have no name of their own must.
    Relay(PathBuf),
    /// There is no command line, as under `cargo test`. Mock servers then run in this process, and the relay is compiled
    /// from its one source file when a client first needs it.
    #[default]
    None,
}

/// The compiled relay. All runs of a process share it.
static COMPILED: OnceCell<PathBuf> = OnceCell::const_new();

/// Error of a relay that cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum RelayProgramError {
    #[error("cannot write the relay's source below {}: {error}", .folder.display())]
    Write { folder: PathBuf, error: std::io::Error },
    #[error("cannot compile the relay with `{compiler}`: {error}; stdio needs it where a client starts its own server")]
    NoCompiler { compiler: String, error: std::io::Error },
    #[error("cannot compile the relay with `{compiler}`: {log}")]
    Refused { compiler: String, log: String },
}

impl Programs {
    /// Starts a mock server over stdio, as a process of its own.
    pub(crate) fn mock_server(&self, id: &PeerId) -> Option<Launch> {
        match self {
            Self::CommandLine(program) => {
                Some(Launch::new(program).args(["mock", "server", "--adapter", "--id", id.as_str()]))
            }
            Self::Relay(_) | Self::None => None,
        }
    }

    /// The command of the relay, which a client that starts its server itself gets as the command of that server.
    pub async fn relay(&self) -> Result<Vec<String>, RelayProgramError> {
        match self {
            Self::CommandLine(program) | Self::Relay(program) => {
                Ok(vec![program.display().to_string(), "relay".to_owned()])
            }
            Self::None => Ok(vec![COMPILED.get_or_try_init(compile).await?.display().to_string()]),
        }
    }
}

/// Compiles the relay into the cache folder. Until it is complete it has a name that only this process uses.
async fn compile() -> Result<PathBuf, RelayProgramError> {
    let folder = cache_folder().join("relay");
    let program = folder.join(format!("relay{}", std::env::consts::EXE_SUFFIX));
    let fail = |error| RelayProgramError::Write { folder: folder.clone(), error };
    let source = folder.join("relay.rs");
    if program.is_file() && std::fs::read_to_string(&source).is_ok_and(|text| text == RELAY_SOURCE) {
        return Ok(program);
    }
    std::fs::create_dir_all(&folder).map_err(fail)?;
    let part = folder.join(format!("relay-{}", std::process::id()));
    let part_source = part.with_extension("rs");
    std::fs::write(&part_source, RELAY_SOURCE).map_err(fail)?;
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(&compiler)
        .args(["--edition", "2024", "--crate-name", "relay", "-C", "opt-level=1", "-o"])
        .args([&part, &part_source])
        .stdin(Stdio::null())
        .output()
        .await
        .map_err(|error| RelayProgramError::NoCompiler { compiler: compiler.clone(), error })?;
    if !output.status.success() {
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(RelayProgramError::Refused { compiler, log });
    }
    std::fs::rename(&part, &program).map_err(fail)?;
    std::fs::rename(&part_source, &source).map_err(fail)?;
    Ok(program)
}
