//! A reader that ends where a server prints without end.
//!
//! A server may print a few lines that are no messages: clients skip them. One that prints nothing else, or messages
//! without end, would keep the probe busy until its deadline.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// Most lines that cannot be messages a server may print in one session.
const NOISE: u32 = 1_000;

/// Most lines a server may print in one session.
const LINES: u32 = 50_000;

/// Record that a server printed without end, and what.
#[derive(Clone, Debug, Default)]
pub(super) struct Flood(Arc<AtomicU8>);

const NONE: u8 = 0;
const OF_NOISE: u8 = 1;
const OF_LINES: u8 = 2;

impl Flood {
    /// Description of what the server did, if it printed without end.
    pub(super) fn words(&self) -> Option<String> {
        match self.0.load(Ordering::Relaxed) {
            OF_NOISE => Some(format!("it printed {NOISE} lines that are not JSON-RPC messages to standard output")),
            OF_LINES => Some(format!("it printed {LINES} lines to standard output")),
            _ => None,
        }
    }
}

/// Reads what a server prints, until it is too much.
pub(super) struct Bounded<R> {
    inner: R,
    flood: Flood,
    lines: u32,
    noise: u32,
    /// Line that is being read: it may be a message if it begins with a bracket.
    line: Line,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Empty,
    Noise,
    /// It begins as JSON, and has so many bytes.
    Message(usize),
}

/// The shortest message that JSON-RPC allows is longer.
const SHORTEST: usize = 20;

impl<R> Bounded<R> {
    pub(super) fn new(inner: R, flood: Flood) -> Self {
        Self { inner, flood, lines: 0, noise: 0, line: Line::Empty }
    }

    fn count(&mut self, mut bytes: &[u8]) {
        while let Some((first, rest)) = bytes.split_first() {
            if *first == b'\n' {
                self.lines += 1;
                let is_message = matches!(self.line, Line::Message(length) if length >= SHORTEST);
                self.noise += u32::from(!is_message);
                (self.line, bytes) = (Line::Empty, rest);
                continue;
            }
            if self.line == Line::Empty {
                self.line = match first {
                    b' ' | b'\t' | b'\r' => Line::Empty,
                    // A byte order mark may stand before a message.
                    b'{' | b'[' | 0xef => Line::Message(1),
                    _ => Line::Noise,
                };
                bytes = rest;
                continue;
            }
            let more = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
            if let Line::Message(length) = &mut self.line {
                *length = length.saturating_add(more);
            }
            bytes = &bytes[more..];
        }
        if self.noise >= NOISE {
            self.flood.0.store(OF_NOISE, Ordering::Relaxed);
        } else if self.lines >= LINES {
            self.flood.0.store(OF_LINES, Ordering::Relaxed);
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Bounded<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.flood.0.load(Ordering::Relaxed) != NONE {
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        self.count(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[rstest]
    #[case::of_noise("{\n", 20_000, Some("1000 lines that are not JSON-RPC messages"))]
    #[case::of_words("listening\n", 2_000, Some("1000 lines that are not JSON-RPC messages"))]
    #[case::of_messages("{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n", 60_000, Some("50000 lines"))]
    #[case::a_banner("listening\n", 999, None)]
    #[case::many_messages("{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n", 40_000, None)]
    #[tokio::test]
    async fn a_flood_ends_the_stream(#[case] line: &str, #[case] times: usize, #[case] words: Option<&str>) {
        let (text, flood) = (line.repeat(times), Flood::default());
        let mut bounded = Bounded::new(text.as_bytes(), flood.clone());
        let (mut chunk, mut read) = (vec![0; 4096], 0);
        loop {
            match bounded.read(&mut chunk).await.unwrap() {
                0 => break,
                more => read += more,
            }
        }
        match (flood.words(), words) {
            (Some(told), Some(words)) => assert!(told.contains(words) && read < text.len(), "{told}"),
            (told, words) => assert_eq!((told.as_deref(), read), (words, text.len())),
        }
    }
}
