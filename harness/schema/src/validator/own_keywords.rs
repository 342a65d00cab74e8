//! Keywords that the validator library reads otherwise than JSON Schema does, and that are replaced by ours.
//!
//! The library divides doubles for `multipleOf`, so that multiples beyond 2^53 come out wrong; other libraries divide
//! doubles otherwise, see [`Division`]. And it asserts `dependencies` in every dialect, although 2019-09 and later ones
//! have split it into two other keywords.

use jsonschema::json::{JsonNumber as _, Node as _};
use jsonschema::{Draft, Keyword, ValidationError};
use serde_json::{Number, Value};

use crate::validator::metered::{Instance, Metered};

type Made<'a> = Result<Box<dyn for<'i> Keyword<'i, Metered>>, ValidationError<'a>>;

/// A keyword that says nothing.
pub(crate) struct Nothing;

impl<'i> Keyword<'i, Metered> for Nothing {
    fn validate(&self, _: Instance<'i>) -> Result<(), ValidationError<'i>> {
        Ok(())
    }

    fn is_valid(&self, _: Instance<'i>) -> bool {
        true
    }
}

/// Returns true if a dialect has the keyword `dependencies`.
pub(crate) const fn has_dependencies(draft: Draft) -> bool {
    matches!(draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7)
}

/// Division by which a library finds multiples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Division {
    /// With all digits.
    #[default]
    Exact,
    /// Of doubles, and the quotient is read as text up to what is no digit: Ajv (`parseInt`).
    ParsedQuotient,
    /// Of doubles where the divisor has a fraction, and else exact: `jsonschema` for Python.
    FloatQuotient,
}

/// `multipleOf`.
struct MultipleOf {
    divisor: Number,
    exact: Decimal,
    division: Division,
}

impl Division {
    pub(crate) fn keyword<'a>(self, value: &'a Value) -> Made<'a> {
        // The meta-schema asks for a number above 0.
        let divisor = value.as_number().filter(|number| number.as_f64().is_some_and(|number| number > 0.0));
        let exact = divisor.and_then(|divisor| Decimal::of(&divisor.to_string()));
        Ok(match divisor.zip(exact) {
            Some((divisor, exact)) => Box::new(MultipleOf { divisor: divisor.clone(), exact, division: self }),
            None => Box::new(Nothing),
        })
    }
}

impl MultipleOf {
    /// Returns true if the quotient of doubles is an integer. `None` if the quotient is no double.
    fn divides_double(&self, value: f64) -> Option<bool> {
        let quotient = value / self.divisor.as_f64()?;
        quotient.is_finite().then(|| quotient.fract() == 0.0)
    }

    fn divides(&self, lexeme: &str, double: Option<f64>) -> bool {
        // From here on, and below a millionth, JavaScript writes an exponent, and reads no further than up to it.
        const EXPONENT: f64 = 1e21;
        let exact = || Decimal::of(lexeme).is_none_or(|value| value.is_multiple_of(self.exact));
        match self.division {
            Division::ParsedQuotient => double.is_none_or(|double| {
                let is_written_out = self.divisor.as_f64().is_some_and(|by| (double / by).abs() < EXPONENT);
                is_written_out && self.divides_double(double) == Some(true)
            }),
            Division::FloatQuotient if self.divisor.is_f64() => {
                double.and_then(|double| self.divides_double(double)).unwrap_or_else(exact)
            }
            Division::Exact | Division::FloatQuotient => exact(),
        }
    }
}

impl<'i> Keyword<'i, Metered> for MultipleOf {
    fn validate(&self, instance: Instance<'i>) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            return Ok(());
        }
        Err(ValidationError::custom(format!("{} is not a multiple of {}", instance.0, self.divisor)))
    }

    fn is_valid(&self, instance: Instance<'i>) -> bool {
        instance.as_number().is_none_or(|number| self.divides(&number.as_str(), number.as_f64()))
    }
}

/// The magnitude of a number, `digits × 10^exponent`, where the last digit is not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decimal {
    digits: u64,
    exponent: i64,
}

impl Decimal {
    /// Reads a number as `serde_json` writes it: at most 20 digits. `None` for what is longer.
    fn of(lexeme: &str) -> Option<Self> {
        let lexeme = lexeme.trim_start_matches('-');
        let (mantissa, exponent) = lexeme.split_once(['e', 'E']).unwrap_or((lexeme, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let mut digits: u64 = format!("{whole}{fraction}").parse().ok()?;
        let mut exponent = exponent.parse::<i64>().ok()?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        while digits > 0 && digits.is_multiple_of(10) {
            (digits, exponent) = (digits / 10, exponent + 1);
        }
        Some(Self { digits, exponent })
    }

    /// Returns true if the quotient is an integer.
    fn is_multiple_of(self, divisor: Self) -> bool {
        if self.digits == 0 {
            return true;
        }
        // The last digit is not zero, so a value with more decimals is no multiple.
        let Ok(shift) = u64::try_from(self.exponent.saturating_sub(divisor.exponent)) else { return false };
        let modulus = u128::from(divisor.digits);
        let mut rest = u128::from(self.digits) % modulus;
        let (mut power, mut left) = (10 % modulus, shift);
        while left > 0 && rest > 0 {
            if left % 2 == 1 {
                rest = rest * power % modulus;
            }
            (power, left) = (power * power % modulus, left / 2);
        }
        rest == 0
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::beyond_doubles("9007199254740993", "9007199254740993", true)]
    #[case::beside_it("9007199254740992", "9007199254740993", false)]
    #[case::of_a_fraction("12345678901234567890", "1.5", true)]
    #[case::not_of_a_fraction("12345678901234567891", "1.5", false)]
    #[case::tenths("0.3", "0.1", true)]
    #[case::more_decimals("0.35", "0.1", false)]
    #[case::a_great_exponent("1e300", "1e-8", true)]
    #[case::of_seven("1e300", "7", false)]
    #[case::zero("0", "7", true)]
    #[case::negative("-14", "7", true)]
    #[case::written_as_a_double("4.0", "2", true)]
    #[case::a_multiple_with_zeros("2000", "1e3", true)]
    #[case::one_without("2500", "1e3", false)]
    fn a_multiple_is_found_by_exact_arithmetic(#[case] value: &str, #[case] divisor: &str, #[case] expected: bool) {
        let of = |text: &str| Decimal::of(&text.parse::<Number>().unwrap().to_string()).unwrap();
        assert_eq!(of(value).is_multiple_of(of(divisor)), expected);
    }

    #[rstest]
    #[case::tenths(json!(0.1), json!(0.3), [true, false, false])]
    #[case::a_quotient_with_an_exponent(json!(1e-8), json!(1e300), [true, false, true])]
    #[case::beyond_doubles(json!(1.5), json!(12_345_678_901_234_567_890_u64), [true, true, true])]
    #[case::sevens(json!(7), json!(14.0), [true, true, true])]
    #[case::no_seven(json!(7), json!(15), [false, false, false])]
    fn libraries_divide_otherwise(#[case] divisor: Value, #[case] value: Value, #[case] expected: [bool; 3]) {
        let divides = [Division::Exact, Division::ParsedQuotient, Division::FloatQuotient].map(|division| {
            let keyword = division.keyword(&divisor).unwrap();
            keyword.is_valid(Instance(&value))
        });
        assert_eq!(divides, expected);
    }
}
