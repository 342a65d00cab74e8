//! Text from peers, made harmless, and paragraphs laid out.

use textwrap::Options;

/// The text with everything spelled out that a terminal or a reader could take for something else: control
/// characters, and marks that change the direction of what follows.
pub(crate) fn neutralised(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => harmless.push_str("\\n"),
            '\r' => harmless.push_str("\\r"),
            '\t' => harmless.push_str("\\t"),
            c if c.is_control() || is_invisible(c) => harmless.extend(c.escape_unicode()),
            c => harmless.push(c),
        }
    }
    harmless
}

/// Marks that are not seen but change what is: directions, joiners, line separators, the byte order mark.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{ffff}')
}

/// At most `limit` characters of the text, with a mark where something was left out.
pub(crate) fn clipped(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A paragraph of at most `width` columns, its first line after `first`, the others after as many blanks as `indent`.
pub(crate) fn paragraph(text: &str, first: &str, indent: usize, width: usize) -> String {
    let blanks = " ".repeat(indent);
    textwrap::fill(text, Options::new(width).initial_indent(first).subsequent_indent(&blanks))
}

/// `1 cell`, `2 cells`.
pub(crate) fn counted(number: usize, one: &str) -> String {
    format!("{} {one}{}", thousands(number as u64), if number == 1 { "" } else { "s" })
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
        _ => format!("{}.{} s", microseconds / 1_000_000, microseconds % 1_000_000 / 100_000),
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
    fn numbers_are_readable() {
        assert_eq!(
            ["0", "999", "1,000", "1,234,567"],
            [0, 999, 1000, 1_234_567].map(thousands).each_ref().map(String::as_str)
        );
        assert_eq!((span(12), span(1_250), span(3_450_000)), ("12 µs".into(), "1.2 ms".into(), "3.4 s".into()));
        assert_eq!((counted(1, "cell"), counted(2, "cell")), ("1 cell".into(), "2 cells".into()));
    }

    #[test]
    fn clipping_counts_characters() {
        assert_eq!((clipped("äöü", 3), clipped("äöü", 2)), ("äöü".into(), "äö…".into()));
    }
}
