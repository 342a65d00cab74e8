//! Requests to the server, before and after they have a number.

use http::{HeaderName, HeaderValue};
use mcp_compat_model::Revision;

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

/// How a request names its revision.
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
