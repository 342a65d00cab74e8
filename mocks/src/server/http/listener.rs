//! A listener on loopback that answers the requests of any number of connections.

use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// Pause after the system refused to accept a connection.
const ACCEPT_RETRY: Duration = Duration::from_millis(10);

/// A listener on a free port. It and its connections end when it is dropped.
#[derive(Debug)]
pub(crate) struct Listener {
    address: SocketAddr,
    accepting: JoinHandle<Infallible>,
}

/// Function that answers a request.
pub(crate) trait Responder<F>: Fn(Request<Incoming>) -> F + Clone + Send + 'static {}

impl<F, R: Fn(Request<Incoming>) -> F + Clone + Send + 'static> Responder<F> for R {}

type BoxError = Box<dyn Error + Send + Sync>;

impl Listener {
    /// Opens the listener. It has to be called within a tokio runtime with timers and IO, which then carries the connections.
    ///
    /// # Errors
    /// When the system gives no port.
    pub(crate) async fn bind<F, B, E>(respond: impl Responder<F>) -> io::Result<Self>
    where
        F: Future<Output = Result<Response<B>, E>> + Send + 'static,
        B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        Self::bind_as(http1::Builder::new(), respond).await
    }

    /// The same, and the names of headers are written as `Content-Type`.
    ///
    /// # Errors
    /// When the system gives no port.
    pub(in crate::server) async fn bind_titled<F, B, E>(respond: impl Responder<F>) -> io::Result<Self>
    where
        F: Future<Output = Result<Response<B>, E>> + Send + 'static,
        B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        let mut http = http1::Builder::new();
        http.title_case_headers(true);
        Self::bind_as(http, respond).await
    }

    async fn bind_as<F, B, E>(http: http1::Builder, respond: impl Responder<F>) -> io::Result<Self>
    where
        F: Future<Output = Result<Response<B>, E>> + Send + 'static,
        B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        Ok(Self { address, accepting: tokio::spawn(accept(listener, http, respond)) })
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Accepts connections for ever. They belong to this task and end when it is aborted.
async fn accept<F, B, E>(listener: TcpListener, http: http1::Builder, respond: impl Responder<F>) -> Infallible
where
    F: Future<Output = Result<Response<B>, E>> + Send + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
    E: Into<BoxError> + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => { connections.spawn(serve(stream, http.clone(), respond.clone())); }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    // The system may be short of file handles for a moment.
                    tokio::time::sleep(ACCEPT_RETRY).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve<F, B, E>(stream: TcpStream, http: http1::Builder, respond: impl Responder<F>)
where
    F: Future<Output = Result<Response<B>, E>> + Send + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
    E: Into<BoxError> + 'static,
{
    // Without Nagle's algorithm messages are sent at once. If the system refuses this, they only take longer.
    let _ = stream.set_nodelay(true);
    if let Err(error) = http.serve_connection(TokioIo::new(stream), service_fn(respond)).await {
        tracing::debug!(%error, "a connection ended");
    }
}
