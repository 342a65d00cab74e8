//! Revisions at which a server refuses `initialize`, though it opens a session at another one. Clients whose newest legacy
//! revision is one of them have no session: they do not ask for an older one.

use mcp_compat_judge::wire::exchange::{Answer, exchanges};
use mcp_compat_judge::wire::message::messages;
use mcp_compat_model::audit::{AuditFinding, Severity};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::transcript::Start;
use mcp_compat_model::{Era, Revision, Transport};
use mcp_compat_run::peer::ClientPeer;

use super::audit_rule::AuditRule;
use super::session_rules::REVISION_IS_NEGOTIATED;
use super::variations::rules::SESSIONS_ARE_MANY;
use crate::probe::{ProbeSession, ProbedServer};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RefusedOffers {
    /// The revisions, oldest first.
    pub(super) revisions: Vec<Revision>,
    /// Sentence that says what the server did.
    pub(super) reason: String,
    severity: Severity,
    /// True if the server has one session at a time, and refused the others for that.
    pub(super) has_one_session: bool,
}

/// Words of a server that has one session for all clients: the Python, TypeScript and other SDKs say so of a transport that is
/// used again.
const OF_ONE_SESSION: [&str; 4] =
    ["already initialized", "already initialised", "already connected", "already been initialized"];

impl RefusedOffers {
    pub(super) fn of(probed: &ProbedServer) -> Option<Self> {
        let newest = probed.revisions().filter(|revision| revision.era() == Era::Legacy).max()?;
        let refused = probed.unopened.iter().filter(|session| is_refused(session));
        let revisions: Vec<Revision> = refused.map(|session| session.revision).collect();
        let why = |at: &Revision| probed.refused.iter().find(|refused| refused.revision == *at);
        // What keeps most clients out is told in its words.
        let why = neutralised(why(revisions.last()?)?.why.trim_end());
        let dates: Vec<&str> = revisions.iter().map(|revision| revision.as_str()).collect();
        let header = if probed.transport == Transport::Http {
            ". Both were sent without the header `MCP-Protocol-Version`, which is due on later requests only"
        } else {
            ""
        };
        let reason = format!(
            "`initialize` for {} is refused ({}), and not answered with a revision that the server speaks; one for {newest} \
             opens a session{header}",
            dates.join(", "),
            why.trim_end_matches(['.', '\n'])
        );
        let words = why.to_lowercase();
        if OF_ONE_SESSION.iter().any(|known| words.contains(known)) {
            let reason = format!(
                "the server opened one session, and refused `initialize` of the next clients ({})",
                why.trim_end_matches(['.', '\n'])
            );
            return Some(Self { revisions, reason, severity: Severity::Error, has_one_session: true });
        }
        let is_old = revisions.iter().all(|revision| *revision < newest);
        let severity = if is_old { Severity::Warning } else { Severity::Error };
        Some(Self { revisions, reason, severity, has_one_session: false })
    }

    pub(super) const fn rule(&self) -> &'static AuditRule {
        if self.has_one_session { &SESSIONS_ARE_MANY } else { &REVISION_IS_NEGOTIATED }
    }

    pub(super) fn finding(&self) -> AuditFinding {
        if self.has_one_session {
            // Report: perplexityai/modelcontextprotocol#117, dynatrace-oss/dynatrace-mcp#383, cablate/mcp-google-map#27.
            let lost = "every client but the first, and the first after each reconnect: the session";
            let finding = SESSIONS_ARE_MANY.violated(self.reason.clone(), Vec::new());
            return AuditFinding { lost_elsewhere: Some(lost.to_owned()), ..finding };
        }
        let finding = REVISION_IS_NEGOTIATED.violated(self.reason.clone(), self.revisions.clone());
        AuditFinding { severity: self.severity, ..finding }
    }

    /// Returns whether a client asks for one of the revisions.
    pub(super) fn stops(&self, client: &ClientPeer) -> bool {
        if self.has_one_session {
            return false;
        }
        let asked = client.offered().filter(|revision| revision.era() == Era::Legacy).max();
        asked.is_some_and(|revision| self.revisions.contains(&revision))
    }
}

/// Returns whether the server refused `initialize` in a session: by an error or a status. One that ends has a finding of its
/// own.
fn is_refused(session: &ProbeSession) -> bool {
    let messages = messages(&session.transcript);
    let exchanges = exchanges(&messages, &session.transcript).all;
    let asked = exchanges.iter().rev().find(|exchange| messages[exchange.request].method() == Some("initialize"));
    let is_refusal = |status: u16| (400..=500).contains(&status) && status != 429;
    let status = |seq: u32| match session.transcript.entry(seq)?.event.head()?.start {
        Start::Response { status } => Some(status),
        Start::Request { .. } => None,
    };
    session.revision.era() == Era::Legacy
        && asked.is_some_and(|exchange| match exchange.answer {
            Answer::Error(_) => true,
            Answer::Status { status, .. } => is_refusal(status),
            Answer::Unreadable(at) => status(messages[at].seq).is_some_and(is_refusal),
            Answer::None | Answer::Result(_) => false,
        })
}
