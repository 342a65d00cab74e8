//! HTTP connections to servers. Everything that sends HTTP requests here uses this one client.

use bytes::Bytes;
use http::header::HeaderMap;
use http::{Method, Uri};
use http_body_util::Full;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, ResponseFuture};
use hyper_util::rt::TokioExecutor;

/// A pool of connections to servers, for all sessions of one tokio runtime. Clones share it.
#[derive(Clone, Debug)]
pub struct HttpClient(Client<HttpConnector, Full<Bytes>>);

impl HttpClient {
    /// A client without connections yet.
    #[must_use]
    pub fn new() -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Self(Client::builder(TokioExecutor::new()).build(connector))
    }

    pub(crate) fn send(&self, method: Method, uri: &Uri, headers: HeaderMap, body: Vec<u8>) -> ResponseFuture {
        let mut request = http::Request::new(Full::new(Bytes::from(body)));
        *request.method_mut() = method;
        *request.uri_mut() = uri.clone();
        *request.headers_mut() = headers;
        self.0.request(request)
    }
}

impl Default for HttpClient {
    fn default() -> Self {
        Self::new()
    }
}
