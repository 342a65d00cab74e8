//! Servers from which clients of a revision get no tools at all: no session opens, or no list comes.
//!
//! ```text
//! sessions without a list ─ rule of the judge that explains it, or a rule of the audit ─> Outage by revision
//!                                                                                        └─> losses of its clients
//! ```

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_judge::rules::{self, Rule};
use mcp_compat_judge::wire::exchange::{Answer, exchanges, is_retyped};
use mcp_compat_judge::wire::message::messages;
use mcp_compat_judge::wire::session::UNSUPPORTED_VERSION;
use mcp_compat_model::audit::{AuditFinding, Loss};
use mcp_compat_model::excerpt::quoted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::peer::PeerKind;
use mcp_compat_model::transcript::Start;
use mcp_compat_model::verdict::{BlastRadius, Fault, Outcome, Rating};
use mcp_compat_model::{Era, PeerId, Revision};
use mcp_compat_run::peer::ClientPeer;

use super::audit_rule::INITIALIZE_IS_ANSWERED;
use super::findings::{ByTool, bounded, of_rule};
use super::replay::spoken_with;
use super::session_results::SessionResults;
use super::session_rules::{
    DECLARED_TOOLS_ARE_LISTED, LIST_IS_ANSWERED, OFFERED_REVISION_IS_SERVED, REVISION_IS_NEGOTIATED,
};
use super::variations::rules::{
    FLUSHES_ITS_OUTPUT, INITIALIZE_NEEDS_NO_HEADER, MESSAGES_ARE_LINES, NOTIFICATIONS_ARE_ACCEPTED,
    OWN_SESSION_IS_KNOWN,
};
use crate::probe::{Demand, ForgottenSession, Obstacle, ProbeSession, ProbedServer};

/// The JSON-RPC code of a method that the server does not have.
const METHOD_NOT_FOUND: i64 = -32601;

/// The JSON-RPC code of a message that is no JSON.
const PARSE_ERROR: i64 = -32700;

/// Loss of the clients of a revision, and the rule whose violation is the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outage {
    rule: String,
    loses: BlastRadius,
    /// Sentence that says what the server did.
    reason: String,
    /// True if the answers come under ids of another type, which some SDKs take.
    is_retyped: bool,
    /// True if clients see no error.
    is_silent: bool,
}

/// The outages of a server, by revision.
#[derive(Clone, Debug, Default)]
pub(super) struct Outages(BTreeMap<Revision, Outage>);

/// Answer to the request that opens a session or lists the tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    /// A JSON-RPC error, with its code.
    Error(Option<i64>),
    Result,
    Unreadable,
    /// No answer to the request, though the server answered something that was not asked.
    AnotherId,
    /// An answer under the id of the request in another type, such as `"1"` for `1`.
    RetypedId,
    Nothing,
}

impl Refusal {
    /// Answer to the last request of one of these methods; `None` if there was no such request.
    fn in_session(session: &ProbeSession, methods: &[&str]) -> Option<Self> {
        let messages = messages(&session.transcript);
        let exchanges = exchanges(&messages, &session.transcript);
        let is_asked = |at: usize| messages[at].method().is_some_and(|method| methods.contains(&method));
        let last = exchanges.all.iter().rev().find(|exchange| is_asked(exchange.request))?;
        let is_other = |at: usize| {
            let ids = messages[last.request].id().zip(messages[at].id());
            ids.is_some_and(|(asked, sent)| is_retyped(sent, asked))
        };
        Some(match last.answer {
            Answer::Error(at) | Answer::Result(at) if messages[at].defect.is_some() => Self::Unreadable,
            Answer::Error(at) | Answer::Result(at) if is_other(at) => Self::RetypedId,
            Answer::Error(at) => Self::Error(messages[at].error_code()),
            Answer::Result(_) => Self::Result,
            Answer::Unreadable(_) => Self::Unreadable,
            Answer::None if !exchanges.strays.is_empty() => Self::AnotherId,
            Answer::None | Answer::Status { .. } => Self::Nothing,
        })
    }

    /// Returns whether the server says by it that it does not serve the revision.
    const fn is_of_revision(self) -> bool {
        matches!(self, Self::Error(Some(METHOD_NOT_FOUND | UNSUPPORTED_VERSION)))
    }

