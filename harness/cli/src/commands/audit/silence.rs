//! What is said while a server does not answer. One that serves HTTP, or waits for an option, stays silent for ever.

use std::time::Duration;

use mcp_compat_audit::server::Progress;
use tokio::task::JoinHandle;

use crate::output::eprintln;
use crate::target::TargetArgs;

/// How long a server may be silent before that is said.
const SILENCE: Duration = Duration::from_secs(5);

/// The silence before the first list of tools.
pub(super) struct Silence {
    /// How long it may last.
    most: Duration,
    /// True if the server is a program that was started for this.
    is_program: bool,
    told: Option<JoinHandle<()>>,
}

impl Silence {
    /// That of a server, which may take as long as `most` to start.
    pub(super) fn of(server: &TargetArgs, most: Duration) -> Self {
        Self { most, is_program: server.url.is_none(), told: None }
    }

    /// It begins with the first request, and what follows ends it.
    pub(super) fn goes_on_until(&mut self, progress: &Progress) {
        match (&self.told, progress) {
            (None, Progress::Listing(revision)) if self.most > SILENCE => {
                let (revision, seconds) = (*revision, self.most.as_secs());
                let http = " If it serves HTTP, end this with Ctrl-C and give its address with --url.";
                let http = if self.is_program { http } else { "" };
                self.told = Some(tokio::spawn(async move {
                    tokio::time::sleep(SILENCE).await;
                    eprintln!(
                        "no tools at {revision} yet: the server has up to {seconds} s to start (--start-timeout).{http}"
                    );
                }));
            }
            (Some(told), _) => told.abort(),
            (None, _) => {}
        }
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        if let Some(told) = &self.told {
            told.abort();
        }
    }
}
