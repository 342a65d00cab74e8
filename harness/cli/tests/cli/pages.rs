//! The pages of the documentation, read as their readers read them: fenced blocks, files and commands.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the checkout.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of a page, by its path from the root.
pub(crate) fn page(path: &str) -> String {
    let text = fs::read_to_string(root().join(path));
    text.unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A fenced block: its language, and its text.
#[derive(Debug)]
pub(crate) struct Block<'t> {
    pub(crate) language: &'t str,
    pub(crate) text: &'t str,
}

impl<'t> Block<'t> {
    /// The file that the block is, if its first line is a comment with a name.
    pub(crate) fn file(&self) -> Option<&'t str> {
        let first = self.text.lines().next()?;
        let name = first.strip_prefix("// ").or_else(|| first.strip_prefix("# "))?;
        (name.contains('.') && !name.contains(' ')).then_some(name)
    }
}

/// The fenced blocks of a page, in order.
pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut rest = page;
    while let Some((_, opened)) = rest.split_once("\n```") {
        let (language, opened) = opened.split_once('\n').unwrap();
        let (text, after) = opened.split_once("\n```").unwrap();
        blocks.push(Block { language, text });
        rest = after;
    }
    blocks
}

/// A command of a console block, with the output that the block shows.
#[derive(Debug)]
pub(crate) struct Shown<'t> {
    pub(crate) command: String,
    pub(crate) printed: Vec<&'t str>,
}

/// The commands of the console blocks of a page, in order. A command may go on over several lines, each but the last
/// ending with a backslash.
pub(crate) fn commands(page: &str) -> Vec<Shown<'_>> {
    let mut shown: Vec<Shown<'_>> = Vec::new();
    for block in blocks(page).into_iter().filter(|block| block.language == "console") {
        for line in block.text.lines() {
            match (line.strip_prefix("$ "), shown.last_mut()) {
                (Some(command), _) => shown.push(Shown { command: command.to_owned(), printed: Vec::new() }),
                (None, Some(last)) if last.command.ends_with('\\') => last.command.push_str(&format!("\n{line}")),
                (None, Some(last)) => last.printed.push(line),
                (None, None) => panic!("a console block begins with a command: {line:?}"),
            }
        }
    }
    shown
}
