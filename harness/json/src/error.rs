//! Errors of texts that are not JSON, with their places.

/// Reason why a text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (at byte {offset})")]
pub struct JsonError {
    /// The byte at which the text stops being JSON.
    pub offset: usize,
    /// Kind of the error.
    pub kind: JsonErrorKind,
}

/// Kinds of errors of a text that is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JsonErrorKind {
    /// There is nothing but white space.
    #[error("there is no JSON value, only an empty text")]
    Empty,
    /// The text ends inside a value.
    #[error("the text ends before its value does")]
    UnexpectedEnd,
    /// Something follows the value.
    #[error("the value is complete, but the text goes on with {0:?}")]
    TextAfterValue(char),
    /// A value must begin here, but this character begins none.
    #[error("expected a value, found {0:?}")]
    ExpectedValue(char),
    /// A key must begin here.
    #[error("expected a key in double quotes, found {0:?}")]
    ExpectedKey(char),
    /// A key is not followed by its value.
    #[error("expected `:` after the key, found {0:?}")]
    ExpectedColon(char),
    /// Neither another element nor the end of the array.
    #[error("expected `,` or `]`, found {0:?}")]
    ExpectedCommaOrBracket(char),
    /// Neither another member nor the end of the object.
    #[error("expected `,` or `}}`, found {0:?}")]
    ExpectedCommaOrBrace(char),
    /// A comma with nothing after it.
    #[error("a comma must be followed by another item, found {0:?}")]
    TrailingComma(char),
    /// A word other than `true`, `false` and `null`.
    #[error("the only words in JSON are `true`, `false` and `null`; NaN and Infinity are no JSON numbers")]
    UnknownWord,
    /// A number such as `012`.
    #[error("a number must not begin with superfluous zeros")]
    LeadingZero,
    /// A number such as `-`, `1.` or `1e+`.
    #[error("a digit is missing in the number, found {0:?}")]
    ExpectedDigit(char),
    /// A control character that is not escaped.
    #[error("the control character {0:?} must be escaped in a string")]
    ControlCharacter(char),
    /// A backslash that begins no escape.
    #[error("`\\` followed by {0:?} is not an escape")]
    UnknownEscape(char),
    /// `\u` without four hexadecimal digits.
    #[error("`\\u` must be followed by four hexadecimal digits, found {0:?}")]
    ExpectedHexDigit(char),
    /// More than [`MAX_DEPTH`](super::MAX_DEPTH) arrays and objects inside one another.
    #[error("arrays and objects nest more than {} deep", super::reader::MAX_DEPTH)]
    TooDeep,
    /// More values, counted in all depths, than the limit: [`MAX_VALUES`](super::MAX_VALUES), or the caller's own.
    #[error("it has more than a million values")]
    TooManyValues,
    /// U+FEFF before the value.
    #[error("the text begins with a byte order mark")]
    ByteOrderMark,
    /// Bytes that are not UTF-8.
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
