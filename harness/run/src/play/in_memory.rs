//! Playing a cell in memory: both peers are in this process.

use std::time::Duration;

use mcp_compat_drive::memory_link;
use mcp_compat_mocks::client::{ClientQuirk, ClientSpec, play_in_memory, play_stream};
use mcp_compat_mocks::server::{ServerSpec, serve_compiled};
use mcp_compat_model::observation::Observation;
use mcp_compat_model::peer_contract::{Answer, Script};
use mcp_compat_model::transcript::Event;
use mcp_compat_model::{Role, Transport};
use tokio::time::timeout;

use super::attempt::{Attempt, harness_failed, unplayable};
use super::while_recorded;
use crate::in_process::{ServerAt, ServerProgram, Wire};
use crate::observe::answered;
use crate::paused_clock::on_paused_clock;
use crate::peer::{ClientStart, ServerStart};
use crate::timeouts::GRACE;

impl Attempt<'_> {
    pub(super) async fn in_memory(&self) -> Observation {
        match (self.client.start(), self.server.start()) {
            (ClientStart::Mock(client), ServerStart::Mock(server)) => self.between_mocks(client, server).await,
            (ClientStart::Mock(client), ServerStart::InProcess(server)) => {
                let (up, down) = memory_link(&self.tap);
                let play = play_stream(client, up.reader, up.writer, &self.steps, self.deadlines());
                let play = async { answered(play.await.unwrap_or_else(Answer::from), self.steps.len()) };
                self.with_own_server(play, server, down.into()).await
            }
            (ClientStart::InProcess(client), ServerStart::InProcess(server)) => {
                let (up, down) = memory_link(&self.tap);
                self.with_own_server(self.own_client(client, ServerAt::Wire(up.into())), server, down.into()).await
            }
            (ClientStart::InProcess(client), ServerStart::Mock(server)) => {
                let compiled_script = match self.compiled_script(server) {
                    Ok(compiled_script) => compiled_script,
                    Err(observation) => return observation,
                };
                let (up, down) = memory_link(&self.tap);
                let serve = serve_compiled(&compiled_script, down.reader, down.writer);
                let play = self.own_client(client, ServerAt::Wire(up.into()));
                tokio::pin!(serve, play);
                let mut serving = true;
                loop {
                    tokio::select! {
                        seen = &mut play => break seen,
                        _ = &mut serve, if serving => serving = false,
                    }
                }
            }
            (ClientStart::Adapter(_) | ClientStart::BlackBox(_), _) | (_, ServerStart::Adapter { .. }) => {
                unplayable("only peers of this process meet in memory")
            }
        }
    }

    /// Two mocks need nothing but each other, so they play on a clock of their own. See [`on_paused_clock`]. A client that
    /// fetches what a schema refers to waits for the network, so it plays on the real clock.
    async fn between_mocks(&self, client: &ClientSpec, server: &ServerSpec) -> Observation {
        let compiled_script = match self.compiled_script(server) {
            Ok(compiled_script) => compiled_script,
            Err(observation) => return observation,
        };
        let (up, down) = memory_link(&self.tap);
        let (client, steps, deadlines) = (client.clone(), self.steps.clone(), self.deadlines());
        let tap = self.tap.clone();
        let talk = async move {
            let serve = serve_compiled(&compiled_script, down.reader, down.writer);
            let play = play_in_memory(&client, up.reader, up.writer, &steps, deadlines);
            let (played, served) = tokio::join!(play, serve);
            if let Err(error) = served {
                tracing::debug!(%error, "a mock server ended early");
            }
            answered(played.unwrap_or_else(Answer::from), steps.len())
        };
        // On a clock of its own no time passes while they talk.
        let work = async move { while_recorded(&tap, Duration::ZERO, talk).await };
        match self.has_paused_clock() {
            true => on_paused_clock(work).await.unwrap_or_else(|error| harness_failed(error.to_string())),
            false => work.await,
        }
    }

    /// Whether the cell plays on a clock of its own. No load of the machine can make its deadlines pass.
    pub(super) fn has_paused_clock(&self) -> bool {
        let is_in_memory = self.transport == Transport::Memory;
        match (self.client.start(), self.server.start()) {
            (ClientStart::Mock(client), ServerStart::Mock(_)) => is_in_memory && !client.does(ClientQuirk::FetchesRef),
            (_, _) => false,
        }
    }

    /// Plays with the server under test. As with a process, only how it ends before its client has gone counts.
    async fn with_own_server(
        &self,
        play: impl Future<Output = Observation>,
        server: &ServerProgram,
        wire: Wire,
    ) -> Observation {
        let serve = server.serve(Script::clone(&self.script), wire);
        tokio::pin!(play, serve);
        let mut served = None;
        let seen = loop {
            tokio::select! {
                seen = &mut play => break seen,
                end = &mut serve, if served.is_none() => served = Some(end),
            }
        };
        let wrong = match served {
            Some(end) => end,
            // The client may be quicker to say what it saw than the server is to say how it ended.
            None if self.server_went_first() => timeout(4 * GRACE, serve).await.ok().flatten(),
            None => None,
        };
        Observation { end: wrong.unwrap_or(seen.end), ..seen }
    }

    /// Whether it was the server that closed the connection.
    fn server_went_first(&self) -> bool {
        let entries = self.tap.since(0);
        entries.iter().find(|entry| entry.event == Event::Closed {}).is_some_and(|entry| entry.from == Role::Server)
    }
}
