//! Choice of the runs of a history that stay.

use std::collections::BTreeSet;

/// Time for which runs are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// All runs of so many days stay, counted back from the newest run.
    pub days: u32,
    /// The evidence of so many runs stays: the newest ones.
    pub evidence: usize,
}

impl Default for Retention {
    fn default() -> Self {
        Self { days: 60, evidence: 10 }
    }
}

/// Facts about a run that decide whether it stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Age {
    /// The day on which the run began, counted from 1970-01-01.
    pub day: i64,
    /// True if a verdict differs from the run before. It is true for the first run.
    pub changed: bool,
}

/// Returns the places of the runs that go. `runs` are ordered by time.
///
/// There is no clock: now is the day of the newest run, so the same history always loses the same runs. A run stays if it
/// is the newest, is at most `days` old, changed something, or is the first of its week (from Monday) that is there.
pub(crate) fn superfluous(runs: &[Age], days: u32) -> Vec<usize> {
    let Some(newest) = runs.last() else { return Vec::new() };
    let mut weeks = BTreeSet::new();
    let goes = |(_, run): &(usize, &Age)| {
        // The first of January 1970 was a Thursday.
        let is_first_of_week = weeks.insert((run.day + 3).div_euclid(7));
        let is_old = newest.day.saturating_sub(run.day) > i64::from(days);
        is_old && !run.changed && !is_first_of_week
    };
    runs.iter().enumerate().filter(goes).map(|(place, _)| place).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A run on each of these days, of which those change something.
    fn runs(days: impl IntoIterator<Item = i64>, changed: &[i64]) -> Vec<Age> {
        days.into_iter().map(|day| Age { day, changed: changed.contains(&day) }).collect()
    }

    fn left(runs: &[Age], days: u32) -> Vec<i64> {
        let gone = superfluous(runs, days);
        runs.iter().enumerate().filter(|(place, _)| !gone.contains(place)).map(|(_, run)| run.day).collect()
    }

    #[test]
    fn all_of_the_last_days_stay_and_then_one_a_week() {
        // Day 4 was a Monday.
        let all = runs(4..=103, &[4]);
        let kept = left(&all, 60);
        assert_eq!(kept[..6], [4, 11, 18, 25, 32, 39]);
        assert_eq!(kept[6..], (43..=103).collect::<Vec<_>>());
    }

    #[test]
    fn a_run_in_which_something_changed_stays_for_ever() {
        assert_eq!(left(&runs(4..=1000, &[4, 100, 102]), 0)[13..17], [95, 100, 102, 109].map(i64::from)[..]);
        assert_eq!(left(&runs(4..=9, &[]), 0), [4, 9], "the newest stays, too");
        assert_eq!(left(&[], 0), [0; 0]);
    }

    proptest! {
        #[test]
        fn what_is_left_is_left_again(days in prop::collection::btree_set(0..400_i64, 0..80), changed in prop::collection::vec(0..400_i64, 0..9), keep in 0..90_u32) {
            let all = runs(days, &changed);
            let once = left(&all, keep);
            let again = runs(once.iter().copied(), &changed);
            prop_assert_eq!(&left(&again, keep), &once);
            for run in &all {
                let stays = once.contains(&run.day);
                prop_assert!(stays || !run.changed);
                prop_assert!(stays || run.day + i64::from(keep) < all.last().unwrap().day);
            }
        }

        #[test]
        fn a_history_that_is_pruned_each_day_is_that_which_is_pruned_at_the_end(changed in prop::collection::vec(0..200_i64, 0..9), keep in 0..30_u32) {
            let mut daily: Vec<Age> = Vec::new();
            for run in runs(0..200, &changed) {
                daily.push(run);
                let days = left(&daily, keep);
                daily.retain(|run| days.contains(&run.day));
            }
            let at_the_end = left(&runs(0..200, &changed), keep);
            prop_assert_eq!(daily.iter().map(|run| run.day).collect::<Vec<_>>(), at_the_end);
        }
    }
}
