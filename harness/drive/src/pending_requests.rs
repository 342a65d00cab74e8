//! Matches the answers of a process to the requests that wait for them.
//!
//! A request gets an id and goes out; each line that comes back goes to the request with its id. A line without such a
//! request is a violation of the contract, and too many of them are a failure. A line that is no JSON and begins with the
//! id of a request is its answer, and the request fails at once.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use tokio::sync::oneshot;

use crate::failure::{AdapterFailure, ContractViolation, ViolationLog, excerpt};

/// Largest number of lines that a process may write without a request. After that it is stopped.
const MAX_STRAY_LINES: usize = 10_000;

/// The requests to one process that have no answer yet. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct PendingRequests {
    state: Arc<Mutex<State>>,
    violations: ViolationLog,
}

#[derive(Debug, Default)]
struct State {
    next_id: u64,
    waiting: HashMap<u64, oneshot::Sender<Result<Vec<u8>, AdapterFailure>>>,
    /// Requests that are no longer waited for. They may not have been sent.
    abandoned: HashSet<u64>,
    /// True if any line was the answer to a request.
    has_answered: bool,
    strays: usize,
    first_stray: String,
    /// The first line that is no JSON object with an id.
    first_noise: Option<String>,
    closed: Option<AdapterFailure>,
}

/// A request that waits for its answer. If it is dropped, the answer counts as late.
pub(crate) struct PendingRequest {
    id: u64,
    pending: PendingRequests,
    answer: oneshot::Receiver<Result<Vec<u8>, AdapterFailure>>,
}

impl PendingRequests {
    pub(crate) fn new(violations: ViolationLog) -> Self {
        Self { state: Arc::default(), violations }
    }

    /// Adds a request with an id of its own.
    pub(crate) fn open(&self) -> Result<PendingRequest, AdapterFailure> {
        let mut state = self.state();
        if let Some(reason) = &state.closed {
            return Err(reason.clone());
        }
        let (sender, answer) = oneshot::channel();
        let id = state.next_id;
        state.next_id += 1;
        state.waiting.insert(id, sender);
        Ok(PendingRequest { id, pending: self.clone(), answer })
    }

    /// Returns whether requests can be added.
    pub(crate) fn is_open(&self) -> bool {
        self.state().closed.is_none()
    }

    /// Reason why no requests can be added.
    pub(crate) fn closed(&self) -> Option<AdapterFailure> {
        self.state().closed.clone()
    }

    /// Returns the number of requests that wait for an answer.
    pub(crate) fn count(&self) -> usize {
        self.state().waiting.len()
    }

    /// Returns the output of the process in place of answers, if it never gave one.
    pub(crate) fn only_noise(&self) -> Option<String> {
        let state = self.state();
        if state.has_answered { None } else { state.first_noise.clone() }
    }

    /// Hands a line of the process to the request that it answers.
    pub(crate) fn deliver(&self, line: &[u8]) -> Result<(), AdapterFailure> {
        let mut state = self.state();
        let violation = match serde_json::from_slice(line) {
            Err(error) => {
                if let Some(waiting) = named_id(line).and_then(|id| state.waiting.remove(&id)) {
                    let _ =
                        waiting.send(Err(AdapterFailure::Garbage { line: excerpt(line), problem: error.to_string() }));
                    return Ok(());
                }
                state.first_noise.get_or_insert_with(|| excerpt(line));
                ContractViolation::Noise { line: excerpt(line) }
            }
            Ok(WithId { id }) => {
                if let Some(waiting) = state.waiting.remove(&id) {
                    state.has_answered = true;
                    // It fails if the caller has just stopped waiting.
                    let _ = waiting.send(Ok(line.to_vec()));
                    return Ok(());
                }
                if state.abandoned.remove(&id) {
                    ContractViolation::Late { id }
                } else if id < state.next_id {
                    ContractViolation::Twice { id }
                } else {
                    ContractViolation::UnknownId { id }
                }
            }
        };
        self.violations.note(violation);
        if state.strays == 0 {
            state.first_stray = excerpt(line);
        }
        state.strays += 1;
        if state.strays > MAX_STRAY_LINES {
            return Err(AdapterFailure::Noise { first: state.first_stray.clone(), lines: state.strays });
        }
        Ok(())
    }

