//! A link in memory, for peers that live in this process.
//!
//! The tap is inside the pipe: written bytes are recorded before the other side can read them. No task copies them, so a
//! message costs one lock and one wake-up.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::{Buf as _, BytesMut};
use mcp_compat_model::Role;
use mcp_compat_model::transcript::Event;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::lines::{Line, LineSplitter};
use crate::tap::Tap;

/// Number of bytes that may wait for the reader before the writer has to.
const CAPACITY: usize = 64 << 10;

/// One end of a link in memory. Dropping a half closes that direction for the other end.
#[derive(Debug)]
pub struct End {
    /// Bytes that the other end writes.
    pub reader: PipeReader,
    /// Bytes that the other end reads.
    pub writer: PipeWriter,
}

/// A recorded link: the client's end and the server's.
pub fn memory_link(tap: &Tap) -> (End, End) {
    let recorder =
        |from| Some(Recorder { tap: tap.clone(), from, lines: LineSplitter::new(tap.limits().message_bytes) });
    ends(recorder(Role::Client), recorder(Role::Server))
}

/// A link that nobody records, for a peer in memory that speaks to a process through [`crate::tapped_link`].
pub fn plain_link() -> (End, End) {
    ends(None, None)
}

fn ends(upward: Option<Recorder>, downward: Option<Recorder>) -> (End, End) {
    let (from_client, to_server) = pipe(upward);
    let (from_server, to_client) = pipe(downward);
    (End { reader: to_client, writer: from_client }, End { reader: to_server, writer: from_server })
}

fn pipe(recorder: Option<Recorder>) -> (PipeWriter, PipeReader) {
    let state = State { recorder, ..State::default() };
    let channel = Arc::new(Channel { state: Mutex::new(state) });
    (PipeWriter { channel: channel.clone() }, PipeReader { channel })
}

/// The writing half of one direction.
pub struct PipeWriter {
    channel: Arc<Channel>,
}

/// The reading half of one direction.
pub struct PipeReader {
    channel: Arc<Channel>,
}

struct Channel {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: BytesMut,
    reader: Option<Waker>,
    writer: Option<Waker>,
    writing: Half,
    reading: Half,
    recorder: Option<Recorder>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Half {
    #[default]
    Open,
    Closed,
}

struct Recorder {
    tap: Tap,
    from: Role,
    lines: LineSplitter,
}

impl Recorder {
    fn wrote(&mut self, bytes: &[u8]) {
        let Self { tap, from, lines } = self;
        lines.push(bytes, |line| record(tap, *from, line));
    }

    fn closed(&mut self) {
        let Self { tap, from, lines } = self;
        lines.finish(|line| record(tap, *from, line));
        tap.event(*from, Event::Closed {});
    }
}

/// Writes a line of a stream into the tap.
pub(crate) fn record(tap: &Tap, from: Role, line: Line<'_>) {
    match line {
        Line::Whole(raw) => tap.message(from, raw, None),
        Line::Overflow(start) => tap.overflow(from, start),
    }
}

impl Channel {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close_writing(&self) {
        let waker = {
            let mut state = self.state();
            if state.writing == Half::Closed {
                return;
            }
            state.writing = Half::Closed;
            if let Some(mut recorder) = state.recorder.take() {
                recorder.closed();
            }
            state.reader.take()
        };
        wake(waker);
    }

