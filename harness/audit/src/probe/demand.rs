//! Demands of servers that open no session: a header on `initialize`, or messages in another framing.

use std::time::Duration;

use mcp_compat_model::{Era, Revision};

use super::conversation::{Conversation, Reply, Sent, plain_initialize};
use super::session::ServerProbe;
use super::{ForgottenSession, Obstacle, ProbeError, Target};

/// Something without which a server opens no session, and that no client sends, or another reason why it opens none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// A `Content-Length` header before each message over stdio.
    Frames,
    /// The end of its input, before it answers anything.
    EndOfInput,
    /// One instance: others do not know the session id that the first gave.
    OneInstance(ForgottenSession),
    Header {
        name: &'static str,
        value: String,
        /// Clause that says when clients send it.
        is_due: &'static str,
    },
}

/// Time for the answer to a message in another framing, with the start of the program.
const FRAMED: Duration = Duration::from_secs(15);

const LATER: &str = "this header is due on the requests after `initialize` only";

/// The headers that are tried, with the revision that `initialize` asks for.
const HEADERS: [(&str, &str, Revision, &str); 8] = [
    ("mcp-protocol-version", "2025-11-25", Revision::V2025_11_25, LATER),
    ("mcp-protocol-version", "2025-06-18", Revision::V2025_06_18, LATER),
    ("mcp-protocol-version", "2025-03-26", Revision::V2025_03_26, LATER),
    (
        "mcp-session-id",
        "mcp-compat-session",
        Revision::V2025_11_25,
        "the server is the one that gives this id, in the answer to `initialize`",
    ),
    ("mcp-method", "initialize", Revision::V2025_11_25, "this header belongs to 2026-07-28, which has no `initialize`"),
    ("accept", "application/json", Revision::V2025_11_25, ACCEPT),
    ("accept", "text/event-stream", Revision::V2025_11_25, ACCEPT),
    ("accept", "*/*", Revision::V2025_11_25, ACCEPT),
];

const ACCEPT: &str = "clients have to accept `application/json` and `text/event-stream`";

impl ServerProbe {
    /// Finds what a server demands that opened no session. `answers_late` says that it answered once its input was closed.
    pub(super) async fn demand(
        &self,
        obstacle: Option<Obstacle>,
        answers_late: bool,
    ) -> Result<Option<Demand>, ProbeError> {
        let is_silent = matches!(obstacle, Some(Obstacle::Silent { is_program: true }));
        if self.is_late() {
            return Ok(None);
        }
        match self.target() {
            Target::Command(_) if answers_late => {
                let conversation = self.connect(Revision::V2025_11_25)?;
                let answers = conversation.answers_at_the_end(&plain_initialize(Revision::V2025_11_25), FRAMED).await;
                Ok(answers.then_some(Demand::EndOfInput))
            }
            Target::Command(_) if is_silent => {
                let mut conversation = self.connect(Revision::V2025_11_25)?;
                let message = conversation.message(&plain_initialize(Revision::V2025_11_25));
                let framed = format!("Content-Length: {}\r\n\r\n{message}", message.len());
                let answer = conversation.write_raw(framed.as_bytes(), FRAMED).await;
                let is_framed = answer.trim_start().to_ascii_lowercase().starts_with("content-length:");
                Ok(is_framed.then_some(Demand::Frames))
            }
            Target::Url { .. } if obstacle.is_none() => Ok(match self.demanded_header().await? {
                None => self.forgotten_session(Revision::NEWEST_LEGACY).await?.map(Demand::OneInstance),
                demand => demand,
            }),
            Target::Command(_) | Target::Url { .. } | Target::Connect(_) => Ok(None),
        }
    }

    async fn demanded_header(&self) -> Result<Option<Demand>, ProbeError> {
        // One thing is changed at a time: the revision, then the header.
        for revision in Revision::ALL.into_iter().rev().filter(|revision| revision.era() == Era::Legacy) {
            if self.connect(revision)?.opens(plain_initialize(revision)).await {
                return Ok(None);
            }
        }
        for (name, value, revision, is_due) in HEADERS {
            let asked = plain_initialize(revision).with_header(name, Some(value));
            if self.connect(revision)?.opens(asked).await {
                let name = match name {
                    "mcp-protocol-version" => "MCP-Protocol-Version",
                    "mcp-session-id" => "Mcp-Session-Id",
                    "mcp-method" => "Mcp-Method",
                    _ => "Accept",
                };
                return Ok(Some(Demand::Header { name, value: value.to_owned(), is_due }));
            }
        }
        Ok(None)
    }
}

impl Conversation<'_> {
    async fn opens(mut self, initialize: Sent) -> bool {
        matches!(self.ask(&initialize).await.reply, Reply::Result(_))
    }
}
