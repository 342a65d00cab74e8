//! Runs the asynchronous part of a command, and ends it early when a signal asks for that.
//!
//! ```text
//! a command ── work ──> runtime ──> its result, or nothing if it was interrupted
//!                          ^
//!          SIGINT, SIGTERM, SIGHUP: the first cancels the work, the second drops it
//! ```
//!
//! Cancelled work may still report what it has. Dropped work reports nothing, and everything that it started ends with it.

use std::pin::pin;
use std::time::Duration;

use mcp_compat_run::environment::HarnessError;
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// How long tasks that are still running may take to end after the result of the command is known.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// How many threads run the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    /// One for each core.
    PerCore,
    /// One, for work that mostly waits.
    One,
}

/// Runs the work to its end. Signals end the process as usual.
pub(crate) fn block_on<T>(threads: Threads, work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let mut builder = match threads {
        Threads::PerCore => Builder::new_multi_thread(),
        Threads::One => Builder::new_current_thread(),
    };
    let runtime = builder.enable_all().build().map_err(|error| HarnessError::System { what: "threads", error })?;
    let result = runtime.block_on(work);
    match threads {
        // Tasks that are still running are dropped here, and with them the process groups of their peers.
        Threads::PerCore => runtime.shutdown_timeout(SHUTDOWN_TIMEOUT),
        // A pending read of standard input must not keep the process alive.
        Threads::One => runtime.shutdown_background(),
    }
    result
}

/// Runs work that can end early with a result. The first signal calls `announce` and cancels the token of the work, the
/// second one drops the work. Returns `None` if the work was dropped.
pub(crate) fn cancellable<T, F: Future<Output = anyhow::Result<T>>>(
    threads: Threads,
    announce: impl FnOnce(),
    work: impl FnOnce(CancellationToken) -> F,
) -> anyhow::Result<Option<T>> {
    block_on(threads, async {
        let mut signals = Signals::listen()?;
        let token = CancellationToken::new();
        let mut work = pin!(work(token.clone()));
        tokio::select! {
            result = &mut work => return result.map(Some),
            () = signals.next() => {}
        }
        announce();
        token.cancel();
        tokio::select! {
            result = &mut work => result.map(Some),
            () = signals.next() => Ok(None),
        }
    })
}

/// Runs work that has no result before its end. The first signal drops it and calls `announce`. Returns `None` if the
/// work was dropped.
pub(crate) fn interruptible<T>(
    announce: impl FnOnce(),
    work: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<Option<T>> {
    let unless_cancelled = |token: CancellationToken| async move { token.run_until_cancelled(work).await.transpose() };
    Ok(cancellable(Threads::PerCore, announce, unless_cancelled)?.flatten())
}

/// The signals that ask a command to end: Ctrl-C, and what CI systems and closing terminals send.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    /// From now on these signals no longer end the process by themselves.
    fn listen() -> Result<Self, HarnessError> {
        let listen = |kind| signal(kind).map_err(|error| HarnessError::System { what: "its signals", error });
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    /// Waits for the next signal.
    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}
