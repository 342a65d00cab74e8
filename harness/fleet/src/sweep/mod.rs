//! Sweeping: what the releases of a family do with scenarios that stand for all.
//!
//! ```text
//! registry ── releases ──> next: which one? ──> SweepSetup: install, play ──> cells ── statements ──> support data
//!                            ^                                                 │
//!                            └──────────────────── outcomes ───────────────────┘
//! ```
//!
//! [`next`] and [`statements`] only decide. A release plays all scenarios in all of its roles and modes at once, because
//! installing it costs more than playing it.

mod choice;
mod play;
mod statements;

pub use choice::{Results, next};
pub use play::SweepSetup;
pub use statements::{Key, Result, results, statements};