    /// The rules of the specification that forbid it.
    fn rules(self) -> Vec<&'static Rule> {
        match self {
            Self::Error(_) => vec![&rules::TOOLS_LIST_ANSWERED],
            Self::Result => vec![
                &rules::CURSOR_ADVANCES,
                &rules::TOOLS_LIST_SHAPE,
                &rules::INITIALIZE_MEMBERS,
                &rules::DISCOVER_MEMBERS,
            ],
            Self::Unreadable => vec![&rules::SERVER_SPEAKS_JSON_RPC],
            Self::AnotherId | Self::RetypedId => vec![&rules::RESPONSE_MATCHES_REQUEST],
            Self::Nothing => vec![&rules::HTTP_ANSWER_TYPE, &rules::HTTP_ANSWER_ON_OWN_STREAM],
        }
    }
}

impl Outages {
    /// Finds the revisions at which nobody gets a list. Adds findings where no rule of the specification explains it.
    pub(super) fn find(probed: &ProbedServer, findings: &mut Vec<AuditFinding>) -> Self {
        let mut outages = Self::default();
        if probed.spoken.is_empty() {
            outages.without_session(probed, findings);
        } else if probed.spoken.iter().all(ProbeSession::owes_tools) {
            outages.empty_lists(probed, findings);
        } else {
            outages.without_list(probed, findings);
        }
        outages
    }

    pub(super) fn at(&self, revision: Revision) -> Option<&Outage> {
        self.0.get(&revision)
    }

    fn without_session(&mut self, probed: &ProbedServer, findings: &mut Vec<AuditFinding>) {
        let why = |at: Revision| probed.refused.iter().find(|refused| refused.revision == at);
        for session in &probed.unopened {
            let revision = session.revision;
            let Some(refused) = why(revision) else { continue };
            let Some(refusal) = Refusal::in_session(session, &["initialize", "server/discover"]) else { continue };
            tell_all_that_is_missing(session, findings);
            let demanded = probed.demand.as_ref().filter(|_| revision.era() == Era::Legacy);
            let refused_told = if refusal == Refusal::Result { refused_notification(session) } else { None };
            let untaken = if refusal == Refusal::Result { untaken(session) } else { None };
            let rule = match explained(refusal, revision, findings) {
                _ if demanded.is_some() => match demanded.map(|demand| wanted(demand, &refused.why, revision)) {
                    Some(finding) => add(findings, finding),
                    None => continue,
                },
                Some(rule) => rule,
                None if refused_told.is_some() => {
                    let status = refused_told.unwrap_or_default();
                    let detail =
                        format!("`notifications/initialized` is answered with HTTP status {status}, where 202 is due");
                    add(findings, NOTIFICATIONS_ARE_ACCEPTED.violated(detail, vec![revision]))
                }
                // A server need not speak the modern era.
                None if revision.era() == Era::Modern => continue,
                None if untaken.is_some() => match untaken {
                    Some(finding) => add(findings, finding),
                    None => continue,
                },
                None => {
                    let why = neutralised(&refused.why);
                    let detail = format!("no session opens: {}", why.trim_end_matches('.'));
                    let finding = INITIALIZE_IS_ANSWERED.violated(detail, vec![revision]);
                    add(findings, if is_unread(session) { of_unread(finding) } else { finding })
                }
            };
            let reason = format!("no session opens at {revision}: {}", neutralised(&refused.why));
            let is_retyped = refusal == Refusal::RetypedId;
            self.0.insert(revision, Outage { is_retyped, ..Outage::new(rule, BlastRadius::Session, reason) });
        }
    }

    fn empty_lists(&mut self, probed: &ProbedServer, findings: &mut Vec<AuditFinding>) {
        let detail = "the server declares `tools` alone, and its list is empty: clients show a server without tools, and no error";
        let rule = add(findings, DECLARED_TOOLS_ARE_LISTED.violated(detail.to_owned(), probed.revisions().collect()));
        for revision in probed.revisions() {
            let reason = format!("at {revision} the list of tools is empty");
            let outage = Outage { is_silent: true, ..Outage::new(rule.clone(), BlastRadius::Server, reason) };
            self.0.insert(revision, outage);
        }
    }

