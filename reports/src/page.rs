//! Lines, one below the other, on a page of a given width: paragraphs are broken to fit it, what is meant to be copied
//! never is, and no line ends with a blank.

use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter};

use crate::command::Command;
use crate::style::{Style, Tone};

/// The least room that a paragraph gets, however narrow the page or deep its indentation.
const LEAST_ROOM: usize = 20;

/// What tells a shell that a command goes on in the next line.
const CONTINUED: &str = " \\";

/// What has been written so far.
pub(crate) struct Page {
    text: String,
    style: Style,
}

impl Page {
    /// An empty page.
    pub(crate) fn new(style: Style) -> Self {
        Self { text: String::new(), style }
    }

    /// Returns the number of columns.
    pub(crate) fn width(&self) -> usize {
        self.style.width
    }

    /// The text in the colour of its meaning.
    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        self.style.paint(tone, text)
    }

    /// Parts what follows from what was written; never twice, nor at the top.
    pub(crate) fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// A line that is laid out already, or is to be copied: it stays whole, whatever the width.
    pub(crate) fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end_matches(' '));
        self.text.push('\n');
    }

    /// The title of what follows.
    pub(crate) fn heading(&mut self, title: &str) {
        self.blank();
        self.line(&self.paint(Tone::Strong, title));
        self.blank();
    }

    /// A paragraph that hangs: `first` stands before its first line, as many blanks before the others.
    ///
    /// Names such as `mock/2025-11-25` are never broken, except when one is wider than the page.
    pub(crate) fn paragraph(&mut self, first: &str, text: &str) {
        self.lay(first, text, |line| line.to_owned());
    }

    /// A paragraph in one colour.
    pub(crate) fn toned(&mut self, tone: Tone, first: &str, text: &str) {
        let style = self.style;
        self.lay(first, text, |line| style.paint(tone, line));
    }

    /// A command, to be copied: where it is wider than the page it is broken so that a shell still reads it as one line.
    pub(crate) fn command(&mut self, tone: Option<Tone>, first: &str, command: &Command) {
        let indent = display_width(first);
        let room = self.style.width.saturating_sub(indent + CONTINUED.len());
        let mut lines: Vec<String> = vec![];
        for part in &command.0 {
            match lines.last_mut() {
                Some(line)
                    if command.to_string().len() <= room + CONTINUED.len() || line.len() + 1 + part.len() <= room =>
                {
                    line.push_str(&format!(" {part}"));
                }
                Some(line) => {
                    line.push_str(CONTINUED);
                    lines.push(format!("  {part}"));
                }
                None => lines.push(part.clone()),
            }
        }
        for (number, line) in lines.iter().enumerate() {
            let line = tone.map_or_else(|| line.clone(), |tone| self.paint(tone, line));
            if number == 0 {
                self.line(&format!("{first}{line}"));
            } else {
                self.line(&format!("{:indent$}{line}", ""));
            }
        }
    }

    /// A named value, the names of a block being padded to `column`.
    pub(crate) fn field(&mut self, column: usize, name: &str, value: &str) {
        let name = format!("{name:<column$}");
        self.paragraph(&self.paint(Tone::Aside, &name), value);
    }

    fn lay(&mut self, first: &str, text: &str, painted: impl Fn(&str) -> String) {
        let indent = display_width(first);
        let options = Options::new(self.style.width.saturating_sub(indent).max(LEAST_ROOM))
            .word_separator(WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation);
        for (number, line) in textwrap::wrap(text, options).iter().enumerate() {
            if number == 0 {
                self.line(&format!("{first}{}", painted(line)));
            } else {
                self.line(&format!("{:indent$}{}", "", painted(line)));
            }
        }
    }

    /// What was written, ending with one newline.
    pub(crate) fn finish(mut self) -> String {
        self.text.truncate(self.text.trim_end_matches('\n').len());
        self.text.push('\n');
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a page of 24 columns says.
    fn page(write: impl FnOnce(&mut Page)) -> String {
        let mut page = Page::new(Style::plain(24));
        write(&mut page);
        page.finish()
    }

    #[test]
    fn a_paragraph_hangs_below_what_stands_before_it() {
        let text = page(|page| page.paragraph(" 1. ", "an array where an object was expected"));
        assert_eq!(text, " 1. an array where an\n    object was expected\n");
    }

    #[test]
    fn a_name_is_broken_only_when_it_is_wider_than_the_page() {
        let text = page(|page| page.paragraph("", "by rmcp@3.9.0+legacy and mock/2025-11-25/text-only"));
        assert_eq!(text, "by rmcp@3.9.0+legacy and\nmock/2025-11-25/text-onl\ny\n");
        let text = page(|page| page.line("mcp-compat show 'a::b::c::stdio'"));
        assert_eq!(text, "mcp-compat show 'a::b::c::stdio'\n");
    }

    #[test]
    fn a_command_that_is_too_wide_stays_one_for_a_shell() {
        let command = |parts: &[&str]| Command(parts.iter().map(|part| (*part).to_owned()).collect());
        let text = page(|page| page.command(None, "  ", &command(&["mcp-compat show", "'a'"])));
        assert_eq!(text, "  mcp-compat show 'a'\n");
        let text = page(|page| page.command(None, "  ", &command(&["mcp-compat run", "--client a", "--server b"])));
        assert_eq!(text, "  mcp-compat run \\\n    --client a \\\n    --server b\n");
    }

    #[test]
    fn no_line_ends_with_a_blank_and_no_two_are_empty() {
        let text = page(|page| {
            page.blank();
            page.heading("title");
            page.blank();
            page.paragraph("name   ", "");
            page.blank();
        });
        assert_eq!(text, "title\n\nname\n");
    }

    #[test]
    fn colours_end_with_their_line() {
        let mut page = Page::new(Style { colour: true, width: 24 });
        page.toned(Tone::Aside, "  ", "one line and then another one");
        assert_eq!(page.finish(), "  \u{1b}[2mone line and then\u{1b}[0m\n  \u{1b}[2manother one\u{1b}[0m\n");
    }
}
