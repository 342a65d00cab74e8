//! The formats of ajv-formats, in its mode `full`.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

use crate::patterns::Patterns;
use crate::refusal::Refusal;

/// The regular expressions of `ajv-formats/dist/formats.js`, with their flags.
static PATTERNS: LazyLock<HashMap<String, HashMap<String, String>>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("formats.json"))
        .unwrap_or_else(|error| unreachable!("formats.json is part of this crate: {error}"))
});

/// The days of the months.
const DAYS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// Whether a value has a format. Every value has one that is unknown.
///
/// # Errors
/// When the check takes too long.
pub(super) fn has_format(value: &Value, format: &str, patterns: &Patterns) -> Result<bool, Refusal> {
    match value {
        Value::String(text) => has_text_format(text, format, patterns),
        Value::Number(number) => Ok(number.as_f64().is_none_or(|number| match format {
            "int32" => number.fract() == 0.0 && (-2_147_483_648.0..=2_147_483_647.0).contains(&number),
            "int64" => number.fract() == 0.0,
            _ => true,
        })),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => Ok(true),
    }
}

fn has_text_format(text: &str, format: &str, patterns: &Patterns) -> Result<bool, Refusal> {
    Ok(match format {
        "date" => is_date(text),
        "time" => is_time(text, true),
        "iso-time" => is_time(text, false),
        "date-time" => is_date_time(text, true),
        "iso-date-time" => is_date_time(text, false),
        "byte" => text.split(['\n', '\r', '\u{2028}', '\u{2029}']).any(is_base64),
        "regex" => !has_z_anchor(text) && regress::Regex::new(text).is_ok(),
        "uri" if !text.contains(['/', ':']) => false,
        format => match PATTERNS.get(format) {
            None => true,
            Some(known) if known["flags"].contains('i') => {
                patterns.matches(&known["pattern"], &text.to_ascii_lowercase())?
            }
            Some(known) => patterns.matches(&known["pattern"], text)?,
        },
    })
}

fn digits(text: &str, count: usize) -> Option<u32> {
    (text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let (Some(year), Some(month), Some(day)) = (digits(year, 4), digits(month, 2), digits(day, 2)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = month.checked_sub(1).and_then(|month| DAYS.get(month as usize));
    days.is_some_and(|days| (1..=if month == 2 && leap { 29 } else { *days }).contains(&day))
}

fn is_time(text: &str, needs_zone: bool) -> bool {
    let Some(time) = Time::read(text) else { return false };
    let Time { hour, minute, second, zone } = time;
    let (sign, hours, minutes) = zone.unwrap_or_default();
    if hours > 23 || minutes > 59 || (needs_zone && zone.is_none()) {
        return false;
    }
    if hour <= 23 && minute <= 59 && second < 60.0 {
        return true;
    }
    let utc_minute = minute - minutes * sign;
    let utc_hour = hour - hours * sign - i32::from(utc_minute < 0);
    (utc_hour == 23 || utc_hour == -1) && (utc_minute == 59 || utc_minute == -1) && second < 61.0
}

/// A time as it is written.
struct Time {
    hour: i32,
    minute: i32,
    second: f64,
    /// The sign, the hours and the minutes of the zone.
    zone: Option<(i32, i32, i32)>,
}

impl Time {
    /// `hh:mm:ss`, a fraction, and a zone: `z`, `+hh`, `+hhmm` or `+hh:mm`.
    fn read(text: &str) -> Option<Self> {
        let two = |text: &str| digits(text, 2).and_then(|number| i32::try_from(number).ok());
        let (start, rest) = (text.get(..8)?, text.get(8..)?);
        if start.as_bytes()[2] != b':' || start.as_bytes()[5] != b':' {
            return None;
        }
        let (hour, minute) = (two(&start[..2])?, two(&start[3..5])?);
        two(&start[6..])?;
        let fraction = match rest.strip_prefix('.') {
            Some(after) => 1 + after.bytes().take_while(u8::is_ascii_digit).count(),
            None => 0,
        };
        if fraction == 1 {
            return None;
        }
        let second = text.get(6..8 + fraction)?.parse().ok()?;
        let zone = match rest.get(fraction..)? {
            "" => None,
            "z" | "Z" => Some((1, 0, 0)),
            zone => {
                let sign = match zone.as_bytes()[0] {
                    b'+' => 1,
                    b'-' => -1,
                    _ => return None,
                };
                let rest = zone.get(3..)?;
                let rest = rest.strip_prefix(':').filter(|rest| !rest.is_empty()).unwrap_or(rest);
                Some((sign, two(zone.get(1..3)?)?, if rest.is_empty() { 0 } else { two(rest)? }))
            }
        };
        Some(Self { hour, minute, second, zone })
    }
}

fn is_date_time(text: &str, needs_zone: bool) -> bool {
    let separates = |c: char| matches!(c, 't' | 'T' | '\u{feff}') || (c.is_whitespace() && c != '\u{85}');
    let parts: Vec<&str> = text.split(separates).collect();
    matches!(parts.as_slice(), [date, time] if is_date(date) && is_time(time, needs_zone))
}

fn is_base64(text: &str) -> bool {
    let padding = if text.ends_with("==") { 2 } else { usize::from(text.ends_with('=')) };
    let letters = &text[..text.len() - padding];
    text.len().is_multiple_of(4)
        && letters.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/')
}

/// Whether `\Z` stands somewhere after the start, which the library refuses.
fn has_z_anchor(text: &str) -> bool {
    text.match_indices("\\Z").any(|(at, _)| text[..at].chars().next_back().is_some_and(|before| before != '\\'))
}

#[cfg(test)]
mod tests {
    use mcp_compat_validator::PatternDialect;
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    /// Each was tried with ajv-formats 3.0.1.
    #[rstest]
    #[case("date", "2024-02-29", true)]
    #[case("date", "2023-02-29", false)]
    #[case("date-time", "2026-01-31T10:00:00Z", true)]
    #[case("date-time", "2026-01-31 10:00:00z", true)]
    #[case("date-time", "2026-01-31T10:00:00", false)]
    #[case("time", "23:59:60Z", true)]
    #[case("time", "10:00:00.5+0130", true)]
    #[case("time", "10:00:00.+01", false)]
    #[case("email", "X@Example.com", true)]
    #[case("email", "x", false)]
    #[case("uri", "a", false)]
    #[case("uri", "https://example.com", true)]
    #[case("ipv6", "::1", true)]
    #[case("uuid", "6fa459ea-ee8a-3ca4-894e-db77e160355e", true)]
    #[case("byte", "YQ==", true)]
    #[case("byte", "YQ=", false)]
    #[case("byte", "?\n", true)]
    #[case("regex", "\\-", true)]
    #[case("regex", "(", false)]
    #[case("mine", "anything", true)]
    fn formats_are_checked(#[case] format: &str, #[case] text: &str, #[case] expected: bool) {
        let patterns = Patterns::new(PatternDialect::Ecma262);
        assert_eq!(has_format(&json!(text), format, &patterns), Ok(expected));
    }
}
