//! Computations over many items, on all processors: the tools of a server that has thousands, the cells of a site.
//!
//! ```text
//! items ── in_parallel: each thread takes the next one that nobody has ──> results, in the order of the items
//! ```

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{available_parallelism, scope};

/// How many processors this program may use: those of the machine, or those that a container is limited to. One where
/// the system does not say.
#[must_use]
pub fn cores() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}

/// What a computation gives for each item, in the order of the items.
///
/// There is at most one thread for each `worth_a_thread` items, and at most one for each processor. To start one for fewer
/// items takes longer than it saves.
///
/// # Panics
/// With what the computation panics with.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], worth_a_thread: usize, compute: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = cores().min(items.len() / worth_a_thread.max(1));
    if threads < 2 {
        return items.iter().map(compute).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let mut results = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else { return results };
            results.push((place, compute(item)));
        }
    };
    let mut results: Vec<(usize, R)> = scope(|scope| {
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(take)).collect();
        started.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    results.sort_unstable_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for many in [0, 1, 2, 1_000] {
            let items: Vec<usize> = (0..many).collect();
            assert_eq!(in_parallel(&items, 1, |item| item + 1), (1..=many).collect::<Vec<_>>());
            assert_eq!(in_parallel(&items, 600, |item| item + 1), (1..=many).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_panic_is_passed_on() {
        let items: Vec<usize> = (0..100).collect();
        let panicked =
            catch_unwind(|| in_parallel(&items, 1, |item| assert_ne!(*item, 50, "the fifty-first"))).unwrap_err();
        assert!(panicked.downcast_ref::<String>().unwrap().contains("the fifty-first"));
    }
}
