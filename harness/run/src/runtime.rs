//! Asynchronous work for callers who may or may not be asynchronous themselves.

use std::io;
use std::panic::resume_unwind;
use std::thread;

use tokio::runtime::Runtime;

/// Does the work on a thread and a runtime of its own, and waits for it: a test may well run on a runtime already, and
/// one cannot be started within another.
pub fn finish<T: Send, F: Future<Output = T>>(work: impl FnOnce() -> F + Send) -> io::Result<T> {
    let here = || Ok(Runtime::new()?.block_on(work()));
    thread::scope(|scope| scope.spawn(here).join().unwrap_or_else(|panic| resume_unwind(panic)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_for_a_plain_caller() {
        assert_eq!(finish(|| async { 1 }).unwrap(), 1);
    }

    #[tokio::test]
    async fn work_is_done_for_an_asynchronous_caller() {
        assert_eq!(finish(|| async { 1 }).unwrap(), 1);
    }
}
