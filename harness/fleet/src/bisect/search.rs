//! Binary search among releases, some of which cannot be tried.
//!
//! A release is an index, oldest first. The search holds two of them: one with the outcome of the oldest release, and a
//! later one with another outcome. Each new outcome moves one of the two, so the result is always a real change. If the
//! outcome changes more than once, the result is one of the changes.

use std::collections::BTreeSet;

/// A search between the oldest release and the newest.
#[derive(Clone, Debug)]
pub struct Search<S> {
    /// The outcome of the oldest release.
    old: S,
    change: Change,
    untestable: BTreeSet<usize>,
}

/// Two releases between which the outcome changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The last release known to have the outcome of the oldest.
    pub last: usize,
    /// The first release known to have another outcome.
    pub first: usize,
}

/// Next action of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Try the release at this index.
    Try(usize),
    /// The change is found. No release between the two can be tried.
    Found(Change),
}

impl<S: PartialEq> Search<S> {
    /// A search among this many releases. `None` if the oldest and the newest have the same outcome, or there are fewer than
    /// two: then there is nothing to find.
    pub fn new(old: S, new: &S, releases: usize) -> Option<Self> {
        let change = Change { last: 0, first: releases.checked_sub(1).filter(|first| *first > 0)? };
        (old != *new).then_some(Self { old, change, untestable: BTreeSet::new() })
    }

    /// Returns the next action. It stays the same until an outcome is added.
    pub fn step(&self) -> Step {
        let open: Vec<usize> = self.between().filter(|place| !self.untestable.contains(place)).collect();
        // The middle of those that can still be tried: each outcome halves them, and a release that cannot be tried is
        // followed by its neighbour.
        open.get(open.len() / 2).map_or(Step::Found(self.change), |place| Step::Try(*place))
    }

    /// Adds the outcome of a release.
    pub fn saw(&mut self, place: usize, seen: &S) {
        if !self.between().contains(&place) {
            return;
        }
        let side = if *seen == self.old { &mut self.change.last } else { &mut self.change.first };
        *side = place;
    }

    pub fn cannot_try(&mut self, place: usize) {
        self.untestable.insert(place);
    }

    fn between(&self) -> std::ops::Range<usize> {
        self.change.last + 1..self.change.first
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Outcome at each place, or `None` if the release cannot be tried.
    type World = Vec<Option<u8>>;

    /// Searches, and gives the change with the places that were tried.
    fn searched(world: &World) -> (Change, Vec<usize>) {
        let (old, new) = (world[0].unwrap(), world[world.len() - 1].unwrap());
        let mut search = Search::new(old, &new, world.len()).unwrap();
        let mut tried = Vec::new();
        loop {
            let left = search.between();
            match search.step() {
                Step::Found(change) => return (change, tried),
                Step::Try(place) => {
                    assert!(!left.is_empty() && !tried.contains(&place) && place > 0 && place < world.len() - 1);
                    tried.push(place);
                    match &world[place] {
                        Some(seen) => search.saw(place, seen),
                        None => search.cannot_try(place),
                    }
                    assert!(search.between().len() <= left.len());
                }
            }
        }
    }

    /// Outcomes 0 up to a place and 1 from there on, some of which cannot be tried.
    fn monotone() -> impl Strategy<Value = World> {
        let places = prop::collection::vec(prop::bool::weighted(0.7), 2..200);
        (places, any::<prop::sample::Index>()).prop_map(|(testable, first)| {
            let (all, first) = (testable.len(), 1 + first.index(testable.len() - 1));
            let at = |(place, can): (usize, bool)| {
                (can || place == 0 || place == all - 1).then_some(u8::from(place >= first))
            };
            testable.into_iter().enumerate().map(at).collect()
        })
    }

    /// Any outcomes, as long as the ends differ.
    fn any_world() -> impl Strategy<Value = World> {
        prop::collection::vec(prop::option::weighted(0.7, 0..3_u8), 0..60)
            .prop_map(|between| [Some(0)].into_iter().chain(between).chain([Some(1)]).collect())
    }

    fn untestable(world: &World, places: impl IntoIterator<Item = usize>) -> usize {
        places.into_iter().filter(|place| world[*place].is_none()).count()
    }

    proptest! {
        #[test]
        fn the_one_change_is_found_in_as_many_steps_as_there_are_halves(world in monotone()) {
            let (change, tried) = searched(&world);
            prop_assert_eq!(Some(change.first), world.iter().position(|seen| *seen == Some(1)));
            prop_assert_eq!(Some(change.last), world.iter().rposition(|seen| *seen == Some(0)));
            let halves = usize::BITS - (world.len() - 2).leading_zeros();
            let aside = untestable(&world, tried.iter().copied());
            prop_assert!(tried.len() - aside <= usize::try_from(halves).unwrap());
        }

        #[test]
        fn whatever_the_outcomes_are_what_is_found_is_a_real_change(world in any_world()) {
            let (change, tried) = searched(&world);
            prop_assert!(change.last < change.first);
            prop_assert_eq!(world[change.last], world[0]);
            prop_assert!(world[change.first].is_some() && world[change.first] != world[0]);
            let between = change.last + 1..change.first;
            prop_assert_eq!(untestable(&world, between.clone()), between.len(), "they all were tried, and could not be");
            prop_assert!(between.clone().all(|place| tried.contains(&place)));
        }
    }

    #[test]
    fn ends_that_are_the_same_leave_nothing_to_look_for() {
        assert!(Search::new(1, &1, 10).is_none());
        assert!(Search::new(0, &1, 1).is_none());
        assert_eq!(Search::new(0, &1, 2).unwrap().step(), Step::Found(Change { last: 0, first: 1 }));
    }

    #[test]
    fn after_a_release_that_cannot_be_tried_comes_its_neighbour() {
        let mut search = Search::new(0, &1, 9).unwrap();
        assert_eq!(search.step(), Step::Try(4));
        search.cannot_try(4);
        assert_eq!(search.step(), Step::Try(5));
        search.cannot_try(5);
        assert_eq!(search.step(), Step::Try(3));
    }

    #[test]
    fn what_lies_aside_changes_nothing() {
        let mut search = Search::new(0, &1, 9).unwrap();
        search.saw(4, &0);
        for place in [0, 2, 4, 8, 100] {
            search.saw(place, &7);
        }
        assert_eq!(search.step(), Step::Try(6));
    }
}
