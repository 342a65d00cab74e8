//! The relay as a program. A client that starts its server itself gets the relay as the command of that server.

use std::path::PathBuf;
use std::process::Stdio;

use mcp_compat_drive::RELAY_SOURCE;
use mcp_compat_drive::files::cache_folder;
use tokio::process::Command;
use tokio::sync::OnceCell;

use crate::programs::Programs;

/// Way of starting the relay.
#[derive(Debug)]
pub(crate) enum RelayProgram {
    /// By the command line of mcp-compat.
    CommandLine(PathBuf),
    /// By a program compiled from its one source file, when it is first needed.
    Compiled,
}

/// The compiled relay. All runs of a process share it.
static COMPILED: OnceCell<PathBuf> = OnceCell::const_new();

/// Error of a relay that cannot be started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RelayProgramError {
    #[error("cannot write the relay's source below {}: {error}", .folder.display())]
    Write { folder: PathBuf, error: std::io::Error },
    #[error("cannot compile the relay with `{compiler}`: {error}; stdio needs it where a client starts its own server")]
    NoCompiler { compiler: String, error: std::io::Error },
    #[error("cannot compile the relay with `{compiler}`: {log}")]
    Refused { compiler: String, log: String },
}

impl RelayProgram {
    pub(crate) fn new(programs: &Programs) -> Self {
        match programs {
            Programs::CommandLine(program) => Self::CommandLine(program.clone()),
            Programs::None => Self::Compiled,
        }
    }

    pub(crate) async fn command(&self) -> Result<Vec<String>, RelayProgramError> {
        match self {
            Self::CommandLine(program) => Ok(vec![program.display().to_string(), "relay".to_owned()]),
            Self::Compiled => Ok(vec![COMPILED.get_or_try_init(compile).await?.display().to_string()]),
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
