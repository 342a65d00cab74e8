//! The reports of a command: their formats, and where each goes.
//!
//! ```text
//! --format FORMAT[=FILE], --out FILE, --json, --markdown ── reports ──> Reports: every file can be written ── write
//! ```
//!
//! The files are checked before a command begins its work.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Args, Command, ValueEnum};
use mcp_compat_drive::files::atomic_file;
use mcp_compat_model::invisible_chars::{neutralised, without_ci_commands};
use mcp_compat_reports::Style;

use crate::output::{print, print_annotations};
use crate::terminal;

/// Width of a report for a terminal that is written to a file.
const WIDTH_IN_FILES: usize = 100;

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

/// A report that is asked for.
#[derive(Clone, Debug)]
pub(crate) struct WantedReport {
    pub(crate) format: Format,
    /// The file that it is written to; standard output if absent.
    pub(crate) file: Option<PathBuf>,
}

/// Parser of FORMAT or FORMAT=FILE.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormatOrFile(pub(crate) &'static [Format]);

impl TypedValueParser for FormatOrFile {
    type Value = WantedReport;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<WantedReport, clap::Error> {
        let (name, file) = match value.to_str().and_then(|text| text.split_once('=')) {
            Some((_, "")) => {
                let error = clap::Error::raw(ErrorKind::ValueValidation, "--format has no file after `=`\n");
                return Err(error.with_cmd(command));
            }
            Some((name, file)) => (OsStr::new(name), Some(PathBuf::from(file))),
            None => (value, None),
        };
        Ok(WantedReport { format: formats(self.0).parse_ref(command, arg, name)?, file })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().filter_map(Format::to_possible_value)))
    }
}

/// Options of a command that reports. A command names its formats with `mut_arg("format", …)`.
#[derive(Clone, Debug, Args)]
pub(crate) struct OutputArgs {
    /// The format of the report; FORMAT=FILE writes a file beside the report for the terminal; may be repeated
    #[arg(
        long, value_name = "FORMAT[=FILE]", value_parser = FormatOrFile(&[Format::Terminal]),
        help_heading = "The report"
    )]
    pub(crate) format: Vec<WantedReport>,
    /// Write the report to this file, and nothing to standard output
    #[arg(long, value_name = "FILE", help_heading = "The report")]
    pub(crate) out: Option<PathBuf>,
}

/// Short forms of two formats.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct ShortFormats {
    /// Short for --format json
    #[arg(long, help_heading = "The report")]
    json: bool,
    /// Short for --format markdown
    #[arg(long, conflicts_with = "json", help_heading = "The report")]
    markdown: bool,
}

impl OutputArgs {
    /// Returns the report in a format, if it is asked for by name.
    pub(crate) fn named(&self, format: Format) -> Option<&WantedReport> {
        self.format.iter().find(|wanted| wanted.format == format)
    }

    /// Returns the reports that are asked for. `inputs` are the files that the command reads.
    ///
    /// # Errors
    /// If two of them would go to the same place, or a file cannot be written.
    pub(crate) fn reports(&self, short: ShortFormats, inputs: &[PathBuf]) -> Result<Reports> {
        let short = [(short.json, Format::Json), (short.markdown, Format::Markdown)];
        let short = short.into_iter().filter(|(is_given, _)| *is_given);
        let short = short.map(|(_, format)| WantedReport { format, file: None });
        Reports::checked(self.format.iter().cloned().chain(short).collect(), self.out.as_deref(), inputs)
    }
}

/// The reports of a command.
#[derive(Debug)]
pub(crate) struct Reports(Vec<WantedReport>);

