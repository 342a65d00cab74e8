//! A script as a server holds it: in its SDK's own types.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::exact;
use crate::script::{self, Script};

/// Process of a server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Process {
    /// A process of its own for each session.
    OfOneSession,
    /// One process for many sessions of many scripts.
    OfManySessions,
}

/// Tools of type `T`, answered with results of type `R` or errors of type `E`.
pub struct Offer<T, R, E> {
    stages: Vec<Stage<T, R, E>>,
    page_size: Option<usize>,
}

struct Stage<T, R, E> {
    names: Vec<String>,
    tools: Vec<T>,
    replies: Vec<Reply<R, E>>,
    told: bool,
}

/// Answer to a call.
#[derive(Clone)]
pub enum Reply<R, E> {
    /// A result.
    Result(R),
    /// A JSON-RPC error.
    Error(E),
    /// No answer, ever.
    Hang,
    /// The end of the process.
    Exit(i32),
    /// The step to the next stage.
    Evolve,
}

impl<T, R, E> Offer<T, R, E>
where
    T: DeserializeOwned + Serialize + Clone,
    E: DeserializeOwned + Serialize,
{
    /// Puts a script into the SDK's types; `result` makes a tool's result.
    ///
    /// # Errors
    /// When the types do not hold it, or the SDK has no way to do it. The words are meant for `unsupported`.
    pub fn new(
        script: &Script,
        process: Process,
        result: impl Fn(&Value) -> Result<R, String>,
    ) -> Result<Self, String> {
        if let Some(reason) = script.beyond_an_sdk() {
            return Err(reason.to_owned());
        }
        let reply = |reply: &script::Reply| match reply {
            script::Reply::Result(value) => result(value).map(Reply::Result),
            script::Reply::Error(value) => exact::typed("the error", value).map(Reply::Error),
            script::Reply::Raw(_) => Err("the SDK's server API cannot send raw bytes".to_owned()),
            script::Reply::Hang {} => Ok(Reply::Hang),
            script::Reply::Exit { status } => match process {
                Process::OfOneSession => Ok(Reply::Exit(*status)),
                Process::OfManySessions => Err("the SDK's HTTP server cannot drop one connection".to_owned()),
            },
            script::Reply::Evolve {} => Ok(Reply::Evolve),
        };
        let stage = |stage: &script::Stage| {
            Ok(Stage {
                names: stage.tools.iter().map(|tool| tool.name.clone()).collect(),
                tools: stage
                    .tools
                    .iter()
                    .map(|tool| exact::typed("the tool", &tool.definition))
                    .collect::<Result<_, String>>()?,
                replies: stage.tools.iter().map(|tool| reply(&tool.reply)).collect::<Result<_, String>>()?,
                told: stage.told,
            })
        };
        Ok(Self {
            stages: script.stages.iter().map(stage).collect::<Result<_, String>>()?,
            page_size: script.page_size.filter(|size| *size > 0),
        })
    }

    /// Returns whether the tools ever change.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.stages.len() > 1
    }

    /// Returns whether the step into a stage is told.
    #[must_use]
    pub fn told(&self, stage: usize) -> bool {
        self.stage(stage).is_some_and(|stage| stage.told)
    }

    /// The page that a cursor of an earlier page names, and the cursor of the next one. `None`: no such cursor.
    #[must_use]
    pub fn page(&self, stage: usize, cursor: Option<&str>) -> Option<(Vec<T>, Option<String>)> {
        let tools = self.stage(stage).map_or(&[][..], |stage| &stage.tools);
        let start: usize = cursor.map_or(Ok(0), str::parse).ok()?;
        let rest = tools.get(start..)?;
        let size = self.page_size.unwrap_or(rest.len()).min(rest.len());
        let next = (size < rest.len()).then(|| (start + size).to_string());
        Some((rest[..size].to_vec(), next))
    }

    /// Returns the answer to a call of a tool. `None`: no such tool in this stage.
    #[must_use]
    pub fn reply(&self, stage: usize, tool: &str) -> Option<&Reply<R, E>> {
        let stage = self.stage(stage)?;
        let index = stage.names.iter().position(|name| name == tool)?;
        stage.replies.get(index)
    }

    /// A stage; past the last one, that stays.
    fn stage(&self, stage: usize) -> Option<&Stage<T, R, E>> {
        self.stages.get(stage).or_else(|| self.stages.last())
    }
}
