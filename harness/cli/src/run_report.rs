//! Report of a run in each format that needs nothing but the record.

use anyhow::{Context as _, Result};
use mcp_compat_reports::terminal::Shown;
use mcp_compat_reports::view::View;
use mcp_compat_reports::{Style, baseline, junit, markdown, run_annotations, terminal};

use crate::exit::HarnessFailed;
use crate::output::json_text;
use crate::report_output::Format;

/// Returns the report. A format that needs more than the record is that for the terminal.
///
/// # Errors
/// When the format cannot be written.
pub(crate) fn text(view: &View<'_>, format: Format, shown: Shown, style: Style) -> Result<String> {
    Ok(match format {
        Format::Markdown => markdown::render(view),
        Format::Json => json_text(view.record)?,
        Format::Junit => junit::render(view.record).context(HarnessFailed("writing JUnit"))?,
        Format::Github => run_annotations::render(view),
        Format::Baseline => baseline::render(&view.record.cells),
        Format::Terminal | Format::Html | Format::Site => terminal::render(view, shown, style),
    })
}
