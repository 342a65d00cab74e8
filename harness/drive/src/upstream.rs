//! Connects the proxy to servers: over TCP, and over TLS if the feature `tls` is enabled. A connection that fails says at
//! which step.

use std::error::Error;
use std::io;
use std::iter::successors;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, ResponseFuture};
use hyper_util::rt::{TokioExecutor, TokioTimer};

/// Longest time that connecting to a server may take.
const CONNECT: Duration = Duration::from_secs(5);

/// Time for which a connection to a server is kept for the next request. Short, so that the server rarely closes it
/// while a request is on its way.
const IDLE: Duration = Duration::from_secs(2);

/// Connections to servers. Cloning shares them.
#[derive(Clone, Debug)]
pub(crate) struct Upstream {
    plain: Client<HttpConnector, Full<Bytes>>,
    #[cfg(feature = "tls")]
    secure: tls::Secure,
}

impl Upstream {
    pub(crate) fn new() -> Self {
        Self {
            plain: client().build(connector()),
            #[cfg(feature = "tls")]
            secure: tls::Secure::default(),
        }
    }

    /// Returns whether a server of this scheme can be reached.
    ///
    /// # Errors
    /// Reason.
    pub(crate) fn reaches(&self, scheme: Option<&str>) -> Result<(), String> {
        match scheme {
            Some("http") => Ok(()),
            #[cfg(feature = "tls")]
            Some("https") => self.secure.client().map(|_| ()),
            #[cfg(not(feature = "tls"))]
            Some("https") => Err("https is not built into this program".to_owned()),
            Some(_) => Err("its scheme is neither http nor https".to_owned()),
            None => Err("it begins with neither http:// nor https://".to_owned()),
        }
    }

    /// Sends a request to where its URI says.
    pub(crate) fn request(&self, request: Request<Full<Bytes>>) -> ResponseFuture {
        #[cfg(feature = "tls")]
        if request.uri().scheme_str() == Some("https")
            && let Ok(secure) = self.secure.client()
        {
            return secure.request(request);
        }
        self.plain.request(request)
    }
}

fn client() -> hyper_util::client::legacy::Builder {
    let mut builder = Client::builder(TokioExecutor::new());
    builder.pool_timer(TokioTimer::new()).pool_idle_timeout(IDLE);
    builder
}

fn connector() -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(CONNECT));
    connector
}

/// Reason why no connection to a server could be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectFailure {
    /// Nothing listens at the port.
    #[error("connection refused")]
    Refused,
    /// The name of the host has no address.
    #[error("unknown host")]
    UnknownHost,
    /// The host did not answer in time.
    #[error("the connection timed out")]
    TimedOut,
    #[error("the server answered without TLS")]
    NoTls,
    /// Anything else, such as a certificate that is not trusted, in the words of the system.
    #[error("{0}")]
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

#[cfg(feature = "tls")]
mod tls {
    use std::sync::{Arc, OnceLock};

    use bytes::Bytes;
    use http_body_util::Full;
    use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
    use hyper_util::client::legacy::Client;
    use hyper_util::client::legacy::connect::HttpConnector;

    type SecureClient = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

    /// Connections over TLS. The authorities of the system are read when the first of them is needed: that takes a while,
    /// and most runs need none.
    #[derive(Clone, Debug, Default)]
    pub(super) struct Secure(Arc<OnceLock<Result<SecureClient, String>>>);

    impl Secure {
        pub(super) fn client(&self) -> Result<&SecureClient, String> {
            let client = || {
                let roots = HttpsConnectorBuilder::new().with_native_roots();
                let roots = roots.map_err(|error| format!("the system's certificates cannot be read: {error}"))?;
                let mut connector = super::connector();
                connector.enforce_http(false);
                Ok(super::client().build(roots.https_only().enable_http1().wrap_connector(connector)))
            };
            self.0.get_or_init(client).as_ref().map_err(Clone::clone)
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
