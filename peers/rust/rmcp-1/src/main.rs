//! rmcp 1.x and 2.x behind the peer contract: `client`, `server` over stdio, `server --http`.

mod client;
mod errors;
mod server;

use std::process::ExitCode;

use peer_contract::{Role, client::serve, host};

#[tokio::main]
async fn main() -> ExitCode {
    match Role::from_arguments() {
        Role::Client => serve::<client::Rmcp>().await,
        Role::StdioServer => server::over_stdio().await,
        Role::HttpServer => {
            if let Err(error) = host::serve(server::over_http).await {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
