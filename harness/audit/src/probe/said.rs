//! Things that a server said, and did not say, in a session.

use mcp_compat_judge::wire::exchange::{Answer, exchanges};
use mcp_compat_judge::wire::message::{Message, Shape, messages};
use mcp_compat_judge::wire::session::is_of_modern_server;
use mcp_compat_model::Role;
use mcp_compat_model::excerpt::excerpt;
use mcp_compat_model::observation::End;
use mcp_compat_model::read_limit::ReadLimit;
use mcp_compat_model::shapes::{DISCOVER, Official, mismatches};
use mcp_compat_model::transcript::{Entry, Event, Raw, Start};

use super::ProbeSession;

/// Returns whether the server sent anything.
pub(super) fn said_something(session: &ProbeSession) -> bool {
    let message = |entry: &Entry| entry.from == Role::Server && matches!(entry.event, Event::Message { .. });
    session.transcript.entries.iter().any(message)
}

/// Returns whether a request was answered with words and an HTTP status that says that the server does not take it as it
/// is. An address without a server, a server without authorization and one that is overloaded have other statuses.
pub(super) fn is_bad_request(session: &ProbeSession) -> bool {
    let is_of_request = |status: u16| (400..500).contains(&status) && ![401, 403, 404, 405, 429].contains(&status);
    session.transcript.entries.iter().any(|entry| {
        matches!(&entry.event, Event::Message { http: Some(http), .. }
            if matches!(http.start, Start::Response { status } if is_of_request(status)))
    })
}

/// Returns whether the server sent a message: what it prints beside messages is no answer.
pub(super) fn sent_a_message(session: &ProbeSession) -> bool {
    let is_message = |message: &Message<'_>| {
        let is_read =
            !matches!(message.shape, Shape::Unreadable | Shape::NotRead(ReadLimit::Length(_) | ReadLimit::Together(_)));
        message.from == Role::Server && is_read
    };
    messages(&session.transcript).iter().any(is_message)
}

/// Returns whether a request of the client has no answer of any kind.
pub(super) fn has_open_request(session: &ProbeSession) -> bool {
    let messages = messages(&session.transcript);
    exchanges(&messages, &session.transcript).all.iter().any(|exchange| exchange.answer == Answer::None)
}

/// The first lines that a server printed and that are no messages.
pub(super) fn noise(session: &ProbeSession) -> Vec<String> {
    const LINES: usize = 3;
    let line = |message: &Message<'_>| match session.transcript.entry(message.seq)?.event.message_or_its_start()? {
        Raw::Text(text) => Some(excerpt(text.trim_end())).filter(|text| !text.is_empty()),
        Raw::Base64(_) => Some("(bytes that are not UTF-8)".to_owned()),
    };
    let messages = messages(&session.transcript);
    let noise = messages.iter().filter(|message| message.from == Role::Server && message.shape == Shape::Unreadable);
    noise.filter_map(line).take(LINES).collect()
}

/// The last request of the client.
fn asked_last(session: &ProbeSession) -> Option<String> {
    let messages = messages(&session.transcript);
    let mut asked = messages.iter().filter(|message| message.from == Role::Client).filter_map(Message::method);
    asked.next_back().map(str::to_owned)
}

/// Reason why the server does not speak a revision. `None` if it speaks it.
pub(super) fn why_refused(
    session: &ProbeSession,
    ended: Option<String>,
    no_session: Option<String>,
    unreachable: bool,
) -> Option<String> {
    let observation = &session.observation;
    match &observation.end {
        // The act of the server counts, not the report of the client.
        End::NoSession(error) => Some(no_session.unwrap_or_else(|| error.message.clone())),
        End::Unsupported { reason, .. } => Some(reason.clone()),
        End::TimedOut { what, .. } => Some(format!("no answer in time: {what}")),
        // The session was open: what it showed before the crash counts.
        End::Crashed { .. } if observation.negotiated.is_some() => None,
        End::Crashed { how, .. } if unreachable => Some(how.clone()),
        End::Crashed { how, .. } => {
            let how = ended.as_ref().unwrap_or(how);
            Some(match asked_last(session) {
                Some(method) => format!("the server ended before it answered {method} ({how})"),
                None => format!("the server ended ({how})"),
            })
        }
        End::NotStarted { why, .. } | End::HarnessFailed { why } => Some(why.clone()),
        End::Answered {} => None,
    }
}

/// Problem of the result of `server/discover`, if it is that of a modern server and cannot be read.
pub(super) fn unreadable_discovery(session: &ProbeSession) -> Option<String> {
    let messages = messages(&session.transcript);
    let exchanges = exchanges(&messages, &session.transcript).all;
    let discovered = exchanges.iter().find(|asked| messages[asked.request].method() == Some("server/discover"))?;
    let result = messages[discovered.answer.message()?].result().filter(|result| is_of_modern_server(result))?;
    let wrong = mismatches(&Official(session.revision), &DISCOVER, result).into_iter().next()?;
    Some(format!("`{}` of the result of `server/discover` {}", wrong.path(), wrong.problem))
}
