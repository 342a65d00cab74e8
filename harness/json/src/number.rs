//! Numbers as they were written.

use super::decimal::Decimal;
use super::reader::{Event, Reader};
use std::cmp::Ordering;
use std::fmt;

/// A JSON number: its lexeme, byte for byte, compared by mathematical value.
///
/// ```
/// use mcp_compat_json::Number;
///
/// let number = |lexeme| Number::parse(lexeme).expect("a JSON number");
/// assert_eq!(number("1.0"), number("1e0"));
/// assert!(number("1e999999999") > number("1e999999998"));
/// assert_eq!(number("1.50").lexeme(), "1.50");
/// ```
#[derive(Clone)]
pub struct Number(Box<str>);

impl Number {
    /// Parses a number, if the text is a JSON number and nothing else.
    pub fn parse(lexeme: &str) -> Option<Self> {
        match Reader::new(lexeme).next() {
            Ok(Some(Event::Number(number))) if number.len() == lexeme.len() => Some(Self(lexeme.into())),
            Ok(_) | Err(_) => None,
        }
    }

    pub(super) fn from_valid_lexeme(lexeme: &str) -> Self {
        Self(lexeme.into())
    }

    /// Returns the number as it was written.
    pub fn lexeme(&self) -> &str {
        &self.0
    }

    /// Returns whether the value is an integer, however it is written: `1.0` and `1e3` are integers, `1e-3` is not.
    pub fn is_integer(&self) -> bool {
        Decimal::new(&self.0).is_integer()
    }

    /// Returns the value, if it is an integer that `i64` holds.
    pub fn as_i64(&self) -> Option<i64> {
        self.to_integer()?.try_into().ok()
    }

    /// Returns the value, if it is an integer that `u64` holds.
    pub fn as_u64(&self) -> Option<u64> {
        self.to_integer()?.try_into().ok()
    }

    /// Returns whether `found` is this number for a reader of doubles: it is equal, or this number is exactly a double
    /// and `found` is another text of that double.
    pub fn is_kept_in(&self, found: &Self) -> bool {
        let double = |number: &Self| number.0.parse::<f64>().ok().filter(|double| double.is_finite());
        self == found
            || double(self).is_some_and(|one| double(found) == Some(one) && Self(exactly(one).into()) == *self)
    }

    fn to_integer(&self) -> Option<i128> {
        Decimal::new(&self.0).to_integer()
    }
}

/// Returns all decimal digits of a double.
fn exactly(double: f64) -> String {
    if double.fract() == 0.0 { format!("{double:.0}") } else { format!("{double:.1074}") }
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
        self.cmp(other).is_eq()
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.0 == other.0 {
            return Ordering::Equal;
        }
        Decimal::new(&self.0).compare(&Decimal::new(&other.0))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_kept_by_each_text_of_a_double_that_it_is_exactly() {
        let kept = |sent: &str, found: &str| Number::parse(sent).unwrap().is_kept_in(&Number::parse(found).unwrap());
        for (sent, found) in [
            ("1152921504606846976", "1152921504606847000"),
            ("1180591620717411303424", "1.1805916207174113e+21"),
            ("0.5", "5e-1"),
            ("-0", "0"),
            ("0.1000000000000000055511151231257827021181583404541015625", "0.1"),
            ("1e400", "10e399"),
            ("0", "1e-400"),
        ] {
            assert!(kept(sent, found), "{sent} {found}");
        }
        for (sent, found) in [
            ("9007199254740993", "9007199254740992"),
            ("0.1", "0.1000000000000000055511151231257827021181583404541015625"),
            ("3.14159265358979323846", "3.141592653589793"),
            ("1e-400", "0"),
            ("1e400", "1e401"),
            ("4", "5"),
        ] {
            assert!(!kept(sent, found), "{sent} {found}");
        }
    }
}
