//! Sessions that are opened as real clients open them: with ids, capabilities and revisions that the client of the probe
//! does not use by itself.
//!
//! One session has several of these choices. If it fails, sessions with fewer of them show which one the server refuses.

use futures_util::future::join_all;
use mcp_compat_json::Json;
use mcp_compat_judge::wire::exchange::exchanges;
use mcp_compat_judge::wire::message::messages;
use mcp_compat_mocks::client::{ClientSpec, RequestStyle};
use mcp_compat_model::peer_contract::JobStep;
use mcp_compat_model::{Era, Revision};
use serde_json::value::RawValue;

use super::session::{Attempt, ServerProbe, probe_client};
use super::{ProbeError, ProbeSession, ProbedServer, Target, list_only};

/// A choice of a client that every server has to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClientChoice {
    /// `initialize` asks for 2026-07-28, which has no `initialize`.
    NewestInInitialize,
    /// The client asks for a revision that does not exist.
    UnknownRevision,
    /// `initialize` has the header `MCP-Protocol-Version` over HTTP, with the revision that it asks for: the newest that has
    /// `initialize`.
    HeaderOnInitialize,
    /// Ids are strings.
    StringIds,
    Capability(ClientCapability),
    /// `clientInfo` has a title with letters beyond ASCII.
    TitleBeyondAscii,
}

/// Part of the capabilities of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClientCapability {
    Roots,
    Sampling,
    /// With a member for each mode: forms and addresses.
    Elicitation,
    Experimental,
    Extensions,
    /// Tasks, which 2025-11-25 has.
    Tasks,
}

impl ClientCapability {
    pub const ALL: [Self; 6] =
        [Self::Roots, Self::Sampling, Self::Elicitation, Self::Experimental, Self::Extensions, Self::Tasks];

    /// The capability as a client declares it, alone.
    pub const fn declared(self) -> &'static str {
        match self {
            Self::Roots => r#"{"roots":{"listChanged":true}}"#,
            Self::Sampling => r#"{"sampling":{"context":{},"tools":{}}}"#,
            Self::Elicitation => r#"{"elicitation":{"form":{},"url":{}}}"#,
            Self::Experimental => r#"{"experimental":{"org.example/feature":{}}}"#,
            Self::Tasks => {
                r#"{"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}}"#
            }
            Self::Extensions => {
                r#"{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}"#
            }
        }
    }
}

/// All capabilities together. From 2026-07-28 on, roots have no members.
const LEGACY_CAPABILITIES: &str = r#"{"roots":{"listChanged":true},"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}},"experimental":{"org.example/feature":{}},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}},"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}}"#;
const MODERN_CAPABILITIES: &str = r#"{"roots":{},"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}},"experimental":{"org.example/feature":{}},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}"#;

const TITLED: &str = r#"{"name":"mcp-compat-mocks","title":"Größe 試験","version":"1.0.0"}"#;

/// A revision that does not exist.
pub const UNKNOWN_REVISION: &str = "2099-01-01";

/// A tool that no server has, and whose name a header has to encode.
pub const TOOL_BEYOND_ASCII: &str = "unlisted_größe";

/// A session in which the client made these choices.
#[derive(Clone, Debug)]
pub struct StyledSession {
    pub choices: Vec<ClientChoice>,
    pub session: ProbeSession,
    /// Reason why there was no session, or no list of tools in it; `None` if both were there.
    pub refused: Option<String>,
    /// True if there was no session although the client waited for it as long as it may.
    had_no_time: bool,
}

impl StyledSession {
    fn new(choices: &[ClientChoice], attempt: Attempt) -> Self {
        let Attempt { mut session, no_session, had_no_time, .. } = attempt;
        let negotiated = session.observation.negotiated.as_deref().and_then(|date| date.parse().ok());
        session.revision = negotiated.unwrap_or(session.revision);
        let without_list = || (!session.listed).then(|| session.why_without_tools());
        let refused = no_session.or_else(without_list);
        Self { choices: choices.to_vec(), refused, had_no_time, session }
    }

    /// Returns whether a server that follows the specification refuses its requests.
    fn is_meant_to_fail(&self) -> bool {
        self.era() == Era::Modern && self.choices == [ClientChoice::UnknownRevision]
    }

    pub fn era(&self) -> Era {
        self.session.revision.era()
    }

