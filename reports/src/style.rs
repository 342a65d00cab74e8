//! Width and colours of a report.

use mcp_compat_model::audit::Severity;

/// Width of a report, and whether it has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// True if to use colours.
    pub colour: bool,
    /// Number of columns.
    pub width: usize,
}

impl Style {
    /// Style without colours.
    pub const fn plain(width: usize) -> Self {
        Self { colour: false, width }
    }

    /// Returns the text in the colour of its meaning, if colours are used. Blanks at its end have no colour, so that
    /// they can still be trimmed.
    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        let words = text.trim_end_matches(' ');
        if !self.colour || words.is_empty() {
            return text.to_owned();
        }
        format!("{}{words}\u{1b}[0m{}", tone.code(), &text[words.len()..])
    }
}

/// Meaning that has a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Warning,
    Bad,
    Strong,
    Aside,
}

impl From<Severity> for Tone {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::Bad,
            Severity::Warning => Self::Warning,
            Severity::Note => Self::Aside,
        }
    }
}

impl Tone {
    const fn code(self) -> &'static str {
        match self {
            Self::Good => "\u{1b}[32m",
            Self::Warning => "\u{1b}[33m",
            Self::Bad => "\u{1b}[31m",
            Self::Strong => "\u{1b}[1m",
            Self::Aside => "\u{1b}[2m",
        }
    }
}
