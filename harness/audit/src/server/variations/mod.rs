//! Variations of what clients send, one after the other in one session: ids, optional members, notifications, headers,
//! spellings of arguments. Each is legal, and some released client sends it.
//!
//! ```text
//! rows ──────────┐
//! called tools ──┼─ Trial: asked, and asked again if the answer is not the one that is due ─> findings
//! HTTP session ──┘
//! ```
//!
//! Only tools that the audit calls twice anyway are called, and one that no server has.

mod calls;
mod http_session;
mod missing_argument;
mod names;
mod reply;
mod rows;
pub(super) mod rules;

use std::collections::BTreeMap;
use std::time::Duration;

use mcp_compat_json::Json;
use mcp_compat_model::audit::{AuditFinding, Severity};
use mcp_compat_model::excerpt::excerpt;
use mcp_compat_model::{Era, Revision, Transport};
use tokio::time::Instant;

use super::audit_rule::AuditRule;
use super::observed::ObservedServer;
use super::session_rules::CAPABILITIES_ARE_ACCEPTED;
use crate::probe::{Conversation, Form, Opening, ProbeError, Received, Reply, Sent, ServerProbe};
use reply::problem;
use rows::{ANSWERED, Due, Variation, When, rows};
use rules::{
    ARGUMENTS_ARE_UTF_8, BATCHES_ARE_TAKEN, EARLY_REQUESTS_ARE_SURVIVED, ENDS_WITH_ITS_INPUT,
    LARGE_REQUESTS_ARE_ANSWERED, LINES_MAY_END_WITH_CRLF, NOTIFICATIONS_ARE_ACCEPTED, NOTIFICATIONS_ARE_NOT_ANSWERED,
    REQUEST_IDS_ARE_RETURNED, REQUESTS_AT_ONCE_ARE_ANSWERED, UNLISTED_TOOL_IS_REFUSED,
};

/// Most times that a session is opened again after a message that was not answered.
const MOST_SESSIONS: usize = 6;

/// Bytes of the text of a large request. Reports: mvanhorn/printing-press-library#371, supercorp-ai/supergateway#163.
const LARGE: usize = 200_000;

/// Time after which no further variation is sent.
const BUDGET: Duration = Duration::from_secs(20);

/// Findings by tool; those of no tool are about the server as a whole.
pub(super) type Found = BTreeMap<Option<String>, Vec<AuditFinding>>;

/// Sends all variations to a server that was listed.
///
/// # Errors
/// When the server cannot be started any more.
pub(super) async fn find(probe: &ServerProbe, observed: &ObservedServer) -> Result<Found, ProbeError> {
    let mut found = Found::new();
    let listed = || observed.probed.spoken.iter().filter(|session| session.listed && session.cut.is_none());
    let legacy = listed().rfind(|session| session.revision.era() == Era::Legacy);
    // Answers on another stream may be those of another session.
    let Some(session) = legacy.or_else(|| listed().next_back()).filter(|_| !probe.listens()) else { return Ok(found) };
    let (trial, opening) = Trial::open(probe, session.revision).await?;
    found.entry(None).or_default().extend(opening);
    let Some(mut trial) = trial else { return Ok(found) };
    let general = trial.messages(observed).await?;
    found.entry(None).or_default().extend(general);
    calls::try_calls(&mut trial, observed, &mut found).await?;
    let is_told = found.values().flatten().any(|finding| AuditRule::of(finding) == Some(&ARGUMENTS_ARE_UTF_8));
    let general = found.entry(None).or_default();
    if !is_told {
        general.extend(trial.name_beyond_ascii().await?);
    }
    general.extend(trial.large().await?);
    general.extend(trial.carriage_return(observed.probed.transport).await?);
    general.extend(trial.batch(observed.probed.transport).await?);
    match observed.probed.transport {
        Transport::Http => {
            // Over HTTP, each request has a response of its own.
            let on_own = |finding| AuditFinding { remedy: OWN_RESPONSE.to_owned(), ..finding };
            general.extend(trial.together().await?.map(on_own));
            general.extend(http_session::findings(&mut trial).await?);
        }
        Transport::Stdio => {
            general.extend(trial.together().await?);
            general.extend(trial.end().await);
        }
        Transport::Memory => general.extend(trial.together().await?),
    }
    Ok(found)
}

/// Remedy for requests at once over HTTP.
const OWN_RESPONSE: &str =
    "answer each POST in its own response: with JSON, or with an event stream that ends after the answer";

/// Time in which a program may end once its input is closed, at first and where it did not.
const END: Duration = Duration::from_secs(3);
const END_AGAIN: Duration = Duration::from_secs(10);

