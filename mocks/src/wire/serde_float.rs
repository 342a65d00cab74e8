//! Doubles as `serde_json` reads them by default: fast, and not always the nearest one.
//!
//! The digits that fit 64 bits are an integer, which is multiplied with or divided by a power of ten. The further digits are
//! dropped. Each of the two steps rounds, so the double may be the neighbour of the nearest one:
//! `f64_from_parts` in <https://github.com/serde-rs/json/blob/v1.0.154/src/de.rs#L639-L672>. With the feature
//! `float_roundtrip` of `serde_json` it is the nearest one.
//!
//! The same in our own code, because the feature may be on in a build that this crate is a part of.

/// The largest power of ten that a double can hold.
const LARGEST_POWER: i32 = 308;

/// The double that a number of JSON is read as; an infinite one where `serde_json` reads no number. `None` for what is no
/// number.
pub(crate) fn read(number: &str) -> Option<f64> {
    let (negative, digits) = number.strip_prefix('-').map_or((false, number), |digits| (true, digits));
    let (digits, exponent) = match digits.split_once(['e', 'E']) {
        // Beyond every double, whatever the digits are.
        Some((digits, exponent)) => (digits, clamped(exponent)?),
        None => (digits, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let (mut significand, mut power) = (0_u64, exponent);
    let mut full = false;
    for (digit, of_fraction) in
        whole.bytes().map(|digit| (digit, false)).chain(fraction.bytes().map(|digit| (digit, true)))
    {
        let value = char::from(digit).to_digit(10)?;
        let next = significand.checked_mul(10).and_then(|next| next.checked_add(value.into())).filter(|_| !full);
        full |= next.is_none();
        significand = next.unwrap_or(significand);
        power = match (next.is_some(), of_fraction) {
            (true, true) => power.saturating_sub(1),
            (false, false) => power.saturating_add(1),
            (true, false) | (false, true) => power,
        };
    }
    let double = scaled(significand, power);
    Some(if negative { -double } else { double })
}

/// The exponent of a number, or the nearest one that makes no difference.
fn clamped(exponent: &str) -> Option<i32> {
    let (negative, digits) = match exponent.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, exponent.strip_prefix('+').unwrap_or(exponent)),
    };
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let exponent = digits.parse::<i32>().unwrap_or(i32::MAX);
    Some(if negative { -exponent } else { exponent })
}

fn scaled(significand: u64, mut power: i32) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "this is the first of the two steps that round")]
    let mut double = significand as f64;
    while power < -LARGEST_POWER && double != 0.0 {
        double /= 1e308;
        power += LARGEST_POWER;
    }
    if double == 0.0 {
        return 0.0;
    }
    if power > LARGEST_POWER {
        return f64::INFINITY;
    }
    if power >= 0 { double * power_of_ten(power) } else { double / power_of_ten(-power) }
}

/// The double nearest to a power of ten.
fn power_of_ten(power: i32) -> f64 {
    format!("1e{power}").parse().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// The doubles are those of serde_json 1.0.154 without `float_roundtrip`.
    #[rstest]
    #[case::integer("18446744073709551617", 1.8446744073709552e19, true)]
    #[case::plain("0.1", 0.1, true)]
    #[case::negative("-12.5e-3", -0.0125, true)]
    #[case::many_digits("1.23456789012345678901234567890", 1.2345678901234567, true)]
    #[case::long_integer("123456789012345678901234567890.5E+3", 1.2345678901234567e32, false)]
    #[case::small("2.2250738585072011e-308", 2.2250738585072014e-308, false)]
    #[case::smaller("1e-400", 0.0, true)]
    #[case::largest("1.7976931348623157e308", 1.7976931348623157e308, true)]
    #[case::seventeen_digits("21.400000000000002", 21.4, false)]
    #[case::sixteen_digits("51.248178375505404", 51.24817837550541, false)]
    #[case::zeros("0.00000000000000000000000000000000000000000000012345678901234567", 1.2345678901234568e-46, true)]
    fn a_number_is_read_as_serde_json_reads_it(#[case] number: &str, #[case] double: f64, #[case] nearest: bool) {
        assert_eq!(read(number).unwrap().to_bits(), double.to_bits());
        assert_eq!(number.parse::<f64>().unwrap().to_bits() == double.to_bits(), nearest);
    }

    #[test]
    fn what_serde_json_does_not_read_is_infinite_and_what_is_no_number_is_none() {
        for huge in ["1e400", "-1e999", "9e99999999999", "1.8e308"] {
            assert!(read(huge).unwrap().is_infinite(), "{huge}");
        }
        assert_eq!(read("0e99999999999"), Some(0.0));
        for none in ["x", "1e", "1ex", "--1"] {
            assert_eq!(read(none), None, "{none}");
        }
    }
}
