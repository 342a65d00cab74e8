//! The client's loop: a job a line, each played in a task of its own, an answer a line.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::answer::{Answer, CallAnswer, Layer, PeerError, StepAnswer, ToolAnswer};
use crate::job::{EVOLVE_TOOL, Job, JobStep};
use crate::{exact, say};

/// Longest time from the answer of the call to the SDK's notification of a change.
const CHANGE_TIMEOUT: Duration = Duration::from_millis(500);

/// Time for which the answer waits for the session to end. A slower server is waited for after it.
const CLOSE_GRACE: Duration = Duration::from_millis(100);

/// Longest time for a session to end: longer than an SDK takes to ask a subprocess to go, and to kill it.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(8);

/// An SDK's client.
pub trait Client {
    /// Its session.
    type Session: Session;

    /// Reason why this SDK cannot play the job, if so.
    fn unsupported(job: &Job) -> Option<String>;

    /// Opens a session.
    fn connect(job: &Job) -> impl Future<Output = Result<Self::Session, PeerError>> + Send;
}

/// A session, as the user of an SDK's public API has it.
pub trait Session: Send + Sync + 'static {
    /// The revision that the SDK says it speaks.
    fn negotiated(&self) -> Option<String>;

    /// Lists all tools, following the pages.
    fn list(&self) -> impl Future<Output = Result<Vec<ToolAnswer>, PeerError>> + Send;

    /// Calls a tool.
    fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> impl Future<Output = Result<CallAnswer, PeerError>> + Send;

    /// Counts the `notifications/tools/list_changed` that the SDK has handed out.
    fn changes(&self) -> watch::Receiver<u64>;

    /// Ends the session, and its server where that is a subprocess.
    fn close(self) -> impl Future<Output = ()> + Send;
}

/// Plays jobs until the input ends and every session is closed.
pub(crate) async fn serve<C: Client + 'static>() {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut jobs = JoinSet::new();
    while let Ok(Some(line)) = lines.next_line().await {
        match exact::read::<Job>(&line) {
            Ok(job) => {
                jobs.spawn(async move { play::<C>(job).await });
            }
            Err(reason) => match exact::id(&line) {
                Some(id) => say(&Answer { id, unsupported: Some(reason), ..Answer::default() }),
                None => eprintln!("a line that is no job: {reason}"),
            },
        }
        while jobs.try_join_next().is_some() {}
    }
    while jobs.join_next().await.is_some() {}
}

async fn play<C: Client>(job: Job) {
    let mut answer = Answer { id: job.id, unsupported: C::unsupported(&job), ..Answer::default() };
    if answer.unsupported.is_some() {
        return say(&answer);
    }
    let session = match guarded(job.deadlines.connect(), Layer::Connect, C::connect(&job)).await {
        Ok(session) => session,
        Err(error) => return say(&Answer { error: Some(error), ..answer }),
    };
    answer.negotiated = session.negotiated();
    let mut last = None;
    for round in rounds(job.steps) {
        let are_calls = matches!(round[..], [JobStep::Call { .. }, ..]);
        let takes = round.into_iter().map(|step| {
            let step = fed(step, last.as_ref());
            guarded(job.deadlines.step(), Layer::Decode, take(&session, step))
        });
        for seen in join_all(takes).await {
            let seen = seen.unwrap_or_else(StepAnswer::failed);
            if are_calls {
                last = seen.value().cloned();
            }
            answer.steps.push(seen);
        }
    }
    let mut closing = tokio::spawn(session.close());
    let gone = tokio::time::timeout(CLOSE_GRACE, &mut closing).await.is_ok();
    say(&answer);
    if !gone {
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, closing).await;
    }
}

/// The steps, those that are taken together in one round.
fn rounds(steps: Vec<JobStep>) -> Vec<Vec<JobStep>> {
    let mut rounds: Vec<Vec<JobStep>> = Vec::new();
    for step in steps {
        match rounds.last_mut() {
            Some(round) if matches!(step, JobStep::Call { at_once: true, .. }) => round.push(step),
            Some(_) | None => rounds.push(vec![step]),
        }
    }
    rounds
}

/// The step with what it takes from the value of the call before. What is not there is left out.
fn fed(step: JobStep, last: Option<&Value>) -> JobStep {
    let JobStep::Call { tool, arguments, at_once, feed } = step else { return step };
    let mut arguments = Value::Object(arguments);
    for (into, from) in &feed {
        let Some(value) = last.and_then(|last| last.pointer(from)) else { continue };
        let Some((parent, key)) = into.rsplit_once('/') else { continue };
        if let Some(Value::Object(parent)) = arguments.pointer_mut(parent) {
            parent.insert(key.replace("~1", "/").replace("~0", "~"), value.clone());
        }
    }
    let Value::Object(arguments) = arguments else { unreachable!("an object stays one") };
    JobStep::Call { tool, arguments, at_once, feed }
}

async fn take(session: &impl Session, step: JobStep) -> Result<StepAnswer, PeerError> {
    match step {
        JobStep::List {} => Ok(StepAnswer::listed(session.list().await?)),
        JobStep::Call { tool, arguments, .. } => Ok(StepAnswer::called(session.call(&tool, arguments).await?)),
        JobStep::Evolve { told } => {
            let mut changes = session.changes();
            changes.mark_unchanged();
            session.call(EVOLVE_TOOL, Map::new()).await?;
            let seen = told && matches!(tokio::time::timeout(CHANGE_TIMEOUT, changes.changed()).await, Ok(Ok(())));
            Ok(StepAnswer::evolved(seen))
        }
    }
}

/// Bounds what an SDK does, in time and in what a panic can break.
async fn guarded<T>(
    limit: Duration,
    layer: Layer,
    work: impl Future<Output = Result<T, PeerError>>,
) -> Result<T, PeerError> {
    match tokio::time::timeout(limit, AssertUnwindSafe(work).catch_unwind()).await {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => Err(PeerError::new(layer, format!("the SDK panicked: {}", words(&*panic)))),
        Err(_) => Err(PeerError::new(Layer::Timeout, format!("no answer within {} ms", limit.as_millis()))),
    }
}

fn words(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without words")
}
