//! Work that waits for nothing outside of itself, on a clock that only moves when all of it waits.
//!
//! A deadline is then reached in no time, and never because the machine is busy.

use std::io;
use std::panic::resume_unwind;

use tokio::runtime::Builder;
use tokio::task::spawn_blocking;

/// Does the work on a runtime of its own, whose clock jumps to the next deadline when nothing else can happen.
///
/// The work must not wait for the network, for a process or for another runtime: its deadlines would pass at once. If the
/// returned future is dropped, the work goes on to its end on its thread.
///
/// # Errors
/// When the system does not give what a runtime needs.
pub(crate) async fn on_paused_clock<W>(work: W) -> io::Result<W::Output>
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
    use std::time::Duration;

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
