//! Bounded cache in two generations, for values such as compiled schemas.
//!
//! When the young generation is full, it becomes the old one, and the old one is dropped. A value that is used moves to the
//! young generation.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Values by their keys, bounded.
#[derive(Debug)]
pub struct Kept<K, V> {
    generations: Mutex<Generations<K, V>>,
    /// Number of bytes that a generation may have.
    bytes: usize,
}

#[derive(Debug)]
struct Generations<K, V> {
    /// Each value with its bytes.
    young: HashMap<K, (V, usize)>,
    old: HashMap<K, (V, usize)>,
    /// Number of bytes that the young generation has.
    bytes: usize,
}

/// Number of bytes that an entry counts at least.
const LEAST: usize = 512;

impl<K: Eq + Hash, V: Clone> Kept<K, V> {
    /// Keeps values that count as this many bytes together, and as many again.
    pub fn new(bytes: usize) -> Self {
        Self { generations: Mutex::new(Generations { young: HashMap::new(), old: HashMap::new(), bytes: 0 }), bytes }
    }

    /// The value of a key. `make` makes it if it is not kept, and then it counts as so many `bytes`. It may be called on two
    /// threads for one key, since it is called outside the lock.
    pub fn find_or(&self, key: K, bytes: impl FnOnce(&V) -> usize, make: impl FnOnce() -> V) -> V {
        if let Some(known) = self.lock().find(&key, self.bytes) {
            return known;
        }
        let made = make();
        let bytes = bytes(&made).max(LEAST);
        self.lock().keep(key, &made, bytes, self.bytes);
        made
    }

    /// A panic while holding the lock cannot leave a map half filled.
    fn lock(&self) -> MutexGuard<'_, Generations<K, V>> {
        self.generations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash, V: Clone> Generations<K, V> {
    fn find(&mut self, key: &K, room: usize) -> Option<V> {
        if let Some((known, _)) = self.young.get(key) {
            return Some(known.clone());
        }
        let (key, (known, bytes)) = self.old.remove_entry(key)?;
        self.keep(key, &known, bytes, room);
        Some(known)
    }

    fn keep(&mut self, key: K, value: &V, bytes: usize, room: usize) {
        if self.bytes.saturating_add(bytes) > room {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes = self.bytes.saturating_add(bytes);
        // Two threads may have made the same.
        if let Some((_, former)) = self.young.insert(key, (value.clone(), bytes)) {
            self.bytes = self.bytes.saturating_sub(former);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_made_once() {
        let kept: Kept<&str, usize> = Kept::new(LEAST);
        assert_eq!(kept.find_or("a", |_| 1, || 1), 1);
        assert_eq!(kept.find_or("a", |_| 1, || 2), 1);
        // A generation has room for one: the second pushes the first into the old one, where it is still found.
        assert_eq!(kept.find_or("b", |_| 1, || 3), 3);
        assert_eq!(kept.find_or("a", |_| 1, || 4), 1);
    }

    #[test]
    fn what_is_asked_for_again_counts_again() {
        const ROOM: usize = 10 * LEAST;
        let kept: Kept<usize, usize> = Kept::new(ROOM);
        for key in 0..1_000 {
            kept.find_or(key, |_| 1, || key);
            // All that is old is asked for.
            let old: Vec<usize> = kept.lock().old.keys().copied().collect();
            for key in old {
                kept.find_or(key, |_| 1, || key);
            }
            let generations = kept.lock();
            assert!(generations.young.len() <= 10 && generations.old.len() <= 10, "{generations:?}");
        }
    }

    #[test]
    fn what_is_kept_is_bounded_and_what_is_asked_for_stays() {
        const ROOM: usize = 100 * LEAST;
        let kept: Kept<usize, usize> = Kept::new(ROOM);
        for key in 0..10_000 {
            kept.find_or(key, |_| 1, || key);
            assert_eq!(kept.find_or(0, |_| 1, || 7), 0);
        }
        assert_eq!(kept.find_or(1, |_| 1, || 7), 7, "it went long ago");
        let count = |kept: &Kept<usize, usize>| {
            let generations = kept.lock();
            generations.young.len() + generations.old.len()
        };
        assert!(count(&kept) <= 210, "{}", count(&kept));
        // What is larger than a generation is kept alone.
        kept.find_or(20_000, |_| 10 * ROOM, || 1);
        assert_eq!(kept.lock().young.len(), 1);
    }
}
