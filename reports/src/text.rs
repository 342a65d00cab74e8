//! Words: text from peers made harmless, numbers and spans as a person says them.

use mcp_compat_model::record::Known;
use mcp_compat_model::unseen::is_unseen;

/// The text with everything spelled out that a terminal or a reader could take for something else: control
/// characters, and characters that are not seen but change what is.
#[must_use]
pub fn neutralised(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => harmless.push_str("\\n"),
            '\r' => harmless.push_str("\\r"),
            '\t' => harmless.push_str("\\t"),
            c if is_unseen(c) => harmless.extend(c.escape_unicode()),
            c => harmless.push(c),
        }
    }
    harmless
}

/// At most `limit` characters of the text, with a mark where something was left out.
pub(crate) fn clipped(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// `1 cell`, `2 cells`.
pub(crate) fn counted(number: usize, one: &str) -> String {
    format!("{} {one}{}", thousands(number as u64), if number == 1 { "" } else { "s" })
}

/// `1 breaks`, `2 break`: what is counted, as the subject of a verb.
pub(crate) fn doing(number: usize, many_do: &str) -> String {
    format!("{} {many_do}{}", thousands(number as u64), if number == 1 { "s" } else { "" })
}

/// What a break is that the baseline has an entry for.
pub(crate) fn standing(known: &Known) -> &'static str {
    if known.flaky { "flaky" } else { "known" }
}

/// `12,345`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A time span as a person says it.
pub(crate) fn span(microseconds: u64) -> String {
    match microseconds {
        0..1_000 => format!("{microseconds} µs"),
        1_000..1_000_000 => format!("{}.{} ms", microseconds / 1_000, microseconds % 1_000 / 100),
        1_000_000..60_000_000 => format!("{}.{} s", microseconds / 1_000_000, microseconds % 1_000_000 / 100_000),
        _ => format!("{} min {} s", thousands(microseconds / 60_000_000), microseconds / 1_000_000 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_is_left() {
        let text = neutralised("a\u{1b}[31mb\u{202e}c\rd\u{7}\u{9b}e");
        assert_eq!(text, "a\\u{1b}[31mb\\u{202e}c\\rd\\u{7}\\u{9b}e");
        assert_eq!(neutralised("Zürich 🙂 {\"a\": 1}"), "Zürich 🙂 {\"a\": 1}");
    }

    #[test]
    fn what_is_not_seen_is_spelled_out() {
        for c in
            ['\u{ad}', '\u{61c}', '\u{200d}', '\u{2028}', '\u{3164}', '\u{feff}', '\u{fffe}', '\u{1ffff}', '\u{e0041}']
        {
            assert_eq!(neutralised(&c.to_string()), c.escape_unicode().to_string());
        }
        let seen = "é ａ � 文 ש \u{a0}";
        assert_eq!(neutralised(seen), seen);
    }

    #[test]
    fn numbers_are_readable() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([12, 1_250, 3_450_000, 754_000_000].map(span), ["12 µs", "1.2 ms", "3.4 s", "12 min 34 s"]);
        assert_eq!([1, 2, 2000].map(|number| counted(number, "cell")), ["1 cell", "2 cells", "2,000 cells"]);
        assert_eq!([0, 1, 2].map(|number| doing(number, "break")), ["0 break", "1 breaks", "2 break"]);
    }

    #[test]
    fn clipping_counts_characters() {
        assert_eq!((clipped("äöü", 3), clipped("äöü", 2)), ("äöü".into(), "äö…".into()));
    }
}
