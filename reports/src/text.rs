//! Helpers for texts: clipping, counts, time spans, and the words of a baseline.

use mcp_compat_model::count::thousands;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::Known;

/// Returns at most `limit` characters of the text, and an ellipsis if it is longer.
pub fn clipped(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Number with a verb: `1 breaks`, `2 break`.
pub fn doing(number: usize, many_do: &str) -> String {
    format!("{} {many_do}{}", thousands(number as u64), if number == 1 { "s" } else { "" })
}

/// Label of a break that the baseline knows.
pub fn standing(known: &Known) -> &'static str {
    if known.flaky { "flaky" } else { "known" }
}

/// Number of characters of the pattern of an entry that are shown: it may name a hundred scenarios.
const COVERS: usize = 120;

/// Reason in the baseline, marked as its words: it may have been written for another cell that the entry covers.
pub fn by_baseline(known: &Known) -> String {
    // A text that is cut within a name has an open backtick.
    let closed = |mut text: String| {
        if text.matches('`').count() % 2 == 1 {
            text.push('`');
        }
        text
    };
    let reason = closed(neutralised(&known.reason));
    match &known.covers {
        Some(covers) => {
            format!("{reason} (the baseline's entry for {})", closed(neutralised(&clipped(covers, COVERS))))
        }
        None => format!("{reason} (the baseline's words)"),
    }
}

/// Time span in words.
pub fn span(microseconds: u64) -> String {
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
    fn numbers_are_readable() {
        assert_eq!([12, 1_250, 3_450_000, 754_000_000].map(span), ["12 µs", "1.2 ms", "3.4 s", "12 min 34 s"]);
        assert_eq!([0, 1, 2].map(|number| doing(number, "break")), ["0 break", "1 breaks", "2 break"]);
    }

    #[test]
    fn the_words_of_an_entry_are_marked_as_such() {
        let mut known = Known { reason: "it lost `a`".to_owned(), covers: None, issue: None, flaky: false };
        assert_eq!(by_baseline(&known), "it lost `a` (the baseline's words)");
        let cut = Known { reason: "it lost `a…".to_owned(), ..known.clone() };
        assert_eq!(by_baseline(&cut), "it lost `a…` (the baseline's words)");
        known.covers = Some(format!("`{}`", "a".repeat(COVERS)));
        let long = by_baseline(&known);
        assert_eq!(long, format!("it lost `a` (the baseline's entry for `{}…`)", "a".repeat(COVERS - 1)));
        known.covers = Some("`*::x@1::*::*` with the cause `client:*`".to_owned());
        assert_eq!(
            by_baseline(&known),
            "it lost `a` (the baseline's entry for `*::x@1::*::*` with the cause `client:*`)"
        );
    }

    #[test]
    fn clipping_counts_characters() {
        assert_eq!((clipped("äöü", 3), clipped("äöü", 2)), ("äöü".into(), "äö…".into()));
    }
}
