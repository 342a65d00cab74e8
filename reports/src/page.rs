//! Text of a given width: paragraphs are wrapped, lines to be copied are not, and no line ends with a blank.

use mcp_compat_json::{Layout, lay_out};
use mcp_compat_model::count::thousands;
use mcp_compat_model::invisible_chars::neutralised;
use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter};

use crate::command::Command;
use crate::style::{Style, Tone};
use crate::text::clipped;

/// Number of characters of a message that are shown.
const MESSAGE_SHOWN: usize = 2_000;

/// File of a run that has each message in full.
pub(crate) const TRANSCRIPTS: &str = "transcripts.jsonl";

/// Minimum width of a paragraph, however narrow the page or deep its indentation.
const MIN_WIDTH: usize = 20;

/// Mark for a shell that a command continues in the next line.
const CONTINUED: &str = " \\";

/// Text of a report, to which lines are added.
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

    /// Returns the text in the colour of its meaning.
    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        self.style.paint(tone, text)
    }

    /// Adds an empty line, unless there is one already or the page is empty.
    pub(crate) fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Adds a line as it is, whatever its width: for text that is laid out already, or to be copied.
    pub(crate) fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end_matches(' '));
        self.text.push('\n');
    }

    pub(crate) fn heading(&mut self, title: &str) {
        self.blank();
        self.line(&self.paint(Tone::Strong, title));
        self.blank();
    }

    /// Adds a paragraph with a hanging indent: `first` before its first line, as many blanks before the others.
    ///
    /// Names such as `mock/2025-11-25` are never broken, except when one is wider than the page.
    pub(crate) fn paragraph(&mut self, first: &str, text: &str) {
        self.lay(first, text, |line| line.to_owned());
    }

    /// Adds a paragraph in one colour.
    pub(crate) fn toned(&mut self, tone: Tone, first: &str, text: &str) {
        let style = self.style;
        self.lay(first, text, |line| style.paint(tone, line));
    }

    /// Adds a command. If it is wider than the page, it is broken so that a shell still reads it as one line.
    pub(crate) fn command(&mut self, tone: Option<Tone>, first: &str, command: &Command) {
        let indent = display_width(first);
        let width = self.style.width.saturating_sub(indent + CONTINUED.len());
        let mut lines: Vec<String> = vec![];
        for part in &command.0 {
            match lines.last_mut() {
                Some(line)
                    if command.to_string().len() <= width + CONTINUED.len() || line.len() + 1 + part.len() <= width =>
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

    /// Adds a named value. The name is padded to `column`.
    pub(crate) fn field(&mut self, column: usize, name: &str, value: &str) {
        let name = format!("{name:<column$}");
        self.paragraph(&self.paint(Tone::Aside, &name), value);
    }

    /// Adds a message or a value after `first`: JSON is laid out, and a long text is cut. `rest` names the file that
    /// has all of it.
    pub(crate) fn message(&mut self, first: &str, text: &str, rest: &str) {
        let indent = display_width(first);
        let width = self.width().saturating_sub(indent);
        // However deep the nesting, half of the width is left to the values.
        let laid_out = lay_out(text, Layout::Indented { width, deepest: width / 2 });
        let lines: Vec<&str> = laid_out.as_ref().map_or_else(|_| vec![text], |laid_out| laid_out.split('\n').collect());
        let length: usize = lines.iter().map(|line| line.trim_start().chars().count()).sum();
        let mut left_to_show = MESSAGE_SHOWN;
        for (number, line) in lines.iter().enumerate() {
            let words = line.trim_start();
            let blanks = " ".repeat(line.len() - words.len());
            let before = if number == 0 { format!("{first}{blanks}") } else { format!("{:indent$}{blanks}", "") };
            self.paragraph(&before, &neutralised(&clipped(words, left_to_show)));
            left_to_show = left_to_show.saturating_sub(words.chars().count());
            if left_to_show == 0 {
                break;
            }
        }
        if let Some(more @ 1..) = length.checked_sub(MESSAGE_SHOWN) {
            let words = format!("({} more characters, which {rest} has)", thousands(more as u64));
            self.toned(Tone::Aside, &" ".repeat(indent), &words);
        }
    }

    fn lay(&mut self, first: &str, text: &str, painted: impl Fn(&str) -> String) {
        let indent = display_width(first);
        let options = Options::new(self.style.width.saturating_sub(indent).max(MIN_WIDTH))
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

    /// Returns the text, ending with one newline.
    pub(crate) fn finish(mut self) -> String {
        self.text.truncate(self.text.trim_end_matches('\n').len());
        self.text.push('\n');
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text of a page of 24 columns.
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
