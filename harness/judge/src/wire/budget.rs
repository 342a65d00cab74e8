//! Budget for reading one side of a session: values and messages.
//!
//! Read, a value of two bytes takes forty and more, and a message of a batch two hundred. A side that sends many of either is
//! bounded by its bytes where it is recorded, and by this where it is read.

use mcp_compat_json::{Json, JsonError, MAX_VALUES};
use mcp_compat_model::read_limit::{MAX_MESSAGES, MAX_VALUES_TOGETHER, ReadLimit};

/// Reason why a text is no message.
#[derive(Debug)]
pub(crate) enum Unread {
    TooLarge(ReadLimit),
    NotJson(JsonError),
}

/// Rest of the budget for reading one side.
pub(crate) struct Budget {
    values: usize,
    messages: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { values: MAX_VALUES_TOGETHER, messages: MAX_MESSAGES }
    }
}

impl Budget {
    /// Reads a message or a batch of them. One for which there is no budget takes none.
    pub(crate) fn read(&mut self, text: &str) -> Result<Json, Unread> {
        let read = Json::parse_at_most(self.values, text);
        self.admit(read)
    }

    /// Reads bytes that need not be UTF-8.
    pub(crate) fn read_bytes(&mut self, bytes: &[u8]) -> Result<Json, Unread> {
        let read = Json::parse_bytes_at_most(self.values, bytes);
        self.admit(read)
    }

    fn admit(&mut self, read: Result<(Json, usize), JsonError>) -> Result<Json, Unread> {
        let (json, values) = read.map_err(|error| match ReadLimit::of_json(error.kind) {
            Some(ReadLimit::Values) if self.values < MAX_VALUES => Unread::TooLarge(ReadLimit::ValuesTogether),
            Some(limit) => Unread::TooLarge(limit),
            None => Unread::NotJson(error),
        })?;
        let messages = json.as_array().map_or(1, |batch| batch.len().max(1));
        let left = self.messages.checked_sub(messages).ok_or(Unread::TooLarge(ReadLimit::Messages))?;
        (self.values, self.messages) = (self.values - values, left);
        Ok(json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads texts, one after the other: `None` for JSON.
    fn read(texts: &[&str]) -> Vec<Option<ReadLimit>> {
        let mut budget = Budget::default();
        let read = texts.iter().map(|text| match budget.read(text) {
            Ok(_) => None,
            Err(Unread::TooLarge(limit)) => Some(limit),
            Err(Unread::NotJson(error)) => panic!("{error}"),
        });
        read.collect()
    }

    #[test]
    fn values_are_read_until_there_are_too_many_together() {
        let of = |values: usize| format!(r#"{{"a":[{}0]}}"#, "0,".repeat(values - 3));
        let (most, more) = (of(MAX_VALUES), of(MAX_VALUES + 1));
        let (most, more) = (most.as_str(), more.as_str());
        let together = Some(ReadLimit::ValuesTogether);
        assert_eq!(read(&[more, most, most, "0"]), [Some(ReadLimit::Values), None, None, together]);
        let half = of(MAX_VALUES / 2);
        let texts = [most, &half, most, &half];
        assert_eq!(read(&texts), [None, None, together, None], "what is not read takes no budget");
    }

    #[test]
    fn messages_are_read_until_there_are_too_many() {
        let of = |messages: usize| format!("[{}0]", "0,".repeat(messages - 1));
        let (most, more) = (of(MAX_MESSAGES), of(MAX_MESSAGES + 1));
        let too_many = Some(ReadLimit::Messages);
        assert_eq!(read(&[&more, &most, "{}", "[0]", "[]"]), [too_many, None, too_many, too_many, too_many]);
    }
}
