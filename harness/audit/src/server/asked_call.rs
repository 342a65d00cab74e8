//! The calls that a user asks for, as they are written.

use mcp_compat_json::{Json, JsonString};
use mcp_compat_run::glob::Glob;

/// A tool that the user wants called, or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedCall {
    /// Its name, or a glob without arguments, which stands for all that it selects and that are not marked destructive.
    pub tool: String,
    /// Its arguments, a JSON object. If absent, the values that its schema offers.
    pub arguments: Option<String>,
}

/// Why a file of calls cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{path}{problem}")]
pub struct CallsError {
    path: String,
    problem: String,
}

/// What a file of calls has to be.
const EXPECTED: &str = r#"expected an object of tools with their arguments, as in {"read_file": {"path": "/tmp/a"}}"#;

impl AskedCall {
    /// Reads `tool`, or `tool={"json": 1}`.
    #[must_use]
    pub fn of_word(word: &str) -> Self {
        match word.split_once('=') {
            Some((tool, arguments)) => Self { tool: tool.to_owned(), arguments: Some(arguments.to_owned()) },
            None => Self { tool: word.to_owned(), arguments: None },
        }
    }

    /// Whether it may stand for several tools. Arguments are for one tool.
    #[must_use]
    pub fn is_glob(&self) -> bool {
        self.arguments.is_none() && Glob::is_pattern(&self.tool)
    }

    /// Whether this tool is wanted.
    #[must_use]
    pub fn asks_for(&self, tool: &str) -> bool {
        self.tool == tool || self.is_glob() && Glob::new(&self.tool).is_ok_and(|glob| glob.matches(tool))
    }

    /// Reads the text of a file: a JSON object of tools, each with its arguments or with null.
    ///
    /// # Errors
    /// If the text is anything else.
    pub fn of_file(path: &str, text: &str) -> Result<Vec<Self>, CallsError> {
        let error = |problem: String| CallsError { path: path.to_owned(), problem };
        let calls = Json::parse(text).map_err(|why| error(format!(" is not JSON: {why}")))?;
        let Json::Object(calls) = calls else { return Err(error(format!(": {EXPECTED}"))) };
        let call = |(tool, arguments): (&JsonString, &Json)| {
            let tool =
                tool.as_str().ok_or_else(|| error(": a tool's name is not valid Unicode".to_owned()))?.to_owned();
            let arguments = match arguments {
                Json::Null => None,
                Json::Object(_) => Some(arguments.to_compact()),
                Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                    let kind = arguments.kind();
                    return Err(error(format!(
                        ", {tool:?}: its arguments are of type {kind}, not an object: {EXPECTED}"
                    )));
                }
            };
            Ok(Self { tool, arguments })
        };
        calls.iter().map(call).collect()
    }
}
