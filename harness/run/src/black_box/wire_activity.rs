//! Reads from the wire what a black-box client did.

use mcp_compat_json::Json;
use mcp_compat_judge::wire::exchange::{Answer, exchanges};
use mcp_compat_judge::wire::message::messages;
use mcp_compat_judge::wire::session::Session;
use mcp_compat_model::transcript::{Event, Transcript};
use mcp_compat_model::{Revision, Role};

/// Actions of a client, as far as the wire shows them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireActivity {
    /// It sent something.
    pub connected: bool,
    /// The revision that the two spoke.
    pub revision: Option<Revision>,
    /// It asked for the tools and got an answer.
    pub listed: bool,
    pub called: bool,
    /// The call got an answer.
    pub answered: bool,
    /// True if that answer is an error, or a result with `isError`.
    pub failed: bool,
    /// It fetched an address only because a schema names it.
    pub fetched: bool,
}

/// The names of the tools that a client called, in order.
pub fn called_tools(transcript: &Transcript) -> Vec<String> {
    let messages = messages(transcript);
    let calls = messages.iter().filter(|message| message.method() == Some("tools/call"));
    calls.filter_map(|call| call.param("name")?.as_str().map(str::to_owned)).collect()
}

/// The result of the last call of a tool that was answered with one.
pub(crate) fn result_of_call(transcript: &Transcript, tool: &str) -> Option<Json> {
    let messages = messages(transcript);
    let results = exchanges(&messages, transcript).all;
    let mut results = results.iter().filter_map(|exchange| {
        let request = &messages[exchange.request];
        let is_call = request.method() == Some("tools/call") && request.param("name")?.as_str() == Some(tool);
        let Answer::Result(at) = exchange.answer else { return None };
        is_call.then(|| messages[at].result().cloned())?
    });
    results.next_back()
}

impl WireActivity {
    /// Reads the activity from a transcript. `tool` is the one that the client has to call.
    pub fn read(transcript: &Transcript, tool: &str) -> Self {
        let messages = messages(transcript);
        let exchanges = exchanges(&messages, transcript);
        let session = Session::read(&messages, &exchanges, transcript);
        let from_client = |event: &Event| matches!(event, Event::Message { .. } | Event::Head { .. });
        let mut activity = Self {
            connected: transcript.entries.iter().any(|entry| entry.from == Role::Client && from_client(&entry.event)),
            revision: session.revision,
            fetched: transcript.entries.iter().any(|entry| matches!(entry.event, Event::Fetched { .. })),
            ..Self::default()
        };
        for exchange in &exchanges.all {
            let request = &messages[exchange.request];
            let answered = !matches!(exchange.answer, Answer::None);
            match request.method() {
                Some("tools/list") => activity.listed |= answered,
                Some("tools/call") if request.param("name").and_then(Json::as_str) == Some(tool) => {
                    activity.called = true;
                    activity.answered |= answered;
                    activity.failed |= match exchange.answer {
                        Answer::Result(at) => {
                            messages[at].result().and_then(|result| result.get("isError")?.as_bool()) == Some(true)
                        }
                        Answer::Error(_) => true,
                        Answer::Unreadable(_) | Answer::Status { .. } | Answer::None => false,
                    };
                }
                Some(_) | None => {}
            }
        }
        activity
    }
}