/// A session in which variations are sent.
struct Trial<'p> {
    probe: &'p ServerProbe,
    conversation: Conversation<'p>,
    revision: Revision,
    opening: Opening,
    /// Number of sessions that were opened.
    sessions: usize,
    until: Instant,
    /// True if the last message was not answered: it may have stopped the server.
    is_doubtful: bool,
    capabilities: Json,
    /// Answer to `notifications/initialized`, as JSON text.
    told: Option<String>,
}

impl<'p> Trial<'p> {
    /// Opens the session, in the fullest form that the server takes. No session if it takes none: then another rule tells
    /// why.
    async fn open(probe: &'p ServerProbe, revision: Revision) -> Result<(Option<Self>, Vec<AuditFinding>), ProbeError> {
        if revision.era() == Era::Modern {
            return Self::open_with(probe, revision, None).await;
        }
        let early = Sent::request("900", "tools/list", Some(""));
        let (trial, findings) = Self::open_with(probe, revision, Some(&early)).await?;
        if trial.is_some() {
            return Ok((trial, findings));
        }
        let (trial, mut findings) = Self::open_with(probe, revision, None).await?;
        // A third session shows that it was no chance.
        if trial.is_some() && Self::open_with(probe, revision, Some(&early)).await?.0.is_none() {
            findings.push(early_request(revision));
        }
        Ok((trial, findings))
    }

    /// Opens the session, with a request before `notifications/initialized`.
    async fn open_with(
        probe: &'p ServerProbe,
        revision: Revision,
        early: Option<&Sent>,
    ) -> Result<(Option<Self>, Vec<AuditFinding>), ProbeError> {
        let (mut refusal, mut opened) = (None, None);
        for opening in [Opening::Full, Opening::FromOne, Opening::Plain] {
            let conversation = probe.converse_early(revision, opening, early).await?;
            if revision.era() == Era::Modern || conversation.opened.is_some() {
                opened = Some((conversation, opening));
                break;
            }
            let answer = conversation.opening.first();
            refusal = refusal.or(answer.and_then(|answer| problem(Due::Result, answer, Some("0"))));
        }
        let Some((conversation, opening)) = opened else { return Ok((None, Vec::new())) };
        let finding = refusal.and_then(|did| refused_opening(opening, &did, revision));
        let capabilities = conversation.opened.as_ref().and_then(|result| result.get("capabilities")).cloned();
        let capabilities = capabilities.unwrap_or(Json::Null);
        let until = Instant::now() + BUDGET;
        let mut told = conversation.opening.iter().flat_map(|received| &received.without_id).next().cloned();
        let mut trial = Self {
            probe,
            conversation,
            revision,
            opening,
            sessions: 1,
            until,
            is_doubtful: false,
            capabilities,
            told: None,
        };
        let plain = trial.ask(&Sent::request("1000", "tools/list", Some(""))).await?;
        // Over a stream it comes before the first answer.
        told = told.or(plain.without_id.first().cloned());
        trial.told = told;
        if revision.era() == Era::Modern {
            let discovered = trial.ask(&Sent::request("999", "server/discover", Some(""))).await?;
            if let Reply::Result(result) = discovered.reply {
                trial.capabilities = result.get("capabilities").cloned().unwrap_or(Json::Null);
            }
        }
        Ok((matches!(plain.reply, Reply::Result(_)).then_some(trial), finding.into_iter().collect()))
    }

    fn is_over(&self) -> bool {
        self.sessions >= MOST_SESSIONS || Instant::now() >= self.until || self.probe.is_late()
    }

    /// Sends a message, in a new session if the last one was not answered.
    async fn ask(&mut self, sent: &Sent) -> Result<Received, ProbeError> {
        if self.is_doubtful {
            self.conversation = self.probe.converse(self.revision, self.opening).await?;
            self.sessions += 1;
        }
        let received = self.conversation.ask(sent).await;
        self.is_doubtful =
            sent.id.is_some() && matches!(received.reply, Reply::Nothing | Reply::Ended | Reply::OtherId(_));
        Ok(received)
    }

