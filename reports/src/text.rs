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

/// Names in a row: the first `most` of them, and the number of the others.
pub fn first_of(names: &[impl AsRef<str>], most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(most) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
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

/// Reason in the baseline. It may have been written for another check that the entry covers.
pub fn by_baseline(known: &Known) -> String {
    let reason = neutralised(&known.reason);
    // A text that is cut within a name has an open backtick.
    if reason.matches('`').count() % 2 == 1 { format!("{reason}`") } else { reason }
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
    fn of_many_names_the_first_are_shown_and_the_others_counted() {
        assert_eq!([first_of(&["a", "b"], 2), first_of(&["a", "b", "c"], 2)], ["a, b", "a, b and 1 more"]);
    }

    #[test]
    fn a_name_that_is_cut_ends_with_a_backtick() {
        let known = |reason: &str| Known { reason: reason.to_owned(), covers: None, issue: None, flaky: false };
        assert_eq!(by_baseline(&known("it lost `a`")), "it lost `a`");
        assert_eq!(by_baseline(&known("it lost `a…")), "it lost `a…`");
    }

    #[test]
    fn clipping_counts_characters() {
        assert_eq!((clipped("äöü", 3), clipped("äöü", 2)), ("äöü".into(), "äö…".into()));
    }
}
