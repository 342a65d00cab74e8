//! Computations about tools, on all processors. A server may have thousands of tools, and each is looked at by itself.

use std::panic::resume_unwind;
use std::thread::scope;

use mcp_compat_run::cores::cores;

/// How many items a thread gets at least. To start a thread for fewer takes longer than it saves.
const LEAST: usize = 64;

/// What a computation gives for each item, in the order of the items.
pub(super) fn in_parallel<T: Sync, R: Send>(items: &[T], compute: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let chunk = items.len().div_ceil(cores()).max(LEAST);
    if items.len() <= chunk {
        return items.iter().map(compute).collect();
    }
    let of_chunk = &|chunk: &[T]| chunk.iter().map(&compute).collect::<Vec<R>>();
    scope(|threads| {
        let started: Vec<_> = items.chunks(chunk).map(|chunk| threads.spawn(move || of_chunk(chunk))).collect();
        started.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for many in [0, 1, 1_000] {
            let items: Vec<usize> = (0..many).collect();
            assert_eq!(in_parallel(&items, |item| item + 1), (1..=many).collect::<Vec<_>>());
        }
    }
}
