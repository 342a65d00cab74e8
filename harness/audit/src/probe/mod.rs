//! Probing a server that does not know mcp-compat: what it says and does at every revision that it speaks.
//!
//! ```text
//! Target (command | URL | streams) ── ServerProbe::list ── a session for each revision ──> ProbedServer: name and tools
//!                                  ├─ ServerProbe::play ── a session with calls ─────────> ProbeSession: its transcript
//!                                  └─ ServerProbe::in_styles ── as real clients open it ─> StyledSession
//! ```
//!
//! The client of the probe is a mock. It speaks one revision at a time, reads lists and values that other clients
//! refuse, and validates nothing, so that whatever comes back is the server's doing. This module decides only which
//! revisions the server speaks.

mod conversation;
mod demand;
mod flood;
mod http_request;
mod obstacle;
mod own_session;
mod said;
mod session;
mod styles;
mod trouble;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_compat_author::capture::from_transcript::{ToolsSeen, tools_seen};
use mcp_compat_author::capture::{CapturedCall, CapturedTool};
use mcp_compat_drive::{ConnectFailure, Launch, Limits, RouteError, SpawnError};
use mcp_compat_json::Json;
use mcp_compat_judge::wire::exchange::{Exchange, Exchanges, exchanges};
use mcp_compat_judge::wire::message::messages;
use mcp_compat_judge::wire::session::{Session, ToolsCapability};
use mcp_compat_mocks::client::ListLimits;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::observation::{End, Observation, Seen};
use mcp_compat_model::peer_contract::JobStep;
use mcp_compat_model::read_limit::ReadLimit;
use mcp_compat_model::transcript::Transcript;
use mcp_compat_model::{Revision, Role, Transport};
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::in_process::Streams;
use mcp_compat_run::redact::KnownSecrets;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use conversation::{Conversation, Form, Opening, Received, Reply, Sent};
pub(crate) use demand::Demand;
pub use obstacle::Obstacle;
pub(crate) use own_session::ForgottenSession;
pub use session::{Effect, ServerProbe};
pub use styles::{ClientCapability, ClientChoice, StyledSession, TOOL_BEYOND_ASCII, UNKNOWN_REVISION};

/// Time that a server may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeTimeouts {
    /// To start and to answer for the first time. This may include the download of a package.
    pub start: Duration,
    /// For each list and each call.
    pub step: Duration,
    /// For the whole of an audit. It ends then with what was measured, and later by one step at most.
    pub audit: Duration,
}

impl Default for ProbeTimeouts {
    fn default() -> Self {
        Self { start: Duration::from_secs(120), step: Duration::from_secs(30), audit: Duration::from_secs(1800) }
    }
}

/// Most of a list that is read. An audit plays each tool to each client, so the time that it takes grows with the
/// tools.
pub(crate) const LONGEST_LIST: ListLimits =
    ListLimits { pages: 1_000, tools: 5_000, bytes: 3 << 20, ends_at_repeated_page: true };

/// Most of what a server sends in one session that is read. An audit has up to eleven sessions.
pub(crate) const LIMITS: Limits = Limits { message_bytes: 8 << 20, cell_bytes: 24 << 20, stderr_bytes: 64 << 10 };

/// Most bytes of the results of one session together. Then no further tool is called in it.
pub(crate) const MOST_BYTES: usize = 8 << 20;

/// A server at all of its revisions.
#[derive(Clone, Debug)]
pub struct ProbedServer {
    pub server: ServerName,
    pub transport: Transport,
    /// The revisions that it speaks, oldest first, each with a session in which its tools were listed.
    pub spoken: Vec<ProbeSession>,
    /// The revisions that it does not speak, oldest first.
    pub refused: Vec<Refused>,
    /// The sessions that did not open, with what the server said instead, oldest revision first.
    pub unopened: Vec<ProbeSession>,
    /// What the server wants before a session opens, if none does without it.
    pub(crate) demand: Option<Demand>,
}

/// The name and version that a server gives of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerName {
    /// Its name; empty if it gives none.
    pub name: String,
    /// Its version; empty if it gives none.
    pub version: String,
}

