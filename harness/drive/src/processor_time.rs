//! Tells whether processes are at work: they have, or wait for, a processor or a disk.
//!
//! A process that wants no processor time waits for something else, however busy the machine is. Only Linux counts the
//! time on a processor and in the queue for one, in `/proc/PID/task/*/schedstat`
//! (<https://docs.kernel.org/scheduler/sched-stats.html#proc-pid-schedstat>). The time in the queue is counted when it is
//! over, and waiting for a disk is not counted at all. The state of a thread, in `/proc/PID/task/*/stat`, shows both
//! (<https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html>).

use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, timeout};

/// Time for which processes are looked at to see whether they are at work.
const WINDOW: Duration = Duration::from_millis(500);

/// Share of a time that an idle process may want. Virtual machines and timers want some at any time.
const IDLE_SHARE: f64 = 0.05;

/// Does something while processes run, and says whether they, or some below them, were at work in the last full half
/// second of it. `false` where the system does not say it.
pub async fn at_work_to_the_end<T>(processes: &[i32], work: impl Future<Output = T>) -> (T, bool) {
    let mut work = pin!(work);
    let (mut were_at_work, mut before) = (false, wanted_by(processes));
    loop {
        let began = Instant::now();
        if let Ok(output) = timeout(WINDOW, &mut work).await {
            return (output, were_at_work);
        }
        let after = wanted_by(processes);
        let wanted = before.zip(after).map(|(before, after)| after.saturating_sub(before));
        before = after;
        let is_idle = wanted.is_none_or(|wanted| wanted <= began.elapsed().mul_f64(IDLE_SHARE));
        were_at_work = !is_idle || are_at_work(processes);
    }
}

#[cfg(target_os = "linux")]
use linux::{are_at_work, wanted_by};

#[cfg(not(target_os = "linux"))]
fn wanted_by(_processes: &[i32]) -> Option<Duration> {
    None
}

#[cfg(not(target_os = "linux"))]
fn are_at_work(_processes: &[i32]) -> bool {
    false
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;

    use nix::unistd::{Pid, getpid};

    use super::Duration;
    use crate::descendants::below;

    /// Returns the processor time that processes, and all below them, have got or waited for since they began. A process
    /// that has ended counts for nothing. `None` where the system does not say it.
    pub(super) fn wanted_by(processes: &[i32]) -> Option<Duration> {
        wanted(getpid())?;
        Some(with_all_below(processes).filter_map(wanted).sum())
    }

    /// Returns true if a thread of the processes, or of one below them, runs now, waits in the queue for a processor, or
    /// waits for a disk.
    pub(super) fn are_at_work(processes: &[i32]) -> bool {
        with_all_below(processes).any(is_at_work)
    }

    fn with_all_below(processes: &[i32]) -> impl Iterator<Item = Pid> {
        let tops = processes.iter().map(|process| Pid::from_raw(*process));
        tops.flat_map(|top| below(top).into_iter().chain([top]))
    }

    fn is_at_work(process: Pid) -> bool {
        let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return false };
        let mut stats = threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("stat")).ok());
        stats.any(|stat| matches!(state(&stat), Some('R' | 'D')))
    }

    /// The state of a thread. It follows the name of the program, which is in brackets and may contain some.
    fn state(stat: &str) -> Option<char> {
        stat.rsplit_once(')')?.1.trim_start().chars().next()
    }

    fn wanted(process: Pid) -> Option<Duration> {
        let threads = fs::read_dir(format!("/proc/{process}/task")).ok()?;
        let counts = threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("schedstat")).ok());
        // A thread may end between the two readings. A system without these counts has none for any thread.
        counts.filter_map(|counts| parsed(&counts)).reduce(Duration::saturating_add)
    }

    /// Nanoseconds on a processor, and nanoseconds in the queue for one.
    fn parsed(counts: &str) -> Option<Duration> {
        let mut numbers = counts.split_ascii_whitespace().map(|number| number.parse().map(Duration::from_nanos));
        Some(numbers.next()?.ok()? + numbers.next()?.ok()?)
    }

    #[cfg(test)]
    mod tests {
        use std::process::{Command, Stdio};
        use std::thread::yield_now;
        use std::time::Instant;

        use super::super::{WINDOW, at_work_to_the_end};
        use super::*;

        #[test]
        fn running_and_queueing_both_count() {
            assert_eq!(parsed("2000 500 7\n"), Some(Duration::from_nanos(2500)));
            assert_eq!(parsed(""), None);
        }

        #[test]
        fn the_state_of_a_thread_follows_its_name() {
            assert_eq!(state("17 (a) R (b) D 1 17 17 0"), Some('D'));
            assert_eq!(state("17 (python3) S 1 17 17 0"), Some('S'));
            assert_eq!(state("17"), None);
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
            let at_work = |child: &std::process::Child| are_at_work(&[i32::try_from(child.id()).unwrap()]);
            assert!(at_work(&computing));
            // It may have to be loaded first.
            while at_work(&waiting) && begun.elapsed() < Duration::from_secs(60) {
                yield_now();
            }
            assert!(!at_work(&waiting));
            for child in [&mut computing, &mut waiting] {
                for process in below(Pid::from_raw(i32::try_from(child.id()).unwrap())) {
                    let _ = nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGKILL);
                }
                child.wait().unwrap();
            }
            assert!(computed >= much, "{computed:?}");
            assert!(waited < computed, "{waited:?}");
        }

        #[tokio::test]
        async fn who_computes_to_the_end_is_at_work_and_who_waits_is_not() {
            let shell = |script| Command::new("sh").args(["-c", script]).stdin(Stdio::piped()).spawn().unwrap();
            let (mut computing, mut waiting) = (shell("while :; do :; done"), shell("read line"));
            let [computes, waits] = [&computing, &waiting].map(|child| [i32::try_from(child.id()).unwrap()]);
            let for_long = || tokio::time::sleep(5 * WINDOW);
            let ((), waited) = at_work_to_the_end(&waits, for_long()).await;
            let ((), computed) = at_work_to_the_end(&computes, for_long()).await;
            for child in [&mut computing, &mut waiting] {
                child.kill().unwrap();
                child.wait().unwrap();
            }
            assert!(computed && !waited);
        }
    }
}
