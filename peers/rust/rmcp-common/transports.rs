//! rmcp's transports, set up as its users set them up: with rmcp's defaults.

use std::collections::BTreeMap;
use std::sync::Arc;

use peer_contract::answer::{Layer, PeerError};
use peer_contract::server::Endpoint;
use rmcp::transport::TokioChildProcess;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::{ServerHandler, ServiceExt as _};
use tokio::process::Command;

use crate::release;

/// Starts a client's server as a subprocess.
pub fn subprocess(command: &[String], env: &BTreeMap<String, String>) -> Result<TokioChildProcess, PeerError> {
    let (program, arguments) =
        command.split_first().ok_or_else(|| PeerError::new(Layer::Connect, "the command of the server is empty"))?;
    let mut command = Command::new(program);
    command.args(arguments).envs(env).kill_on_drop(true);
    TokioChildProcess::new(command).map_err(|error| PeerError::new(Layer::Connect, format!("{program}: {error}")))
}

/// Serves one session over the standard streams.
pub async fn serve_stdio(server: impl ServerHandler) {
    match server.serve(rmcp::transport::stdio()).await {
        Ok(session) => drop(session.waiting().await),
        Err(error) => eprintln!("no session: {error}"),
    }
}

/// rmcp's HTTP service of a server.
pub type HttpService<S> = StreamableHttpService<S, LocalSessionManager>;

/// Serves over HTTP; `session` makes the server of each session.
pub fn serve_http<S: ServerHandler>(session: impl Fn() -> S + Send + Sync + 'static) -> Endpoint<HttpService<S>> {
    let sessions = Arc::<LocalSessionManager>::default();
    let (config, stop) = release::stoppable(&sessions);
    Endpoint { service: StreamableHttpService::new(move || Ok(session()), sessions, config), stop }
}
