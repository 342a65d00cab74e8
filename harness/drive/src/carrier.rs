//! Carries the bytes of one direction on a thread of its own.
//!
//! A program between two others must not slow them down. A thread that waits for bytes, records them and writes them takes
//! two switches fewer than an asynchronous runtime, which has to ask another thread to read a standard stream.

use std::fs::File;
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::thread;

use mcp_compat_model::Role;
use mcp_compat_model::transcript::Event;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tokio::sync::oneshot;

use crate::lines::LineSplitter;
use crate::memory::record;
use crate::tap::Tap;

/// Number of bytes that are read at once.
const CHUNK: usize = 16 << 10;

/// Number of bytes that are written at once. A pipe with room takes so many at once: `PIPE_BUF`, by POSIX at least 512.
const PIECE: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

/// Stops the threads that have the other end when it is dropped.
#[derive(Debug)]
pub(crate) struct Stop(#[expect(dead_code, reason = "it is only dropped")] PipeWriter);

impl Stop {
    /// End of the transfer, and the wake-up of its threads.
    pub(crate) fn new() -> io::Result<(Self, PipeReader)> {
        let (stopped, stop) = io::pipe()?;
        Ok((Self(stop), stopped))
    }
}

/// One direction of a session.
#[derive(Debug)]
pub(crate) struct Carrier {
    tap: Tap,
    from: Role,
    stopped: PipeReader,
}

impl Carrier {
    pub(crate) fn new(tap: &Tap, from: Role, stopped: &PipeReader) -> io::Result<Self> {
        Ok(Self { tap: tap.clone(), from, stopped: stopped.try_clone()? })
    }

    /// Carries everything to its end, and closes the target then. The receiver completes when that is done, or when the
    /// carrier is stopped.
    pub(crate) fn start(self, source: OwnedFd, target: OwnedFd) -> io::Result<oneshot::Receiver<()>> {
        let (ending, end) = oneshot::channel();
        let name = format!("from the {}", self.from);
        thread::Builder::new().name(name).spawn(move || {
            self.carry(source.into(), target.into());
            drop(ending);
        })?;
        Ok(end)
    }

    fn carry(&self, mut source: File, target: File) {
        let mut lines = LineSplitter::new(self.tap.limits().message_bytes);
        let mut chunk = vec![0; CHUNK];
        // A side that no longer reads must not stop the other one from having its output recorded.
        let mut target = Some(target);
        loop {
            if !self.wait(&source, PollFlags::POLLIN) {
                return;
            }
            let read = match source.read(&mut chunk) {
                Ok(0) => break,
                Ok(read) => &chunk[..read],
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => continue,
                Err(error) => {
                    tracing::debug!(from = %self.from, %error, "reading from a peer");
                    break;
                }
            };
            // First the tap, then the other side: it cannot answer what is not recorded yet.
            lines.push(read, |line| record(&self.tap, self.from, line));
            match target.as_mut().map(|open| self.write(open, read)) {
                None | Some(Ok(true)) => {}
                Some(Ok(false)) => return,
                Some(Err(error)) => {
                    tracing::debug!(from = %self.from, %error, "writing to the other peer");
                    target = None;
                }
            }
        }
        lines.finish(|line| record(&self.tap, self.from, line));
        self.tap.event(self.from, Event::Closed {});
    }

    /// Writes all bytes. Returns false if it was stopped before.
    fn write(&self, target: &mut File, mut bytes: &[u8]) -> io::Result<bool> {
        while !bytes.is_empty() {
            if !self.wait(target, PollFlags::POLLOUT) {
                return Ok(false);
            }
            match target.write(&bytes[..bytes.len().min(PIECE)]) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => bytes = &bytes[written..],
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Waits until the stream is ready. Returns false if the carrier is stopped before.
    fn wait(&self, stream: &File, ready: PollFlags) -> bool {
        loop {
            let mut waiting =
                [PollFd::new(stream.as_fd(), ready), PollFd::new(self.stopped.as_fd(), PollFlags::POLLIN)];
            match poll(&mut waiting, PollTimeout::NONE) {
                Ok(_) if waiting[1].any() != Some(false) => return false,
                // Reading or writing the stream reports its errors.
                Ok(_) if waiting[0].any() != Some(false) => return true,
                Ok(_) | Err(nix::errno::Errno::EINTR) => {}
                Err(_) => return true,
            }
        }
    }
}
