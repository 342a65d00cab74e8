//! Notifications of a server: progress, log messages, and changes of its tools.

use mcp_compat_json::{Json, Number};
use mcp_compat_model::verdict::Party;
use mcp_compat_model::{Era, Role};

use super::rule::{Affects, Check, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::Facts;
use crate::wire::exchange::{Answer, Exchange};
use crate::wire::message::{Message, Shape};
use mcp_compat_model::excerpt::{excerpt, quoted};

pub(super) static PROGRESS_TOKEN_FRESH: Rule = Rule {
    id: "progress-token-fresh",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Client,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#progress-flow",
    title: "A progress token is a string or an integer that no other open request uses.",
    violation: "a progress token that is invalid or already in use",
    explanation: "The token is the only link between progress and its call. If two open calls have the same token, the \
                  client shows the progress of one as that of the other, or extends the wrong deadline.",
    remedy: "give every request its own progress token, a string or an integer",
    fix: None,
    check: Check::Wire(token_fresh),
};

/// Rule about the tokens of progress.
pub static PROGRESS_TOKEN_KNOWN: Rule = Rule {
    id: "progress-token-known",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#behavior-requirements",
    title: "Progress names the token of a request that is still open.",
    violation: "progress with the token of no open request",
    explanation: "A token that the client never sent, or whose request has been answered, matches no open request. \
                  Some clients drop such progress. Others treat the session as broken, and lose the result that \
                  follows.",
    remedy: "send progress with the token that an open request gives in `_meta.progressToken`, and none for a request without \
             one",
    fix: None,
    check: Check::Wire(token_known),
};

pub(super) static PROGRESS_INCREASES: Rule = Rule {
    id: "progress-increases",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#progress-flow",
    title: "Each progress notification of a request has a higher value than the one before.",
    violation: "progress that does not increase",
    explanation: "Some clients wait as long as there is progress. They ignore a value that does not increase, and \
                  abandon the call before its result arrives.",
    remedy: "increase `progress` with every notification",
    fix: None,
    check: Check::Wire(increases),
};

pub(super) static LOG_ONLY_WHERE_ASKED: Rule = Rule {
    id: "log-only-where-asked",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging#per-request-log-level",
    title: "From 2026-07-28 on, a server sends log messages only for a request that asked for them.",
    violation: "log messages that no request asked for",
    explanation: "A request asks with `io.modelcontextprotocol/logLevel` in its `_meta`. A client that did not ask \
                  need not support the notification, and may fail on it before it reads the result.",
    remedy: "send `notifications/message` only before the answer to a request that sets a log level",
    fix: None,
    check: Check::Wire(log_where_asked),
};

pub(super) static LOGGING_CAPABILITY_DECLARED: Rule = Rule {
    id: "logging-capability-declared",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging#capabilities",
    title: "A server that sends log messages declares the `logging` capability.",
    violation: "log messages without the `logging` capability",
    explanation: "Clients use the capability to prepare for log messages. Without it, a client may fail on a \
                  notification that it does not expect, before it reads the result.",
    remedy: "declare the `logging` capability, or write the log elsewhere",
    fix: None,
    check: Check::Wire(logging_declared),
};

pub(super) static LIST_CHANGED_WHERE_ASKED: Rule = Rule {
    id: "list-changed-where-asked",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#opening-a-stream",
    title: "From 2026-07-28 on, a server reports changed tools only on a subscription that asked for it.",
    violation: "changed tools reported without a subscription",
    explanation: "Without `subscriptions/listen`, the client does not expect the notification. It may drop the \
                  notification or fail on it before it reads a result, and keeps using an outdated list.",
    remedy: "announce changed tools on an open, acknowledged subscription with `toolsListChanged`",
    fix: None,
    check: Check::Wire(changed_where_asked),
};

pub(super) static SUBSCRIPTION_ID_CARRIED: Rule = Rule {
    id: "subscription-id-carried",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#receiving-notifications",
    title: "A notification of a subscription carries the id of the request that opened it.",
    violation: "a notification without the id of its subscription",
    explanation: "Over stdio all subscriptions share one channel, and a client matches a notification to its \
                  subscription by the id in `_meta`. Without the id, the client does not learn that its list of tools \
                  is outdated.",
    remedy: "put `io.modelcontextprotocol/subscriptionId` into the `_meta` of every notification of a subscription",
    fix: None,
    check: Check::Wire(subscription_id),
};

const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
const LIST_CHANGED: &str = "notifications/tools/list_changed";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const TOKEN: &str = "progressToken";

/// The server's notifications of one method, each with its place.
fn told<'f, 'a>(facts: &'f Facts<'a>, method: &'static str) -> impl Iterator<Item = (usize, &'f Message<'a>)> {
    facts.messages.iter().enumerate().filter(move |(_, message)| {
        message.from == Role::Server && message.shape == Shape::Notification && message.method() == Some(method)
    })
}

/// The requests that were sent before a place and not answered by then.
fn open_at<'f, 'a>(facts: &'f Facts<'a>, place: usize) -> impl Iterator<Item = &'f Message<'a>> {
    let is_open = move |exchange: &&Exchange| match exchange.answer {
        Answer::Result(at) | Answer::Error(at) => at > place,
        Answer::Unreadable(_) | Answer::Status { .. } | Answer::None => true,
    };
    let sent = facts.exchanges.all.iter().filter(move |exchange| exchange.request < place);
    sent.filter(is_open).map(|exchange| &facts.messages[exchange.request])
}

fn token_fresh(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for exchange in &facts.exchanges.all {
        let request = &facts.messages[exchange.request];
        let Some(token) = request.meta(TOKEN) else { continue };
        let is_integer = token.as_number().is_some_and(Number::is_integer);
        let wrong = if token.as_str().is_none() && !is_integer {
            "is neither a string nor an integer"
        } else if open_at(facts, exchange.request).any(|other| other.meta(TOKEN) == Some(token)) {
            "is also used by another open request"
        } else {
            continue;
        };
        let detail = format!("the progress token {} {wrong}", excerpt(&token.to_compact()));
        violations.push(Violation::new(detail, [request.seq]));
    }
    violations
}

fn token_known(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (place, message) in told(facts, "notifications/progress") {
        let detail = match message.param(TOKEN) {
            None => "the server sent progress without a token".to_owned(),
            Some(token) if open_at(facts, place).any(|request| request.meta(TOKEN) == Some(token)) => continue,
            Some(token) => {
                format!(
                    "the server sent progress with the token {}, which no open request has",
                    excerpt(&token.to_compact())
                )
            }
        };
        violations.push(Violation::new(detail, [message.seq]));
    }
    violations
}

fn increases(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    // By request and not by token: when a request is answered, its token may be given anew.
    let mut last: Vec<(u32, &Number)> = Vec::new();
    for (place, message) in told(facts, "notifications/progress") {
        let Some(token) = message.param(TOKEN) else { continue };
        let Some(request) = open_at(facts, place).find(|request| request.meta(TOKEN) == Some(token)) else { continue };
        let Some(progress) = message.param("progress").and_then(Json::as_number) else {
            violations.push(Violation::new("the server sent progress without a number", [message.seq]));
            continue;
        };
        match last.iter_mut().find(|(known, _)| *known == request.seq) {
            None => last.push((request.seq, progress)),
            Some((_, before)) => {
                if progress <= *before {
                    let detail = format!("the server sent progress {} after {}", number(progress), number(before));
                    violations.push(Violation::new(detail, [message.seq]));
                }
                *before = progress;
            }
        }
    }
    violations
}

fn number(number: &Number) -> String {
    excerpt(number.lexeme())
}

fn log_where_asked(facts: &Facts<'_>) -> Vec<Violation> {
    let asked = |place: usize| open_at(facts, place).any(|request| request.meta(LOG_LEVEL).is_some());
    told(facts, "notifications/message")
        .filter(|(place, _)| !asked(*place))
        .map(|(_, message)| {
            Violation::new("the server sent a log message, and no open request asked for any", [message.seq])
        })
        .collect()
}

const LOG_UNDECLARED: &str = "the server sent a log message, and its capabilities do not have `logging`";

fn logging_declared(facts: &Facts<'_>) -> Vec<Violation> {
    if facts.declares("logging") != Some(false) {
        return Vec::new();
    }
    let first = told(facts, "notifications/message").next();
    first.map(|(_, message)| Violation::new(LOG_UNDECLARED, [message.seq])).into_iter().collect()
}

fn changed_where_asked(facts: &Facts<'_>) -> Vec<Violation> {
    told(facts, LIST_CHANGED)
        .filter(|(place, _)| !listens(facts, *place))
        .map(|(_, message)| {
            Violation::new("the server reported a change of its tools, and no subscription asked for it", [message.seq])
        })
        .collect()
}

fn subscription_id(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    let methods = [LIST_CHANGED, ACKNOWLEDGED];
    for (_, message) in methods.into_iter().flat_map(|method| told(facts, method)) {
        let opened =
            |id: &Json| facts.exchanges_of("subscriptions/listen").any(|(request, _)| request.id() == Some(id));
        let what = quoted(message.method().unwrap_or_default());
        match message.meta(SUBSCRIPTION_ID) {
            Some(id) if opened(id) => {}
            Some(_) => {
                violations.push(Violation::new(format!("{what} carries the id of no subscription"), [message.seq]))
            }
            None => violations.push(Violation::new(format!("{what} carries no subscription id"), [message.seq])),
        }
    }
    violations
}

/// Returns true if the server has to notify the client of a change: always in a session, without one if the client
/// subscribed.
pub(super) fn listens(facts: &Facts<'_>, place: usize) -> bool {
    let acknowledged = || told(facts, ACKNOWLEDGED).any(|(at, _)| at < place);
    let asks = |request: &Message<'_>| {
        let changes = request.param("notifications").and_then(|filter| filter.get("toolsListChanged"));
        changes.and_then(Json::as_bool) == Some(true)
    };
    facts.era() == Some(Era::Legacy)
        || facts
            .exchanges_of("subscriptions/listen")
            .any(|(request, exchange)| exchange.request < place && asks(request) && acknowledged())
}
