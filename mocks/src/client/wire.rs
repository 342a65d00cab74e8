//! A connection to a server: sends requests and reads their answers.
//!
//! Wires are used as `dyn Wire`, so that the code above them is compiled once.

use std::pin::Pin;

use http::{HeaderName, HeaderValue};
use mcp_compat_model::Revision;

use crate::client::client_error::ClientError;
use crate::client::inbox::Inbox;
use crate::client::pending_requests::PendingRequests;

/// A future behind a pointer.
pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A connection to a server.
///
/// Every future may be dropped at any point, which is how deadlines work. The wire then goes on with the next request.
pub(crate) trait Wire: Send {
    /// Sends all requests before it waits for the first answer, then waits until each request has an answer.
    fn request<'a>(&'a mut self, requests: &'a [Request<'a>], pending: &'a mut PendingRequests) -> BoxFuture<'a, ()>;
    /// Sends a legacy notification.
    fn notify<'a>(&'a mut self, method: &'a str, params: Option<&'a str>) -> BoxFuture<'a, Result<(), ClientError>>;
    fn cancel(&mut self, id: u64, era: RequestEra) -> BoxFuture<'_, ()>;
    /// Opens the stream of change notifications, and waits a moment until the server has accepted it. With `request` it
    /// is a modern subscription; without, it is what the transport has for legacy servers.
    fn listen<'a>(&'a mut self, request: Option<&'a Request<'a>>) -> BoxFuture<'a, ()>;
    /// Opens the stream for notifications of a legacy session in this revision, whatever is spoken in it, as a client with the
    /// quirk `streams-in-newest` does. Lines have no such stream.
    ///
    /// # Errors
    /// When the server refuses the session with it.
    fn stream_in(&mut self, _revision: Revision) -> BoxFuture<'_, Result<(), ClientError>> {
        Box::pin(std::future::ready(Ok(())))
    }
    /// Reads everything that has already arrived.
    fn drain(&mut self) -> BoxFuture<'_, ()>;
    /// Waits until the server reports a change of its tools, or cannot any more.
    fn changed(&mut self) -> BoxFuture<'_, ()>;
    /// Receives everything that arrives.
    fn inbox(&mut self) -> &mut Inbox;
    /// Returns whether arguments are repeated in headers.
    fn sends_header_params(&self) -> bool;
    /// Ends the connection.
    fn close<'a>(self: Box<Self>) -> BoxFuture<'a, ()>
    where
        Self: 'a;
}

/// A request on its way out.
pub(crate) struct Request<'a> {
    pub(crate) id: u64,
    pub(crate) method: &'a str,
    /// A JSON object.
    pub(crate) params: &'a str,
    pub(crate) era: RequestEra,
    /// The tool, for `Mcp-Name`.
    pub(crate) name: Option<&'a str>,
    /// Arguments that the tool wants in HTTP headers.
    pub(crate) header_params: &'a [(HeaderName, HeaderValue)],
}

/// Place where a request names its revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestEra {
    /// Not at all: the handshake did.
    Legacy,
    /// In its `_meta`.
    Modern(Revision),
}

/// A request without a number.
pub(crate) struct NewRequest<'a> {
    pub(crate) method: &'a str,
    /// The members of the parameters, without braces.
    pub(crate) members: &'a str,
    pub(crate) era: RequestEra,
    pub(crate) name: Option<&'a str>,
    pub(crate) header_params: &'a [(HeaderName, HeaderValue)],
}

impl<'a> NewRequest<'a> {
    pub(crate) const fn new(method: &'a str, members: &'a str, era: RequestEra) -> Self {
        Self { method, members, era, name: None, header_params: &[] }
    }

    /// The request with its number. `params` holds the members and the `_meta` that goes with them.
    pub(crate) const fn request(&self, id: u64, params: &'a str) -> Request<'a> {
        let Self { method, members: _, era, name, header_params } = *self;
        Request { id, method, params, era, name, header_params }
    }
}
