//! Report of an audited server: output of `audit`.
//!
//! ```text
//! Audit ─ cause (findings, losses and the change that belong together) ─ expected ─ view, block ─> terminal | markdown
//! ```

pub(crate) mod block;
pub(crate) mod cause;
mod clients;
pub(crate) mod expected;
mod markdown;
mod terminal;
#[cfg(test)]
mod tests;
pub(crate) mod view;

use mcp_compat_model::audit::Audit;

pub use markdown::markdown;
pub use terminal::terminal;

/// The last line of the report of an audit that fails, without its first word.
pub(crate) fn why_failed(audit: &Audit, options: Options<'_>) -> String {
    view::verdict(audit, &cause::causes(audit), options).text
}

/// Choices of the user about a report.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// True to show notes; otherwise they are counted.
    pub notes: bool,
    /// The words that name the server in a command, such as `-- node server.js`; empty if there is no command.
    pub server: &'a str,
    /// Set if the caller decides whether the audit fails; otherwise an error does, or a tool that most clients lose.
    pub failed: Option<bool>,
}
