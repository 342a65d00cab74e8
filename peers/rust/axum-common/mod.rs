//! The HTTP service of SDKs that serve with axum, as the listener of the contract takes it.
//!
//! It is no crate: each package takes this file in as a module, with the axum of its own SDK.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{Request, Response, Uri};
use http_body::{Body as HttpBody, Frame};
use peer_contract::server;
use tower_service::Service;

/// A router of an SDK, as the service of one path.
#[derive(Clone)]
pub struct AxumService {
    router: Router,
    /// Path at which the SDK serves within its router.
    path: &'static str,
}

impl AxumService {
    /// Serves a router whose MCP endpoint is at `path`.
    pub fn new(router: Router, path: &'static str) -> Self {
        Self { router, path }
    }
}

impl<B> Service<Request<B>> for AxumService
where
    B: HttpBody<Data = Bytes, Error: Into<axum::BoxError>> + Send + 'static,
{
    type Response = Response<server::Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let mut request = request.map(Body::new);
        *request.uri_mut() = Uri::from_static(self.path);
        let answer = self.router.call(request);
        Box::pin(async move { Ok(answer.await?.map(|body| server::Body::new(Ending(Mutex::new(body))))) })
    }
}

/// A body that ends where it fails. The contract asks for one that threads can share, which the lock alone provides.
struct Ending(Mutex<Body>);

impl HttpBody for Ending {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let body = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        Pin::new(body).poll_frame(context).map(|frame| frame?.ok().map(Ok))
    }
}
