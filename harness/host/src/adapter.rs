//! The adapter of a host: reads jobs and writes answers, as JSON lines.

use std::io;
use std::path::Path;
use std::sync::Arc;

use mcp_compat_model::peer_contract::{Answer, Job};
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use crate::form::HostForm;
use crate::play::{Host, unsupported};

/// Number of hosts that run at once. They are large programs.
const AT_ONCE: usize = 2;

/// The part of a job that is needed to answer it.
#[derive(Deserialize)]
struct Head {
    id: u64,
}

/// Plays each job that standard input brings, and writes the answers to standard output. `templates` is the folder of the
/// manifest.
///
/// # Errors
/// When a pattern of the manifest is none, or the streams fail.
pub async fn serve(form: HostForm, templates: &Path) -> io::Result<()> {
    let host = Arc::new(Host::new(form, templates).await.map_err(io::Error::other)?);
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let (answered, mut answers) = mpsc::unbounded_channel::<Answer>();
    let reading = async move {
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        let mut playing = JoinSet::new();
        while let Some(line) = lines.next_line().await? {
            let (host, places, answered) = (Arc::clone(&host), Arc::clone(&places), answered.clone());
            playing.spawn(async move {
                let answer = match serde_json::from_str::<Job>(&line) {
                    Ok(job) => {
                        let _place = places.acquire().await;
                        host.play(&job).await
                    }
                    Err(error) => match serde_json::from_str::<Head>(&line) {
                        Ok(head) => unsupported(head.id, format!("the job cannot be read: {error}")),
                        Err(_) => return,
                    },
                };
                // The output is gone only when the adapter is.
                let _ = answered.send(answer);
            });
        }
        while playing.join_next().await.is_some() {}
        Ok(())
    };
    let writing = async {
        let mut stdout = tokio::io::stdout();
        while let Some(answer) = answers.recv().await {
            let mut line = serde_json::to_vec(&answer)?;
            line.push(b'\n');
            stdout.write_all(&line).await?;
            stdout.flush().await?;
        }
        Ok(())
    };
    tokio::try_join!(reading, writing).map(|_: ((), ())| ())
}
