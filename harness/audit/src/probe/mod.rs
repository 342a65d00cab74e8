//! What a server that knows nothing of us says and does, at every revision that it speaks.
//!
//! ```text
//! Target (command | URL | streams) ── ServerProbe::list ── a session for each revision ──> ProbedServer: tools, and who it is
//!                                  └─ ServerProbe::call ── a session with calls ─────────> ProbeSession: its transcript
//! ```
//!
//! Our own client asks: it speaks one revision at a time, validates nothing and keeps to the specification, so that
//! what comes back is the server's doing. Nothing is decided here but which revisions are spoken.

mod session;
mod target;

use std::time::Duration;

use mcp_compat_drive::{RouteError, SpawnError};
use mcp_compat_json::Json;
use mcp_compat_judge::exchange::exchanges;
use mcp_compat_judge::wire;
use mcp_compat_model::observation::{End, Observation, Seen};
use mcp_compat_model::peer_contract::JobStep;
use mcp_compat_model::transcript::Transcript;
use mcp_compat_model::unseen::neutralised;
use mcp_compat_model::{Revision, Transport};

pub use session::ServerProbe;
pub use target::Target;

use mcp_compat_capture::CapturedTool;
use mcp_compat_capture::from_transcript::first_list;
use mcp_compat_run::environment::HarnessError;

/// How long a server may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeTimeouts {
    /// To start and to answer for the first time: a package may have to be fetched for it.
    pub start: Duration,
    /// For each list and each call.
    pub step: Duration,
}

impl Default for ProbeTimeouts {
    fn default() -> Self {
        Self { start: Duration::from_secs(120), step: Duration::from_secs(30) }
    }
}

/// A server at all of its revisions.
#[derive(Clone, Debug)]
pub struct ProbedServer {
    /// What it calls itself.
    pub server: Identity,
    /// What carries its messages.
    pub transport: Transport,
    /// The revisions that it speaks, oldest first, each with a session in which its tools were listed.
    pub spoken: Vec<ProbeSession>,
    /// The revisions that it does not speak, oldest first.
    pub refused: Vec<Refused>,
}

/// What a server calls itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Its name; empty where it gives none.
    pub name: String,
    /// Its version; empty where it gives none.
    pub version: String,
}

/// One session with a server.
#[derive(Clone, Debug)]
pub struct ProbeSession {
    /// The revision that was spoken.
    pub revision: Revision,
    /// The tools that it listed, in the order listed; empty where it listed none.
    pub tools: Vec<CapturedTool>,
    /// Everything that passed.
    pub transcript: Transcript,
    /// What the user of our client saw of each step.
    pub observation: Observation,
    /// The end of what the server wrote to its standard error, where that can be had.
    pub log: Option<String>,
}

/// A revision that a server does not speak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Which one.
    pub revision: Revision,
    /// How that showed.
    pub why: String,
    /// Whether the server said so, or may have meant to: one that died of `initialize`, or let it pass in silence, has said
    /// nothing of the revision.
    pub certain: bool,
}

/// Why there is nothing to be told of a server.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// Its program could not be started.
    #[error(transparent)]
    NotStarted(#[from] SpawnError),
    /// Its address is none that can be reached.
    #[error(transparent)]
    Address(#[from] RouteError),
    /// It spoke no revision.
    #[error("no session came about with the server:{}{}", told(attempts), last_words(log.as_deref()))]
    NoSession {
        /// What was tried, in that order.
        attempts: Vec<Refused>,
        /// The end of what it wrote to its standard error, where that can be had.
        log: Option<String>,
    },
    /// It spoke, and then gave no tools.
    #[error("the server gave no tools at {revision}: {why}{}", last_words(log.as_deref()))]
    NoTools {
        /// The newest revision that it speaks.
        revision: Revision,
        /// What came in place of them.
        why: String,
        /// The end of what it wrote to its standard error, where that can be had.
        log: Option<String>,
    },
    /// The harness could not do its own part.
    #[error(transparent)]
    Host(#[from] HarnessError),
}

fn told(attempts: &[Refused]) -> String {
    let told = |attempt: &Refused| format!("\n  {}  {}", attempt.revision, neutralised(&attempt.why));
    attempts.iter().map(told).collect()
}

/// What a server wrote last, as an indented block after the sentence.
fn last_words(log: Option<&str>) -> String {
    const LINES: usize = 20;
    let Some(log) = log else { return String::new() };
    let lines: Vec<&str> = log.trim_end().lines().collect();
    if lines.is_empty() {
        return "\nit wrote nothing to its standard error".to_owned();
    }
    let kept = lines[lines.len().saturating_sub(LINES)..].iter();
    let block: String = kept.map(|line| format!("\n  {}", neutralised(line))).collect();
    format!("\nits standard error ends with:{block}")
}

impl ProbedServer {
    /// The session at the newest revision spoken.
    #[must_use]
    pub fn newest(&self) -> Option<&ProbeSession> {
        self.spoken.last()
    }

    /// The revisions spoken, oldest first.
    pub fn revisions(&self) -> impl Iterator<Item = Revision> {
        self.spoken.iter().map(|session| session.revision)
    }

    /// Fails where no session gave a tool.
    ///
    /// # Errors
    /// When there is no tool at any revision, with what came in their place.
    pub fn with_tools(self) -> Result<Self, ProbeError> {
        match self.spoken.last() {
            Some(newest) if self.spoken.iter().all(|session| session.tools.is_empty()) => Err(ProbeError::NoTools {
                revision: newest.revision,
                why: newest.why_without_tools(),
                log: newest.log.clone(),
            }),
            Some(_) | None => Ok(self),
        }
    }
}

impl ProbeSession {
    fn new(revision: Revision, transcript: Transcript, observation: Observation, log: Option<String>) -> Self {
        Self { revision, tools: first_list(&transcript), transcript, observation, log }
    }

    /// What the server calls itself in this session.
    #[must_use]
    pub fn identity(&self) -> Identity {
        let messages = wire::read(&self.transcript);
        let exchanges = exchanges(&messages, &self.transcript);
        let results = exchanges.all.iter().filter_map(|exchange| messages[exchange.answer.message()?].result());
        let info = |result: &Json| {
            let stateless = result.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
            result.get("serverInfo").or(stateless).filter(|info| info.as_object().is_some()).cloned()
        };
        let Some(info) = results.filter_map(info).next() else { return Identity::default() };
        let member = |key: &str| info.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
        Identity { name: member("name"), version: member("version") }
    }

    fn why_without_tools(&self) -> String {
        match (self.observation.steps.first(), &self.observation.end) {
            (Some(Seen::Failed(error)), _) => format!("tools/list failed: {}", error.message),
            (Some(Seen::Listed { .. }), _) => "tools/list gave an empty list".to_owned(),
            (Some(Seen::Called(_) | Seen::Evolved { .. } | Seen::NotReported {}) | None, end) => match end {
                End::Crashed { how, .. } => format!("it ended before tools/list was answered: {how}"),
                End::NoSession(error) => error.message.clone(),
                End::TimedOut { what, .. } => format!("tools/list was not answered in time: {what}"),
                End::Answered {} | End::Unsupported { .. } | End::NotStarted { .. } | End::HarnessFailed { .. } => {
                    "tools/list was not answered".to_owned()
                }
            },
        }
    }
}

/// Lists the tools, and nothing else.
pub(crate) fn list_only() -> Vec<JobStep> {
    vec![JobStep::List {}]
}
