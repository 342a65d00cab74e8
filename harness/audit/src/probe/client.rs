//! The client of the probe, and what comes of its sessions with a process.

use mcp_compat_drive::{Launch, PeerProcess, Tap, at_work_to_the_end, plain_link, tapped_link};
use mcp_compat_mocks::Deviations;
use mcp_compat_mocks::client::{ClientQuirk, ClientSpec, Played, Policy, Typing, Variant, play_stream};
use mcp_compat_model::peer_contract::{Deadlines, JobStep};
use mcp_compat_model::transcript::{Event, StopStage};
use mcp_compat_model::{Revision, Role};
use mcp_compat_run::in_process::Streams;
use mcp_compat_run::timeouts::GRACE;
use tokio::io::{AsyncRead, AsyncWrite};

use super::flood::{Bounded, Flood};
use super::{LIMITS, LONGEST_LIST, ProbeError};

/// The client of the probe: it speaks one revision, reads any schema and value, and validates nothing. A list goes on after
/// a page that other clients cannot read.
pub(super) fn probe_client(revision: Revision) -> ClientSpec {
    let client = ClientSpec::mock_of(revision, Some(Variant::Skip));
    let policy = Policy { typing: Typing::Any, ..client.policy };
    let deviations = Deviations::Sabotage(ClientQuirk::CompletesLists);
    ClientSpec { longest_list: LONGEST_LIST, policy, deviations, ..client }
}

/// A client, what it does, and what records it.
pub(super) struct ProbeClient<'s> {
    pub(super) spec: ClientSpec,
    pub(super) steps: &'s [JobStep],
    pub(super) deadlines: Deadlines,
    pub(super) tap: Tap,
    pub(super) flood: Flood,
}

/// What came of a session with a process.
pub(super) struct AskedProcess {
    pub(super) answer: Played,
    pub(super) log: String,
    /// How the process ended, if that was too early.
    pub(super) ended: Option<String>,
    /// Whether it was at work to the end of the session.
    pub(super) ended_at_work: bool,
}

impl ProbeClient<'_> {
    /// Runs the server as a process.
    pub(super) async fn ask_process(&self, launch: &Launch) -> Result<AskedProcess, ProbeError> {
        let mut process = PeerProcess::spawn(launch, LIMITS.stderr_bytes)?;
        let (Some(stdin), Some(stdout)) = (process.take_stdin(), process.take_stdout()) else {
            unreachable!("the streams of a new process are there")
        };
        let ((answer, first), ended_at_work) = at_work_to_the_end(&[process.id()], self.ask(stdout, stdin)).await;
        let stage = process.stop(GRACE).await;
        if stage != StopStage::InputClosed {
            self.tap.event(Role::Server, Event::Stopped { stage });
        }
        let how = process.wait().await.to_string();
        self.tap.event(Role::Server, Event::Exited { how: how.clone() });
        let ended = (first == Role::Server).then_some(how);
        Ok(AskedProcess { answer, log: process.log_tail(), ended, ended_at_work })
    }

    pub(super) async fn ask_streams(&self, streams: Streams) -> Played {
        self.ask(streams.reader, streams.writer).await.0
    }

    /// Plays the steps over a byte stream. Returns which side closed it, too.
    async fn ask<R, W>(&self, from_server: R, to_server: W) -> (Played, Role)
    where
        R: AsyncRead + Send + Unpin,
        W: AsyncWrite + Send + Unpin,
    {
        let (up, down) = plain_link();
        let play = play_stream(&self.spec, up.reader, up.writer, self.steps, self.deadlines);
        let from_server = Bounded::new(from_server, self.flood.clone());
        let link = tapped_link(self.tap.clone(), (down.reader, down.writer), (from_server, to_server), GRACE);
        tokio::join!(play, link)
    }
}
