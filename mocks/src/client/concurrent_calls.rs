//! Concurrent calls: all of them are sent before the client waits for the first answer.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use mcp_compat_model::observation::PeerError;
use mcp_compat_model::peer_contract::{JobStep, StepAnswer};
use serde_json::value::RawValue;
use tokio::time::timeout;

use crate::client::args_from::with_args_from;
use crate::client::client_error::{failed, timed_out};
use crate::client::quirk::ClientQuirk;
use crate::client::schema::Schema;
use crate::client::session::{Session, call_members};
use crate::client::spec::ClientSpec;
use crate::client::wire::NewRequest;

/// Call that is sent together with others.
pub(crate) struct Call<'s> {
    tool: &'s str,
    arguments: Cow<'s, RawValue>,
}

impl<'s> Call<'s> {
    /// The call that a step makes, with the arguments that it takes from the value of the call before.
    pub(crate) fn of(step: &'s JobStep, last: Option<&RawValue>) -> Option<Self> {
        match step {
            JobStep::Call { tool, arguments, at_once: _, feed } => {
                Some(Self { tool, arguments: with_args_from(arguments, feed, last) })
            }
            JobStep::List {} | JobStep::Evolve { .. } => None,
        }
    }
}

/// Returns the number of steps that are played together: one, unless the first is a call and the next ones are concurrent with it.
pub(crate) fn group_len(steps: &[JobStep], spec: &ClientSpec) -> usize {
    let concurrent = |step: &&JobStep| matches!(step, JobStep::Call { at_once: true, .. });
    match steps.first() {
        Some(JobStep::Call { .. }) if !spec.does(ClientQuirk::OneAtATime) => {
            1 + steps[1..].iter().take_while(concurrent).count()
        }
        Some(_) | None => 1,
    }
}

/// Makes calls at once. They share one deadline, because they are sent at the same time.
pub(crate) async fn call_concurrently(
    session: &mut Session<'_>,
    calls: &[Call<'_>],
    time: Duration,
) -> Vec<StepAnswer> {
    let mut prepared: Vec<Result<Option<Arc<Schema>>, PeerError>> = Vec::with_capacity(calls.len());
    let mut sent = false;
    let refused = timeout(time, send(session, calls, &mut prepared, &mut sent)).await.unwrap_or(Ok(())).err();
    let answers = session.exchange.finish().await;
    if let Some(error) = refused {
        return calls.iter().map(|_| failed(error.clone())).collect();
    }
    // If the deadline passed before the calls were sent, the answers are those to the list.
    let mut answers = answers.into_iter().filter(|_| sent);
    let mut prepared = prepared.into_iter();
    let answer = |_: &Call<'_>| {
        let schema = prepared.next().unwrap_or(Ok(None))?;
        match answers.next().flatten() {
            Some(answer) => session.conclude(answer.map_err(|error| error.to_peer_error()), schema.as_deref()),
            None => Err(timed_out("no answer", time)),
        }
    };
    calls.iter().map(answer).map(|answer| answer.unwrap_or_else(failed)).collect()
}

/// Sends the calls that can be made, and waits for their answers.
///
/// # Errors
/// When no call can be made.
async fn send(
    session: &mut Session<'_>,
    calls: &[Call<'_>],
    prepared: &mut Vec<Result<Option<Arc<Schema>>, PeerError>>,
    sent: &mut bool,
) -> Result<(), PeerError> {
    let tools: Vec<_> = calls.iter().map(|call| call.tool).collect();
    session.refresh(&tools).await?;
    for call in calls {
        prepared.push(session.schema(call.tool).await);
    }
    let callable = calls.iter().zip(&*prepared).filter(|(_, prepared)| prepared.is_ok()).map(|(call, _)| call);
    let parts: Vec<_> = callable
        .map(|call| (call, call_members(call.tool, &call.arguments), session.header_params(call.tool, &call.arguments)))
        .collect();
    let era = session.era();
    let requests: Vec<_> = parts
        .iter()
        .map(|(call, members, header_params)| NewRequest {
            method: "tools/call",
            members,
            era,
            name: Some(call.tool),
            header_params,
        })
        .collect();
    *sent = true;
    session.exchange.ask_all(&requests).await;
    Ok(())
}
