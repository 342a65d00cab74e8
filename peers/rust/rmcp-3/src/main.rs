//! rmcp 3.x behind the peer contract: `client`, `server` over stdio, `server --http`.

mod client;
#[path = "../../rmcp-common/mod.rs"]
mod common;
mod release;
mod server;

#[tokio::main]
async fn main() -> std::process::ExitCode {
    peer_contract::play::<client::Rmcp, server::Scripted>().await
}
