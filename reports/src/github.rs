//! Annotations of GitHub Actions: a line that the runner shows at the top of a workflow run.

use mcp_compat_model::audit::Severity;
use mcp_compat_model::invisible_chars::neutralised;

/// Level of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Error,
    Warning,
    Notice,
}

impl Level {
    const fn command(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

impl From<Severity> for Level {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::Error,
            Severity::Warning => Self::Warning,
            Severity::Note => Self::Notice,
        }
    }
}

/// Returns the workflow command for an annotation, with a newline. It is the only text that may begin with `::`, so it is
/// written without the escapes that other output gets.
pub fn annotation(level: Level, title: &str, message: &str) -> String {
    format!("::{} title={}::{}\n", level.command(), property(title), data(message))
}

/// Returns an annotation of a line of a file.
pub fn annotation_of_line(level: Level, (path, line): (&str, usize), message: &str) -> String {
    format!("::{} file={},line={line}::{}\n", level.command(), property(path), data(message))
}

/// Returns a text as a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Returns a text as the data of a workflow command: harmless to the log and on one line.
fn data(text: &str) -> String {
    let lines: Vec<String> = text.trim_end().lines().map(|line| neutralised(line).replace('%', "%25")).collect();
    lines.join("%0A").replace("##[", "#\\u{23}[")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_is_one_line_with_the_escapes_of_github() {
        let line = annotation(Level::Error, "books: 50%, bad", "a: b, 50%\nlost by x");
        assert_eq!(line, "::error title=books%3A 50%25%2C bad::a: b, 50%25%0Alost by x\n");
        assert_eq!(annotation(Severity::Note.into(), "a", "b\n"), "::notice title=a::b\n");
        let of_line = annotation_of_line(Level::Warning, ("a,b.toml", 3), "c");
        assert_eq!(of_line, "::warning file=a%2Cb.toml,line=3::c\n");
    }

    #[test]
    fn text_of_peers_adds_no_command() {
        let line = annotation(Level::Warning, "a\r\n::error::b", "\u{1b}[31m\n::stop-commands::x\n##[group]c");
        let expected = "::warning title=a%0A%3A%3Aerror%3A%3Ab::\\u{1b}[31m%0A::stop-commands::x%0A#\\u{23}[group]c\n";
        assert_eq!(line, expected);
    }
}
