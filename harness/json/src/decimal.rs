//! Arithmetic on the lexemes of numbers, without ever writing a value out.
//!
//! Every value but zero is `± 0.d₁d₂…dₙ × 10ˢ` with `d₁ ≠ 0 ≠ dₙ` in exactly one way; `s` is its *scale*. Of two
//! values of one sign the one with the greater scale is the greater in magnitude, and at equal scales the digits
//! decide. The scale is the exponent of the lexeme plus a shift for where the digits stand. Exponents can be longer
//! than any machine word, so they stay text and are only ever subtracted from one another.

use std::cmp::Ordering;

/// Distance between exponents that no shift makes up for: shifts are lengths of texts.
const FAR: i128 = 1 << 100;

/// The value of a lexeme.
pub(super) struct Decimal<'l> {
    /// -1, 0 or 1.
    sign: i8,
    /// The digits from the first to the last that is not zero, before the point and after it.
    digits: (&'l str, &'l str),
    exponent: Exponent<'l>,
    shift: i128,
}

#[derive(Clone, Copy)]
struct Exponent<'l> {
    negative: bool,
    digits: &'l str,
}

impl<'l> Decimal<'l> {
    /// Takes a well-formed lexeme apart.
    pub(super) fn new(lexeme: &'l str) -> Self {
        let (negative, unsigned) = split_minus(lexeme);
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, ""));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));

        let head = whole.trim_start_matches('0');
        let tail = if head.is_empty() { fraction.trim_start_matches('0') } else { fraction };
        // Only one of the two terms is not zero: digits before the point, or zeros after it.
        let shift = length(head) - (length(fraction) - length(tail));

        let tail = tail.trim_end_matches('0');
        let head = if tail.is_empty() { head.trim_end_matches('0') } else { head };
        let sign = match (head.is_empty() && tail.is_empty(), negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let (negative, exponent) = split_minus(exponent);
        let exponent = Exponent { negative, digits: exponent.trim_start_matches('+') };
        Self { sign, digits: (head, tail), exponent, shift }
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let signs = self.sign.cmp(&other.sign);
        if signs.is_ne() || self.sign == 0 {
            return signs;
        }
        let scales = (self.exponent.minus(other.exponent) + self.shift).cmp(&other.shift);
        let magnitudes = scales.then_with(|| self.digits().cmp(other.digits()));
        if self.sign < 0 { magnitudes.reverse() } else { magnitudes }
    }

    /// Returns whether the value is an integer: its last digit stands before the point.
    pub(super) fn is_integer(&self) -> bool {
        self.sign == 0 || self.scale() >= length(self.digits.0) + length(self.digits.1)
    }

    /// Returns the value, if it is an integer that `i128` holds.
    pub(super) fn to_integer(&self) -> Option<i128> {
        if self.sign == 0 {
            return Some(0);
        }
        if !self.is_integer() {
            return None;
        }
        let mut digits = self.digits();
        let mut integer: i128 = 0;
        // The first digit is not zero, so that a great scale soon overflows.
        for _ in 0..self.scale() {
            let digit = digits.next().map_or(0, |digit| digit - b'0');
            integer = integer.checked_mul(10)?.checked_add(digit.into())?;
        }
        Some(integer * i128::from(self.sign))
    }

    /// Returns the scale, cut off beyond [`FAR`], which is enough for integers.
    fn scale(&self) -> i128 {
        self.exponent.minus(Exponent { negative: false, digits: "" }) + self.shift
    }

    fn digits(&self) -> impl Iterator<Item = u8> {
        self.digits.0.bytes().chain(self.digits.1.bytes())
    }
}

impl Exponent<'_> {
    /// Returns the difference of two exponents, cut off at ± [`FAR`].
    fn minus(self, other: Self) -> i128 {
        let width = self.digits.len().max(other.digits.len());
        let mut difference: i128 = 0;
        for (digit, other_digit) in self.padded(width).zip(other.padded(width)) {
            difference = difference * 10 + digit - other_digit;
            // From here on it can only grow: a step adds less than twenty to ten times as much.
            if difference.abs() > FAR {
                return FAR * difference.signum();
            }
        }
        difference
    }

    /// Returns the digits with the sign of the exponent, padded with leading zeros to the width.
    fn padded(self, width: usize) -> impl Iterator<Item = i128> {
        let sign = if self.negative { -1 } else { 1 };
        let zeros = std::iter::repeat_n(0, width - self.digits.len());
        zeros.chain(self.digits.bytes().map(move |digit| sign * i128::from(digit - b'0')))
    }
}

fn split_minus(text: &str) -> (bool, &str) {
    text.strip_prefix('-').map_or((false, text), |rest| (true, rest))
}

fn length(text: &str) -> i128 {
    text.len() as i128
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(lexeme: &str) -> Option<i128> {
        Decimal::new(lexeme).to_integer()
    }

    #[test]
    fn an_integer_is_one_however_it_is_written() {
        for lexeme in ["120", "120.0", "1.2e2", "12E+01", "0.00120e5", "1200000e-4", "120.000e-0"] {
            assert_eq!(integer(lexeme), Some(120), "{lexeme}");
        }
        for lexeme in ["0", "-0", "0.000", "0e99999999999999999999999999999999999999999999", "-0.0E-7"] {
            assert_eq!(integer(lexeme), Some(0), "{lexeme}");
        }
        assert_eq!(integer("-9223372036854775808"), Some(i64::MIN.into()));
        assert_eq!(integer("170141183460469231731687303715884105727"), Some(i128::MAX));
        assert_eq!(integer("170141183460469231731687303715884105728"), None);
        assert_eq!(integer("1e99999999999999999999999999999999999999999999"), None);
    }

    #[test]
    fn a_fraction_is_no_integer() {
        for lexeme in ["0.1", "1.5", "12e-1", "1e-400", "1e-99999999999999999999999999999999999999999999"] {
            assert!(!Decimal::new(lexeme).is_integer(), "{lexeme}");
        }
        for lexeme in ["1e400", "1.5e1", "12000e-3", "1e99999999999999999999999999999999999999999999"] {
            assert!(Decimal::new(lexeme).is_integer(), "{lexeme}");
        }
    }

    #[test]
    fn exponents_of_any_length_are_subtracted_exactly() {
        let exponent = |text| {
            let (negative, digits) = split_minus(text);
            Exponent { negative, digits }
        };
        let nines = "9".repeat(60);
        let power = format!("1{}", "0".repeat(60));
        assert_eq!(exponent(&power).minus(exponent(&nines)), 1);
        assert_eq!(exponent(&nines).minus(exponent(&power)), -1);
        assert_eq!(exponent("-3").minus(exponent("14")), -17);
        assert_eq!(exponent(&power).minus(exponent("-5")), FAR);
        assert_eq!(exponent("-5").minus(exponent(&power)), -FAR);
    }
}
