//! The result of `initialize`, where the official schema does not allow it. A client that rejects it has no session, so it
//! is replayed with each tool.

use std::sync::Arc;

use mcp_compat_json::Json;
use mcp_compat_model::Revision;
use mcp_compat_model::peer_contract::{AnsweredMethod, Reply, ScriptedAnswer};
use mcp_compat_scenario::Scenario;
use mcp_compat_shapes::{INITIALIZE, Official, mismatches};
use mcp_compat_wire::exchange::exchanges;
use mcp_compat_wire::message::messages;
use serde_json::value::RawValue;

use crate::probe::ProbeSession;

/// How many bytes of it are replayed. They are sent again with each tool.
const MOST_BYTES: usize = 16_384;

/// That of a session. `None` if none came, the schema allows it, or it is too large.
pub(super) fn wrong_opening(session: &ProbeSession) -> Option<Arc<str>> {
    let messages = messages(&session.transcript);
    let exchanges = exchanges(&messages, &session.transcript);
    let is_opening = |request: usize| messages[request].method() == Some("initialize");
    let mut openings = exchanges.all.iter().filter(|exchange| is_opening(exchange.request));
    let result = openings.find_map(|exchange| messages[exchange.answer.message()?].result())?;
    wrong(result, session.revision)
}

fn wrong(result: &Json, revision: Revision) -> Option<Arc<str>> {
    if mismatches(&Official(revision), &INITIALIZE, result).is_empty() {
        return None;
    }
    Some(result.to_compact()).filter(|text| text.len() <= MOST_BYTES).map(Arc::from)
}

/// Lets the server of a scenario answer `initialize` with it.
pub(super) fn open_with(opening: &str, scenario: &mut Scenario) {
    if let Ok(result) = RawValue::from_string(opening.to_owned()) {
        scenario.answers.push(ScriptedAnswer {
            to: AnsweredMethod::Initialize,
            page: None,
            reply: Reply::Result(result),
        });
    }
}

/// Without members that are null. `None` if none is.
pub(super) fn without_nulls(opening: &str) -> Option<Arc<str>> {
    let opening = Json::parse(opening).ok()?;
    let dense = dense(&opening);
    (dense != opening).then(|| Arc::from(dense.to_compact()))
}

/// What the server's author keeps in `_meta` and `experimental` stays as it is.
fn dense(json: &Json) -> Json {
    match json {
        Json::Object(members) => {
            let kept = members.iter().filter(|(_, value)| !value.is_null());
            let kept = kept.map(|(key, value)| match key.as_str() {
                Some("_meta" | "experimental") => (key.clone(), value.clone()),
                Some(_) | None => (key.clone(), dense(value)),
            });
            Json::Object(kept.collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(dense).collect()),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => json.clone(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::sound(r#""serverInfo":{"name":"s","version":"1"}"#, false)]
    #[case::null(r#""serverInfo":{"name":"s","version":"1"},"instructions":null"#, true)]
    #[case::no_version(r#""serverInfo":{"name":"s"}"#, true)]
    #[case::another_member(r#""serverInfo":{"name":"s","version":"1","edition":null}"#, false)]
    fn only_what_the_schema_does_not_allow_is_replayed(#[case] members: &str, #[case] is_wrong: bool) {
        let result = format!(r#"{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},{members}}}"#);
        let found = wrong(&Json::parse(&result).unwrap(), Revision::V2025_11_25);
        assert_eq!(found.as_deref(), is_wrong.then_some(result.as_str()));
    }

    #[test]
    fn nulls_are_left_out_but_for_those_that_are_data() {
        let opening =
            r#"{"capabilities":{"tools":{"listChanged":null},"experimental":{"a":null}},"instructions":null}"#;
        let dense = r#"{"capabilities":{"tools":{},"experimental":{"a":null}}}"#;
        assert_eq!(without_nulls(opening).as_deref(), Some(dense));
        assert_eq!(without_nulls(dense), None);
    }
}
