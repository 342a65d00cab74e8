//! Answers of a varied server to messages, whatever carries them. Pure, but for the state of the client.

use std::collections::BTreeSet;
use std::time::Duration;

use super::behaviour::{Behaviour, CallError, SessionEnd};
use super::exchange::Exchange;
use crate::wire::jsonrpc::{INVALID_PARAMS, METHOD_NOT_FOUND, error_object, failure, response};
use crate::wire::object::{Object, read_string};
use mcp_compat_model::{Era, Revision};

/// State of one client.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) exchanges: Vec<Exchange>,
    pub(super) revision: Option<String>,
    pub(super) is_initialized: bool,
    /// Number of `initialize` requests.
    pub(super) opened: usize,
    /// The sessions that have ended, by number.
    pub(super) ended: BTreeSet<usize>,
    pub(super) has_called: bool,
    pub(super) has_replaced: bool,
    /// The answer that waits for a GET to resume its stream.
    pub(super) waiting: Option<Vec<u8>>,
}

/// Longest wait for the answers to requests that come ahead of an answer.
pub(super) const HOLD: Duration = Duration::from_secs(1);

/// An answer to a request.
pub(super) struct Answered {
    pub(super) message: Vec<u8>,
    /// Messages ahead of it.
    pub(super) before: Vec<Vec<u8>>,
    /// The ids of the requests among them, as JSON text.
    pub(super) awaited: Vec<String>,
    pub(super) status: u16,
    /// The code and the message, if it is an error.
    pub(super) code: Option<i64>,
    pub(super) told: Option<String>,
}

impl State {
    /// Returns true if the client has answered all these requests.
    pub(super) fn has_answers(&self, ids: &[String]) -> bool {
        ids.iter().all(|id| self.exchanges.iter().any(|it| it.is_answer_to(id)))
    }
}

