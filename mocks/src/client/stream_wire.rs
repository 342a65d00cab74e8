//! A wire of lines: standard streams, or a pair in memory. Both directions share one channel.

use std::fmt;
use std::future::poll_fn;
use std::mem;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::wire::jsonrpc::{self, MESSAGE_LIMIT};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

use crate::client::client_error::ClientError;
use crate::client::inbox::Inbox;
use crate::client::pending_requests::PendingRequests;
use crate::client::wire::{BoxFuture, Request, RequestEra, Wire};

/// Time that a server may take to acknowledge a subscription before the client continues without it.
const ACKNOWLEDGEMENT: Duration = Duration::from_millis(500);

/// Time that the last bytes may take to be written when the client leaves.
const FAREWELL: Duration = Duration::from_millis(200);

/// A wire of lines.
pub(crate) struct StreamWire<'s> {
    stream: ByteStream<'s>,
    lines: Lines,
    /// Bytes to write, and how many of them are written. Kept here, so that a dropped future leaves no torn line.
    out: Vec<u8>,
    sent: usize,
    inbox: Inbox,
    /// Reason why nothing more will arrive.
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
    scanned: usize,
}

impl Lines {
    /// The next whole line, with its end. It takes its bytes along, so that a long one is not kept longer than it is read.
    fn next(&mut self) -> Option<Vec<u8>> {
        let end = self.bytes[self.scanned..].iter().position(|byte| *byte == b'\n');
        let Some(end) = end.map(|offset| self.scanned + offset) else {
            self.scanned = self.bytes.len();
            return None;
        };
        let behind = self.bytes.split_off(end + 1);
        self.scanned = 0;
        Some(mem::replace(&mut self.bytes, behind))
    }

    /// Returns the error for requests that are open when the stream has ended.
    fn rest(&mut self) -> Option<Vec<u8>> {
        self.scanned = 0;
        let rest = mem::take(&mut self.bytes);
        (!rest.is_empty()).then_some(rest)
    }

    /// Makes room, and gives the space to read into.
    fn space(&mut self) -> &mut Vec<u8> {
        self.bytes.reserve(8 * 1024);
        &mut self.bytes
    }
}

impl<'s> StreamWire<'s> {
    pub(crate) fn new(stream: ByteStream<'s>) -> Self {
        let (lines, inbox) = (Lines::default(), Inbox::default());
        Self { stream, lines, out: Vec::new(), sent: 0, inbox, ended: None }
    }

    /// Reads lines until `found` holds, and writes what is to be written meanwhile.
    async fn until(
        &mut self,
        pending: &mut PendingRequests,
        found: fn(&Inbox, &PendingRequests) -> bool,
    ) -> Result<(), ClientError> {
        if found(&self.inbox, pending) {
            return Ok(());
        }
        loop {
            while let Some(line) = self.next_line() {
                self.inbox.read(&line, pending);
                for reply in self.inbox.take_replies() {
                    self.queue(reply);
                }
                if found(&self.inbox, pending) {
                    return Ok(());
                }
            }
            match &self.ended {
                None => self.advance().await,
                Some(Ended::Closed) => {
                    return Err(ClientError::ConnectionLost("the server closed the connection".to_owned()));
                }
                Some(Ended::Failed(reason)) => return Err(ClientError::ConnectionLost(reason.clone())),
                Some(Ended::TooLong) => {
                    return Err(ClientError::InvalidMessage(format!("a message of more than {MESSAGE_LIMIT} bytes")));
                }
            }
        }
    }

    /// The next line to read. At the end of the stream it needs no line end, unless it is the one that is too long.
    fn next_line(&mut self) -> Option<Vec<u8>> {
        match self.ended {
            None | Some(Ended::TooLong) => self.lines.next(),
            Some(Ended::Closed | Ended::Failed(_)) => self.lines.next().or_else(|| self.lines.rest()),
        }
    }

