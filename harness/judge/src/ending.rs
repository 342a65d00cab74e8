//! Sessions that ended before there was anything to decide about calls, and those that a peer legally declined.

use std::collections::HashMap;

use mcp_compat_json::Json;
use mcp_compat_model::Role;
use mcp_compat_model::observation::{End, Layer, PeerError, Seen};
use mcp_compat_model::signature::NoSessionCause;
use mcp_compat_model::transcript::{Head, Start};
use mcp_compat_model::verdict::{Fault, Outcome};

use crate::facts::Facts;
use crate::rules::{CLIENT_LEAVES_UNKNOWN_REVISION, Rule, RuleFinding};
use crate::wire::exchange::{Answer, Exchange};
use crate::wire::session::{META_VERSION, ToolsCapability, went_on};
use mcp_compat_model::excerpt::{excerpt, in_short};

/// Limit of the unanswered requests that a sentence names.
const OPEN: usize = 2;

/// From how many microseconds on the head of a response is late. Heads come within milliseconds.
const LATE_US: u64 = 1_000_000;

/// End of a session that alone decides the cell.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    /// The cell's outcome.
    pub(crate) outcome: Outcome,
    /// The responsible party, where the ending shows it.
    pub(crate) fault: Option<Fault>,
    /// The rule that says so, where it is one that alone makes the ending what it is.
    pub(crate) rule: Option<&'static Rule>,
    /// The cause that kept the session from being opened, where the ending shows it.
    pub(crate) cause: Option<NoSessionCause>,
    /// The event, in words that may stand in a sentence.
    pub(crate) why: String,
}

impl Ending {
    /// An ending that neither a rule nor a cause of its own explains.
    pub(crate) const fn of(outcome: Outcome, fault: Option<Fault>, why: String) -> Self {
        Self { outcome, fault, rule: None, cause: None, why }
    }
}

/// The ending of a session that decides the cell; `None` where the calls decide.
pub(crate) fn ending(facts: &Facts<'_>, findings: &[RuleFinding]) -> Option<Ending> {
    let ended = |outcome, fault, why| Some(Ending::of(outcome, fault, why));
    if let Some(words) = facts.observation.refused_by_machine() {
        let why = format!("the machine refused what the check needs: {}", in_short(words));
        return ended(Outcome::Incomplete, Some(Fault::Harness), why);
    }
    match &facts.observation.end {
        End::Answered {} => answered(facts, findings),
        End::Unsupported { by, reason } => {
            ended(Outcome::Unsupported, None, format!("the {by} cannot play this scenario: {}", excerpt(reason)))
        }
        End::NoSession(error) => without_session(facts, error),
        End::TimedOut { waiting_for, what } => hung(facts, *waiting_for, what),
        End::Crashed { who: Role::Server, .. } if ends_as_scripted(facts) => None,
        End::Crashed { who: Role::Server, how } if ends_at_the_probe(facts) || ends_at_the_opening(facts) => {
            let why = format!("no session was opened: the server ended: {}", excerpt(how));
            ended(Outcome::Unreachable, None, why)
        }
        End::Crashed { who, how } => {
            let what = match who {
                Role::Client => "the client gave no usable answer",
                Role::Server => "the server ended",
            };
            ended(Outcome::Crashed, Some(Fault::of(*who)), format!("{what}: {}", excerpt(how)))
        }
        End::NotStarted { who, why } => ended(
            Outcome::Unreachable,
            Some(Fault::of(*who)),
            format!("the {who} could not be started: {}", excerpt(why)),
        ),
        End::HarnessFailed { why } => {
            ended(Outcome::Incomplete, Some(Fault::Harness), format!("the harness failed: {}", excerpt(why)))
        }
    }
}

/// The first request that the server left without an answer, and not because the scenario wants it so.
pub(crate) fn left_open<'f>(facts: &'f Facts<'_>) -> Option<&'f Exchange> {
    all_left_open(facts).next()
}

/// All requests that the server left without an answer, and not because the scenario wants it so.
fn all_left_open<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = &'f Exchange> {
    facts.exchanges.all.iter().filter(|exchange| {
        // A subscription stays open for as long as it is wanted.
        let subscription = facts.messages[exchange.request].method() == Some("subscriptions/listen");
        // What cannot be read answers nothing, unless its HTTP status does.
        let open = match exchange.answer {
            Answer::None => true,
            Answer::Unreadable(at) => facts.messages[at].status().is_none_or(|status| status < 400),
            Answer::Result(_) | Answer::Error(_) | Answer::Status { .. } => false,
        };
        open && !subscription && !facts.is_silent(**exchange)
    })
}

