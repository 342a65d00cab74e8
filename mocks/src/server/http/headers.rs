//! Headers of a request: those of every revision, and those that have to repeat the body of a modern request.

use std::borrow::Cow;

use crate::wire::jsonrpc::HEADER_MISMATCH;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderMap, header};
use mcp_compat_model::{Era, Revision};

use crate::server::params::Params;
use crate::server::protocol::ProtocolError;

/// Names the revision.
pub(super) const VERSION: &str = "mcp-protocol-version";
/// Names a legacy session.
pub(super) const SESSION: &str = "mcp-session-id";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";

/// The revision that the headers name. `None` if they name none or an unknown one.
pub(super) fn revision(headers: &HeaderMap) -> Option<Revision> {
    headers.get(VERSION)?.to_str().ok()?.parse().ok()
}

/// Returns whether the headers name a modern revision.
pub(super) fn name_modern(headers: &HeaderMap) -> bool {
    revision(headers).is_some_and(|revision| revision.era() == Era::Modern)
}

/// Returns whether the client accepts an event stream.
pub(super) fn accept_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|range| {
        let range = range.split(';').next().unwrap_or_default().trim();
        ["text/event-stream", "text/*", "*/*"].iter().any(|admitted| range.eq_ignore_ascii_case(admitted))
    })
}

/// Checks that the headers of a modern request match its body.
///
/// First a missing header, then a missing `_meta`, then a difference: in this order each mistake gets the error that the
/// specification has for it.
pub(super) fn check(headers: &HeaderMap, method: &str, params: &Params<'_>) -> Result<(), ProtocolError> {
    let version = one(headers, VERSION)?.ok_or_else(|| missing("MCP-Protocol-Version"))?;
    let sent_method = one(headers, METHOD)?.ok_or_else(|| missing("Mcp-Method"))?;
    let named_version = params.modern_version()?;
    same("MCP-Protocol-Version", version, &named_version)?;
    same("Mcp-Method", sent_method, method)?;
    if let Some(name) = params.named_item(method) {
        let sent = one(headers, NAME)?.ok_or_else(|| missing("Mcp-Name"))?;
        same("Mcp-Name", &decoded("Mcp-Name", sent)?, &name)?;
    }
    Ok(())
}

/// The only value of a header. `None` without the header.
pub(super) fn one<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, ProtocolError> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => match value.to_str() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(mismatch(format!("{name} holds characters that a header cannot have"))),
        },
        (Some(_), Some(_)) => Err(mismatch(format!("{name} is there more than once"))),
    }
}

/// A header's value, decoded if it is marked as base64: `=?base64?…?=`.
pub(super) fn decoded<'h>(name: &str, value: &'h str) -> Result<Cow<'h, str>, ProtocolError> {
    let Some(encoded) = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Ok(Cow::Borrowed(value));
    };
    let bytes = BASE64_STANDARD.decode(encoded).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.map(Cow::Owned).ok_or_else(|| mismatch(format!("{name} is not the base64 of a text: {value}")))
}

fn same(name: &str, header: &str, body: &str) -> Result<(), ProtocolError> {
    if header == body {
        return Ok(());
    }
    Err(mismatch(format!("{name} says {header:?}, the body says {body:?}")))
}

pub(super) fn missing(name: &str) -> ProtocolError {
    mismatch(format!("{name} is missing"))
}

pub(super) fn mismatch(message: String) -> ProtocolError {
    ProtocolError::new(400, HEADER_MISMATCH, format!("Header mismatch: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapped_value_is_decoded_strictly() {
        assert_eq!(decoded("n", "=?base64?SGVsbG8=?=").unwrap(), "Hello");
        for literal in ["SGVsbG8=", "=?base64?SGVsbG8=", "SGVsbG8=?=", "=?BASE64?SGVsbG8=?="] {
            assert_eq!(decoded("n", literal).unwrap(), literal);
        }
        for broken in ["=?base64?SGVsbG8?=", "=?base64?SGVs!!!bG8=?=", "=?base64?/w==?="] {
            assert!(decoded("n", broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn event_streams_are_accepted_under_any_range_that_has_them() {
        let accepts = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, value.parse().unwrap());
            accept_events(&headers)
        };
        assert!(accepts("application/json, text/event-stream"));
        assert!(accepts("TEXT/event-stream;q=0.5"));
        assert!(accepts("*/*"));
        assert!(!accepts("application/json"));
        assert!(!accept_events(&HeaderMap::new()));
    }
}
