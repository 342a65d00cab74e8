//! Where the probed server is, and how it is reached.

use std::fmt;
use std::sync::Arc;

use mcp_compat_drive::Launch;
use mcp_compat_model::Transport;
use mcp_compat_redact::KnownSecrets;
use mcp_compat_run::in_process::Streams;

/// A server to probe.
#[derive(Clone)]
pub enum Target {
    /// A program that speaks over its standard streams. It is started for each session.
    Command(Launch),
    /// A streamable HTTP endpoint that is already running.
    Url {
        /// The endpoint.
        url: String,
        /// Headers that are added to every request, such as a credential. They are never recorded.
        headers: Vec<(String, String)>,
    },
    /// A server in this process, with a new connection for each session.
    Connect(Arc<dyn Fn() -> Streams + Send + Sync>),
}

impl Target {
    /// The transport.
    #[must_use]
    pub fn transport(&self) -> Transport {
        match self {
            Self::Command(_) => Transport::Stdio,
            Self::Url { .. } => Transport::Http,
            Self::Connect(_) => Transport::Memory,
        }
    }

    /// The secrets that the server is given. They are removed from everything that it sends.
    pub(super) fn secrets(&self) -> KnownSecrets {
        match self {
            Self::Command(launch) => {
                let variables = launch.env.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str()?)));
                KnownSecrets::of_environment(variables)
            }
            Self::Url { headers, .. } => KnownSecrets::of_headers(headers),
            Self::Connect(_) => KnownSecrets::default(),
        }
    }
}

/// Omits the values of headers, which may be secrets.
impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(launch) => f.debug_tuple("Command").field(launch).finish(),
            Self::Url { url, .. } => f.debug_struct("Url").field("url", url).finish_non_exhaustive(),
            Self::Connect(_) => f.debug_tuple("Connect").finish_non_exhaustive(),
        }
    }
}