    /// Ends all requests with this reason, those that are added later too.
    pub(crate) fn close(&self, reason: AdapterFailure) {
        let mut state = self.state();
        let mut waiting: Vec<_> = state.waiting.drain().collect();
        waiting.sort_unstable_by_key(|(id, _)| *id);
        for (id, sender) in waiting {
            let _ = sender.send(Err(reason.clone()));
            state.abandoned.insert(id);
        }
        state.closed.get_or_insert(reason);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingRequest {
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) async fn answer(&mut self) -> Result<Vec<u8>, AdapterFailure> {
        (&mut self.answer).await.unwrap_or(Err(AdapterFailure::Stopped))
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        let mut state = self.pending.state();
        if state.waiting.remove(&self.id).is_some() {
            state.abandoned.insert(self.id);
        }
    }
}

/// The member that every answer has. The others are not parsed here: an answer with a number that only exact JSON can
/// hold is still an answer.
#[derive(Deserialize)]
struct WithId {
    id: u64,
}

/// The id with which an object begins that is not JSON as a whole, such as an answer with `NaN` in it.
fn named_id(line: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(line);
    let rest = text.trim_start().strip_prefix('{')?.trim_start().strip_prefix("\"id\"")?;
    let number = rest.trim_start().strip_prefix(':')?.trim_start();
    number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending() -> PendingRequests {
        PendingRequests::new(ViolationLog::default())
    }

    #[test]
    fn answers_reach_their_requests_in_any_order() {
        let pending = pending();
        let (mut first, mut second) = (pending.open().unwrap(), pending.open().unwrap());
        pending.deliver(br#"{"id":1,"x":"b"}"#).unwrap();
        pending.deliver(br#"{"x":"a","id":0}"#).unwrap();
        assert_eq!(first.answer.try_recv().unwrap().unwrap(), br#"{"x":"a","id":0}"#);
        assert_eq!(second.answer.try_recv().unwrap().unwrap(), br#"{"id":1,"x":"b"}"#);
        assert!(pending.violations.list().is_empty());
    }

    #[test]
    fn an_answer_with_what_only_exact_json_can_hold_is_an_answer() {
        let pending = pending();
        let mut request = pending.open().unwrap();
        let line = format!(r#"{{"id":0,"a":1e400,"b":"\ud800","c":{}{}}}"#, "[".repeat(5000), "]".repeat(5000));
        pending.deliver(line.as_bytes()).unwrap();
        assert_eq!(request.answer.try_recv().unwrap().unwrap(), line.as_bytes());
    }

    #[test]
    fn an_answer_that_is_no_json_fails_its_request_at_once() {
        let pending = pending();
        let (mut broken, mut other) = (pending.open().unwrap(), pending.open().unwrap());
        pending.deliver(br#"{"id": 0, "steps": [NaN]}"#).unwrap();
        let failure = broken.answer.try_recv().unwrap().unwrap_err();
        assert!(matches!(&failure, AdapterFailure::Garbage { line, .. } if line.contains("NaN")), "{failure}");
        for line in [r#"{"x": {"id": 1}, NaN}"#, r#"{"id": 7, NaN}"#, "id 1"] {
            pending.deliver(line.as_bytes()).unwrap();
        }
        assert!(other.answer.try_recv().is_err(), "nothing answers it");
        assert_eq!(pending.violations.list().len(), 3);
    }

    #[test]
    fn what_came_in_place_of_answers_is_known_while_there_was_none() {
        let pending = pending();
        let _request = pending.open().unwrap();
        pending.deliver(br#"{"id":7}"#).unwrap();
        assert_eq!(pending.only_noise(), None);
        pending.deliver(b"this is not JSON").unwrap();
        assert_eq!(pending.only_noise().as_deref(), Some("this is not JSON"));
        pending.deliver(br#"{"id":0}"#).unwrap();
        assert_eq!(pending.only_noise(), None);
    }

    #[test]
    fn every_unexpected_line_is_a_violation() {
        let pending = pending();
        let (answered, abandoned) = (pending.open().unwrap(), pending.open().unwrap());
        pending.deliver(br#"{"id":0}"#).unwrap();
        drop((answered, abandoned));
        for line in [r#"{"id":0}"#, r#"{"id":1}"#, r#"{"id":1}"#, r#"{"id":2}"#, "{}", "hello"] {
            pending.deliver(line.as_bytes()).unwrap();
        }
        let expected = [
            ContractViolation::Twice { id: 0 },
            ContractViolation::Late { id: 1 },
            ContractViolation::Twice { id: 1 },
            ContractViolation::UnknownId { id: 2 },
            ContractViolation::Noise { line: "{}".to_owned() },
            ContractViolation::Noise { line: "hello".to_owned() },
        ];
        assert_eq!(pending.violations.list(), expected);
    }

    #[test]
    fn a_flood_of_noise_ends_the_process_with_its_first_line() {
        let pending = pending();
        for line in 0..MAX_STRAY_LINES {
            pending.deliver(format!("noise {line}").as_bytes()).unwrap();
        }
        let expected = AdapterFailure::Noise { first: "noise 0".to_owned(), lines: MAX_STRAY_LINES + 1 };
        assert_eq!(pending.deliver(b"one more").unwrap_err(), expected);
    }

    #[test]
    fn a_reason_to_close_ends_waiting_and_later_requests() {
        let pending = pending();
        let mut request = pending.open().unwrap();
        pending.close(AdapterFailure::Unsupported);
        assert_eq!(request.answer.try_recv().unwrap(), Err(AdapterFailure::Unsupported));
        assert_eq!(pending.open().map(|request| request.id()).unwrap_err(), AdapterFailure::Unsupported);
    }
}
