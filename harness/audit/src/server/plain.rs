//! Words, numbers and patterns with nothing unusual about them, which every client treats alike.

use std::iter::Peekable;
use std::str::Chars;

/// A natural number of at most nine digits, as it is always written.
pub(super) fn is_plain_number(lexeme: &str) -> bool {
    lexeme.len() <= 9 && !lexeme.starts_with('0') && lexeme.bytes().all(|byte| byte.is_ascii_digit())
}

/// Words that mean nothing else, and that nobody needs to escape.
pub(super) fn is_plain_text(text: &str) -> bool {
    const MEANS_A_VALUE: [&str; 6] = ["true", "false", "null", "none", "nan", "infinity"];
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " _-.,:/".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.len() <= 1_000
        && text.chars().all(is_plain)
        && !MEANS_A_VALUE.contains(&text.to_ascii_lowercase().as_str())
}

/// A pattern that every engine of regular expressions reads in the same way and decides in no time: ASCII letters, digits
/// and a few signs, and classes of them, each with a quantifier or without, of which one at most leaves the number open.
pub(super) fn is_plain_pattern(pattern: &str) -> bool {
    let anchored = pattern.strip_prefix('^').unwrap_or(pattern);
    let atoms = anchored.strip_suffix('$').unwrap_or(anchored);
    let mut rest = atoms.chars().peekable();
    let mut open = 0;
    while let Some(first) = rest.next() {
        let is_atom = match first {
            '[' => is_class(&mut rest),
            literal => literal.is_ascii_alphanumeric() || " _-,:/@".contains(literal),
        };
        let quantifier = rest.next_if(|c| "*+?{".contains(*c));
        let is_quantifier = match quantifier {
            Some('{') => match count(&mut rest) {
                Some(is_open) => {
                    open += usize::from(is_open);
                    true
                }
                None => false,
            },
            Some(_) => {
                open += 1;
                true
            }
            None => true,
        };
        if !is_atom || !is_quantifier {
            return false;
        }
    }
    pattern.len() <= 200 && open <= 1
}

/// Whether a class follows, without its `[`: letters, digits and ranges of them, and `_`.
fn is_class(rest: &mut Peekable<Chars<'_>>) -> bool {
    let mut members = 0;
    while let Some(first) = rest.next() {
        match first {
            ']' => return members > 0,
            '_' => {}
            first if first.is_ascii_alphanumeric() => {
                if rest.next_if_eq(&'-').is_some() {
                    let same = |last: &char| {
                        (first.is_ascii_digit(), first.is_ascii_lowercase())
                            == (last.is_ascii_digit(), last.is_ascii_lowercase())
                    };
                    let last = rest.next().filter(char::is_ascii_alphanumeric).filter(same);
                    if last.is_none_or(|last| last < first) {
                        return false;
                    }
                }
            }
            _ => return false,
        }
        members += 1;
    }
    false
}

/// Whether the count that follows, without its `{`, leaves the number open: `2,5}` does, and `3}` does not. `None` if none
/// follows, or one with other numbers than those below a hundred.
fn count(rest: &mut Peekable<Chars<'_>>) -> Option<bool> {
    let mut text = String::new();
    loop {
        match rest.next() {
            Some('}') => break,
            Some(c) if text.len() < 5 => text.push(c),
            Some(_) | None => return None,
        }
    }
    // Not every engine reads a number with a zero before it.
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number < 100 && number.to_string() == text);
    match text.split_once(',') {
        None => number(&text).map(|_| false),
        Some((least, most)) => {
            number(least).zip(number(most)).filter(|(least, most)| least <= most).map(|(least, most)| least < most)
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("Read 17 files", true)]
    #[case("17", false)]
    #[case("True", false)]
    #[case("", false)]
    #[case("a\u{e9}", false)]
    fn plain_text_means_nothing_but_itself(#[case] text: &str, #[case] is_plain: bool) {
        assert_eq!(is_plain_text(text), is_plain);
    }

    #[rstest]
    #[case("^u7[a-z]*$", true)]
    #[case("^[A-Z]{3}-[0-9]{2,4}$", true)]
    #[case("^[a-zA-Z0-9_]+@x/y:z, w$", true)]
    #[case("a?[0-9]{3}", true)]
    #[case::two_open("a?b?", false)]
    #[case::two_open_counts("a{1,2}b{1,2}", false)]
    #[case::zero_before("a{02}", false)]
    #[case("", true)]
    #[case::any_character("a.b", false)]
    #[case::escaped("^\\d+$", false)]
    #[case::group("(a)", false)]
    #[case::alternatives("a|b", false)]
    #[case::not_in_a_class("[^a]", false)]
    #[case::empty_class("[]a]", false)]
    #[case::falling_range("[z-a]", false)]
    #[case::range_of_two_kinds("[A-z]", false)]
    #[case::open_class("[a-z", false)]
    #[case::open_range("[a-]", false)]
    #[case::nothing_to_repeat("*a", false)]
    #[case::repeated_twice("a*?", false)]
    #[case::anchor_within("a^b", false)]
    #[case::end_within("a$b", false)]
    #[case::two_without_bound("[a-z]*b*", false)]
    #[case::without_upper_bound("a{2,}", false)]
    #[case::falling_count("a{4,2}", false)]
    #[case::large_count("a{100}", false)]
    #[case::open_count("a{2", false)]
    #[case::beyond_ascii("\u{e9}", false)]
    fn plain_patterns_mean_the_same_to_every_engine(#[case] pattern: &str, #[case] is_plain: bool) {
        assert_eq!(is_plain_pattern(pattern), is_plain);
    }
}