fn answered(facts: &Facts<'_>, findings: &[RuleFinding]) -> Option<Ending> {
    if gave_up(facts) && is_stream_withheld(facts) {
        return Some(stream_withheld());
    }
    let (seen, asked) = (facts.observation.steps.len(), facts.scenario.steps.len());
    if let Some(why) = without_tools(facts) {
        return Some(Ending::of(Outcome::Unsupported, None, why));
    }
    if seen != asked {
        let why = format!("{seen} of {asked} steps were answered");
        return Some(Ending::of(Outcome::Incomplete, Some(Fault::Harness), why));
    }
    if facts.revision().is_some() {
        return Some(Ending::of(Outcome::Unreachable, Some(Fault::Client), lost_session(facts)?));
    }
    // Nothing was served on the wire: then nothing can have been seen.
    let errors: Option<Vec<&PeerError>> = facts
        .observation
        .steps
        .iter()
        .map(|seen| match seen {
            Seen::Failed(error) => Some(error),
            Seen::Listed { .. } | Seen::Called(_) | Seen::Evolved { .. } | Seen::NotReported {} => None,
        })
        .collect();
    match errors.as_deref() {
        Some([first, ..]) => without_session(facts, first),
        None if facts.observation.steps.iter().all(is_nothing) => {
            let message = "it went on without the server, and without an error".to_owned();
            without_session(facts, &PeerError { layer: Layer::Connect, code: None, message })
        }
        Some([]) | None if findings.iter().any(|found| *found.rule == CLIENT_LEAVES_UNKNOWN_REVISION) => {
            let why = "the client returned results from a session in which no revision was agreed".to_owned();
            let rule = Some(&CLIENT_LEAVES_UNKNOWN_REVISION);
            Some(Ending { rule, ..Ending::of(Outcome::Uncaught, Some(Fault::Client), why) })
        }
        Some([]) | None => {
            let why = "the client reported results, but no revision was negotiated on the wire".to_owned();
            Some(Ending::of(Outcome::Incomplete, Some(Fault::Harness), why))
        }
    }
}

/// Returns true for a list without tools, and for a result with nothing in it: a host offers its model what there is.
fn is_nothing(seen: &Seen) -> bool {
    match seen {
        Seen::Listed { tools } => tools.is_empty(),
        Seen::Called(result) => result.structured.is_none() && result.content.is_empty(),
        Seen::Evolved { .. } | Seen::Failed(_) | Seen::NotReported {} => false,
    }
}

/// Sessions that the client opened one after the other over HTTP while it lost steps on the way. Which of them it loses is
/// chance. A server that says with 404 that a session is no more has the client do so.
/// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management>
fn lost_session(facts: &Facts<'_>) -> Option<String> {
    let opened = facts.exchanges_of("initialize").filter(|(_, exchange)| matches!(exchange.answer, Answer::Result(_)));
    let opened = opened.count();
    let in_session = |exchange: u32| {
        let request = |head: &&Head| matches!(head.start, Start::Request { .. }) && head.exchange == exchange;
        facts.heads().find(request).is_some_and(|head| head.header("mcp-session-id").is_some())
    };
    let gone = |head: &Head| matches!(head.start, Start::Response { status: 404 }) && in_session(head.exchange);
    let error = facts.observation.steps.iter().find_map(|seen| match seen {
        Seen::Failed(error) => matches!(error.layer, Layer::Connect | Layer::Protocol | Layer::Decode).then_some(error),
        Seen::Listed { .. } | Seen::Called(_) | Seen::Evolved { .. } | Seen::NotReported {} => None,
    })?;
    (opened > 1 && facts.over_http() && !facts.heads().any(gone))
        .then(|| format!("the client opened {opened} sessions one after the other: {}", in_short(&error.message)))
}

fn without_session(facts: &Facts<'_>, error: &PeerError) -> Option<Ending> {
    // A legacy server may stay silent when it is asked in the modern way: that is how the eras fail to meet.
    // One that answers `initialize` no more than that is silent in both eras.
    let is_modern = |open: &Exchange| facts.messages[open.request].meta(META_VERSION).is_some();
    let probed = left_open(facts).is_some() && all_left_open(facts).all(is_modern);
    // A client that times out because of the script has noticed.
    if error.layer == Layer::Timeout && !probed && !facts.opening_is_silent() {
        return hung(facts, Role::Client, &error.message);
    }
    let is_opened = facts.exchanges_of("initialize").any(|(_, handshake)| went_on(&facts.messages, &handshake));
    let what = if is_opened { "the session did not last" } else { "no session was opened" };
    let why = format!("{what}: {}", in_short(&error.message));
    Some(Ending::of(Outcome::Unreachable, None, why))
}

/// A client that waits is not at fault for waiting: the server has to answer an open request.
fn hung(facts: &Facts<'_>, waiting_for: Role, what: &str) -> Option<Ending> {
    let mut open: Vec<String> = all_left_open(facts)
        .filter_map(|exchange| facts.messages[exchange.request].method())
        .map(mcp_compat_model::excerpt::quoted)
        .collect();
    open.dedup();
    open.truncate(OPEN);
    let what = in_short(what);
    let (fault, cause, why) = if !open.is_empty() {
        let why = format!("the server left {} unanswered: {what}", open.join(" and "));
        (Fault::Server, Some(NoSessionCause::RequestUnanswered), why)
    } else if is_stream_withheld(facts) {
        return Some(stream_withheld());
    } else if let Some(refusal) = refusal_ignored(facts) {
        let client = &facts.cell.client;
        let why =
            format!("the server answered `initialize` with an error ({refusal}), and {client} went on waiting: {what}");
        (Fault::Client, Some(NoSessionCause::RefusalIgnored), why)
    } else {
        (Fault::of(waiting_for), None, format!("the {waiting_for} did not answer: {what}"))
    };
    Some(Ending { cause, ..Ending::of(Outcome::Hung, Some(fault), why) })
}

