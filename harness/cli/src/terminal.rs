//! Width, colour and progress bars of the terminal.

use std::io::{IsTerminal, stderr, stdout};

use mcp_compat_reports::Style;

/// Width of results without a terminal, as in a pipe or a CI log.
const WIDTH_WITHOUT_TERMINAL: u16 = 100;

/// Width of excerpts from files without a terminal; it fits whole lines of most files.
const WIDTH_OF_EXCERPTS: usize = 140;

/// Returns the number of columns for error messages.
pub fn width_of_errors() -> usize {
    terminal_size::terminal_size_of(stderr()).map_or(WIDTH_OF_EXCERPTS, |(width, _)| usize::from(width.0).max(40))
}

/// Returns the number of columns for results.
fn width() -> usize {
    let width = terminal_size::terminal_size_of(stdout()).map_or(WIDTH_WITHOUT_TERMINAL, |(width, _)| width.0);
    usize::from(width).clamp(60, 240)
}

/// Returns whether progress bars are drawn: stderr is a terminal that can be redrawn, outside CI.
pub fn draws_progress() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stderr().is_terminal() && !dumb && std::env::var_os("CI").is_none()
}

/// Returns the style of reports: the width of the terminal, and colour unless stdout is no terminal or `NO_COLOR` is
/// set.
pub fn style() -> Style {
    let colour = anstream::AutoStream::choice(&stdout()) != anstream::ColorChoice::Never;
    Style { colour, width: width() }
}
