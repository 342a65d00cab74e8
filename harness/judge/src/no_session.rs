//! Causes of a session that was not opened, where neither side broke a rule.

use mcp_compat_json::Json;
use mcp_compat_model::signature::NoSessionCause;
use mcp_compat_model::transcript::{Head, Start};
use mcp_compat_model::verdict::{Fault, Level};
use mcp_compat_model::{Era, Mode, Revision, Role};

use crate::facts::Facts;
use crate::rules::{Affects, HTTP_VERSION_IS_NEGOTIATED, RESPONSE_MATCHES_REQUEST, RuleFinding};
use crate::wire::exchange::{Answer, Exchange};
use crate::wire::message::Message;
use crate::wire::session::{EraSupport, META_VERSION, is_bad_request, named_revision, went_on};
use mcp_compat_model::shapes::later_member;

/// Cause of a session that was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoSession {
    /// The client said that there is no session, and never asked for one.
    NeverAsked,
    /// The client went on after the handshake, and gave the session up before its user could do anything.
    BrokenOff,
    /// The server named the revision that the client had asked for, and the client left.
    RevisionDeclined,
    /// The server's answer to `initialize` had begun, and the client left before it was there.
    AnswerUnread,
    /// They speak the same era, and no revision of it that the other speaks.
    NoCommonRevision,
    /// The same, and the answer to `initialize` has a member that only later revisions define, and not as they define it: the
    /// client left for the one or the other.
    NoCommonRevisionOrMember,
    /// They speak a revision in common, and the client left at an answer with such a member.
    MemberDeclined,
    /// The client asked in one era only, and the server does not serve it.
    NoCommonEra(Era),
    /// The client speaks both eras, and left a server that listed only revisions with a handshake.
    ListUnused,
    /// The client asked in the modern era only, and the server answered nothing.
    NoAnswer,
    /// The server answered the probe after the client had gone on with `initialize`, and refused that.
    ProbeLate,
    /// The client asked in both eras, and the server served neither.
    EveryEraRefused,
    /// The server neither answered the probe nor refused it, and the client did not try the other era.
    ProbeUnanswered,
    /// The server refused the probe as legacy servers do, and the client did not try the other era.
    NoFallback,
}

impl NoSession {
    /// The cause, by what each side showed of itself.
    pub(crate) fn of(facts: &Facts<'_>) -> Self {
        let (client, server) = (&facts.session.client, &facts.session.server);
        let asks = |era: Era| client.in_era(era) == EraSupport::Speaks;
        let answers = |era: Era| server.in_era(era) == EraSupport::Speaks;
        if !Era::ALL.into_iter().any(asks) {
            return Self::NeverAsked;
        }
        if is_broken_off(facts) {
            return Self::BrokenOff;
        }
        if Era::ALL.into_iter().any(|era| asks(era) && answers(era)) {
            if is_late(facts) {
                return Self::ProbeLate;
            }
            let common = client.dates.iter().any(|date| server.dates.contains(date));
            if !common && asks(Era::Modern) && !asks(Era::Legacy) && lists_only_handshakes(facts) {
                return Self::ListUnused;
            }
            return match (common, member_of_later_revisions(facts).is_some()) {
                (true, true) => Self::MemberDeclined,
                (true, false) => Self::RevisionDeclined,
                (false, true) => Self::NoCommonRevisionOrMember,
                (false, false) => Self::NoCommonRevision,
            };
        }
        if is_unread(facts) {
            return Self::AnswerUnread;
        }
        match (asks(Era::Legacy), asks(Era::Modern)) {
            (true, true) => Self::EveryEraRefused,
            (true, false) => Self::NoCommonEra(Era::Legacy),
            (false, true) if facts.cell.client.mode() == Some(Mode::Auto) && !answers(Era::Legacy) => probed(facts),
            (false, true) if is_silent(facts) => Self::NoAnswer,
            (false, true) => Self::NoCommonEra(Era::Modern),
            (false, false) => Self::NeverAsked,
        }
    }

