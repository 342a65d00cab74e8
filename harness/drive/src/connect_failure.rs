//! Reason why no connection to a server could be made.

use std::error::Error;
use std::fmt;
use std::io;
use std::iter::successors;

/// Reason why no connection to a server could be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectFailure {
    /// Nothing listens at the port.
    Refused,
    /// The name of the host has no address.
    UnknownHost,
    /// The host did not answer in time.
    TimedOut,
    /// The server does not speak TLS.
    NoTls,
    /// Anything else, such as a certificate that is not trusted, in the words of the system.
    Other(String),
}

impl ConnectFailure {
    /// Reads what lies behind an error.
    pub(crate) fn of(error: &(dyn Error + 'static)) -> Self {
        let chain = || successors(Some(error), |error: &&(dyn Error + 'static)| (*error).source());
        let kind = chain().find_map(|error| error.downcast_ref::<io::Error>().map(io::Error::kind));
        // The connector has no type for it, only these words.
        if chain().any(|error| error.to_string() == "dns error") {
            return Self::UnknownHost;
        }
        // Messages of the TLS library.
        if chain().any(|error| error.to_string().ends_with("corrupt message of type InvalidContentType")) {
            return Self::NoTls;
        }
        match kind {
            Some(io::ErrorKind::ConnectionRefused) => Self::Refused,
            Some(io::ErrorKind::TimedOut) => Self::TimedOut,
            Some(_) | None => {
                let messages: Vec<String> = chain().skip(1).map(ToString::to_string).collect();
                Self::Other(messages.join(": "))
            }
        }
    }

    /// Returns a hint for the user.
    #[must_use]
    pub const fn next_step(&self) -> &'static str {
        match self {
            Self::Refused => "Is the server running, and is the port right?",
            Self::UnknownHost => "Check the spelling of the host name.",
            Self::TimedOut => "Check that the host is reachable from this machine.",
            Self::NoTls => "If the server serves plain HTTP, give its address with http://.",
            Self::Other(_) => "Check the address.",
        }
    }
}

impl fmt::Display for ConnectFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused => f.write_str("connection refused"),
            Self::UnknownHost => f.write_str("unknown host"),
            Self::TimedOut => f.write_str("the connection timed out"),
            Self::NoTls => f.write_str("the server answered without TLS"),
            Self::Other(words) => f.write_str(words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_read_from_the_kind_of_the_error() {
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        assert_eq!(ConnectFailure::of(&refused), ConnectFailure::Refused);
        let late = io::Error::new(io::ErrorKind::TimedOut, "deadline has elapsed");
        assert_eq!(ConnectFailure::of(&late), ConnectFailure::TimedOut);
        let other = io::Error::other(io::Error::other("the certificate is not trusted"));
        let message = ConnectFailure::of(&other).to_string();
        assert!(!message.contains("refused"), "{message}");
    }
}
