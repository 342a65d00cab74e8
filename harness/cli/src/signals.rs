//! Hears the signals that ask a command to end, on a thread of its own, so that no computation keeps a command from ending.
//!
//! ```text
//! first signal                    the work is cancelled: it reports what it has
//! second signal, or GRACE later   the work is dropped: it reports nothing
//! LAST later                      the program ends, with all processes that it started
//! ```
//!
//! If no work is under way, a signal ends the program. While results are being written, only a second signal does.

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

/// How long cancelled work may take to report what it has.
const GRACE: Duration = Duration::from_millis(1500);

/// How long dropped work may take to end what it started.
const LAST: Duration = Duration::from_millis(300);

/// The signal that came last.
static LAST_SIGNAL: Mutex<Signal> = Mutex::new(Signal::SIGTERM);

/// The work that the next signal cancels.
static UNDER_WAY: Mutex<Option<Asked>> = Mutex::new(None);

/// Number of results that are being written.
static WRITING: LazyLock<watch::Sender<usize>> = LazyLock::new(watch::Sender::default);

/// True if the thread listens, which it does from the first work on until the program ends.
static LISTENING: OnceLock<()> = OnceLock::new();

/// What a signal does to the work that is under way.
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
    /// Listens from now on. The first signal calls `announce`.
    ///
    /// # Errors
    /// If the system does not let this program listen.
    pub(crate) fn begin(announce: impl FnOnce() + Send + 'static) -> Result<Self, HarnessError> {
        let tokens = Tokens::default();
        let asked = Asked { announce: Box::new(announce), tokens: tokens.clone() };
        *UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner) = Some(asked);
        if LISTENING.set(()).is_ok() {
            listen().map_err(|error| HarnessError::System { what: "its signals", error })?;
        }
        Ok(Self { tokens })
    }

    /// Cancelled by the first signal.
    pub(crate) fn cancelled(&self) -> &CancellationToken {
        &self.tokens.cancel
    }

    /// Returns when the work is to be dropped.
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

/// What was measured is being written: time that runs out does not end the program before this value is dropped.
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

/// The signal that came last, for work that passes it on.
pub(crate) fn last() -> Signal {
    *LAST_SIGNAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the thread. From now on these signals no longer end the process by themselves.
fn listen() -> std::io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let signals = {
        let _within = runtime.enter();
        Signals::listen()?
    };
    thread::Builder::new().name("signals".to_owned()).spawn(move || obey(&runtime, signals)).map(drop)
}

/// Does what signals ask for, until the program ends.
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
                // What comes now is short: a report is printed.
                () = tokens.ended.cancelled() => signals.next().await,
            }
            tokens.drop.cancel();
            tokio::select! {
                () = sleep(LAST) => eprintln!("ended without a result: the work did not stop by itself"),
                () = tokens.ended.cancelled() => sleep(LAST).await,
            }
        }
        end_descendants();
        std::process::exit(i32::from(Exit::Interrupted.status()));
    });
}

/// Returns when cancelled work has had its time, and nothing is being written.
async fn time_is_up() {
    sleep(GRACE).await;
    // The sender lives as long as the program, so this cannot fail.
    let _ = WRITING.subscribe().wait_for(|number| *number == 0).await;
}

/// The signals that ask a command to end: Ctrl-C, and what CI systems and closing terminals send.
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

    /// Waits for the next signal.
    async fn next(&mut self) {
        let signal = tokio::select! {
            _ = self.interrupt.recv() => Signal::SIGINT,
            _ = self.terminate.recv() => Signal::SIGTERM,
            _ = self.hang_up.recv() => Signal::SIGHUP,
        };
        *LAST_SIGNAL.lock().unwrap_or_else(PoisonError::into_inner) = signal;
    }
}
