//! A process that gets requests as JSON lines and answers them as JSON lines, in any order.
//!
//! ```text
//!   request() ── line with an id ──> queue ──> stdin [ process ] stdout ──> PendingRequests ── by id ──> request()
//! ```
//!
//! One task owns the process. It reads and writes at the same time, so a process that does not read and one that floods
//! its output block only their own direction. Every request ends: with an answer, with the end of the process, or at
//! its deadline. The queue is short. A request that finds it full waits until its deadline, and its line is not built.

use std::pin::{Pin, pin};
use std::time::Duration;

use mcp_compat_model::transcript::StopStage;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::failure::{AdapterFailure, ViolationLog, excerpt};
use crate::group::Group;
use crate::lines::{Line, LineSplitter};
use crate::pending_requests::PendingRequests;
use crate::process::PeerProcess;

/// Longest time for the rest of an ended process's output, and for the end of a process that closed its output.
const DRAIN_TIME: Duration = Duration::from_millis(250);

/// Longest time that a failed process may take for each step of its end.
const GRACE: Duration = Duration::from_millis(250);

/// Number of bytes that are read at once.
const CHUNK: usize = 16 << 10;

/// Number of lines that wait for a process that does not read.
const OUTGOING_LINES: usize = 16;

/// A process that answers JSON lines. Dropping it kills the process.
#[derive(Debug)]
pub(crate) struct JsonLineProcess {
    outgoing: mpsc::Sender<Vec<u8>>,
    pending: PendingRequests,
    group: Group,
    stop: mpsc::Sender<Duration>,
    ended: watch::Receiver<Option<StopStage>>,
    supervisor: JoinHandle<()>,
}

/// Meaning of the first line of a process.
pub(crate) enum FirstLine {
    /// An answer, as every other line.
    Answer,
    /// An announcement, which goes here.
    Announcement(oneshot::Sender<String>),
}

impl JsonLineProcess {
    /// Takes over a process whose streams were not taken yet.
    pub(crate) fn new(
        mut process: PeerProcess,
        first_line: FirstLine,
        line_bytes: usize,
        violations: ViolationLog,
    ) -> Self {
        let (outgoing, lines_to_write) = mpsc::channel(OUTGOING_LINES);
        let (stop, stopped) = mpsc::channel(1);
        let (end, ended) = watch::channel(None);
        let pending = PendingRequests::new(violations);
        let group = process.group();
        let (stdin, stdout) = (process.take_stdin(), process.take_stdout());
        let incoming = Incoming { stdout, lines: LineSplitter::new(line_bytes), first_line, line_bytes };
        let supervisor = tokio::spawn({
            let pending = pending.clone();
            async move {
                let stage = supervise(process, stdin, lines_to_write, incoming, pending, stopped).await;
                end.send_replace(Some(stage));
            }
        });
        Self { outgoing, pending, group, stop, ended, supervisor }
    }

    /// Sends a request and waits for the line that answers it. `message` gets the id that the answer will carry.
    pub(crate) async fn request(
        &self,
        message: impl FnOnce(u64) -> serde_json::Result<String>,
        deadline: Duration,
    ) -> Result<Vec<u8>, AdapterFailure> {
        let mut request = self.pending.open()?;
        let exchange = async {
            // Without a place in the queue the supervisor is gone, and the request ends with its reason.
            if let Ok(place) = self.outgoing.reserve().await {
                let message = message(request.id());
                let not_serializable =
                    |error: serde_json::Error| AdapterFailure::NotSerializable { problem: error.to_string() };
                let mut line = message.map_err(not_serializable)?.into_bytes();
                line.push(b'\n');
                place.send(line);
            }
            request.answer().await
        };
        let in_time = timeout(deadline, exchange).await;
        in_time.unwrap_or_else(|_| Err(AdapterFailure::TimedOut { after: deadline, noise: self.pending.only_noise() }))
    }

    /// Returns whether the process still takes requests.
    pub(crate) fn is_open(&self) -> bool {
        self.pending.is_open()
    }

    /// Waits until the process takes no more requests, and returns the reason.
    pub(crate) async fn closed(&self) -> AdapterFailure {
        let mut ended = self.ended.clone();
        // An error means that the supervisor is gone, so the process has ended too.
        let _ = ended.wait_for(Option::is_some).await;
        self.pending.closed().unwrap_or(AdapterFailure::Stopped)
    }

    /// Ends the process, gently at first.
    pub(crate) async fn stop(&self, grace: Duration) -> StopStage {
        // A failed send means that it has ended already, or is about to be.
        let _ = self.stop.try_send(grace);
        let mut ended = self.ended.clone();
        let stage = ended.wait_for(Option::is_some).await;
        stage.ok().and_then(|stage| *stage).unwrap_or(StopStage::Killed)
    }
}

impl Drop for JsonLineProcess {
    fn drop(&mut self) {
        // Ends the process now. The runtime may drop the task much later.
        self.group.end();
        self.supervisor.abort();
    }
}

/// Output of the process.
struct Incoming {
    stdout: Option<ChildStdout>,
    lines: LineSplitter,
    first_line: FirstLine,
    line_bytes: usize,
}

/// Reason why a process takes no more requests.
enum EndReason {
    OutputClosed,
    Exited,
    LimitExceeded(AdapterFailure),
    /// The harness stops it, with this grace period.
    Stopped(Duration),
}

