//! Notifications that a server sends before it has answered `initialize`.

use std::collections::BTreeSet;

use mcp_compat_judge::wire::exchange::exchanges;
use mcp_compat_judge::wire::message::{Shape, messages};
use mcp_compat_model::audit::AuditFinding;
use mcp_compat_model::excerpt::quoted;
use mcp_compat_model::transcript::Transcript;
use mcp_compat_model::{Revision, Role};

use super::session_rules::NOTHING_COMES_BEFORE_INITIALIZE;
use crate::probe::ProbeSession;

/// Report: wonderwhy-er/DesktopCommanderMCP#188.
const LOST: &str =
    "clients that take the first message for the answer, such as Forge on an earlier release of rmcp: the session";

pub(super) fn finding<'s>(sessions: impl Iterator<Item = &'s ProbeSession>) -> Option<AuditFinding> {
    let early = sessions.filter_map(|session| Some((session.revision, first_early(&session.transcript)?)));
    let early: Vec<(Revision, String)> = early.collect();
    let (_, method) = early.first()?;
    let at: BTreeSet<Revision> = early.iter().map(|(revision, _)| *revision).collect();
    let detail = format!("{} comes before the answer to `initialize`", quoted(method));
    let finding = NOTHING_COMES_BEFORE_INITIALIZE.violated(detail, at.into_iter().collect());
    Some(AuditFinding { lost_elsewhere: Some(LOST.to_owned()), ..finding })
}

/// The method of the first notification before the answer to `initialize`.
fn first_early(transcript: &Transcript) -> Option<String> {
    let messages = messages(transcript);
    let exchanges = exchanges(&messages, transcript).all;
    let opening = exchanges.iter().find(|exchange| messages[exchange.request].method() == Some("initialize"))?;
    let before = &messages[..opening.answer.message()?];
    let early = before.iter().find(|message| message.from == Role::Server && message.shape == Shape::Notification)?;
    early.method().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::transcript::{Entry, Event, Raw};

    use super::*;

    const ASKED: (Role, &str) = (Role::Client, r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#);
    const ANSWER: (Role, &str) = (Role::Server, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    const LOG: (Role, &str) = (Role::Server, r#"{"jsonrpc":"2.0","method":"notifications/message"}"#);

    fn early(lines: &[(Role, &str)]) -> Option<String> {
        let entry = |(seq, (from, text)): (usize, &(Role, &str))| Entry {
            seq: u32::try_from(seq).unwrap(),
            at_us: 0,
            from: *from,
            event: Event::Message { raw: Raw::Text((*text).to_owned()), http: None },
        };
        first_early(&Transcript { entries: lines.iter().enumerate().map(entry).collect() })
    }

    #[test]
    fn a_log_is_early_until_initialize_is_answered() {
        assert_eq!(early(&[ASKED, LOG, ANSWER]).as_deref(), Some("notifications/message"));
        assert_eq!(early(&[LOG, ASKED, ANSWER]).as_deref(), Some("notifications/message"));
        assert_eq!(early(&[ASKED, ANSWER, LOG]), None);
    }
}
