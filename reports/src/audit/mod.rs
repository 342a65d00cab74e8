//! Report of an audited server: output of `audit`.
//!
//! ```text
//! Audit ─ cause (findings, losses and the change that belong together) ─ view, block ─> terminal | markdown
//! ```

pub(crate) mod block;
pub(crate) mod cause;
mod clients;
mod markdown;
mod terminal;
pub(crate) mod view;

pub use markdown::markdown;
pub use terminal::terminal;

/// Choices of the user about a report.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// True to show notes; otherwise they are counted.
    pub notes: bool,
    /// Set if the caller decides whether the audit fails; otherwise an error does, or a tool that most clients lose.
    pub failed: Option<bool>,
}
