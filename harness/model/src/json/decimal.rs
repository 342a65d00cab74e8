//! Arithmetic on the lexemes of numbers, without ever writing one out.
//!
//! Every value but zero is `± 0.d₁d₂d₃… × 10ˢ` with `d₁ ≠ 0` in exactly one way, `s` being its *scale*. Of two
//! values of one sign the one with the greater scale is greater, and at equal scales the digits decide. The scale
//! is the exponent of the lexeme plus a small shift for where the digits stand. Exponents can be longer than any
//! machine word (`1e99999999999999999999999999999999999999999`), so they are kept as text and only ever subtracted.

use std::cmp::Ordering;

/// A distance between exponents that no shift can make up for: shifts are lengths of texts.
const FAR: i128 = 1 << 100;

/// The parts of a lexeme.
pub(super) struct Decimal<'l> {
    negative: bool,
    whole: &'l str,
    fraction: &'l str,
    exponent: Exponent<'l>,
}

#[derive(Clone, Copy)]
struct Exponent<'l> {
    negative: bool,
    digits: &'l str,
}

const NO_EXPONENT: Exponent<'_> = Exponent { negative: false, digits: "" };

impl<'l> Decimal<'l> {
    /// Takes a well-formed lexeme apart.
    pub(super) fn new(lexeme: &'l str) -> Self {
        let (negative, unsigned) = strip_minus(lexeme);
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, ""));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let (exponent_negative, digits) = strip_minus(exponent);
        let digits = digits.trim_start_matches(['+', '0']);
        Self { negative, whole, fraction, exponent: Exponent { negative: exponent_negative, digits } }
    }

    /// Compares the values.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let (sign, other_sign) = (self.sign(), other.sign());
        if sign != other_sign || sign == 0 {
            return sign.cmp(&other_sign);
        }
        let magnitudes = self.compare_scales(other).then_with(|| self.compare_digits(other));
        if self.negative { magnitudes.reverse() } else { magnitudes }
    }

    /// The integer that this is, if it is one and has few enough digits for an `i128` to hold.
    pub(super) fn to_integer(&self) -> Option<i128> {
        let scale = self.integer_scale()?;
        let mut digits = self.significant_digits();
        let mut integer: i128 = 0;
        for _ in 0..scale {
            let digit = digits.next().map_or(0, |digit| digit - b'0');
            integer = integer.checked_mul(10)?.checked_add(digit.into())?;
        }
        Some(if self.negative { -integer } else { integer })
    }

    /// Whether the value is an integer.
    pub(super) fn is_integer(&self) -> bool {
        self.integer_scale().is_some()
    }

    /// The scale of an integer, as far as it counts (it is cut off at [`FAR`]), and 0 for zero.
    fn integer_scale(&self) -> Option<i128> {
        if self.sign() == 0 {
            return Some(0);
        }
        let scale = difference(self.exponent, NO_EXPONENT) + self.shift();
        let count = self.significant_digits().rposition_nonzero();
        (scale >= count).then_some(scale)
    }

    fn sign(&self) -> i8 {
        match (self.significant_digits().next(), self.negative) {
            (None, _) => 0,
            (Some(_), true) => -1,
            (Some(_), false) => 1,
        }
    }
}