    /// The revision that the result of `initialize` names.
    pub fn named(&self) -> Option<String> {
        let transcript = &self.session.transcript;
        let messages = messages(transcript);
        let exchanges = exchanges(&messages, transcript).all;
        let asked = exchanges.iter().find(|exchange| messages[exchange.request].method() == Some("initialize"))?;
        let result = messages[asked.answer.message()?].result()?;
        result.get("protocolVersion").and_then(Json::as_str).map(str::to_owned)
    }

    /// Returns whether the server agrees in `initialize` to a revision that has none.
    fn agrees_to_newest(&self) -> bool {
        self.choices.contains(&ClientChoice::NewestInInitialize)
            && self.named().as_deref() == Some(Revision::NEWEST.as_str())
    }
}

/// Other sessions that are open at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Company {
    Others,
    None,
}

/// The style of a client of an era that makes these choices.
fn style(choices: &[ClientChoice], era: Era) -> RequestStyle {
    let mut style = RequestStyle::default();
    let mut declared = Vec::new();
    for choice in choices {
        match choice {
            ClientChoice::NewestInInitialize => style.asks_for = Some(Revision::NEWEST.as_str()),
            ClientChoice::UnknownRevision => style.asks_for = Some(UNKNOWN_REVISION),
            ClientChoice::HeaderOnInitialize => {
                style.asks_for = Some(Revision::NEWEST_LEGACY.as_str());
                style.names_revision_at_once = true;
            }
            ClientChoice::StringIds => style.has_string_ids = true,
            ClientChoice::TitleBeyondAscii => style.client_info = TITLED,
            ClientChoice::Capability(capability) => declared.push(*capability),
        }
    }
    style.capabilities = match (&declared[..], era) {
        ([], _) => style.capabilities,
        ([one], _) => one.declared(),
        (_, Era::Legacy) => LEGACY_CAPABILITIES,
        (_, Era::Modern) => MODERN_CAPABILITIES,
    };
    style
}

/// The choices of every request, whatever the revision.
fn of_requests() -> Vec<ClientChoice> {
    let capabilities = ClientCapability::ALL.map(ClientChoice::Capability);
    [ClientChoice::StringIds, ClientChoice::TitleBeyondAscii].into_iter().chain(capabilities).collect()
}

/// Parts of choices that were refused together, the most telling first; none if there is only one.
fn parts(choices: &[ClientChoice]) -> Vec<Vec<ClientChoice>> {
    match choices {
        [] | [_] => Vec::new(),
        [version @ ClientChoice::NewestInInitialize, others @ ..] => vec![vec![*version], others.to_vec()],
        several => several.iter().map(|one| vec![*one]).collect(),
    }
}