    fn without_list(&mut self, probed: &ProbedServer, findings: &mut Vec<AuditFinding>) {
        let is_elsewhere = probed.spoken.iter().any(|session| session.listed);
        for session in &probed.spoken {
            // Sessions that the audit had no time for, or did not read, are reported elsewhere.
            let has_end = session.leads_back.is_none() || !session.tools.is_empty();
            if session.listed && session.has_list() && has_end
                || session.cut_short.is_some()
                || session.not_read.is_some()
            {
                continue;
            }
            let revision = session.revision;
            let refusal = Refusal::in_session(session, &["tools/list"]).unwrap_or(Refusal::Nothing);
            let why = neutralised(session.why_without_tools().trim_end());
            let is_unserved = is_elsewhere && refusal.is_of_revision();
            if is_unserved {
                forget(findings, &rules::TOOLS_LIST_ANSWERED, revision);
            }
            let known = if is_unserved { None } else { explained(refusal, revision, findings) };
            let rule = match known {
                Some(rule) => rule,
                None if session.listed => continue,
                None if is_elsewhere => {
                    let detail = format!("the server offers {revision}, and does not list its tools at it: {why}");
                    add(findings, OFFERED_REVISION_IS_SERVED.violated(detail, vec![revision]))
                }
                None => {
                    let hint = session.obstacle_to_tools().map(Obstacle::next_step).unwrap_or_default();
                    let detail = format!("no tools are listed: {why}. {hint}");
                    let detail = detail.trim_end_matches([' ', '.']).to_owned();
                    add(findings, LIST_IS_ANSWERED.violated(detail, vec![revision]))
                }
            };
            show_error(findings, &rule, session);
            let reason = format!("at {revision} {why}");
            let is_retyped = refusal == Refusal::RetypedId;
            self.0.insert(revision, Outage { is_retyped, ..Outage::new(rule, BlastRadius::Server, reason) });
        }
    }

    /// Losses of clients where no tool is known that they could be counted for.
    pub(super) fn losses(&self, clients: &[ClientPeer]) -> Vec<Loss> {
        let revisions: Vec<Revision> = self.0.keys().copied().collect();
        let lost = clients.iter().filter_map(|client| {
            let revision = spoken_with(client, &revisions)?;
            let outage = self.at(revision).filter(|_| !self.is_kept_by(client.id()))?;
            Some(outage.loss(client, revision))
        });
        lost.collect()
    }

    /// Returns whether a client takes the answers all the same: they come under ids of another type.
    pub(super) fn is_kept_by(&self, client: &PeerId) -> bool {
        takes_retyped_ids(client) && self.0.values().any(|outage| outage.is_retyped)
    }
}

/// Returns whether an SDK matches `"1"` with `1`, as was seen of these: TypeScript 1.12 to 2.4 (`Number(response.id)`), Python
/// 1.28 to 2.3 (`_normalize_request_id`), rmcp 3.9. The Go SDK waits, and ids of the Java SDK are no numbers.
fn takes_retyped_ids(client: &PeerId) -> bool {
    let (PeerKind::Profile { name: family } | PeerKind::Release { family, .. }) = client.kind() else { return false };
    let family = family.split_once('@').map_or(family.as_str(), |(family, _)| family);
    ["typescript", "python", "rmcp"].contains(&family)
}

impl Outage {
    const fn new(rule: String, loses: BlastRadius, reason: String) -> Self {
        Self { rule, loses, reason, is_retyped: false, is_silent: false }
    }

    /// Loss of a client that speaks the revision.
    pub(super) fn loss(&self, client: &ClientPeer, revision: Revision) -> Loss {
        Loss {
            client: client.id().clone(),
            negotiated: (self.loses < BlastRadius::Session).then_some(revision),
            rating: Rating::Breaks,
            outcome: if self.loses == BlastRadius::Session { Outcome::Unreachable } else { Outcome::Lost },
            silent: self.is_silent,
            loses: self.loses,
            fault: Some(Fault::Server),
            signature: None,
            rule: Some(self.rule.clone()),
            reason: format!("{} speaks {revision}, and {}", client.id(), self.reason),
        }
    }
}

/// The rule that explains a refusal at a revision, if its violation was found there. An error in place of a list is one at
/// every revision, though only the newest has a sentence about it; a response that was sent elsewhere may be lost there.
fn explained(refusal: Refusal, revision: Revision, findings: &mut [AuditFinding]) -> Option<String> {
    let is_of = |finding: &AuditFinding, rule: &Rule| rules::find(&finding.rule) == Some(rule);
    for rule in refusal.rules() {
        let Some(finding) = findings.iter_mut().find(|finding| is_of(finding, rule)) else { continue };
        if finding.at.contains(&revision) {
            return Some(finding.rule.clone());
        }
        if matches!(refusal, Refusal::Error(_)) || rule == &rules::HTTP_ANSWER_ON_OWN_STREAM {
            finding.at.push(revision);
            finding.at.sort();
            return Some(finding.rule.clone());
        }
    }
    None
}

