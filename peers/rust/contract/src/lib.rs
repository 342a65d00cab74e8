//! Shared parts of the adapters of Rust SDKs: the peer contract, and nothing of any SDK.
//!
//! ```text
//! main of a peer ── play::<C, S>() ─┬─ client         client::serve::<C>()   jobs in, answers out
//!                                   ├─ server         server::serve::<S>()   one session of one script
//!                                   └─ server --http  host::serve::<S>()     scripts in, paths served
//! ```
//!
//! A peer implements [`client::Client`] and [`client::Session`] with its SDK's public API, and for [`server::Server`]
//! makes an [`offer::Offer`] of SDK types. The loops, deadlines and the JSON lines are here, so that every version of
//! an SDK is asked in exactly the same way.

pub mod answer;
pub mod client;
pub mod exact;
mod host;
pub mod job;
pub mod offer;
pub mod script;
pub mod server;

use std::process::ExitCode;

/// The exit status that says: this role, or this script, is not supported.
const UNSUPPORTED_STATUS: i32 = 127;

/// Plays the role that the process was started for: an SDK's client `C`, or its server `S`.
pub async fn play<C: client::Client + 'static, S: server::Server>() -> ExitCode {
    match Role::from_arguments() {
        Role::Client => client::serve::<C>().await,
        Role::StdioServer => server::serve::<S>().await,
        Role::HttpServer => {
            if let Err(error) = host::serve::<S>().await {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// Role of a peer's process.
enum Role {
    /// Plays jobs.
    Client,
    /// Serves one session over its standard streams.
    StdioServer,
    /// Serves many scripts over HTTP.
    HttpServer,
}

impl Role {
    /// Reads the process's arguments, and sends the SDK's warnings to stderr. Ends the process when the role is
    /// unknown.
    fn from_arguments() -> Self {
        tracing_subscriber::fmt()
            .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
            .with_writer(std::io::stderr)
            .with_ansi(false)
            .init();
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["client"] => Self::Client,
            ["server"] => Self::StdioServer,
            ["server", "--http"] => Self::HttpServer,
            _ => unsupported("expected `client`, `server` or `server --http`"),
        }
    }
}

/// Ends the process with the status that says `unsupported`, and with the reason on stderr.
pub(crate) fn unsupported(reason: &str) -> ! {
    eprintln!("{reason}");
    std::process::exit(UNSUPPORTED_STATUS)
}

/// Writes one JSON line to stdout. Ends the process when nobody reads it any more.
pub(crate) fn say(message: &impl serde::Serialize) {
    use std::io::Write as _;
    let line = serde_json::to_string(message).unwrap_or_else(|error| unreachable!("answers are JSON: {error}"));
    let mut stdout = std::io::stdout().lock();
    if writeln!(stdout, "{line}").and_then(|()| stdout.flush()).is_err() {
        std::process::exit(1);
    }
}