#[derive(Clone, Debug)]
pub struct ProbeSession {
    pub revision: Revision,
    /// The tools that it listed, in that order; empty if it listed none.
    pub tools: Vec<CapturedTool>,
    /// True if the list was read, to its end or to where it was cut.
    pub listed: bool,
    /// Reason why the list was cut, if it was: what had been read, in words.
    pub cut: Option<String>,
    /// The cursor with which the last page that was read leads back to an earlier one, if it does.
    pub leads_back: Option<String>,
    /// The calls of tools, with their answers.
    pub calls: Vec<CapturedCall>,
    /// The tools whose call was answered with the id of no open request.
    pub misaddressed: Vec<String>,
    /// Reason why a message was not read, if one was not.
    pub not_read: Option<ReadLimit>,
    /// Reason why not all steps were begun, if that is so.
    pub cut_short: Option<EndedEarly>,
    /// Every message and event of the session.
    pub transcript: Transcript,
    /// Observation of the client of each step.
    pub observation: Observation,
    /// The end of the server's standard error, if it is a command.
    pub log: Option<String>,
}

/// A revision that a server does not speak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub revision: Revision,
    /// Response of the server when it was asked for this revision.
    pub why: String,
    /// True if the server refused the revision. A server that crashed at `initialize`, or did not answer it, has not.
    pub certain: bool,
    /// Problem of its result of `server/discover`, if it is that of a modern server and cannot be read.
    pub unreadable: Option<String>,
}

/// Reason why a server could not be probed.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    #[error(transparent)]
    NotStarted(#[from] SpawnError),
    #[error(transparent)]
    Address(#[from] RouteError),
    #[error("cannot connect to {url}: {failure}. {}", failure.next_step())]
    Unreachable { url: String, failure: ConnectFailure },
    #[error(
        "the server opened no session at any revision:{}{}{}",
        attempted(attempts),
        printed_instead(printed),
        log_excerpt(log.as_deref())
    )]
    NoSession {
        /// The revisions that were tried, in that order.
        attempts: Vec<Refused>,
        /// The first lines that it printed to standard output and that are no messages, if it is a command.
        printed: Vec<String>,
        /// The end of its standard error, if it is a command.
        log: Option<String>,
        /// Obstacle that the caller can remove, if it is known.
        obstacle: Option<Obstacle>,
    },
    #[error("the server listed no tools at {revision}: {why}{}", log_excerpt(log.as_deref()))]
    NoTools {
        /// The newest revision that it speaks.
        revision: Revision,
        /// Behaviour of the server instead.
        why: String,
        /// The end of its standard error, if it is a command.
        log: Option<String>,
        /// Obstacle that the caller can remove, if it is known.
        obstacle: Option<Obstacle>,
    },
    #[error(transparent)]
    Host(#[from] HarnessError),
}

impl ProbeError {
    /// Obstacle that the caller can remove, if it is known.
    pub const fn obstacle(&self) -> Option<Obstacle> {
        match self {
            Self::NoSession { obstacle, .. } | Self::NoTools { obstacle, .. } => *obstacle,
            Self::NotStarted(_) | Self::Address(_) | Self::Unreachable { .. } | Self::Host(_) => None,
        }
    }
}

/// Most characters of the words of a server that an error shows.
const WORDS: usize = 2_000;

fn beginning(text: &str) -> &str {
    text.char_indices().nth(WORDS).map_or(text, |(end, _)| &text[..end])
}

fn attempted(attempts: &[Refused]) -> String {
    let line = |attempt: &Refused| format!("\n  {}  {}", attempt.revision, neutralised(beginning(&attempt.why)));
    attempts.iter().map(line).collect()
}

/// Text that a server printed in place of messages, as an indented block with its explanation.
fn printed_instead(printed: &[String]) -> String {
    if printed.is_empty() {
        return String::new();
    }
    let block: String = printed.iter().map(|line| format!("\n  {}", neutralised(line))).collect();
    format!(
        "\nthe server printed to standard output, which carries only JSON-RPC messages; \
         print logs to standard error:{block}"
    )
}

/// The end of a server's log, as an indented block after the sentence.
fn log_excerpt(log: Option<&str>) -> String {
    const LINES: usize = 20;
    let Some(log) = log else { return String::new() };
    let lines: Vec<&str> = log.trim_end().lines().collect();
    if lines.is_empty() {
        return "\nthe server wrote nothing to standard error".to_owned();
    }
    let kept = lines[lines.len().saturating_sub(LINES)..].iter();
    let block: String = kept.map(|line| format!("\n  {}", neutralised(line))).collect();
    format!("\nstandard error of the server ends with:{block}")
}

