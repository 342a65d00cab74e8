//! A session of somebody else's code, on a thread and a runtime of its own: it can panic, and it can block for ever.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread;

use tokio::runtime::Builder;
use tokio::sync::oneshot;

/// A session that goes on. Dropping it ends it, unless it blocks its thread: then the thread is left to itself.
pub(super) struct Session<T> {
    outcome: oneshot::Receiver<Result<T, Panic>>,
    _ends_when_dropped: oneshot::Sender<()>,
}

/// Message of a panic in somebody else's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Panic(String);

impl std::fmt::Display for Panic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Panic {
    fn of(payload: &(dyn Any + Send)) -> Self {
        Self(panic_message(payload))
    }
}

pub(crate) fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a message").to_owned()
}

/// Begins a session. What it starts by itself on its runtime ends with it.
pub(super) fn begin<T, F>(name: &str, work: impl FnOnce() -> F + Send + 'static) -> io::Result<Session<T>>
where
    T: Send + 'static,
    F: Future<Output = T>,
{
    let (tell, outcome) = oneshot::channel();
    let (keep, dropped) = oneshot::channel::<()>();
    let runtime = Builder::new_current_thread().enable_all().build()?;
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        let session = AssertUnwindSafe(|| {
            runtime.block_on(async {
                tokio::select! {
                    value = async { work().await } => Some(value),
                    _ = dropped => None,
                }
            })
        });
        let told = match catch_unwind(session) {
            Ok(Some(value)) => tell.send(Ok(value)).is_ok(),
            Ok(None) => false,
            Err(payload) => tell.send(Err(Panic::of(&*payload))).is_ok(),
        };
        tracing::trace!(told, "a session in this process is over");
        // What blocks a thread of the runtime's pool is not waited for.
        runtime.shutdown_background();
    })?;
    Ok(Session { outcome, _ends_when_dropped: keep })
}

impl<T> Future for Session<T> {
    type Output = Result<T, Panic>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.outcome)
            .poll(cx)
            .map(|told| told.unwrap_or_else(|_| Err(Panic("its thread ended without a result".to_owned()))))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn a_session_gives_what_it_came_to() {
        assert_eq!(begin("test", || async { 1 }).unwrap().await, Ok(1));
    }

    #[tokio::test]
    async fn a_panic_is_told_with_its_words() {
        let number = 3;
        let session = begin::<(), _>("test", move || async move { panic!("number {number}") });
        assert_eq!(session.unwrap().await, Err(Panic("number 3".to_owned())));
    }

    #[tokio::test]
    async fn a_session_that_blocks_its_thread_blocks_nobody_else() {
        let (_keep, never) = std::sync::mpsc::channel::<()>();
        let session = begin("test", move || async move { never.recv() }).unwrap();
        assert!(timeout(Duration::from_millis(20), session).await.is_err());
    }

    #[tokio::test]
    async fn dropping_a_session_ends_what_it_is_at() {
        let (alive, gone) = oneshot::channel::<()>();
        let (began, begun) = oneshot::channel();
        let session = begin("test", move || async move {
            let _alive = alive;
            let _ = began.send(());
            std::future::pending::<()>().await;
        });
        let session = session.unwrap();
        begun.await.unwrap();
        drop(session);
        assert!(timeout(Duration::from_secs(10), gone).await.unwrap().is_err(), "its values are dropped");
    }
}