    /// The responsible party.
    pub(crate) const fn fault(self) -> Fault {
        match self {
            Self::NeverAsked
            | Self::BrokenOff
            | Self::RevisionDeclined
            | Self::MemberDeclined
            | Self::AnswerUnread
            | Self::NoFallback
            | Self::ListUnused => Fault::Client,
            Self::EveryEraRefused => Fault::Server,
            // The stream that ends at the probe is an outcome that the specification does not list: the server owes
            // an answer to every request, and whatever is no modern answer means a legacy server to the client.
            Self::NoCommonRevision
            | Self::NoCommonRevisionOrMember
            | Self::NoCommonEra(_)
            | Self::ProbeUnanswered
            | Self::ProbeLate
            | Self::NoAnswer => Fault::Both,
        }
    }

    pub(crate) const fn cause(self) -> NoSessionCause {
        match self {
            Self::NeverAsked => NoSessionCause::NeverAsked,
            Self::BrokenOff => NoSessionCause::BrokenOff,
            Self::RevisionDeclined | Self::MemberDeclined | Self::AnswerUnread => NoSessionCause::RevisionDeclined,
            Self::NoCommonRevision | Self::NoCommonRevisionOrMember | Self::NoCommonEra(_) => {
                NoSessionCause::NoCommonRevision
            }
            Self::EveryEraRefused => NoSessionCause::EveryEraRefused,
            Self::ProbeUnanswered | Self::ProbeLate | Self::NoAnswer => NoSessionCause::ProbeUnanswered,
            Self::NoFallback | Self::ListUnused => NoSessionCause::NoFallback,
        }
    }

    /// The cause, and the fix: whole sentences, to follow what happened.
    pub(crate) const fn remedy(self) -> &'static str {
        match self {
            Self::NeverAsked => "The client sent no request that opens a session. Its log may say why.",
            Self::BrokenOff => {
                "The client had opened the session and then left it. To fix in the client: go on, or report what the \
                 server lacks."
            }
            Self::RevisionDeclined => {
                "The server answered with the revision that the client had asked for, and the client left. To fix in the \
                 client: read this answer, and go on."
            }
            Self::AnswerUnread => {
                "The server had begun to answer `initialize`, and the client left before the message was there. To fix in \
                 the client: read this answer, and go on."
            }
            Self::NoCommonRevision => {
                "To fix in the client or in the server: support a revision that the other speaks."
            }
            Self::NoCommonRevisionOrMember => {
                "The client left for this, or because it does not speak the server's revision. To fix in the client: ignore \
                 members that this revision does not define, or support the revision. To fix in the server: omit the member, \
                 or support a revision that the client speaks."
            }
            Self::MemberDeclined => {
                "To fix in the client: ignore members that the negotiated revision does not define. The server can omit the \
                 member."
            }
            Self::NoCommonEra(Era::Legacy) => {
                "The client opens with `initialize`, which the server does not serve. \
                 To fix in the client or in the server: support a revision that the other speaks."
            }
            Self::NoCommonEra(Era::Modern) => {
                "The client sends requests without a handshake, which the server does not serve. To \
                 fix in the client or in the server: support a revision that the other speaks."
            }
            Self::NoAnswer => {
                "To fix in the server: answer a request that it does not know with an error. To fix in the client or in \
                 the server: support a revision that the other speaks."
            }
            Self::EveryEraRefused => {
                "The client tried both eras, and the server serves neither. To fix in the server: serve one of them."
            }
            Self::ProbeUnanswered => {
                "To fix in the server: answer an unknown request with an error. To fix in the client: treat a missing \
                 answer as a legacy server's, and go on with `initialize`, on a new connection if necessary."
            }
            Self::ListUnused => {
                "The server answered `server/discover`, and lists only revisions that open with `initialize`. To fix in \
                 the client: go on with `initialize`."
            }
            Self::ProbeLate => {
                "The server answered the probe after the client had gone on with `initialize`, and refused `initialize`. A \
                 slow start of the server can be the reason. To fix in the server: answer the probe sooner, or serve \
                 `initialize` after it. To fix in the client: wait longer for the answer, or use it when it arrives."
            }
            Self::NoFallback => {
                "An error that no modern server sends means a legacy server. To fix in the client: go on with \
                 `initialize`."
            }
        }
    }
}