impl ProbedServer {
    pub fn newest(&self) -> Option<&ProbeSession> {
        self.spoken.last()
    }

    /// The revisions spoken, oldest first.
    pub fn revisions(&self) -> impl Iterator<Item = Revision> {
        self.spoken.iter().map(|session| session.revision)
    }

    /// Fails if the server has no tools, and that is no defect of it: it says that it has none, or the caller can remove
    /// the obstacle.
    ///
    /// # Errors
    /// As those of [`with_tools`](Self::with_tools).
    pub fn with_tools_or_a_defect(self) -> Result<Self, ProbeError> {
        let has_defect = match self.spoken.last() {
            None => true,
            Some(newest) => {
                let is_read = |session: &ProbeSession| session.not_read.is_none() && session.cut_short.is_none();
                matches!(newest.obstacle_to_tools(), None | Some(Obstacle::SlowList))
                    && self.spoken.iter().all(is_read)
                    && self.spoken.iter().any(|session| !session.has_no_tools_by_its_own_account())
            }
        };
        if has_defect { Ok(self) } else { self.with_tools() }
    }

    /// Fails if no session listed a tool.
    ///
    /// # Errors
    /// When there is no tool at any revision. The error says what the server did instead.
    pub fn with_tools(self) -> Result<Self, ProbeError> {
        match self.spoken.last() {
            Some(newest) if self.spoken.iter().all(|session| session.tools.is_empty()) => Err(ProbeError::NoTools {
                revision: newest.revision,
                why: format!("{}{}", newest.why_without_tools(), newest.advice_to_declare_tools()),
                log: newest.log.clone(),
                obstacle: newest.obstacle_to_tools(),
            }),
            Some(_) | None => Ok(self),
        }
    }
}

/// The tools whose call has no answer, though a response to nothing that was asked came before the next request.
fn misaddressed(transcript: &Transcript) -> Vec<String> {
    let messages = messages(transcript);
    let Exchanges { all, strays } = exchanges(&messages, transcript);
    let mut tools = Vec::new();
    for (place, exchange) in all.iter().enumerate() {
        let request = &messages[exchange.request];
        let next = all.get(place + 1).map_or(messages.len(), |next| next.request);
        let is_stray = strays.iter().any(|stray| (exchange.request..next).contains(stray));
        let is_unanswered = exchange.answer.message().is_none_or(|at| strays.contains(&at));
        if request.method() == Some("tools/call") && is_unanswered && is_stray {
            tools.extend(request.param("name").and_then(Json::as_str).map(str::to_owned));
        }
    }
    tools
}

/// The cursor of the last page of tools/list, if that page had been read before.
fn way_back(transcript: &Transcript) -> Option<String> {
    let messages = messages(transcript);
    let exchanges = exchanges(&messages, transcript).all;
    let lists = exchanges.iter().filter(|exchange| messages[exchange.request].method() == Some("tools/list"));
    let pages: Vec<&Json> = lists.filter_map(|exchange| messages[exchange.answer.message()?].result()).collect();
    let (last, before) = pages.split_last()?;
    let next = last.get("nextCursor").and_then(Json::as_str)?;
    before.contains(last).then(|| next.to_owned())
}

/// Number of tools of a list that are taken: at least one.
fn within_limits(tools: &[CapturedTool]) -> usize {
    let mut bytes = 0;
    let fits = |tool: &&CapturedTool| {
        bytes += tool.definition.len();
        bytes <= LONGEST_LIST.bytes
    };
    tools.iter().take(LONGEST_LIST.tools).take_while(fits).count().max(1)
}

impl ProbeSession {
    fn new(revision: Revision, transcript: Transcript, observation: Observation, log: Option<String>) -> Self {
        let ToolsSeen { list, calls, not_read } = tools_seen(&transcript);
        let mut list = list.unwrap_or_default();
        let taken = within_limits(&list.tools);
        let cut = match (taken < list.tools.len(), list.is_complete) {
            (true, _) => LONGEST_LIST.reached(0, taken, LONGEST_LIST.bytes),
            (false, true) => None,
            (false, false) => {
                let pages = usize::try_from(list.pages).unwrap_or(usize::MAX);
                LONGEST_LIST.reached(pages, list.listed, list.bytes)
            }
        };
        let leads_back = if list.is_complete || cut.is_some() { None } else { way_back(&transcript) };
        // A list that the server did not bring to its end is none, unless it has no end.
        let listed = list.is_complete || cut.is_some() || leads_back.is_some();
        list.tools.truncate(if listed { taken } else { 0 });
        Self {
            revision,
            tools: list.tools,
            listed,
            cut,
            leads_back,
            calls,
            misaddressed: misaddressed(&transcript),
            not_read,
            cut_short: None,
            transcript,
            observation,
            log,
        }
    }

