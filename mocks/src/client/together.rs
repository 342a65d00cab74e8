//! Calls that are made at once: all of them are sent before the first answer is waited for.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use mcp_compat_model::contract::{JobStep, StepAnswer};
use serde_json::value::RawValue;
use tokio::time::timeout;

use super::exchange::{Ask, Wire};
use super::feed::fed;
use super::quirk::ClientQuirk;
use super::schema::Schema;
use super::session::{Failed, Session, call_members, failed, overdue};

/// A call among others.
pub(super) struct Call<'s> {
    pub(super) tool: &'s str,
    pub(super) arguments: Cow<'s, RawValue>,
}

impl<'s> Call<'s> {
    /// The call that a step is, with what it takes from the value of the call before.
    pub(super) fn of(step: &'s JobStep, last: Option<&RawValue>) -> Option<Self> {
        match step {
            JobStep::Call { tool, arguments, at_once: _, feed } => {
                Some(Self { tool, arguments: fed(arguments, feed, last) })
            }
            JobStep::List {} | JobStep::Evolve { .. } => None,
        }
    }
}

/// How many of the steps are taken together: one, unless the first is a call and others are to go along with it.
pub(super) fn together(steps: &[JobStep], spec: &super::spec::ClientSpec) -> usize {
    let along = |step: &&JobStep| matches!(step, JobStep::Call { at_once: true, .. });
    match steps.first() {
        Some(JobStep::Call { .. }) if !spec.does(ClientQuirk::OneAtATime) => {
            1 + steps[1..].iter().take_while(along).count()
        }
        Some(_) | None => 1,
    }
}

impl<W: Wire> Session<'_, W> {
    /// Makes calls at once. Their deadline is the same, as they are sent at the same time.
    pub(super) async fn call_together(&mut self, calls: &[Call<'_>], time: Duration) -> Vec<StepAnswer> {
        let mut prepared: Vec<Result<Option<Arc<Schema>>, Failed>> = Vec::with_capacity(calls.len());
        let mut sent = false;
        let asking = async {
            let tools: Vec<_> = calls.iter().map(|call| call.tool).collect();
            self.refresh(&tools).await?;
            for call in calls {
                prepared.push(self.schema(call.tool).await);
            }
            let goes_out = |(call, prepared): (&Call<'_>, &Result<_, _>)| {
                let mirrored = self.mirrored(call.tool, &call.arguments);
                prepared.is_ok().then(|| (call_members(call.tool, &call.arguments), mirrored))
            };
            let parts: Vec<_> = calls.iter().zip(&prepared).map(goes_out).collect();
            let speech = self.speech();
            let ask = |(call, part)| {
                let (members, mirrored): &(String, Vec<_>) = Option::as_ref(part)?;
                let call: &Call<'_> = call;
                Some(Ask { method: "tools/call", members, speech, name: Some(call.tool), mirrored })
            };
            let asks: Vec<_> = calls.iter().zip(&parts).filter_map(ask).collect();
            sent = true;
            self.exchange.ask_all(&asks).await;
            Ok::<(), Failed>(())
        };
        let refused = timeout(time, asking).await.unwrap_or(Ok(())).err();
        let came = self.exchange.close().await;
        if let Some(error) = refused {
            return calls.iter().map(|_| failed(error.clone())).collect();
        }
        // Before the calls are sent it is the list that is waited for.
        let mut came = came.filter(|_| sent);
        let mut prepared = prepared.into_iter();
        let answer = |_: &Call<'_>| {
            let schema = prepared.next().unwrap_or(Ok(None))?;
            match came.next().flatten() {
                Some(answer) => self.conclude(answer.map_err(|trouble| trouble.to_peer_error()), schema.as_deref()),
                None => Err(overdue("no answer", time)),
            }
        };
        calls.iter().map(answer).map(|answer| answer.unwrap_or_else(failed)).collect()
    }
}
