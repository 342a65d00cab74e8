//! What the terminal can show: its width, and whether anyone is looking.

use std::io::{IsTerminal, stderr, stdout};

use mcp_compat_reports::Style;

/// The width used when there is no terminal to ask, as in a pipe or a CI log.
const WIDTH_WITHOUT_TERMINAL: u16 = 100;

/// The width of excerpts from files where there is no terminal to ask: whole lines, as far as a person reads them.
const WIDTH_OF_EXCERPTS: usize = 140;

/// Returns the number of columns for what is wrong.
pub(crate) fn width_of_errors() -> usize {
    terminal_size::terminal_size_of(stderr()).map_or(WIDTH_OF_EXCERPTS, |(width, _)| usize::from(width.0).max(40))
}

/// Returns the number of columns for results.
fn width() -> usize {
    let width = terminal_size::terminal_size_of(stdout()).map_or(WIDTH_WITHOUT_TERMINAL, |(width, _)| width.0);
    usize::from(width).clamp(60, 240)
}

/// Returns whether progress is worth drawing: a person looks at stderr, which can be redrawn, and this is no CI.
pub(crate) fn draws_progress() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stderr().is_terminal() && !dumb && std::env::var_os("CI").is_none()
}

/// How reports are set: as wide as the terminal, and in colour where someone looks and `NO_COLOR` does not forbid it.
pub(crate) fn style() -> Style {
    let colour = anstream::AutoStream::choice(&stdout()) != anstream::ColorChoice::Never;
    Style { colour, width: width() }
}
