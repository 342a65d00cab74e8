//! The other way round: from a scenario in memory to the text of a file, in the style of the corpus.
//!
//! ```text
//! Draft ── write ──> Written { text, beside } ── load ──> the same tools, results and steps, lexeme for lexeme
//!   layout   JSON over several lines: only the white space between tokens changes
//!   quoting  text as TOML: verbatim where TOML can hold it, escaped where not
//! ```
//!
//! A draft need not be right. What it says is written down as it is, and [`load`](crate::load) tells the author what
//! is wrong with it.
//!
//! ```
//! use mcp_compat_scenario::write::{Answer, Draft, DraftTool};
//!
//! let tool = r#"{"name": "count", "inputSchema": {"type": "object"}, "outputSchema": {"type": "integer"}}"#;
//! let mut draft = Draft::new("A number at the root", "Zero is easily taken for nothing.");
//! draft.sources = vec!["https://example.org/issues/1".to_owned()].into();
//! draft.tools.push(DraftTool::new(tool, Answer::Returns(r#"{"structuredContent":0,"content":[]}"#.to_owned())));
//! let written = draft.write("zero");
//! assert!(written.text.ends_with("returns = '''{\"structuredContent\": 0, \"content\": []}'''\n"));
//! assert!(mcp_compat_scenario::load("zero.toml", &written.text, &|_| None).is_ok());
//! ```

mod draft;
mod layout;
mod page;
mod quoting;

pub use draft::{Answer, Draft, DraftAnswer, DraftCall, DraftCase, DraftChanges, DraftStep, DraftTool, Noted};

/// The widest that a line gets, as long as its JSON has a place to break it.
pub(crate) const WIDTH: usize = 110;

/// A scenario file, and the files that it needs beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file itself.
    pub text: String,
    /// What its `raw-file`s name: bytes that no TOML can hold.
    pub beside: Vec<Beside>,
}

/// A file beside a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// Its name, without a folder.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

impl Draft {
    /// The draft as a file. `stem` is the name of that file without `.toml`: files beside it are named after it.
    #[must_use]
    pub fn write(&self, stem: &str) -> Written {
        page::write(self, stem)
    }
}
