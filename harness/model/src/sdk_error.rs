//! Errors of SDKs, in short: their first words, on one line.

use crate::excerpt::excerpt;

/// Words that rmcp writes before the name of its transport.
const BEFORE: [&str; 2] = ["Transport send error: ", "Send message error "];

/// The first words of an error, in at most [`WORDS`](crate::excerpt::WORDS) characters. rmcp writes the type of its
/// transport with all parameters before the error; it is left out.
#[must_use]
pub fn in_short(text: &str) -> String {
    let start = BEFORE.iter().find_map(|before| text.strip_prefix(before)).unwrap_or(text);
    let error = start.strip_prefix("Transport [rmcp::").and_then(|rest| rest.split_once("] error: "));
    excerpt(error.map_or(text, |(_, error)| error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transport_of_rmcp_is_left_out() {
        let transport = "Transport [rmcp::transport::worker::WorkerTransport<rmcp::transport::streamable_http_client::\
                         StreamableHttpClientWorker<reqwest::async_impl::client::Client>>] error: ";
        assert_eq!(in_short(&format!("Transport send error: {transport}number out of range")), "number out of range");
        assert_eq!(in_short(&format!("Send message error {transport}Client error")), "Client error");
        assert_eq!(in_short("Transport [car] error: flat tyre"), "Transport [car] error: flat tyre");
    }
}
