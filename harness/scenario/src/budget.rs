//! Limits on the size of the scenarios of one file. A file of a few lines could repeat a text, and copy it for each
//! member of a family or each call, until memory runs out.

use std::iter::Sum;
use std::ops::Add;

use mcp_compat_json::{Json, JsonString, lexemes};
use mcp_compat_model::count::thousands;

/// Most bytes of a text with all parts replaced: the limit of a message in a run.
pub(crate) const LONGEST_TEXT: usize = 16 << 20;

/// Most entries of a list, unless its kind has its own limit.
pub(crate) const MOST_ENTRIES: usize = 1_000;

/// Most bytes of all scenarios of a file together.
const MOST_BYTES: usize = 128 << 20;

/// Most JSON values of all scenarios of a file together.
const MOST_VALUES: usize = 1_000_000;

/// Remaining budget of a file.
#[derive(Debug)]
pub(crate) struct Budget {
    bytes: usize,
    values: usize,
}

/// Size of something that becomes part of a scenario.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    bytes: usize,
    values: usize,
}

impl Size {
    /// Returns the size of a text.
    pub(crate) fn of_bytes(bytes: usize) -> Self {
        Self { bytes, values: 0 }
    }

    /// Returns the size of JSON text, which is counted without parsing it.
    pub(crate) fn of_json_text(text: &str) -> Self {
        let (mut tokens, mut names) = (0, 0);
        for lexeme in lexemes(text.as_bytes()) {
            match lexeme {
                b"," | b"]" | b"}" | b" " | b"\t" | b"\n" | b"\r" => {}
                b":" => names += 1,
                _ => tokens += 1,
            }
        }
        Self { bytes: 0, values: usize::saturating_sub(tokens, names) }
    }

    /// Returns the least size of a tool or a step, without its texts.
    pub(crate) const fn of_entry() -> Self {
        Self { bytes: 1 << 10, values: 0 }
    }

    /// Returns the size of a value.
    pub(crate) fn of_json(json: &Json) -> Self {
        let one = |bytes| Self { bytes, values: 1 };
        match json {
            Json::Null | Json::Bool(_) => one(0),
            Json::Number(number) => one(number.lexeme().len()),
            Json::String(text) => one(text.as_str().map_or(0, str::len)),
            Json::Array(items) => one(0) + items.iter().map(Self::of_json).sum(),
            Json::Object(object) => {
                let member = |(name, value): (&JsonString, &Json)| {
                    Self::of_bytes(name.as_str().map_or(0, str::len)) + Self::of_json(value)
                };
                one(0) + object.iter().map(member).sum()
            }
        }
    }
}

impl Add for Size {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { bytes: self.bytes.saturating_add(other.bytes), values: self.values.saturating_add(other.values) }
    }
}

impl Sum for Size {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::default(), Add::add)
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: MOST_BYTES, values: MOST_VALUES }
    }
}

impl Budget {
    /// Returns the number of bytes that are left.
    pub(crate) fn bytes_left(&self) -> usize {
        self.bytes
    }

    /// Takes a size from the budget, or returns the limit that it exceeds. The budget is used up then.
    pub(crate) fn take(&mut self, size: Size) -> Result<(), String> {
        let bytes = taken(&mut self.bytes, size.bytes).ok_or_else(|| format!("{} MiB", MOST_BYTES >> 20));
        let values = taken(&mut self.values, size.values)
            .ok_or_else(|| format!("{} JSON values", thousands(MOST_VALUES as u64)));
        bytes.and(values).map_err(|most| format!("expected at most {most} in all scenarios of this file together"))
    }
}

fn taken(left: &mut usize, asked: usize) -> Option<()> {
    let rest = left.checked_sub(asked);
    *left = rest.unwrap_or(0);
    rest.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_alike_in_text_and_in_json() {
        for text in [
            "0",
            r#""a,[{\",""#,
            r#""\\""#,
            "[]",
            "{}",
            " [ [] , {} ] ",
            r#"{"a":1,"b,":[1,[2,{"c":"]"}],{}],"\\":"\\,"}"#,
        ] {
            assert_eq!(Size::of_json_text(text).values, Json::parse(text).unwrap().count_values(), "{text}");
        }
    }
}
