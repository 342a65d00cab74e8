//! Findings about what real clients send and the server refuses: ids, capabilities and revisions that the client of the
//! probe does not use by itself.

use mcp_compat_judge::rules;
use mcp_compat_judge::wire::exchange::{Answer, exchanges};
use mcp_compat_judge::wire::message::messages;
use mcp_compat_judge::wire::session::{HEADER_MISMATCH, UNSUPPORTED_VERSION};
use mcp_compat_model::audit::{AuditFinding, Severity};
use mcp_compat_model::excerpt::quoted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::peer::PeerKind;
use mcp_compat_model::peer_contract::JobStep;
use mcp_compat_model::transcript::{Start, Transcript};
use mcp_compat_model::{Era, PeerId, Revision, Transport};

use super::audit_rule::AuditRule;
use super::audit_time::JudgingTime;
use super::findings::{JudgedSession, of_rule, of_rules};
use super::observed::ObservedServer;
use super::refused_offers::RefusedOffers;
use super::session_rules::{
    CAPABILITIES_ARE_ACCEPTED, GET_IS_ANSWERED, INITIALIZE_IS_NEGOTIATED_BY_ITS_BODY, REVISION_IS_NEGOTIATED,
    STRING_IDS_ARE_RETURNED, UNKNOWN_REVISION_IS_REFUSED,
};
use crate::probe::{ClientCapability, ClientChoice, StyledSession, UNKNOWN_REVISION};

/// A choice that the server refuses, and the rule that it violates with that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RefusedChoice {
    choice: ClientChoice,
    pub(super) rule: String,
    /// Sentence that says what the server did.
    pub(super) reason: String,
    /// The era in which it was refused, the older one if it was in both.
    era: Era,
}

/// Findings about the sessions of real clients, and the choices that cost a client its session.
pub(super) fn findings(
    sessions: &[StyledSession],
    offers: Option<&RefusedOffers>,
) -> (Vec<AuditFinding>, Vec<RefusedChoice>) {
    let (mut findings, mut refused): (Vec<AuditFinding>, Vec<RefusedChoice>) = (Vec::new(), Vec::new());
    findings.extend(offers.map(RefusedOffers::finding));
    // Whatever another session does is refused then.
    if offers.is_some_and(|offers| offers.has_one_session) {
        return (findings, refused);
    }
    let mut sessions: Vec<&StyledSession> = sessions.iter().collect();
    sessions.sort_by_key(|session| (session.session.revision, session.choices.first().copied()));
    // The newest revision is the newest that has `initialize` here: what is refused for itself is not refused for the header.
    let refuses_newest = offers.is_some_and(|offers| offers.revisions.contains(&Revision::NEWEST_LEGACY));
    sessions.retain(|session| !refuses_newest || !session.choices.contains(&ClientChoice::HeaderOnInitialize));
    let echoes = sessions.iter().any(|session| {
        session.choices.contains(&ClientChoice::UnknownRevision) && session.named().as_deref() == Some(UNKNOWN_REVISION)
    });
    for session in sessions {
        findings.extend(of_versions(session, echoes));
        findings.extend(of_headers(session));
        // What several choices were refused for together was asked apart.
        let ([choice], Some(why)) = (&session.choices[..], &session.refused) else { continue };
        let Some(finding) = of_choice(session, *choice, &neutralised(why.trim_end())) else { continue };
        // What is refused in both eras is told once.
        if let Some(known) = refused.iter().find(|known| known.choice == *choice) {
            let is_it = |finding: &&mut AuditFinding| finding.detail == known.reason;
            findings.iter_mut().filter(is_it).for_each(|known| known.at.extend(&finding.at));
            continue;
        }
        let (rule, reason) = (finding.rule.clone(), finding.detail.clone());
        refused.push(RefusedChoice { choice: *choice, rule, reason, era: session.era() });
        // A server that refuses a revision is told so once.
        if offers.is_none() || AuditRule::of(&finding) != Some(&REVISION_IS_NEGOTIATED) {
            findings.push(finding);
        }
    }
    let mut all: Vec<AuditFinding> = Vec::new();
    for finding in findings {
        match all.iter_mut().find(|known| (&known.rule, &known.detail) == (&finding.rule, &finding.detail)) {
            Some(known) => known.at.extend(finding.at),
            None => all.push(finding),
        }
    }
    (all, refused)
}