/// Removes findings about tools of one name where a list leads back to a page that was read before.
pub(super) fn leave_out_repeated_pages(found: &mut ByTool) {
    let is_of = |finding: &AuditFinding, rule: &Rule| rules::find(&finding.rule) == Some(rule);
    let all = found.values().flatten();
    let back: BTreeSet<Revision> = all
        .filter(|finding| is_of(finding, &rules::CURSOR_ADVANCES))
        .flat_map(|finding| finding.at.iter().copied())
        .collect();
    for findings in found.values_mut() {
        for finding in findings.iter_mut().filter(|finding| is_of(finding, &rules::TOOL_NAMES_UNIQUE)) {
            finding.at.retain(|at| !back.contains(at));
        }
        findings.retain(|finding| !is_of(finding, &rules::TOOL_NAMES_UNIQUE) || !finding.at.is_empty());
    }
}

/// Removes findings about responses to nothing that was asked where responses come on the stream of a GET: they may be
/// those of an earlier session.
pub(super) fn leave_out_late_responses(found: &mut ByTool) {
    let is_of = |finding: &AuditFinding, rule: &Rule| rules::find(&finding.rule) == Some(rule);
    if found.values().flatten().any(|finding| is_of(finding, &rules::HTTP_ANSWER_ON_OWN_STREAM)) {
        let findings = found.values_mut();
        findings.for_each(|some| some.retain(|finding| !is_of(finding, &rules::RESPONSE_MATCHES_REQUEST)));
    }
}

/// The HTTP status with which `notifications/initialized` was refused, if it was.
fn refused_notification(session: &ProbeSession) -> Option<u16> {
    let messages = messages(&session.transcript);
    let told = messages.iter().find(|message| message.method() == Some("notifications/initialized"))?.seq;
    let heads = session.transcript.entries.iter().filter(|entry| entry.seq > told);
    let status = heads.filter_map(|entry| entry.event.head()).find_map(|head| match head.start {
        Start::Response { status } => Some(status),
        Start::Request { .. } => None,
    });
    status.filter(|status| *status >= 400)
}

/// Returns whether `initialize` is answered over HTTP as a message that the server could not parse.
fn is_unread(session: &ProbeSession) -> bool {
    let messages = messages(&session.transcript);
    let exchanges = exchanges(&messages, &session.transcript).all;
    let asked = exchanges.iter().find(|exchange| messages[exchange.request].method() == Some("initialize"));
    let answer = asked.and_then(|exchange| messages.get(exchange.answer.message()?));
    answer.is_some_and(|answer| answer.http.is_some() && answer.error_code() == Some(PARSE_ERROR))
}

/// The finding about a session that does not open, where the server read no request.
fn of_unread(finding: AuditFinding) -> AuditFinding {
    let remedy = "read the body of each POST once and whole, and parse it as a JSON-RPC message: the server answers a request \
                  that is valid as one that it cannot parse. The usual reason is a parser of bodies in front of \
                  the transport, which leaves it nothing to read: give the transport the parsed body, or remove the parser";
    AuditFinding { remedy: remedy.to_owned(), ..finding }
}

/// The finding about a result of `initialize` that is no session: it names no revision of the protocol, or comes as neither
/// JSON nor a stream.
fn untaken(session: &ProbeSession) -> Option<AuditFinding> {
    let messages = messages(&session.transcript);
    let exchanges = exchanges(&messages, &session.transcript).all;
    let asked = exchanges.iter().find(|exchange| messages[exchange.request].method() == Some("initialize"))?;
    let answer = &messages[asked.answer.message()?];
    let at = vec![session.revision];
    let kind = answer.http.map(|head| head.header("content-type").unwrap_or_default());
    let is_read = |kind: &str| ["application/json", "text/event-stream"].iter().any(|known| kind.starts_with(known));
    if let Some(kind) = kind.filter(|kind| !is_read(&kind.to_ascii_lowercase())) {
        let kind =
            if kind.is_empty() { "no Content-Type".to_owned() } else { format!("Content-Type {}", quoted(kind)) };
        return Some(of_rule(&rules::HTTP_ANSWER_TYPE, format!("`initialize` is answered with {kind}"), at));
    }
    let named = answer.result()?.get("protocolVersion")?.as_str()?;
    named.parse::<Revision>().is_err().then(|| {
        let detail = format!("`initialize` is answered with {}, which is no revision of the protocol", quoted(named));
        REVISION_IS_NEGOTIATED.violated(detail, at)
    })
}

