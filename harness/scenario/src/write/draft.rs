//! Content of a scenario file to be written.

use std::collections::BTreeMap;

use mcp_compat_model::Revision;
use mcp_compat_model::peer_contract::AnsweredMethod;

use crate::scenario::{AlsoExpect, Expect, Means, SpecStance};

/// A value, and the comment above its key.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Noted<T> {
    /// Value of the key.
    pub value: T,
    /// Comment, over any number of lines.
    pub note: Option<String>,
}

impl<T> Noted<T> {
    /// Creates a value with a comment.
    pub fn with(value: impl Into<T>, note: impl Into<String>) -> Self {
        Self { value: value.into(), note: Some(note.into()) }
    }
}

impl<T> From<T> for Noted<T> {
    fn from(value: T) -> Self {
        Self { value, note: None }
    }
}

/// A scenario file to be written. JSON is text throughout, of which only the white space between tokens changes.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Path of the format's JSON Schema, relative to the file: editors complete and check by it.
    pub schema: Option<String>,
    /// The comment at the top; may be empty.
    pub heading: String,
    /// Subject of the scenario, in one line.
    pub title: Noted<String>,
    /// Reason why it matters, for a stranger.
    pub why: Noted<String>,
    /// The first revision in which a server may do this; the format's default if absent.
    pub since: Option<Noted<Revision>>,
    /// Addresses of the case's sources.
    pub sources: Noted<Vec<String>>,
    /// Gap or contradiction of the specification.
    pub spec: Option<SpecStance>,
    /// The least that a user must get from every tool.
    pub expect: Option<Noted<Expect>>,
    /// Number of tools on a page of the list.
    pub page_size: Option<u32>,
    /// Members that the result of `tools/list` has beside `tools`, as a JSON object.
    pub list: Option<String>,
    /// Members of that result that are left out, although the revision asks for them.
    pub list_without: Vec<String>,
    /// A comment after the last key of the file itself; may be empty.
    pub footing: String,
    /// Answers to requests other than calls.
    pub answers: Vec<DraftAnswer>,
    /// The tools from the start.
    pub tools: Vec<DraftTool>,
    /// Actions of the client; the format's default if empty.
    pub steps: Vec<DraftStep>,
    /// The members of a family; the file is one scenario if empty.
    pub cases: Vec<DraftCase>,
}

/// A member of a family to be written. An absent key is as in the file.
#[derive(Clone, Debug, Default)]
pub struct DraftCase {
    /// The word in brackets, with a comment above it.
    pub case: Noted<String>,
    /// Subject of this member.
    pub title: Option<String>,
    /// Reason why it matters, where that is not what the file says.
    pub why: Option<String>,
    /// Changes to the tool, where the file has a single one.
    pub changes: DraftChanges,
    /// All the tools of this member, in place of the file's.
    pub tools: Vec<DraftTool>,
    /// Actions of the client in this member.
    pub steps: Vec<DraftStep>,
}

/// Changes that a member of a family makes to the single tool of the file.
#[derive(Clone, Debug, Default)]
pub struct DraftChanges {
    /// Other arguments.
    pub arguments: Option<String>,
    /// Another answer.
    pub answer: Option<Noted<Answer>>,
    /// Another meaning.
    pub means: Option<Noted<Means>>,
    /// Another least outcome.
    pub expect: Option<Noted<Expect>>,
}

/// An answer to a request other than a call.
#[derive(Clone, Debug)]
pub struct DraftAnswer {
    /// The request.
    pub to: AnsweredMethod,
    /// Page of `tools/list`, from 1; every page if absent.
    pub page: Option<u32>,
    /// Answer to the request.
    pub answer: Answer,
}

/// A tool to be written.
#[derive(Clone, Debug, Default)]
pub struct DraftTool {
    /// The tool as it stands in `tools/list`, a JSON object.
    pub definition: Noted<String>,
    /// The arguments with which it is called, a JSON object.
    pub arguments: Option<Noted<String>>,
    /// Answer to a call; absent only where the cases of a family give it.
    pub answer: Option<Noted<Answer>>,
    /// Members of the result that are left out, although the revision asks for them.
    pub without: Vec<String>,
    /// Messages that are sent right before the answer.
    pub before: Vec<String>,
    /// The tool whose call must have been answered first.
    pub answers_after: Option<String>,
    /// Meaning of the answer, where the answer does not show it.
    pub means: Option<Noted<Means>>,
    /// A result that violates its schema, a JSON object.
    pub control: Option<Noted<String>>,
    /// Parts of the result that a user must get in addition.
    pub also_expect: AlsoExpect,
    /// The least that a user must get from it.
    pub expect: Option<Noted<Expect>>,
    /// A comment after its last key; may be empty.
    pub footing: String,
}

/// Answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This result, a JSON object.
    Returns(String),
    /// This JSON-RPC error, a JSON object.
    Error(String),
    /// Bytes of the whole message; `{{id}}` in them becomes the request's id.
    Raw(Vec<u8>),
    /// No answer, ever.
    Hang,
    /// The end of the process.
    Exit,
}

/// A step to be written.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a draft has a handful of steps and lives for a moment")]
pub enum DraftStep {
    /// List the tools.
    List,
    /// Call one of them.
    Call(DraftCall),
    /// From here on the server has these tools.
    Evolve {
        /// True if the client is notified.
        notified: bool,
        /// All the tools that there are from now on.
        tools: Vec<DraftTool>,
    },
}

/// A call to be written. An absent key is as in its tool.
#[derive(Clone, Debug, Default)]
pub struct DraftCall {
    /// The tool's name.
    pub tool: Noted<String>,
    /// The arguments, a JSON object.
    pub arguments: Option<String>,
    /// Meaning of the answer.
    pub means: Option<Noted<Means>>,
    /// Parts of the result that a user must get in addition.
    pub also_expect: AlsoExpect,
    /// The least that a user must get.
    pub expect: Option<Noted<Expect>>,
    /// True if it is sent together with the step before, a call as well.
    pub concurrent: bool,
    /// Arguments from the value of the call before: from JSON Pointer in the arguments to JSON Pointer in that value.
    pub args_from: BTreeMap<String, String>,
}

impl Draft {
    /// Creates a draft without tools and sources.
    #[must_use]
    pub fn new(title: impl Into<String>, why: impl Into<String>) -> Self {
        Self { title: title.into().into(), why: why.into().into(), ..Self::default() }
    }
}

impl DraftTool {
    /// Creates a tool without arguments and with the meaning that its answer shows.
    #[must_use]
    pub fn new(definition: impl Into<String>, answer: Answer) -> Self {
        Self { definition: definition.into().into(), answer: Some(answer.into()), ..Self::default() }
    }
}

impl DraftCall {
    /// Creates a call as in its tool.
    #[must_use]
    pub fn new(tool: impl Into<String>) -> Self {
        Self { tool: tool.into().into(), ..Self::default() }
    }
}

/// A scenario file, and the files that it needs beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file itself.
    pub text: String,
    /// Files that its `raw-file`s name: bytes that TOML cannot hold.
    pub beside: Vec<Beside>,
}

/// A file beside a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// Name without a folder.
    pub name: String,
    /// Content of the file.
    pub bytes: Vec<u8>,
}
