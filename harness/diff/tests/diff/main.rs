//! What changed between two runs.

mod classes;
mod mirror;
mod records;
mod rejudging;
