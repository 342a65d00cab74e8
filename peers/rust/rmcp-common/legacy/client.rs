//! Opens a session with rmcp's client.

use peer_contract::answer::PeerError;
use peer_contract::client::Client;
use peer_contract::job::{Job, Mode, ServerAddress};
use rmcp::ServiceExt as _;
use rmcp::transport::StreamableHttpClientTransport;

use crate::common::errors::of_connecting;
use crate::common::session::{Listener, RmcpSession};
use crate::common::transports::subprocess;

/// rmcp's client.
pub struct Rmcp;

impl Client for Rmcp {
    type Session = RmcpSession;

    fn unsupported(job: &Job) -> Option<String> {
        match job.mode {
            None | Some(Mode::Legacy) => None,
            Some(Mode::Auto | Mode::Modern) => Some("this release opens every session with `initialize`".to_owned()),
        }
    }

    async fn connect(job: &Job) -> Result<RmcpSession, PeerError> {
        let listener = Listener::default();
        let service = match &job.server {
            ServerAddress::Stdio { command, env } => listener.serve(subprocess(command, env)?).await,
            ServerAddress::Http { url } => listener.serve(StreamableHttpClientTransport::from_uri(url.as_str())).await,
        };
        Ok(RmcpSession { service: service.map_err(of_connecting)? })
    }
}
