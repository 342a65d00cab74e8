//! The mock client as an adapter of the peer contract: reads jobs and writes answers, as JSON lines.

use std::io;
use std::sync::Arc;

use crate::wire::lines::{LineError, read_line};
use mcp_compat_model::peer_contract::{Answer, Job};
use serde::Deserialize;
use tokio::io::{AsyncBufRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use crate::client::http_wire::HttpClient;
use crate::client::play::play;
use crate::client::spec::ClientSpec;
use crate::client::wire::BoxFuture;

/// Number of jobs that are played concurrently.
const AT_ONCE: usize = 64;

/// The part of a job that is needed to answer it, whatever the rest is.
#[derive(Deserialize)]
struct Head {
    id: u64,
}

/// Plays every job that arrives, many concurrently, and writes the answers in the order in which they are ready.
///
/// A job with something unknown in it is answered `unsupported`. Returns when the input has ended and every answer is
/// written.
///
/// # Errors
/// When the input or the output fails, or a line of the input is longer than a message may be.
pub fn run_adapter<'a>(
    spec: ClientSpec,
    stdin: impl AsyncBufRead + Unpin + Send + 'a,
    stdout: impl AsyncWrite + Unpin + Send + 'a,
) -> BoxFuture<'a, io::Result<()>> {
    run(spec, Box::new(stdin), Box::new(stdout))
}

fn run<'a>(
    spec: ClientSpec,
    stdin: Box<dyn AsyncBufRead + Unpin + Send + 'a>,
    stdout: Box<dyn AsyncWrite + Unpin + Send + 'a>,
) -> BoxFuture<'a, io::Result<()>> {
    Box::pin(play_jobs(spec, stdin, stdout))
}

async fn play_jobs(
    spec: ClientSpec,
    mut stdin: Box<dyn AsyncBufRead + Unpin + Send + '_>,
    mut stdout: Box<dyn AsyncWrite + Unpin + Send + '_>,
) -> io::Result<()> {
    let spec = Arc::new(spec);
    let http = HttpClient::new();
    let free = Arc::new(Semaphore::new(AT_ONCE));
    let (answered, mut answers) = mpsc::channel::<Answer>(AT_ONCE);
    let reading = async move {
        let mut playing = JoinSet::new();
        let mut line = Vec::new();
        while read_line(&mut stdin, &mut line).await.map_err(into_io)? {
            let Some(job) = job(&spec, &line, &answered).await else { continue };
            // A closed semaphore would end the adapter; nobody closes this one.
            let Ok(place) = Arc::clone(&free).acquire_owned().await else { break };
            let (http, answered) = (http.clone(), answered.clone());
            playing.spawn(async move {
                let _place = place;
                let (spec, job) = job;
                let played = play(&spec, &http, &job.server, &job.steps, job.deadlines).await;
                let answer = played.unwrap_or_else(Answer::from);
                // The output is gone only when the adapter is.
                let _ = answered.send(Answer { id: job.id, ..answer }).await;
            });
            while playing.try_join_next().is_some() {}
        }
        while playing.join_next().await.is_some() {}
        Ok(())
    };
    let writing = async {
        while let Some(answer) = answers.recv().await {
            let mut line = serde_json::to_vec(&answer)?;
            line.push(b'\n');
            stdout.write_all(&line).await?;
            stdout.flush().await?;
        }
        Ok(())
    };
    tokio::try_join!(reading, writing).map(|_| ())
}

/// Reads a job, and selects the client that plays it. A job that cannot be played is answered here.
async fn job(spec: &Arc<ClientSpec>, line: &[u8], answered: &mpsc::Sender<Answer>) -> Option<(Arc<ClientSpec>, Job)> {
    let (id, reason) = match serde_json::from_slice::<Job>(line) {
        Ok(job) => match job.mode {
            None => return Some((Arc::clone(spec), job)),
            Some(mode) if mode == spec.mode => return Some((Arc::clone(spec), job)),
            Some(mode) => match spec.with_mode(mode) {
                Ok(spec) => return Some((Arc::new(spec), job)),
                Err(error) => (job.id, error.to_string()),
            },
        },
        Err(error) => match serde_json::from_slice::<Head>(line) {
            Ok(head) => (head.id, format!("the job cannot be read: {error}")),
            Err(error) => {
                tracing::error!(%error, "a line that is no job is left unanswered");
                return None;
            }
        },
    };
    let answer = Answer { id, negotiated: None, unsupported: Some(reason), error: None, steps: Vec::new() };
    let _ = answered.send(answer).await;
    None
}

fn into_io(error: LineError) -> io::Error {
    match error {
        LineError::Io(error) => error,
        LineError::TooLong => io::Error::new(io::ErrorKind::InvalidData, error),
    }
}
