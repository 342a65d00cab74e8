//! Choice of the next release to play: the ends, a sample between them, then the neighbours of each change.
//!
//! A release is an index, oldest first.

use std::collections::{BTreeMap, BTreeSet};

/// The results of the releases that were played, by what was played.
pub(super) type Results<K, R> = BTreeMap<usize, BTreeMap<K, R>>;

/// Largest number of neighbouring releases that are inferred from the two around them.
const SAMPLE: usize = 8;

/// The release to play next. `ends` are the oldest and the newest release of each line of releases, and `aside` cannot be
/// played. `None` if no release is left that could change the picture.
pub(super) fn next<K: Ord, R: PartialEq>(
    releases: usize,
    ends: &[usize],
    played: &Results<K, R>,
    aside: &BTreeSet<usize>,
) -> Option<usize> {
    let is_open = |at: &usize| *at < releases && !played.contains_key(at) && !aside.contains(at);
    if let Some(end) = ends.iter().find(|end| is_open(end)) {
        return Some(*end);
    }
    let (Some(first), Some(last)) = (played.keys().next(), played.keys().next_back()) else {
        return (0..releases).find(is_open);
    };
    if let Some(outside) = (0..*first).find(is_open).or_else(|| (last + 1..releases).rfind(is_open)) {
        return Some(outside);
    }
    let gaps = played.iter().zip(played.iter().skip(1)).filter_map(|((from, before), (to, after))| {
        let open: Vec<usize> = (from + 1..*to).filter(is_open).collect();
        let middle = *open.get(open.len() / 2)?;
        Some((open.len(), differences(before, after), middle))
    });
    let gaps: Vec<(usize, usize, usize)> = gaps.collect();
    let wide = gaps.iter().filter(|(open, ..)| *open > SAMPLE).max_by_key(|(open, ..)| *open);
    let changed = gaps.iter().filter(|(_, differences, _)| *differences > 0).max_by_key(|(_, changes, _)| *changes);
    wide.or(changed).map(|(.., middle)| *middle)
}

/// Returns the share of differing outcomes among those that both releases played.
fn differences<K: Ord, R: PartialEq>(one: &BTreeMap<K, R>, other: &BTreeMap<K, R>) -> usize {
    one.iter().filter(|(key, result)| other.get(key).is_some_and(|found| found != *result)).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Plays a world in which some releases cannot be played; returns those that were.
    fn swept(world: &[Option<u8>], ends: &[usize]) -> (Results<(), u8>, BTreeSet<usize>) {
        let (mut played, mut aside) = (Results::new(), BTreeSet::new());
        while let Some(at) = next(world.len(), ends, &played, &aside) {
            assert!(!played.contains_key(&at) && !aside.contains(&at), "{at} was tried already");
            match world[at] {
                Some(result) => drop(played.insert(at, BTreeMap::from([((), result)]))),
                None => drop(aside.insert(at)),
            }
        }
        (played, aside)
    }

    proptest! {
        #[test]
        fn the_ends_are_played_each_change_is_found_and_no_gap_is_wide(
            world in prop::collection::vec(prop::option::weighted(0.8, 0..2_u8), 1..120)
        ) {
            let (played, aside) = swept(&world, &[]);
            let can: Vec<usize> = (0..world.len()).filter(|at| world[*at].is_some()).collect();
            prop_assert_eq!(played.keys().next(), can.first());
            prop_assert_eq!(played.keys().next_back(), can.last());
            for ((from, before), (to, after)) in played.iter().zip(played.iter().skip(1)) {
                let open = (from + 1..*to).filter(|at| !aside.contains(at)).count();
                prop_assert!(open <= SAMPLE);
                prop_assert!(open == 0 || before == after, "the change between {} and {} is not found", from, to);
            }
        }
    }

    #[test]
    fn the_ends_of_each_line_are_played_even_if_nothing_changes() {
        let (played, _) = swept(&[Some(0); 6], &[0, 2, 3, 5]);
        assert_eq!(played.keys().copied().collect::<Vec<_>>(), [0, 2, 3, 5]);
    }

    #[test]
    fn what_only_one_of_two_releases_plays_is_no_change() {
        let played = Results::from([(0, BTreeMap::from([("a", 1)])), (5, BTreeMap::from([("b", 2)]))]);
        assert_eq!(next(6, &[], &played, &BTreeSet::new()), None);
    }
}