/// Java SDK 2.0.1, `HttpClientStreamableHttpTransport`: before a revision is negotiated, the newest that the client speaks.
/// Report: Effect-TS/effect#7388, xpzouying/xiaohongshu-mcp#697.
const WITH_HEADER: &str = "hosts on Spring AI, and other clients that send the header with every request: the session";

/// A choice that the server refuses.
fn of_choice(session: &StyledSession, choice: ClientChoice, why: &str) -> Option<AuditFinding> {
    let at = vec![session.session.revision];
    match choice {
        ClientChoice::StringIds => {
            let detail = format!(
                "a client whose request ids are strings, as those of the Java, Swift and Ruby SDKs, gets no tools: {why}"
            );
            Some(STRING_IDS_ARE_RETURNED.violated(detail, at))
        }
        ClientChoice::Capability(capability) => {
            let (what, who) = described(capability);
            let detail = format!("a client that declares {what} ({who}) gets no tools: {why}");
            Some(CAPABILITIES_ARE_ACCEPTED.violated(detail, at))
        }
        ClientChoice::TitleBeyondAscii => {
            let detail = format!("a client whose title has letters beyond ASCII gets no tools: {why}");
            Some(CAPABILITIES_ARE_ACCEPTED.violated(detail, at))
        }
        ClientChoice::NewestInInitialize if session.named().is_none() => {
            let detail = format!(
                "a client that asks for {} in `initialize`, as rmcp 3.x does by default, gets no session: {why}",
                Revision::NEWEST
            );
            Some(REVISION_IS_NEGOTIATED.violated(detail, Vec::new()))
        }
        ClientChoice::UnknownRevision if session.era() == Era::Legacy && session.named().is_none() => {
            let detail = format!(
                "a client that asks for {UNKNOWN_REVISION} in `initialize`, a revision that the server cannot know, gets no \
                 session: {why}. No released client does; those of the next revision will"
            );
            let finding = REVISION_IS_NEGOTIATED.violated(detail, Vec::new());
            Some(AuditFinding { severity: Severity::Warning, ..finding })
        }
        ClientChoice::HeaderOnInitialize if session.named().is_none() => {
            let newest = Revision::NEWEST_LEGACY;
            let detail = format!(
                "`initialize` for {newest} with the header `MCP-Protocol-Version: {newest}` is refused, and without the header it \
                 is answered: {why}"
            );
            let finding = INITIALIZE_IS_NEGOTIATED_BY_ITS_BODY.violated(detail, Vec::new());
            Some(AuditFinding { lost_elsewhere: Some(WITH_HEADER.to_owned()), ..finding })
        }
        ClientChoice::NewestInInitialize | ClientChoice::HeaderOnInitialize | ClientChoice::UnknownRevision => None,
    }
}

/// A capability in words, and who declares it.
const fn described(capability: ClientCapability) -> (&'static str, &'static str) {
    match capability {
        ClientCapability::Roots => (
            "`roots` with `listChanged`",
            "the Go SDK always does, VS Code too, the Python SDK with a callback for roots",
        ),
        ClientCapability::Sampling => {
            ("`sampling` with `context` and `tools`", "hosts that sample do, such as VS Code")
        }
        ClientCapability::Tasks => ("`tasks`", "the Inspector does, and other clients of 2025-11-25"),
        ClientCapability::Elicitation => {
            ("`elicitation` with `form` and `url`", "the Python SDK does for a host that asks its user")
        }
        ClientCapability::Experimental => ("`experimental` features", "hosts may"),
        ClientCapability::Extensions => ("`extensions`", "hosts with MCP Apps do"),
    }
}

