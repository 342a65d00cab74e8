//! What changed between two runs.

mod class;

pub use class::Class;
