//! rmcp names the type of its transport, with all parameters, before each error of it.

/// What may stand before the name of the transport.
const BEFORE: [&str; 2] = ["Transport send error: ", "Send message error "];

/// The text without the name of the transport.
pub(super) fn without_transport(text: &str) -> &str {
    let start = BEFORE.iter().find_map(|before| text.strip_prefix(before)).unwrap_or(text);
    let error = start.strip_prefix("Transport [rmcp::").and_then(|rest| rest.split_once("] error: "));
    error.map_or(text, |(_, error)| error)
}