    fn close_reading(&self) {
        let waker = {
            let mut state = self.state();
            state.reading = Half::Closed;
            state.waiting = BytesMut::new();
            state.writer.take()
        };
        wake(waker);
    }
}

/// Wakes outside of the lock, so that the woken side does not run into it.
fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

fn wait_for(slot: &mut Option<Waker>, cx: &Context<'_>) {
    match slot {
        Some(waker) => waker.clone_from(cx.waker()),
        None => *slot = Some(cx.waker().clone()),
    }
}

impl AsyncRead for PipeReader {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let waker = {
            let mut state = self.channel.state();
            if state.waiting.is_empty() {
                return match state.writing {
                    Half::Closed => Poll::Ready(Ok(())),
                    Half::Open => {
                        wait_for(&mut state.reader, cx);
                        Poll::Pending
                    }
                };
            }
            let taken = buf.remaining().min(state.waiting.len());
            buf.put_slice(&state.waiting[..taken]);
            state.waiting.advance(taken);
            state.writer.take()
        };
        wake(waker);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for PipeWriter {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let (taken, waker) = {
            let mut state = self.channel.state();
            if state.reading == Half::Closed || state.writing == Half::Closed {
                return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
            }
            let taken = bytes.len().min(CAPACITY - state.waiting.len());
            if taken == 0 && !bytes.is_empty() {
                wait_for(&mut state.writer, cx);
                return Poll::Pending;
            }
            if let Some(recorder) = &mut state.recorder {
                recorder.wrote(&bytes[..taken]);
            }
            state.waiting.extend_from_slice(&bytes[..taken]);
            (taken, state.reader.take())
        };
        wake(waker);
        Poll::Ready(Ok(taken))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.channel.close_writing();
        Poll::Ready(Ok(()))
    }
}

impl Drop for PipeWriter {
    fn drop(&mut self) {
        self.channel.close_writing();
    }
}

impl Drop for PipeReader {
    fn drop(&mut self) {
        self.channel.close_reading();
    }
}

impl fmt::Debug for PipeWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PipeWriter").finish_non_exhaustive()
    }
}

impl fmt::Debug for PipeReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PipeReader").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::transcript::{Entry, Raw};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;
    use crate::tap::Limits;

    /// Lines with their senders; a closing is the empty one.
    fn told(entries: Vec<Entry>) -> Vec<(Role, Raw)> {
        let line = |entry: Entry| match &entry.event {
            Event::Message { raw, http: None } => (entry.from, raw.clone()),
            Event::Closed {} => (entry.from, Raw::Text(String::new())),
            Event::Message { http: Some(_), .. }
            | Event::Head { .. }
            | Event::Overflow { .. }
            | Event::Fetched { .. }
            | Event::Exited { .. }
            | Event::Stopped { .. } => unreachable!("{entry:?}"),
        };
        entries.into_iter().map(line).collect()
    }

    #[tokio::test]
    async fn what_one_end_writes_the_other_reads_and_the_tap_keeps_line_by_line() {
        let tap = Tap::new(Limits::default());
        let (mut client, mut server) = memory_link(&tap);
        client.writer.write_all(b"ask").await.unwrap();
        client.writer.write_all(b" it\nmore\n").await.unwrap();
        let mut read = [0; 12];
        server.reader.read_exact(&mut read).await.unwrap();
        assert_eq!(&read, b"ask it\nmore\n");
        server.writer.write_all(b"unfinished").await.unwrap();
        drop(server);
        let mut rest = Vec::new();
        client.reader.read_to_end(&mut rest).await.unwrap();
        assert_eq!(rest, b"unfinished");
        drop(client);
        let said = [
            (Role::Client, "ask it"),
            (Role::Client, "more"),
            (Role::Server, "unfinished"),
            (Role::Server, ""),
            (Role::Client, ""),
        ];
        assert_eq!(told(tap.finish().entries), said.map(|(role, text)| (role, Raw::Text(text.to_owned()))));
    }

    #[tokio::test]
    async fn a_writer_waits_for_a_slow_reader_and_nothing_is_lost() {
        let (client, mut server) = plain_link();
        let sent: Vec<u8> = (0..1_000_000u32).map(|number| number as u8).collect();
        let mut writer = client.writer;
        let mut received = Vec::new();
        let (written, read) = tokio::join!(
            async {
                writer.write_all(&sent).await?;
                writer.shutdown().await
            },
            server.reader.read_to_end(&mut received),
        );
        written.unwrap();
        assert_eq!(read.unwrap(), sent.len());
        assert_eq!(received, sent);
    }

    #[tokio::test]
    async fn writing_to_an_end_that_is_gone_fails() {
        let (mut client, server) = plain_link();
        drop(server);
        assert_eq!(client.writer.write_all(b"x").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }

    #[tokio::test]
    async fn a_writer_that_waits_is_told_when_the_reader_goes() {
        let (mut client, server) = plain_link();
        let flood = vec![0; 2 * CAPACITY];
        let (written, ()) = tokio::join!(client.writer.write_all(&flood), async { drop(server) });
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
