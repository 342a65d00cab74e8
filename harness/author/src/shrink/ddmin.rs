//! Delta debugging on a list: ever smaller runs of it are left out, from its end to its beginning.

use std::ops::{ControlFlow, Range};

/// A list is not taken apart into more runs than this at a time. What is longer is gone over again when it has become
/// shorter; so a long text costs no more attempts than a short one.
const FINEST: usize = 256;

/// Tries to leave out runs of a list of `length` items: all of it, then halves, quarters, and so on down to single
/// items. `leave_out` is given places in the list as it is at the time, and says whether those items are gone.
///
/// A list of which nothing is needed takes one attempt, one of which `k` items are needed about `2·k·log(length)`, and
/// none takes more than a thousand. From the end, so that of equal items the first one stays.
pub(super) fn ddmin<B>(
    length: usize,
    mut leave_out: impl FnMut(Range<usize>) -> ControlFlow<B, bool>,
) -> ControlFlow<B> {
    let finest = length.div_ceil(FINEST).max(1);
    let (mut left, mut run) = (length, length);
    while left > 0 {
        let mut end = left;
        while end > 0 {
            let start = end.saturating_sub(run);
            if leave_out(start..end)? {
                left -= end - start;
            }
            end = start;
        }
        if run <= finest {
            break;
        }
        run = (run / 2).max(finest);
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Thins out the numbers up to `length` while all of `needed` are there; what is left, and how many attempts it took.
    fn thinned(length: usize, needed: &[usize]) -> (Vec<usize>, usize) {
        let mut items: Vec<usize> = (0..length).collect();
        let mut attempts = 0;
        let done = ddmin(length, |run| {
            attempts += 1;
            let spared = items[run.clone()].iter().all(|item| !needed.contains(item));
            if spared {
                items.drain(run);
            }
            ControlFlow::<(), bool>::Continue(spared)
        });
        assert_eq!(done, ControlFlow::Continue(()));
        (items, attempts)
    }

    #[test]
    fn what_is_not_needed_goes_at_once() {
        assert_eq!(thinned(200, &[]), (vec![], 1));
        assert_eq!(thinned(0, &[]), (vec![], 0));
        let (left, attempts) = thinned(200, &[77]);
        assert_eq!(left, [77]);
        assert!(attempts <= 20, "{attempts}");
    }

    #[test]
    fn a_long_list_takes_no_more_attempts_than_a_short_one() {
        let needed: Vec<usize> = (0..1_000_000).step_by(500).collect();
        let (left, attempts) = thinned(1_000_000, &needed);
        assert!(attempts <= 4 * FINEST && left.len() >= needed.len(), "{attempts}");
    }

    #[test]
    fn it_ends_where_it_is_told_to() {
        let mut attempts = 0;
        let done = ddmin(10, |_| {
            attempts += 1;
            if attempts == 3 { ControlFlow::Break("enough") } else { ControlFlow::Continue(false) }
        });
        assert_eq!((done, attempts), (ControlFlow::Break("enough"), 3));
    }

    proptest! {
        #[test]
        fn exactly_what_is_needed_is_left(length in 0_usize..200, needed in prop::collection::btree_set(0_usize..200, 0..20)) {
            let needed: Vec<usize> = needed.into_iter().filter(|item| *item < length).collect();
            prop_assert_eq!(thinned(length, &needed).0, needed);
        }
    }
}
