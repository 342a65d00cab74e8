//! Parts of its requests that a client chooses, and that every server has to take as they are.

use crate::client::exchange::CLIENT_INFO;

/// Choices of a client: the form of its ids, what it declares, and the revision that it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestStyle {
    /// True if ids are strings, and not numbers.
    pub has_string_ids: bool,
    /// Capabilities that it declares, as a JSON object.
    pub capabilities: &'static str,
    /// Name and version that it gives itself, as a JSON object.
    pub client_info: &'static str,
    /// Revision that it asks for in place of the newest that it speaks.
    pub asks_for: Option<&'static str>,
    /// True if `initialize` has the header `MCP-Protocol-Version` over HTTP, with the revision that it asks for.
    pub names_revision_at_once: bool,
    /// True if it opens the stream of a legacy session over HTTP, and reads it to the end of the session.
    pub listens: bool,
}

impl Default for RequestStyle {
    fn default() -> Self {
        Self {
            has_string_ids: false,
            capabilities: "{}",
            client_info: CLIENT_INFO,
            asks_for: None,
            names_revision_at_once: false,
            listens: false,
        }
    }
}

/// Characters before the number of a string id.
const PREFIX: &str = "\"request-";

impl RequestStyle {
    /// The id of a request, as JSON.
    pub(crate) fn id(self, number: u64) -> String {
        if self.has_string_ids { format!("{PREFIX}{number}\"") } else { number.to_string() }
    }

    /// The number of the request that has this id; `None` if no request of the client has.
    pub(crate) fn number(self, id: &str) -> Option<u64> {
        if !self.has_string_ids {
            return id.parse().ok();
        }
        id.strip_prefix(PREFIX)?.strip_suffix('"')?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_known_in_its_own_form_only() {
        let strings = RequestStyle { has_string_ids: true, ..RequestStyle::default() };
        assert_eq!((strings.id(5).as_str(), RequestStyle::default().id(5).as_str()), ("\"request-5\"", "5"));
        assert_eq!((strings.number("\"request-5\""), strings.number("5")), (Some(5), None));
        assert_eq!((RequestStyle::default().number("5"), RequestStyle::default().number("\"5\"")), (Some(5), None));
    }
}