    /// The name and version that the server gives in this session.
    pub fn identity(&self) -> ServerName {
        let messages = messages(&self.transcript);
        let exchanges = exchanges(&messages, &self.transcript);
        let results = exchanges.all.iter().filter_map(|exchange| messages[exchange.answer.message()?].result());
        let info = |result: &Json| {
            let stateless = result.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
            result.get("serverInfo").or(stateless).filter(|info| info.as_object().is_some()).cloned()
        };
        let Some(info) = results.filter_map(info).next() else { return ServerName::default() };
        let member = |key: &str| info.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
        ServerName { name: member("name"), version: member("version") }
    }

    /// Obstacle between the session and the tools that the caller can remove.
    pub(crate) fn obstacle_to_tools(&self) -> Option<Obstacle> {
        Obstacle::to_tools(&self.transcript, &self.observation)
    }

    /// Returns whether the last result of tools/list has an array of tools.
    pub(crate) fn has_list(&self) -> bool {
        let messages = messages(&self.transcript);
        let exchanges = exchanges(&messages, &self.transcript);
        let is_list = |exchange: &&Exchange| messages[exchange.request].method() == Some("tools/list");
        let mut results =
            exchanges.all.iter().filter(is_list).filter_map(|exchange| messages[exchange.answer.message()?].result());
        results.next_back().is_some_and(|result| matches!(result.get("tools"), Some(Json::Array(_))))
    }

    /// Returns whether the server says that it has no tools: by its capabilities, or by an empty list where they are not known.
    fn has_no_tools_by_its_own_account(&self) -> bool {
        match self.tools_capability() {
            ToolsCapability::Absent => true,
            ToolsCapability::Unseen | ToolsCapability::Declared { .. } => self.lists_none() && !self.owes_tools(),
        }
    }

    /// Returns whether the server declares `tools` and nothing else that it could offer, says nothing of tools that come
    /// later, and lists none. Some SDKs declare `tools`, `prompts` and `resources` for every server.
    pub(crate) fn owes_tools(&self) -> bool {
        let messages = messages(&self.transcript);
        let exchanges = exchanges(&messages, &self.transcript);
        let mut results = exchanges.all.iter().filter_map(|exchange| messages[exchange.answer.message()?].result());
        let is_declared = self.tools_capability() == ToolsCapability::Declared { list_changed: false };
        let offers_more = results.any(|result| {
            let capabilities = result.get("capabilities");
            ["prompts", "resources"].iter().any(|key| capabilities.is_some_and(|all| all.get(key).is_some()))
        });
        is_declared && self.lists_none() && !offers_more
    }

    fn lists_none(&self) -> bool {
        self.listed && self.tools.is_empty() && self.has_list() && self.leads_back.is_none()
    }

    fn tools_capability(&self) -> ToolsCapability {
        let messages = messages(&self.transcript);
        let exchanges = exchanges(&messages, &self.transcript);
        Session::read(&messages, &exchanges, &self.transcript).tools
    }