async fn supervise(
    mut process: PeerProcess,
    stdin: Option<ChildStdin>,
    outgoing: mpsc::Receiver<Vec<u8>>,
    mut incoming: Incoming,
    pending: PendingRequests,
    mut stopped: mpsc::Receiver<Duration>,
) -> StopStage {
    let mut reader = pin!(read(&mut incoming, &pending));
    let first = {
        let writer = pin!(write(stdin, outgoing));
        tokio::select! {
            ending = &mut reader => ending,
            _ = process.wait() => EndReason::Exited,
            Some(grace) = stopped.recv() => EndReason::Stopped(grace),
            never = writer => match never {},
        }
        // The writer is dropped here, which closes the input of the process.
    };
    let ending = match first {
        EndReason::Stopped(grace) => {
            pending.close(AdapterFailure::Stopped);
            return drain_until_stopped(pin!(process.stop(grace)), reader).await;
        }
        // What it wrote before its end is still in the pipe.
        EndReason::Exited => match timeout(DRAIN_TIME, reader).await {
            Ok(EndReason::LimitExceeded(failure)) => EndReason::LimitExceeded(failure),
            Ok(EndReason::OutputClosed | EndReason::Exited | EndReason::Stopped(_)) | Err(_) => EndReason::Exited,
        },
        EndReason::OutputClosed | EndReason::LimitExceeded(_) => first,
    };
    let reason = match ending {
        EndReason::LimitExceeded(failure) => failure,
        EndReason::OutputClosed | EndReason::Exited | EndReason::Stopped(_) => {
            let how = match timeout(DRAIN_TIME, process.wait()).await {
                Ok(exit) if exit.says_unsupported() => None,
                Ok(exit) => Some(exit.to_string()),
                Err(_) => Some("it closed its standard output".to_owned()),
            };
            let died = |how| AdapterFailure::Died { how, log_tail: process.log_tail(), in_flight: pending.count() };
            how.map_or(AdapterFailure::Unsupported, died)
        }
    };
    pending.close(reason);
    process.stop(GRACE).await
}

/// Waits for the end of a process that is being stopped, and reads what it still writes: that too may violate the
/// contract.
async fn drain_until_stopped<S, R>(mut stop: Pin<&mut S>, mut read: Pin<&mut R>) -> StopStage
where
    S: Future<Output = StopStage>,
    R: Future<Output = EndReason>,
{
    tokio::select! {
        stage = &mut stop => {
            // A child that it left behind may hold the output open.
            let _ = timeout(DRAIN_TIME, read).await;
            stage
        }
        _ = &mut read => stop.await,
    }
}

/// Reads lines until the output ends or exceeds a limit.
async fn read(incoming: &mut Incoming, pending: &PendingRequests) -> EndReason {
    let Incoming { stdout, lines, first_line, line_bytes } = incoming;
    let Some(stdout) = stdout else { return EndReason::OutputClosed };
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = match stdout.read(&mut chunk).await {
            Ok(0) => return EndReason::OutputClosed,
            Ok(read) => &chunk[..read],
            Err(error) => {
                tracing::debug!(%error, "reading from an adapter");
                return EndReason::OutputClosed;
            }
        };
        let mut exceeded = None;
        lines.push(read, |line| match line {
            Line::Overflow(start) => {
                exceeded.get_or_insert(AdapterFailure::Overflow { limit: *line_bytes, start: excerpt(start) });
            }
            Line::Whole(raw) => match std::mem::replace(first_line, FirstLine::Answer) {
                // It fails if the caller has stopped waiting.
                FirstLine::Announcement(receiver) => drop(receiver.send(excerpt(raw))),
                FirstLine::Answer => {
                    if let Err(failure) = pending.deliver(raw) {
                        exceeded.get_or_insert(failure);
                    }
                }
            },
        });
        if let Some(failure) = exceeded {
            return EndReason::LimitExceeded(failure);
        }
    }
}

/// Writes the queued lines. It never returns: the input of the process stays open until this future is dropped, and if
/// writing fails, the end of the process tells more.
async fn write(stdin: Option<ChildStdin>, mut outgoing: mpsc::Receiver<Vec<u8>>) -> std::convert::Infallible {
    if let Some(mut stdin) = stdin {
        while let Some(line) = outgoing.recv().await {
            if let Err(error) = stdin.write_all(&line).await {
                tracing::debug!(%error, "writing to an adapter");
                break;
            }
        }
        std::future::pending::<()>().await;
    }
    std::future::pending().await
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::task::JoinSet;

    use super::*;
    use crate::process::Launch;

    #[tokio::test]
    async fn a_process_that_does_not_read_has_few_lines_waiting_for_it() {
        let launch = Launch::new("/bin/sh").args(["-c", "exec sleep 300"]);
        let process = PeerProcess::spawn(&launch, 0).unwrap();
        let process = JsonLineProcess::new(process, FirstLine::Answer, 100, ViolationLog::default());
        let (process, built) = (std::sync::Arc::new(process), std::sync::Arc::new(AtomicUsize::new(0)));
        let mut requests = JoinSet::new();
        for _ in 0..200 {
            let (process, built) = (process.clone(), built.clone());
            requests.spawn(async move {
                let message = |_| {
                    built.fetch_add(1, Ordering::Relaxed);
                    Ok("x".repeat(1 << 20))
                };
                process.request(message, Duration::from_millis(500)).await
            });
        }
        while let Some(answer) = requests.join_next().await {
            assert!(matches!(answer.unwrap(), Err(AdapterFailure::TimedOut { .. })));
        }
        // One line is being written.
        assert!(built.load(Ordering::Relaxed) <= OUTGOING_LINES + 1, "{built:?}");
    }
}
