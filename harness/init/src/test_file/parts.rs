//! What the tests of all runners are made of.

use crate::new_file::NewFile;

/// A test with what belongs to it.
#[derive(Debug)]
pub(crate) struct TestFile {
    /// The test.
    pub(crate) file: NewFile,
    /// The breaks that are known: none yet.
    pub(crate) baseline: NewFile,
    /// The shell line that adds the helper to the project.
    pub(crate) add: String,
    /// The shell line that runs the test.
    pub(crate) run: String,
    /// The shell lines that run it in a workflow, after the installation of the project.
    pub(crate) in_workflow: Vec<String>,
}

/// A baseline without entries, and how it gets some.
pub(super) fn baseline(path: String, run: &str) -> NewFile {
    let text = format!(
        "# What is known to break, and why. This command rewrites the file from what the test finds:\n\
         # MCP_COMPAT_BASELINE=update {run}\n"
    );
    NewFile { path, text }
}

/// A text as JavaScript and Python write it.
pub(super) fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The same for a list of words.
pub(super) fn literals(words: &[String]) -> String {
    words.iter().map(|word| literal(word)).collect::<Vec<_>>().join(", ")
}

/// A line of a comment: without line breaks.
pub(super) fn comment(text: &str) -> String {
    text.replace(char::is_control, " ")
}
