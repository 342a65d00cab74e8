//! Formats of reports, and the file that one is written to in place of standard output.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use mcp_compat_drive::files::atomic_file;
use mcp_compat_reports::Style;

use crate::output::{print, print_annotations};
use crate::terminal;

/// Format of a report. Each command offers those that it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person, in a terminal
    #[default]
    Terminal,
    /// For a pull request or a page
    Markdown,
    /// For a program
    Json,
    /// For a CI system
    Junit,
    /// Annotations of GitHub Actions
    Github,
    /// The new breaks, as a baseline with an entry for each cause
    Baseline,
    /// One page that holds everything, with the messages of the checks that do not work
    Html,
    /// A folder of pages
    Site,
}

/// Returns the parser of a command that has these formats. Its error lists them.
pub(crate) fn formats(offered: &'static [Format]) -> impl TypedValueParser<Value = Format> {
    let names = offered.iter().filter_map(Format::to_possible_value);
    PossibleValuesParser::new(names).map(|name| Format::from_str(&name, false).unwrap_or_default())
}

/// Options of a command that reports. A command names its formats with `mut_arg("format", …)`.
#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// The format of the report
    #[arg(long, value_name = "FORMAT", value_enum, help_heading = "The report")]
    format: Option<Format>,
    /// Write the report to this file, not to standard output
    #[arg(long, value_name = "FILE", help_heading = "The report")]
    pub(crate) out: Option<PathBuf>,
}

/// Short forms of two formats.
#[derive(Debug, Args)]
pub(crate) struct ShortFormats {
    /// Short for --format json
    #[arg(long, conflicts_with_all = ["format", "markdown"], help_heading = "The report")]
    json: bool,
    /// Short for --format markdown
    #[arg(long, conflicts_with = "format", help_heading = "The report")]
    markdown: bool,
}

impl OutputArgs {
    /// Returns the format that is asked for.
    pub(crate) fn format(&self) -> Format {
        self.format.unwrap_or_default()
    }

    /// Returns the format that is asked for, by its name or by its short form.
    pub(crate) fn format_or(&self, short: &ShortFormats) -> Format {
        match (short.json, short.markdown) {
            (true, _) => Format::Json,
            (_, true) => Format::Markdown,
            (false, false) => self.format(),
        }
    }

    /// Returns the style of a report for a person: that of the terminal, or plain text in a file.
    pub(crate) fn style(&self) -> Style {
        Style { colour: terminal::style().colour && self.out.is_none(), ..terminal::style() }
    }

    /// Prints annotations of GitHub Actions, or writes them to the file that was named.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn deliver_annotations(&self, lines: &str) -> Result<()> {
        match &self.out {
            Some(path) => write_report(path, lines),
            None => {
                print_annotations(lines);
                Ok(())
            }
        }
    }

    /// Prints a report, or writes it to the file that was named.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn deliver(&self, report: &str) -> Result<()> {
        match &self.out {
            Some(path) => write_report(path, report),
            None => {
                print!("{report}");
                Ok(())
            }
        }
    }
}

/// Writes a report to a file or a device.
pub(crate) fn write_report(path: &Path, report: &str) -> Result<()> {
    let is_device = path.metadata().is_ok_and(|there| !there.is_file());
    let written = if is_device { fs::write(path, report) } else { atomic_file::replace(path, report) };
    written.with_context(|| format!("cannot write the report {}", path.display()))
}
