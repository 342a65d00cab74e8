//! Schema locks: read as they were written, equal to themselves, and comparable in a bounded time.

use std::time::{Duration, Instant};

use mcp_compat_audit::schema_lock::{Lock, compare};
use mcp_compat_model::comparison::Effect;

use crate::fuzz::mutate::values;

/// Time limit for a comparison, with instrumentation and checks.
const TIME: Duration = Duration::from_secs(9);

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let locks: Vec<Lock> = values(text).into_iter().filter_map(|text| Lock::parse(text).ok()).take(2).collect();
    for lock in &locks {
        let written = lock.to_text();
        assert_eq!(Lock::parse(&written).as_ref(), Ok(lock), "a lock is read as it was written");
        let same = compare(lock, lock).expect("it is one server");
        assert!(same.tools.is_empty(), "a lock differs from itself: {same:?}");
    }
    let [old, new] = locks.as_slice() else { return };
    let begun = Instant::now();
    let Ok(comparison) = compare(old, new) else { return };
    assert!(begun.elapsed() < TIME, "comparing took {:?}", begun.elapsed());
    let changes = comparison.tools.iter().flat_map(|tool| &tool.changes);
    changes.for_each(|change| {
        let explained = change.effect == Effect::Safe || change.why.is_some() || !change.what.is_empty();
        assert!(explained, "{change:?}");
    });
}
