//! A client adapter: one process that plays many jobs at a time.
//!
//! A job goes in, its answer comes out. If the process dies, its jobs fail and the next job starts a new one. If it
//! misses a deadline, it may hang for good: it gets no further jobs, and it ends with the last job that it still has.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_compat_model::peer_contract::{Answer, Job, PROBE_STEP};
use mcp_compat_model::transcript::StopStage;
use tokio::sync::{Mutex, Semaphore};

use crate::failure::{AdapterFailure, ContractViolation, ViolationLog, excerpt};
use crate::json_line_process::{FirstLine, JsonLineProcess};
use crate::process::{Launch, PeerProcess, SpawnError};
use crate::tap::Limits;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdapterOptions {
    /// Number of jobs that the process has at a time.
    pub concurrency: usize,
    /// Largest number of starts without a single answer. Then the adapter is given up.
    pub failed_starts: u32,
    /// The bounds of what it writes: one line, and its log.
    pub limits: Limits,
}

impl Default for AdapterOptions {
    fn default() -> Self {
        Self { concurrency: 16, failed_starts: 5, limits: Limits::default() }
    }
}

/// A client adapter. Dropping it kills its process.
pub struct ClientAdapter {
    launch: Launch,
    options: AdapterOptions,
    slots: Semaphore,
    violations: ViolationLog,
    state: Mutex<State>,
}

struct State {
    /// The process for the next job.
    current: Option<Arc<JsonLineProcess>>,
    /// Starts since the last answer, and how the last one ended.
    failed_starts: u32,
    last_failure: Option<AdapterFailure>,
}

impl ClientAdapter {
    /// Starts the adapter's process.
    ///
    /// # Errors
    /// When the system cannot start it.
    pub async fn spawn(launch: Launch, options: AdapterOptions) -> Result<Self, SpawnError> {
        let violations = ViolationLog::default();
        let process = PeerProcess::spawn(&launch, options.limits.stderr_bytes)?;
        let current =
            JsonLineProcess::new(process, FirstLine::Answer, options.limits.message_bytes, violations.clone());
        let state = State { current: Some(Arc::new(current)), failed_starts: 1, last_failure: None };
        let slots = Semaphore::new(options.concurrency.max(1));
        Ok(Self { launch, options, slots, violations, state: Mutex::new(state) })
    }

    /// Plays a job. The deadline starts when the job is sent, not while it waits for its turn.
    ///
    /// The adapter gets the job with another id, one that no other job in flight has. The answer has the job's own id.
    ///
    /// # Errors
    /// When no answer came that follows the contract.
    pub async fn play(&self, job: Job, deadline: Duration) -> Result<Answer, AdapterFailure> {
        let id = job.id;
        let message = |id| serde_json::to_string(&Job { id, ..job });
        let mut answer = self.exchange(message, deadline).await?;
        answer.id = id;
        Ok(answer)
    }

    /// Checks that the adapter answers `unsupported` to a step that no adapter knows. If it does not, its other answers
    /// prove nothing.
    ///
    /// # Errors
    /// When it answers anything else, or not at all.
    pub async fn probe(&self, deadline: Duration) -> Result<(), AdapterFailure> {
        // Written by hand, because no `JobStep` has this form. Nothing listens at the address: no client should connect.
        let message = |id| {
            let server = r#"{"http":{"url":"http://127.0.0.1:1/"}}"#;
            let deadlines = r#"{"connect_ms":1000,"step_ms":1000}"#;
            Ok(format!(
                r#"{{"id":{id},"scenario":"probe","server":{server},"steps":[{{"{PROBE_STEP}":{{}}}}],"deadlines":{deadlines}}}"#
            ))
        };
        let answer = self.exchange(message, deadline).await?;
        match answer.unsupported {
            Some(_) => Ok(()),
            None => {
                let text = serde_json::to_string(&answer).unwrap_or_else(|error| error.to_string());
                Err(AdapterFailure::AcceptsUnknownStep { answer: excerpt(text.as_bytes()) })
            }
        }
    }

    /// The violations of the contract that ended no job.
    pub fn violations(&self) -> Vec<ContractViolation> {
        self.violations.list()
    }

    /// Ends the process, gently at first. A job that comes later starts it again.
    pub async fn stop(&self, grace: Duration) -> Option<StopStage> {
        let current = self.state.lock().await.current.take()?;
        Some(current.stop(grace).await)
    }

    async fn exchange(
        &self,
        message: impl FnOnce(u64) -> serde_json::Result<String>,
        deadline: Duration,
    ) -> Result<Answer, AdapterFailure> {
        let _slot = self.slots.acquire().await.map_err(|_| AdapterFailure::Stopped)?;
        let process = self.process().await?;
        let outcome = process.request(message, deadline).await;
        let answer = outcome.and_then(|line| {
            serde_json::from_slice(&line)
                .map_err(|error| AdapterFailure::Garbage { line: excerpt(&line), problem: error.to_string() })
        });
        self.learn(&process, answer.as_ref().err()).await;
        answer
    }

    /// The process for the next job: the current one, or a new one in its place.
    async fn process(&self) -> Result<Arc<JsonLineProcess>, AdapterFailure> {
        let mut state = self.state.lock().await;
        if let Some(current) = &state.current
            && current.is_open()
        {
            return Ok(current.clone());
        }
        if state.failed_starts >= self.options.failed_starts.max(1)
            && let Some(last) = &state.last_failure
        {
            return Err(AdapterFailure::gave_up(state.failed_starts, last));
        }
        state.failed_starts += 1;
        let limits = self.options.limits;
        let process = PeerProcess::spawn(&self.launch, limits.stderr_bytes)?;
        let current = JsonLineProcess::new(process, FirstLine::Answer, limits.message_bytes, self.violations.clone());
        Ok(state.current.insert(Arc::new(current)).clone())
    }

    /// Notes how an exchange ended, for the next one.
    async fn learn(&self, process: &Arc<JsonLineProcess>, failure: Option<&AdapterFailure>) {
        let mut state = self.state.lock().await;
        let Some(failure) = failure else {
            state.failed_starts = 0;
            return;
        };
        state.last_failure = Some(failure.clone());
        let hangs = matches!(failure, AdapterFailure::TimedOut { .. });
        if hangs && state.current.as_ref().is_some_and(|current| Arc::ptr_eq(current, process)) {
            // The last job in flight drops it, which ends it.
            state.current = None;
        }
    }
}

impl fmt::Debug for ClientAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientAdapter").field("program", &self.launch.program).finish_non_exhaustive()
    }
}
