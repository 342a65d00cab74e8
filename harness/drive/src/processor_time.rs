//! How much processor time processes wanted: what they got, and what they waited for while others had it.
//!
//! A process that wanted none waits for something else than the processor, however busy the machine is. Only Linux counts
//! both, in `/proc/PID/task/*/schedstat`
//! (<https://docs.kernel.org/scheduler/sched-stats.html#proc-pid-schedstat>).

use std::time::Duration;

#[cfg(target_os = "linux")]
pub use linux::{wanted_by, wanted_by_this_process};

/// The time that processes, and all below them, have wanted since they began. `None` where the system does not say it.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn wanted_by(_processes: &[i32]) -> Option<Duration> {
    None
}

/// The time that the threads of this process have wanted. `None` where the system does not say it.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn wanted_by_this_process() -> Option<Duration> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;

    use nix::unistd::{Pid, getpid};

    use super::Duration;
    use crate::descendants::below;

    /// The processor time that processes, and all below them, have got or waited for since they began. A process that has
    /// ended counts for nothing. `None` where the system does not say it.
    #[must_use]
    pub fn wanted_by(processes: &[i32]) -> Option<Duration> {
        wanted_by_this_process()?;
        let tops = processes.iter().map(|process| Pid::from_raw(*process));
        let all = tops.flat_map(|top| below(top).into_iter().chain([top]));
        Some(all.filter_map(wanted).sum())
    }

    /// The processor time that the threads of this process have got or waited for. `None` where the system does not say it.
    #[must_use]
    pub fn wanted_by_this_process() -> Option<Duration> {
        wanted(getpid())
    }

    fn wanted(process: Pid) -> Option<Duration> {
        let threads = fs::read_dir(format!("/proc/{process}/task")).ok()?;
        let counts = threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("schedstat")).ok());
        // A thread may end between the two readings. A system without these counts has none for any thread.
        counts.filter_map(|counts| parsed(&counts)).reduce(|all, one| all + one)
    }

    /// Nanoseconds on a processor, and nanoseconds in the queue for one.
    fn parsed(counts: &str) -> Option<Duration> {
        let mut numbers = counts.split_ascii_whitespace().map(str::parse::<u64>);
        let (ran, waited) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        Some(Duration::from_nanos(ran.saturating_add(waited)))
    }

    #[cfg(test)]
    mod tests {
        use std::process::{Command, Stdio};
        use std::thread::yield_now;
        use std::time::Instant;

        use super::*;

        #[test]
        fn running_and_queueing_both_count() {
            assert_eq!(parsed("2000 500 7\n"), Some(Duration::from_nanos(2500)));
            assert_eq!(parsed(""), None);
        }

        #[test]
        fn a_process_that_computes_wants_more_and_one_that_waits_does_not() {
            let shell = |script| Command::new("sh").args(["-c", script]).stdin(Stdio::piped()).spawn().unwrap();
            // Each is below a shell of its own, because a program is often started by a script.
            let mut computing = shell("sh -c 'while :; do :; done'; :");
            let mut waiting = shell("sh -c 'read line'; :");
            let of = |child: &std::process::Child| wanted_by(&[i32::try_from(child.id()).unwrap()]).unwrap();
            let much = Duration::from_millis(100);
            let begun = Instant::now();
            while of(&computing) < much && begun.elapsed() < Duration::from_secs(60) {
                yield_now();
            }
            let (computed, waited) = (of(&computing), of(&waiting));
            for child in [&mut computing, &mut waiting] {
                for process in below(Pid::from_raw(i32::try_from(child.id()).unwrap())) {
                    let _ = nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGKILL);
                }
                child.wait().unwrap();
            }
            assert!(computed >= much, "{computed:?}");
            assert!(waited < computed, "{waited:?}");
        }
    }
}
