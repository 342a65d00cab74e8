//! Numbers as they were written.

use std::cmp::Ordering;

/// A JSON number: its lexeme, byte for byte, compared by mathematical value.
#[derive(Clone)]
pub struct Number(Box<str>);

impl Number {
    /// The number that is written so, if the text is a JSON number and nothing else.
    #[must_use]
    pub fn parse(_lexeme: &str) -> Option<Self> {
        todo!()
    }

    pub(super) fn from_valid_lexeme(lexeme: &str) -> Self {
        Self(lexeme.into())
    }

    /// The number as it was written.
    #[must_use]
    pub fn lexeme(&self) -> &str {
        &self.0
    }

    /// Whether the value is an integer, however it is written: `1.0` and `1e3` are, `1e-3` is not.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        todo!()
    }

    /// The value, if it is an integer that `i64` holds.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        todo!()
    }

    /// The value, if it is an integer that `u64` holds.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        todo!()
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(value.to_string().into())
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self(value.to_string().into())
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, _other: &Self) -> Ordering {
        todo!()
    }
}
