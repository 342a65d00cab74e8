//! Runs the asynchronous part of a command, and ends it early when a signal asks for that.
//!
//! ```text
//! a command ── work ──> runtime ──> its result, or nothing if it was dropped
//!                          ^
//!              signals: the first cancels the work, the second drops it
//! ```
//!
//! Cancelled work may still report what it has. Dropped work reports nothing, and everything that it started ends with
//! it.

use std::pin::pin;
use std::time::Duration;

use anyhow::Context as _;
use mcp_compat_drive::{adopt_orphans, end_descendants};
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::programs::Programs;
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use crate::signals::Interruptible;

/// Time limit for tasks that are still running when the result of the command is known.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(200);

/// Returns this program, as what a run needs as processes of their own.
pub fn own_programs() -> anyhow::Result<Programs> {
    Ok(Programs::CommandLine(std::env::current_exe().context("cannot find the program of this process")?))
}

/// Number of threads that run the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    PerCore,
    /// A single thread, for work that mostly waits.
    One,
}

/// Runs the work to its end. Signals end the process as usual.
pub fn block_on<T>(threads: Threads, work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
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
/// second one drops the work. Returns `None` if the work was dropped. No process that the work started outlives it.
pub fn cancellable<T, F: Future<Output = anyhow::Result<T>>>(
    threads: Threads,
    announce: impl FnOnce() + Send + 'static,
    work: impl FnOnce(CancellationToken) -> F,
) -> anyhow::Result<Option<T>> {
    let interruptible = Interruptible::begin(announce)?;
    adopt_orphans();
    let result = block_on(threads, async {
        let mut work = pin!(work(interruptible.cancelled().clone()));
        tokio::select! {
            result = &mut work => result.map(Some),
            () = interruptible.dropped() => Ok(None),
        }
    });
    end_descendants();
    result
}

/// Runs work that has no partial result. The first signal drops the work and calls `announce`. Returns `None` if the
/// work was dropped.
pub fn interruptible<T>(
    announce: impl FnOnce() + Send + 'static,
    work: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<Option<T>> {
    let unless_cancelled = |token: CancellationToken| async move { token.run_until_cancelled(work).await.transpose() };
    Ok(cancellable(Threads::PerCore, announce, unless_cancelled)?.flatten())
}
