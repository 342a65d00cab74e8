//! Errors of an adapter: a failure ends a job, a violation of the contract is only noted.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::process::SpawnError;

/// Reason why an adapter gave no answer that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdapterFailure {
    #[error(transparent)]
    NotStarted(#[from] SpawnError),
    #[error("the adapter died{}: {how}", beside(*.in_flight))]
    Died {
        /// The exit status, or the signal, in words.
        how: String,
        /// The end of its standard error.
        log_tail: String,
        /// Number of answers that were awaited.
        in_flight: usize,
    },
    #[error("the adapter gave no answer within {after:?}{}", in_its_place(.noise.as_deref()))]
    TimedOut {
        after: Duration,
        /// The beginning of what it wrote instead, if it never gave an answer.
        noise: Option<String>,
    },
    #[error("adapter: {problem}: {line:?}")]
    Garbage { line: String, problem: String },
    #[error("the adapter wrote {lines} lines that are no answers; the first: {first:?}")]
    Noise {
        /// The beginning of the first one.
        first: String,
        /// Number of changes so far.
        lines: usize,
    },
    #[error("the adapter wrote a line of more than {limit} bytes: {start:?}")]
    Overflow {
        /// The bound, in bytes.
        limit: usize,
        /// The beginning of the line.
        start: String,
    },
    #[error("the adapter says that it does not support this role (exit status 127)")]
    Unsupported,
    #[error("the first line of a server adapter must be its base URL on loopback, but {problem}: {line:?}")]
    NoAddress { line: String, problem: String },
    #[error("the adapter was started {starts} times without a single answer; the last time: {last}")]
    GaveUp {
        starts: u32,
        last: String,
        /// The end of its standard error then.
        log_tail: String,
    },
    #[error("the adapter must answer `unsupported` to a step that it does not know, but answered {answer}")]
    AcceptsUnknownStep { answer: String },
    #[error("cannot write the message for the adapter as JSON: {problem}")]
    NotSerializable { problem: String },
    #[error("the adapter was stopped by the harness")]
    Stopped,
}

impl AdapterFailure {
    /// Failure of an adapter that is given up after several starts; `last` is the end of the last one. A failure that is
    /// no death says more by itself.
    pub fn gave_up(starts: u32, last: &Self) -> Self {
        let Self::Died { log_tail, .. } = last else { return last.clone() };
        Self::GaveUp { starts, last: last.to_string(), log_tail: log_tail.clone() }
    }

    /// Returns whether the process is gone, and with it whatever else it was doing.
    pub fn is_of_the_process(&self) -> bool {
        // The others are of a process that was never there, or that lives on.
        matches!(self, Self::Died { .. } | Self::Noise { .. } | Self::Overflow { .. })
    }
}

/// Output in place of an answer.
fn in_its_place(noise: Option<&str>) -> String {
    noise.map(|line| format!(", and wrote a line that is not an answer: {line:?}")).unwrap_or_default()
}

/// Number of other jobs that the process was playing.
fn beside(in_flight: usize) -> String {
    match in_flight {
        0 | 1 => String::new(),
        jobs => format!(" with {jobs} jobs in flight"),
    }
}

/// Something that an adapter must not do, but that ends nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContractViolation {
    #[error("wrote a line that is not an answer: {line:?}")]
    Noise { line: String },
    #[error("answered job {id}, which was never given to it")]
    UnknownId {
        /// The id in the answer, as the adapter was given them.
        id: u64,
    },
    #[error("answered job {id} twice")]
    Twice { id: u64 },
    #[error("answered job {id} after its deadline")]
    Late { id: u64 },
    #[error("printed a line with its result that cannot be used: {why}")]
    Report { why: String },
}

/// Number of violations that are kept. The first ones show what is wrong.
const MAX_VIOLATIONS: usize = 64;

/// Number of bytes of a line that are quoted.
const EXCERPT: usize = 400;

/// The beginning of a line, as text.
pub(crate) fn excerpt(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(EXCERPT)]).into_owned()
}

/// The violations of an adapter so far, by all its processes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ViolationLog {
    kept: Arc<Mutex<Vec<ContractViolation>>>,
}

impl ViolationLog {
    pub(crate) fn note(&self, violation: ContractViolation) {
        tracing::debug!(%violation, "an adapter violates the contract");
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MAX_VIOLATIONS {
            kept.push(violation);
        }
    }

    pub(crate) fn list(&self) -> Vec<ContractViolation> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