/// Remedy for one of the two where no session was opened.
pub(crate) const fn remedy_of(cause: NoSessionCause, role: Role) -> &'static str {
    match (cause, role) {
        (NoSessionCause::NoCommonRevision, _) => "support a revision that the other speaks",
        (NoSessionCause::NeverAsked, _) => "send a request that opens a session",
        (NoSessionCause::BrokenOff, _) => "go on after the handshake, or report what the server lacks",
        (NoSessionCause::RevisionDeclined, _) => "go on with the revision that the server named",
        (NoSessionCause::NoFallback, _) | (NoSessionCause::ProbeUnanswered, Role::Client) => {
            "go on with `initialize` where a probe is not answered with a result"
        }
        (NoSessionCause::EveryEraRefused, _) => "serve an era in which the client asks",
        (NoSessionCause::ProbeUnanswered, Role::Server) => "answer a request that it does not know with an error",
        (NoSessionCause::RequestUnanswered, _) => "answer every request",
        (NoSessionCause::RefusalIgnored, _) => "report an error answer to `initialize` as an error",
        (NoSessionCause::StreamWithheld, _) => "answer the GET for its stream with headers at once, or with status 405",
    }
}

/// Returns true if a finding can be why no session was opened. Over HTTP a refusal is known by its status: whatever id
/// is in its body, it refuses.
pub(crate) fn keeps_from_session(facts: &Facts<'_>, found: &RuleFinding) -> bool {
    let refuses = |message: &Message<'_>| {
        message.status().is_some_and(|status| status >= 400) && message.json.get("error").is_some()
    };
    let mut stray = facts.messages.iter().filter(|message| found.finding.messages.contains(&message.seq));
    let is_stray = *found.rule == RESPONSE_MATCHES_REQUEST && stray.all(refuses);
    let keeps = found.finding.level == Level::Must && found.rule.affects != Affects::Nothing;
    keeps && !is_stray && !is_beside_the_point(facts, found)
}

/// Returns true if a finding is about an answer to `initialize` that the client took, or that names a newer revision
/// than the client asked for: it leaves for that, whatever else is in the answer.
fn is_beside_the_point(facts: &Facts<'_>, found: &RuleFinding) -> bool {
    facts.exchanges_of("initialize").any(|(request, handshake)| {
        let Some((answer, result)) = facts.result_of(handshake) else { return false };
        let offered = request.param("protocolVersion").and_then(Json::as_str);
        let named = result.get("protocolVersion").and_then(Json::as_str);
        let is_why = !went_on(&facts.messages, &handshake) && (offered.is_none() || named <= offered);
        found.finding.messages.contains(&answer.seq) && !is_why
    })
}

/// The member of a result of `initialize` that its revision does not define, and that is not as later revisions define it, in
/// words. Clients decode the result before they look at the revision.
pub(crate) fn member_of_later_revisions(facts: &Facts<'_>) -> Option<String> {
    facts.exchanges_of("initialize").filter_map(|(_, handshake)| facts.result_of(handshake)).find_map(|(_, result)| {
        let named = named_revision(result)?;
        let member = later_member(result, named)?;
        Some(format!("{member}, and {named} does not define it"))
    })
}

/// The requests that name another revision than the negotiated one, and that the server refused for that.
pub(crate) fn refused_for_header<'f>(
    facts: &Facts<'_>,
    found: &'f [RuleFinding],
) -> impl Iterator<Item = &'f RuleFinding> {
    let is_refused = |seq: &u32| {
        let mut entries = facts.transcript.entries.iter().filter(|entry| entry.seq == *seq);
        entries.any(|entry| is_bad_request(facts.transcript, &entry.event))
    };
    // Who left when the server named a revision that it had not offered may not speak it.
    let (offered, named) = (&facts.session.client.dates, &facts.session.server.dates);
    let agreed = offered.iter().any(|date| named.contains(date))
        || facts.exchanges_of("initialize").any(|(_, handshake)| went_on(&facts.messages, &handshake));
    let wrong = found.iter().filter(move |found| agreed && *found.rule == HTTP_VERSION_IS_NEGOTIATED);
    wrong.filter(move |found| found.finding.messages.iter().any(is_refused))
}

