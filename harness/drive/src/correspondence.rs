//! A process that is asked in JSON lines and answers in JSON lines, in any order.
//!
//! ```text
//!   ask(text) ── number ──> writer ──> stdin    the process    stdout ──> reader ── by number ──> the one who asked
//! ```
//!
//! One supervising task owns the process. It reads and writes at the same time, so that neither a process that does
//! not read nor one that floods can stall the other direction, and it is the only place that knows how a process
//! ended. Whoever asks is told in any case: by an answer, by the process's end, or by the deadline.

use std::pin::{Pin, pin};
use std::time::Duration;

use mcp_compat_model::transcript::StopStage;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::failure::{AdapterFailure, Breaches, excerpt};
use crate::group::Group;
use crate::ledger::Ledger;
use crate::lines::{Line, LineSplitter};
use crate::process::PeerProcess;

/// How long the rest of the output of an ended process may take, and the end of one that closed its output.
const AFTERMATH: Duration = Duration::from_millis(250);

/// How long a process that failed may take for each step of its end.
const GRACE: Duration = Duration::from_millis(250);

/// How much is read at once.
const CHUNK: usize = 16 << 10;

/// A running exchange of lines with a process. Dropping it kills the process.
#[derive(Debug)]
pub(crate) struct Correspondence {
    letters: mpsc::UnboundedSender<Vec<u8>>,
    ledger: Ledger,
    group: Group,
    stop: mpsc::Sender<Duration>,
    ended: watch::Receiver<Option<StopStage>>,
    supervisor: JoinHandle<()>,
}

/// Whether the process says something before it is asked anything.
pub(crate) enum Opening {
    /// It waits to be asked.
    Silent,
    /// Its first line is not an answer, and goes here.
    Greeting(oneshot::Sender<String>),
}

impl Correspondence {
    /// Takes over a process whose streams nobody has taken.
    pub(crate) fn with(mut process: PeerProcess, opening: Opening, line_bytes: usize, breaches: Breaches) -> Self {
        let (letters, outgoing) = mpsc::unbounded_channel();
        let (stop, stopped) = mpsc::channel(1);
        let (end, ended) = watch::channel(None);
        let ledger = Ledger::new(breaches);
        let group = process.group();
        let (stdin, stdout) = (process.take_stdin(), process.take_stdout());
        let incoming = Incoming { stdout, lines: LineSplitter::new(line_bytes), opening, line_bytes };
        let supervisor = tokio::spawn({
            let ledger = ledger.clone();
            async move {
                let stage = supervise(process, stdin, outgoing, incoming, ledger, stopped).await;
                end.send_replace(Some(stage));
            }
        });
        Self { letters, ledger, group, stop, ended, supervisor }
    }

    /// Asks and waits for the line that answers. `letter` gets the number that the answer will carry.
    pub(crate) async fn ask(
        &self,
        letter: impl FnOnce(u64) -> serde_json::Result<String>,
        deadline: Duration,
    ) -> Result<Vec<u8>, AdapterFailure> {
        let mut question = self.ledger.open()?;
        let letter = letter(question.number());
        let mut line = letter.map_err(|error| AdapterFailure::Unspeakable { problem: error.to_string() })?.into_bytes();
        line.push(b'\n');
        // A send that fails means that the supervisor is gone; then the ledger answers with its reason.
        let _ = self.letters.send(line);
        match timeout(deadline, question.answer()).await {
            Ok(answer) => answer,
            Err(_) => Err(AdapterFailure::TimedOut { after: deadline }),
        }
    }

    /// Whether the process can still be asked.
    pub(crate) fn is_open(&self) -> bool {
        self.ledger.is_open()
    }

