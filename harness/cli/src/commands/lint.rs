//! `lint`: check scenario files.
//!
//! Files that cannot be loaded are reported together with mistakes in loaded files, in the order of the files.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use mcp_compat_author::lint::lint;
use mcp_compat_reports::github::{Level, annotation_of_line};
use mcp_compat_scenario::{Diagnostic, Diagnostics, Severity};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::exit::Exit;
use crate::inputs::corpus::Loaded;
use crate::output::{eprint, eprintln, json_text};
use crate::progress::Spinner;
use crate::report_output::{Format, FormatOrFile, OutputArgs, ShortFormats};
use crate::runtime::interruptible;
use crate::terminal;

#[derive(Debug, Args)]
#[command(after_help = LEVELS, mut_arg("format", |arg| arg.value_parser(FormatOrFile(&FORMATS))))]
pub(crate) struct LintArgs {
    /// Scenario files, or folders with scenario files
    #[arg(required = true, value_name = "SCENARIO")]
    pub(crate) paths: Vec<PathBuf>,
    /// Fail on warnings, too
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Formats of `lint`.
const FORMATS: [Format; 3] = [Format::Terminal, Format::Json, Format::Github];

const LEVELS: &str = "\
An error is a file that does not load, or a statement that cannot be true: an id
that another scenario has, an answer that does not match `means`, an `expect`
that no client can meet, a scenario that catches no mock with a deliberate bug.
A warning may be intended: a scenario that catches the same mocks as another
one, an address without https, a `why` that is not a sentence, a file that is
too large to be played here.

Exit status: 0 no errors, 2 errors, or warnings with --deny-warnings.

Examples:
  mcp-compat lint my-scenarios
  mcp-compat lint my-scenarios/root-type/array.toml --deny-warnings
  mcp-compat lint my-bug.toml --format json";

/// Number of scenarios from which a spinner is shown.
const MANY: usize = 20;

pub(crate) fn execute(args: &LintArgs) -> anyhow::Result<Exit> {
    if let Some(path) = args.paths.iter().find(|path| !path.exists() && path.extension().is_none()) {
        bail!("no file or folder {} exists: lint checks files, such as root-type/array.toml", path.display());
    }
    let reports = args.output.reports(ShortFormats::default(), &args.paths)?;
    let Loaded { given, embedded, mistakes: mut found } = Loaded::read(&args.paths)?;
    let placed: Vec<_> = given.into_iter().map(|(_, placed)| placed).collect();
    let taken = embedded.into_iter().map(|scenario| scenario.id).collect();
    let busy = terminal::draws_progress() && placed.len() >= MANY;
    let spinner = busy.then(|| Spinner::start("running every scenario with every mock"));
    let linted = interruptible(|| {}, async { Ok(lint(&placed, &taken, CancellationToken::new()).await?) });
    drop(spinner);
    let Some(linted) = linted? else { return Ok(Exit::Interrupted) };
    let unread: BTreeSet<String> = found.iter().map(|mistake| mistake.path.clone()).collect();
    found.extend(linted);
    let (errors, warnings) = (found.count(Severity::Error), found.count(Severity::Warning));
    let failed = errors > 0 || (args.deny_warnings && warnings > 0);
    let exit = if failed { Exit::Usage } else { Exit::Success };
    let sum = sum(placed.len(), unread.len(), errors, warnings);
    let is_for_people = reports.include(Format::Terminal);
    if is_for_people && errors + warnings > 0 {
        eprint!("{}", found.render_within(terminal::width_of_errors(), true));
        eprintln!("");
    }
    if is_for_people && failed {
        eprintln!("error: {sum}");
    }
    let is_printed = reports.printed() == Some(Format::Terminal);
    reports.write(|format, style| {
        Ok(match format {
            Format::Json => json_text(&listed(&found))?,
            Format::Github => annotations(&found),
            Format::Terminal if is_printed && failed => String::new(),
            Format::Terminal if !is_printed => {
                format!("{}{sum}\n", found.render_within(style.width, style.colour))
            }
            // The command has no other.
            Format::Terminal | Format::Markdown | Format::Junit | Format::Baseline | Format::Html | Format::Site => {
                format!("{sum}\n")
            }
        })
    })?;
    Ok(exit)
}

/// Returns the mistakes as annotations of their lines.
fn annotations(found: &Diagnostics) -> String {
    let annotation = |mistake: &Diagnostic| {
        let level = if mistake.severity == Severity::Error { Level::Error } else { Level::Warning };
        let text = [&mistake.message, &mistake.label].into_iter().chain(&mistake.help).filter(|text| !text.is_empty());
        let text = text.map(String::as_str).collect::<Vec<_>>().join("\n");
        annotation_of_line(level, (&mistake.path, found.line_column(mistake).0), &text)
    };
    found.iter().map(annotation).collect()
}

/// Returns the mistakes as JSON.
fn listed(found: &Diagnostics) -> Vec<Value> {
    let mistake = |mistake: &Diagnostic| {
        let (line, column) = found.line_column(mistake);
        let severity = if mistake.severity == Severity::Error { "error" } else { "warning" };
        json!({
            "severity": severity, "path": mistake.path, "line": line, "column": column,
            "message": mistake.message, "label": mistake.label, "help": mistake.help,
        })
    };
    found.iter().map(mistake).collect()
}

fn sum(scenarios: usize, unread: usize, errors: usize, warnings: usize) -> String {
    let counted = |number: usize, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
    let found = match (errors, warnings) {
        (0, 0) => "no mistakes".to_owned(),
        (0, warnings) => counted(warnings, "warning"),
        (errors, 0) => counted(errors, "mistake"),
        (errors, warnings) => format!("{}, {}", counted(errors, "mistake"), counted(warnings, "warning")),
    };
    let unread = match unread {
        0 => String::new(),
        1 => ", 1 file that cannot be used".to_owned(),
        unread => format!(", {unread} files that cannot be used"),
    };
    format!("{}{unread}, {found}", counted(scenarios, "scenario"))
}
