//! What a peer sent or an API gave, on a page: JSON laid out, anything else as it is, and never more of it than a
//! person reads.

use mcp_compat_json::{Layout, lay_out};
use textwrap::core::display_width;

use mcp_compat_model::count::thousands;
use mcp_compat_model::unseen::neutralised;

use crate::page::Page;
use crate::style::Tone;
use crate::text::clipped;

/// How many characters of one message are shown.
const SHOWN: usize = 2_000;

/// The file of a run that has each message in full.
pub(crate) const TRANSCRIPTS: &str = "transcripts.jsonl";

/// Writes a text after `first`, and how much of it was left out: `rest` says where that can be read.
pub(crate) fn write(page: &mut Page, first: &str, text: &str, rest: &str) {
    let indent = display_width(first);
    let width = page.width().saturating_sub(indent);
    // However deep the nesting, half of the width is left to the values.
    let laid_out = lay_out(text, Layout::Indented { width, deepest: width / 2 });
    let lines: Vec<&str> = laid_out.as_ref().map_or_else(|_| vec![text], |laid_out| laid_out.split('\n').collect());
    let length: usize = lines.iter().map(|line| line.trim_start().chars().count()).sum();
    let mut room = SHOWN;
    for (number, line) in lines.iter().enumerate() {
        let words = line.trim_start();
        let blanks = " ".repeat(line.len() - words.len());
        let before = if number == 0 { format!("{first}{blanks}") } else { format!("{:indent$}{blanks}", "") };
        page.paragraph(&before, &neutralised(&clipped(words, room)));
        room = room.saturating_sub(words.chars().count());
        if room == 0 {
            break;
        }
    }
    if let Some(left @ 1..) = length.checked_sub(SHOWN) {
        let words = format!("({} more characters, which {rest} has)", thousands(left as u64));
        page.toned(Tone::Aside, &" ".repeat(indent), &words);
    }
}
