//! The log of a peer: reads its standard error, and keeps the end in memory and the beginning in a file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::fs::File;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinHandle;

/// Number of bytes of a log that go to its file, so that a peer that floods does not fill the disk.
const FILE_BYTES: usize = 8 << 20;

/// Number of bytes that are read at once.
const CHUNK: usize = 8 << 10;

/// Reads a log to its end in the background. Dropping it ends the reading.
#[derive(Debug)]
pub(crate) struct Log {
    tail: Arc<Mutex<Tail>>,
    drain: JoinHandle<()>,
}

impl Log {
    /// Begins to read. What comes is added to `file`, when given, which is made when there is something to keep.
    pub(crate) fn of(source: impl AsyncRead + Unpin + Send + 'static, bytes: usize, file: Option<&Path>) -> Self {
        let tail = Arc::new(Mutex::new(Tail::new(bytes)));
        let file = file.map(Path::to_path_buf);
        let drain = tokio::spawn({
            let tail = tail.clone();
            async move { drain(source, &tail, Kept { path: file, open: None }).await }
        });
        Self { tail, drain }
    }

    /// The end of what was written so far.
    pub(crate) fn tail(&self) -> String {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).text()
    }

    /// Waits for the end of the log, but not for long: a process that was left behind may hold it open.
    pub(crate) async fn settle(&mut self, time_limit: Duration) {
        if !self.drain.is_finished() && tokio::time::timeout(time_limit, &mut self.drain).await.is_err() {
            self.drain.abort();
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.drain.abort();
    }
}

/// The part of a log that goes to a file.
struct Kept {
    /// Path of the file, as long as there is room and writing works.
    path: Option<PathBuf>,
    open: Option<(File, usize)>,
}

impl Kept {
    async fn add(&mut self, bytes: &[u8]) {
        let Some(path) = &self.path else { return };
        if let Err(error) = append(path, &mut self.open, bytes).await {
            tracing::warn!(path = %path.display(), %error, "writing a log file");
            self.path = None;
        }
    }
}

/// Adds to a file as much as there is room for.
async fn append(path: &Path, open: &mut Option<(File, usize)>, bytes: &[u8]) -> std::io::Result<()> {
    let (file, budget) = match open {
        Some(open) => open,
        None => {
            let file = File::options().append(true).create(true).open(path).await?;
            let there = usize::try_from(file.metadata().await?.len()).unwrap_or(usize::MAX);
            open.insert((file, FILE_BYTES.saturating_sub(there)))
        }
    };
    let part = &bytes[..bytes.len().min(*budget)];
    *budget -= part.len();
    file.write_all(part).await?;
    // A process may be killed, and its log dropped, at any time.
    file.flush().await
}

async fn drain(mut source: impl AsyncRead + Unpin, tail: &Mutex<Tail>, mut kept: Kept) {
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = match source.read(&mut chunk).await {
            Ok(0) => break,
            Ok(read) => &chunk[..read],
            Err(error) => {
                tracing::debug!(%error, "reading a peer's standard error");
                break;
            }
        };
        tail.lock().unwrap_or_else(PoisonError::into_inner).push(read);
        kept.add(read).await;
    }
}

/// The last bytes of a stream.
#[derive(Debug)]
struct Tail {
    bytes: Vec<u8>,
    limit: usize,
}

impl Tail {
    fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit }
    }

    fn push(&mut self, bytes: &[u8]) {
        let kept = &bytes[bytes.len().saturating_sub(self.limit)..];
        self.bytes.extend_from_slice(kept);
        // Moves the tail down only once as much has passed again, so a flood costs each byte one move.
        if self.bytes.len() > 2 * self.limit {
            self.bytes.drain(..self.bytes.len() - self.limit);
        }
    }

    fn text(&self) -> String {
        let start = self.bytes.len().saturating_sub(self.limit);
        String::from_utf8_lossy(&self.bytes[start..]).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_the_end_of_what_came_however_it_was_cut() {
        let all: Vec<u8> = (0..1000u32).flat_map(|number| number.to_string().into_bytes()).collect();
        for cut in [1, 3, 16, 17, 500] {
            let mut tail = Tail::new(16);
            for part in all.chunks(cut) {
                tail.push(part);
                assert!(tail.bytes.len() <= 32);
            }
            assert_eq!(tail.text().as_bytes(), &all[all.len() - 16..]);
        }
    }

    #[test]
    fn a_tail_of_nothing_keeps_nothing() {
        let mut tail = Tail::new(0);
        tail.push(b"text");
        assert_eq!(tail.text(), "");
    }
}