    fn queue_request(&mut self, request: &Request<'_>) {
        self.queue(jsonrpc::request(&self.inbox.style.id(request.id), request.method, Some(request.params)));
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

    /// Writes or reads some bytes: both at once, because a server may be waiting for either.
    async fn advance(&mut self) {
        let space = self.lines.space();
        let read = if self.sent < self.out.len() {
            tokio::select! {
                biased;
                written = self.stream.write.write(&self.out[self.sent..]) => {
                    return self.wrote(written).await;
                }
                read = self.stream.read.read_buf(space) => read,
            }
        } else {
            self.stream.read.read_buf(space).await
        };
        match read {
            Ok(0) => self.ended = Some(Ended::Closed),
            Ok(_) if self.lines.bytes.len() > MESSAGE_LIMIT => self.ended = Some(Ended::TooLong),
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
                    let _ = self.stream.write.flush().await;
                }
            }
            // The server reads nothing more, but what it wrote before is still to be read.
            Ok(_) | Err(_) => self.sent = self.out.len(),
        }
    }
}

impl Wire for StreamWire<'_> {
    fn request<'a>(&'a mut self, requests: &'a [Request<'a>], pending: &'a mut PendingRequests) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            for request in requests {
                self.queue_request(request);
            }
            if let Err(error) = self.until(pending, |_, pending| pending.is_complete()).await {
                pending.fail(|| error.clone());
            }
        })
    }

    fn notify<'a>(&'a mut self, method: &'a str, params: Option<&'a str>) -> BoxFuture<'a, Result<(), ClientError>> {
        // It is written with the next request, or when the client leaves.
        self.queue(jsonrpc::notification(method, params));
        Box::pin(std::future::ready(Ok(())))
    }

    fn cancel(&mut self, id: u64, _era: RequestEra) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let id = self.inbox.style.id(id);
            let params = format!(r#"{{"requestId":{id},"reason":"the deadline is over"}}"#);
            let _ = self.notify("notifications/cancelled", Some(&params)).await;
        })
    }

    fn listen<'a>(&'a mut self, request: Option<&'a Request<'a>>) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            // A legacy server sends notifications on the one channel that there is.
            let Some(request) = request else { return };
            self.queue_request(request);
            let mut none = PendingRequests::none();
            let settled = self.until(&mut none, |inbox, _| !inbox.awaits_acknowledgement());
            // Without an acknowledgement the client continues: notifications of changes are optional.
            let _ = timeout(ACKNOWLEDGEMENT, settled).await;
        })
    }

    fn drain(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut none = PendingRequests::none();
            let mut reading = pin!(self.until(&mut none, |_, _| false));
            poll_fn(|context| {
                let _ = reading.as_mut().poll(context);
                Poll::Ready(())
            })
            .await;
        })
    }

    fn changed(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let _ = self.until(&mut PendingRequests::none(), |inbox, _| inbox.changed).await;
        })
    }

    fn inbox(&mut self) -> &mut Inbox {
        &mut self.inbox
    }

    fn sends_header_params(&self) -> bool {
        false
    }

    fn close<'a>(mut self: Box<Self>) -> BoxFuture<'a, ()>
    where
        Self: 'a,
    {
        Box::pin(async move {
            let Self { stream, out, sent, .. } = &mut *self;
            let leave = async {
                if *sent < out.len() {
                    stream.write.write_all(&out[*sent..]).await?;
                }
                stream.write.shutdown().await
            };
            let _ = timeout(FAREWELL, leave).await;
        })
    }
}

/// The two directions of a connection to a server.
pub struct ByteStream<'s> {
    pub(crate) read: Box<dyn AsyncRead + Unpin + Send + 's>,
    pub(crate) write: Box<dyn AsyncWrite + Unpin + Send + 's>,
}

impl<'s> ByteStream<'s> {
    /// A connection: `read` is what the server writes, `write` what it reads.
    pub fn new(read: impl AsyncRead + Unpin + Send + 's, write: impl AsyncWrite + Unpin + Send + 's) -> Self {
        Self { read: Box::new(read), write: Box::new(write) }
    }
}

impl fmt::Debug for ByteStream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByteStream").finish_non_exhaustive()
    }
}

/// Opens connections to a server. Each connection is to a new instance of the server, and the one before it is over.
pub trait Connector: Send {
    /// Connects to the server.
    ///
    /// # Errors
    /// Why the server cannot be reached.
    fn connect(&mut self) -> BoxFuture<'_, Result<ByteStream<'static>, String>>;
}
