//! Room for recursion: schemas refer to themselves, and the threads of a runtime have small stacks.

use std::thread;

use crate::refusal::Refusal;

/// Enough for the deepest recursion that [`crate::limits`] allows, in a build that is not optimised.
const BYTES: usize = 64 * 1024 * 1024;

/// Runs a computation on a stack of its own.
///
/// # Errors
/// Those of the computation, or when the system gives no thread.
pub(crate) fn with_room<T: Send>(compute: impl FnOnce() -> Result<T, Refusal> + Send) -> Result<T, Refusal> {
    thread::scope(|scope| {
        let started = thread::Builder::new().stack_size(BYTES).spawn_scoped(scope, compute);
        let failed = |reason: &str| Refusal::failure(reason);
        match started.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(found)) => found,
            Ok(Err(_)) => failed("the validator panicked"),
            Err(error) => failed(&error.to_string()),
        }
    })
}