fn stream_withheld() -> Ending {
    let why = "the server did not answer the GET for its stream in time, not even with a status".to_owned();
    Ending { cause: Some(NoSessionCause::StreamWithheld), ..Ending::of(Outcome::Hung, Some(Fault::Server), why) }
}

/// The words of the error that answered the last `initialize` of a client that still waits.
fn refusal_ignored(facts: &Facts<'_>) -> Option<String> {
    let Answer::Error(at) = facts.exchanges_of("initialize").last()?.1.answer else { return None };
    let message = facts.messages[at].json.get("error")?.get("message").and_then(Json::as_str)?;
    let code = facts.messages[at].error_code().map(|code| format!("{code}: ")).unwrap_or_default();
    Some(format!("{code}{}", excerpt(message)))
}

/// Returns true if no step succeeded, and one timed out.
fn gave_up(facts: &Facts<'_>) -> bool {
    let steps = &facts.observation.steps;
    steps.iter().all(|seen| matches!(seen, Seen::Failed(_)))
        && steps.iter().any(|seen| matches!(seen, Seen::Failed(error) if error.layer == Layer::Timeout))
}

/// Returns true if the client waited for its stream in vain: the head of the response to its GET came late or never,
/// and the client asked for nothing before it. A GET is to be answered with a stream, or with status 405.
/// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server>
fn is_stream_withheld(facts: &Facts<'_>) -> bool {
    let entries = &facts.transcript.entries;
    let heads = || entries.iter().filter_map(|entry| Some((entry.at_us, entry.event.head()?)));
    let responses = heads().rev().filter(|(_, head)| matches!(head.start, Start::Response { .. }));
    let answered: HashMap<u32, u64> = responses.map(|(at, head)| (head.exchange, at)).collect();
    let is_get = |head: &Head| matches!(&head.start, Start::Request { method } if method == "GET");
    let came = |get: &Head| answered.get(&get.exchange).copied().unwrap_or(u64::MAX);
    let late = heads().find(|(asked, head)| is_get(head) && came(head).saturating_sub(*asked) > LATE_US);
    let Some(at) = late.map(|(_, head)| came(head)) else { return false };
    // What the client sends afterwards is of use only if it is served.
    facts.exchanges.all.iter().all(|exchange| {
        let request = &facts.messages[exchange.request];
        let asked = entries.get(request.seq as usize).map_or(0, |entry| entry.at_us);
        matches!(request.method(), Some("initialize" | "server/discover"))
            || (asked > at && !matches!(exchange.answer, Answer::Result(_)))
    })
}

/// Returns true if all that the client had asked for, in the modern way, was left open when the server ended. A server
/// of the other era may end for that: it is how they fail to meet. Our own know better.
fn ends_at_the_probe(facts: &Facts<'_>) -> bool {
    let unserved = |exchange: &Exchange| {
        exchange.answer == Answer::None && facts.messages[exchange.request].meta(META_VERSION).is_some()
    };
    let all = &facts.exchanges.all;
    !facts.cell.server.is_mock() && !all.is_empty() && all.iter().all(unserved)
}

/// Returns true if the scenario has the server end before there is a session.
fn ends_at_the_opening(facts: &Facts<'_>) -> bool {
    facts.revision().is_none() && facts.server_ends() && facts.opening_is_silent()
}

/// Returns true if the server ended because the scenario has it end, and the client lived to tell.
fn ends_as_scripted(facts: &Facts<'_>) -> bool {
    facts.revision().is_some() && facts.server_ends() && facts.observation.steps.len() == facts.scenario.steps.len()
}

/// Returns true if the scenario has the server say something else of itself than it would.
fn opening_is_scripted(facts: &Facts<'_>) -> bool {
    let openings = facts.exchanges_of("initialize").chain(facts.exchanges_of("server/discover"));
    openings.into_iter().any(|(_, exchange)| facts.scripted_answer(exchange).is_some())
}

/// A server that legally says that it has no tools.
fn without_tools(facts: &Facts<'_>) -> Option<String> {
    let tools = || facts.exchanges_of("tools/list").chain(facts.exchanges_of("tools/call"));
    if tools().any(|(_, exchange)| matches!(exchange.answer, Answer::Result(_))) {
        return None;
    }
    // A server that is made to say so does not mean it.
    let unknown = facts.exchanges_of("tools/list").any(|(_, exchange)| {
        let refused = matches!(exchange.answer, Answer::Error(at) if facts.messages[at].error_code() == Some(-32601));
        refused && facts.scripted_answer(exchange).is_none()
    });
    if unknown && facts.revision().is_some() {
        Some("the server does not know tools/list (-32601)".to_owned())
    } else if facts.session.tools == ToolsCapability::Absent && tools().next().is_none() && !opening_is_scripted(facts)
    {
        Some("the server does not declare the tools capability".to_owned())
    } else {
        None
    }
}