const ANSWER_WHAT_IS_SPOKEN: &str = "compare the revision that `initialize` asks for with those that the server speaks: answer with it if it is one of them, \
                                     and otherwise with the newest of them";

/// Report: pgEdge/pgedge-postgres-mcp#212.
const GOES_ON_UNKNOWN: &str = "clients that ask for a revision which the server does not speak: they go on at it, and their later requests fail or \
                               change their meaning, without a hint at the revision";

/// Revisions that the server agrees to, though it cannot speak them.
fn of_versions(session: &StyledSession, echoes: bool) -> Option<AuditFinding> {
    let is_unknown = session.choices.contains(&ClientChoice::UnknownRevision);
    if is_unknown && session.era() == Era::Modern {
        return served_unknown(session);
    }
    let named = session.named()?;
    let revision: Option<Revision> = named.parse().ok();
    if revision.is_some_and(|revision| revision.era() == Era::Modern) && echoes {
        let detail = format!(
            "`initialize` is answered with whatever revision it asks for: with {named}, which has no `initialize`, and with \
             {UNKNOWN_REVISION}, which does not exist"
        );
        let finding = of_rule(&rules::INITIALIZE_NAMES_A_HANDSHAKE_REVISION, detail, Vec::new());
        let (remedy, lost) = (ANSWER_WHAT_IS_SPOKEN.to_owned(), Some(GOES_ON_UNKNOWN.to_owned()));
        return Some(AuditFinding { remedy, lost_elsewhere: lost, ..finding });
    }
    if revision.is_some_and(|revision| revision.era() == Era::Modern) {
        let detail = format!(
            "asked for {named} in `initialize`, as rmcp 3.x does by default, the server agrees to it, though this revision \
             has no `initialize`"
        );
        return Some(of_rule(&rules::INITIALIZE_NAMES_A_HANDSHAKE_REVISION, detail, Vec::new()));
    }
    let is_wrong =
        revision.is_none() && !echoes && (is_unknown || session.choices.contains(&ClientChoice::NewestInInitialize));
    is_wrong.then(|| {
        let detail = format!("`initialize` is answered with {}, which is no revision of the protocol", quoted(&named));
        let finding = REVISION_IS_NEGOTIATED.violated(detail, Vec::new());
        AuditFinding { severity: Severity::Warning, ..finding }
    })
}

/// A request at a revision that does not exist, where it is not refused as such.
fn served_unknown(session: &StyledSession) -> Option<AuditFinding> {
    let transcript = &session.session.transcript;
    let messages = messages(transcript);
    let exchanges = exchanges(&messages, transcript).all;
    let asked = |method: &str| exchanges.iter().rev().find(|it| messages[it.request].method() == Some(method));
    let (method, exchange) = match asked("tools/list") {
        Some(exchange) => ("tools/list", exchange),
        None => ("server/discover", asked("server/discover")?),
    };
    let did = match exchange.answer {
        Answer::Error(at) if messages[at].error_code() == Some(UNSUPPORTED_VERSION) => return None,
        Answer::Error(at) => {
            let code = messages[at].error_code().map_or_else(|| "without a code".to_owned(), |code| code.to_string());
            format!("answers `{method}` with error {code}")
        }
        Answer::Result(_) => format!("answers `{method}` with a result"),
        Answer::Unreadable(_) => format!("answers `{method}` with what is no message"),
        Answer::Status { status, .. } => format!("answers `{method}` with HTTP status {status} and no error"),
        Answer::None => format!("does not answer `{method}`"),
    };
    let detail = format!(
        "asked at the revision {UNKNOWN_REVISION}, which does not exist, the server {did}; it has to refuse the request \
         with error {UNSUPPORTED_VERSION}. No released client asks so; those of the next revision will"
    );
    Some(UNKNOWN_REVISION_IS_REFUSED.violated(detail, vec![session.session.revision]))
}

