//! `--format` and `--out`: the form of a report, and where it goes.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use mcp_compat_model::invisible_chars::without_ci_commands;
use mcp_compat_reports::Style;

use crate::output::{print, print_annotations};
pub use crate::report_output::Format;
use crate::report_output::write_report;
use crate::terminal;

/// Width of a report for a terminal that is written to a file.
const WIDTH_IN_FILES: usize = 100;

/// A form that is asked for, with its file if it has one.
#[derive(Clone, Debug)]
pub struct Wanted {
    format: Format,
    file: Option<PathBuf>,
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, file) = text.split_once('=').map_or((text, None), |(name, file)| (name, Some(file)));
        let format = Format::from_str(name, true)
            .map_err(|_| "expected terminal, markdown, json, junit or github, alone or as FORMAT=FILE".to_owned())?;
        if file == Some("") {
            return Err("there is no file after `=`".to_owned());
        }
        Ok(Self { format, file: file.map(PathBuf::from) })
    }
}

/// The form of a report, and where it goes.
#[derive(Debug, Args)]
pub struct FormatArgs {
    /// The form of the report: terminal, markdown, json, junit, or github for annotations. FORMAT=FILE writes a file
    /// beside the report for the terminal; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", help_heading = "The report")]
    format: Vec<Wanted>,
    /// Write the report to this file, and nothing to standard output
    #[arg(long, value_name = "FILE", help_heading = "The report")]
    out: Option<PathBuf>,
    /// The same as --format json
    #[arg(long, help_heading = "The report")]
    json: bool,
    /// The same as --format markdown
    #[arg(long, conflicts_with = "json", help_heading = "The report")]
    markdown: bool,
}

impl FormatArgs {
    /// Returns the forms, each with its file or for standard output.
    ///
    /// # Errors
    /// If two reports would go to the same place.
    fn wanted(&self) -> Result<Vec<Wanted>> {
        let short = [(self.json, Format::Json), (self.markdown, Format::Markdown)];
        let short =
            short.into_iter().filter(|(is_given, _)| *is_given).map(|(_, format)| Wanted { format, file: None });
        let mut wanted: Vec<Wanted> = self.format.iter().cloned().chain(short).collect();
        if wanted.iter().all(|wanted| wanted.file.is_some()) {
            wanted.push(Wanted { format: Format::Terminal, file: None });
        }
        let mut without_file = wanted.iter_mut().filter(|wanted| wanted.file.is_none());
        if let Some(first) = without_file.next() {
            first.file.clone_from(&self.out);
        }
        if without_file.next().is_some() {
            bail!("two reports would be printed at once: give one of them a file, as in --format markdown=report.md");
        }
        Ok(wanted)
    }

    /// Returns whether a form is asked for.
    pub fn asks_for(&self, format: Format) -> bool {
        self.wanted().is_ok_and(|wanted| wanted.iter().any(|wanted| wanted.format == format))
    }

    /// Checks that a command has all forms that are asked for.
    ///
    /// # Errors
    /// If it has one of them not, or two reports would go to the same place.
    pub fn check(&self, command: &str, known: &[Format]) -> Result<()> {
        let name =
            |format: &Format| format.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        for wanted in self.wanted()? {
            if !known.contains(&wanted.format) {
                let known: Vec<String> = known.iter().map(name).collect();
                bail!("{command} has no format `{}`: it has {}", name(&wanted.format), known.join(", "));
            }
        }
        Ok(())
    }

    /// Renders each form, and writes it where it goes.
    ///
    /// # Errors
    /// If a form cannot be rendered, or a file cannot be written.
    pub fn write(&self, render: impl Fn(Format, Style) -> Result<String>) -> Result<()> {
        for Wanted { format, file } in self.wanted()? {
            match file {
                Some(file) => {
                    let text = render(format, Style::plain(WIDTH_IN_FILES))?;
                    let is_command = format == Format::Github;
                    let text = if is_command { text } else { without_ci_commands(&text).into_owned() };
                    write_report(&file, &text)?;
                }
                None if format == Format::Github => print_annotations(&render(format, terminal::style())?),
                None => print!("{}", render(format, terminal::style())?),
            }
        }
        Ok(())
    }
}
