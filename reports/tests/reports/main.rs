//! Snapshots of every format, and hostile text in them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod compare;
mod fixture;
mod hostile;
mod pairs;
mod site;
mod snapshots;
