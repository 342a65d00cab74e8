//! Errors of texts that are not JSON, with their places.

/// Reason why a text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (at byte {offset})")]
pub struct JsonError {
    /// The byte at which the text stops being JSON.
    pub offset: usize,
    pub kind: JsonErrorKind,
}

/// Kinds of errors of a text that is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JsonErrorKind {
    #[error("there is no JSON value, only an empty text")]
    Empty,
    #[error("the text ends before its value does")]
    UnexpectedEnd,
    #[error("the value is complete, but the text goes on with {0:?}")]
    TextAfterValue(char),
    #[error("expected a value, found {0:?}")]
    ExpectedValue(char),
    #[error("expected a key in double quotes, found {0:?}")]
    ExpectedKey(char),
    #[error("expected `:` after the key, found {0:?}")]
    ExpectedColon(char),
    #[error("expected `,` or `]`, found {0:?}")]
    ExpectedCommaOrBracket(char),
    #[error("expected `,` or `}}`, found {0:?}")]
    ExpectedCommaOrBrace(char),
    #[error("a comma must be followed by another item, found {0:?}")]
    TrailingComma(char),
    #[error("the only words in JSON are `true`, `false` and `null`; NaN and Infinity are no JSON numbers")]
    UnknownWord,
    #[error("a number must not begin with superfluous zeros")]
    LeadingZero,
    #[error("a digit is missing in the number, found {0:?}")]
    ExpectedDigit(char),
    #[error("the control character {0:?} must be escaped in a string")]
    ControlCharacter(char),
    #[error("`\\` followed by {0:?} is not an escape")]
    UnknownEscape(char),
    #[error("`\\u` must be followed by four hexadecimal digits, found {0:?}")]
    ExpectedHexDigit(char),
    #[error("arrays and objects nest more than {} deep", super::reader::MAX_DEPTH)]
    TooDeep,
    #[error("it has more than a million values")]
    TooManyValues,
    #[error("the text begins with a byte order mark")]
    ByteOrderMark,
    #[error("the text is not valid UTF-8")]
    InvalidUtf8,
}

impl JsonError {
    /// Returns the line and the column of the error in the text that was parsed, both from 1; columns are characters.
    #[must_use]
    pub fn line_column(&self, text: &str) -> (usize, usize) {
        let mut end = self.offset.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}