/// Adds to the finding about the members of the result of `initialize` that no client would ask for tools either, and
/// removes the finding that it names no revision: that is one of the members.
fn tell_all_that_is_missing(session: &ProbeSession, findings: &mut Vec<AuditFinding>) {
    let messages = messages(&session.transcript);
    let results = SessionResults::new(session, &messages);
    let Some(result) = results.of("initialize").next() else { return };
    let is_it = |finding: &&mut AuditFinding| rules::find(&finding.rule) == Some(&rules::INITIALIZE_MEMBERS);
    let Some(finding) = findings.iter_mut().find(is_it) else { return };
    let is_without_tools = result.get("capabilities").is_some_and(|all| all.get("tools").is_none());
    if is_without_tools && !finding.detail.ends_with(WITHOUT_TOOLS) {
        finding.detail.push_str(WITHOUT_TOOLS);
    }
    if result.get("protocolVersion").is_none() {
        forget(findings, &rules::INITIALIZE_NAMES_A_HANDSHAKE_REVISION, session.revision);
    }
}

const WITHOUT_TOOLS: &str = "; `capabilities` has no `tools`, without which clients ask for none";

/// Adds to a finding of the specification the error that the server sent in place of the list.
fn show_error(findings: &mut [AuditFinding], rule: &str, session: &ProbeSession) {
    let is_it = |finding: &&mut AuditFinding| finding.rule == rule && finding.returned.is_none();
    let Some(finding) = findings.iter_mut().find(is_it).filter(|_| rules::find(rule).is_some()) else { return };
    let messages = messages(&session.transcript);
    let answers = exchanges(&messages, &session.transcript).all;
    let list = answers.iter().rev().find(|exchange| messages[exchange.request].method() == Some("tools/list"));
    let error = list.and_then(|exchange| messages[exchange.answer.message()?].json.get("error"));
    finding.returned = error.map(|error| format!("\"error\": {}", bounded(&error.to_compact())));
}

/// Removes a revision from the finding of a rule.
fn forget(findings: &mut Vec<AuditFinding>, rule: &Rule, revision: Revision) {
    let is_of = |finding: &AuditFinding| rules::find(&finding.rule) == Some(rule);
    findings.iter_mut().filter(|finding| is_of(finding)).for_each(|finding| finding.at.retain(|at| *at != revision));
    findings.retain(|finding| !is_of(finding) || !finding.at.is_empty());
}

/// The finding about what a server wants before it opens a session.
fn wanted(demand: &Demand, why: &str, at: Revision) -> AuditFinding {
    let why = neutralised(why);
    let why = why.trim_end_matches('.');
    match demand {
        Demand::Frames => {
            let detail = "the server answers messages with a `Content-Length` header, as language servers have it, and none \
                          that is a line";
            MESSAGES_ARE_LINES.violated(detail.to_owned(), vec![at])
        }
        Demand::EndOfInput => {
            let detail = "the server answers nothing before the end of its input, and then what it was asked";
            FLUSHES_ITS_OUTPUT.violated(detail.to_owned(), vec![at])
        }
        Demand::OneInstance(forgotten) => OWN_SESSION_IS_KNOWN.violated(forgets(*forgotten), vec![at]),
        Demand::Header { name, value, is_due } => {
            let detail = format!(
                "no session opens: {why}. With the header `{name}: {value}` on `initialize` one does, but {is_due}"
            );
            INITIALIZE_NEEDS_NO_HEADER.violated(detail, vec![at])
        }
    }
}

/// Requests with the session id of the server, in a sentence.
pub(super) fn forgets(forgotten: ForgottenSession) -> String {
    let ForgottenSession { sent, served, refused, status } = forgotten;
    format!(
        "of {sent} equal requests with the `Mcp-Session-Id` that the server itself gave, {refused} {} answered with HTTP status \
         {status}, and {served} with a result: {}the instance that answers does not always know the session",
        if refused == 1 { "is" } else { "are" },
        if forgotten.is_certain() { "" } else { "probably " }
    )
}

/// Adds a finding, or its revisions to one of the same rule, and returns the rule.
fn add(findings: &mut Vec<AuditFinding>, finding: AuditFinding) -> String {
    let rule = finding.rule.clone();
    match findings.iter_mut().find(|known| known.rule == rule) {
        Some(known) => {
            known.at.extend(finding.at);
            known.at.sort();
            known.at.dedup();
        }
        None => findings.push(finding),
    }
    rule
}
