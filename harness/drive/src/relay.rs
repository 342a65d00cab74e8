//! The relay: a program that a client starts as its server, and that connects its streams to the harness.
//!
//! ```text
//!   client ── stdin ──> relay ── Unix socket ──> harness ── tapped ──> the real server
//! ```
//!
//! Some clients always start the server themselves. They start this program instead; the harness starts the real
//! server and records what passes. A Unix socket also reaches a client that has no network. This one file depends on the standard library only, and with a `main` behind it
//! `rustc` alone makes a program of it.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::thread;

/// The environment variable that holds the path of the harness's socket.
pub const RELAY_ADDRESS_VARIABLE: &str = "MCP_COMPAT_RELAY_ADDRESS";

/// The environment variable that holds the token by which the harness knows whose relay it is.
pub const RELAY_TOKEN_VARIABLE: &str = "MCP_COMPAT_RELAY_TOKEN";

/// Relays as the arguments say, the path of a socket, a token and the number of lines that the server logs, or else as the environment says: what the program's `main` has
/// to do. Clients need not pass their environment on to their server.
///
/// # Errors
/// When neither says where to, or the harness cannot be reached.
pub fn relay_as_told(arguments: &[String]) -> io::Result<()> {
    match arguments {
        [address, token] => return relay(address, token, 0),
        [address, token, lines] => return relay(address, token, lines.parse().unwrap_or_default()),
        _ => {}
    }
    let variable = |name: &str| {
        std::env::var(name).map_err(|error| {
            let message = format!("{name}: {error}; this program is started by mcp-compat, as the server of a client");
            io::Error::new(io::ErrorKind::InvalidInput, message)
        })
    };
    relay(&variable(RELAY_ADDRESS_VARIABLE)?, &variable(RELAY_TOKEN_VARIABLE)?, 0)
}

/// Carries standard input to the harness and what comes from there to standard output, until the harness hangs up.
///
/// The end of standard input closes the way to the harness only: the server may still have something to say. `lines` are
/// written to standard error before the first message, as a server does that logs.
///
/// # Errors
/// When the harness cannot be reached, or standard output cannot be written.
pub fn relay(address: &str, token: &str, lines: usize) -> io::Result<()> {
    let mut from_harness = UnixStream::connect(address)?;
    from_harness.write_all(format!("{token}\n").as_bytes())?;
    let mut to_harness = from_harness.try_clone()?;
    // Not joined: it may wait for input for ever, and ends with the program.
    thread::spawn(move || {
        // Whatever the result, only the connection is left to close.
        let _ = carry(&mut io::stdin().lock(), &mut to_harness);
        let _ = to_harness.shutdown(Shutdown::Write);
    });
    for number in 0..lines {
        // Whoever closed the log does not want it.
        let _ =
            writeln!(io::stderr(), "{number:>6} mcp-compat: a line of the log of a server, which nobody has to read");
    }
    match carry(&mut from_harness, &mut io::stdout().lock()) {
        // The harness ends a session by hanging up, which it may do with bytes under way.
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(()),
        ended => ended,
    }
}

/// Copies until the source ends, without holding anything back.
fn carry(source: &mut dyn Read, target: &mut dyn Write) -> io::Result<()> {
    let mut chunk = [0; 16 << 10];
    loop {
        let read = match source.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        target.write_all(&chunk[..read])?;
        target.flush()?;
    }
}
