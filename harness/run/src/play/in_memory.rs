//! Playing a cell in memory: both peers are in this process.

use std::io;
use std::panic::resume_unwind;
use std::time::Duration;

use mcp_compat_drive::memory_link;
use mcp_compat_mocks::client::{ClientQuirk, ClientSpec, play_in_memory, play_stream};
use mcp_compat_mocks::server::{ServerSpec, serve_compiled};
use mcp_compat_model::observation::Observation;
use mcp_compat_model::peer_contract::{Answer, Script};
use mcp_compat_model::transcript::Event;
use mcp_compat_model::{Role, Transport};
use tokio::runtime::Builder;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::attempt::{Attempt, harness_failed, unplayable};
use super::while_recorded;
use crate::in_process::{ServerAt, ServerProgram, Wire};
use crate::observe::answered;
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
            (ClientStart::Adapter(_) | ClientStart::BlackBox(_) | ClientStart::Recorded, _)
            | (_, ServerStart::Adapter { .. } | ServerStart::Recorded) => {
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
        if self.has_paused_clock() {
            on_paused_clock(work).await.unwrap_or_else(|error| harness_failed(error.to_string()))
        } else {
            work.await
        }
    }

    /// Returns true if the cell plays on a clock of its own. No load of the machine can make its deadlines pass.
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

    /// Returns true if it was the server that closed the connection.
    fn server_went_first(&self) -> bool {
        let entries = self.tap.since(0);
        entries.iter().find(|entry| entry.event == Event::Closed {}).is_some_and(|entry| entry.from == Role::Server)
    }
}

/// Does work that waits for nothing outside of itself on a runtime of its own, whose clock jumps to the next deadline when nothing else can happen.
///
/// The work must not wait for the network, for a process or for another runtime: its deadlines would pass at once. If the
/// returned future is dropped, the work goes on to its end on its thread.
///
/// # Errors
/// When the system does not give what a runtime needs.
async fn on_paused_clock<W>(work: W) -> io::Result<W::Output>
where
    W: Future + Send + 'static,
    W::Output: Send,
{
    let done = spawn_blocking(|| {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build()?;
        Ok(runtime.block_on(work))
    });
    match done.await {
        Ok(output) => output,
        Err(lost) => match lost.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(_) => Err(io::Error::other("the runtime of the harness is ending")),
        },
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{sleep, timeout};

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[tokio::test]
    async fn a_deadline_that_nothing_can_prevent_passes_at_once() {
        let never = async { timeout(HOUR, std::future::pending::<()>()).await.is_err() };
        assert!(on_paused_clock(never).await.unwrap());
    }

    #[tokio::test]
    async fn a_computation_takes_no_time_however_long_it_is() {
        let computation = async {
            std::hint::black_box((0..2_000_000_u64).fold(0, u64::wrapping_add));
            tokio::task::yield_now().await;
            true
        };
        let work = async move { timeout(Duration::from_nanos(1), computation).await.is_ok() };
        assert!(on_paused_clock(work).await.unwrap());
    }

    #[tokio::test]
    async fn what_comes_first_by_the_clock_comes_first() {
        let race = async {
            tokio::select! {
                () = sleep(HOUR) => "late",
                () = sleep(HOUR / 2) => "early",
            }
        };
        assert_eq!(on_paused_clock(race).await.unwrap(), "early");
    }

    #[tokio::test]
    #[should_panic(expected = "of the work")]
    async fn a_panic_of_the_work_goes_on() {
        let _ = on_paused_clock(async { panic!("of the work") }).await;
    }
}
