//! What changed between two runs.

mod classes;
mod mirror;
mod real;
mod records;
mod rejudging;
