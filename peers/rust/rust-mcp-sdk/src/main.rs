//! rust-mcp-sdk 2.x behind the peer contract: `client`, `server` over stdio, `server --http`.

#[path = "../../axum-common/mod.rs"]
mod axum_common;
mod client;
mod server;

#[tokio::main]
async fn main() -> std::process::ExitCode {
    peer_contract::play::<client::RustMcpSdk, server::Scripted>().await
}
