//! Rejects requests that a web page sent here through a name that resolves to loopback (DNS rebinding).

use crate::wire::jsonrpc::{INVALID_REQUEST, error_object, failure};
use http::{HeaderMap, HeaderName, Request, Response, StatusCode, Uri, header};

use super::body::{Body, json};

/// The header that names another place than this machine. `None` if the request is local.
pub(crate) fn names_elsewhere(headers: &HeaderMap) -> Option<HeaderName> {
    [header::ORIGIN, header::HOST].into_iter().find(|name| !is_local(headers, name))
}

/// The refusal of a request from elsewhere. `None` if the request is local.
pub(super) fn refusal<B>(request: &Request<B>) -> Option<Response<Body>> {
    let from_elsewhere = names_elsewhere(request.headers())?;
    let message = format!("`{from_elsewhere}` names another place than this machine");
    Some(refuse(StatusCode::FORBIDDEN, &message))
}

/// The response if nothing is served at a path.
pub(super) fn nothing_here() -> Response<Body> {
    refuse(StatusCode::NOT_FOUND, "nothing is served at this path")
}

/// A refusal without the id of a request.
pub(super) fn refuse(status: StatusCode, message: &str) -> Response<Body> {
    json(status, failure(None, &error_object(INVALID_REQUEST, message, None)))
}

/// Returns whether all occurrences of a header name loopback. It may be absent: only browsers have to send it.
fn is_local(headers: &HeaderMap, name: &HeaderName) -> bool {
    headers.get_all(name).iter().all(|value| {
        let uri: Option<Uri> = value.to_str().ok().and_then(|value| value.parse().ok());
        uri.as_ref().and_then(Uri::host).is_some_and(is_loopback)
    })
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(headers: &[(&str, &str)]) -> Option<u16> {
        let request = headers.iter().fold(Request::builder(), |request, (name, value)| request.header(*name, *value));
        refusal(&request.body(()).unwrap()).map(|response| response.status().as_u16())
    }

    #[test]
    fn loopback_comes_in_under_all_its_names() {
        for host in ["localhost:80", "127.0.0.1:1234", "[::1]:80", "LOCALHOST", "127.8.8.8"] {
            assert_eq!(status(&[("host", host), ("origin", &format!("http://{host}"))]), None, "{host}");
        }
        assert_eq!(status(&[]), None);
    }

    #[test]
    fn everything_else_stays_out() {
        for host in ["evil.example.com", "127.0.0.1.example.com", "10.0.0.1", "localhost.example.com:80"] {
            assert_eq!(status(&[("host", host)]), Some(403), "{host}");
            assert_eq!(status(&[("host", "localhost"), ("origin", &format!("https://{host}"))]), Some(403), "{host}");
        }
        assert_eq!(status(&[("origin", "null")]), Some(403));
        assert_eq!(status(&[("origin", "http://localhost"), ("origin", "http://example.com")]), Some(403));
        assert_eq!(status(&[("origin", "\u{e9}")]), Some(403));
    }
}
