//! A varied server over standard streams: one message a line.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::time::{Instant, sleep, sleep_until};

use super::answers::{Answered, HOLD, State, answer};
use super::behaviour::Behaviour;
use super::body::{PAUSE, cuts};
use super::exchange::{Exchange, Verb};
use crate::wire::jsonrpc::{MESSAGE_LIMIT, Message};

/// A server for one client, which may start it more than once.
#[derive(Debug)]
pub struct VariedLines {
    behaviour: Behaviour,
    state: Mutex<State>,
}

/// An answer that waits for the client's answers to other requests.
struct Held {
    message: Vec<u8>,
    awaited: Vec<String>,
    until: Instant,
}

impl VariedLines {
    pub fn new(behaviour: Behaviour) -> Self {
        Self { behaviour, state: Mutex::default() }
    }

    /// Messages from the client, in order.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.state().exchanges.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves a session until the client ends it.
    ///
    /// # Errors
    /// When a stream fails.
    pub async fn serve(&self, read: impl AsyncRead + Unpin, mut write: impl AsyncWrite + Unpin) -> io::Result<()> {
        let mut lines = BufReader::new(read.take(4 * MESSAGE_LIMIT as u64)).split(b'\n');
        if let Some(noise) = self.behaviour.noise {
            self.send(&mut write, noise.as_bytes()).await?;
        }
        let mut held: Option<Held> = None;
        loop {
            let until = held.as_ref().map_or_else(Instant::now, |held| held.until);
            let line = tokio::select! {
                line = lines.next_segment() => match line? {
                    Some(line) => line,
                    None => return Ok(()),
                },
                () = sleep_until(until), if held.is_some() => Vec::new(),
            };
            let line = line.trim_ascii();
            if !line.is_empty()
                && let Some(Answered { message, before, awaited, .. }) = self.answered(line).await
            {
                if let Some(earlier) = held.take() {
                    self.send(&mut write, &earlier.message).await?;
                }
                for message in &before {
                    self.send(&mut write, message).await?;
                }
                held = Some(Held { message, awaited, until: Instant::now() + HOLD });
            }
            let is_due = |held: &mut Held| held.until <= Instant::now() || self.state().has_answers(&held.awaited);
            if let Some(Held { message, .. }) = held.take_if(is_due) {
                self.send(&mut write, &message).await?;
            }
        }
    }

    /// The answer to a line, if it asks for one.
    async fn answered(&self, line: &[u8]) -> Option<Answered> {
        let message = Message::read(line);
        let mut seen = Exchange::new(Verb::Post);
        let id = seen.note(&message, line);
        let Some((id, method)) = id.zip(seen.method.clone()) else {
            self.state().exchanges.push(seen);
            return None;
        };
        let instead = self.behaviour.instead.as_ref().filter(|instead| instead.method == method);
        if let Some(instead) = instead.filter(|instead| instead.always || !self.state().has_replaced) {
            let mut state = self.state();
            state.has_replaced = true;
            state.exchanges.push(Exchange { status: instead.status, ..seen });
            if instead.body.is_empty() {
                return None;
            }
            let message = instead.body.replace("{id}", &id).into_bytes();
            return Some(Answered {
                message,
                before: Vec::new(),
                awaited: Vec::new(),
                status: 200,
                code: None,
                told: None,
            });
        }
        let params = seen.params.clone().unwrap_or_else(|| "{}".to_owned());
        let mut state = self.state();
        let answered = answer(&self.behaviour, &mut state, &id, &method, &params);
        state.exchanges.push(Exchange { code: answered.code, told: answered.told.clone(), ..seen });
        Some(answered)
    }

    async fn send(&self, write: &mut (impl AsyncWrite + Unpin), message: &[u8]) -> io::Result<()> {
        let line = [message, self.behaviour.line_end.as_bytes()].concat();
        let pieces = if self.behaviour.cut_lines { cuts(&line) } else { vec![line] };
        for (number, piece) in pieces.iter().enumerate() {
            if number > 0 {
                sleep(PAUSE).await;
            }
            write.write_all(piece).await?;
            write.flush().await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#;

    /// The lines that a server writes to a client that writes these.
    async fn written(behaviour: Behaviour, sent: &str) -> (Vec<String>, Vec<Exchange>) {
        let server = VariedLines::new(behaviour);
        let mut written = Vec::new();
        server.serve(sent.as_bytes(), &mut written).await.unwrap();
        (String::from_utf8(written).unwrap().lines().map(str::to_owned).collect(), server.exchanges())
    }

    #[tokio::test]
    async fn an_answer_waits_for_the_answers_to_requests_before_it() {
        let mut behaviour = Behaviour::plain("t");
        behaviour.before.push(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#.to_owned());
        let sent = format!("{CALL}\n{}\n", r#"{"jsonrpc":"2.0","id":"p","result":{}}"#);
        let (lines, exchanges) = written(behaviour, &sent).await;
        assert_eq!(lines.len(), 2);
        assert!(lines[0].contains("ping") && lines[1].contains(r#""id":1"#), "{lines:?}");
        assert!(exchanges[1].is_answer_to("\"p\""));
    }

    #[tokio::test]
    async fn what_is_no_message_is_kept_and_passed_over() {
        let (lines, exchanges) = written(Behaviour::plain("t"), &format!("Content-Length: 9\r\n\r\n{CALL}\n")).await;
        assert_eq!(lines.len(), 1);
        assert_eq!(exchanges[0].unread.as_deref(), Some("Content-Length: 9"));
    }

    #[tokio::test]
    async fn lines_have_the_form_that_is_asked_for() {
        let behaviour = Behaviour { noise: Some("starting"), line_end: "\r\n", ..Behaviour::plain("t") };
        let server = VariedLines::new(behaviour);
        let mut written = Vec::new();
        server.serve(CALL.as_bytes(), &mut written).await.unwrap();
        assert!(written.starts_with(b"starting\r\n") && written.ends_with(b"}\r\n"));
    }
}
