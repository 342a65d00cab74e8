//! How many processors this program may use.

use std::num::NonZero;
use std::thread::available_parallelism;

/// Those of the machine, or those that a container is limited to. One where the system does not say.
#[must_use]
pub fn cores() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}
