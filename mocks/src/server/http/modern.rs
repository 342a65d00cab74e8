//! Requests of the modern era: each names its revision in its headers and in its body. Only listeners are remembered.

use crate::wire::jsonrpc::INVALID_REQUEST;
use http::{Response, StatusCode};
use mcp_compat_model::Revision;

use super::body::{Body, ConnectionAborted, event_stream};
use super::endpoint::{Call, Endpoint};
use super::{headers, param_headers};
use crate::server::protocol::{Answer, ProtocolError, Subscription};

/// Answers a request of the modern era.
pub(super) async fn answer(endpoint: &Endpoint, call: &Call<'_>) -> Result<Response<Body>, ConnectionAborted> {
    let modern = Some(Revision::NEWEST);
    if let Err(fault) = check(endpoint, call) {
        return endpoint.carry(call, modern, Answer::Refused(fault).into()).await;
    }
    endpoint.answered_calls.turn().await;
    let answer = endpoint.compiled.modern(&endpoint.position, call.method, call.params);
    let due = endpoint.due(call, answer, &endpoint.position, &endpoint.answered_calls).await;
    match due.answer {
        Answer::Listening { to_tool_changes } => Ok(listen(endpoint, call, to_tool_changes)),
        Answer::Evolved { told: true, .. } => {
            endpoint.listeners.notify().await;
            endpoint.carry(call, modern, due).await
        }
        Answer::Evolved { told: false, .. }
        | Answer::Result(_)
        | Answer::Refused(_)
        | Answer::Error(_)
        | Answer::Raw(_)
        | Answer::Hang
        | Answer::Exit(_)
        | Answer::Timed(..) => endpoint.carry(call, modern, due).await,
    }
}

/// Checks the headers against the body.
fn check(endpoint: &Endpoint, call: &Call<'_>) -> Result<(), ProtocolError> {
    headers::check(call.headers, call.method, call.params).map_err(|fault| endpoint.compiled.explain(fault))?;
    if call.method == "tools/call"
        && let Ok(tool) = call.params.tool()
        && let Some(definition) = endpoint.compiled.definition(&endpoint.position, &tool)
    {
        param_headers::check(call.headers, definition, call.params.arguments())?;
    }
    Ok(())
}

fn listen(endpoint: &Endpoint, call: &Call<'_>, to_tool_changes: bool) -> Response<Body> {
    if !headers::accept_events(call.headers) {
        let fault =
            ProtocolError::new(406, INVALID_REQUEST, "a subscription needs a client that accepts event streams");
        return endpoint.refuse_request(call.id, StatusCode::NOT_ACCEPTABLE, fault);
    }
    match endpoint.listeners.open(Subscription::new(call.id.get(), to_tool_changes)) {
        Some(body) => event_stream(body),
        None => {
            let fault = ProtocolError::new(503, INVALID_REQUEST, "too many subscriptions are open");
            endpoint.refuse_request(call.id, StatusCode::SERVICE_UNAVAILABLE, fault)
        }
    }
}
