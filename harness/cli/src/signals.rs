//! Handles the signals that ask a command to end, on a thread of its own, so that a computation cannot block them.
//!
//! ```text
//! first signal                    the work is cancelled: it reports what it has
//! second signal, or GRACE later   the work is dropped: it reports nothing
//! LAST later                      the program ends, with all processes that it started
//! ```
//!
//! A signal ends the program at once if no work is running. While results are being written, only a second signal does.

use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use mcp_compat_drive::end_descendants;
use mcp_compat_run::environment::HarnessError;
use nix::sys::signal::Signal;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::exit::Exit;
use crate::output::eprintln;

/// Time limit for cancelled work to report its partial result.
const GRACE: Duration = Duration::from_millis(4500);

/// Time limit for dropped work to end the processes that it started.
const LAST: Duration = Duration::from_millis(300);

static LAST_SIGNAL: Mutex<Signal> = Mutex::new(Signal::SIGTERM);

/// Running work, which the next signal cancels.
static UNDER_WAY: Mutex<Option<Asked>> = Mutex::new(None);

/// Number of results that are being written.
static WRITING: LazyLock<watch::Sender<usize>> = LazyLock::new(watch::Sender::default);

/// Set once the thread listens, which it does until the program ends.
static LISTENING: OnceLock<()> = OnceLock::new();

/// Actions of a signal on the running work.
struct Asked {
    announce: Box<dyn FnOnce() + Send>,
    tokens: Tokens,
}

#[derive(Clone, Debug, Default)]
struct Tokens {
    cancel: CancellationToken,
    drop: CancellationToken,
    ended: CancellationToken,
}

/// Work that signals can end, until it is dropped.
#[derive(Debug)]
pub(crate) struct Interruptible {
    tokens: Tokens,
}

impl Interruptible {
    /// Starts to listen. The first signal calls `announce`.
    pub(crate) fn begin(announce: impl FnOnce() + Send + 'static) -> Result<Self, HarnessError> {
        let tokens = Tokens::default();
        let asked = Asked { announce: Box::new(announce), tokens: tokens.clone() };
        *UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner) = Some(asked);
        if LISTENING.set(()).is_ok() {
            listen().map_err(|error| HarnessError::System { what: "its signals", error })?;
        }
        Ok(Self { tokens })
    }

    /// Returns the token that the first signal cancels.
    pub(crate) fn cancelled(&self) -> &CancellationToken {
        &self.tokens.cancel
    }

    /// Waits until the work is to be dropped.
    pub(crate) async fn dropped(&self) {
        self.tokens.drop.cancelled().await;
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.tokens.ended.cancel();
    }
}

/// Marks that results are being written: until it is dropped, a timeout after a signal does not end the program.
#[derive(Debug)]
pub(crate) struct Writing(());

impl Writing {
    pub(crate) fn begin() -> Self {
        WRITING.send_modify(|number| *number += 1);
        Self(())
    }
}

/// Returns whether results are being written.
#[cfg(test)]
pub(crate) fn is_writing() -> bool {
    *WRITING.borrow() > 0
}

impl Drop for Writing {
    fn drop(&mut self) {
        WRITING.send_modify(|number| *number -= 1);
    }
}

/// Returns the latest signal, for work that passes it on.
pub(crate) fn last() -> Signal {
    *LAST_SIGNAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the thread. The signals no longer end the process by default.
fn listen() -> std::io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let signals = {
        let _within = runtime.enter();
        Signals::listen()?
    };
    thread::Builder::new().name("signals".to_owned()).spawn(move || obey(&runtime, signals)).map(drop)
}

/// Acts on signals until the program ends.
#[expect(clippy::exit, reason = "the main thread may be computing")]
fn obey(runtime: &Runtime, mut signals: Signals) {
    runtime.block_on(async {
        signals.next().await;
        let asked = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Asked { announce, tokens }) = asked {
            announce();
            tokens.cancel.cancel();
            tokio::select! {
                () = signals.next() => {}
                () = time_is_up() => {}
                // Only a short step is left: printing the report.
                () = tokens.ended.cancelled() => signals.next().await,
            }
            tokens.drop.cancel();
            tokio::select! {
                () = sleep(LAST) => eprintln!("interrupted; the results did not come in time, so nothing was written"),
                () = tokens.ended.cancelled() => sleep(LAST).await,
            }
        }
        end_descendants();
        std::process::exit(i32::from(Exit::Interrupted.status()));
    });
}

/// Waits until the grace period of cancelled work is over and nothing is being written.
async fn time_is_up() {
    sleep(GRACE).await;
    // The sender lives as long as the program, so this cannot fail.
    let _ = WRITING.subscribe().wait_for(|number| *number == 0).await;
}

/// Signals that ask a command to end: Ctrl-C, and those that CI systems and closing terminals send.
struct Signals {
    interrupt: Stream,
    terminate: Stream,
    hang_up: Stream,
}

impl Signals {
    fn listen() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) {
        let signal = tokio::select! {
            _ = self.interrupt.recv() => Signal::SIGINT,
            _ = self.terminate.recv() => Signal::SIGTERM,
            _ = self.hang_up.recv() => Signal::SIGHUP,
        };
        *LAST_SIGNAL.lock().unwrap_or_else(PoisonError::into_inner) = signal;
    }
}
