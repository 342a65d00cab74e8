//! Parses times and sizes of the command line, such as `5s` and `25MB`.

use std::time::Duration;

/// Longest duration; the sum over all steps of a cell stays within the range of the type.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);

/// Smallest amount of memory; no runtime of an SDK starts with less.
const LEAST_MEMORY: u64 = 64 << 20;

/// Parses a duration such as `500ms`, `5s`, `10m` or `2h`.
///
/// # Errors
/// When it is malformed, zero or longer than a week.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (digits, unit) = parts(text);
    let number: u64 =
        digits.parse().map_err(|_| format!("{text:?} is not a duration: expected 500ms, 5s, 10m or 2h"))?;
    let duration = match unit {
        "ms" => Duration::from_millis(number),
        "s" => Duration::from_secs(number),
        "m" => Duration::from_secs(number.saturating_mul(60)),
        "h" => Duration::from_secs(number.saturating_mul(3600)),
        "" => return Err(format!("missing unit: write {number}s, {number}m or {number}h")),
        unit => return Err(format!("{unit:?} is not a unit of time: expected ms, s, m or h")),
    };
    if duration.is_zero() {
        return Err("a duration must be more than 0".to_owned());
    }
    if duration > LONGEST {
        return Err("a duration must not be longer than a week".to_owned());
    }
    Ok(duration)
}

/// Parses a size such as `500KB`, `25MB`, `1GB` or a number of bytes. A kilobyte has 1,000 bytes.
///
/// # Errors
/// When it is malformed or zero.
pub fn size(text: &str) -> Result<u64, String> {
    bytes(text, 1_000).ok_or_else(|| format!("{text:?} is not a size: expected 500KB, 25MB or 1GB"))
}

/// Parses an amount of memory such as `512MB` or `2GB`. A kilobyte has 1,024 bytes.
///
/// # Errors
/// When it is malformed or below 64 MB.
pub fn memory(text: &str) -> Result<u64, String> {
    let bytes =
        bytes(text, 1_024).ok_or_else(|| format!("{text:?} is not an amount of memory: expected 512MB or 2GB"))?;
    if bytes < LEAST_MEMORY { Err("expected at least 64MB".to_owned()) } else { Ok(bytes) }
}

fn bytes(text: &str, kilo: u64) -> Option<u64> {
    let (digits, unit) = parts(text);
    let power = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "KB" | "K" => 1,
        "MB" | "M" => 2,
        "GB" | "G" => 3,
        _ => return None,
    };
    let number: u64 = digits.parse().ok()?;
    number.checked_mul(kilo.pow(power)).filter(|bytes| *bytes > 0)
}

/// Splits a text into the number and its unit.
fn parts(text: &str) -> (&str, &str) {
    text.split_at(text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_a_unit_or_is_of_bytes() {
        assert_eq!(
            ["512", "1b", "3KB", "25MB", "1g"].map(size),
            [Ok(512), Ok(1), Ok(3_000), Ok(25_000_000), Ok(1_000_000_000)]
        );
        for text in ["", "0", "MB", "2 GB", "-1GB", "0GB", "2TB", "99999999999GB"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn memory_is_enough_for_a_runtime() {
        assert_eq!(memory("512MB"), Ok(512 << 20));
        for text in ["2", "63MB", "0GB"] {
            assert!(memory(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_have_a_unit() {
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("2h"), Ok(Duration::from_secs(7200)));
        for text in ["5", "s", "0s", "5 s", "-1s", "5d", "999h", "99999999999999999999s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
