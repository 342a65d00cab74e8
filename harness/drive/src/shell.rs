//! Quotes words for a shell.

use std::borrow::Cow;

use shlex::Quoter;

/// The word as a shell reads it back. A word of plain characters stays as it is.
#[must_use]
pub fn shell_word(word: &str) -> Cow<'_, str> {
    // A shell word cannot contain NUL; NUL is printed as it is.
    Quoter::new().allow_nul(true).quote(word).unwrap_or(Cow::Borrowed(word))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_shell_reads_the_word_back() {
        for word in ["plain/path-1.toml", "my files", "it's $(here)", "a[1]*", "", "~", "--x=\"y\"", "!1\n`z`", "a^b"] {
            let line = format!("printf %s {}", shell_word(word));
            let output = Command::new("sh").args(["-c", &line]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word, "{line}");
        }
        assert_eq!(shell_word("../mine/my_class-1.toml"), "../mine/my_class-1.toml");
    }
}
