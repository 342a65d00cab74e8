//! Ways of starting the project's own programs, when a run needs them as processes.

use std::path::PathBuf;

use mcp_compat_drive::Launch;
use mcp_compat_model::PeerId;

/// Ways of starting the project's own programs, when a run needs them as processes.
#[derive(Clone, Debug, Default)]
pub enum Programs {
    /// The command line `mcp-compat`, which has a subcommand for each of them.
    CommandLine(PathBuf),
    /// There is no command line, as under `cargo test`. Mock servers then run in this process, and the relay is compiled
    /// when a client first needs it.
    #[default]
    None,
}

impl Programs {
    /// Starts a mock server over stdio, as a process of its own.
    pub(crate) fn mock_server(&self, id: &PeerId) -> Option<Launch> {
        match self {
            Self::CommandLine(program) => {
                Some(Launch::new(program).args(["mock", "server", "--adapter", "--id", id.as_str()]))
            }
            Self::None => None,
        }
    }
}
