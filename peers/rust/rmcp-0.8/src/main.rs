//! rmcp before 0.13 behind the peer contract: `client`, `server` over stdio, `server --http`.

#[path = "../../rmcp-common/mod.rs"]
mod common;
#[path = "../../rmcp-common/legacy/mod.rs"]
mod legacy;
mod release;

#[tokio::main]
async fn main() -> std::process::ExitCode {
    peer_contract::play::<legacy::client::Rmcp, legacy::server::Scripted>().await
}
