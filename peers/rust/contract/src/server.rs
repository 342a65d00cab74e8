//! A server of one script, as an SDK's adapter makes it and the loops start it.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::Incoming;
use hyper::{Request, Response};
use tower_service::Service;

pub use tokio_util::sync::CancellationToken;

use crate::offer::Process;
use crate::script::Script;

/// An SDK's server of one script.
pub trait Server: Sized {
    /// The SDK's HTTP service.
    type Http: HttpService;

    /// Offers a script.
    ///
    /// # Errors
    /// When the SDK cannot. The words are meant for `unsupported`.
    fn new(script: &Script, process: Process) -> Result<Self, String>;

    /// Serves one session over the standard streams, until it ends.
    fn over_stdio(self) -> impl Future<Output = ()>;

    /// Makes the SDK's HTTP service, with the SDK's defaults.
    fn over_http(self) -> Endpoint<Self::Http>;
}

/// One script at its path, served by an SDK.
#[derive(Clone)]
pub struct Endpoint<S> {
    /// The SDK's HTTP service.
    pub service: S,
    /// Ends its sessions.
    pub stop: CancellationToken,
}

/// Body of an HTTP service's response.
pub type Body = BoxBody<Bytes, Infallible>;

/// An HTTP service that the listener can hand requests to.
pub trait HttpService:
    Service<Request<Incoming>, Response = Response<Body>, Error = Infallible, Future: Send> + Clone + Send + Sync + 'static
{
}

impl<S> HttpService for S where
    S: Service<Request<Incoming>, Response = Response<Body>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static
{
}

/// Serves the script that the environment names, in one session.
pub(crate) async fn serve<S: Server>() {
    let server = S::new(&Script::from_environment(), Process::OfOneSession);
    server.unwrap_or_else(|reason| crate::unsupported(&reason)).over_stdio().await;
}
