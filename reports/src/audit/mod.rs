//! An audited server: what `audit` prints.
//!
//! ```text
//! Audit ─ view (problems by rule, damages by cause and clients) ─> terminal | markdown
//! ```

mod markdown;
mod real_clients;
mod shown;
mod takers;
mod terminal;
mod view;

pub use markdown::markdown;
pub use terminal::terminal;
