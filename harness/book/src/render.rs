//! Blocks as lines for a terminal.

use anstyle::{AnsiColor, Style};

use crate::blocks::{Block, blocks};
use crate::lines::{plain, styled, wrapped};
use crate::tables::table;

/// The longest line of text that is easy to read.
const READABLE: usize = 100;

/// What stands before each line of code.
const CODE: &str = "    ";

/// Sets a page for a terminal of this width.
#[must_use]
pub fn render(markdown: &str, width: usize, colour: bool) -> String {
    let mut page = String::new();
    let mut before: Option<Block> = None;
    for block in blocks(markdown) {
        // The items of a list follow each other closely.
        let bullet = |block: &Block| match block {
            Block::Text { mark: Some(mark), .. } => Some(mark.starts_with('-')),
            Block::Text { .. } | Block::Heading { .. } | Block::Code { .. } | Block::Table { .. } | Block::Rule => None,
        };
        let goes_on = |before: &Block| bullet(before).is_some() && bullet(before) == bullet(&block);
        if before.as_ref().is_some_and(|before| !goes_on(before)) {
            page.push('\n');
        }
        page.push_str(&set(&block, width, colour));
        before = Some(block);
    }
    page
}

fn set(block: &Block, width: usize, colour: bool) -> String {
    let readable = width.min(READABLE);
    match block {
        Block::Heading { level, spans } => {
            let title = plain(spans);
            let look = if *level == 1 { Style::new().bold().underline() } else { Style::new().bold() };
            // Without colour, a line tells a title from text.
            let line = if *level == 1 { '=' } else { '-' };
            let below = if colour {
                String::new()
            } else {
                format!("{}\n", line.to_string().repeat(textwrap::core::display_width(&title)))
            };
            format!("{}\n{below}", styled(&title, look, colour))
        }
        Block::Text { depth, mark, spans } => {
            let mark = mark.clone().unwrap_or_default();
            let indent = "  ".repeat(depth.saturating_sub(1));
            let first = format!("{indent}{mark}");
            let other =
                if *depth > 0 && mark.is_empty() { format!("{indent}  ") } else { " ".repeat(first.chars().count()) };
            let first = if mark.is_empty() { other.clone() } else { first };
            let lines = wrapped(spans, readable, &first, &other, colour);
            lines.into_iter().map(|line| line + "\n").collect()
        }
        Block::Code { depth, text } => {
            let indent = format!("{}{CODE}", "  ".repeat(*depth));
            let look = AnsiColor::Green.on_default();
            text.lines()
                .map(|line| format!("{indent}{}\n", styled(line, look, colour)).trim_end_matches(' ').to_owned())
                .collect()
        }
        Block::Table { rows } => table(rows, width, colour),
        Block::Rule => format!("{}\n", "-".repeat(readable.min(40))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A title\n\nSome *text* with `code` and a [link](https://example.org) that is long enough for a second line.\n\n\
        - one\n- two, with more words than fit into a line of this width, so that it goes on\n\n\
        1. first\n\n```console\n$ it --works\n```\n\n| a | b |\n|---|---|\n| `x` | long words in a cell that has to be wrapped somewhere |\n";

    #[test]
    fn a_page_is_text_that_reads_as_text() {
        let page = render(PAGE, 50, false);
        let expected = "\
A title
=======

Some text with code and a link
(https://example.org) that is long enough for a
second line.

- one
- two, with more words than fit into a line of
  this width, so that it goes on

1. first

    $ it --works

a  b
-  -
x  long words in a cell that has to be wrapped
   somewhere
";
        assert_eq!(page, expected);
    }

    #[test]
    fn colours_change_no_word() {
        let page = render(PAGE, 50, true);
        assert!(page.contains("\u{1b}[36mcode\u{1b}[0m"), "{page:?}");
        let plain = anstyle_free(&page);
        let without = render(PAGE, 50, false).replace("=======\n", "");
        assert_eq!(plain, without);
    }

    #[test]
    fn every_page_fits_its_width_but_for_code_and_addresses() {
        for topic in crate::topics() {
            let text = crate::text(&topic.name).unwrap();
            for width in [60, 80, 200] {
                for line in render(&text, width, false).lines() {
                    let is_long_word = line.split_whitespace().any(|word| word.len() + 12 > width);
                    let fits =
                        line.chars().count() <= width || line.starts_with(CODE) || is_long_word || line.contains("  ");
                    assert!(fits, "{} at {width}: {line}", topic.name);
                }
            }
        }
    }

    /// The text without escapes.
    fn anstyle_free(text: &str) -> String {
        let mut free = String::new();
        let mut escape = false;
        for c in text.chars() {
            match (escape, c) {
                (false, '\u{1b}') => escape = true,
                (true, 'm') => escape = false,
                (true, _) => {}
                (false, _) => free.push(c),
            }
        }
        free
    }
}
