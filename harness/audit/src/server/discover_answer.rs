//! Answers of servers without `server/discover` to it, and the clients that have no session after them.
//!
//! A client that speaks both eras asks for `server/discover` first. An error with the id of the request tells each of them
//! that the server speaks the legacy era; after another answer some give up.

use mcp_compat_judge::wire::exchange::{Answer, exchanges};
use mcp_compat_judge::wire::message::{Shape, messages};
use mcp_compat_model::audit::AuditFinding;
use mcp_compat_model::observation::End;
use mcp_compat_model::peer::PeerKind;
use mcp_compat_model::{Era, Mode, PeerId, Role, Transport};

use super::variations::rules::DISCOVER_IS_REFUSED_PROPERLY;
use crate::probe::{ProbeSession, ProbedServer};

/// Answer after which some clients have no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Odd {
    /// An error whose id is null or absent.
    WithoutId,
    /// A response with another id.
    AnotherId,
    /// HTTP status 500 or above.
    ServerError(u16),
    /// No answer, over HTTP.
    Nothing,
    /// The end of the program.
    Ended,
}

/// An odd answer of a server that speaks the legacy era only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DiscoverAnswer {
    odd: Odd,
    transport: Transport,
}

/// SDKs whose clients have no session: the TypeScript SDK 2.4.0 by `client/probeClassifier.ts`, rmcp 3.9.0 by `expect_response`
/// of `service/client.rs`, the Go SDK 1.8.0 by modelcontextprotocol/go-sdk#1177; the Python SDK 2.3.0 sends `initialize` to the
/// process that has ended (`client/_probe.py`).
const fn without_session(odd: Odd, transport: Transport) -> &'static [&'static str] {
    match (odd, transport) {
        (Odd::WithoutId | Odd::ServerError(_) | Odd::Nothing, Transport::Http) => &["typescript"],
        (Odd::AnotherId, Transport::Http) => &["typescript", "rmcp"],
        (Odd::AnotherId, Transport::Stdio | Transport::Memory) => &["rmcp"],
        (Odd::Ended, _) => &["rmcp", "go", "python"],
        (Odd::WithoutId | Odd::ServerError(_) | Odd::Nothing, Transport::Stdio | Transport::Memory) => &[],
    }
}

impl DiscoverAnswer {
    /// Reads the session in which the server was asked at 2026-07-28, if it speaks an older revision and not this one.
    pub(super) fn of(probed: &ProbedServer) -> Option<Self> {
        let is_legacy = probed.revisions().next().is_some() && probed.revisions().all(|at| at.era() == Era::Legacy);
        let asked = probed.unopened.iter().find(|session| session.revision.era() == Era::Modern);
        let odd = odd(asked.filter(|_| is_legacy)?, probed.transport)?;
        let answer = Self { odd, transport: probed.transport };
        (!without_session(odd, probed.transport).is_empty()).then_some(answer)
    }

    /// Returns whether a client has no session after it.
    pub(super) fn stops(self, client: &PeerId) -> bool {
        let family = match client.kind() {
            PeerKind::Profile { name } => name.as_str(),
            PeerKind::Release { family, .. } => family.as_str(),
            PeerKind::Mock { .. } | PeerKind::Sabotaged { .. } | PeerKind::Own { .. } => return false,
        };
        let family = family.split_once('@').map_or(family, |(family, _)| family);
        client.mode() == Some(Mode::Auto) && without_session(self.odd, self.transport).contains(&family)
    }

    /// Sentence that says what the server did.
    pub(super) fn reason(self) -> String {
        let did = match self.odd {
            Odd::WithoutId => "an error without the id of the request".to_owned(),
            Odd::AnotherId => "a response with another id".to_owned(),
            Odd::ServerError(status) => format!("HTTP status {status}"),
            Odd::Nothing => "nothing".to_owned(),
            Odd::Ended => "the end of the server".to_owned(),
        };
        format!(
            "`server/discover` is answered with {did}, which does not tell a client of both eras that the server wants \
             `initialize`"
        )
    }

    pub(super) fn finding(self) -> AuditFinding {
        let finding = DISCOVER_IS_REFUSED_PROPERLY.violated(self.reason(), Vec::new());
        if self.odd != Odd::Ended {
            return finding;
        }
        let remedy = "answer `ping` as usual and any other request that comes before `initialize` with an error that has its id \
                      (-32601 for a method that the server does not know), and go on";
        AuditFinding { remedy: remedy.to_owned(), ..finding }
    }

    pub(super) const fn rule() -> &'static str {
        DISCOVER_IS_REFUSED_PROPERLY.id
    }
}

fn odd(session: &ProbeSession, transport: Transport) -> Option<Odd> {
    let messages = messages(&session.transcript);
    let exchanges = exchanges(&messages, &session.transcript);
    let asked = exchanges.all.iter().find(|asked| messages[asked.request].method() == Some("server/discover"))?;
    let is_of_server = |at: usize| messages[at].from == Role::Server;
    // A status of 500 and above is read before the body.
    let status = asked.answer.message().and_then(|at| messages[at].status());
    if let Some(status) = status.filter(|status| *status >= 500) {
        return Some(Odd::ServerError(status));
    }
    match asked.answer {
        Answer::Error(at) if is_of_server(at) && messages[at].id().is_none() => {
            // Other statuses tell a client enough.
            let is_success = status.is_none_or(|status| (200..300).contains(&status));
            is_success.then_some(Odd::WithoutId)
        }
        Answer::Status { status, .. } if status >= 500 => Some(Odd::ServerError(status)),
        Answer::None => {
            let is_response = |at: &usize| matches!(messages[*at].shape, Shape::Result | Shape::Error);
            if exchanges.strays.iter().any(is_response) {
                return Some(Odd::AnotherId);
            }
            match (&session.observation.end, transport) {
                (End::Crashed { who: Role::Server, .. }, Transport::Stdio) => Some(Odd::Ended),
                (_, Transport::Http) => Some(Odd::Nothing),
                _ => None,
            }
        }
        Answer::Result(_) | Answer::Error(_) | Answer::Unreadable(_) | Answer::Status { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::without_an_id(Odd::WithoutId, Transport::Http, &["profile/typescript@2+auto"])]
    #[case::over_stdio_it_is_waited_out(Odd::WithoutId, Transport::Stdio, &[])]
    #[case::a_server_error(Odd::ServerError(500), Transport::Http, &["profile/typescript@2+auto"])]
    #[case::another_id(Odd::AnotherId, Transport::Stdio, &["profile/rmcp@3+auto"])]
    #[case::the_end(
        Odd::Ended,
        Transport::Stdio,
        &["profile/go@1+auto", "profile/python@2+auto", "profile/rmcp@3+auto"]
    )]
    fn only_clients_that_ask_for_discover_and_give_up_lose_the_session(
        #[case] odd: Odd,
        #[case] transport: Transport,
        #[case] lost: &[&str],
    ) {
        let answer = DiscoverAnswer { odd, transport };
        let all = [
            "profile/go@1+auto",
            "profile/go@1+legacy",
            "profile/python@2+auto",
            "profile/rmcp@3+auto",
            "profile/typescript@1",
            "profile/typescript@2+auto",
            "profile/typescript@2+legacy",
            "mock/dual+auto",
        ];
        let stopped = all.into_iter().filter(|id| answer.stops(&PeerId::new(*id).unwrap()));
        assert_eq!(stopped.collect::<Vec<_>>(), lost);
    }
}