    /// Waits until the process cannot be asked any more, and says why.
    pub(crate) async fn closed(&self) -> AdapterFailure {
        let mut ended = self.ended.clone();
        // An error means that the supervisor is gone, which comes to the same.
        let _ = ended.wait_for(Option::is_some).await;
        self.ledger.closed().unwrap_or(AdapterFailure::Stopped)
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

impl Drop for Correspondence {
    fn drop(&mut self) {
        // At once, and not when the runtime comes round to dropping the task.
        self.group.end();
        self.supervisor.abort();
    }
}

/// What comes from the process.
struct Incoming {
    stdout: Option<ChildStdout>,
    lines: LineSplitter,
    opening: Opening,
    line_bytes: usize,
}

/// Why the exchange is over.
enum Ending {
    /// Its output ended.
    Output,
    /// The process ended.
    Process,
    /// It broke a bound of the harness.
    Broke(AdapterFailure),
    /// The harness wants it to end.
    Stopped(Duration),
}

async fn supervise(
    mut process: PeerProcess,
    stdin: Option<ChildStdin>,
    outgoing: mpsc::UnboundedReceiver<Vec<u8>>,
    mut incoming: Incoming,
    ledger: Ledger,
    mut stopped: mpsc::Receiver<Duration>,
) -> StopStage {
    let mut reader = pin!(read(&mut incoming, &ledger));
    let first = {
        let writer = pin!(write(stdin, outgoing));
        tokio::select! {
            ending = &mut reader => ending,
            _ = process.wait() => Ending::Process,
            Some(grace) = stopped.recv() => Ending::Stopped(grace),
            never = writer => match never {},
        }
        // Here the writer goes, and with it the process's input.
    };
    let ending = match first {
        Ending::Stopped(grace) => {
            ledger.close(AdapterFailure::Stopped);
            return heard_out(pin!(process.stop(grace)), reader).await;
        }
        // What it wrote before its end is still in the pipe.
        Ending::Process => match timeout(AFTERMATH, reader).await {
            Ok(Ending::Broke(failure)) => Ending::Broke(failure),
            Ok(Ending::Output | Ending::Process | Ending::Stopped(_)) | Err(_) => Ending::Process,
        },
        Ending::Output | Ending::Broke(_) => first,
    };
    let reason = match ending {
        Ending::Broke(failure) => failure,
        Ending::Output | Ending::Process | Ending::Stopped(_) => {
            let how = match timeout(AFTERMATH, process.wait()).await {
                Ok(exit) if exit.says_unsupported() => None,
                Ok(exit) => Some(exit.to_string()),
                Err(_) => Some("it closed its standard output".to_owned()),
            };
            let died = |how| AdapterFailure::Died { how, log_tail: process.log_tail(), in_flight: ledger.waiting() };
            how.map_or(AdapterFailure::Unsupported, died)
        }
    };
    ledger.close(reason);
    process.stop(GRACE).await
}

/// Waits for the end of a process that is being stopped, and reads what it still writes: it may break the contract to the
/// last.
async fn heard_out<S, R>(mut stop: Pin<&mut S>, mut read: Pin<&mut R>) -> StopStage
where
    S: Future<Output = StopStage>,
    R: Future<Output = Ending>,
{
    tokio::select! {
        stage = &mut stop => {
            // What is there is read; that the output ends is not certain, since others may have it too.
            let _ = timeout(AFTERMATH, read).await;
            stage
        }
        _ = &mut read => stop.await,
    }
}

/// Reads lines until they end or break a bound.
async fn read(incoming: &mut Incoming, ledger: &Ledger) -> Ending {
    let Incoming { stdout, lines, opening, line_bytes } = incoming;
    let Some(stdout) = stdout else { return Ending::Output };
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = match stdout.read(&mut chunk).await {
            Ok(0) => return Ending::Output,
            Ok(read) => &chunk[..read],
            Err(error) => {
                tracing::debug!(%error, "reading from an adapter");
                return Ending::Output;
            }
        };
        let mut broke = None;
        lines.push(read, |line| match line {
            Line::Overflow(start) => {
                broke.get_or_insert(AdapterFailure::Overflow { limit: *line_bytes, start: excerpt(start) });
            }
            Line::Whole(raw) => match std::mem::replace(opening, Opening::Silent) {
                // Nobody waiting for the greeting any more is the business of whoever stopped waiting.
                Opening::Greeting(receiver) => drop(receiver.send(excerpt(raw))),
                Opening::Silent => {
                    if let Err(failure) = ledger.deliver(raw) {
                        broke.get_or_insert(failure);
                    }
                }
            },
        });
        if let Some(failure) = broke {
            return Ending::Broke(failure);
        }
    }
}

/// Writes what is asked. Never returns: an input that is closed or broken is seen by the process's end, which says
/// more; and the input stays open as long as this is not dropped.
async fn write(stdin: Option<ChildStdin>, mut outgoing: mpsc::UnboundedReceiver<Vec<u8>>) -> std::convert::Infallible {
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