impl Reports {
    /// Checks that each report has a place of its own, and that its file can be written. An existing file is not changed
    /// before the report is there. `out` is the file of the report that would be printed, and `taken` are files that the
    /// command reads, or writes for something else.
    ///
    /// # Errors
    /// The message says which file, and what to do.
    pub(crate) fn checked(mut wanted: Vec<WantedReport>, out: Option<&Path>, taken: &[PathBuf]) -> Result<Self> {
        if wanted.iter().all(|wanted| wanted.file.is_some()) {
            wanted.push(WantedReport { format: Format::Terminal, file: None });
        }
        let mut printed = wanted.iter_mut().filter(|wanted| wanted.file.is_none());
        if let Some(first) = printed.next() {
            first.file = out.map(Path::to_owned);
        }
        if printed.next().is_some() {
            bail!(
                "more than one report has no file of its own: give one of them a file, as in --format markdown=report.md"
            );
        }
        let mut taken: Vec<PathBuf> = taken.iter().map(|path| place(path)).collect();
        for path in wanted.iter().filter_map(|wanted| wanted.file.as_deref()) {
            let (shown, place) = (neutralised(&path.display().to_string()), place(path));
            if taken.contains(&place) {
                bail!("{shown} is already read or written by this command: give the report another name");
            }
            match path.metadata() {
                Ok(there) if there.is_dir() => bail!("cannot write the report {shown}: it is a folder. Name a file"),
                // A device such as /dev/stdout accepts any number of reports.
                Ok(there) if !there.is_file() => {}
                Ok(_) | Err(_) => {
                    check_writable(path)
                        .with_context(|| format!("cannot write the report {shown}; nothing was run"))?;
                    taken.push(place);
                }
            }
        }
        Ok(Self(wanted))
    }

    /// Returns whether a format is asked for.
    pub(crate) fn include(&self, format: Format) -> bool {
        self.0.iter().any(|wanted| wanted.format == format)
    }

    /// Returns the format of the report that is printed, if one is.
    pub(crate) fn printed(&self) -> Option<Format> {
        self.0.iter().find(|wanted| wanted.file.is_none()).map(|wanted| wanted.format)
    }

    /// Returns whether the only report is the one for the terminal.
    pub(crate) fn are_printed_alone(&self) -> bool {
        self.0.len() == 1 && self.printed() == Some(Format::Terminal)
    }

    /// Renders each report, and prints it or writes it to its file. What is printed comes first, so that a file that cannot
    /// be written does not withhold it.
    ///
    /// # Errors
    /// If a report cannot be rendered, or a file cannot be written.
    pub(crate) fn write(&self, render: impl Fn(Format, Style) -> Result<String>) -> Result<()> {
        match self.printed() {
            Some(Format::Github) => print_annotations(&render(Format::Github, terminal::style())?),
            Some(format) => print!("{}", render(format, terminal::style())?),
            None => {}
        }
        self.write_files(render)
    }

    /// Renders the reports that have a file, and writes them.
    ///
    /// # Errors
    /// If a report cannot be rendered, or a file cannot be written.
    pub(crate) fn write_files(&self, render: impl Fn(Format, Style) -> Result<String>) -> Result<()> {
        for (format, file) in self.0.iter().filter_map(|wanted| Some((wanted.format, wanted.file.as_deref()?))) {
            let text = render(format, Style::plain(WIDTH_IN_FILES))?;
            let is_command = format == Format::Github;
            write_report(file, &if is_command { text.into() } else { without_ci_commands(&text) })?;
        }
        Ok(())
    }
}

/// Writes a report to a file or a device.
fn write_report(path: &Path, report: &str) -> Result<()> {
    let is_device = path.metadata().is_ok_and(|there| !there.is_file());
    let written = if is_device { fs::write(path, report) } else { atomic_file::replace(path, report) };
    written.with_context(|| format!("cannot write the report {}", path.display()))
}

/// Returns the canonical path. Of a file that does not exist, only the folder is made canonical.
fn place(path: &Path) -> PathBuf {
    if let Ok(there) = path.canonicalize() {
        return there;
    }
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (absolute.parent().and_then(|folder| folder.canonicalize().ok()), absolute.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        (_, _) => absolute,
    }
}

/// Creates the folder of a report and checks that it is writable. The report itself is not created.
fn check_writable(path: &Path) -> std::io::Result<()> {
    if path.exists() {
        return OpenOptions::new().append(true).open(path).map(drop);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    tempfile::tempfile_in(folder).map(drop)
}
