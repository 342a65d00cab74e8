//! Ids with which a client numbers its requests, and that servers in some languages cannot give back.

use mcp_compat_json::{Json, Number};
use mcp_compat_judge::wire::message::messages;
use mcp_compat_model::Role;
use mcp_compat_model::audit::Severity;
use mcp_compat_model::client_audit::Conclusion;
use mcp_compat_model::transcript::Transcript;
use mcp_compat_model::verdict::Fault;

use super::Session;

/// The largest integer up to which a double holds each one exactly.
const LARGEST: i64 = (1 << 53) - 1;

/// The address of the type of an id.
const SOURCE: &str = "https://modelcontextprotocol.io/specification/2025-11-25/basic/index#requests";

/// An id that some servers cannot give back. One that is no integer breaks a rule of the judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OddId {
    method: String,
    /// The number as it was sent.
    id: String,
}

/// The first id in a session that some servers cannot give back.
pub(super) fn odd_id(transcript: &Transcript) -> Option<OddId> {
    let messages = messages(transcript);
    let mut requests = messages.iter().filter(|message| message.from == Role::Client);
    requests.find_map(|request| {
        let (method, Json::Number(id)) = (request.method()?, request.id()?) else { return None };
        is_rounded(id).then(|| OddId { method: method.to_owned(), id: id.lexeme().to_owned() })
    })
}

/// Returns true for an integer that a double does not hold for sure.
fn is_rounded(id: &Number) -> bool {
    let is_plain = id.is_integer() && !id.lexeme().contains(['.', 'e', 'E']);
    is_plain && id.as_i64().is_none_or(|id| !(-LARGEST..=LARGEST).contains(&id))
}

/// The conclusion from the ids of all sessions.
pub(super) fn conclusion(session: &Session) -> Option<Conclusion> {
    let OddId { method, id } = session.notes.odd_ids.values().next()?;
    let with = |id: &_| session.record.cells.iter().find(|cell| cell.id == *id).map(super::place);
    Some(Conclusion {
        is_the_clients: true,
        fault: Some(Fault::Client),
        silent: false,
        severity: Severity::Warning,
        known: false,
        what: format!(
            "The client numbers requests with integers that a double does not hold: {method} has the id {id}. Servers \
             that read numbers as doubles, as those in JavaScript do, answer with {}, and the client waits for an answer \
             to {id}. To fix in the client: count requests from 1, or use texts as ids.",
            as_double(id)
        ),
        rule: None,
        source: Some(SOURCE.to_owned()),
        seen: session.notes.odd_ids.keys().filter_map(with).collect(),
    })
}

/// An integer as JavaScript writes it after reading it.
fn as_double(lexeme: &str) -> String {
    match lexeme.parse::<f64>() {
        Ok(double) if double.abs() < 1e21 => double.to_string(),
        Ok(double) => format!("{double:e}"),
        Err(_) => "another number".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::transcript::{Entry, Event, Raw};
    use rstest::rstest;

    use super::*;

    #[test]
    fn an_integer_is_told_as_javascript_writes_it() {
        assert_eq!(as_double("1764278731123456789"), "1764278731123456800");
        assert_eq!(as_double("9007199254740993"), "9007199254740992");
    }

    #[rstest]
    #[case::a_count("1", false)]
    #[case::a_count_with_a_point("1.0", false)]
    #[case::the_last_exact("9007199254740991", false)]
    #[case::beyond("9007199254740992", true)]
    #[case::negative("-9007199254740992", true)]
    #[case::nanoseconds("1764278731123456789", true)]
    #[case::beyond_64_bits("99999999999999999999", true)]
    #[case::a_text("\"9007199254740993\"", false)]
    fn an_id_is_odd_if_a_double_does_not_hold_it(#[case] id: &str, #[case] expected: bool) {
        let raw = Raw::Text(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{}}}}"#));
        let entry = Entry { seq: 0, at_us: 0, from: Role::Client, event: Event::Message { raw, http: None } };
        let odd = odd_id(&Transcript { entries: vec![entry] });
        assert_eq!(odd.is_some(), expected);
    }
}