/// Answers a request.
pub(super) fn answer(behaviour: &Behaviour, state: &mut State, id: &str, method: &str, params: &str) -> Answered {
    let of = |result: &str| Answered {
        message: response(id, result),
        before: Vec::new(),
        awaited: Vec::new(),
        status: 200,
        code: None,
        told: None,
    };
    let refused = |status, code, message: &str| Answered {
        message: failure(Some(id), &error_object(code, message, None)),
        before: Vec::new(),
        awaited: Vec::new(),
        status,
        code: Some(code),
        told: Some(message.to_owned()),
    };
    match method {
        "initialize" => {
            state.opened += 1;
            let revision = behaviour.revision.map_or_else(|| negotiated(params), str::to_owned);
            let mut result = behaviour.initialize.clone();
            result.set("protocolVersion", &format!("\"{revision}\""));
            state.revision = Some(revision);
            state.is_initialized = false;
            of(&result.text())
        }
        "ping" => of("{}"),
        "tools/list" => match list(behaviour, state.has_called, member(params, "cursor")) {
            Some(result) => {
                let before = filled(&behaviour.before_list, params);
                Answered { before: before.into_iter().map(String::into_bytes).collect(), ..of(&result) }
            }
            None => refused(200, INVALID_PARAMS, "the cursor leads nowhere"),
        },
        "tools/call" => {
            if behaviour.session_end == Some(SessionEnd::AfterCall) && !state.has_called {
                state.ended.insert(state.opened);
            }
            state.has_called = true;
            let before: Vec<String> = filled(&behaviour.before, params);
            let awaited = before.iter().filter_map(|message| asked(message)).collect();
            let before = before.into_iter().map(String::into_bytes).collect();
            // A client may choose another tool of the list, so all of them answer alike.
            match &behaviour.error {
                _ if behaviour.gives_up => Answered { message: cancelled(id), ..of("{}") },
                Some(CallError { object, status }) => Answered {
                    message: failure(Some(id), object),
                    before,
                    awaited,
                    status: *status,
                    code: Object::read(object).and_then(|object| object.get("code")?.parse().ok()),
                    told: member(object, "message"),
                },
                None => Answered { before, awaited, ..of(&result(behaviour)) },
            }
        }
        "resources/list" if behaviour.lenient || declares(behaviour, "resources") => of(r#"{"resources":[]}"#),
        "resources/templates/list" if behaviour.lenient || declares(behaviour, "resources") => {
            of(r#"{"resourceTemplates":[]}"#)
        }
        "prompts/list" if behaviour.lenient || declares(behaviour, "prompts") => of(r#"{"prompts":[]}"#),
        "logging/setLevel" if behaviour.lenient || declares(behaviour, "logging") => of("{}"),
        // A server without a session does not know the method. 2026-07-28 ties 404 to it.
        "server/discover" => refused(404, METHOD_NOT_FOUND, "Method not found: server/discover"),
        _ => refused(200, METHOD_NOT_FOUND, &format!("Method not found: {method}")),
    }
}

/// The notification that gives a request up.
fn cancelled(id: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":"The server is busy."}}}}"#)
        .into_bytes()
}

/// Returns true if the server declares a capability.
fn declares(behaviour: &Behaviour, capability: &str) -> bool {
    let text = behaviour.initialize.text();
    let of = |text: &str, key: &str| Some(Object::read(text)?.get(key)?.to_owned());
    of(&text, "capabilities").is_some_and(|capabilities| of(&capabilities, capability).is_some())
}

/// A member that is a string.
fn member(params: &str, key: &str) -> Option<String> {
    Some(read_string(Object::read(params)?.get(key)?)?.into_owned())
}

/// The revision that was asked for, if it has a handshake and is known, and else the newest one that has.
fn negotiated(params: &str) -> String {
    let asked: Option<Revision> = member(params, "protocolVersion").and_then(|version| version.parse().ok());
    asked.filter(|revision| revision.era() == Era::Legacy).unwrap_or(Revision::V2025_11_25).to_string()
}

/// The messages ahead of the answer to a request with these parameters.
fn filled(messages: &[String], params: &str) -> Vec<String> {
    let of = |text: &str, key: &str| Some(Object::read(text)?.get(key)?.to_owned());
    let token = of(params, "_meta").and_then(|meta| of(&meta, "progressToken"));
    let filled = |message: &String| match &token {
        Some(token) => Some(message.replace("{token}", token)),
        None => Some(message.clone()).filter(|message| !message.contains("{token}")),
    };
    messages.iter().filter_map(filled).collect()
}

/// The id of a request.
fn asked(message: &str) -> Option<String> {
    let message = Object::read(message)?;
    message.get("method")?;
    message.get("id").map(str::to_owned)
}

/// A page of the list: the other tools first, the called tool on the last page.
fn list(behaviour: &Behaviour, has_called: bool, cursor: Option<String>) -> Option<String> {
    let page = match cursor {
        None => 0,
        Some(cursor) => behaviour.cursors.iter().position(|known| *known == cursor)? + 1,
    };
    let mut tools = if page == 0 { behaviour.others.clone() } else { Vec::new() };
    if page == 0 && has_called && behaviour.grows {
        tools.push(r#"{"name":"new_tool","description":"A new tool.","inputSchema":{"type":"object"}}"#.to_owned());
    }
    let next = behaviour.cursors.get(page);
    if next.is_none() {
        let mut definition = behaviour.definition.clone();
        definition.set("name", &crate::wire::jsonrpc::quote(&behaviour.tool));
        tools.push(definition.text());
    }
    let next = next.map(|cursor| format!(",\"nextCursor\":{}", crate::wire::jsonrpc::quote(cursor)));
    Some(format!("{{\"tools\":[{}]{}}}", tools.join(","), next.unwrap_or_default()))
}

fn result(behaviour: &Behaviour) -> String {
    let mut result = behaviour.result.clone();
    result.set("content", &format!("[{}]", behaviour.content.join(",")));
    result.text()
}