    /// Sends the rows of the table.
    async fn messages(&mut self, observed: &ObservedServer) -> Result<Vec<AuditFinding>, ProbeError> {
        let mut found = Vec::new();
        found.extend(self.told_of_opening());
        let mut pings = false;
        for row in rows().filter(|row| row.header.is_none() || observed.probed.transport == Transport::Http) {
            if self.is_over() {
                break;
            }
            // It was told of `initialize`.
            let is_known = row.id == Some("0") && self.opening != Opening::Full;
            let is_left = row.when == When::Pings && !pings;
            if is_known || is_left || !self.concerns(row, observed) {
                continue;
            }
            let sent = row.sent(pings);
            let did = self.tried(row, &sent).await?;
            pings |= row.when == When::Legacy && row.method == "ping" && did.is_none();
            // What went wrong once may be chance.
            if let Some(first) = did
                && !self.is_over()
                && self.tried(row, &sent).await?.is_some()
            {
                add(&mut found, finding(row, &first, self.revision));
            }
        }
        Ok(found)
    }

    /// Sends a row. Returns what the server did, if it is not what is due.
    async fn tried(&mut self, row: &Variation, sent: &Sent) -> Result<Option<Did>, ProbeError> {
        let mut received = self.ask(sent).await?;
        if row.due == Due::Silence {
            let next = self.ask(&Sent::request("1002", "tools/list", Some(""))).await?;
            received.without_id.extend(next.without_id);
            if matches!(next.reply, Reply::Nothing | Reply::Ended) {
                received.reply = Reply::Ended;
            }
        }
        Ok(problem(row.due, &received, sent.id.as_deref()))
    }

    fn concerns(&self, row: &Variation, observed: &ObservedServer) -> bool {
        let declares = |key: &str| self.capabilities.get(key).is_some_and(|value| value.as_object().is_some());
        let is_legacy = self.revision.era() == Era::Legacy;
        match row.when {
            When::Always | When::Pings => true,
            When::Legacy => is_legacy,
            When::Declared(key) => declares(key),
            When::LegacyDeclared(key) => is_legacy && declares(key),
            When::Undeclared(key) => !declares(key),
            When::KnowsRevisionWithoutHeader => {
                let knows_older = observed.probed.revisions().any(|revision| revision == Revision::V2025_03_26);
                is_legacy && knows_older && self.revision > Revision::V2025_03_26
            }
        }
    }

    /// An answer to `notifications/initialized`.
    fn told_of_opening(&self) -> Option<AuditFinding> {
        Some(answered("`notifications/initialized`", self.told.as_ref()?, self.revision))
    }

