//! Words and numbers with nothing unusual about them, which every client treats alike.

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
}