/// Returns true if the client went on after a handshake, and none of its messages was refused.
fn is_broken_off(facts: &Facts<'_>) -> bool {
    let refused = |exchange: u32| {
        let refusal =
            |head: &Head| matches!(head.start, Start::Response { status: 400.. }) && head.exchange == exchange;
        facts.heads().any(refusal)
    };
    facts.exchanges_of("initialize").any(|(_, handshake)| {
        let Answer::Result(at) = handshake.answer else { return false };
        let later = facts.messages[at..].iter().filter(|message| message.from == Role::Client);
        let was_refused = later.filter_map(|message| message.http).any(|head| refused(head.exchange));
        went_on(&facts.messages, &handshake) && !was_refused
    })
}

/// Returns true if an `initialize` got the head of a good response over HTTP, and no message with it.
fn is_unread(facts: &Facts<'_>) -> bool {
    let began = |exchange: u32| {
        let begins = |head: &Head| matches!(head.start, Start::Response { status: 200 }) && head.exchange == exchange;
        facts.heads().any(begins)
    };
    facts.exchanges_of("initialize").any(|(_, handshake)| {
        let http = facts.messages[handshake.request].http;
        handshake.answer == Answer::None && http.is_some_and(|head| began(head.exchange))
    })
}

/// Returns true if the client asked in the modern era and no request of it was answered, not even with an error.
fn is_silent(facts: &Facts<'_>) -> bool {
    modern(facts).next().is_some() && modern(facts).all(|exchange| exchange.answer == Answer::None)
}

/// The method of the first request that the client sent in the modern era.
pub(crate) fn probe<'f>(facts: &'f Facts<'_>) -> Option<&'f str> {
    modern(facts).next().and_then(|exchange| facts.messages[exchange.request].method())
}

/// The requests of the modern era.
fn modern<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = &'f Exchange> {
    let is_modern = |request: usize| facts.messages[request].meta(META_VERSION).is_some();
    facts.exchanges.all.iter().filter(move |exchange| is_modern(exchange.request))
}

/// Returns true if the probe was answered after the client had sent `initialize`, which the server refused.
fn is_late(facts: &Facts<'_>) -> bool {
    let refused = |exchange: &Exchange| matches!(exchange.answer, Answer::Error(_) | Answer::Status { .. });
    let handshake = facts.exchanges_of("initialize").find(|(_, exchange)| refused(exchange));
    let answered = |sent: usize| {
        modern(facts).any(|probe| matches!(probe.answer, Answer::Result(at) if probe.request < sent && sent < at))
    };
    handshake.is_some_and(|(_, exchange)| answered(exchange.request))
}

/// Returns true if a client of both eras was told of revisions, and all of them open with a handshake.
fn lists_only_handshakes(facts: &Facts<'_>) -> bool {
    let listed: Vec<Revision> = facts.session.server.dates.iter().filter_map(|date| date.parse().ok()).collect();
    let is_dual = facts.cell.client.mode() == Some(Mode::Auto);
    is_dual && !listed.is_empty() && listed.iter().all(|revision| revision.era() == Era::Legacy)
}

/// A client that speaks both eras asked in the modern one, and never in the other.
fn probed(facts: &Facts<'_>) -> NoSession {
    match modern(facts).next().map(|exchange| exchange.answer) {
        Some(Answer::None | Answer::Unreadable(_)) | None => NoSession::ProbeUnanswered,
        // Who is not let in learns nothing of the era.
        Some(Answer::Status { status: 401 | 403 | 500.., .. }) => NoSession::NoCommonEra(Era::Modern),
        Some(Answer::Error(_) | Answer::Status { .. } | Answer::Result(_)) => NoSession::NoFallback,
    }
}
