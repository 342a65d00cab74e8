//! How a server answers a request over HTTP.

/// How a server answers a request over HTTP, if the client accepts both forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseFormat {
    /// One JSON object. An event stream only if messages precede the response.
    Json,
    /// An event stream, whenever the client accepts one.
    Sse,
}
