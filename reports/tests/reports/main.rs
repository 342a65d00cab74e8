//! What a reader gets to see: snapshots of every format, and what hostile peers cannot do to them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod compare;
mod fixture;
mod hostile;
mod pairs;
mod site;
mod snapshots;
