//! `support`: print the releases of the SDKs and hosts that work with a scenario, from data that ships with the program.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::inputs::{projection_data, support_data};
use anyhow::{Context as _, Result, bail};
use clap::Args;
use mcp_compat_model::support::Support;
use mcp_compat_model::version::Version;
use mcp_compat_reports::projection;
use mcp_compat_reports::support::{self as report, Subject};
use mcp_compat_run::glob::nothing;
use mcp_compat_scenario::corpus;

use crate::exit::{Exit, HarnessFailed};
use crate::report_output::{Format, FormatOrFile, OutputArgs, Reports, ShortFormats};

const HOW: &str = "\
The data ships with the program, so nothing is installed or started.

Examples:
  mcp-compat support
  mcp-compat support root-type/array
  mcp-compat support typescript
  mcp-compat support gemini-cli
  mcp-compat support --projection
  mcp-compat support python@2.3.0 --format markdown --out python.md";

/// Formats of `support`.
const FORMATS: [Format; 3] = [Format::Terminal, Format::Markdown, Format::Json];

#[derive(Debug, Args)]
#[command(after_help = HOW, mut_arg("format", |arg| arg.value_parser(FormatOrFile(&FORMATS))))]
pub(crate) struct SupportArgs {
    /// A scenario, an SDK or a host, or a release of one; without it, those that have data are listed
    #[arg(value_name = "SCENARIO|SDK|HOST")]
    name: Option<String>,
    /// Print what servers send to older clients of values that only 2026-07-28 has, such as arrays
    #[arg(long, conflicts_with = "name")]
    projection: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    short: ShortFormats,
    /// A file of support data [default: the data that ships]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
}

pub(crate) fn execute(args: &SupportArgs) -> Result<Exit> {
    let reports = args.output.reports(args.short, args.data.as_slice())?;
    if args.projection {
        return projection(args.data.as_deref(), &reports);
    }
    let mut data = support_data::of(args.data.as_deref())?;
    let is_scenario = match &args.name {
        Some(name) => keep_only(&mut data, name)?,
        None => false,
    };
    let files: BTreeSet<&str> = data.statements.iter().map(|statement| statement.scenario.file()).collect();
    let scenarios =
        corpus::load_of(|file| files.contains(file)).context(HarnessFailed("reading the built-in scenarios"))?;
    let title = |id: &str| {
        let found = scenarios.iter().find(|scenario| scenario.id.as_str() == id);
        found.map_or("", |scenario| scenario.title.as_str())
    };
    let subject = args.name.as_deref().map(|name| {
        if is_scenario { Subject::Scenario { id: name, title: title(name) } } else { Subject::Sdk { name } }
    });
    reports.write(|format, style| {
        Ok(match (format, subject) {
            (Format::Json, _) => data.to_text().context(HarnessFailed("printing the support data"))?,
            (Format::Markdown, Some(subject)) => report::markdown(subject, &data),
            (Format::Markdown, None) => bail!("--format markdown is for one scenario or SDK: name it"),
            (_, Some(subject)) => report::terminal(subject, &data, style),
            (_, None) => {
                let known = data.scenarios();
                let titles: Vec<(&str, &str)> = known.iter().map(|id| (id.as_str(), title(id.as_str()))).collect();
                report::list(&data, &titles, style)
            }
        })
    })?;
    Ok(Exit::Success)
}

/// Prints what servers send to clients of each era.
fn projection(file: Option<&Path>, reports: &Reports) -> Result<Exit> {
    let data = projection_data::of(file)?;
    reports.write(|format, style| {
        Ok(if format == Format::Json {
            data.to_text().context(HarnessFailed("printing the projections"))?
        } else if format == Format::Markdown {
            projection::markdown(&data)
        } else {
            projection::terminal(&data, style)
        })
    })?;
    Ok(Exit::Success)
}

/// Keeps the data about a scenario, an SDK, a host or a release such as `python@2.3.0`. Returns whether it is a scenario.
fn keep_only(data: &mut Support, name: &str) -> Result<bool> {
    let (family, version) = match name.split_once('@') {
        Some((family, version)) => (family, Version::parse(version).ok()),
        None => (name, None),
    };
    if data.sweeps.iter().any(|sweep| sweep.family == family) && (version.is_some() || family == name) {
        data.statements.retain(|statement| statement.family == family);
        data.sweeps.retain(|sweep| sweep.family == family);
        if let Some(version) = version {
            for statement in &mut data.statements {
                statement.ranges.retain(|range| range.from <= version && version <= range.to);
            }
            data.statements.retain(|statement| !statement.ranges.is_empty());
        }
        return Ok(false);
    }
    let known: Vec<&str> = data.scenarios().into_iter().map(|known| known.as_str()).collect();
    if !known.contains(&name) {
        let names = known.into_iter().chain(data.sweeps.iter().map(|sweep| sweep.family.as_str()));
        return Err(nothing("scenario, SDK or host with support data", name, names).into());
    }
    data.statements.retain(|statement| statement.scenario.as_str() == name);
    let about: BTreeSet<String> = data.statements.iter().map(|statement| statement.family.clone()).collect();
    data.sweeps.retain(|sweep| about.contains(&sweep.family));
    Ok(true)
}
