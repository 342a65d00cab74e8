//! Answer of a server to a call of a tool that it does not list.
//!
//! The specification gives an unknown tool the same error code as invalid arguments. So a call that fails with this
//! code is compared with a call of a tool that certainly does not exist.

use std::collections::BTreeMap;

use mcp_compat_author::capture::{CapturedCall, CapturedTool};
use mcp_compat_json::Json;
use mcp_compat_model::Revision;
use mcp_compat_model::peer_contract::JobStep;
use mcp_compat_scenario::write::Answer;
use serde_json::value::RawValue;

use super::snapshot::ToolSnapshot;
use crate::probe::{ProbeError, ServerProbe};

/// The JSON-RPC code of a method that the server does not have.
const METHOD_NOT_FOUND: i64 = -32601;

/// The JSON-RPC code of invalid parameters, and of an unknown tool.
const INVALID_PARAMS: i64 = -32602;

/// Words about a tool that a server does not have.
const OF_UNKNOWN: [&str; 6] = ["unknown", "not found", "no such", "does not exist", "not registered", "unsupported"];

/// A tool that a server does not list, and the error with which the server answers a call of it.
#[derive(Clone, Debug)]
pub(super) struct UnlistedTool {
    name: String,
    error: RpcError,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct RpcError {
    code: i64,
    message: String,
}

impl UnlistedTool {
    /// Calls a tool that the server does not list. Returns `None` if the server does not answer with an error.
    pub(super) async fn call(
        probe: &ServerProbe,
        revision: Revision,
        tools: &[CapturedTool],
    ) -> Result<Option<Self>, ProbeError> {
        let mut name = "unlisted_tool".to_owned();
        while tools.iter().any(|tool| tool.name == name) {
            name.push('_');
        }
        let no_arguments =
            RawValue::from_string("{}".to_owned()).unwrap_or_else(|_| unreachable!("an empty object is JSON"));
        let steps = [JobStep::List {}, JobStep::call(name.clone(), no_arguments)];
        let session = probe.play(revision, &steps).await?;
        let error = session.calls.iter().find(|call| call.tool == name).and_then(RpcError::of);
        Ok(error.map(|error| Self { name, error }))
    }

    /// Returns whether the server answered a call as it answers a call of this tool, in words about a tool that it does not
    /// have. A server may check the arguments before the name.
    fn is_answered_like(&self, call: &CapturedCall, error: &RpcError) -> bool {
        let expected = self.error.message.replace(&self.name, &call.tool);
        let words = error.message.to_lowercase();
        let is_about_name = expected != self.error.message || OF_UNKNOWN.iter().any(|known| words.contains(known));
        self.error.code == error.code && expected == error.message && is_about_name
    }
}

impl RpcError {
    fn of(call: &CapturedCall) -> Option<Self> {
        let Answer::Error(text) = &call.answer else { return None };
        let error = Json::parse(text).ok()?;
        let message = error.get("message").and_then(Json::as_str).unwrap_or_default().to_owned();
        Some(Self { code: error.get("code")?.as_number()?.as_i64()?, message })
    }
}

/// The newest revision at which a call failed with the code of an unknown tool.
pub(super) fn unclear_at(snapshots: &BTreeMap<String, Vec<ToolSnapshot>>) -> Option<Revision> {
    let is_unclear = |snapshot: &&ToolSnapshot| {
        snapshot.call.as_ref().and_then(RpcError::of).is_some_and(|error| error.code == INVALID_PARAMS)
    };
    snapshots.values().flatten().filter(is_unclear).map(|snapshot| snapshot.revision).max()
}

/// Returns whether the server answered a call as if it did not have the tool.
pub(super) fn is_unknown(call: &CapturedCall, unlisted: Option<&UnlistedTool>) -> bool {
    RpcError::of(call).is_some_and(|error| match error.code {
        METHOD_NOT_FOUND => true,
        INVALID_PARAMS => unlisted.is_some_and(|unlisted| unlisted.is_answered_like(call, &error)),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::as_an_unlisted_tool(r#"{"code":-32602,"message":"Tool look not found"}"#, true)]
    #[case::for_its_arguments(r#"{"code":-32602,"message":"look: /path not found"}"#, false)]
    #[case::as_an_unknown_method(r#"{"code":-32601,"message":"no"}"#, true)]
    #[case::with_another_error(r#"{"code":-32603,"message":"Tool look not found"}"#, false)]
    fn a_tool_is_unknown_if_it_is_answered_as_one_that_is_not_listed(#[case] error: &str, #[case] unknown: bool) {
        let call = |tool: &str, error: &str| CapturedCall {
            stage: 0,
            tool: tool.to_owned(),
            arguments: None,
            answer: Answer::Error(error.to_owned()),
            without: Vec::new(),
        };
        let other = call("unlisted_tool", r#"{"code":-32602,"message":"Tool unlisted_tool not found"}"#);
        let unlisted = UnlistedTool { name: other.tool.clone(), error: RpcError::of(&other).unwrap() };
        assert_eq!(is_unknown(&call("look", error), Some(&unlisted)), unknown);
    }

    #[rstest]
    #[case::about_the_tool("no such tool", true)]
    #[case::about_the_arguments("order: expected ASC or DESC", false)]
    fn a_server_that_checks_arguments_before_names_may_know_the_tool(#[case] message: &str, #[case] unknown: bool) {
        let error = RpcError { code: INVALID_PARAMS, message: message.to_owned() };
        let unlisted = UnlistedTool { name: "unlisted_tool".to_owned(), error };
        let answer = Answer::Error(format!(r#"{{"code":-32602,"message":"{message}"}}"#));
        let call = CapturedCall { stage: 0, tool: "look".to_owned(), arguments: None, answer, without: Vec::new() };
        assert_eq!(is_unknown(&call, Some(&unlisted)), unknown);
    }
}