/// A header that the server compares without decoding it.
fn of_headers(session: &StyledSession) -> Option<AuditFinding> {
    let transcript = &session.session.transcript;
    let messages = messages(transcript);
    let exchanges = exchanges(&messages, transcript).all;
    let mut calls = exchanges.iter().filter(|it| messages[it.request].method() == Some("tools/call"));
    let is_refused =
        calls.any(|call| call.answer.message().is_some_and(|at| messages[at].error_code() == Some(HEADER_MISMATCH)));
    is_refused.then(|| {
        let detail = "the server refuses a call whose tool name has letters beyond ASCII: it compares the encoded header \
                      `Mcp-Name` with the body without decoding it";
        of_rule(&rules::HTTP_HEADERS_ARE_DECODED, detail.to_owned(), vec![session.session.revision])
    })
}

/// Findings about the stream that a client asks for by a GET: only sessions as real clients open them have one.
pub(super) fn of_gets(observed: &ObservedServer, judging: &JudgingTime) -> Vec<AuditFinding> {
    if observed.probed.transport != Transport::Http {
        return Vec::new();
    }
    let is_open = |styled: &&StyledSession| styled.refused.is_none() && styled.era() == Era::Legacy;
    let is_asked = |styled: &&StyledSession| styled.session.revision >= Revision::V2025_03_26;
    let mut asked = observed.styled.iter().filter(is_open).filter(is_asked).peekable();
    let is_untested = asked.peek().is_some() && !asked.any(|styled| is_get_answered(&styled.session.transcript));
    let untested = is_untested.then(|| {
        let detail = "it is not tested how the server answers a GET: no head of an answer came";
        GET_IS_ANSWERED.violated(detail.to_owned(), Vec::new())
    });
    let sessions = observed.styled.iter().filter(is_open).map(|styled| {
        let steps = vec![JobStep::List {}];
        JudgedSession { session: &styled.session, steps, scenarios: Vec::new() }
    });
    let (sessions, time) = (sessions.collect::<Vec<_>>(), judging.clone());
    let found = of_rules(&sessions, &observed.server_id(), Transport::Http, move || time.is_over());
    let is_about_get = |finding: &AuditFinding| rules::find(&finding.rule) == Some(&rules::HTTP_GET_STREAM_OR_405);
    found.into_values().flatten().filter(is_about_get).chain(untested).collect()
}

/// Returns whether a GET was answered, be it by a stream that stays open.
fn is_get_answered(transcript: &Transcript) -> bool {
    let heads = || transcript.entries.iter().filter_map(|entry| entry.event.head());
    let gets = heads().filter(|head| matches!(&head.start, Start::Request { method } if method == "GET"));
    gets.into_iter()
        .any(|get| heads().any(|head| head.exchange == get.exchange && matches!(head.start, Start::Response { .. })))
}

impl RefusedChoice {
    /// Returns whether every legacy session of a client makes this choice, and it is refused there.
    pub(super) fn is_of(&self, client: &PeerId) -> bool {
        let family = match client.kind() {
            PeerKind::Profile { name } => name.as_str(),
            PeerKind::Release { family, .. } => family.as_str(),
            PeerKind::Mock { .. } | PeerKind::Sabotaged { .. } | PeerKind::Own { .. } => return false,
        };
        let (family, line) = family.split_once('@').unwrap_or((family, ""));
        match self.choice {
            _ if self.era == Era::Modern => false,
            ClientChoice::StringIds => family == "java",
            ClientChoice::HeaderOnInitialize => family == "java",
            ClientChoice::Capability(ClientCapability::Roots) => family == "go",
            ClientChoice::NewestInInitialize => {
                family == "rmcp" && (line == "3" || client.version().is_some_and(|version| version.major() >= 3))
            }
            ClientChoice::Capability(_) | ClientChoice::TitleBeyondAscii | ClientChoice::UnknownRevision => false,
        }
    }
}
