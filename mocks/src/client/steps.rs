//! The steps of a job: one after the other, each within its deadline, and concurrent calls together.

use std::time::Duration;

use mcp_compat_model::observation::{Layer, PeerError};
use mcp_compat_model::peer_contract::{EVOLVE_TOOL, JobStep, StepAnswer};
use serde_json::value::RawValue;
use tokio::time::timeout;

use crate::client::args_from::with_args_from;
use crate::client::call_result;
use crate::client::client_error::{failed, timed_out, undecodable};
use crate::client::concurrent_calls::{Call, call_concurrently, group_len};
use crate::client::session::Session;

/// Time that the client waits for the notification of a change after the call that made it, and never more than half of
/// the step.
const NOTIFICATION: Duration = Duration::from_secs(1);

/// Plays the steps, and then ends the session.
pub(crate) async fn play_steps(
    mut session: Session<'_>,
    steps: &[JobStep],
    time: Duration,
) -> Result<Vec<StepAnswer>, String> {
    if session.spec.style.listens || steps.iter().any(|step| matches!(step, JobStep::Evolve { told: true })) {
        session.exchange.listen(session.era()).await;
    }
    let mut answers = Vec::with_capacity(steps.len());
    // The value that the last call returned, which its user may pass on.
    let mut last: Option<Box<RawValue>> = None;
    let mut rest = steps;
    while let Some(first) = rest.first()
        && !session.is_over()
    {
        let (now, later) = rest.split_at(group_len(rest, session.spec));
        rest = later;
        if now.len() == 1 {
            answers.push(step(&mut session, first, &mut last, time).await);
        } else {
            let before = last.take();
            let calls: Vec<_> = now.iter().filter_map(|step| Call::of(step, before.as_deref())).collect();
            answers.extend(call_concurrently(&mut session, &calls, time).await);
        }
        if matches!(now.last(), Some(JobStep::Call { .. })) {
            last = answers.last().and_then(|answer| answer.structured.as_ref()?.value.clone());
        }
    }
    session.exchange.wire.close().await;
    session.beyond.map_or(Ok(answers), Err)
}

async fn step(
    session: &mut Session<'_>,
    step: &JobStep,
    last: &mut Option<Box<RawValue>>,
    time: Duration,
) -> StepAnswer {
    if session.is_blocked {
        return failed(timed_out("the client is still validating", time));
    }
    let answer = match timeout(time, play(session, step, last, time)).await {
        Ok(answer) => answer,
        Err(_) => {
            let _ = session.exchange.finish().await;
            Err(timed_out("no answer", time))
        }
    };
    answer.unwrap_or_else(failed)
}

async fn play(
    session: &mut Session<'_>,
    step: &JobStep,
    last: &mut Option<Box<RawValue>>,
    time: Duration,
) -> Result<StepAnswer, PeerError> {
    match step {
        JobStep::List {} => {
            let tools = session.list_for_user().await?;
            Ok(StepAnswer { tools: Some(tools.answer()), ..StepAnswer::default() })
        }
        JobStep::Call { tool, arguments, at_once: _, feed } => {
            let last = last.take();
            session.call(tool, &with_args_from(arguments, feed, last.as_deref())).await
        }
        JobStep::Evolve { told } => evolve(session, *told, time).await,
    }
}

/// Calls the tool that changes the tools, and waits for the notification if there will be one.
async fn evolve(session: &mut Session<'_>, notified: bool, time: Duration) -> Result<StepAnswer, PeerError> {
    session.read_notifications().await;
    let arguments = RawValue::from_string("{}".to_owned()).map_err(|error| undecodable(error.to_string()))?;
    let result = session.ask_tool(EVOLVE_TOOL, &arguments).await?;
    let result = call_result::read(session.spec, session.revision, &result)?;
    if result.is_error {
        return Ok(StepAnswer::from((Layer::Tool, format!("{EVOLVE_TOOL} failed"))));
    }
    if notified && !session.exchange.wire.inbox().changed {
        let _ = timeout(NOTIFICATION.min(time / 2), session.exchange.wire.changed()).await;
    }
    Ok(StepAnswer { evolved: Some(session.exchange.wire.inbox().changed), ..StepAnswer::default() })
}
