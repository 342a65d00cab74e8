//! From a scenario in memory to the text of a file, in the style of the corpus.
//!
//! ```text
//! Draft ── write ──> Written { text, beside } ── load ──> the same tools, results and steps, lexeme for lexeme
//!   draft    the content of the file
//!   page     the file, line by line; text is verbatim if TOML can hold it, else escaped
//! ```
//!
//! A draft need not be valid. It is written as it is, and [`load`](crate::load) reports its mistakes.
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
mod page;

pub use draft::{
    Answer, Beside, Draft, DraftAnswer, DraftCall, DraftCase, DraftChanges, DraftStep, DraftTool, Noted, Written,
};
