//! A client adapter: one process that plays many jobs at a time.
//!
//! A process that dies fails the jobs in flight and is replaced at the next job. One that lets a deadline pass is
//! given no further jobs, since it may hang for good: it is left to those still in flight and then ended.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_compat_model::contract::{Answer, Job, PROBE_STEP};
use mcp_compat_model::transcript::StopStage;
use tokio::sync::{Mutex, Semaphore};

use crate::correspondence::{Correspondence, Opening};
use crate::failure::{AdapterFailure, Breach, Breaches, excerpt};
use crate::process::{Launch, PeerProcess, SpawnError};
use crate::tap::Limits;

/// How an adapter is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdapterOptions {
    /// How many jobs the process has at a time.
    pub concurrency: usize,
    /// How often the process is started without giving a single answer, before the adapter is given up.
    pub fruitless_starts: u32,
    /// The bounds of what it writes: one line, and its log.
    pub limits: Limits,
}

impl Default for AdapterOptions {
    fn default() -> Self {
        Self { concurrency: 16, fruitless_starts: 5, limits: Limits::default() }
    }
}

/// A client adapter. Dropping it kills its process.
pub struct ClientAdapter {
    launch: Launch,
    options: AdapterOptions,
    slots: Semaphore,
    breaches: Breaches,
    desk: Mutex<Desk>,
}

/// Who takes the next job.
struct Desk {
    current: Option<Arc<Correspondence>>,
    /// Starts since the last answer, and how the last one ended.
    fruitless: u32,
    last_failure: Option<AdapterFailure>,
}

impl ClientAdapter {
    /// Starts the adapter's process.
    ///
    /// # Errors
    /// When the system cannot start it.
    pub async fn spawn(launch: Launch, options: AdapterOptions) -> Result<Self, SpawnError> {
        let breaches = Breaches::default();
        let process = PeerProcess::spawn(&launch, options.limits.stderr_bytes)?;
        let current = Correspondence::with(process, Opening::Silent, options.limits.message_bytes, breaches.clone());
        let desk = Desk { current: Some(Arc::new(current)), fruitless: 1, last_failure: None };
        let slots = Semaphore::new(options.concurrency.max(1));
        Ok(Self { launch, options, slots, breaches, desk: Mutex::new(desk) })
    }

    /// Has a job played. The deadline begins when the job is handed over, not while it waits for its turn.
    ///
    /// On the way to the adapter the job carries a number of the adapter's own; the answer has the job's id again.
    ///
    /// # Errors
    /// When no answer came that follows the contract.
    pub async fn play(&self, job: Job, deadline: Duration) -> Result<Answer, AdapterFailure> {
        let id = job.id;
        let letter = |number| serde_json::to_string(&Job { id: number, ..job });
        let mut answer = self.exchange(letter, deadline).await?;
        answer.id = id;
        Ok(answer)
    }

    /// Finds out whether the adapter can be believed when it says that it can do something: a step that no adapter
    /// knows must be answered `unsupported`.
    ///
    /// # Errors
    /// When it answers anything else, or not at all.
    pub async fn probe(&self, deadline: Duration) -> Result<(), AdapterFailure> {
        // Written by hand, as no `JobStep` has this form. Nothing listens at the address: nobody should connect.
        let letter = |number| {
            let server = r#"{"http":{"url":"http://127.0.0.1:1/"}}"#;
            let deadlines = r#"{"connect_ms":1000,"step_ms":1000}"#;
            Ok(format!(
                r#"{{"id":{number},"scenario":"probe","server":{server},"steps":[{{"{PROBE_STEP}":{{}}}}],"deadlines":{deadlines}}}"#
            ))
        };
        let answer = self.exchange(letter, deadline).await?;
        match answer.unsupported {
            Some(_) => Ok(()),
            None => {
                let text = serde_json::to_string(&answer).unwrap_or_else(|error| error.to_string());
                Err(AdapterFailure::Credulous { answer: excerpt(text.as_bytes()) })
            }
        }
    }

    /// What the adapter did that it must not do, though it ended nothing.
    #[must_use]
    pub fn breaches(&self) -> Vec<Breach> {
        self.breaches.list()
    }

    /// Ends the process, gently at first. A job that comes later starts it again.
    pub async fn stop(&self, grace: Duration) -> Option<StopStage> {
        let current = self.desk.lock().await.current.take()?;
        Some(current.stop(grace).await)
    }

    async fn exchange(
        &self,
        letter: impl FnOnce(u64) -> serde_json::Result<String>,
        deadline: Duration,
    ) -> Result<Answer, AdapterFailure> {
        let _slot = self.slots.acquire().await.map_err(|_| AdapterFailure::Stopped)?;
        let process = self.process().await?;
        let outcome = process.ask(letter, deadline).await;
        let answer = outcome.and_then(|line| {
            serde_json::from_slice(&line)
                .map_err(|error| AdapterFailure::Garbage { line: excerpt(&line), problem: error.to_string() })
        });
        self.learn(&process, answer.as_ref().err()).await;
        answer
    }

    /// The process for the next job: the current one, or a new one in its place.
    async fn process(&self) -> Result<Arc<Correspondence>, AdapterFailure> {
        let mut desk = self.desk.lock().await;
        if let Some(current) = &desk.current
            && current.is_open()
        {
            return Ok(current.clone());
        }
        if desk.fruitless >= self.options.fruitless_starts.max(1)
            && let Some(last) = &desk.last_failure
        {
            return Err(AdapterFailure::gave_up(desk.fruitless, last));
        }
        desk.fruitless += 1;
        let limits = self.options.limits;
        let process = PeerProcess::spawn(&self.launch, limits.stderr_bytes)?;
        let current = Correspondence::with(process, Opening::Silent, limits.message_bytes, self.breaches.clone());
        Ok(desk.current.insert(Arc::new(current)).clone())
    }

    /// Draws the conclusions from an exchange for those that follow.
    async fn learn(&self, process: &Arc<Correspondence>, failure: Option<&AdapterFailure>) {
        let mut desk = self.desk.lock().await;
        let Some(failure) = failure else {
            desk.fruitless = 0;
            return;
        };
        desk.last_failure = Some(failure.clone());
        let hangs = matches!(failure, AdapterFailure::TimedOut { .. });
        if hangs && desk.current.as_ref().is_some_and(|current| Arc::ptr_eq(current, process)) {
            // The last job in flight lets go of it, and that ends it.
            desk.current = None;
        }
    }
}

impl fmt::Debug for ClientAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientAdapter").field("program", &self.launch.program).finish_non_exhaustive()
    }
}
