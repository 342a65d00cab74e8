//! Differences of two runs.

#![expect(clippy::unwrap_used, reason = "a test fails where something that it relies on is missing")]

mod classes;
mod mirror;
mod real;
mod records;
mod rejudging;
