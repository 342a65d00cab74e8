//! A wire of lines: standard streams, or a pair in memory. Everything shares one channel.

use std::future::{Future, poll_fn};
use std::ops::Range;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

use crate::jsonrpc::{self, MESSAGE_LIMIT};

use super::awaited::Awaited;
use super::exchange::{Request, Speech, Wire};
use super::inbox::Inbox;
use super::trouble::Trouble;

/// How long a server may take to acknowledge a subscription before the client goes on without.
const ACKNOWLEDGEMENT: Duration = Duration::from_millis(500);

/// How long the last bytes may take to go out when the client leaves.
const FAREWELL: Duration = Duration::from_millis(200);

/// A wire of lines.
pub(super) struct StreamWire<R, W> {
    read: R,
    write: W,
    lines: Lines,
    /// What is to go out, and how much of it is out. Kept here, so that a dropped future leaves no torn line.
    out: Vec<u8>,
    sent: usize,
    inbox: Inbox,
    /// Why nothing more will come.
    ended: Option<Ended>,
}

enum Ended {
    Closed,
    Failed(String),
    TooLong,
}

/// Bytes that came in, cut into lines.
#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
    start: usize,
    scanned: usize,
}

impl Lines {
    /// The next whole line.
    fn next(&mut self) -> Option<Range<usize>> {
        let end = self.bytes[self.scanned..].iter().position(|byte| *byte == b'\n');
        let Some(end) = end.map(|offset| self.scanned + offset) else {
            self.scanned = self.bytes.len();
            return None;
        };
        let line = self.start..end;
        (self.start, self.scanned) = (end + 1, end + 1);
        Some(line)
    }

    /// What is left when the stream has ended.
    fn rest(&mut self) -> Option<Range<usize>> {
        let rest = self.start..self.bytes.len();
        (self.start, self.scanned) = (rest.end, rest.end);
        (!rest.is_empty()).then_some(rest)
    }

    /// Makes room, and gives the space to read into.
    fn space(&mut self) -> &mut Vec<u8> {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.scanned -= self.start;
            self.start = 0;
        }
        self.bytes.reserve(8 * 1024);
        &mut self.bytes
    }
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send> StreamWire<R, W> {
    pub(super) fn new(read: R, write: W) -> Self {
        let (lines, inbox) = (Lines::default(), Inbox::default());
        Self { read, write, lines, out: Vec::new(), sent: 0, inbox, ended: None }
    }

    /// Reads lines until `found` holds, writing what is to go out meanwhile.
    async fn until(
        &mut self,
        awaited: &mut Awaited,
        mut found: impl FnMut(&Inbox, &Awaited) -> bool + Send,
    ) -> Result<(), Trouble> {
        if found(&self.inbox, awaited) {
            return Ok(());
        }
        loop {
            while let Some(line) =
                self.lines.next().or_else(|| self.ended.is_some().then(|| self.lines.rest()).flatten())
            {
                self.inbox.read(&self.lines.bytes[line], awaited);
                for reply in self.inbox.take_replies() {
                    self.queue(reply);
                }
                if found(&self.inbox, awaited) {
                    return Ok(());
                }
            }
            match &self.ended {
                None => self.advance().await,
                Some(Ended::Closed) => return Err(Trouble::Lost("the server closed the connection".to_owned())),
                Some(Ended::Failed(reason)) => return Err(Trouble::Lost(reason.clone())),
                Some(Ended::TooLong) => {
                    return Err(Trouble::Garbled(format!("a message of more than {MESSAGE_LIMIT} bytes")));
                }
            }
        }
    }

    fn queue(&mut self, mut message: Vec<u8>) {
        message.push(b'\n');
        if self.sent == self.out.len() {
            self.out = message;
            self.sent = 0;
        } else {
            self.out.append(&mut message);
        }
    }

    /// Writes or reads some. Both at once, as a server may be waiting for either.
    async fn advance(&mut self) {
        let space = self.lines.space();
        let read = if self.sent < self.out.len() {
            tokio::select! {
                biased;
                written = self.write.write(&self.out[self.sent..]) => {
                    return self.wrote(written).await;
                }
                read = self.read.read_buf(space) => read,
            }
        } else {
            self.read.read_buf(space).await
        };
        match read {
            Ok(0) => self.ended = Some(Ended::Closed),
            Ok(_) if self.lines.bytes.len() - self.lines.start > MESSAGE_LIMIT => self.ended = Some(Ended::TooLong),
            Ok(_) => {}
            Err(error) => self.ended = Some(Ended::Failed(format!("reading from the server failed: {error}"))),
        }
    }

    async fn wrote(&mut self, written: std::io::Result<usize>) {
        match written {
            Ok(count) if count > 0 => {
                self.sent += count;
                if self.sent == self.out.len() {
                    // A failure shows again at the next write.
                    let _ = self.write.flush().await;
                }
            }
            // The server takes nothing more, but what it has written before is still to be read.
            Ok(_) | Err(_) => self.sent = self.out.len(),
        }
    }
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send> Wire for StreamWire<R, W> {
    async fn request(&mut self, requests: &[Request<'_>], awaited: &mut Awaited) {
        for request in requests {
            let mut message = Vec::with_capacity(request.params.len() + 80);
            jsonrpc::request(&mut message, &request.id.to_string(), request.method, Some(request.params));
            self.queue(message);
        }
        if let Err(trouble) = self.until(awaited, |_, awaited| awaited.is_complete()).await {
            awaited.fail(|| trouble.clone());
        }
    }

    async fn notify(&mut self, method: &str, params: Option<&str>) -> Result<(), Trouble> {
        // It goes out with the next request, or when the client leaves.
        let mut message = Vec::new();
        jsonrpc::notification(&mut message, method, params);
        self.queue(message);
        Ok(())
    }

    async fn abandon(&mut self, id: u64, _speech: Speech) {
        let params = format!(r#"{{"requestId":{id},"reason":"the deadline is over"}}"#);
        let _ = self.notify("notifications/cancelled", Some(&params)).await;
    }

    async fn listen(&mut self, request: Option<&Request<'_>>) {
        // A legacy server tells on the one channel that there is.
        let Some(request) = request else { return };
        let mut message = Vec::new();
        jsonrpc::request(&mut message, &request.id.to_string(), request.method, Some(request.params));
        self.queue(message);
        let mut nothing = Awaited::nothing();
        let settled = self.until(&mut nothing, |inbox, _| !inbox.awaits_acknowledgement());
        // Without an acknowledgement the client goes on: telling of changes is a service.
        let _ = timeout(ACKNOWLEDGEMENT, settled).await;
    }

    async fn drain(&mut self) {
        let mut nothing = Awaited::nothing();
        let mut reading = pin!(self.until(&mut nothing, |_, _| false));
        poll_fn(|context| {
            let _ = reading.as_mut().poll(context);
            Poll::Ready(())
        })
        .await;
    }

    async fn changed(&mut self) {
        let _ = self.until(&mut Awaited::nothing(), |inbox, _| inbox.changed).await;
    }

    fn inbox(&mut self) -> &mut Inbox {
        &mut self.inbox
    }

    fn mirrors(&self) -> bool {
        false
    }

    async fn close(mut self) {
        let Self { write, out, sent, .. } = &mut self;
        let leave = async {
            if *sent < out.len() {
                write.write_all(&out[*sent..]).await?;
            }
            write.shutdown().await
        };
        let _ = timeout(FAREWELL, leave).await;
    }
}
