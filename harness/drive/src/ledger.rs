//! Which questions to a process are open, and who waits for which answer.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use tokio::sync::oneshot;

use crate::failure::{AdapterFailure, Breach, Breaches, excerpt};

/// How many lines that answer nothing a process may write. One that writes more is not having an accident.
const STRAY_LINES: usize = 10_000;

/// The open questions to one process. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    book: Arc<Mutex<Book>>,
    breaches: Breaches,
}

#[derive(Debug, Default)]
struct Book {
    next: u64,
    waiting: HashMap<u64, oneshot::Sender<Result<Vec<u8>, AdapterFailure>>>,
    /// Asked, and no longer waited for.
    abandoned: HashSet<u64>,
    strays: usize,
    first_stray: String,
    closed: Option<AdapterFailure>,
}

/// A question that waits for its answer. Dropping it gives the answer up.
pub(crate) struct Question {
    number: u64,
    ledger: Ledger,
    answer: oneshot::Receiver<Result<Vec<u8>, AdapterFailure>>,
}

impl Ledger {
    pub(crate) fn new(breaches: Breaches) -> Self {
        Self { book: Arc::default(), breaches }
    }

    /// Opens a question.
    pub(crate) fn open(&self) -> Result<Question, AdapterFailure> {
        let mut book = self.book();
        if let Some(reason) = &book.closed {
            return Err(reason.clone());
        }
        let (sender, answer) = oneshot::channel();
        let number = book.next;
        book.next += 1;
        book.waiting.insert(number, sender);
        Ok(Question { number, ledger: self.clone(), answer })
    }

    /// Whether questions can be opened.
    pub(crate) fn is_open(&self) -> bool {
        self.book().closed.is_none()
    }

    /// Why no questions can be opened.
    pub(crate) fn closed(&self) -> Option<AdapterFailure> {
        self.book().closed.clone()
    }

    /// How many wait for an answer.
    pub(crate) fn waiting(&self) -> usize {
        self.book().waiting.len()
    }

    /// Takes a line from the process to the one who waits for it.
    pub(crate) fn deliver(&self, line: &[u8]) -> Result<(), AdapterFailure> {
        let mut book = self.book();
        let breach = match serde_json::from_slice(line) {
            Err(_) => Breach::Noise { line: excerpt(line) },
            Ok(Numbered { id }) => {
                if let Some(waiting) = book.waiting.remove(&id) {
                    // Whoever asked may have gone this very moment.
                    let _ = waiting.send(Ok(line.to_vec()));
                    return Ok(());
                }
                if book.abandoned.remove(&id) {
                    Breach::Late { id }
                } else if id < book.next {
                    Breach::Twice { id }
                } else {
                    Breach::UnknownId { id }
                }
            }
        };
        self.breaches.note(breach);
        if book.strays == 0 {
            book.first_stray = excerpt(line);
        }
        book.strays += 1;
        if book.strays > STRAY_LINES {
            return Err(AdapterFailure::Noise { first: book.first_stray.clone(), lines: book.strays });
        }
        Ok(())
    }

    /// Ends everything: whoever waits, or asks from now on, is told the reason.
    pub(crate) fn close(&self, reason: AdapterFailure) {
        let mut book = self.book();
        let mut waiting: Vec<_> = book.waiting.drain().collect();
        waiting.sort_unstable_by_key(|(number, _)| *number);
        for (number, sender) in waiting {
            let _ = sender.send(Err(reason.clone()));
            book.abandoned.insert(number);
        }
        book.closed.get_or_insert(reason);
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Question {
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) async fn answer(&mut self) -> Result<Vec<u8>, AdapterFailure> {
        (&mut self.answer).await.unwrap_or(Err(AdapterFailure::Stopped))
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        let mut book = self.ledger.book();
        if book.waiting.remove(&self.number).is_some() {
            book.abandoned.insert(self.number);
        }
    }
}

/// The one member that every answer has. The others are not looked at here: a number that only exact JSON can hold is
/// no reason to lose an answer.
#[derive(Deserialize)]
struct Numbered {
    id: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger() -> Ledger {
        Ledger::new(Breaches::default())
    }

    #[test]
    fn answers_find_their_questions_in_any_order() {
        let ledger = ledger();
        let (mut first, mut second) = (ledger.open().unwrap(), ledger.open().unwrap());
        ledger.deliver(br#"{"id":1,"x":"b"}"#).unwrap();
        ledger.deliver(br#"{"x":"a","id":0}"#).unwrap();
        assert_eq!(first.answer.try_recv().unwrap().unwrap(), br#"{"x":"a","id":0}"#);
        assert_eq!(second.answer.try_recv().unwrap().unwrap(), br#"{"id":1,"x":"b"}"#);
        assert!(ledger.breaches.list().is_empty());
    }

    #[test]
    fn an_answer_with_what_only_exact_json_can_hold_is_an_answer() {
        let ledger = ledger();
        let mut question = ledger.open().unwrap();
        let line = format!(r#"{{"id":0,"a":1e400,"b":"\ud800","c":{}{}}}"#, "[".repeat(5000), "]".repeat(5000));
        ledger.deliver(line.as_bytes()).unwrap();
        assert_eq!(question.answer.try_recv().unwrap().unwrap(), line.as_bytes());
    }

    #[test]
    fn every_answer_out_of_place_is_a_breach() {
        let ledger = ledger();
        let (answered, given_up) = (ledger.open().unwrap(), ledger.open().unwrap());
        ledger.deliver(br#"{"id":0}"#).unwrap();
        drop((answered, given_up));
        for line in [r#"{"id":0}"#, r#"{"id":1}"#, r#"{"id":1}"#, r#"{"id":2}"#, "{}", "hello"] {
            ledger.deliver(line.as_bytes()).unwrap();
        }
        let expected = [
            Breach::Twice { id: 0 },
            Breach::Late { id: 1 },
            Breach::Twice { id: 1 },
            Breach::UnknownId { id: 2 },
            Breach::Noise { line: "{}".to_owned() },
            Breach::Noise { line: "hello".to_owned() },
        ];
        assert_eq!(ledger.breaches.list(), expected);
    }

    #[test]
    fn a_flood_of_noise_ends_the_process_with_its_first_line() {
        let ledger = ledger();
        for line in 0..STRAY_LINES {
            ledger.deliver(format!("noise {line}").as_bytes()).unwrap();
        }
        let expected = AdapterFailure::Noise { first: "noise 0".to_owned(), lines: STRAY_LINES + 1 };
        assert_eq!(ledger.deliver(b"one more").unwrap_err(), expected);
    }

    #[test]
    fn the_end_is_told_to_those_who_wait_and_to_those_who_ask_later() {
        let ledger = ledger();
        let mut question = ledger.open().unwrap();
        ledger.close(AdapterFailure::Unsupported);
        assert_eq!(question.answer.try_recv().unwrap(), Err(AdapterFailure::Unsupported));
        assert_eq!(ledger.open().map(|question| question.number()).unwrap_err(), AdapterFailure::Unsupported);
    }
}