    /// Content of the results of tools/list in the place of tools. The client of the probe reads a list that is not
    /// there as an empty one.
    fn why_the_list_is_empty(&self) -> &'static str {
        let messages = messages(&self.transcript);
        let exchanges = exchanges(&messages, &self.transcript);
        let is_list = |exchange: &&Exchange| messages[exchange.request].method() == Some("tools/list");
        let mut results =
            exchanges.all.iter().filter(is_list).filter_map(|exchange| messages[exchange.answer.message()?].result());
        match results.next_back().map(|result| result.get("tools")) {
            Some(None) => "the result of tools/list has no `tools`",
            Some(Some(Json::Array(tools))) if !tools.is_empty() => "no tool of the list has a name",
            Some(Some(Json::Array(_))) | None => "tools/list returned an empty list",
            Some(Some(_)) => "`tools` in the result of tools/list is no array",
        }
    }

    /// End of the server in the session. `None` if it did not end, or if what it sent was cut: then the cut ended it.
    pub(crate) fn death(&self) -> Option<&str> {
        let is_cut = matches!(self.not_read, Some(ReadLimit::Length(_) | ReadLimit::Together(_)));
        let End::Crashed { who: Role::Server, how } = &self.observation.end else { return None };
        if is_cut { None } else { Some(how) }
    }

    /// Advice for a server that neither declares tools nor lists any. Clients of some SDKs ask all the same.
    fn advice_to_declare_tools(&self) -> &'static str {
        if self.tools_capability() != ToolsCapability::Absent || self.listed {
            return "";
        }
        ". The server does not declare `tools`, as one without tools may. One whose tools this session may not see has to \
         declare `tools` and answer tools/list with an empty list: clients on the TypeScript SDK 1.x and the Python SDK ask \
         for the list all the same and report the error, those on the TypeScript SDK 2.x do not ask"
    }

    /// Reason why there are no tools in the session, in words.
    pub(crate) fn why_without_tools(&self) -> String {
        if let Some(why) = self.cut_short.filter(|_| self.observation.steps.is_empty()) {
            return format!("{why} before tools/list was sent");
        }
        match (self.observation.steps.first(), self.not_read) {
            (Some(Seen::Failed(error)), _) => format!("tools/list failed: {}", beginning(&error.message)),
            (_, Some(excess)) => was_not_read(excess),
            (Some(Seen::Listed { .. }), None) => self.why_the_list_is_empty().to_owned(),
            (Some(Seen::Called(_) | Seen::Evolved { .. } | Seen::NotReported {}) | None, None) => {
                match &self.observation.end {
                    End::Crashed { how, .. } => format!("the server ended before it answered tools/list: {how}"),
                    End::NoSession(error) => error.message.clone(),
                    End::TimedOut { what, .. } => format!("tools/list was not answered in time: {what}"),
                    End::Answered {} | End::Unsupported { .. } | End::NotStarted { .. } | End::HarnessFailed { .. } => {
                        "tools/list was not answered".to_owned()
                    }
                }
            }
        }
    }
}

/// Sentence that says that a message of the server was not read.
pub(crate) fn was_not_read(excess: ReadLimit) -> String {
    format!("{}, and mcp-compat did not read all of that", excess.of(Role::Server))
}

pub(crate) fn list_only() -> Vec<JobStep> {
    vec![JobStep::List {}]
}

/// Reason why a session, or the audit, ended before all of its steps were begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedEarly {
    TimeOver,
    /// The results of the session had too many bytes together.
    TooManyBytes,
    /// The user ended the audit.
    Interrupted,
}

impl fmt::Display for EndedEarly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TimeOver => "the time of the audit was over",
            Self::TooManyBytes => "the results before it have more than 8 MB together",
            Self::Interrupted => "the audit was interrupted",
        })
    }
}

#[derive(Clone)]
pub enum Target {
    /// A program that speaks over its standard streams. It is started for each session.
    Command(Launch),
    /// A streamable HTTP endpoint that is already running.
    Url {
        url: String,
        /// Headers that are added to every request, such as a credential. They are never recorded.
        headers: Vec<(String, String)>,
    },
    /// A server in this process, with a new connection for each session.
    Connect(Arc<dyn Fn() -> Streams + Send + Sync>),
}

impl Target {
    pub fn transport(&self) -> Transport {
        match self {
            Self::Command(_) => Transport::Stdio,
            Self::Url { .. } => Transport::Http,
            Self::Connect(_) => Transport::Memory,
        }
    }

    /// The secrets that the server is given. They are removed from everything that it sends.
    fn secrets(&self) -> KnownSecrets {
        match self {
            Self::Command(launch) => {
                let variables = launch.env.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str()?)));
                KnownSecrets::of_environment(variables)
            }
            Self::Url { headers, .. } => KnownSecrets::of_headers(headers),
            Self::Connect(_) => KnownSecrets::default(),
        }
    }
}

/// Omits the values of headers, which may be secrets.
impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(launch) => f.debug_tuple("Command").field(launch).finish(),
            Self::Url { url, .. } => f.debug_struct("Url").field("url", url).finish_non_exhaustive(),
            Self::Connect(_) => f.debug_tuple("Connect").finish_non_exhaustive(),
        }
    }
}
