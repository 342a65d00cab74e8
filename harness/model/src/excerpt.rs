//! Text of a peer, made safe to stand in a sentence of ours.
//!
//! A peer chooses its tool names and its error messages. In a report they are bounded, on one line, and free of
//! anything that a terminal or a reader could be misled by.

use crate::unseen::is_unseen;

/// How much of a peer's own words a sentence holds.
pub const WORDS: usize = 160;

/// The beginning of a peer's words: at most [`WORDS`] characters, on one line, nothing invisible.
#[must_use]
pub fn excerpt(text: &str) -> String {
    bounded(text, WORDS)
}

/// The same for a name, in backticks.
#[must_use]
pub fn quoted(name: &str) -> String {
    format!("`{}`", bounded(name, 60).replace('`', "'"))
}

/// At most `limit` characters of the text, with runs of white space as one space and every character that is not
/// meant to be seen as `\u{fffd}`.
#[must_use]
pub fn bounded(text: &str, limit: usize) -> String {
    let mut out = String::new();
    let mut length = 0;
    let mut gap = false;
    for character in text.chars() {
        if character.is_whitespace() {
            gap = length > 0;
            continue;
        }
        let needed = if gap { 2 } else { 1 };
        if length + needed > limit {
            // The ellipsis is part of the bound.
            out.truncate(out.char_indices().nth(limit - 1).map_or(out.len(), |(at, _)| at));
            out.push('…');
            return out;
        }
        if gap {
            out.push(' ');
            gap = false;
        }
        out.push(if is_unseen(character) { '\u{fffd}' } else { character });
        length += needed;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_stay_as_they_are() {
        assert_eq!(excerpt("expected \"object\" at tools.0"), "expected \"object\" at tools.0");
    }

    #[test]
    fn long_words_end_within_the_bound() {
        let text = excerpt(&"words ".repeat(100));
        assert_eq!(text.chars().count(), WORDS);
        assert!(text.ends_with('…'));
    }

    #[test]
    fn escapes_and_line_breaks_are_neutralised() {
        assert_eq!(excerpt("a\u{1b}[31m red\r\n\tb\u{202e}c"), "a\u{fffd}[31m red b\u{fffd}c");
    }

    #[test]
    fn a_name_cannot_leave_its_backticks() {
        assert_eq!(quoted("a`b"), "`a'b`");
    }
}
