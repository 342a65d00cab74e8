//! `new`: write a scenario file from the JSON of a bug report, or a template.

use std::fs::File;
use std::io::{Read, stdin};
use std::path::PathBuf;

use anyhow::{Context as _, anyhow, bail};
use clap::Args as ClapArgs;
use mcp_compat_author::report::{self, Reported};
use mcp_compat_author::template;
use mcp_compat_model::invisible_chars::neutralised;

use crate::exit::Exit;
use crate::inputs::scenario_file::ScenarioFile;
use crate::output::eprintln;

const EXAMPLES: &str = "\
The report may be a tool definition and the result of a call, answers of
tools/list and tools/call, a log of messages, or the text of an issue with JSON
blocks in it. What the report does not show is a comment in the file.

Examples:
  mcp-compat new my-bug.toml
  mcp-compat new my-bug.toml --from report.json --source https://…/issues/7
  pbpaste | mcp-compat new my-bug.toml --from -";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NewArgs {
    /// The file to write; its name becomes the id of the scenario
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The bug report; `-` is standard input [default: write a template]
    #[arg(long, value_name = "FILE|-")]
    from: Option<PathBuf>,
    /// The address of the bug report
    #[arg(long, value_name = "URL", value_parser = address)]
    source: Vec<String>,
}

/// Largest size of a report, in bytes.
const LONGEST: u64 = 16 << 20;

pub(crate) fn execute(args: NewArgs) -> anyhow::Result<Exit> {
    let Some(from) = &args.from else {
        let mut file = ScenarioFile::claim(&args.file)?;
        let written = file.text(&template(args.source));
        file.write(&written)?;
        eprintln!("{} is a template that runs as it is. Write your case into it, then run", file.path().display());
        eprintln!("{}", file.next_steps()?);
        return Ok(Exit::Success);
    };
    let (name, text) = if from.as_os_str() == "-" {
        ("standard input".to_owned(), text(stdin().lock()).context("cannot read the report from standard input")?)
    } else {
        let name = from.display().to_string();
        let file = File::open(from).and_then(text).with_context(|| format!("cannot read the report {name}"))?;
        (name, file)
    };
    if text.len() as u64 > LONGEST {
        bail!("{name} is longer than {} MB: paste only what shows the case", LONGEST >> 20);
    }
    let text = String::from_utf8(text).map_err(|error| {
        anyhow!("{name} is not text: its byte {} is not UTF-8", error.utf8_error().valid_up_to() + 1)
    })?;
    let reported =
        report::read(text.trim_start_matches('\u{feff}'), args.source).map_err(|error| anyhow!("{name}: {error}"))?;
    let mut file = ScenarioFile::claim(&args.file)?;
    let written = file.text(&reported.draft);
    file.write(&written)?;
    print_summary(&reported, &file)?;
    Ok(Exit::Success)
}

fn print_summary(Reported { found, guessed, left_out, .. }: &Reported, file: &ScenarioFile) -> anyhow::Result<()> {
    eprintln!("{} was written. The report has", file.path().display());
    found.iter().for_each(|line| eprintln!("  {}", neutralised(line)));
    if !left_out.is_empty() {
        eprintln!("not in it:");
        left_out.iter().for_each(|line| eprintln!("  {}", neutralised(line)));
    }
    eprintln!("to fill in or to check in the file:");
    guessed.iter().for_each(|line| eprintln!("  {}", neutralised(line)));
    eprintln!("then\n{}", file.next_steps()?);
    Ok(())
}

/// Reads a report, at most one byte beyond the limit.
fn text(source: impl Read) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    source.take(LONGEST + 1).read_to_end(&mut text)?;
    Ok(text)
}

/// Parses an address of a scenario file.
fn address(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    match rest {
        Some(rest) if !rest.is_empty() && !rest.contains(char::is_whitespace) => Ok(text.to_owned()),
        Some(_) | None => Err("expected an address that begins with https://".to_owned()),
    }
}