impl ServerProbe {
    /// Opens sessions as real clients do, at the eras that the server was found to speak.
    ///
    /// # Errors
    /// When the server cannot be started.
    pub async fn in_styles(&self, probed: &ProbedServer) -> Result<Vec<StyledSession>, ProbeError> {
        // Sessions of a server that answers on another stream may take each other's answers.
        if self.listens() {
            return Ok(Vec::new());
        }
        // The newest revision at which the plain client gets a list: what fails there is the style's doing.
        let newest = |era: Era| {
            let listed = probed.spoken.iter().filter(|session| session.listed).map(|session| session.revision);
            listed.filter(|revision| revision.era() == era).max()
        };
        let (legacy, modern) = (newest(Era::Legacy), newest(Era::Modern));
        let together = |version: Option<ClientChoice>| version.into_iter().chain(of_requests()).collect::<Vec<_>>();
        let mut asked: Vec<(Revision, Vec<ClientChoice>)> = Vec::new();
        if let Some(revision) = legacy {
            asked.push((revision, together(Some(ClientChoice::NewestInInitialize))));
        }
        if let Some(revision) = modern {
            asked.push((revision, together(None)));
            asked.push((revision, vec![ClientChoice::UnknownRevision]));
        }
        if let Some(revision) = legacy.filter(|_| matches!(self.target(), Target::Url { .. })) {
            asked.push((revision, vec![ClientChoice::HeaderOnInitialize]));
        }
        // A server that does not know 2026-07-28 either has shown by it what it does, unless it agrees to it.
        if let Some(revision) = legacy.filter(|_| modern.is_some()) {
            asked.push((revision, vec![ClientChoice::UnknownRevision]));
        }
        let mut found = Vec::new();
        match self.target() {
            Target::Command(_) => {
                let sessions = asked.iter().map(|(at, choices)| self.styled(*at, choices, Company::Others));
                for (session, (at, choices)) in join_all(sessions).await.into_iter().zip(&asked) {
                    let session = session?;
                    // Sessions side by side may have disturbed each other. An unknown revision is always refused.
                    let is_doubtful = session.had_no_time || (session.refused.is_some() && !session.is_meant_to_fail());
                    let is_repeated = is_doubtful && !self.is_late();
                    found.push(if is_repeated { self.styled(*at, choices, Company::None).await? } else { session });
                }
            }
            Target::Url { .. } | Target::Connect(_) => {
                for (at, choices) in &asked {
                    let session = self.styled(*at, choices, Company::None).await?;
                    // What is refused together is asked apart. What is refused alone may be chance.
                    let is_doubtful = choices.len() == 1 && session.refused.is_some() && !session.is_meant_to_fail();
                    let is_repeated = is_doubtful && !self.is_late();
                    found.push(if is_repeated { self.styled(*at, choices, Company::None).await? } else { session });
                }
            }
        }
        let mut all = Vec::new();
        while let Some(session) = found.pop() {
            if session.refused.is_some() && !self.is_late() {
                for choices in parts(&session.choices) {
                    let Some(at) = newest(session.era()) else { continue };
                    found.push(self.styled(at, &choices, Company::None).await?);
                }
            }
            // Whoever agrees to it may agree to anything.
            let asks_unknown = |(at, choices): &(Revision, Vec<ClientChoice>)| {
                at.era() == Era::Legacy && choices[..] == [ClientChoice::UnknownRevision]
            };
            if session.agrees_to_newest()
                && let Some(at) = legacy
                && !self.is_late()
                && !asked.iter().any(asks_unknown)
            {
                asked.push((at, vec![ClientChoice::UnknownRevision]));
                found.push(self.styled(at, &[ClientChoice::UnknownRevision], Company::None).await?);
            }
            all.push(session);
        }
        Ok(all)
    }

    async fn styled(
        &self,
        revision: Revision,
        choices: &[ClientChoice],
        company: Company,
    ) -> Result<StyledSession, ProbeError> {
        let era = revision.era();
        // The server may choose another revision of the era, but none at which it lists nothing.
        let is_offered = |offered: &Revision| offered.era() == era && *offered <= revision;
        let revisions = Revision::ALL.into_iter().filter(is_offered).collect();
        let style = RequestStyle { listens: era == Era::Legacy, ..style(choices, era) };
        let spec = ClientSpec { revisions, style, ..probe_client(revision) };
        let (steps, time) = (self.steps(era, choices), self.connect_time());
        let attempt = match company {
            Company::Others => self.attempt_as(spec, revision, &steps, time).await?,
            Company::None => self.attempt_alone_as(spec, revision, &steps, time).await?,
        };
        Ok(StyledSession::new(choices, attempt))
    }

    /// A list; over HTTP in the modern era also the call of a tool whose name a header has to encode.
    fn steps(&self, era: Era, choices: &[ClientChoice]) -> Vec<JobStep> {
        let mut steps = list_only();
        let is_encoded = era == Era::Modern && choices.contains(&ClientChoice::TitleBeyondAscii);
        if is_encoded && matches!(self.target(), Target::Url { .. }) {
            let arguments = RawValue::from_string("{}".to_owned());
            steps.extend(arguments.ok().map(|arguments| JobStep::call(TOOL_BEYOND_ASCII, arguments)));
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_capabilities_together_are_those_alone() {
        let together = Json::parse(LEGACY_CAPABILITIES).unwrap();
        for capability in ClientCapability::ALL {
            let alone = Json::parse(capability.declared()).unwrap();
            for (key, value) in alone.as_object().unwrap().iter() {
                assert_eq!(together.get(key.as_str().unwrap()), Some(value));
            }
        }
        assert_eq!(together.as_object().unwrap().len(), ClientCapability::ALL.len());
    }

    #[test]
    fn what_was_refused_together_is_asked_apart_until_it_is_one() {
        let all: Vec<ClientChoice> = [ClientChoice::NewestInInitialize].into_iter().chain(of_requests()).collect();
        assert_eq!(parts(&all), [vec![ClientChoice::NewestInInitialize], of_requests()]);
        assert_eq!(parts(&of_requests()).len(), of_requests().len());
        assert_eq!(parts(&[ClientChoice::StringIds]), Vec::<Vec<ClientChoice>>::new());
    }
}