    /// A request that is larger than what readers of lines and bodies take by default.
    async fn large(&mut self) -> Result<Option<AuditFinding>, ProbeError> {
        let text = Json::from("x".repeat(LARGE)).to_compact();
        let sent = Sent::request("3000", "tools/list", Some(&format!(r#""_meta":{{"org.example/text":{text}}}"#)));
        let Some(did) = self.unanswered(&sent).await? else { return Ok(None) };
        let detail = format!("a request of {} kB {did}", LARGE / 1_000);
        let finding = LARGE_REQUESTS_ARE_ANSWERED.violated(detail, vec![self.revision]);
        let lost = "every client that sends a file or a long text as an argument: the call, or the session";
        Ok(Some(AuditFinding { lost_elsewhere: Some(lost.to_owned()), ..finding }))
    }

    /// Action of the server in place of an answer to a request, if it did it twice.
    async fn unanswered(&mut self, sent: &Sent) -> Result<Option<&'static str>, ProbeError> {
        let mut did = None;
        for _ in 0..2 {
            if self.is_over() {
                return Ok(None);
            }
            did = match self.ask(sent).await?.reply {
                Reply::Nothing => Some("is not answered"),
                Reply::Ended => Some("ends the server"),
                Reply::Result(_) | Reply::Error { .. } | Reply::OtherId(_) | Reply::Status(..) => return Ok(None),
            };
        }
        Ok(did)
    }

    /// A line that ends with CR LF: the first character is white space of JSON.
    async fn carriage_return(&mut self, transport: Transport) -> Result<Option<AuditFinding>, ProbeError> {
        if transport != Transport::Stdio {
            return Ok(None);
        }
        let sent = Sent::request("3003", "tools/list", Some("")).in_form(Form::CrLf);
        let Some(did) = self.unanswered(&sent).await? else { return Ok(None) };
        let detail = format!("a line that ends with CR LF, and not with LF alone, {did}");
        let finding = LINES_MAY_END_WITH_CRLF.violated(detail, vec![self.revision]);
        // Report: stackql/stackql#668.
        let lost = "clients that write in text mode on Windows, and tools by hand: the session";
        Ok(Some(AuditFinding { lost_elsewhere: Some(lost.to_owned()), ..finding }))
    }

    /// A request in an array, at the one revision that has batches.
    async fn batch(&mut self, transport: Transport) -> Result<Option<AuditFinding>, ProbeError> {
        if transport != Transport::Http || self.revision != Revision::V2025_03_26 || self.is_over() {
            return Ok(None);
        }
        let sent = Sent::request("3004", "tools/list", Some("")).in_form(Form::Batch);
        let received = self.ask(&sent).await?;
        self.is_doubtful = false;
        let Some(status) = received.status.filter(|status| *status >= 400) else { return Ok(None) };
        let detail = format!("an array of requests (a batch) is answered with HTTP status {status}");
        let finding = BATCHES_ARE_TAKEN.violated(detail, vec![self.revision]);
        // Report: modelcontextprotocol/python-sdk#934.
        let lost = "clients that send batches, which no SDK that was tested does: the calls in them";
        Ok(Some(AuditFinding { lost_elsewhere: Some(lost.to_owned()), ..finding }))
    }

    /// Two requests without waiting for an answer: in one write, or over HTTP side by side.
    async fn together(&mut self) -> Result<Option<AuditFinding>, ProbeError> {
        let mut are_swapped = false;
        for attempt in 0..2 {
            if self.is_over() {
                return Ok(None);
            }
            if self.is_doubtful || attempt > 0 {
                self.conversation = self.probe.converse(self.revision, self.opening).await?;
                self.sessions += 1;
                self.is_doubtful = false;
            }
            let both = ["3001", "3002"].map(|id| Sent::request(id, "tools/list", Some("")));
            let answers = self.conversation.ask_together([&both[0], &both[1]]).await;
            let is_answered = |reply: &Reply| !matches!(reply, Reply::Nothing | Reply::OtherId(_));
            if answers.iter().all(is_answered) {
                return Ok(None);
            }
            are_swapped = answers.iter().any(|reply| matches!(reply, Reply::OtherId(_)));
        }
        self.is_doubtful = true;
        let detail = if are_swapped {
            "of two requests that are sent at once, one gets the answer to the other"
        } else {
            "of two requests that are sent at once, the server does not answer both"
        };
        let finding = REQUESTS_AT_ONCE_ARE_ANSWERED.violated(detail.to_owned(), vec![self.revision]);
        let lost = "hosts with several open requests, which list tools, resources and prompts at once or call several tools: the \
                    session or the calls";
        Ok(Some(AuditFinding { lost_elsewhere: Some(lost.to_owned()), ..finding }))
    }

    /// Closes the input of a program.
    async fn end(self) -> Option<AuditFinding> {
        // A second session shows that it was no chance.
        let Self { probe, conversation, revision, opening, .. } = self;
        if conversation.ends_with_its_input(END).await? {
            return None;
        }
        let again = probe.converse(revision, opening).await.ok()?;
        if again.ends_with_its_input(END_AGAIN).await? {
            return None;
        }
        let detail = "the server goes on for more than 10 seconds after its input was closed";
        let lost = "hosts that end without a signal to the server, such as Claude Code when its window is closed: memory, for \
                    as long as the process goes on";
        let finding = ENDS_WITH_ITS_INPUT.violated(detail.to_owned(), vec![revision]);
        Some(AuditFinding { lost_elsewhere: Some(lost.to_owned()), ..finding })
    }
}

/// Action of a server in place of the one that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Did {
    /// Predicate of a sentence about what was sent.
    words: String,
    /// Answer, as JSON text.
    wire: Option<String>,
    /// True if clients cannot go on.
    is_fatal: bool,
    /// True if the session is over.
    has_ended: bool,
}

/// The finding about an `initialize` that was refused in a fuller form than this one.
fn refused_opening(opening: Opening, did: &Did, revision: Revision) -> Option<AuditFinding> {
    let (rule, what, lost) = match opening {
        Opening::Full => return None,
        Opening::FromOne => (
            &REQUEST_IDS_ARE_RETURNED,
            "`initialize` with the id 0",
            "the TypeScript and Python SDKs, whose first id is 0: the session",
        ),
        Opening::Plain => (
            &CAPABILITIES_ARE_ACCEPTED,
            "`initialize` of a client that gives a title, an address and an icon in `clientInfo`",
            "hosts that give them: the session",
        ),
    };
    let finding = AuditFinding {
        lost_elsewhere: Some(lost.to_owned()),
        ..rule.violated(format!("{what} {}", did.words), vec![revision])
    };
    if opening != Opening::Plain {
        return Some(finding);
    }
    // TypeScript SDK 1.18.0 takes `sizes` of an icon for a text, and refuses the list that later revisions have.
    let remedy =
        "accept members of `clientInfo` that newer revisions define; where the server's SDK refuses them, update it";
    Some(AuditFinding { severity: Severity::Warning, remedy: remedy.to_owned(), ..finding })
}

/// The finding about a request that costs the session where it comes before `notifications/initialized`.
fn early_request(revision: Revision) -> AuditFinding {
    let detail = "a request between the answer to `initialize` and `notifications/initialized` (`tools/list`) ends the session: \
                  no later request is served";
    let finding = EARLY_REQUESTS_ARE_SURVIVED.violated(detail.to_owned(), vec![revision]);
    // Report: Regsorm/code-index-mcp#9, modelcontextprotocol/rust-sdk#613.
    let lost = "Antigravity, which sends `server/discover` there, and VS Code, which sends `logging/setLevel`: the session, \
                often without an error";
    AuditFinding { lost_elsewhere: Some(lost.to_owned()), ..finding }
}

fn answered(what: &str, answer: &str, revision: Revision) -> AuditFinding {
    let detail = format!("{what} is answered, though it is a notification: {answer}");
    let finding = NOTIFICATIONS_ARE_NOT_ANSWERED.violated(detail, vec![revision]);
    AuditFinding { lost_elsewhere: Some(ANSWERED.to_owned()), wire: Some(answer.to_owned()), ..finding }
}

fn finding(row: &Variation, did: &Did, revision: Revision) -> AuditFinding {
    let detail = format!("{} {}", row.what, did.words);
    if row.due == Due::Silence && !did.is_fatal {
        let finding = NOTIFICATIONS_ARE_ACCEPTED.violated(detail, vec![revision]);
        let lost =
            "clients on the TypeScript SDK and rmcp: nothing but an error in the log, if it is not `initialized`";
        return AuditFinding { severity: Severity::Warning, lost_elsewhere: Some(lost.to_owned()), ..finding };
    }
    let mut finding = row.rule.violated(detail, vec![revision]);
    finding.wire.clone_from(&did.wire);
    finding.returned = did.wire.as_deref().filter(|_| row.due == Due::Error).map(excerpt);
    let stops = row.due == Due::Silence && did.wire.is_none();
    let is_of_unlisted = *row.rule == UNLISTED_TOOL_IS_REFUSED;
    let lost = match (stops, is_of_unlisted) {
        (true, _) => "clients that send it: the session",
        (false, true) if did.has_ended => "every client that calls a tool which is gone or misspelt: the session",
        (false, true) if did.is_fatal => "every client that calls a tool which is gone or misspelt: why it failed",
        (false, _) => row.lost,
    };
    finding.lost_elsewhere = Some(lost.to_owned());
    let is_refusal = is_of_unlisted || row.due != Due::Error;
    // A result in place of an error stops nobody.
    if !did.is_fatal && !is_refusal {
        finding.severity = Severity::Note;
    }
    finding
}

/// Adds a finding. The variations of one rule are one finding.
fn add(findings: &mut Vec<AuditFinding>, finding: AuditFinding) {
    match findings.iter_mut().find(|known| known.rule == finding.rule) {
        Some(known) if AuditRule::of(known) == Some(&NOTIFICATIONS_ARE_NOT_ANSWERED) => {
            known.severity = known.severity.max(finding.severity);
        }
        Some(known) => {
            known.severity = known.severity.max(finding.severity);
            known.detail = format!("{}; {}", known.detail, finding.detail);
            let is_new = known.lost_elsewhere != finding.lost_elsewhere;
            let is_of_ids = AuditRule::of(known) == Some(&REQUEST_IDS_ARE_RETURNED);
            if let (Some(all), Some(more), true) =
                (&mut known.lost_elsewhere, finding.lost_elsewhere, is_new || is_of_ids)
                && !all.contains(&more)
            {
                *all = format!("{all}; {more}");
            }
        }
        None => findings.push(finding),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opening_that_is_refused_for_its_members_advises_to_update_the_sdk() {
        let did =
            Did { words: "is answered with error -32602".to_owned(), wire: None, is_fatal: true, has_ended: false };
        let found = |opening| refused_opening(opening, &did, Revision::V2025_11_25);
        assert_eq!(found(Opening::Full), None);
        let of_id = found(Opening::FromOne).unwrap();
        assert_eq!((of_id.severity, of_id.remedy.as_str()), (Severity::Error, REQUEST_IDS_ARE_RETURNED.remedy));
        let of_members = found(Opening::Plain).unwrap();
        assert_eq!(of_members.severity, Severity::Warning);
        assert!(of_members.remedy.ends_with("where the server's SDK refuses them, update it"), "{}", of_members.remedy);
    }
}
